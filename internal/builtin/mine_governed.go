package builtin

import (
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// governed reads the names governed by a verb.
type governed struct {
	*relationReader
	subjects []int
	verb     verb

	object  string // head of the object if it is a common noun
	direct  []int  // the objects that are names
	prep    string // the current preposition
	noun    string // last common noun
	inner   bool   // inside a phrase governed by another noun
	found   []int  // indices in out of the verb's statements
	covered int    // items read since the verb

	date domain.Span // before the names; may be empty
}

// maxReach bounds the distance between a verb and a name, in items.
const maxReach = 14

// near is the maximum number of items between a verb and a name that certainly belong together.
const near = 9

// complements reads objects and prepositional phrases from i on.
func (g *governed) complements(i int) {
	for i < len(g.items) && g.covered < maxReach {
		next, more := g.one(i)
		if !more {
			break
		}
		g.covered += next - i
		i = next
	}
}

// one reads the item at i and reports whether the clause continues.
func (g *governed) one(i int) (int, bool) {
	it, w := g.items[i], g.word(i)
	switch {
	case it.mention >= 0:
		return g.name(i)
	case it.date != "":
		g.when(i)
		return i + 1, true
	case w == "and":
		return g.conjunct(i + 1)
	case g.is(i, ",") && g.goesOn(i+1):
		return g.conjunct(i + 1)
	case w == "as":
		return g.role(i+1, g.subjects)
	case openEnded[w] && i+1 < len(g.items) && g.items[i+1].date != "": // no clause follows
		return i + 1, true
	case w == "" && !g.is(i, "("), clauseWords[w] || denials[w] || modals[w] || copulas[w] || w == "to" && g.isDeed(i+1):
		return i, false
	case g.is(i, "("):
		end := g.afterBrackets(i)
		return end, end > i
	case prepositions[w]:
		if prepositions[g.word(i+1)] {
			return i, false
		}
		g.preposition(w)
	case !articles[w] && !possessives[w] && !pronouns[w] && !isAdverb(w) && !strings.ContainsAny(w, "0123456789"):
		g.noun = w
	}
	return i + 1, true
}

// goesOn reports whether another verb of the same subjects follows the comma
// before i: an active one with a name as its object.
func (g *governed) goesOn(i int) bool {
	for g.word(i) == "and" || g.word(i) == "then" {
		i++
	}
	v, ok := g.verbAt(i)
	return ok && v.voice == active && (g.named(v.next) || plainArticles[g.word(v.next)] && g.named(v.next+1))
}

// isDeed reports whether the word at i, after "to", looks like a verb: what was tried, planned or refused is not a fact.
func (g *governed) isDeed(i int) bool {
	w := g.word(i)
	return g.isBase(i) || w != "" && !articles[w] && !possessives[w] && !pronouns[w] && labelOfNoun(w) == "" && !isAdverb(w) && !strings.HasSuffix(w, "ern") &&
		(g.named(i+1) || articles[g.word(i+1)] || possessives[g.word(i+1)])
}

// isBase reports whether the word at i looks like a base form.
func (g *governed) isBase(i int) bool {
	w := g.word(i)
	_, irregular := irregularBase[w]
	return irregular || presents[w+"s"]
}

// preposition starts a prepositional phrase. What is done to a name belongs to the
// relation: "paid for the repair of".
func (g *governed) preposition(w string) {
	if w == "of" && deeds[g.noun] && g.prep != "" && g.object == "" && len(g.direct) == 0 && !g.inner {
		g.prep, g.noun = g.prep+" "+g.noun+" of", ""
		return
	}
	if g.prep == "" && g.object == "" && len(g.direct) == 0 {
		g.object = g.noun
	}
	g.inner = g.inner || g.prep != "" && g.noun != "" && !far[w]
	g.prep, g.noun = w, ""
}

// name reads a name governed by the verb and the names listed with it.
func (g *governed) name(i int) (int, bool) {
	if g.items[i].possessive {
		g.noun, g.object = "", ""
		g.inner = true
		return i + 1, true
	}
	names, next := g.list(i)
	receives := g.prep == "" && possessives[g.word(next)] // "sold X her press"
	if !g.inner && !receives && (!g.modifies(i) || g.prep == "" && g.cast.list[names[0]].label != place && g.cast.list[names[0]].label != organization && g.cast.list[names[0]].label != event) {
		g.govern(names)
	}
	if g.prep == "" {
		g.direct = append(g.direct, names...)
	}
	g.noun, g.inner = "", false
	return g.pastRegions(next), true
}

// pastRegions returns the position after the regions that locate the place before i: "in Vernon, British Columbia".
func (r *relationReader) pastRegions(i int) int {
	for r.is(i, ",") && r.named(i+1) && r.named(i-1) && r.isPlace(i-1) && r.isPlace(i+1) {
		i += 2
	}
	return i
}

// isPlace reports whether the name at i is a place.
func (r *relationReader) isPlace(i int) bool { return r.cast.list[r.who(i)].label == place }

// list returns the names from i on that are joined by commas and "and".
func (g *governed) list(i int) ([]int, int) {
	names := []int{g.who(i)}
	first := g.afterRemark(names[0], i+1)
	j := first
	remarks := j > i+1
	var more []int
	for g.is(j, ",") {
		next := j + 1
		if !g.named(next) || g.items[next].possessive {
			break
		}
		more = append(more, g.who(next))
		j = g.afterRemark(g.who(next), next+1)
		remarks = remarks && j > next+1
	}
	closing := j
	if g.is(j, ",") && g.is(j+1, "and") {
		j++
	}
	last := j + 1
	if plainArticles[g.word(last)] {
		last++
	}
	if g.is(j, "and") && g.named(last) && !g.items[last].possessive && !g.isSubjectOfVerb(last) {
		return append(append(names, more...), g.who(last)), g.afterRemark(g.who(last), last+1)
	}
	if remarks && len(more) > 0 {
		return append(names, more...), closing
	}
	return names, first
}

// afterRemark returns the position after a list's remark on the name before i: "(2002) as Jared Nomak", and states who
// appeared as whom.
func (g *governed) afterRemark(name, i int) int {
	i = g.afterBrackets(i)
	if !g.is(i, "as") || !g.named(i+1) || g.items[i+1].possessive || !g.closes(i+2) && !g.is(i+2, "and") {
		return i
	}
	actors := g.subjects
	if g.cast.list[name].label == person {
		actors = []int{name}
	}
	for _, a := range actors {
		if g.cast.list[a].label == person && g.cast.list[g.who(i+1)].votes.mayBe(person) {
			g.state(a, "appeared as", g.who(i+1), nil)
		}
	}
	return i + 2
}

// isSubjectOfVerb reports whether a verb follows the name at i, which then
// starts its own clause.
func (g *governed) isSubjectOfVerb(i int) bool {
	v, ok := g.verbAt(i + 1)
	return ok && (v.voice != passive || copulas[g.word(i+1)])
}

// govern states the verb's relations between names.
func (g *governed) govern(names []int) {
	words, agent := g.words()
	if words == "" {
		return
	}
	var p domain.Properties
	if g.covered > near {
		p = confidence("0.7")
	}
	for _, subject := range g.subjects {
		for _, name := range names {
			g.found = append(g.found, len(g.out))
			if agent {
				g.state(name, words, subject, p)
			} else {
				g.state(subject, words, name, p)
			}
			g.out[len(g.out)-1].when = g.date
		}
	}
}

// words returns the words of the relation between the subject and the current
// name, and whether the name is the agent.
func (g *governed) words() (words string, agent bool) {
	past := g.verb.past
	if g.verb.voice == passive {
		past = g.verb.done
	}
	switch {
	case g.verb.voice == passive && g.prep == "by":
		if g.object != "" || g.inner {
			return "", false
		}
		return g.verb.past, true
	case g.prep == "":
		if g.verb.voice == passive {
			return "", false
		}
		return past, false
	case g.prep == "by" || timely[g.prep]:
		return "", false
	case len(g.direct) > 0 && (g.prep == "of" || g.prep == "in"):
		return "", false
	case g.object != "":
		return past + " " + g.object + " " + g.prep, false
	}
	return past + " " + g.prep, false
}

// when dates the verb's statements, both earlier and later ones. A date behind an article is that of what follows: "the 2019
// series".
func (g *governed) when(i int) {
	adjective := articles[g.word(i-1)] || possessives[g.word(i-1)]
	if len(g.found) == 0 && g.date.Empty() && !adjective {
		g.date = g.items[i].at
	}
	for _, at := range g.found {
		st := &g.out[at]
		if st.when.Empty() && !adjective {
			st.when = g.items[i].at
		}
		if len(st.properties) == 0 {
			st.properties = domain.Properties{{Key: "date", Value: g.items[i].date}}
		}
	}
	g.noun = ""
}

// conjunct reads what follows "and": another verb with the same subject.
func (g *governed) conjunct(i int) (int, bool) {
	for g.word(i) == "and" || g.word(i) == "then" {
		i++
	}
	if v, ok := g.verbAt(i); ok && v.voice != copula {
		if g.verb.voice == passive && isParticiple(g.word(i)) && g.passiveGoesOn(i) {
			v.voice, v.past, v.done = passive, simplePast(g.word(i)), g.word(i)
		}
		if len(g.found) == 0 && g.noun == "" && g.prep == "" && g.verb.voice == v.voice {
			first := &governed{relationReader: g.relationReader, subjects: g.subjects, verb: g.verb}
			first.complements(v.next) // "written and directed by"
		}
		next := &governed{relationReader: g.relationReader, subjects: g.subjects, verb: v}
		next.complements(v.next)
	}
	return i, false
}

// passiveGoesOn reports whether the participle at i shares the preceding
// passive's auxiliary: a preposition follows.
func (g *governed) passiveGoesOn(i int) bool { return prepositions[g.word(g.afterAdverbs(i+1))] }

// role reads "inspector of X" from i on and states it about members.
func (g *governed) role(i int, members []int) (int, bool) {
	head, j := g.nounPhrase(i)
	if head == "" || isPast(head) || !rolePrepositions[g.word(j)] {
		return i, false
	}
	if target, next, ok := g.target(j + 1); ok {
		for _, m := range members {
			g.found = append(g.found, len(g.out))
			g.state(m, head+" "+g.word(j), target, nil)
		}
		return next, true
	}
	return i, false
}

// sentence is a sentence as the rules read it: each name is one item, and
// quotation marks are dropped.
type sentence struct {
	span    domain.Span // in the chunk
	items   []sentenceItem
	running bool // it is running text, see isRunning
}

// sentenceItem is a word, a sign or a name.
type sentenceItem struct {
	text       string
	lower      string      // of a word outside names; may be ""
	mention    int         // index of the mention; -1 if there is none
	possessive bool        // a mention followed by 's
	date       string      // the date; "" if it is not one
	at         domain.Span // of the date, in the chunk
}

// readSentences splits a text into sentences and items.
func readSentences(text string, mentions []mention, names []prose.Name) []*sentence {
	b := builder{tokens: prose.Tokens(text), mentions: mentions, names: names}
	var list []*sentence
	for _, span := range prose.Sentences(text) {
		s := &sentence{span: span}
		for b.at < len(b.tokens) && b.tokens[b.at].Span.Start < span.End {
			if it, ok := b.next(); ok {
				s.items = append(s.items, it)
			}
		}
		s.running = isRunning(s.items)
		list = append(list, s)
	}
	return list
}

// builder turns tokens into items.
type builder struct {
	tokens   []prose.Token
	mentions []mention
	names    []prose.Name
	at, m, n int // the current token, mention and name
}

func (b *builder) next() (sentenceItem, bool) {
	t := b.tokens[b.at]
	b.skipPast(t.Span.Start)
	if b.m < len(b.mentions) && b.mentions[b.m].Span.Start == t.Span.Start {
		return b.mention(), true
	}
	if b.n < len(b.names) && b.names[b.n].Kind == prose.Date && b.names[b.n].Span.Start == t.Span.Start {
		name := b.names[b.n]
		b.skipTokens(name.Span.End)
		return sentenceItem{text: name.Text, mention: -1, date: name.Text, at: name.Span}, true
	}
	b.at++
	if strings.ContainsAny(t.Text, "\"“”«»„`‘") {
		return sentenceItem{}, false
	}
	it := sentenceItem{text: t.Text, mention: -1}
	if t.Word {
		it.lower = strings.ToLower(t.Text)
	}
	return it, true
}

// skipPast advances past mentions and names that end before at.
func (b *builder) skipPast(at int) {
	for b.m < len(b.mentions) && b.mentions[b.m].Span.Start < at {
		b.m++
	}
	for b.n < len(b.names) && b.names[b.n].Span.Start < at {
		b.n++
	}
}

func (b *builder) skipTokens(end int) {
	for b.at < len(b.tokens) && b.tokens[b.at].Span.Start < end {
		b.at++
	}
}

// mention combines the tokens of a mention into one item.
func (b *builder) mention() sentenceItem {
	m := b.mentions[b.m]
	it := sentenceItem{text: m.Text, mention: b.m}
	b.skipTokens(m.Span.End)
	last := b.tokens[b.at-1]
	it.possessive = last.Span.End > m.Span.End
	if b.at < len(b.tokens) && strings.HasSuffix(m.Text, "s") {
		next := b.tokens[b.at]
		if (next.Text == "'" || next.Text == "’") && next.Span.Start == m.Span.End {
			it.possessive = true
			b.at++
		}
	}
	return it
}

// word returns the word at i in lower case, or "" for anything else.
func (s *sentence) word(i int) string {
	if i < 0 || i >= len(s.items) {
		return ""
	}
	return s.items[i].lower
}

// is reports whether the item at i is the given word or sign.
func (s *sentence) is(i int, text string) bool {
	if i < 0 || i >= len(s.items) || s.items[i].mention >= 0 {
		return false
	}
	return s.items[i].text == text || s.items[i].lower == text
}

// named reports whether the item at i is a mention.
func (s *sentence) named(i int) bool {
	return i >= 0 && i < len(s.items) && s.items[i].mention >= 0
}

// afterBrackets returns the position after the brackets that open at i, or i.
func (s *sentence) afterBrackets(i int) int {
	if !s.is(i, "(") {
		return i
	}
	depth := 0
	for j := i; j < len(s.items); j++ {
		switch {
		case s.is(j, "("):
			depth++
		case s.is(j, ")"):
			depth--
		}
		if depth == 0 {
			return j + 1
		}
	}
	return i
}

// afterAdverbs returns the position after any adverbs from i on.
func (s *sentence) afterAdverbs(i int) int {
	for isAdverb(s.word(i)) || s.is(i, ",") && isAdverb(s.word(i+1)) && s.is(i+2, ",") {
		if s.is(i, ",") {
			i += 2
		}
		i++
	}
	return i
}

func isAdverb(word string) bool {
	return adverbs[word] || strings.HasSuffix(word, "ly") && len(word) > 4 && !notAdverbs[word]
}

// nounPhrase reads the common words of a noun phrase from i on. It returns the
// last one and the position after it.
func (s *sentence) nounPhrase(i int) (head string, next int) {
	for i < len(s.items) {
		w := s.word(i)
		switch {
		case s.items[i].date != "" && head == "", s.items[i].mention >= 0 && s.word(i+1) != "" && (head == "" || s.modifies(i)):
			i++ // "a 1925 film", "a Yoruba actress"
			continue
		case w == "":
			return head, i
		case articles[w] || possessives[w] || isAdverb(w):
			if head != "" {
				return head, i
			}
		case prepositions[w] || clauseWords[w] || copulas[w] || auxiliaries[w]:
			return head, i
		case head != "" && (s.word(i+1) == "by" || isParticiple(w)) && isParticiple(w):
			return head, i
		case head != "" && strings.HasSuffix(w, "ing") && (s.named(i+1) || plainArticles[s.word(i+1)]):
			return head, i
		default:
			head = w
		}
		i++
	}
	return head, i
}
