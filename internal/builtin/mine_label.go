package builtin

import (
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
)

// The labels the miner assigns.
const (
	person       = "Person"
	organization = "Organization"
	place        = "Place"
	work         = "Work"
	event        = "Event"
)

// labels lists them in tie-breaking order.
var labels = [...]string{person, organization, place, work, event}

// votes counts the evidence for each label, in the order of labels.
type votes [len(labels)]int

func (v *votes) add(label string, n int) {
	for i, l := range labels {
		if l == label {
			v[i] += n
		}
	}
}

func (v *votes) merge(o votes) {
	for i, n := range o {
		v[i] += n
	}
}

// winner returns the label with most votes, or domain.UnknownLabel.
func (v votes) winner() string {
	best := 0
	for i := range v {
		if v[i] > v[best] {
			best = i
		}
	}
	if v[best] == 0 {
		return domain.UnknownLabel
	}
	return labels[best]
}

// mayBe reports whether the votes leave the label possible: none were cast, or
// some for it.
func (v votes) mayBe(label string) bool {
	w := v.winner()
	return w == domain.UnknownLabel || w == label
}

// spelling casts votes by the words of a name.
func (v *votes) spelling(name string) {
	words := strings.Fields(strings.ToLower(name))
	first, last := words[0], strings.Trim(words[len(words)-1], ".,")
	if len(words) > 1 {
		if label := labelOfEnding(last); label != "" {
			v.add(label, 4)
		}
		if label, ok := beginnings[strings.Trim(first, ".")]; ok {
			v.add(label, 3)
		}
		for i, w := range words[1:] {
			if w == "of" {
				v.add(labelOfEnding(words[i]), 4)
				v.add(beginnings[words[i]], 4)
				break
			}
		}
		if hasInitial(name) {
			v.add(person, 3)
		}
		if givenNames[first] && looksPersonal(name) {
			v.add(person, 2)
		}
	}
	if strings.Contains(name, " & ") {
		v.add(organization, 2)
	}
}

// hasInitial reports whether a name contains an initial: "George T. Solomon".
func hasInitial(name string) bool {
	for w := range strings.FieldsSeq(name) {
		if len(w) == 2 && w[1] == '.' && unicode.IsUpper(rune(w[0])) {
			return true
		}
	}
	return false
}

// labelOfEnding returns the label of names that end in a word, or "".
func labelOfEnding(word string) string {
	for _, label := range labels {
		if endings[label][word] {
			return label
		}
	}
	return ""
}

// labelOfNoun returns the label of what a common noun describes, or "".
func labelOfNoun(noun string) string {
	for _, label := range labels {
		if nouns[label][noun] {
			return label
		}
	}
	if strings.HasSuffix(noun, "s") && len(noun) > 4 {
		return ""
	}
	for _, ending := range personEndings {
		if strings.HasSuffix(noun, ending) && len(noun) > len(ending)+2 {
			return person
		}
	}
	return ""
}

// label casts votes by the context of each mention.
func (s *sentence) label(c *cast) {
	for i, it := range s.items {
		if it.mention < 0 {
			continue
		}
		c.vote(it.mention, s.labelBefore(i), 3)
		c.vote(it.mention, s.labelAfter(i), 3)
		if s.is(i-1, "in") || s.is(i-1, "near") || s.is(i-1, "at") {
			c.vote(it.mention, place, s.placeVotes(i))
		}
		if it.possessive && kin[s.word(i+1)] {
			c.vote(it.mention, person, 3)
		}
		if prepositions[s.word(i-1)] {
			continue
		}
		if personVerbs[s.word(i+1)] {
			c.vote(it.mention, person, 2)
		}
		if humanDeeds[s.word(i+1)] && looksPersonal(it.text) {
			c.vote(it.mention, person, 1)
		}
	}
}

// placeVotes returns the votes of "in" or "near" before the mention at i: many
// after a word that locates something, one otherwise.
func (s *sentence) placeVotes(i int) int {
	if placing[s.word(i-2)] {
		return 3
	}
	return 1
}

// labelBefore returns the label given by the words before the mention at i:
// "the composer X", "the town of X".
func (s *sentence) labelBefore(i int) string {
	if s.is(i-1, "of") && labelOfNoun(s.word(i-2)) == place {
		return place
	}
	if s.items[i].possessive {
		return ""
	}
	return labelOfNoun(s.word(i - 1))
}

// labelAfter returns the label given by the words after the mention at i: "X, a
// town", "X is a town", "X (born 1867)", "X, who".
func (s *sentence) labelAfter(i int) string {
	if s.items[i].possessive {
		return ""
	}
	j := i + 1
	if s.is(j, "(") && (s.is(j+1, "born") || s.is(j+1, "died")) || s.is(j, "born") {
		return person
	}
	j = s.afterBrackets(j)
	comma := s.is(j, ",")
	if comma {
		j++
	}
	switch w := s.word(j); {
	case w == "who" || w == "whose" || w == "born":
		return person
	case copulas[w]:
		j++
	case !comma:
		return ""
	}
	if !articles[s.word(j)] || comma && (s.is(i-1, "a") || s.is(i-1, "an")) {
		return ""
	}
	head, _ := s.nounPhrase(j)
	return labelOfNoun(head)
}
