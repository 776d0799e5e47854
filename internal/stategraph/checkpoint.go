package stategraph

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// Checkpointer stores what runs on threads did, as a log of records. A thread
// is one run with all its resumptions. Implementations are safe for concurrent
// use and pass checkpointtest.Run.
//
// A thread has one writer: the caller that acquired it last. The token fences
// off earlier ones, so a run whose process was taken for dead can't write to a
// thread that another has continued.
type Checkpointer interface {
	// Acquire makes the caller the writer of a thread, creates the thread if needed, and returns a
	// token for Append. Earlier tokens become invalid. The token of a new, empty thread is 1.
	Acquire(ctx context.Context, thread string) (token int64, err error)
	// Append adds records in order, all or none, and returns once they would survive
	// the death of the process. With an invalid token it adds nothing and returns
	// ErrThreadTaken. A RecordEvent is not part of the thread: it is stored
	// elsewhere, in one transaction with the records around it. A checkpointer that
	// can't do that returns an error.
	Append(ctx context.Context, thread string, token int64, records []Record) error
	// Load yields, in the order written, the last snapshot of a scope at step from
	// or earlier, then the records of that scope written after it at step to or
	// earlier. Without a snapshot it yields nothing. The data of a record is valid
	// until the next is yielded. An error comes last.
	Load(ctx context.Context, thread, scope string, from, to int) iter.Seq2[Record, error]
	// Questions returns the interrupts and answers of all scopes in the order written.
	Questions(ctx context.Context, thread string) ([]Record, error)
	// Delete removes a thread and its records.
	Delete(ctx context.Context, thread string) error
	// Prune deletes the threads that were last acquired or written to before the
	// given time and returns how many. Threads with an unanswered interrupt stay.
	Prune(ctx context.Context, before time.Time) (int, error)
}

// Record is one entry of a thread's log. Checkpointers treat Data as opaque; it
// is JSON that only the engine reads.
type Record struct {
	Scope   string // "" for the thread's graph; for a subgraph the steps and nodes leading into it
	Kind    RecordKind
	Step    int       // super-step, from 1; 0 before the first
	Task    int       // index within the step
	Version int       // of the schema that wrote it
	At      time.Time // when it happened
	ID      string    // of an interrupt, and of its answer
	Data    []byte
	Event   *Event // of a RecordEvent
}

// RecordKind describes what a record holds.
type RecordKind string

// The kinds of record.
const (
	RecordSnapshot  RecordKind = "snapshot"  // the whole state after a step, and the nodes that ran in it
	RecordPlan      RecordKind = "plan"      // the tasks of a step; with the update if there is only one task
	RecordWrite     RecordKind = "write"     // the update of one task
	RecordInterrupt RecordKind = "interrupt" // a node's question
	RecordAnswer    RecordKind = "answer"    // the answer to it
	RecordEnd       RecordKind = "end"       // the run is complete
	RecordEvent     RecordKind = "event"     // an event about the records around it, see [Recorded]
)

// Errors of threads.
var (
	// ErrThreadTaken fails a run when another run has since acquired its thread.
	ErrThreadTaken = errors.New("another run has taken this thread over")
	// ErrNoThread reports a thread, or a step of it, that was never written.
	ErrNoThread = errors.New("no such checkpoint")
	// ErrThreadExists fails a run that would begin on a thread already begun.
	ErrThreadExists = errors.New("the thread has a run already: resume it, fork it, or take another thread")
)

// Thread keeps the run on a thread of the graph's checkpointer. [Graph.Run]
// begins a thread and returns [ErrThreadExists] if that was done before.
func Thread(id string) RunOption { return func(s *settings) { s.thread = id } }

// OrResume lets Run continue a thread that was begun before, as [Graph.Resume]
// does. Run then ignores the state it is given.
func OrResume() RunOption { return func(s *settings) { s.orResume = true } }

// Recorded passes the events that keep selects to the checkpointer, as records
// of kind [RecordEvent]. The end of a node is written in one transaction with
// the node's update, so a trace never disagrees with its thread. Observers see
// an event, with Recorded set, after it was written; an event that others follow
// at once, such as a branch or the start of a run, is written with the next. The
// run needs a thread.
func Recorded(keep func(Event) bool) RunOption { return func(s *settings) { s.recorded = keep } }

// Gathered lets a run that records events continue while they are written: events and their updates from the same moment
// share a write. Observers see an event after it was written, as always, and the run waits for all writes
// before it ends, stops or asks. If the process is killed before a write, the tasks of that time are called again, so
// their side effects must be repeatable, or follow a [Context.Flush].
func Gathered(moment time.Duration) RunOption {
	return func(s *settings) { s.gathered, s.moment = true, moment }
}

// CompileOption configures a compiled graph.
type CompileOption func(*compilation)

type compilation struct {
	store Checkpointer // nil if runs can't be kept
	codec state.Codec
	inner bool
}

// WithCheckpointer allows runs of the graph to be kept on threads. Nil is the
// same as no option.
func WithCheckpointer(c Checkpointer) CompileOption { return func(o *compilation) { o.store = c } }

// WithCodec encodes states, values and payloads for the checkpointer with c. The
// default, also for nil, is encoding/json. Subgraphs use their own codec.
func WithCodec(c state.Codec) CompileOption {
	return func(o *compilation) {
		if c != nil {
			o.codec = c
		}
	}
}

// AsSubgraph allows a graph without a checkpointer to interrupt: it will run
// only as a node of another graph, whose checkpointer keeps the interrupts.
func AsSubgraph() CompileOption { return func(o *compilation) { o.inner = true } }
