package stategraph

import (
	"encoding/json"
	"time"
)

// EventKind describes what happened.
type EventKind string

// The kinds of event, in the order in which a run first sends them.
const (
	RunStart    EventKind = "run_start"  // of the graph, or of a subgraph by its path
	StepStart   EventKind = "step_start" // Targets: the nodes of the super-step
	NodeStart   EventKind = "node_start" // of each attempt
	Custom      EventKind = "custom"     // Custom, Payload: what a node emitted
	NodeRetry   EventKind = "node_retry" // Err: why; another attempt follows
	NodeFailed  EventKind = "node_error" // Err: why; the run fails with it
	NodeEnd     EventKind = "node_end"   // Update: what the node changes; Err if that can't be encoded
	Branch      EventKind = "branch"     // Label, Targets, Sends: a case that a branch took
	Interrupted EventKind = "interrupt"  // Label: the question's id; Payload: the question
	Saved       EventKind = "checkpoint" // the super-step is on the thread
	RunEnd      EventKind = "run_end"    // Err: nil if the run succeeded
)

// Event is something that happened in a run. Fields that its kind does not use
// are zero. Observers share an event and must not change it.
type Event struct {
	Seq      int // from 1, without gaps, over the run and its subgraphs
	Kind     EventKind
	Path     []string // the graph's name, then the subgraph nodes leading to it
	Node     string   // for Branch the branch, which is a node of the topology
	Step     int      // super-step of the graph, from 1; 0 before the first
	Task     int      // index among the sends to a task in one super-step
	Attempt  int      // of each attempt, from 1
	At       time.Time
	Took     time.Duration   // of the attempt, or of the run
	Pause    time.Duration   // for a NodeRetry: until the next attempt
	Label    string          // of the case
	Targets  []string        // of the case, or the nodes of a super-step
	Sends    int             // for a Branch: how many to the target, if it is a task
	Update   json.RawMessage // object from field to the value written, see [state.Update]
	Custom   string          // the node's own kind of event
	Payload  any             // the node's own
	Err      error
	Resumed  bool // for a RunStart: the thread was begun earlier, and Step is the last one done
	Recorded bool // passed to the checkpointer, see [Recorded]
}
