package stategraph

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

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

// AnswerError ends a run with an answer that is not of the type that the node asks
// for. The answer is not stored, and the question stays open.
type AnswerError struct {
	Question Question
	Err      error // of decoding it
}

// Error names the answer and what is wrong with it.
func (e *AnswerError) Error() string {
	return fmt.Sprintf("the answer to %s is refused, and the question stays open: %v", e.Question.ID, e.Err)
}

// Unwrap returns the error of decoding the answer.
func (e *AnswerError) Unwrap() error { return e.Err }

// Answer answers the question with the given id when a thread is resumed. An
// answer that can't be decoded as what the node asks for is an [AnswerError].
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
		if err := decodeAnswer(a.codec, data, &answer); err != nil {
			return answer, fmt.Errorf("decode the answer to %s: %w", id, err)
		}
		return answer, nil
	}
	asked, err := a.codec.Marshal(payload)
	if err != nil {
		return answer, fmt.Errorf("encode the question of %s: %w", ctx.node, err)
	}
	q := Question{ID: id, Path: ctx.at.path, Node: ctx.node, Payload: asked}
	rec, ok := a.given.to(id)
	if !ok {
		return answer, &InterruptedError{[]Question{q}}
	}
	if err := decodeAnswer(a.codec, rec.Data, &answer); err != nil {
		var none A
		return none, &AnswerError{q, err}
	}
	a.given.note(a.journal, id)
	return answer, a.journal.write()
}

// decodeAnswer decodes an answer. Unlike encoding/json, it rejects null for numbers, texts and structs.
func decodeAnswer[A any](codec state.Codec, data []byte, answer *A) error {
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		if _, decodes := any(answer).(json.Unmarshaler); !decodes && !nilable(reflect.TypeFor[A]()) {
			return fmt.Errorf("null can't be a %v", reflect.TypeFor[A]())
		}
	}
	return codec.Unmarshal(data, answer)
}

func nilable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return true
	}
	return false
}

// inquiry counts the questions of one call of a node and holds the answers.
type inquiry struct {
	codec   state.Codec
	scope   string
	answers map[string][]byte // on the thread
	given   *given
	journal *journal
	count   int
}

// given holds the answers with which a thread is resumed, by question id. Each is written once it has been decoded. A nil
// given is empty.
type given struct {
	mu      sync.Mutex
	records map[string]Record
	noted   map[string]bool
}

// to returns the answer to a question.
func (g *given) to(id string) (Record, bool) {
	if g == nil {
		return Record{}, false
	}
	rec, ok := g.records[id]
	return rec, ok
}

// note adds an answer to the next write, once.
func (g *given) note(j *journal, id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.noted[id] {
		return
	}
	if g.noted == nil {
		g.noted = map[string]bool{}
	}
	g.noted[id] = true
	j.note(g.records[id])
}

// settle records the answers to questions of a finished task that it has not asked again, so that they don't stay open.
func (g *given) settle(j *journal, scope string, step, task int) {
	if g == nil {
		return
	}
	for id, rec := range g.records {
		if rec.Scope == scope && rec.Step == step && rec.Task == task {
			g.note(j, id)
		}
	}
}

// interrupted reports whether a task ended to wait for an answer, which is not a failure, and puts its question on the
// thread. A question asked in a subgraph is already there, and so is one whose answer had the wrong type.
func (r *run[S]) interrupted(t *task[S]) bool {
	if r.host.journal == nil || !t.node.policy.interrupts {
		return false
	}
	if refused, ok := errors.AsType[*AnswerError](t.err); ok {
		t.err, t.refused = nil, refused
		if !t.node.nested() {
			r.host.send(t.ctx.locate(Event{Kind: Interrupted, Label: refused.Question.ID, Payload: refused.Question.Payload}))
		}
		return true
	}
	var asked *InterruptedError
	if !errors.As(t.err, &asked) {
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

// questions returns the AnswerErrors of a step's tasks, else an InterruptedError
// with their questions, or nil if there are none.
func questions[S any](tasks []task[S]) error {
	var all []Question
	var refused []error
	for i := range tasks {
		all = append(all, tasks[i].asked...)
		if tasks[i].refused != nil {
			refused = append(refused, tasks[i].refused)
		}
	}
	if len(refused) > 0 {
		return errors.Join(refused...)
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
