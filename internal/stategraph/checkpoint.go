package stategraph

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// Checkpointer stores what runs on threads did, as a log of records. A thread
// is one run with all its resumptions, and has one writer at a time. An
// implementation is safe for concurrent use; the package checkpointtest holds
// it to this contract.
type Checkpointer interface {
	// Acquire makes the caller the thread's writer until the lease has passed,
	// and makes the thread when there is none. While somebody else's lease
	// lasts it is ErrThreadBusy, unless force takes it from them. The token
	// stands for the caller in what follows: from the next Acquire on, an older
	// token is worth nothing.
	Acquire(ctx context.Context, thread string, lease time.Duration, force bool) (token int64, err error)
	// Renew extends the lease from now on, or is ErrLeaseLost.
	Renew(ctx context.Context, thread string, token int64, lease time.Duration) error
	// Release ends the lease. A token that is worth nothing changes nothing.
	Release(ctx context.Context, thread string, token int64) error
	// Append adds records in order, all or none, and returns when they would
	// survive the death of the process. It is ErrLeaseLost, and adds nothing,
	// when the token has been replaced. A RecordEvent is no part of the thread:
	// whoever keeps events gets it with the records around it, in one
	// transaction with them. Where nobody does it is an error.
	Append(ctx context.Context, thread string, token int64, records []Record) error
	// Load reads, in the order of their writing, the last snapshot of a scope
	// that is of step from or earlier, and what was written in that scope behind
	// it and is of step to or earlier. Without a snapshot there is nothing. The
	// data of a record are the reader's until it takes the next; an error is the
	// last that it is given.
	Load(ctx context.Context, thread, scope string, from, to int) iter.Seq2[Record, error]
	// Questions returns the interrupts and answers of all scopes in the order of
	// their writing.
	Questions(ctx context.Context, thread string) ([]Record, error)
	// Delete removes a thread with all its records.
	Delete(ctx context.Context, thread string) error
	// Prune deletes threads that were last written to before a time and returns
	// how many. Threads with a lease or an unanswered interrupt stay.
	Prune(ctx context.Context, before time.Time) (int, error)
}

// Record is one entry of a thread's log. What Data holds, as JSON, is the
// engine's own matter.
type Record struct {
	Scope   string // "" for the graph of the thread; for a subgraph the steps and nodes that lead into it
	Kind    RecordKind
	Step    int       // super-step, from 1; 0 before the first
	Task    int       // place within the step
	Version int       // of the schema that wrote it
	At      time.Time // when it happened
	ID      string    // of an interrupt, and of the answer to it
	Data    []byte
	Event   *Event // of a RecordEvent
}

// RecordKind says what a record holds.
type RecordKind string

// The kinds of record.
const (
	RecordSnapshot  RecordKind = "snapshot"  // the whole state after a step, and what ran in it
	RecordPlan      RecordKind = "plan"      // what a step does; with the update, when that is a single task
	RecordWrite     RecordKind = "write"     // the update of one task
	RecordInterrupt RecordKind = "interrupt" // what a node asks
	RecordAnswer    RecordKind = "answer"    // what it was answered
	RecordEnd       RecordKind = "end"       // nothing is left to do
	RecordEvent     RecordKind = "event"     // what is told of the records around it, see [Recorded]
)

// Errors of threads.
var (
	// ErrThreadBusy is met by a second writer of a thread.
	ErrThreadBusy = errors.New("another run is writing to this thread")
	// ErrLeaseLost is met by a writer whose thread was taken over.
	ErrLeaseLost = errors.New("another run has taken this thread over")
	// ErrNoThread is met when a thread, or a step of it, is asked for that was
	// never written.
	ErrNoThread = errors.New("no such checkpoint")
	// ErrThreadExists is met when a run is to begin on a thread that has one.
	ErrThreadExists = errors.New("the thread has a run already: resume it, fork it, or take another thread")
)

// Durability says when what a run did is written to its thread.
type Durability int

const (
	// EachTask writes the update of every task when it finishes, before anything
	// else is decided: a killed process repeats only what was at work.
	EachTask Durability = iota
	// EachStep writes at the end of each super-step: a killed process repeats
	// the super-step that it was in.
	EachStep
	// AtExit writes when the run ends, fails or is interrupted: a killed process
	// loses all that it did.
	AtExit
)

// DefaultLease is how long a thread stays its writer's when nothing is heard
// of it any more.
const DefaultLease = 30 * time.Second

// Thread keeps the run on a thread of the graph's checkpointer. [Graph.Run]
// begins a thread; it is [ErrThreadExists] when that has been done before.
func Thread(id string) RunOption { return func(s *settings) { s.thread = id } }

// OrResume lets Run go on with its thread, as [Graph.Resume] does, when that
// has been begun; the state given to Run then counts for nothing.
func OrResume() RunOption { return func(s *settings) { s.orResume = true } }

// TakeOver takes the thread from its writer, for callers who know that it is
// dead. Should it live, it fails with [ErrLeaseLost] at its next write.
func TakeOver() RunOption { return func(s *settings) { s.force = true } }

// Lease sets how long the thread stays this run's after its process died,
// instead of [DefaultLease]. It is renewed while the run lives.
func Lease(d time.Duration) RunOption { return func(s *settings) { s.lease = d } }

// Durable chooses when the thread is written. The default is [EachTask].
func Durable(d Durability) RunOption { return func(s *settings) { s.durability = d } }

// Recorded hands the events that keep says yes to over to the checkpointer, as
// records of kind [RecordEvent]: the end of a node in one transaction with its
// update, so that what is told of a run and what it has done never disagree.
// Observers see an event when it has been written, with Recorded set; one that
// leads to others, a branch or the start of a run, is written with the next.
// The run needs a thread.
func Recorded(keep func(Event) bool) RunOption { return func(s *settings) { s.recorded = keep } }

// CompileOption changes what a graph is compiled with.
type CompileOption func(*compilation)

// compilation is what compile options set.
type compilation struct {
	store Checkpointer // nil: nothing is kept
	codec state.Codec
	inner bool
}

// WithCheckpointer lets runs of the graph be kept on threads. Nil keeps none.
func WithCheckpointer(c Checkpointer) CompileOption { return func(o *compilation) { o.store = c } }

// WithCodec encodes states, values and payloads for the checkpointer by c
// instead of encoding/json, which nil stands for. Subgraphs have their own.
func WithCodec(c state.Codec) CompileOption {
	return func(o *compilation) {
		if c != nil {
			o.codec = c
		}
	}
}

// AsSubgraph promises that the graph is run as a node of another, whose
// checkpointer keeps its interrupts.
func AsSubgraph() CompileOption { return func(o *compilation) { o.inner = true } }
