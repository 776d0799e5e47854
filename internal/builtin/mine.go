package builtin

import (
	"cmp"
	"html"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/prose/dates"
)

// Miner extracts entities and relations from prose by rules. The same chunk
// always gives the same graph. It prefers missing a relation to inventing one:
// two names in one sentence are not evidence enough.
type Miner struct{}

// Mine extracts from one chunk of a document titled title. The nodes are the
// names in the chunk in order of first mention, each in its most complete form;
// names without relations are kept. Spans refer to the document's text.
func (m *Miner) Mine(title string, chunk domain.Chunk) domain.GraphDocument {
	title = html.UnescapeString(title)
	known := knownName(title, chunk.Text)
	town, _, _ := strings.Cut(known, ",")
	names := prose.Names(chunk.Text, known, town)
	people := newCast(title, findMentions(names))
	people.register = registerOf(chunk.Text)
	sentences := readSentences(chunk.Text, people.mentions, names)
	for _, s := range sentences {
		people.hear(s)
		s.label(people)
	}
	people.resolve()
	people.settle(sentences)
	g, place := people.nodes()
	g.Relationships = relationships(chunk.Text, people, sentences, place)
	shift(&g, chunk.Span.Start)
	return people.split(g, place)
}

type mention struct {
	prose.Name
	entity int // index in the cast
}

// findMentions returns the names that can be entities.
func findMentions(names []prose.Name) []mention {
	var list []mention
	for _, n := range names {
		if n.Kind == prose.Date || n.Kind == prose.Number || isNoEntity(n) {
			continue
		}
		list = append(list, mention{Name: n})
	}
	return list
}

// isNoEntity reports whether a name means nothing alone: a single letter, a nationality, a compass point, an office.
func isNoEntity(n prose.Name) bool {
	key := prose.Key(n.Text)
	last := n.Text[strings.LastIndexByte(n.Text, '-')+1:]
	if len(key) < 2 || len(last) < len(n.Text) && (participial[last] || isRegularPast(last)) {
		return true
	}
	for word := range strings.FieldsSeq(key) {
		if len(word) == 1 {
			continue
		}
		if !officeWords[word] && !demonyms[word] && !bareWords[word] {
			return false
		}
	}
	return true
}

// knownName returns the title of a document, without bracketed additions, if its text mentions it as a name.
func knownName(title, text string) string {
	name, note, _ := strings.Cut(title, " (")
	words := strings.Fields(name)
	if len(words) > 1 && startsWith(text, name) && !strings.Contains(text, " "+strings.ToLower(name)) {
		return name
	}
	for i, w := range words {
		lower := strings.ToLower(w)
		if !prose.IsCapitalised(w) && (i == 0 || !prose.IsStopWord(w) && !strings.ContainsAny(w, "&0123456789")) ||
			len(words) == 1 && note == "" && !prose.IsAcronym(w) && (prose.IsStopWord(w) || strings.Contains(text, " "+lower)) {
			return ""
		}
	}
	return name
}

// startsWith reports whether a text starts with the words of a name.
func startsWith(text, name string) bool {
	rest, ok := strings.CutPrefix(text, name)
	return ok && (rest == "" || strings.ContainsRune(" ,(", rune(rest[0])))
}

// relationships merges the statements of the sentences: a relation stated twice
// is one relation with both spans. place maps the cast to nodes.
func relationships(text string, c *cast, sentences []*sentence, place []int) []domain.GraphRelationship {
	type edge struct {
		source, target int
		kind           string
	}
	at := map[edge]int{}
	var out []domain.GraphRelationship
	topic := newTopic(c)
	for _, s := range sentences {
		times := periods(text, s.span)
		for _, st := range s.statements(c, topic) {
			e := edge{place[st.source], place[st.target], st.kind}
			if e.source == e.target || e.source < 0 || e.target < 0 {
				continue
			}
			i, ok := at[e]
			if !ok {
				i = len(out)
				at[e] = i
				out = append(out, domain.GraphRelationship{Source: e.source, Target: e.target, Type: st.kind, Raw: st.raw, Properties: st.properties})
			}
			if !slices.Contains(out[i].Spans, s.span) {
				out[i].Spans = append(out[i].Spans, s.span)
			}
			for _, p := range times {
				if p.At.Overlaps(st.when) && !slices.Contains(out[i].Periods, p) {
					out[i].Periods = append(out[i].Periods, p)
				}
			}
		}
	}
	return out
}

