package builtin

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// statement is a relation between two members of the cast, stated by one
// sentence.
type statement struct {
	source, target int
	kind, raw      string
	properties     domain.Properties
	when           domain.Span // of its verb's date; may be empty
}

// statements returns the relations that the sentence states.
func (s *sentence) statements(c *cast, t *topic) []statement {
	if len(s.items) == 0 || s.is(len(s.items)-1, "?") {
		return nil
	}
	r := &relationReader{sentence: s, cast: c, topic: t}
	r.front = r.fronted()
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
	front domain.Span // of the date at the start of the sentence, for its first clause; may be empty
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

// participle reads "Born in X, Y met": the start of the sentence describes the subject after the comma.
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

// clause reads the statements about subjects, starting at i.
func (r *relationReader) clause(subjects []int, i int) {
	if r.is(i, ",") && r.is(i-2, ",") && copulas[r.word(i+1)] {
		i++ // "Her husband, X, was"
	}
	if r.is(i, ",") && r.is(i+1, "(") {
		i++
	}
	front := r.front
	r.front = domain.Span{}
	i = r.asides(subjects, i)
	first := len(r.out)
	r.predicate(subjects, i)
	r.date(first, front)
}

// openEnded contains the words before the time at which something began or ended.
var openEnded = prose.Set("since until")

// fronted returns the date that the sentence begins with: "In May 1890, ", "On 3 May 1890", "Since 1890", "From 1890 to 1902".
func (r *relationReader) fronted() domain.Span {
	if w := r.word(0); (w == "in" || w == "on" || lasting[w]) && len(r.items) > 1 && r.items[1].date != "" {
		return r.items[1].at
	}
	return domain.Span{}
}

// date gives the statements from first on a date, unless they have one.
func (r *relationReader) date(first int, at domain.Span) {
	for i := first; i < len(r.out); i++ {
		if r.out[i].when.Empty() {
			r.out[i].when = at
		}
	}
}

// lasting contains the words before the time during which somebody was something.
var lasting = prose.Set("from between since until")

// during dates the statements from first on by the time at i, or by the one behind a place at i: "director of X in Y
// from 1890 to 1902".
func (r *relationReader) during(first, i int) {
	if (r.word(i) == "in" || r.word(i) == "at") && r.named(i+1) {
		i = r.pastRegions(i + 2)
	}
	if lasting[r.word(i)] && i+1 < len(r.items) && r.items[i+1].date != "" {
		r.date(first, r.items[i+1].at)
	}
}

// asides reads the asides between a subject and its verb: brackets, a description between commas, a relative clause. It
// returns the position of the verb.
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

// apposition reads a description after the name at i: "X, editor of Y,".
func (r *relationReader) apposition(i int) {
	if r.items[i].possessive || !r.is(i+1, ",") || r.word(i+2) == "" || !r.describes(i+2) {
		return
	}
	head, j := r.nounPhrase(i + 2)
	if head == "" || vague[head] || !rolePrepositions[r.word(j)] || isPast(head) {
		return
	}
	target, next, ok := r.target(j + 1)
	if !ok || !r.closes(next) {
		return
	}
	r.state(r.who(i), head+" "+r.word(j), target, nil)
}

// describes reports whether a description can start at i: with an article, or
// with the bare noun of an office.
func (r *relationReader) describes(i int) bool {
	w := r.word(i)
	return articles[w] || labelOfNoun(w) == person || kin[w]
}

// closes reports whether an aside ends at i.
func (r *relationReader) closes(i int) bool {
	return i >= len(r.items) || r.is(i, ",") || r.is(i, ".") || r.is(i, ";") || r.is(i, ")")
}

// genitive reads "X's widow, Y" and "X's film Y" with X at i.
func (r *relationReader) genitive(i int) {
	if !r.items[i].possessive {
		return
	}
	r.inclusion(r.who(i), i+1)
	j := i + 1
	noun := ""
	for ; j < i+4 && r.word(j) != "" && !prepositions[r.word(j)] && !clauseWords[r.word(j)] && !isPast(r.word(j)); j++ {
		noun = r.word(j)
	}
	r.ownedBy(noun, j, r.who(i))
}

// ownedBy states that the name at j, or after the comma at j, is the noun of
// owner.
func (r *relationReader) ownedBy(noun string, j, owner int) {
	if !kin[noun] && labelOfNoun(noun) != work {
		return
	}
	if r.is(j, ",") {
		j++
		if !r.named(j) || !r.closes(j+1) {
			return
		}
	}
	if r.named(j) && !r.items[j].possessive {
		r.state(r.who(j), noun+" of", owner, nil)
	}
}

// inclusion reads what owner includes, starting at i: "films include A and B".
func (r *relationReader) inclusion(owner, i int) {
	if v, ok := r.enumeration(i); ok {
		g := &governed{relationReader: r, subjects: []int{owner}, verb: v}
		g.complements(v.next)
	}
}

// enumeration reads a noun and the verb that enumerates: "lineup consists".
func (r *relationReader) enumeration(i int) (verb, bool) {
	noun := ""
	for j := i; j < i+8 && r.word(j) != ""; j++ {
		w := r.word(j)
		switch {
		case noun != "" && including[w]:
			return verb{active, noun + " " + w, "", j + 1}, true
		case prepositions[w] || clauseWords[w] && w != "and" || copulas[w] || isPast(w):
			return verb{}, false
		case !isAdverb(w):
			noun = w
		}
	}
	return verb{}, false
}

// identity reads the nouns that a subject is said to be, starting at i.
func (g *governed) identity(i int) {
	if g.named(i) && g.items[i].possessive {
		if head, j := g.nounPhrase(i + 1); head != "" && (j == i+2 || labelOfNoun(head) == person) {
			first := len(g.out)
			g.all(head+" of", g.who(i))
			g.during(first, j)
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
		first := len(g.out)
		after := g.attribute(head, i)
		g.during(first, after)
		g.participles(after, after > i)
		if i = g.nextRole(after, after > i); i == 0 {
			return
		}
	}
}

// maxRoles is the maximum number of roles of a subject in one clause: "a father, a writer and an editor of Y".
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

// maker reads "novel by X", where i is the position of "by".
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

// participles reads "film directed by X and starring Y" from i on. Behind another name, only statements about works
// count.
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

// voice is how a verb connects its subject to what follows.
type voice uint8

const (
	active  voice = iota
	passive       // the agent follows "by"
	copula        // the subject equals the complement
)

// verb is a verb as used in a sentence.
type verb struct {
	voice voice
	past  string // the relation's word, in lower case
	done  string // the participle of a passive, used if no agent is named
	next  int    // the following position
}

// verbAt reads the verb group at i: auxiliaries, adverbs and the verb. Anything
// negated or merely possible is not a verb.
func (s *sentence) verbAt(i int) (verb, bool) {
	for ; isAdverb(s.word(i)); i++ {
		if doubts[s.word(i)] {
			return verb{}, false
		}
	}
	i = s.afterAdverbs(i)
	w := s.word(i)
	switch {
	case w == "" || denials[w] || modals[w]:
		return verb{}, false
	case copulas[w]:
		return s.afterBe(i + 1)
	case auxiliaries[w]:
		return s.afterHave(i + 1)
	case isParticiple(w) && s.is(s.afterAdverbs(i+1), "by"), w == "born":
		return verb{passive, simplePast(w), w, i + 1}, true
	case isPast(w) || presents[w]:
		return verb{active, w, w, i + 1}, true
	}
	return verb{}, false
}

// afterBe reads what follows a form of "be": a passive or a copula.
func (s *sentence) afterBe(i int) (verb, bool) {
	i = s.afterAdverbs(i)
	w := s.word(i)
	switch {
	case denials[w]:
		return verb{}, false
	case w == "being" || w == "been":
		return s.afterBe(i + 1)
	case isParticiple(w):
		return verb{passive, simplePast(w), w, i + 1}, true
	case strings.HasSuffix(w, "ing") && len(w) > 4:
		return verb{}, false
	}
	return verb{copula, "", "", i}, true
}

// afterHave reads what follows the auxiliary "have".
func (s *sentence) afterHave(i int) (verb, bool) {
	i = s.afterAdverbs(i)
	switch w := s.word(i); {
	case w == "been":
		return s.afterBe(i + 1)
	case isParticiple(w):
		return verb{active, simplePast(w), w, i + 1}, true
	}
	return verb{}, false
}

// isPast reports whether a word is in the past tense.
func isPast(word string) bool {
	if _, ok := irregularPast[word]; ok {
		return true
	}
	return isRegularPast(word)
}

// isParticiple reports whether a word can follow "was" in a passive.
func isParticiple(word string) bool {
	if _, ok := irregularParticiple[word]; ok {
		return true
	}
	return isRegularPast(word)
}

func isRegularPast(word string) bool {
	return len(word) > 4 && strings.HasSuffix(word, "ed") && !notPast[word] && !strings.HasSuffix(word, "eed")
}

// simplePast returns the past tense of a participle's verb.
func simplePast(participle string) string {
	if past, ok := irregularParticiple[participle]; ok {
		return past
	}
	return participle
}
