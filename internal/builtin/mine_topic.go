package builtin

import "github.com/clewhq/clew/internal/domain"

// topic remembers who a text has been about, so that "she" or "the film" at
// the beginning of a sentence can be told. It answers only when a single
// answer fits.
type topic struct {
	cast   *cast
	last   []int          // subjects, the latest last, each once
	gender map[int]string // "he" or "she"
	nouns  map[string]int // what was said to be what
	twice  map[string]bool
}

func newTopic(c *cast) *topic {
	return &topic{cast: c, gender: map[int]string{}, nouns: map[string]int{}, twice: map[string]bool{}}
}

// subject notes that a clause is about members.
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

// describe notes that a member is said to be a noun.
func (t *topic) describe(member int, noun string) {
	if at, ok := t.nouns[noun]; ok && at != member {
		t.twice[noun] = true
	}
	t.nouns[noun] = member
}

// person is whom "he" or "she" means: the only subject so far who can be a
// person of that gender, or who is known to be.
func (t *topic) person(pronoun string) (int, bool) {
	var known, open []int // of that gender, of none yet
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

// thing is what "it", or "the film", at i means, and the place behind.
func (t *topic) thing(r *reader, i int) (member, next int, ok bool) {
	if r.word(i) == "it" {
		if len(t.last) == 0 {
			return 0, 0, false
		}
		member = t.last[len(t.last)-1]
		return member, i + 1, len(t.last) == 1 && t.cast.list[member].label != person
	}
	noun := r.word(i + 1)
	if member, ok = t.nouns[noun]; ok {
		return member, i + 2, !t.twice[noun]
	}
	member, ok = t.onlyOne(labelOfNoun(noun))
	return member, i + 2, ok
}

// onlyOne is the only member that was said to be something of a label: "the
// film" is what was called a drama.
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
func (t *topic) possessive(r *reader, i int) {
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
