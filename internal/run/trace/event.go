// Package trace stores the events of state graphs, streams them to watchers, live or later, and folds
// them into the picture of a run that a page draws.
//
// Events are stored before they are shown. A watcher is a cursor on the log: a slow one never holds up
// a run, and one that reconnects misses nothing. Only the words of an answer being written are
// transient; a late watcher gets the text so far in one piece.
package trace

import (
	"encoding/json"
	"errors"
	"slices"
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
	Withheld bool            `json:"withheld,omitempty"` // the end of a run whose other events its reader may not see; not stored
}

// Settled is the kind of the last event of a run. Its label is the run's final status.
const Settled = "settled"

// ErrWithheld is returned for the steps of a run that read documents its viewer may not read.
var ErrWithheld = domain.Errorf(domain.NotFound, "You may not see the steps of this run: it read documents that you may not read.")

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

// A Task is a call of a step's node that has begun and not ended: one send of a fan-out, or the node itself.
type Task struct {
	N     int // from 0 among the sends
	Began time.Time
	Waits []Wait // what its calls are waiting for, in order of their start
}

// A Wait is something that a task waits for.
type Wait struct {
	domain.Wait
	Until time.Time // zero if unknown
}

// Total returns how many tasks the step has, also those that have not begun.
func (s *Step) Total() int { return max(s.Sends, s.Tasks) }

// Slowest returns at most n of the tasks at work, the one that began first in front.
func (s *Step) Slowest(n int) []Task {
	open := slices.Clone(s.Open)
	slices.SortStableFunc(open, func(a, b Task) int { return a.Began.Compare(b.Began) })
	return open[:min(n, len(open))]
}

// mostOpen exceeds the number of tasks that a run has in progress. A file from elsewhere may claim any number.
const mostOpen = 1000

// begun records the start of an attempt at a task.
func (s *Step) begun(n int, at time.Time) {
	if t := s.task(n); t != nil {
		t.Waits = nil
	} else if len(s.Open) < mostOpen {
		s.Open = append(s.Open, Task{N: n, Began: at})
	}
}

func (s *Step) ended(n int) {
	s.Open = slices.DeleteFunc(s.Open, func(t Task) bool { return t.N == n })
}

// waits records that a task starts or stops waiting. Several calls of one task may wait for the same thing.
func (s *Step) waits(n int, w domain.Wait, at time.Time) {
	t := s.task(n)
	if t == nil {
		return
	}
	if w.Over {
		if i := slices.IndexFunc(t.Waits, func(o Wait) bool { return o.For == w.For }); i >= 0 {
			t.Waits = slices.Delete(t.Waits, i, i+1)
		}
		return
	}
	wait := Wait{Wait: w}
	if w.Pause > 0 {
		wait.Until = at.Add(w.Pause)
	}
	if w.For == domain.WaitModel { // the later report is better
		t.Waits = slices.DeleteFunc(t.Waits, func(o Wait) bool { return o.For == w.For })
	}
	t.Waits = append(t.Waits, wait)
}

// Calling returns the latest report of a model call in progress among the last events of a run. ok is false if there is
// none.
func Calling(last []Event) (report domain.Wait, ok bool) {
	type task struct {
		step, n int
		node    string
	}
	over := map[task]bool{}
	for _, e := range slices.Backward(last) {
		of := task{e.Step, e.Task, e.Node}
		switch {
		case e.Kind == string(stategraph.RunStart) && len(e.Path) <= 1:
			return domain.Wait{}, false // an earlier attempt was cut off
		case e.Kind == string(stategraph.NodeEnd):
			over[of] = true
		case e.Custom != domain.EventWait:
		default:
			var w domain.Wait
			if json.Unmarshal(e.Payload, &w) != nil || w.For != domain.WaitModel {
				continue
			}
			if !w.Over && !over[of] {
				return w, true
			}
			over[of] = true
		}
	}
	return domain.Wait{}, false
}

func (s *Step) task(n int) *Task {
	for i := range s.Open {
		if s.Open[i].N == n {
			return &s.Open[i]
		}
	}
	return nil
}
