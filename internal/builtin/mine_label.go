package builtin

import (
	"slices"
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
	award        = "Award"
)

// labels lists them in tie-breaking order.
var labels = [...]string{person, organization, place, work, event, award}

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
	for len(words) > 2 && isOrdinal(last) {
		words = words[:len(words)-1]
		last = words[len(words)-1]
	}
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

// isOrdinal reports whether a word numbers a name: "World War II", "Blade 2".
func isOrdinal(word string) bool {
	return strings.Trim(word, "ivx0123456789") == "" || word == "one" || word == "two"
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
	return endingLabels[word]
}

// The labels of words by word.
var endingLabels, nounLabels = byWord(endings), byWord(nouns)

func byWord(sets map[string]map[string]bool) map[string]string {
	all := map[string]string{}
	for _, label := range slices.Backward(labels[:]) { // the first label wins
		for word := range sets[label] {
			all[word] = label
		}
	}
	return all
}

// labelOfNoun returns the label of what a common noun describes, or "".
func labelOfNoun(noun string) string {
	if label := nounLabels[noun]; label != "" || noun == "" {
		return label
	}
	if singular, ok := strings.CutSuffix(noun, "s"); ok && len(noun) > 4 && !strings.HasSuffix(singular, "s") {
		return labelOfNoun(singular)
	}
	if demonyms[noun] {
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
		if plainArticles[s.word(i-1)] {
			c.list[c.of(it.mention)].articled = true
		}
		c.vote(it.mention, s.labelBefore(i), 3)
		c.vote(it.mention, s.labelAfter(i), 3)
		c.vote(it.mention, s.cue(i), 2)
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

// cue returns the label that the words before the mention at i demand: "directed
// by X", "signed to X", "starring X".
func (s *sentence) cue(i int) string {
	acronym := isAcronym(s.items[i].text)
	i--
	if plainArticles[s.word(i)] {
		i--
	}
	if label := cues[[2]string{s.word(i - 1), s.word(i)}]; label == person && acronym {
		return organization
	} else if label != "" {
		return label
	}
	return cues[[2]string{"", s.word(i)}]
}

// labelBefore returns the label given by the words before the mention at i:
// "the composer X", "the town of X".
func (s *sentence) labelBefore(i int) string {
	if s.is(i-1, "of") {
		if label := labelOfNoun(s.word(i - 2)); label == place && !s.items[i].possessive {
			return place
		}
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
	j := s.afterBrackets(i + 1)
	if s.is(i+1, "(") && (s.is(i+2, "born") || s.is(i+2, "died") || looksPersonal(s.items[i].text) && s.lifetime(i+2, j)) || s.is(j, "born") {
		return person
	}
	comma := s.is(j, ",")
	if comma {
		j++
	}
	switch w := s.word(j); {
	case w == "who" || w == "whose" || w == "born":
		return person
	case w == "where" && comma:
		return place
	case copulas[w]:
		j++
	case !comma:
		return ""
	}
	if !plainArticles[s.word(j)] || comma && (s.is(i-1, "a") || s.is(i-1, "an")) {
		return ""
	}
	return s.labelOfPhrase(j)
}

// lifetime reports whether two dates with a dash between them stand from i to
// end.
func (s *sentence) lifetime(i, end int) bool {
	dates := 0
	for ; i < end; i++ {
		if s.items[i].date != "" {
			dates++
		}
	}
	return dates > 1
}

// labelOfPhrase returns the label of the noun phrase at i, or of the one joined
// to it: "an academic and historian".
func (s *sentence) labelOfPhrase(i int) string {
	for range 4 {
		head, next := s.nounPhrase(i)
		if head == "station" && labelOfNoun(s.word(next-2)) == "" {
			if carriers[s.word(next-2)] {
				return organization
			}
			return place
		}
		if label := labelOfNoun(head); label != "" {
			return label
		}
		if !s.is(next, "and") && !s.is(next, "or") && !s.is(next, ",") && !s.is(next, "-") && !s.is(next, "(") {
			return ""
		}
		i = max(next+1, s.afterBrackets(next))
	}
	return ""
}
