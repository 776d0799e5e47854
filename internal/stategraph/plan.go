package stategraph

import (
	"encoding/json"
	"fmt"
	"slices"
)

// storedSnapshot is what is needed to go on from a state after a step, which
// stands on the next line: the nodes that ran in it, which are yet to be left,
// and who waits at joins.
type storedSnapshot struct {
	Ran     []string     `json:"ran"`
	Arrived []storedJoin `json:"arrived,omitempty"`
}

// storedPlan is what a step does, by node. Of a step's single task the update
// stands behind it, when that is done.
type storedPlan struct {
	Tasks   []storedTasks `json:"tasks"`
	Arrived []storedJoin  `json:"arrived,omitempty"`
	Done    bool          `json:"done,omitempty"` // the update follows
}

// storedTasks are the calls of one node: one, or as many as there are payloads.
type storedTasks struct {
	Node     string            `json:"node"`
	Payloads []json.RawMessage `json:"payloads,omitempty"`
}

// record is a record of the run at its step.
func (r *run[S]) record(kind RecordKind, task int, data []byte) Record {
	return Record{
		Scope: r.at.scope, Kind: kind, Step: r.step, Task: task,
		Version: r.schema.Version(), At: r.host.clock.Now(), Data: data,
	}
}

// begin notes the state a run starts from. That of the thread itself is
// written at once: from then on it can be resumed.
func (r *run[S]) begin() error {
	if r.host.journal == nil {
		return nil
	}
	if err := r.noteSnapshot(); err != nil {
		return err
	}
	if r.at.scope == "" {
		return r.host.journal.write()
	}
	return nil
}

// noteSnapshot notes the whole state.
func (r *run[S]) noteSnapshot() error {
	data, err := r.snapshot(r.shown, &r.position)
	if err != nil {
		return err
	}
	r.host.journal.note(r.record(RecordSnapshot, 0, data))
	r.whole, r.deltas = len(data), 0
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

// newline ends the line that stands before a state or an update.
var newline = []byte{'\n'}

// smallest is the size in bytes that deltas may reach however small the state.
const smallest = 4096

// saved ends a step on the thread. When the updates since the last snapshot
// weigh two fifths of it, another is due: so to read a state takes reading so
// much more at most, and all snapshots together weigh 3.5 times the last.
func (r *run[S]) saved() error {
	if r.host.journal == nil {
		return nil
	}
	if r.deltas > max(r.whole*2/5, smallest) {
		if err := r.noteSnapshot(); err != nil {
			return err
		}
	}
	if r.at.scope == "" {
		if err := r.host.journal.writeIf(EachStep); err != nil {
			return err
		}
	}
	r.event(Event{Kind: Saved})
	return nil
}

// notePlan notes what the step is to do. The plan of a single plain task is
// held back to be one record with its update.
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
		r.held = &p
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

// commit makes the update of a task that has finished durable.
func (r *run[S]) commit(t *task[S]) error {
	if r.host.journal == nil {
		return nil
	}
	rec := r.record(RecordWrite, t.place, nil)
	var err error
	if p := r.held; p != nil {
		r.held, p.Done, rec.Kind = nil, true, RecordPlan
		if rec.Data, err = json.Marshal(p); err != nil {
			return err
		}
		rec.Data = append(rec.Data, newline...)
	}
	if rec.Data, err = t.update.Append(rec.Data, r.codec); err != nil {
		return err
	}
	t.size = len(rec.Data)
	return r.host.journal.commit(rec)
}

// finish notes how the run ended and, for that of the thread, writes it.
func (r *run[S]) finish(err error) error {
	if r.host.journal == nil {
		return nil
	}
	if err == nil {
		r.host.journal.note(r.record(RecordEnd, 0, nil))
	} else if r.held != nil { // for an update that did not come
		if err := r.noteStored(*r.held); err != nil {
			return err
		}
	}
	if r.at.scope != "" {
		return nil
	}
	return r.host.journal.write()
}
