package builtin

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// topic tracks the subjects of a text, to resolve "she" or "the film" at the
// start of a sentence. It answers only if exactly one referent fits.
type topic struct {
	cast   *cast
	last   []int          // subjects, most recent last, without repetition
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
	var known, open []int // members of that gender, and of no known gender
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

// lastPerson returns the person whom the text was last about, the one in the
// title if there was none.
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

// onlyOne returns the only member called something of a label: "the film"
// refers to what was called a drama.
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
