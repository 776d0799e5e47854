package resolve

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// An Entity describes an entity for the comparison of names. Other entities are referred to by their index in the list.
type Entity struct {
	ID         domain.EntityID
	Label      string
	Name       string
	Aliases    []string // other names, as written or as keys
	Mentions   int
	Neighbours []int32  // entities with a relation to it, ascending
	Company    []int32  // entities named in the same chunks, ascending
	Born       string   // years, separated by spaces; "" if unknown
	Meaning    *Meaning // embedding of the name; nil without an embedder
}

// A Pair is two entities that may be the same.
type Pair struct {
	A, B     int // indices in the list of entities; A is the better known
	Score    float64
	Pattern  string
	Evidence []Evidence
	Vetoed   bool // never merged by rule, not even through others
}

// Evidence is a reason for a merge, or with negative bits against one. A bit is a
// factor of two in the odds.
type Evidence struct {
	Kind  string
	Words string // a sentence without names
	Bits  float64
}

// floor is the least score of a pair that Match returns.
const floor = 0.2

// Match compares entities and returns the pairs that may be the same, the
// likeliest first. Only names that have something in common are compared, so that
// the time hardly grows faster than their number. What it returns does not depend
// on the order of the entities.
//
// The weights add up as in the theory of record linkage (Fellegi and Sunter 1969): each
// agreement or disagreement counts by the logarithm of how much likelier it is
// between two names of one thing than between names of two. They were set by hand
// and tried on one half of the pairs that package eval makes.
func Match(entities []Entity) []Pair {
	m := matcher{entities: entities, forms: make([][]form, len(entities)), corpus: corpus{map[string]int{}, map[*script]bool{}}}
	for i, e := range entities {
		m.forms[i] = formsOf(e)
		m.corpus.count(m.forms[i])
	}
	var pairs []Pair
	for _, c := range m.candidates() {
		if p, ok := m.pair(int(c[0]), int(c[1])); ok {
			pairs = append(pairs, p)
		}
	}
	m.compete(pairs)
	for i := range pairs {
		pairs[i].Score = score(pairs[i].Evidence)
	}
	pairs = slices.DeleteFunc(pairs, func(p Pair) bool { return p.Score < floor && (!p.Vetoed || p.Pattern == SameMeaning) })
	slices.SortFunc(pairs, func(p, q Pair) int { return ComparePairs(entities, p, q) })
	return pairs
}

// ComparePairs orders pairs of entities by their score, the likeliest first.
func ComparePairs(entities []Entity, p, q Pair) int {
	return cmp.Or(cmp.Compare(q.Score, p.Score), cmp.Compare(entities[p.A].ID, entities[q.A].ID), cmp.Compare(entities[p.B].ID, entities[q.B].ID))
}

// Hear adds a reason to the evidence for and against the pair.
func (p *Pair) Hear(e Evidence) {
	p.Evidence = append(p.Evidence, e)
	p.Score = score(p.Evidence)
}

func score(evidence []Evidence) float64 {
	return math.Round(1000/(1+math.Exp2(-sumBits(evidence)))) / 1000
}

func sumBits(evidence []Evidence) float64 {
	return lists.Sum(evidence, func(e Evidence) float64 { return e.Bits })
}

type matcher struct {
	entities []Entity
	forms    [][]form
	corpus   corpus
}

// formsOf returns the names of an entity taken apart, its own first.
func formsOf(e Entity) []form {
	forms := []form{parse(e.Name)}
	for _, alias := range e.Aliases {
		f := parse(alias)
		f.alias = true
		if len(forms) < maxForms && len(f.words) > 0 && !slices.ContainsFunc(forms, func(g form) bool { return g.key == f.key }) {
			forms = append(forms, f)
		}
	}
	return forms
}

// count counts the words of an entity's names, each once.
func (c corpus) count(forms []form) {
	seen := map[string]bool{}
	for _, f := range forms {
		if s := scriptOf(f.words); s != nil {
			c.scripts[s] = true
		}
		for _, w := range f.words {
			if !seen[w] {
				seen[w] = true
				c.of[w]++
			}
		}
	}
}

