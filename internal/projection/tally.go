package projection

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// tally is what all that is said of one key adds up to, apart from where it is
// said. What a new document says is added to it; what a document said that goes
// or changes can't be taken off, and has all be read again.
type tally struct {
	Labels map[string]*said `json:"labels"` // by the label that chunks give; titles are under UnknownLabel
}

// said is what is said under one label.
type said struct {
	Chunks     int                       `json:"chunks"` // that give the label
	Forms      map[string]int            `json:"forms"`  // names as written, with how often
	Aliases    map[string]bool           `json:"aliases,omitempty"`
	Properties map[string]map[string]int `json:"properties,omitempty"` // how often by key and value
}

func newTally() *tally { return &tally{Labels: map[string]*said{}} }

// decodeTally is a tally as stored; nil when it can't be read.
func decodeTally(stored string) *tally {
	t := newTally()
	if json.Unmarshal([]byte(stored), t) != nil || len(t.Labels) == 0 {
		return nil
	}
	for _, said := range t.Labels {
		if said == nil || len(said.Forms) == 0 {
			return nil
		}
	}
	return t
}

func (t *tally) encode() (string, error) {
	stored, err := json.Marshal(t)
	return string(stored), err
}

// add counts sources, of whose chunks none has been counted before.
func (t *tally) add(s sources) {
	type vote struct {
		label string
		chunk domain.ChunkID
	}
	voted := map[vote]bool{}
	for _, m := range s.mentions {
		of := t.of(m.Label)
		of.Forms[m.Name]++
		for _, a := range m.Aliases {
			of.Aliases[a] = true
		}
		for _, p := range m.Properties {
			if of.Properties[p.Key] == nil {
				of.Properties[p.Key] = map[string]int{}
			}
			of.Properties[p.Key][p.Value]++
		}
		if v := (vote{m.Label, m.Chunk}); !voted[v] {
			voted[v] = true
			of.Chunks++
		}
	}
	for _, title := range s.titles {
		t.of(domain.UnknownLabel).Forms[title.form]++
	}
}

func (t *tally) of(label string) *said {
	s := t.Labels[label]
	if s == nil {
		s = &said{}
		t.Labels[label] = s
	}
	if s.Forms == nil {
		s.Forms = map[string]int{}
	}
	if s.Aliases == nil {
		s.Aliases = map[string]bool{}
	}
	if s.Properties == nil {
		s.Properties = map[string]map[string]int{}
	}
	return s
}

// best is the label, other than UnknownLabel, that most chunks give; the first
// by name of several; UnknownLabel when there is none.
func (t *tally) best() string {
	best := domain.UnknownLabel
	for _, label := range slices.Sorted(maps.Keys(t.Labels)) {
		if label != domain.UnknownLabel && (best == domain.UnknownLabel || t.Labels[label].Chunks > t.Labels[best].Chunks) {
			best = label
		}
	}
	return best
}

// entities are the labels of the entities that the key has, sorted: what has
// no label joins the best.
func (t *tally) entities() []string {
	labels := map[string]bool{}
	for label := range t.Labels {
		if label == domain.UnknownLabel {
			label = t.best()
		}
		labels[label] = true
	}
	return slices.Sorted(maps.Keys(labels))
}

// take counts what was said of an entity.
func (e *entityFold) take(s *said) {
	for form, n := range s.Forms {
		e.forms[form] += n
	}
	for a := range s.Aliases {
		e.aliases[a] = true
	}
	for key, values := range s.Properties {
		for value, n := range values {
			e.properties[domain.Property{Key: key, Value: value}] += n
		}
	}
}

// tallies are those that the graph has of keys, by key, as far as its entities
// are those that they speak of.
func (w *work) tallies(of map[string][]graphstore.Entity) (map[string]*tally, error) {
	var ids []domain.EntityID
	for _, key := range slices.Sorted(maps.Keys(of)) {
		for _, e := range of[key] {
			ids = append(ids, e.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	stored, err := w.Graph.Tallies(w.ctx, w.workspace, ids)
	if err != nil {
		return nil, err
	}
	found := map[string]*tally{}
	for key, entities := range of {
		if t := w.tallyOf(key, entities, stored); t != nil {
			found[key] = t
		}
	}
	return found, nil
}

// tallyOf is the tally of a key, which stands with the entity of its best
// label; nil when there is none that fits entities.
func (w *work) tallyOf(key string, entities []graphstore.Entity, stored map[domain.EntityID]string) *tally {
	var t *tally
	labels := make([]string, len(entities))
	for i, e := range entities {
		labels[i] = e.Label
		if e.ID != domain.NewEntityID(w.workspace, e.Label, key) {
			return nil // a curator's
		}
		if stored[e.ID] != "" {
			t = decodeTally(stored[e.ID])
		}
	}
	slices.Sort(labels)
	if t == nil || !slices.Equal(labels, t.entities()) {
		return nil
	}
	return t
}
