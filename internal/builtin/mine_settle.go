package builtin

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

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

// settle chooses every label: the one with most votes, else that of the names
// listed with it, else what its spelling suggests.
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
				r.members = r.members[:len(r.members)-1] // "In Norman, Bert met": the last begins its clause
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

// institution returns the label of the word inside a longer name that says what
// it names: "Stedelijk Museum Amsterdam", or "".
func (e *character) institution() string {
	for _, w := range e.words[1:] {
		if label := endingLabels[w]; label == organization || label == event || label == award {
			return label
		}
	}
	return ""
}

// guess returns the label of a name whose context says nothing: letters are an
// organisation, "the Oklahoma Sooners" too, and words that are no nouns a
// person.
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

// rareWords returns the label of people for a name in running text whose words mean
// nothing else.
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
