package builtin

import (
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// cast holds the entities of a chunk while it is read.
type cast struct {
	title    string
	mentions []mention
	list     []character
	main     int             // the entity in the title, or -1
	lower    map[string]bool // words that the chunk has in lower case
	register
}

// character is an entity under construction.
type character struct {
	key   string
	words []string // of key
	name  string
	votes votes
	proof evidence
	short int // the entity that this one abbreviates, or itself
	label string

	personal bool // its name is built like a person's
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

// nodes returns the mentioned entities in order of first mention, and the index
// among them of each member of the cast, -1 for none.
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
