package fold

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// A Tally counts the statements about one key, without their places. The statements of a new document can be added to
// it, and subtracted again while they are remembered.
type Tally struct {
	Labels map[string]*LabelTally `json:"labels"` // by the label that chunks give; titles are under UnknownLabel
}

// LabelTally counts the statements under one label.
type LabelTally struct {
	Chunks     int                       `json:"chunks"`               // that give the label
	Hinted     int                       `json:"hinted,omitempty"`     // of those, that name it only by rule, beside a model's names
	ByRule     int                       `json:"by_rule,omitempty"`    // mentions that only lead to the chunk, and titles; Forms counts them too
	Forms      map[string]int            `json:"forms"`                // how often by name as written
	Aliases    map[string]int            `json:"aliases,omitempty"`    // how often
	Properties map[string]map[string]int `json:"properties,omitempty"` // how often by key and value
}

// Count returns the tally of sources.
func Count(s Sources) *Tally {
	t := &Tally{Labels: map[string]*LabelTally{}}
	t.Add(s)
	return t
}

// DecodeTally returns a stored tally, or nil if it is malformed.
func DecodeTally(stored string) *Tally {
	t := &Tally{Labels: map[string]*LabelTally{}}
	if json.Unmarshal([]byte(stored), t) != nil || len(t.Labels) == 0 {
		return nil
	}
	for _, label := range t.Labels {
		if label == nil || len(label.Forms) == 0 {
			return nil
		}
	}
	return t
}

// Encode returns the tally in the form that is stored.
func (t *Tally) Encode() (string, error) {
	stored, err := json.Marshal(t)
	return string(stored), err
}

// Add counts sources. None of their chunks may have been counted before.
func (t *Tally) Add(s Sources) {
	type vote struct {
		label string
		chunk domain.ChunkID
	}
	listed := map[vote]bool{} // whether the chunk lists the name so
	for _, m := range s.Mentions {
		of := t.of(m.Label)
		of.Forms[m.Name]++
		if m.ByRule {
			of.ByRule++
		}
		for _, a := range m.Aliases {
			of.Aliases[a]++
		}
		for _, p := range m.Properties {
			if of.Properties[p.Key] == nil {
				of.Properties[p.Key] = map[string]int{}
			}
			of.Properties[p.Key][p.Value]++
		}
		v := vote{m.Label, m.Chunk}
		listed[v] = listed[v] || !m.ByRule
	}
	for v, lists := range listed {
		of := t.of(v.label)
		of.Chunks++
		if !lists {
			of.Hinted++
		}
	}
	for _, title := range s.Titles {
		of := t.of(domain.UnknownLabel)
		of.Forms[title.Form]++
		of.ByRule++
	}
}

// Subtract takes back what was added by the tally of sources.
func (t *Tally) Subtract(gone *Tally) {
	for label, l := range gone.Labels {
		of := t.of(label)
		of.Chunks, of.Hinted, of.ByRule = of.Chunks-l.Chunks, of.Hinted-l.Hinted, of.ByRule-l.ByRule
		subtract(of.Forms, l.Forms)
		subtract(of.Aliases, l.Aliases)
		for key, values := range l.Properties {
			if subtract(of.Properties[key], values); len(of.Properties[key]) == 0 {
				delete(of.Properties, key)
			}
		}
		if len(of.Forms) == 0 {
			delete(t.Labels, label)
		}
	}
}

// subtract takes counts from others, and deletes what is not counted any more.
func subtract(from, gone map[string]int) {
	for what, n := range gone {
		if left := from[what] - n; left > 0 {
			from[what] = left
		} else {
			delete(from, what)
		}
	}
}

// listed reports whether anything but a rule and titles names it so.
func (l *LabelTally) listed() bool {
	n := 0
	for _, times := range l.Forms {
		n += times
	}
	return n > l.ByRule
}

func (t *Tally) of(label string) *LabelTally {
	l := t.Labels[label]
	if l == nil {
		l = &LabelTally{}
		t.Labels[label] = l
	}
	if l.Forms == nil {
		l.Forms = map[string]int{}
	}
	if l.Aliases == nil {
		l.Aliases = map[string]int{}
	}
	if l.Properties == nil {
		l.Properties = map[string]map[string]int{}
	}
	return l
}

// Best returns the label, other than UnknownLabel, that most chunks give; the
// first by name in a tie. It returns UnknownLabel if there is none, or if three
// times as many chunks or more list the name without one: the few that give one
// are mostly wrong.
func (t *Tally) Best() string {
	best := domain.UnknownLabel
	for _, label := range slices.Sorted(maps.Keys(t.Labels)) {
		if label != domain.UnknownLabel && (best == domain.UnknownLabel || t.Labels[label].Chunks > t.Labels[best].Chunks) {
			best = label
		}
	}
	if without := t.Labels[domain.UnknownLabel]; without != nil && best != domain.UnknownLabel && without.Chunks-without.Hinted >= 3*t.Labels[best].Chunks {
		return domain.UnknownLabel
	}
	return best
}

// EntityLabels returns the labels of the key's entities, sorted.
func (t *Tally) EntityLabels() []string {
	labels := map[string]bool{}
	best := t.Best()
	for label := range t.Labels {
		labels[joined(label, best)] = true
	}
	return slices.Sorted(maps.Keys(labels))
}

// joined returns the label of the entity that mentions with a label belong to: those without one join the best, and all
// are of one entity if there is no best.
func joined(label, best string) string {
	if label == domain.UnknownLabel || best == domain.UnknownLabel {
		return best
	}
	return label
}

// BestLabel returns the best label of mentions of one key, see Tally.Best.
func BestLabel(mentions []ledger.MentionRow) string { return Count(Sources{Mentions: mentions}).Best() }
