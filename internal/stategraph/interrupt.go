package stategraph

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// Question is what a node that interrupted its run wants to be answered.
type Question struct {
	ID      string          `json:"id"`
	Path    []string        `json:"path"` // the graph
	Node    string          `json:"node"`
	Payload json.RawMessage `json:"payload"`
}

// InterruptedError ends a run that waits for answers. All that could be done
// without them has been done and is on the thread: [Graph.Resume] goes on with
// the answers, in any process.
type InterruptedError struct{ Questions []Question }

// Error names the nodes that ask.
func (e *InterruptedError) Error() string {
	asking := make([]string, len(e.Questions))
	for i, q := range e.Questions {
		asking[i] = fmt.Sprintf("%s/%s (%s)", strings.Join(q.Path, "/"), q.Node, q.ID)
	}
	return "interrupted: waits for the answer to " + strings.Join(asking, ", ")
}

// StoppedError ends a run at a stop that was set by [StopBefore] or
// [StopAfter]. [Graph.Resume] goes on behind it.
type StoppedError struct {
	Step  int // the super-step that is about to begin, or that was the last
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

// StopBefore ends the run with a [StoppedError] before a super-step that any of
// the nodes is part of. The run needs a thread.
func StopBefore(nodes ...string) RunOption {
	return func(s *settings) { s.before = append(s.before, nodes...) }
}

// StopAfter ends the run with a [StoppedError] after a super-step that any of
// the nodes was part of, before it is decided what comes next. The run needs
// a thread.
func StopAfter(nodes ...string) RunOption {
	return func(s *settings) { s.after = append(s.after, nodes...) }
}

// Answer answers, when a thread is resumed, the question with an id.
func Answer(id string, value any) RunOption {
	return func(s *settings) { s.answers = append(s.answers, reply{id, value}) }
}

type reply struct {
	id    string
	value any
}

// MayInterrupt declares that a node calls [Interrupt]. A graph with such a
// node does not compile without a checkpointer.
func MayInterrupt() NodeOption { return func(p *policy) { p.interrupts = true } }

// Interrupt asks whoever runs the graph and returns the answer. While there is
// none it is an error that the node returns at once: the run then ends with an
// [InterruptedError]. When it is resumed with the answer, the node is called
// again from its beginning, and its first, second … Interrupt is given the
// first, second … answer. A node's other work therefore belongs behind its
// last Interrupt, or into a node of its own.
func Interrupt[A any](ctx *Context, payload any) (A, error) {
	var answer A
	t := ctx.talk
	if t == nil {
		return answer, errors.New("the node asks without a thread, or has not declared MayInterrupt")
	}
	t.count++
	id := fmt.Sprintf("%s%d:%s#%d.%d", t.scope, ctx.step, ctx.node, ctx.task, t.count)
	if data, ok := t.answers[id]; ok {
		if err := t.codec.Unmarshal(data, &answer); err != nil {
			return answer, fmt.Errorf("decode the answer to %s: %w", id, err)
		}
		return answer, nil
	}
	data, err := t.codec.Marshal(payload)
	if err != nil {
		return answer, fmt.Errorf("encode the question of %s: %w", ctx.node, err)
	}
	return answer, &InterruptedError{[]Question{{ID: id, Path: ctx.at.path, Node: ctx.node, Payload: data}}}
}

// talk is what a call of a node has asked and was answered.
type talk struct {
	codec   state.Codec
	scope   string
	answers map[string][]byte
	count   int
}

// waits reports whether a task ended to wait for an answer, which is no failure,
// and takes note of what it asks. A question asked in a subgraph is on the
// thread already.
func (r *run[S]) waits(t *task[S]) bool {
	var asked *InterruptedError
	if r.host.journal == nil || !t.node.policy.interrupts || !errors.As(t.err, &asked) {
		return false
	}
	t.err, t.asked = nil, asked.Questions
	if t.node.nested() {
		return true
	}
	q := asked.Questions[0]
	rec := r.record(RecordInterrupt, t.place, nil)
	rec.ID = q.ID
	if rec.Data, t.err = json.Marshal(q); t.err == nil {
		asks := t.ctx.place(Event{Kind: Interrupted, Label: q.ID, Payload: q.Payload})
		t.err = r.host.sendWith(asks, func() error { return r.host.journal.commit(rec) })
	}
	return true
}

// questions joins what the tasks of a step ask.
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

// among lists which of the stops a step of the thread's graph has.
func (r *run[S]) among(stops []string, tasks []task[S]) []string {
	if len(stops) == 0 || r.at.scope != "" {
		return nil
	}
	return slices.DeleteFunc(called(tasks), func(name string) bool { return !slices.Contains(stops, name) })
}

// unanswered are the questions among records that have no answer.
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

// question is what a record of an interrupt holds.
func (rec *Record) question() (q Question, err error) {
	if err = json.Unmarshal(rec.Data, &q); err != nil {
		err = fmt.Errorf("decode question %s: %w", rec.ID, err)
	}
	return q, err
}