// candidates returns the pairs whose names have a block in common, or nearly the
// same meaning.
func (m *matcher) candidates() [][2]int32 {
	pairs := append(m.corpus.candidates(m.forms), neighbours(m.entities)...)
	slices.SortFunc(pairs, func(x, y [2]int32) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
	return slices.Compact(pairs)
}

// pair compares two entities.
func (m *matcher) pair(i, j int) (Pair, bool) {
	a, b := &m.entities[i], &m.entities[j]
	if betterKnown(*b, *a) {
		i, j = j, i
	}
	r, ok := m.compareForms(i, j)
	if !ok && !m.compareMeanings(&r, i, j) {
		return Pair{}, false
	}
	m.compareInGraph(&r, i, j)
	slices.SortStableFunc(r.reasons, func(x, y Evidence) int { return cmp.Compare(math.Abs(y.Bits), math.Abs(x.Bits)) })
	return Pair{A: i, B: j, Pattern: r.pattern, Evidence: r.reasons, Vetoed: r.vetoed}, true
}

// betterKnown reports whether a merge of the two keeps the name of a: the one
// with more mentions, without a title, with the longer name.
func betterKnown(a, b Entity) bool {
	if a.Mentions != b.Mentions {
		return a.Mentions > b.Mentions
	}
	x, y := len(parse(a.Name).title), len(parse(b.Name).title)
	return cmp.Or(cmp.Compare(x, y), cmp.Compare(len(b.Name), len(a.Name)), cmp.Compare(a.ID, b.ID)) < 0
}

// compareForms compares the names of two entities and returns the comparison that speaks most for a merge. If their
// main names tell them apart, so does the result.
func (m *matcher) compareForms(i, j int) (best comparison, ok bool) {
	a, b := m.forms[i], m.forms[j]
	person := m.entities[i].Label == person || m.entities[j].Label == person
	for x := range a {
		for y := range b {
			r, fits := m.compareTwo(a[x], b[y], person)
			if !fits {
				continue
			}
			if x == 0 && y == 0 && r.vetoed {
				return r, true
			}
			if !ok || r.bits() > best.bits() {
				best, ok = r, true
			}
		}
	}
	if ok && best.pattern == Alias {
		distinguish(&best, a[0], b[0])
	}
	return best, ok
}

// person is the label of people.
const person = "Person"

func (m *matcher) compareTwo(a, b form, isPerson bool) (comparison, bool) {
	if !a.alias && !b.alias {
		return m.corpus.compare(a, b, isPerson)
	}
	var r comparison
	if a.key == b.key {
		r.pattern = Alias
		switch {
		case a.alias && b.alias:
			r.vetoed = true
			r.add("name", -1, "Both share another name.")
		case len(a.content()) > 1:
			r.add("name", 6, "A document uses the other's name for one of them.")
		case a.capitals || b.capitals:
			r.add("name", 4.5, "A document uses the other's name, an acronym, for one of them.")
		default:
			r.add("name", 1, "A document uses the other's short name for one of them.")
		}
		return r, true
	}
	if a.alias && b.alias {
		return r, false
	}
	r, ok := m.corpus.compare(a, b, isPerson)
	r.add("other name", -1, "Only another name of one of them is similar.")
	return r, ok
}

// compareInGraph adds the evidence of the graph about the two.
func (m *matcher) compareInGraph(r *comparison, i, j int) {
	a, b := &m.entities[i], &m.entities[j]
	switch {
	case a.Label == domain.UnknownLabel || b.Label == domain.UnknownLabel:
	case a.Label == b.Label:
		r.add("label", 0.5, "Both have the same label.")
	case a.Label == person || b.Label == person:
		r.vetoed = true
		r.add("label", -5, "Only one of them is labelled as a person.")
	case r.pattern == SameName:
		r.add("label", 3, "Neither label is a person's, and labels are often guesses.")
	default:
		r.add("label", -2.5, "They have different labels.")
	}
	if a.Born != "" && b.Born != "" && a.Born != b.Born {
		r.vetoed = true
		r.add("born", -10, "They were born in different years.")
	}
	if r.pattern == Typo && min(a.Mentions, b.Mentions) > 2 {
		r.add("use", -2, "Both spellings are used several times.")
	}
	_, related := slices.BinarySearch(a.Neighbours, int32(j))
	if related {
		r.add("relation", -4, "A sentence relates the two to each other.")
	}
	together := m.together(r, i, j)
	m.sharedNeighbours(r, i, j)
	m.sharedCompany(r, i, j, together)
}

// together adds that one passage names both, and reports it. The evidence is against a merge if a passage would hardly
// use two such names for one thing.
func (m *matcher) together(r *comparison, i, j int) bool {
	if _, found := slices.BinarySearch(m.entities[i].Company, int32(j)); !found {
		return false
	}
	switch {
	case r.pattern == Acronym || r.pattern == Alias:
		r.add("together", 1.5, "Both names occur in one passage.")
	case r.pattern == ShortName && r.vetoed:
		r.add("together", -3, "Both names occur in one passage.")
	default:
		r.add("together", -1.5, "Both names occur in one passage.")
	}
	return true
}

// sharedNeighbours adds how many entities both have relations with.
func (m *matcher) sharedNeighbours(r *comparison, i, j int) {
	shared, weight := 0, 0.0
	for _, n := range intersection(m.entities[i].Neighbours, m.entities[j].Neighbours) {
		shared++
		weight += 1 / (1 + math.Log2(1+float64(len(m.entities[n].Neighbours))/4))
	}
	switch shared {
	case 0:
	case 1:
		r.add("neighbours", 1+weight, "Both have a relation to the same entity.")
	default:
		r.add("neighbours", min(4.5, 1.5+weight), "Both have relations to "+counted(shared, "same entities")+".")
	}
}

func counted(n int, what string) string { return decimal(n) + " of the " + what }

// sharedCompany adds how many entities are named in passages of both. Two that a
// passage names together have company in common in any case.
func (m *matcher) sharedCompany(r *comparison, i, j int, together bool) {
	a, b := m.entities[i].Company, m.entities[j].Company
	shared := intersection(a, b)
	least := min(len(a), len(b))
	switch {
	case least > 5 && len(shared) == 0:
		r.add("company", -1.5, "The passages of the two have no names in common.")
	case len(shared) > 0:
		rare := 0.0
		for _, n := range shared {
			rare += 1 / (1 + math.Log2(1+float64(len(m.entities[n].Company))/16))
		}
		most := 3.0
		if together {
			most = 1
		}
		r.add("company", min(most, rare*(0.3+1.2/math.Sqrt(float64(least)))), "Their passages name "+counted(len(shared), "same entities")+".")
	}
}

// intersection returns the numbers that both ascending lists have.
func intersection(a, b []int32) (both []int32) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			both = append(both, a[0])
			a, b = a[1:], b[1:]
		}
	}
	return both
}

