package builtin

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// statement is a relation between two members of the cast, stated by one
// sentence.
type statement struct {
	source, target int
	kind, raw      string
	properties     domain.Properties
}

// statements returns the relations that the sentence states.
func (s *sentence) statements(c *cast, t *topic) []statement {
	if len(s.items) == 0 || s.is(len(s.items)-1, "?") {
		return nil
	}
	r := &relationReader{sentence: s, cast: c, topic: t}
	r.opening()
	for i := range s.items {
		if !s.named(i) {
			r.pronoun(i)
			continue
		}
		r.modifier(i)
		r.apposition(i)
		r.genitive(i)
		if first, ok := r.subject(i); ok {
			r.clause(r.subjects(first, i), i+1)
		}
	}
	if slices.ContainsFunc(s.items, func(it sentenceItem) bool { return hedges[it.lower] }) {
		for i := range r.out {
			r.out[i].properties = append(confidence("0.4"), slices.DeleteFunc(r.out[i].properties, isConfidence)...)
		}
	}
	return r.out
}

func confidence(value string) domain.Properties {
	return domain.Properties{{Key: domain.ConfidenceKey, Value: value}}
}

func isConfidence(p domain.Property) bool { return p.Key == domain.ConfidenceKey }

// relationReader collects the statements of one sentence.
type relationReader struct {
	*sentence
	cast  *cast
	topic *topic
	out   []statement
}

// who returns the member of the cast named by the item at i.
func (r *relationReader) who(i int) int { return r.cast.of(r.items[i].mention) }

// state records a relation named by words.
func (r *relationReader) state(source int, words string, target int, p domain.Properties) {
	words = strings.TrimSpace(words)
	kind := strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_", "'", "", "’", "").Replace(words))
	r.out = append(r.out, statement{source: source, target: target, kind: kind, raw: words, properties: p})
}

// subject reports whether the name at i is the subject of its clause, and where
// its noun phrase starts.
func (r *relationReader) subject(i int) (int, bool) {
	if r.items[i].possessive {
		return 0, false
	}
	j := i - 1
	for r.word(j) != "" && !articles[r.word(j)] && !prepositions[r.word(j)] && !clauseWords[r.word(j)] && !isPast(r.word(j)) && !denials[r.word(j)] {
		j-- // "the mason X"
	}
	if articles[r.word(j)] || possessives[r.word(j)] {
		j--
	}
	switch w := r.word(j); {
	case j < 0 || clauseWords[w]:
		return j + 1, !conditions[w]
	case r.items[j].mention >= 0:
		return j + 1, r.items[j].possessive
	case r.is(j, ",") && r.named(j-1) && prepositions[r.word(j-2)] && j > 2 && j+1 == i:
		return 0, false // "in Richmond, California"
	case r.is(j, ",") && r.named(j-1) && r.named(i) && r.isPlace(i):
		return 0, false // "Bert of Carrow, Wisconsin"
	case r.items[j].date != "" || r.is(j, ",") || r.is(j, ";") || r.is(j, ":") || r.is(j, "–") || r.is(j, "-"):
		return j + 1, true
	}
	return 0, false
}

// subjects returns the members of the cast that the clause is about: the name
// at i and those joined to it ("A, B and C").
func (r *relationReader) subjects(first, i int) []int {
	list := []int{r.who(i)}
	if !r.is(first-1, "and") {
		return list
	}
	for j := first - 2; r.named(j) && !r.items[j].possessive; j -= 2 {
		list = append(list, r.who(j))
		if r.is(j-1, ",") && r.named(j-2) {
			continue
		}
		if _, ok := r.subject(j); ok {
			slices.Reverse(list)
			return list
		}
		break
	}
	return list[:1]
}

// opening reads a clause whose subject refers back: "She founded", "The film
// was directed by".
func (r *relationReader) opening() {
	i := 0
	for r.word(i) == "in" && i+1 < len(r.items) && r.items[i+1].date != "" {
		i += 2
		if r.is(i, ",") {
			i++
		}
	}
	switch r.word(i) {
	case "it", "the", "this":
		if who, next, ok := r.topic.thing(r, i); ok {
			r.clause([]int{who}, next)
		}
	}
	if isParticiple(r.word(0)) {
		r.participle()
	}
}

