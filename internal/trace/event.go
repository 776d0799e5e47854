// Package trace turns what a state graph does into numbered, stored events,
// hands them to whoever watches, live or later, and folds them into the
// picture of a run that the page draws.
//
// Events are stored before they are shown: a watcher is nothing but a cursor
// on the log, so a slow one never holds up a run and one that reconnects
// misses nothing. Only the words of an answer as it is being written are
// transient; who joins late gets the text so far as one piece.
package trace

import (
	"encoding/json"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
)

// Event is one stored event of a run.
type Event struct {
	Seq      int             `json:"seq,omitempty"` // from 1, without gaps within a run; of a stored one its row's
	At       time.Time       `json:"at"`
	Kind     string          `json:"kind"` // a stategraph event kind, or Settled
	Path     []string        `json:"path,omitempty"`
	Node     string          `json:"node,omitempty"`
	Step     int             `json:"step,omitempty"` // super-step, from 1
	Task     int             `json:"task,omitempty"` // send index within the step
	Attempt  int             `json:"attempt,omitempty"`
	Took     time.Duration   `json:"took,omitempty"`
	Label    string          `json:"label,omitempty"`
	Targets  []string        `json:"targets,omitempty"`
	Update   json.RawMessage `json:"update,omitempty"`
	Custom   string          `json:"custom,omitempty"` // a domain.Event… kind
	Payload  json.RawMessage `json:"payload,omitempty"`
	Problem  string          `json:"problem,omitempty"`
	Resumed  bool            `json:"resumed,omitempty"`  // of a run's start: it goes on behind step Step of an earlier attempt
	Resuming bool            `json:"resuming,omitempty"` // of a run's start: an earlier attempt was cut off
}

// Settled is the kind of the last event of a run: nothing will follow. Label
// holds the run's final status.
const Settled = "settled"

// fromEngine is the stored form of an engine event.
func fromEngine(e stategraph.Event) (Event, error) {
	out := Event{
		At: e.At, Kind: string(e.Kind), Path: e.Path, Node: e.Node, Step: e.Step, Task: e.Task,
		Attempt: e.Attempt, Took: e.Took, Label: e.Label, Targets: e.Targets, Update: e.Update, Custom: e.Custom, Resumed: e.Resumed,
	}
	if e.Err != nil {
		out.Problem = domain.InWords(e.Err)
	}
	if e.Payload == nil {
		return out, nil
	}
	payload, err := json.Marshal(e.Payload)
	out.Payload = payload
	return out, err
}
