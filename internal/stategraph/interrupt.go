package stategraph

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// Question is the question of a node that interrupted its run.
type Question struct {
	ID      string          `json:"id"`
	Path    []string        `json:"path"` // of the graph
	Node    string          `json:"node"`
	Payload json.RawMessage `json:"payload"`
}

// InterruptedError ends a run that waits for answers. Everything that does not
// depend on them is done and on the thread; [Graph.Resume] continues with the
// answers, in any process.
type InterruptedError struct{ Questions []Question }

// Error names the nodes that ask.
func (e *InterruptedError) Error() string {
	asking := make([]string, len(e.Questions))
	for i, q := range e.Questions {
		asking[i] = fmt.Sprintf("%s/%s (%s)", strings.Join(q.Path, "/"), q.Node, q.ID)
	}
	return "interrupted: waits for the answer to " + strings.Join(asking, ", ")
}

// StoppedError ends a run at a stop set by [StopBefore] or [StopAfter].
// [Graph.Resume] continues past it.
type StoppedError struct {
	Step  int // the super-step about to begin, or the last one done
	Nodes []string
	After bool
}

// Error names the nodes.
func (e *StoppedError) Error() string {
	side := "before"
	if e.After {
		side = "after"
	}
	return fmt.Sprintf("stopped %s %s in step %d", side, strings.Join(e.Nodes, ", "), e.Step)
}

// StopBefore ends the run with a [StoppedError] before a super-step that
// contains any of the nodes. The run needs a thread.
func StopBefore(nodes ...string) RunOption {
	return func(s *settings) { s.before = append(s.before, nodes...) }
}

// StopAfter ends the run with a [StoppedError] after a super-step that contained
// any of the nodes, before deciding what comes next. The run needs a thread.
func StopAfter(nodes ...string) RunOption {
	return func(s *settings) { s.after = append(s.after, nodes...) }
}

// Answer answers the question with the given id when a thread is resumed.
func Answer(id string, value any) RunOption {
	return func(s *settings) { s.answers = append(s.answers, reply{id, value}) }
}

type reply struct {
	id    string
	value any
}

// MayInterrupt declares that a node calls [Interrupt]. A graph with such a node
// needs a checkpointer to compile.
func MayInterrupt() NodeOption { return func(p *policy) { p.interrupts = true } }

// Interrupt asks a question and returns the answer. Without an answer it returns
// an error, which the node must return at once: the run then ends with an
// [InterruptedError]. Resumed with the answer, the node is called again from its
// beginning, and its nth Interrupt returns the nth answer. Put a node's other
// work after its last Interrupt or into another node.
func Interrupt[A any](ctx *Context, payload any) (A, error) {
	var answer A
	a := ctx.inquiry
	if a == nil {
		return answer, errors.New("the node asks without a thread, or has not declared MayInterrupt")
	}
	a.count++
	id := fmt.Sprintf("%s%d:%s#%d.%d", a.scope, ctx.step, ctx.node, ctx.task, a.count)
	if data, ok := a.answers[id]; ok {
		if err := a.codec.Unmarshal(data, &answer); err != nil {
			return answer, fmt.Errorf("decode the answer to %s: %w", id, err)
		}
		return answer, nil
	}
	data, err := a.codec.Marshal(payload)
	if err != nil {
		return answer, fmt.Errorf("encode the question of %s: %w", ctx.node, err)
	}
	return answer, &InterruptedError{[]Question{{ID: id, Path: ctx.at.path, Node: ctx.node, Payload: data}}}
}

// inquiry counts the questions of one call of a node and holds the answers.
type inquiry struct {
	codec   state.Codec
	scope   string
	answers map[string][]byte
	count   int
}

// interrupted reports whether a task ended to wait for an answer, which is not a
// failure, and puts its question on the thread. A question asked in a subgraph
// is there already.
func (r *run[S]) interrupted(t *task[S]) bool {
	var asked *InterruptedError
	if r.host.journal == nil || !t.node.policy.interrupts || !errors.As(t.err, &asked) {
		return false
	}
	t.err, t.asked = nil, asked.Questions
	if t.node.nested() {
		return true
	}
	q := asked.Questions[0]
	rec := r.record(RecordInterrupt, t.pos, nil)
	rec.ID = q.ID
	if rec.Data, t.err = json.Marshal(q); t.err == nil {
		asks := t.ctx.locate(Event{Kind: Interrupted, Label: q.ID, Payload: q.Payload})
		t.err = r.host.sendWith(asks, &rec, false)
	}
	return true
}

// questions returns an InterruptedError with the questions of a step's tasks, or
// nil if there are none.
func questions[S any](tasks []task[S]) error {
	var all []Question
	for i := range tasks {
		all = append(all, tasks[i].asked...)
	}
	if all == nil {
		return nil
	}
	return &InterruptedError{all}
}

// stopsAt returns the nodes of a step that are among the stops. Subgraphs have
// no stops.
func (r *run[S]) stopsAt(stops []string, tasks []task[S]) []string {
	if len(stops) == 0 || r.at.scope != "" {
		return nil
	}
	return slices.DeleteFunc(nodeNames(tasks), func(name string) bool { return !slices.Contains(stops, name) })
}

// unanswered returns the questions among records that have no answer.
func unanswered(records []Record) []Record {
	settled := map[string]bool{}
	for _, rec := range records {
		settled[rec.ID] = settled[rec.ID] || rec.Kind == RecordAnswer
	}
	var open []Record
	for _, rec := range records {
		if !settled[rec.ID] {
			settled[rec.ID] = true
			open = append(open, rec)
		}
	}
	return open
}

// question decodes the data of an interrupt.
func (rec *Record) question() (q Question, err error) {
	if err = json.Unmarshal(rec.Data, &q); err != nil {
		err = fmt.Errorf("decode question %s: %w", rec.ID, err)
	}
	return q, err
}
