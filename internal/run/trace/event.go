// Package trace stores the events of state graphs, streams them to watchers, live or later, and folds them into the picture
// of a run that a page draws.
//
// Events are stored before they are shown. A watcher is a cursor on the log: a slow one never holds up a run, and one that
// reconnects misses nothing. Only the words of an answer in the making are transient; a late watcher gets the text so far
// in one piece.
package trace

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
)

// An Event is one stored event of a run.
type Event struct {
	Seq      int             `json:"seq,omitempty"` // from 1 within a run
	At       time.Time       `json:"at"`
	Kind     string          `json:"kind"` // a stategraph event kind, or Settled
	Path     []string        `json:"path,omitempty"`
	Node     string          `json:"node,omitempty"`
	Step     int             `json:"step,omitempty"` // super-step, from 1
	Task     int             `json:"task,omitempty"` // send index within the step
	Attempt  int             `json:"attempt,omitempty"`
	Took     time.Duration   `json:"took,omitempty"`
	Pause    time.Duration   `json:"pause,omitempty"` // of a retry: until the next attempt
	Label    string          `json:"label,omitempty"`
	Targets  []string        `json:"targets,omitempty"`
	Sends    int             `json:"sends,omitempty"` // of a decision for a fan-out
	Update   json.RawMessage `json:"update,omitempty"`
	Custom   string          `json:"custom,omitempty"` // a domain.Event… kind
	Payload  json.RawMessage `json:"payload,omitempty"`
	Problem  string          `json:"problem,omitempty"`
	Resumed  bool            `json:"resumed,omitempty"`  // a start that continues an earlier attempt after super-step Step
	Resuming bool            `json:"resuming,omitempty"` // a start after an earlier attempt was cut off
	Asks     bool            `json:"asks,omitempty"`     // an end that waits for a person
}

// Settled is the kind of the last event of a run. Its label is the run's final status.
const Settled = "settled"

// fromEngine returns the stored form of an engine event.
func fromEngine(e stategraph.Event) (Event, error) {
	out := Event{
		At: e.At, Kind: string(e.Kind), Path: e.Path, Node: e.Node, Step: e.Step, Task: e.Task,
		Attempt: e.Attempt, Took: e.Took, Pause: e.Pause, Label: e.Label, Targets: e.Targets, Sends: e.Sends, Update: e.Update, Custom: e.Custom, Resumed: e.Resumed,
	}
	if _, out.Asks = errors.AsType[*stategraph.InterruptedError](e.Err); e.Err != nil && !out.Asks {
		out.Problem = domain.InWords(e.Err)
	}
	if e.Payload == nil {
		return out, nil
	}
	payload, err := json.Marshal(e.Payload)
	out.Payload = payload
	return out, err
}
