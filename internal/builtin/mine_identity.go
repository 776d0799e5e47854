package builtin

import "strings"

// identity reads what a subject is said to be, from i on.
func (g *governed) identity(i int) {
	if g.named(i) && g.items[i].possessive {
		if head, j := g.nounPhrase(i + 1); head != "" && j == i+2 {
			g.all(head+" of", g.who(i))
		}
		return
	}
	head, j := g.nounPhrase(i)
	if head == "" {
		return
	}
	for _, s := range g.subjects {
		g.topic.describe(s, head)
	}
	g.infinitive(j)
	g.attribute(head, j)
	g.participles(j)
}

// all states the same about every subject.
func (g *governed) all(words string, target int) {
	for _, s := range g.subjects {
		g.state(s, words, target, nil)
	}
}

// attribute reads "editor of X" with its preposition at i.
func (g *governed) attribute(head string, i int) {
	prep := g.word(i)
	if !rolePrepositions[prep] || vague[head] || prep == "to" && g.isBase(i+1) {
		return
	}
	next := i + 1
	if _, ok := winners[head]; ok && prep == "of" {
		head, prep = winners[head], ""
	}
	target, after, ok := g.target(next)
	if !ok {
		return
	}
	g.all(strings.TrimSpace(head+" "+prep), target)
	if g.is(after, "and") && g.named(after+1) && prep == "of" && !g.items[after+1].possessive && !g.isSubjectOfVerb(after+1) {
		g.all(head+" of", g.who(after+1))
	}
}

// infinitive reads "first woman to win X" with "to" at i.
func (g *governed) infinitive(i int) {
	base := g.word(i + 1)
	if g.word(i) != "to" || base == "" {
		return
	}
	if base == "become" || base == "be" {
		g.role(i+2, g.subjects)
		return
	}
	if isAdverb(base) || articles[base] {
		return
	}
	next := &governed{relationReader: g.relationReader, subjects: g.subjects, verb: verb{active, pastOf(base), pastOf(base), i + 2}}
	next.complements(i + 2)
}

// participles reads "film directed by X and starring Y" from i on.
func (g *governed) participles(i int) {
	for j := i; j < len(g.items) && j < i+2*maxReach; j++ {
		w := g.word(j)
		switch {
		case clauseWords[w] && w != "and" || g.is(j, ";") || copulas[w]:
			return
		case isParticiple(w) && g.is(j+1, "by"):
			next := &governed{relationReader: g.relationReader, subjects: g.subjects, verb: verb{passive, simplePast(w), w, j + 1}}
			next.complements(j + 1)
			return
		case w == "starring" && (g.named(j + 1)):
			names, _ := g.list(j + 1)
			for _, n := range names {
				g.all("starring", n)
			}
			return
		case g.named(j) && !g.isPlainPlace(j):
			return
		}
	}
}

// isPlainPlace reports whether the name at i only gives a location: "in X", or
// a place after a comma.
func (g *governed) isPlainPlace(i int) bool {
	return g.is(i-1, "in") || g.is(i-1, ",") && g.named(i-2)
}

// modifies reports whether the name at i only describes the following noun: "a
// Nottingham Forest player".
func (r *relationReader) modifies(i int) bool {
	w := r.word(i + 1)
	return w != "" && !prepositions[w] && !clauseWords[w] && !copulas[w] && !auxiliaries[w] && !articles[w] && !isPast(w) &&
		!isParticiple(w) && !isAdverb(w) && !modals[w] && !denials[w] && !pronouns[w] && !strings.HasSuffix(w, "ing")
}

// target returns the name at the end of the noun phrase that starts at i.
func (r *relationReader) target(i int) (who, next int, ok bool) {
	for j := i; j < len(r.items) && j < i+5; j++ {
		if r.named(j) && r.modifies(j) {
			continue
		}
		if r.named(j) {
			return r.who(j), j + 1, !r.items[j].possessive
		}
		w := r.word(j)
		if w == "" || prepositions[w] || clauseWords[w] || copulas[w] {
			return 0, 0, false
		}
	}
	return 0, 0, false
}
