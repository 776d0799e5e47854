package builtin

import (
	"cmp"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
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
		switch label := endingLabels[last]; {
		case label == place && len(words) == 2 && surnames[last] && looksPersonal(name):
			v.add(place, 3)
		case label != "":
			v.add(label, 4)
		}
		if label, ok := beginnings[strings.Trim(first, ".")]; ok {
			v.add(label, 3)
		}
		for i, w := range words[1:] {
			if w == "of" {
				v.add(cmp.Or(beginnings[words[i]], endingLabels[words[i]]), 4)
				break
			}
		}
		named := v.winner() // after a person: "Ilse T. Brandt Award"
		if givenNames[first] && looksPersonal(name) && (named == domain.UnknownLabel || named == place) {
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

// labelOfNoun returns the label of what a common noun describes, or "".
func labelOfNoun(noun string) string {
	if label := nounLabels[noun]; label != "" || noun == "" {
		return label
	}
	if singular, ok := strings.CutSuffix(noun, "s"); ok && len(noun) > 4 && !strings.HasSuffix(singular, "s") {
		return labelOfNoun(singular)
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
		s.witness(c, i)
		c.vote(it.mention, s.labelBefore(i), 3)
		label, weight := s.labelAfter(i)
		c.vote(it.mention, label, weight)
		s.cueRow(c, i)
		s.hint(c, i)
		s.define(c, i)
		if c.mentions[it.mention].Kind == prose.Quoted && notions[s.word(i-1)] {
			c.vote(it.mention, work, -3)
		}
		if memberNouns[s.word(i+1)] && !it.possessive && !c.technical {
			c.vote(it.mention, organization, 1)
		}
		if (s.is(i-1, "in") || s.is(i-1, "near") || s.is(i-1, "at")) && !s.modifies(i) {
			if !c.technical && !prose.IsAcronym(it.text) {
				c.vote(it.mention, place, 1)
			}
		}
		c.vote(it.mention, person, s.personVotes(i))
	}
}

// personVotes returns the votes of the words after the mention at i: "X's
// widow", "X married".
func (s *sentence) personVotes(i int) int {
	switch w := s.word(i + 1); {
	case s.items[i].possessive && kin[w]:
		return 3
	case prepositions[s.word(i-1)]:
		return 0
	case personVerbs[w]:
		return 2
	case humanDeeds[w] && looksPersonal(s.items[i].text):
		return 1
	}
	return 0
}

// cueRow votes for the label that the words before the mention at i demand,
// also of people listed with it: "directed by X and Y".
func (s *sentence) cueRow(c *cast, i int) {
	if s.items[i].possessive || s.modifies(i) {
		return
	}
	label := s.cue(i, c.technical)
	if label == "" {
		label = s.agent(i)
	}
	if label == "" {
		return
	}
	c.vote(s.items[i].mention, label, 3)
	if label != person {
		return
	}
	var row []int
	joined := false
	for next, and := s.nextInRow(i + 1); next > 0; next, and = s.nextInRow(next + 1) {
		row, joined = append(row, next), joined || and
	}
	for _, next := range row {
		if joined {
			c.vote(s.items[next].mention, person, 3)
		}
	}
}

// agent returns the label that a passive demands of the mention at i, whatever
// stands between its participle and "by": "released in May by X".
func (s *sentence) agent(i int) string {
	for i--; s.word(i) != "" && !s.is(i, "by") || s.is(i, "-"); i-- {
		if s.is(i, "starring") {
			return person
		}
		if prepositions[s.word(i)] && !s.is(i-1, "-") {
			return ""
		}
	}
	if !s.is(i, "by") {
		return ""
	}
	for j := i - 1; j >= 0 && j > i-maxReach; j-- {
		w := s.word(j)
		if label := cues[w+" by"]; label != "" {
			return label
		}
		if clauseWords[w] && w != "and" || s.is(j, ";") {
			return ""
		}
	}
	return ""
}

// cue returns the label that the words before the mention at i demand: "directed
// by X", "signed to X", "starring X".
func (s *sentence) cue(i int, technical bool) string {
	acronym := prose.IsAcronym(s.items[i].text)
	i--
	if plainArticles[s.word(i)] {
		i--
	}
	if label := cues[strings.TrimSpace(s.word(i-1)+" "+s.word(i))]; label == person && acronym {
		return organization
	} else if label != "" {
		return label
	}
	if technical {
		return "" // one word says little there: "via X", "called X"
	}
	return cues[s.word(i)]
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
func (s *sentence) labelAfter(i int) (label string, weight int) {
	if s.items[i].possessive {
		return "", 0
	}
	j := s.afterBrackets(i + 1)
	if s.is(i+1, "(") && (s.is(i+2, "born") || s.is(i+2, "died")) || s.is(j, "born") {
		return person, 3
	}
	comma := s.is(j, ",")
	if comma {
		j++
	}
	switch w := s.word(j); {
	case w == "who" || w == "whose" || w == "born":
		return person, 3
	case w == "where" && comma:
		return place, 3
	case copulas[w] && i == 0:
		return s.labelOfPhrase(j + 1), 6
	case copulas[w]:
		j++
	case !comma:
		return "", 0
	}
	if !plainArticles[s.word(j)] || comma && (s.is(i-1, "a") || s.is(i-1, "an")) {
		return "", 0
	}
	return s.labelOfPhrase(j), 3
}

// labelOfPhrase returns the label of the noun phrase at i, or of the one joined
// to it: "an academic and historian".
func (s *sentence) labelOfPhrase(i int) string {
	for range 4 {
		head, next := s.nounPhrase(i)
		if label := labelOfNoun(head); label != "" {
			if more, _ := s.nounPhrase(next + 1); s.is(next, "and") && !articles[s.word(next+1)] && labelOfNoun(more) == person {
				return person // "a theatre and film director"
			}
			return label
		}
		if !s.is(next, "and") && !s.is(next, "or") && !s.is(next, ",") && !s.is(next, "-") && !s.is(next, "(") {
			return ""
		}
		i = max(next+1, s.afterBrackets(next))
	}
	return ""
}
