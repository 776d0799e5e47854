package stategraph

import (
	"encoding/json"
	"time"
)

// EventKind says what happened.
type EventKind string

// The kinds of event, in the order in which a run first sends them.
const (
	RunStart    EventKind = "run_start"  // of the graph, or of a subgraph by its path
	StepStart   EventKind = "step_start" // Targets: the nodes of the super-step
	NodeStart   EventKind = "node_start" // of each attempt
	Custom      EventKind = "custom"     // Custom, Payload: what a node emitted
	NodeRetry   EventKind = "node_retry" // Err: why; another attempt follows
	NodeFailed  EventKind = "node_error" // Err: why; the run fails with it
	NodeEnd     EventKind = "node_end"   // Update: what the node changes; Err when that can't be encoded
	Branch      EventKind = "branch"     // Label, Targets: one case that a branch took
	Interrupted EventKind = "interrupt"  // Label: the question's id; Payload: the question
	Saved       EventKind = "checkpoint" // the super-step is on the thread
	RunEnd      EventKind = "run_end"    // Err: nil when the run succeeded
)

// Event is one thing that happened in a run. Fields that its kind has no use
// for are zero. An event is shared by all who observe it: it is not to be
// changed.
type Event struct {
	Seq      int // from 1, without gaps, over the run and its subgraphs
	Kind     EventKind
	Path     []string // the graph: its name, then the subgraph nodes that lead into it
	Node     string   // the node; for Branch the branch, which is a node of the topology
	Step     int      // super-step of the graph, from 1; 0 before the first
	Task     int      // index among the sends to a task in one super-step
	Attempt  int      // from 1
	At       time.Time
	Took     time.Duration   // of the attempt, or of the run
	Label    string          // of the case
	Targets  []string        // of the case, or the nodes of a super-step
	Update   json.RawMessage // object from field to what was written, see [state.Update]
	Custom   string          // the node's own kind of event
	Payload  any             // the node's own
	Err      error
	Resumed  bool // of a RunStart: the thread had been begun, and Step is the last that is done
	Recorded bool // it is handed to the checkpointer, see [Recorded]
	Skipped  int  // how many Custom events a lagging reader of a stream missed just before this one
}