// pronoun reads "he founded" and "his wife X" at i.
func (r *relationReader) pronoun(i int) {
	r.topic.possessive(r, i)
	if w := r.word(i); w == "he" || w == "she" {
		if i > 0 && !r.is(i-1, ",") && !clauseWords[r.word(i-1)] && r.items[i-1].date == "" && r.word(i-1) != "later" || conditions[r.word(i-1)] {
			return
		}
		if who, ok := r.topic.person(w); ok {
			r.clause([]int{who}, i+1)
		}
	}
}

// participle reads "Born in X, Y met": what starts the sentence is said about
// the subject that follows a comma.
func (r *relationReader) participle() {
	for i := 1; i < len(r.items) && i < maxReach; i++ {
		if !r.is(i, ",") {
			continue
		}
		var who int
		ok := false
		if w := r.word(i + 1); w == "he" || w == "she" {
			who, ok = r.topic.person(w)
		} else if r.named(i + 1) {
			_, ok = r.verbAt(i + 2)
			who = r.who(i + 1)
		} else if w == "the" || w == "it" {
			who, _, ok = r.topic.thing(r, i+1)
		}
		if ok {
			w := r.word(0)
			g := &governed{relationReader: &relationReader{sentence: &sentence{span: r.span, items: r.items[:i]}, cast: r.cast, topic: r.topic},
				subjects: []int{who}, verb: verb{passive, simplePast(w), w, 1}}
			g.complements(1)
			r.out = append(r.out, g.out...)
			if _, found := r.subject(i + 1); r.named(i+1) && !found {
				r.clause([]int{who}, i+2)
			}
			return
		}
	}
}

// modifier reads "BBC journalist X" with the organisation at i.
func (r *relationReader) modifier(i int) {
	noun := r.word(i + 1)
	if r.named(i+2) && !r.items[i].possessive && !r.items[i+2].possessive && labelOfNoun(noun) == person &&
		r.cast.list[r.who(i)].label == organization && r.cast.list[r.who(i+2)].label == person {
		r.state(r.who(i+2), noun+" of", r.who(i), nil)
	}
}

// clause reads what is said about subjects from i on.
func (r *relationReader) clause(subjects []int, i int) {
	if r.is(i, ",") && r.is(i-2, ",") && copulas[r.word(i+1)] {
		i++ // "Her husband, X, was"
	}
	if r.is(i, ",") && r.is(i+1, "(") {
		i++
	}
	r.predicate(subjects, r.asides(subjects, i))
}

// asides reads what stands between a subject and its verb: brackets, a
// description between commas, a relative clause. It returns the position of the
// verb.
func (r *relationReader) asides(subjects []int, i int) int {
	i = r.afterBrackets(i)
	if r.word(i) == "who" || r.word(i) == "which" || r.word(i) == "that" {
		r.predicate(subjects, i+1)
		return len(r.items)
	}
	if !r.is(i, ",") {
		return i
	}
	next := r.word(i + 1)
	relative := next == "who" || next == "which"
	if !relative && !articles[next] && !isParticiple(next) && !possessives[next] && labelOfNoun(next) == "" {
		return i
	}
	end := r.closingComma(i + 1)
	switch {
	case relative:
		r.predicate(subjects, i+2)
	case isParticiple(next):
		r.predicate(subjects, i+1)
	}
	if end == 0 {
		return len(r.items)
	}
	return end + 1
}

// maxAside bounds the items in a description between commas.
const maxAside = 16

// closingComma returns the comma that closes an aside opened before i, the
// first one followed by a verb, or 0.
func (r *relationReader) closingComma(i int) int {
	for j := i; j < len(r.items) && j < i+maxAside; j++ {
		if r.is(j, ",") {
			if _, ok := r.verbAt(j + 1); ok {
				return j
			}
		}
	}
	return 0
}

// predicate reads the verb at i and what it governs.
func (r *relationReader) predicate(subjects []int, i int) {
	v, ok := r.verbAt(i)
	if !ok {
		return
	}
	r.topic.subject(subjects)
	g := &governed{relationReader: r, subjects: subjects, verb: v}
	if v.voice == copula {
		g.identity(v.next)
	} else {
		g.complements(v.next)
	}
}
