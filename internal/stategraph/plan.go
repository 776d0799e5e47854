package stategraph

import (
	"encoding/json"
	"fmt"
	"slices"
)

// storedSnapshot is the first line of a snapshot; the state follows on the
// second. Together they are enough to continue after a step.
type storedSnapshot struct {
	Ran     []string     `json:"ran"` // nodes of the step, whose exits are still to be taken
	Arrived []storedJoin `json:"arrived,omitempty"`
}

// storedPlan holds the tasks of a step, by node.
type storedPlan struct {
	Tasks   []storedTasks `json:"tasks"`
	Arrived []storedJoin  `json:"arrived,omitempty"`
	Done    bool          `json:"done,omitempty"` // the update of the only task follows
}

// storedTasks are the calls of one node: one, or one per payload.
type storedTasks struct {
	Node     string            `json:"node"`
	Payloads []json.RawMessage `json:"payloads,omitempty"`
}

func (r *run[S]) record(kind RecordKind, task int, data []byte) Record {
	return Record{
		Scope: r.at.scope, Kind: kind, Step: r.step, Task: task,
		Version: r.schema.Version(), At: r.host.clock.Now(), Data: data,
	}
}

// begin records the state a run starts from. For the thread's own graph it writes it at once, unless the run is gathered:
// from then on the thread can be resumed.
func (r *run[S]) begin() error {
	if r.host.journal == nil {
		return nil
	}
	if err := r.noteSnapshot(); err != nil {
		return err
	}
	if r.at.scope == "" && !r.host.gathered {
		return r.host.journal.write()
	}
	return nil
}

func (r *run[S]) noteSnapshot() error {
	data, err := r.snapshot(r.shown, &r.position)
	if err != nil {
		return err
	}
	r.host.journal.note(r.record(RecordSnapshot, 0, data))
	r.snapshotSize, r.updateSize = len(data), 0
	return nil
}

func (g *Graph[S]) snapshot(s S, p *position[S]) ([]byte, error) {
	whole, err := g.schema.Encode(g.codec, s)
	if err != nil {
		return nil, fmt.Errorf("graph %q: %w", g.name, err)
	}
	head, err := json.Marshal(storedSnapshot{Ran: g.names(p.ran), Arrived: g.storeJoins(p.arrived)})
	if err != nil {
		return nil, err
	}
	return slices.Concat(head, newline, whole), nil
}

var newline = []byte{'\n'}

// minUpdateSize is how many bytes of updates may follow a snapshot, however
// small the state.
const minUpdateSize = 4096

// saved ends a step on the thread. It takes a snapshot when the updates since
// the last one exceed two fifths of it: then reading a state costs at most that
// much more, and all snapshots together are 3.5 times the size of the last.
func (r *run[S]) saved() error {
	if r.host.journal == nil {
		return nil
	}
	if r.updateSize > max(r.snapshotSize*2/5, minUpdateSize) {
		if err := r.noteSnapshot(); err != nil {
			return err
		}
	}
	r.event(Event{Kind: Saved})
	return nil
}

// notePlan records the tasks of a step. The plan of a single plain task is kept back, to share a record with the task's
// update.
func (r *run[S]) notePlan(tasks []task[S]) error {
	if r.host.journal == nil {
		return nil
	}
	p := storedPlan{Arrived: r.storeJoins(r.arrived)}
	for i := range tasks {
		t := &tasks[i]
		if t.index == 0 {
			p.Tasks = append(p.Tasks, storedTasks{Node: t.node.name})
		}
		if t.node.kind != KindTask {
			continue
		}
		data, err := r.codec.Marshal(t.payload)
		if err != nil {
			return fmt.Errorf("graph %q: encode a payload of %q: %w", r.name, t.node.name, err)
		}
		last := &p.Tasks[len(p.Tasks)-1]
		last.Payloads = append(last.Payloads, data)
	}
	if len(tasks) == 1 && !tasks[0].node.nested() && !tasks[0].node.policy.interrupts {
		r.unwritten = &p
		return nil
	}
	return r.noteStored(p)
}

func (r *run[S]) noteStored(p storedPlan) error {
	data, err := json.Marshal(p)
	if err == nil {
		r.host.journal.note(r.record(RecordPlan, 0, data))
	}
	return err
}

// written returns the record of a finished task, nil without a thread.
func (r *run[S]) written(t *task[S]) (*Record, error) {
	if r.host.journal == nil {
		return nil, nil
	}
	rec := r.record(RecordWrite, t.pos, nil)
	var err error
	if p := r.unwritten; p != nil {
		r.unwritten, p.Done, rec.Kind = nil, true, RecordPlan
		if rec.Data, err = json.Marshal(p); err != nil {
			return nil, err
		}
		rec.Data = append(rec.Data, newline...)
	}
	if rec.Data, err = t.update.Append(rec.Data, r.codec); err != nil {
		return nil, err
	}
	t.size = len(rec.Data)
	return &rec, nil
}

// finish records how the run ended and sends an event about it, of the thread's own graph after it is written.
func (r *run[S]) finish(end Event) error {
	var rec *Record
	if r.host.journal != nil && end.Err == nil {
		rec = new(r.record(RecordEnd, 0, nil))
	} else if r.unwritten != nil { // its update did not arrive
		if err := r.noteStored(*r.unwritten); err != nil {
			return err
		}
	}
	if r.at.scope == "" {
		return r.host.sendWith(end, rec, false)
	}
	if rec != nil {
		r.host.journal.note(*rec)
	}
	r.host.send(end)
	return nil
}
