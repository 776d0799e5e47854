package builtin

import "strings"

// identity reads what a subject is said to be, from i on.
func (g *governed) identity(i int) {
	if g.named(i) && g.items[i].possessive {
		if head, j := g.nounPhrase(i + 1); head != "" && (j == i+2 || labelOfNoun(head) == person) {
			g.all(head+" of", g.who(i))
		}
		return
	}
	for range maxRoles {
		head, j := g.nounPhrase(i)
		if head == "" {
			return
		}
		for _, s := range g.subjects {
			g.topic.describe(s, head)
		}
		i = g.afterBrackets(j)
		if w := g.word(i); w == "that" || w == "which" || w == "who" {
			g.predicate(g.subjects, i+1)
			return
		}
		after := g.attribute(head, i)
		g.participles(after, after > i)
		if i = g.nextRole(after, after > i); i == 0 {
			return
		}
	}
}

// maxRoles bounds what a subject is said to be in one clause: "a father, a
// writer and an editor of Y".
const maxRoles = 4

// nextRole returns the position after the "and" or comma at i if another
// description follows, or reads the verb that follows it and returns 0. After a
// name, a comma alone starts a description of that name.
func (g *governed) nextRole(i int, named bool) int {
	next := i
	for g.is(next, ",") || g.is(next, "and") {
		next++
	}
	if next == i || g.word(next) == "" || named && !g.is(next-1, "and") {
		return 0
	}
	if v, ok := g.verbAt(next); ok {
		if g.is(next-1, "and") && v.voice != copula {
			more := &governed{relationReader: g.relationReader, subjects: g.subjects, verb: v}
			more.complements(v.next)
		}
		return 0
	}
	if clauseWords[g.word(next)] || prepositions[g.word(next)] {
		return 0
	}
	return next
}

// all states the same about every subject.
func (g *governed) all(words string, target int) {
	for _, s := range g.subjects {
		g.state(s, words, target, nil)
	}
}

// attribute reads "editor of X" with its preposition at i, and returns the
// position after it.
func (g *governed) attribute(head string, i int) int {
	prep := g.word(i)
	if prep == "by" && labelOfNoun(head) == work {
		return g.maker(head, i+1)
	}
	if !rolePrepositions[prep] || vague[head] || prep == "to" && g.isDeed(i+1) {
		return i
	}
	next := i + 1
	if _, ok := winners[head]; ok && prep == "of" {
		head, prep = winners[head], ""
	}
	target, after, ok := g.target(next)
	if !ok {
		return i
	}
	g.all(strings.TrimSpace(head+" "+prep), target)
	after = g.pastRegions(after)
	if g.is(after, "and") && (g.named(after+1) || plainArticles[g.word(after+1)]) {
		if g.is(after+1, "the") && g.named(after+2) && g.items[after+2].possessive {
			after += 2
		}
		if second, next, ok := g.target(after + 1); ok && next <= after+5 && !g.isSubjectOfVerb(next-1) {
			g.all(strings.TrimSpace(head+" "+prep), second)
			after = next
		}
	}
	return after
}

// maker reads "novel by X" with what follows "by" at i.
func (g *governed) maker(head string, i int) int {
	who, after, ok := g.target(i)
	if !ok {
		return i - 1
	}
	deed := makers[head]
	if deed == "" {
		deed = "made"
	}
	for _, s := range g.subjects {
		g.state(who, deed, s, nil)
	}
	return after
}

// participles reads "film directed by X and starring Y" from i on. Behind
// another name, only what is told of works counts.
func (g *governed) participles(i int, past bool) {
	read := false
	for j := i; j < len(g.items) && j < i+3*maxReach; j++ {
		w := g.word(j)
		if (read || past) && !g.is(j-1, ",") && !g.is(j-1, "and") {
			continue
		}
		switch {
		case clauseWords[w] && w != "and" || g.is(j, ";") || copulas[w]:
			return
		case isParticiple(w) && (!past || made[w]) && (prepositions[g.word(j+1)] || g.is(j+1, "and") && isParticiple(g.word(j+2))):
			next := &governed{relationReader: g.relationReader, subjects: g.subjects, verb: verb{passive, simplePast(w), w, j + 1}}
			next.complements(j + 1)
			read = true
		case w == "starring":
			g.stars(j + 1)
			return
		case !read && g.named(j):
			past = true
		}
	}
}

// stars reads the cast of a film from i on.
func (g *governed) stars(i int) {
	for j := i; j < len(g.items) && j < i+maxReach && !g.is(j, ";"); j++ {
		if !g.named(j) || g.modifies(j) || g.items[j].possessive {
			continue
		}
		names, _ := g.list(j)
		for _, n := range names {
			g.all("starring", n)
		}
		return
	}
}

// modifies reports whether the name at i only describes the following noun: "a
// Nottingham Forest player".
func (s *sentence) modifies(i int) bool {
	w := s.word(i + 1)
	if label := labelOfNoun(w); (label == place || label == organization) && !s.named(i+2) {
		return false // "serves the Grand Strand area"
	}
	return w != "" && !prepositions[w] && !clauseWords[w] && !copulas[w] && !auxiliaries[w] && !articles[w] && !isPast(w) &&
		!isParticiple(w) && !isAdverb(w) && !modals[w] && !denials[w] && !pronouns[w] && !strings.HasSuffix(w, "ing")
}

// target returns the name at the end of the noun phrase that starts at i.
func (r *relationReader) target(i int) (who, next int, ok bool) {
	for j := i; j < len(r.items) && j < i+8; j++ {
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