// compete adds to pairs in which one name abbreviates the other how many others
// it could abbreviate as well.
func (m *matcher) compete(pairs []Pair) {
	rivals := map[int][]int{} // the pairs by the entity with the shorter name
	alike := map[[2]int]bool{}
	for i, p := range pairs {
		if !p.Vetoed && score(p.Evidence) > 0.5 {
			alike[[2]int{min(p.A, p.B), max(p.A, p.B)}] = true
		}
		switch p.Pattern {
		case Initials, Acronym, ShortName, Alias, Title:
			brief, _ := m.briefer(p)
			rivals[brief] = append(rivals[brief], i)
		}
	}
	for brief, of := range rivals {
		if len(of) < 2 {
			continue
		}
		before := lists.Map(of, func(i int) float64 { return score(pairs[i].Evidence) })
		for k, i := range of {
			n := m.rivalsOf(pairs, before, of, k, brief, alike)
			if n > 0 {
				pairs[i].Evidence = append(pairs[i].Evidence, Evidence{
					Kind: "rivals", Bits: -1.5 - 1.5*math.Log2(float64(n+1)), Words: "The shorter name fits " + counted(n+1, "entities") + ".",
				})
			}
		}
	}
}

// rivalsOf counts the pairs that fit the shorter name hardly worse than pair k,
// without entities that are probably the same as the one in it.
func (m *matcher) rivalsOf(pairs []Pair, before []float64, of []int, k, brief int, alike map[[2]int]bool) int {
	_, long := m.briefer(pairs[of[k]])
	n := 0
	for l, j := range of {
		if l == k || pairs[j].Vetoed || before[l] < before[k]/4 {
			continue
		}
		_, other := m.briefer(pairs[j])
		if !alike[[2]int{min(long, other), max(long, other)}] {
			n++
		}
	}
	return n
}

// briefer returns the entity of a pair with the shorter name, and the other one.
func (m *matcher) briefer(p Pair) (brief, long int) {
	a, b := m.forms[p.A][0].key, m.forms[p.B][0].key
	if cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) <= 0 {
		return p.A, p.B
	}
	return p.B, p.A
}
