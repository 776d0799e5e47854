package measure

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/prose"
)

// Rates count what was found, and what that is as shares.
type Rates struct {
	Right  int `json:"right"`
	False  int `json:"false"`
	Missed int `json:"missed"`

	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

func (r *Rates) finish() {
	r.Precision = share(r.Right, r.Right+r.False)
	r.Recall = share(r.Right, r.Right+r.Missed)
	r.F1 = share(2*r.Right, 2*r.Right+r.False+r.Missed)
}

// share returns part/whole, 0 of nothing.
func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// ExtractionScore compares what was extracted with the labels.
type ExtractionScore struct {
	Folder   string `json:"folder"`
	Reader   string `json:"reader"`
	Passages int    `json:"passages"`

	Names     Rates `json:"names"`     // entities, whatever their label
	Entities  Rates `json:"entities"`  // with the right label
	Relations Rates `json:"relations"` // with the right ends, type and sentence

	Unlabelled     float64 `json:"unlabelled"`      // share of the entities found without a label
	LabelPrecision float64 `json:"label_precision"` // share of right labels among the rightly named entities with one
	Sentences      float64 `json:"sentences"`       // share with the right sentence among relations with the right ends and type

	ByLabel map[string]*Rates `json:"by_label"`
	ByType  map[string]*Rates `json:"by_type"` // under the first accepted type; false ones under their own

	Missed []string `json:"missed"`
	False  []string `json:"false"`

	found, bare, labelled, rightLabels, typed, placed int
}

func newExtractionScore(passages int) ExtractionScore {
	return ExtractionScore{Passages: passages, ByLabel: map[string]*Rates{}, ByType: map[string]*Rates{}, Missed: []string{}, False: []string{}}
}

func (s *ExtractionScore) finish() {
	for _, r := range []*Rates{&s.Names, &s.Entities, &s.Relations} {
		r.finish()
	}
	for _, by := range []map[string]*Rates{s.ByLabel, s.ByType} {
		for r := range maps.Values(by) {
			r.finish()
		}
	}
	s.Unlabelled = share(s.bare, s.found)
	s.LabelPrecision = share(s.rightLabels, s.labelled)
	s.Sentences = share(s.placed, s.typed)
}

// at returns the rates under a name.
func at(by map[string]*Rates, name string) *Rates {
	if by[name] == nil {
		by[name] = &Rates{}
	}
	return by[name]
}

// compare adds one passage.
func (s *ExtractionScore) compare(p Labelled, g domain.GraphDocument) {
	gold := s.entities(p, g)
	if p.Relations != nil {
		s.relations(p, g, gold)
	}
}

// isName reports whether an entity's name has a capital: concepts without one
// are not judged.
func isName(name string) bool { return strings.ContainsFunc(name, unicode.IsUpper) }

// entities compares the entities and returns the labelled one of each node, -1
// for none.
func (s *ExtractionScore) entities(p Labelled, g domain.GraphDocument) []int {
	gold := make([]int, len(g.Nodes))
	taken := make([]bool, len(p.Entities))
	for i, n := range g.Nodes {
		key := prose.Key(n.Name)
		gold[i] = slices.IndexFunc(p.Entities, func(e GoldEntity) bool { return e.named(key) })
		if gold[i] < 0 && (p.Drawn || !isName(n.Name)) {
			continue
		}
		s.found++
		if n.Label == domain.UnknownLabel {
			s.bare++
		}
		s.entity(p, n, gold[i], taken)
	}
	for i, e := range p.Entities {
		if !taken[i] && !e.Optional {
			s.Names.Missed++
			s.Entities.Missed++
			at(s.ByLabel, e.Labels[0]).Missed++
			s.Missed = append(s.Missed, fmt.Sprintf("%s: %s (%s)", p.Title, e.Name, e.Labels[0]))
		}
	}
	return gold
}

// entity judges a node that stands for the entity at index gold, or for none.
func (s *ExtractionScore) entity(p Labelled, n domain.GraphNode, gold int, taken []bool) {
	wrong := func() {
		s.Entities.False++
		at(s.ByLabel, n.Label).False++
		s.False = append(s.False, fmt.Sprintf("%s: %s (%s)", p.Title, n.Name, n.Label))
	}
	if gold < 0 || taken[gold] && !p.Entities[gold].Optional {
		s.Names.False++
		wrong()
		return
	}
	e := p.Entities[gold]
	first := !taken[gold]
	taken[gold] = true
	right := slices.Contains(e.Labels, n.Label)
	if n.Label != domain.UnknownLabel && first {
		s.labelled++
		if right {
			s.rightLabels++
		}
	}
	if e.Optional {
		return
	}
	s.Names.Right++
	if right {
		s.Entities.Right++
		at(s.ByLabel, e.Labels[0]).Right++
		return
	}
	wrong()
	s.Entities.Missed++
	at(s.ByLabel, e.Labels[0]).Missed++
	s.Missed = append(s.Missed, fmt.Sprintf("%s: %s is labelled %s instead of %s", p.Title, e.Name, n.Label, e.Labels[0]))
}

// relations compares the relations; gold holds the labelled entity of each
// node. A relation that says again what another one said is not judged.
func (s *ExtractionScore) relations(p Labelled, g domain.GraphDocument, gold []int) {
	list := *p.Relations
	met := make([]bool, len(list))
	for _, r := range g.Relationships {
		if !isName(g.Nodes[r.Source].Name) && gold[r.Source] < 0 || !isName(g.Nodes[r.Target].Name) && gold[r.Target] < 0 {
			continue
		}
		s.relation(p, g, r, gold, met)
	}
	for i, r := range list {
		if !met[i] && !r.Optional {
			s.Relations.Missed++
			at(s.ByType, r.Types[0]).Missed++
			s.Missed = append(s.Missed, fmt.Sprintf("%s: %s %s %s", p.Title, r.Source, r.Types[0], r.Target))
		}
	}
}

func (s *ExtractionScore) relation(p Labelled, g domain.GraphDocument, r domain.GraphRelationship, gold []int, met []bool) {
	typed, again := false, false
	for i, want := range *p.Relations {
		if gold[r.Source] < 0 || gold[r.Target] < 0 || !want.states(p.Entities[gold[r.Source]].Name, r.Type, p.Entities[gold[r.Target]].Name) {
			continue
		}
		typed = true
		if !want.shownBy(r.Spans) {
			continue
		}
		again = true
		if met[i] {
			continue
		}
		met[i] = true
		if !want.Optional {
			s.Relations.Right++
			at(s.ByType, want.Types[0]).Right++
			break
		}
	}
	if typed {
		s.typed++
	}
	if again {
		s.placed++
		return
	}
	s.Relations.False++
	at(s.ByType, r.Type).False++
	s.False = append(s.False, fmt.Sprintf("%s: %s %s %s", p.Title, g.Nodes[r.Source].Name, r.Type, g.Nodes[r.Target].Name))
}

// states reports whether a relation between two entities is this one.
func (r GoldRelation) states(source, kind, target string) bool {
	accepted := func(pattern string) bool { return accepts(pattern, kind) }
	return source == r.Source && target == r.Target && slices.ContainsFunc(r.Types, accepted) ||
		source == r.Target && target == r.Source && slices.ContainsFunc(r.Inverse, accepted)
}

// shownBy reports whether one of the sentences contains the evidence.
func (r GoldRelation) shownBy(sentences []domain.Span) bool {
	return slices.ContainsFunc(sentences, func(s domain.Span) bool {
		return slices.ContainsFunc(r.Evidence, func(e [2]int) bool { return s.Contains(domain.Span{Start: e[0], End: e[1]}) })
	})
}

// accepts reports whether a type has the words of a pattern by their stems:
// WROTE accepts WROTE_COLUMN_FOR. The pattern *_IN accepts every type that ends
// in IN, and * every type. BY turns a relation round, so both have it or
// neither.
func accepts(pattern, kind string) bool {
	words := strings.Split(extract.Type(kind), "_")
	if rest, ok := strings.CutPrefix(pattern, "*"); ok {
		last := strings.TrimPrefix(rest, "_")
		return last == "" || words[len(words)-1] == last
	}
	wanted := strings.Split(pattern, "_")
	if slices.Contains(words, "BY") != slices.Contains(wanted, "BY") {
		return false
	}
	for _, w := range wanted {
		if !slices.ContainsFunc(words, func(x string) bool { return prose.Stem(x) == prose.Stem(w) }) {
			return false
		}
	}
	return true
}

// Sorted returns the names of rates, the most frequent first.
func Sorted(by map[string]*Rates) []string {
	return slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		n := func(r *Rates) int { return r.Right + r.False + r.Missed }
		return cmp.Or(n(by[b])-n(by[a]), strings.Compare(a, b))
	})
}
