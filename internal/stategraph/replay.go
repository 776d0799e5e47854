package stategraph

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// replay rebuilds a run from its records: its position after the last complete
// step, and as much as there is of the step after that.
type replay[S any] struct {
	*Graph[S]
	position[S]
	at time.Time // of the position

	open      []task[S] // tasks of the next step; nil if it was not planned
	missing   int       // how many of them are unfinished
	latest    time.Time
	done      bool     // the run has ended
	questions []Record // and answers
	answers   map[string][]byte
	each      func() // called after each merged step, if set

	spare   []task[S] // reused for the tasks of the step after
	head    []byte    // of the last plan
	planned storedPlan
}

func (g *Graph[S]) newReplay() *replay[S] {
	return &replay[S]{Graph: g, answers: map[string][]byte{}}
}

// read takes all records. It leaves the last step open even if it is complete.
// Without records it returns [ErrNoThread].
func (p *replay[S]) read(records iter.Seq2[Record, error]) error {
	for rec, err := range records {
		if err != nil {
			return err
		}
		if err := p.take(&rec); err != nil {
			return fmt.Errorf("step %d: %w", rec.Step, err)
		}
	}
	if p.merger == nil {
		return ErrNoThread
	}
	return nil
}

func (p *replay[S]) take(rec *Record) error {
	p.latest = rec.At
	switch rec.Kind {
	case RecordSnapshot:
		return p.takeSnapshot(rec)
	case RecordPlan:
		return p.takePlan(rec)
	case RecordWrite:
		return p.write(rec.Task, rec.Data, rec.Version)
	case RecordInterrupt, RecordAnswer:
		rec.Data = bytes.Clone(rec.Data)
		p.questions = append(p.questions, *rec)
		if rec.Kind == RecordAnswer {
			p.answers[rec.ID] = rec.Data
		}
	case RecordEnd:
		p.done = true
		return p.settle()
	}
	return nil
}

// takeSnapshot decodes the first snapshot; later ones repeat what the updates said.
func (p *replay[S]) takeSnapshot(rec *Record) error {
	p.snapshotSize, p.updateSize = len(rec.Data), 0
	if p.merger != nil {
		return p.settle()
	}
	var stored storedSnapshot
	head, whole := state.CutLine(rec.Data)
	if err := json.Unmarshal(head, &stored); err != nil {
		return err
	}
	s, err := p.schema.Decode(p.codec, whole, rec.Version)
	if err != nil {
		return err
	}
	for _, name := range stored.Ran {
		i, known := p.index[name]
		if !known {
			return fmt.Errorf("node %q ran, which the graph does not have", name)
		}
		p.ran = append(p.ran, i)
	}
	p.arrived, err = p.loadJoins(stored.Arrived)
	p.merger, p.step, p.at = p.schema.Merger(s), rec.Step, rec.At
	p.merged()
	return err
}

func (p *replay[S]) merged() {
	if p.each != nil {
		p.each()
	}
}

func (p *replay[S]) takePlan(rec *Record) error {
	if err := p.settle(); err != nil {
		return err
	}
	head, update := state.CutLine(rec.Data)
	if !bytes.Equal(head, p.head) { // a loop repeats its plan
		p.head, p.planned = bytes.Clone(head), storedPlan{}
		if err := json.Unmarshal(head, &p.planned); err != nil {
			return err
		}
	}
	stored := p.planned
	arrived, err := p.loadJoins(stored.Arrived)
	if err != nil {
		return err
	}
	p.arrived, p.open, p.spare = arrived, p.spare, nil
	for _, t := range stored.Tasks {
		if err := p.plan(t); err != nil {
			return err
		}
	}
	p.missing = len(p.open)
	if stored.Done {
		return p.write(0, update, rec.Version)
	}
	return nil
}

func (p *replay[S]) plan(t storedTasks) error {
	i, known := p.index[t.Node]
	if !known || (p.nodes[i].kind == KindTask) != (t.Payloads != nil) {
		return fmt.Errorf("node %q was planned, which the graph does not have in this kind", t.Node)
	}
	n := p.nodes[i]
	if t.Payloads == nil {
		p.open = append(p.open, task[S]{visit: visit[S]{node: n}, pos: len(p.open)})
	}
	for index, data := range t.Payloads {
		payload, err := n.decode(p.codec, data)
		if err != nil {
			return fmt.Errorf("decode payload %d of %q: payload%w", index, t.Node, err)
		}
		p.open = append(p.open, task[S]{visit: visit[S]{n, payload}, index: index, pos: len(p.open)})
	}
	return nil
}

// write takes the update of a finished task.
func (p *replay[S]) write(pos int, data []byte, version int) error {
	if pos >= len(p.open) || p.open[pos].done {
		return errors.New("an update of a task that was not planned")
	}
	u, err := p.schema.DecodeUpdate(p.codec, data, version)
	if err != nil {
		return err
	}
	t := &p.open[pos]
	t.update, t.done, t.size = u, true, len(data)
	p.missing--
	return nil
}

// settle merges the open step once all its updates are there.
func (p *replay[S]) settle() error {
	if p.open == nil || p.missing > 0 {
		return nil
	}
	tasks := p.open
	p.open = nil
	if err := p.position.take(tasks, p.step+1); err != nil {
		return err
	}
	p.step, p.at = p.step+1, p.latest
	clear(tasks)
	p.spare = tasks[:0]
	p.merged()
	return nil
}

// markAsked marks the tasks of the open step that wait for an answer which is not
// given, so that they are not called.
func (p *replay[S]) markAsked(answers *given) error {
	for _, rec := range unanswered(p.questions) {
		if _, has := answers.to(rec.ID); has || rec.Step != p.step+1 || rec.Task >= len(p.open) {
			continue
		}
		q, err := rec.question()
		if err != nil {
			return err
		}
		p.open[rec.Task].asked = []Question{q}
	}
	return nil
}
