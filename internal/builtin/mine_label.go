package builtin

import (
	"cmp"
	"slices"
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

// labelOfNoun returns the label that a common noun describes, or "".
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
		if humanDeeds[s.word(i+1)] && looksPersonal(it.text) {
			c.vote(it.mention, person, 1)
		}
	}
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

// agent returns the label that a passive requires of the mention at i, whatever is between its participle and "by":
// "released in May by X".
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
		return "" // one word proves little there: "via X", "called X"
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

// hint casts the votes of the words around the mention at i: the noun that follows it, the verb that it is the subject
// of, the plural that it is an example of, the part that it plays.
func (s *sentence) hint(c *cast, i int) {
	m := s.items[i].mention
	if !c.technical {
		c.vote(m, s.labelOfNext(i), 1)
	}
	if label := s.labelOfExamples(i); label != "" {
		c.vote(m, label, 3)
	}
	if e := &c.list[c.of(m)]; s.is(i-1, "the") && !s.modifies(i) && len(e.words) == 1 && !e.acronym {
		c.vote(m, endingLabels[e.key], 2) // "the Foundation"
	}
}

// labelOfNext returns the label of the noun behind the mention at i, which says
// what it is: "the Podolia region", "the Origin competition". A person's follows
// the name of something else: "the Rovers player".
func (s *sentence) labelOfNext(i int) string {
	label := nounLabels[s.word(i+1)]
	if label == person || label == work || s.items[i].possessive || !s.is(i-1, "the") || s.named(i+2) {
		return ""
	}
	return label
}

// labelOfExamples returns the label of the noun that the mention at i is an example of: "films such as X", "including the
// actors X".
func (s *sentence) labelOfExamples(i int) string {
	if s.items[i].possessive {
		return ""
	}
	j := i - 1
	switch {
	case s.is(j, "as") && s.is(j-1, "such"):
		j -= 2
	case s.is(j, "including"), s.is(j, "like"), s.is(j, "include"), s.is(j, "included"), s.is(j, "namely"):
		j--
	default:
		return ""
	}
	if s.is(j, ",") {
		j--
	}
	return labelOfPlural(s.word(j))
}

// labelOfPlural returns the label of a noun in the plural, or "".
func labelOfPlural(noun string) string {
	if len(noun) < 4 || noun[len(noun)-1] != 's' {
		return ""
	}
	if n := len(noun); n > 4 && noun[n-3:] == "ies" {
		return labelOfNoun(noun[:n-3] + "y")
	}
	return labelOfNoun(noun[:len(noun)-1])
}

// define votes for the label of what the title names, mention i at the start of
// the sentence, where asides separate it from "is a": "X, also known as Y, is a
// town".
func (s *sentence) define(c *cast, i int) {
	if i > 1 || i == 1 && !articles[s.word(0)] || s.items[i].possessive {
		return
	}
	for j := i + 1; j < len(s.items) && j < i+maxDefinition; j++ {
		w := s.word(j)
		switch {
		case s.is(j, "("):
			j = max(j, s.afterBrackets(j)-1)
		case copulas[w]:
			c.vote(s.items[i].mention, s.labelOfPhrase(j+1), 6)
			return
		case isPast(w) && !callingWords[w] || clauseWords[w] && w != "or" && w != "and" && w != "as":
			return
		}
	}
}

// maxDefinition bounds the items between a name and the "is a" that defines it.
const maxDefinition = 24

// readTitle casts votes by the document's title: "Emma (novel)".
func (c *cast) readTitle() {
	name, note, _ := strings.Cut(c.title, " (")
	words := strings.Fields(strings.TrimSuffix(note, ")"))
	title := prose.Key(name)
	about, label := titleParts(title)
	for i := range c.list {
		e := &c.list[i]
		if e.key == about {
			e.votes.add(label, 3)
		}
		if e.key != title {
			continue
		}
		c.main, e.main = i, true
		if len(words) > 0 {
			e.votes.add(labelOfNoun(words[len(words)-1]), 6)
		}
	}
}

// titleParts returns the name in the title of a page about a part of something,
// and its label: "2012–13 Ravens season".
func titleParts(title string) (name, label string) {
	words := strings.Fields(title)
	if len(words) < 2 {
		return "", ""
	}
	label = titleEndings[words[len(words)-1]]
	words = words[:len(words)-1]
	for len(words) > 1 && strings.Trim(words[0], "0123456789") == "" {
		words = words[1:]
	}
	return strings.Join(words, " "), label
}

// settle chooses every label: the one with most votes, or else that of the names listed with it, or else the one its
// spelling suggests.
func (c *cast) settle(sentences []*sentence) {
	for i := range c.list {
		c.list[i].label = c.list[i].votes.winner()
	}
	rows := c.rows(sentences)
	c.share(rows)
	if c.main >= 0 && c.list[c.main].label == domain.UnknownLabel {
		c.list[c.main].label = labelOfSubject(sentences)
	}
	for i := range c.list {
		if e := &c.list[i]; e.label == domain.UnknownLabel {
			e.label = e.guess(c.register)
		}
	}
	c.share(rows)
}