// shift moves the spans of a graph from the chunk to its document.
func shift(g *domain.GraphDocument, by int) {
	for i := range g.Nodes {
		move(g.Nodes[i].Spans, by)
	}
	for i := range g.Relationships {
		move(g.Relationships[i].Spans, by)
		for j := range g.Relationships[i].Periods {
			at := &g.Relationships[i].Periods[j].At
			*at = at.Shift(by)
		}
	}
}

// periods returns the times that a sentence of a text names.
func periods(text string, sentence domain.Span) []domain.Period {
	found := dates.Periods(sentence.Slice(text))
	for i := range found {
		found[i].At = found[i].At.Shift(sentence.Start)
	}
	return found
}

func move(spans []domain.Span, by int) {
	for i := range spans {
		spans[i] = spans[i].Shift(by)
	}
	slices.SortFunc(spans, func(a, b domain.Span) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
}

// cast holds the entities of a chunk while it is read.
type cast struct {
	title    string
	mentions []mention
	list     []character
	main     int             // the entity in the title; -1 if there is none
	lower    map[string]bool // words that are in lower case in the chunk
	register
}

// character is an entity under construction.
type character struct {
	key   string
	words []string // of key
	name  string
	votes votes
	proof evidence
	short int // the entity that it abbreviates, or itself
	label string

	personal bool // its name has the form of a person's
	acronym  bool
	articled bool // an article precedes it somewhere
	main     bool // the document's title names it
}

// newCast creates an entity for every distinct name, with the label votes that
// its spelling casts.
func newCast(title string, mentions []mention) *cast {
	c := &cast{title: title, mentions: mentions, main: -1, lower: map[string]bool{}}
	byKey := map[string]int{}
	for i := range mentions {
		m := &mentions[i]
		key := prose.Key(m.Text)
		at, ok := byKey[key]
		if !ok {
			at = len(c.list)
			byKey[key] = at
			c.list = append(c.list, newCharacter(m.Text, key, at))
			if m.Kind != prose.Quoted {
				c.list[at].votes.spelling(m.Text)
			}
			if knownPlaces[key] {
				c.list[at].votes.add(place, 4)
			}
		}
		m.entity = at
		if m.Title != "" {
			c.list[at].votes.add(person, 5)
		}
	}
	return c
}

func newCharacter(name, key string, at int) character {
	return character{key: key, words: strings.Fields(key), name: name, short: at, personal: looksPersonal(name), acronym: prose.IsAcronym(name)}
}

// resolve finds short forms: single words that are the first or last word of
// exactly one longer name that can be a person's.
func (c *cast) resolve() {
	full := len(c.list)
	c.addTitle()
	c.readTitle()
	if c.main >= 0 {
		if long := c.longForm(c.main); long >= 0 {
			c.main = long
		}
	}
	for i := range c.list[:full] {
		if long := c.longForm(i); long >= 0 && c.list[long].short != i && c.list[i].short == i {
			c.merge(i, c.list[long].short)
		}
	}
	for i := range c.list {
		c.list[i].short = c.list[c.list[i].short].short
	}
}

// merge makes entity i a short form of long. A company is known better without
// its legal form, so that the long name is a form of the short one.
func (c *cast) merge(i, long int) {
	e, whole := &c.list[i], &c.list[long]
	if e.isCompany(whole) {
		whole.short = i
		e.votes.merge(whole.votes)
		e.proof.add(whole.proof)
		return
	}
	e.short = long
	whole.votes.merge(e.votes)
	whole.proof.add(e.proof)
	if !e.acronym && whole.votes.mayBe(person) {
		whole.votes.add(person, 2)
	}
}

// isCompany reports whether long is a name with a legal form: "Carrow Ltd.".
func (e *character) isCompany(long *character) bool {
	last := len(long.words) - 1
	return legal[long.words[last]] && slices.Equal(e.words, long.words[:last])
}

// addTitle adds the document's title to the names that others can abbreviate,
// unless an entity already has that name.
func (c *cast) addTitle() {
	name, _, _ := strings.Cut(c.title, " (")
	key := prose.Key(name)
	if !looksPersonal(name) || slices.ContainsFunc(c.list, func(e character) bool { return e.key == key }) {
		return
	}
	c.list = append(c.list, newCharacter(name, key, len(c.list)))
	c.list[len(c.list)-1].votes.spelling(name)
}

// longForm returns the entity whose name entity i abbreviates, or -1 unless
// there is exactly one, or one in the title.
func (c *cast) longForm(i int) int {
	short := &c.list[i]
	if len(short.key) < 3 || len(short.words) > 1 && !short.personal {
		return -1
	}
	found := -1
	for j := range c.list {
		long := &c.list[j]
		if j == i || len(long.words) <= len(short.words) || !short.abbreviates(long, c.register) {
			continue
		}
		switch {
		case j == c.main:
			return j
		case found >= 0:
			found = len(c.list)
		default:
			found = j
		}
	}
	if found == len(c.list) {
		return -1
	}
	return found
}

// abbreviates reports whether a name can stand for a longer one: by its
// initials, or as the last word of a person's name, or the first of a known
// person's, or with some of the words between.
func (e *character) abbreviates(long *character, in register) bool {
	if e.acronym {
		return initials(long.name) == e.name
	}
	if e.isCompany(long) {
		return true
	}
	if len(e.words) == 1 && len(e.key) > 3 && long.votes.winner() == organization && long.words[0] == e.key {
		return long.main && e.votes.mayBe(organization) && !knownPlaces[e.key] && labelOfNoun(e.key) == ""
	}
	if !e.votes.mayBe(person) || !long.mayBePerson(in) {
		return false
	}
	last := len(e.words) - 1
	if last == 0 && long.votes.winner() == person && long.words[0] == e.key {
		return true
	}
	rest := long.words
	for _, w := range e.words {
		at := slices.Index(rest, w)
		if at < 0 {
			return false
		}
		rest = rest[at+1:]
	}
	return len(rest) == 0
}

// mayBePerson reports whether a name is built like a person's and made of words that
// mean nothing else.
func (e *character) mayBePerson(in register) bool {
	if w := e.votes.winner(); !e.personal || w != domain.UnknownLabel && w != person {
		return false
	}
	return e.votes.winner() == person || givenNames[e.words[0]] || !in.technical && !slices.ContainsFunc(e.words, prose.IsCommon)
}

// initials returns the capitals that start the words of a name.
func initials(name string) string {
	var b strings.Builder
	for w := range strings.FieldsSeq(name) {
		if prose.IsCapitalised(w) {
			b.WriteByte(w[0])
		}
	}
	return b.String()
}

// looksPersonal reports whether a name is built like a person's: two to four
// capitalised words, possibly with initials and particles.
func looksPersonal(name string) bool {
	if i := strings.LastIndexByte(name, ','); i > 0 && (strings.HasPrefix(name[i:], ", Jr") || strings.HasPrefix(name[i:], ", Sr")) {
		name = name[:i]
	}
	words := strings.Fields(name)
	capital := 0
	for _, w := range words {
		switch {
		case strings.ContainsFunc(w, unicode.IsDigit) || w == "&" || w == "of" || w == "the" || w == strings.ToUpper(w) && len(w) > 3:
			return false
		case prose.IsCapitalised(w):
			capital++
		}
	}
	return capital >= 2 && capital <= 4 && len(words) <= 5
}

// of returns the entity of a mention in its most complete form.
func (c *cast) of(m int) int { return c.list[c.mentions[m].entity].short }

// vote casts n votes for the label of a mention's entity.
func (c *cast) vote(m int, label string, n int) {
	e := &c.list[c.of(m)]
	if label == person && e.acronym {
		return
	}
	e.votes.add(label, n)
	if label != "" && label != domain.UnknownLabel {
		e.proof.said = max(e.proof.said, n)
	}
}

// hear records the words that a sentence has in lower case.
func (c *cast) hear(s *sentence) {
	for _, it := range s.items {
		if isLower(it) {
			c.lower[it.lower] = true
		}
	}
}

// nodes returns the mentioned entities in order of first mention, and each cast member's index among them, or -1.
func (c *cast) nodes() (domain.GraphDocument, []int) {
	var g domain.GraphDocument
	place := slices.Repeat([]int{-1}, len(c.list))
	for i, m := range c.mentions {
		who := c.of(i)
		if place[who] < 0 {
			place[who] = len(g.Nodes)
			g.Nodes = append(g.Nodes, domain.GraphNode{Name: c.list[who].name, Label: c.list[who].label})
		}
		n := &g.Nodes[place[who]]
		n.Spans = append(n.Spans, m.Span)
		if m.Text != n.Name && !slices.Contains(n.Aliases, m.Text) {
			n.Aliases = append(n.Aliases, m.Text)
		}
	}
	return g, place
}

// topic tracks the subjects of a text, to resolve "she" or "the film" at the
// start of a sentence. It answers only if exactly one referent fits.
type topic struct {
	cast   *cast
	last   []int          // subjects, most recent last, without repeats
	gender map[int]string // "he" or "she"
	nouns  map[string]int // member by the noun it was called
	twice  map[string]bool
}

func newTopic(c *cast) *topic {
	return &topic{cast: c, gender: map[int]string{}, nouns: map[string]int{}, twice: map[string]bool{}}
}

// subject records that a clause is about members.
func (t *topic) subject(members []int) {
	if len(members) != 1 {
		return
	}
	for i, m := range t.last {
		if m == members[0] {
			t.last = append(t.last[:i], t.last[i+1:]...)
			break
		}
	}
	t.last = append(t.last, members[0])
}

// describe records that a member was called a noun.
func (t *topic) describe(member int, noun string) {
	if at, ok := t.nouns[noun]; ok && at != member {
		t.twice[noun] = true
	}
	t.nouns[noun] = member
}

// person returns the referent of "he" or "she": the only subject known to be of
// that gender, or else the only one that can be.
func (t *topic) person(pronoun string) (int, bool) {
	if main := t.cast.main; main >= 0 && t.cast.list[main].label == person && (t.gender[main] == "" || t.gender[main] == pronoun) && t.lastPerson() == main {
		t.gender[main] = pronoun
		return main, true
	}
	var known, open []int // members with that gender, and with no known gender
	for _, m := range t.last {
		label := t.cast.list[m].label
		switch {
		case label != person && label != domain.UnknownLabel:
		case t.gender[m] == pronoun:
			known = append(known, m)
		case t.gender[m] == "":
			open = append(open, m)
		}
	}
	switch {
	case len(known) > 0 && (len(open) == 0 || t.last[len(t.last)-1] == known[len(known)-1]):
		return known[len(known)-1], true
	case len(known) == 0 && len(open) == 1 && t.cast.list[open[0]].label == person:
		t.gender[open[0]] = pronoun
		return open[0], true
	}
	return 0, false
}

// lastPerson returns the person that the text was last about, or the one in the title.
func (t *topic) lastPerson() int {
	for _, m := range slices.Backward(t.last) {
		if t.cast.list[m].label == person {
			return m
		}
	}
	return t.cast.main
}

// thing returns the referent of "it" or "the film" at i, and the position after
// it.
func (t *topic) thing(r *relationReader, i int) (member, next int, ok bool) {
	if r.word(i) == "it" {
		if len(t.last) == 0 {
			return 0, 0, false
		}
		member = t.last[len(t.last)-1]
		return member, i + 1, (len(t.last) == 1 || member == t.cast.main) && t.cast.list[member].label != person
	}
	noun, _, _ := strings.Cut(r.word(i+1), "'")
	if member, ok = t.nouns[noun]; ok {
		return member, i + 2, !t.twice[noun]
	}
	member, ok = t.onlyOne(labelOfNoun(noun))
	return member, i + 2, ok
}

// onlyOne returns the only member mentioned with a label: "the film" refers to the one that was called a drama.
func (t *topic) onlyOne(label string) (member int, ok bool) {
	member = -1
	for noun, m := range t.nouns {
		if label == "" || label == person || labelOfNoun(noun) != label || m == member {
			continue
		}
		if member >= 0 {
			return 0, false
		}
		member = m
	}
	return member, member >= 0
}

// possessive reads "Her husband, X" at i.
func (t *topic) possessive(r *relationReader, i int) {
	pronoun, ok := map[string]string{"her": "she", "his": "he"}[r.word(i)]
	noun := r.word(i + 1)
	if !ok || !kin[noun] {
		return
	}
	j := i + 2
	if r.is(j, ",") {
		j++
	}
	if !r.named(j) || r.items[j].possessive {
		return
	}
	if g := kinGender[noun]; g != "" {
		t.gender[r.who(j)] = g
	}
	if owner, ok := t.person(pronoun); ok && owner != r.who(j) {
		r.state(r.who(j), noun+" of", owner, nil)
	}
}
