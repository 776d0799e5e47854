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
}

// character is an entity under construction.
type character struct {
	key   string
	words []string // of key
	name  string
	votes votes
	short int // the entity that this one abbreviates, or itself
	label string
}

// newCast creates an entity for every distinct name, with the label votes that
// its spelling casts.
func newCast(title string, mentions []mention) *cast {
	c := &cast{title: title, mentions: mentions}
	byKey := map[string]int{}
	for i := range mentions {
		m := &mentions[i]
		key := prose.Key(m.Text)
		at, ok := byKey[key]
		if !ok {
			at = len(c.list)
			byKey[key] = at
			c.list = append(c.list, character{key: key, words: strings.Fields(key), name: m.Text, short: at})
			c.list[at].votes.spelling(m.Text)
			if knownPlaces[key] {
				c.list[at].votes.add(place, 2)
			}
		}
		m.entity = at
		if m.Kind == prose.Quoted {
			c.list[at].votes.add(work, 1)
		}
		if m.Title != "" {
			c.list[at].votes.add(person, 5)
		}
	}
	return c
}

// resolve finds short forms: single words that are the first or last word of
// exactly one longer name that can be a person's.
func (c *cast) resolve() {
	full := len(c.list)
	c.addTitle()
	for i := range c.list[:full] {
		if long := c.longForm(i); long >= 0 {
			c.list[i].short = long
			c.list[long].votes.merge(c.list[i].votes)
			c.list[long].votes.add(person, 2)
		}
	}
}

// addTitle adds the document's title to the names that others can abbreviate,
// unless an entity already has that name.
func (c *cast) addTitle() {
	name, _, _ := strings.Cut(c.title, " (")
	key := prose.Key(name)
	if !looksPersonal(name) || slices.ContainsFunc(c.list, func(e character) bool { return e.key == key }) {
		return
	}
	c.list = append(c.list, character{key: key, words: strings.Fields(key), name: name, short: len(c.list)})
	c.list[len(c.list)-1].votes.spelling(name)
}

// longForm returns the entity whose name the single word of entity i
// abbreviates, or -1 unless there is exactly one.
func (c *cast) longForm(i int) int {
	short := c.list[i]
	if len(short.words) != 1 || len(short.key) < 3 || !short.votes.mayBe(person) {
		return -1
	}
	found := -1
	for j, long := range c.list {
		if j == i || len(long.words) < 2 || !looksPersonal(long.name) || !long.votes.mayBe(person) {
			continue
		}
		known := long.votes.winner() == person
		if last := long.words[len(long.words)-1]; last != short.key && (!known || long.words[0] != short.key) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = j
	}
	return found
}

// looksPersonal reports whether a name is built like a person's: two to four
// capitalised words, possibly with initials and particles.
func looksPersonal(name string) bool {
	words := strings.Fields(name)
	if strings.Contains(name, ",") {
		return false
	}
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
func (c *cast) vote(m int, label string, n int) { c.list[c.of(m)].votes.add(label, n) }

// settle chooses every label.
func (c *cast) settle() {
	for i := range c.list {
		c.list[i].label = c.list[i].votes.winner()
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