// labelOfSubject returns the label of what sentences that start with "she" or
// "the band" are about, mostly what the title names.
func labelOfSubject(sentences []*sentence) string {
	for _, s := range sentences {
		if s.is(0, "he") || s.is(0, "she") {
			return person
		}
	}
	for _, s := range sentences {
		if _, ok := s.verbAt(2); ok && s.is(0, "the") && labelOfNoun(s.word(1)) != "" {
			return labelOfNoun(s.word(1))
		}
	}
	return domain.UnknownLabel
}

// row is a list of names: "A, B and C". Without a word that joins them, only
// places follow each other.
type row struct {
	members []int
	joined  bool
}

// rows returns the lists in the sentences.
func (c *cast) rows(sentences []*sentence) []row {
	var rows []row
	for _, s := range sentences {
		for i := 0; i < len(s.items); i++ {
			if !s.named(i) {
				continue
			}
			r := row{members: []int{c.of(s.items[i].mention)}}
			for !s.items[i].possessive {
				next, and := s.nextInRow(i + 1)
				if next < 0 {
					break
				}
				i = next
				r.joined = r.joined || and
				r.members = append(r.members, c.of(s.items[i].mention))
			}
			if w := s.word(i + 1); !r.joined && w != "" && !strings.HasSuffix(w, "ing") && !prepositions[w] && !clauseWords[w] {
				r.members = r.members[:len(r.members)-1] // "In Norman, Bert met": the last one begins its clause
			}
			if len(r.members) > 1 {
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// nextInRow returns the position of the name that continues a list at i, or -1,
// and whether "and" or "or" leads to it.
func (s *sentence) nextInRow(i int) (next int, and bool) {
	i = s.afterBrackets(i)
	first := i
	if s.is(i, ",") {
		i++
	}
	if s.is(i, "and") || s.is(i, "or") {
		and = true
		i++
	}
	if i == first {
		return -1, false
	}
	if articles[s.word(i)] {
		i++
	}
	if !s.named(i) {
		return -1, false
	}
	return i, and
}

// share gives the label that a list's members have in common to those without
// one.
func (c *cast) share(rows []row) {
	for _, r := range rows {
		label := c.common(r)
		if label == domain.UnknownLabel || !r.joined && label != place && (label != person || len(r.members) < 3) {
			continue
		}
		for _, m := range r.members {
			if e := &c.list[m]; e.label == domain.UnknownLabel && (r.joined || label == place || e.personal) {
				e.label = label
			}
		}
	}
}

// common returns the label of the members of a list that have one, if they have
// the same but for one of four.
func (c *cast) common(r row) string {
	var v votes
	all := 0
	for _, m := range r.members {
		if l := c.list[m].label; l != domain.UnknownLabel {
			v.add(l, 1)
			all++
		}
	}
	label := v.winner()
	if most := slices.Max(v[:]); most < all && (all < 4 || most < all-1) {
		return domain.UnknownLabel
	}
	return label
}

// institution returns the label of the word inside a longer name that says what it is: "Stedelijk Museum Amsterdam", or
// "".
func (e *character) institution() string {
	for _, w := range e.words[1:] {
		if label := endingLabels[w]; label == organization || label == event || label == award {
			return label
		}
	}
	return ""
}

// guess returns the label of a name whose context says nothing: letters are an organisation, "the Oklahoma Sooners"
// too, and words that are not nouns a person.
func (e *character) guess(in register) string {
	switch {
	case e.hasGivenName():
		return person
	case in.technical || in.nouns || in.foreign:
		return domain.UnknownLabel
	case e.acronym && len(e.name) > 2:
		return organization
	case len(e.words) == 1 && legislatures[e.key]:
		return organization
	case len(e.words) > 1 && strings.HasSuffix(e.name, "s") && !strings.HasSuffix(e.name, "ss") &&
		!strings.Contains(e.name, " of ") && (e.articled || knownPlaces[e.words[0]] || knownPlaces[strings.Join(e.words[:2], " ")]):
		return organization
	case givenNames[e.words[0]] && (len(e.words) == 1 || strings.Contains(e.name, " of ")):
		return person
	case len(e.words) > 2 && e.institution() != "":
		return e.institution()
	case strings.HasPrefix(e.name, "The ") || e.articled || len(e.words) > 3 || !e.personal:
		return domain.UnknownLabel
	}
	return e.rareWords()
}

// rareWords returns the label of people for a name in running text made of words without another meaning.
func (e *character) rareWords() string {
	if e.proof.inside+e.proof.opening == 0 || strings.HasSuffix(e.words[0], "ing") || slices.ContainsFunc(e.words, isMeaningful) {
		return domain.UnknownLabel
	}
	return person
}

// hasGivenName reports whether the name is a first name and others that mean nothing.
func (e *character) hasGivenName() bool {
	return givenNames[e.words[0]] && e.personal && !e.articled && !slices.ContainsFunc(strings.Fields(e.name)[1:], isOther)
}

// isOther reports whether a word of a name does not belong to a person's.
func isOther(word string) bool {
	return prose.IsCommon(word) || !prose.IsCapitalised(word) && !particlesOfPeople[word]
}

// isMeaningful reports whether a word means something, as few names of people
// do.
func isMeaningful(w string) bool {
	return prose.IsCommon(w) || demonyms[w] || bareWords[w] || knownPlaces[w] || endingLabels[w] != "" || labelOfNoun(w) != "" && !givenNames[w] ||
		hasEnding(w, abstract)
}
