package nearest

import (
	"regexp"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// line is a sentence of a passage with the lines of the passage that it stands under.
type line struct {
	span    domain.Span // in the passage's text
	text    string
	heads   bool // a heading, the question of an FAQ or the announcement of a list: what follows stands under it
	asks    bool // and that is a question
	under   int  // the nearest such line above it; -1 if there is none
	columns int  // the first row of the table that it is a row of; -1 if it is in none
	over    int  // the sentence that a pronoun at its beginning refers to; -1 if there is none
}

const (
	cell        = " | " // between the cells of a row
	longHeading = 14    // tokens
	mostAbove   = 40    // lines that are looked at for what one stands under
)

var listMark = regexp.MustCompile(`^\s*([-*•+|]|\(?[a-z0-9]{1,3}[.)])\s`)

// lines returns the sentences of a passage.
func lines(text string) []line {
	runes := []rune(text)
	spans := prose.Sentences(text)
	all := make([]line, len(spans))
	for i, s := range spans {
		before, after := 0, len(runes)
		if i > 0 {
			before = spans[i-1].End
		}
		if i+1 < len(spans) {
			after = spans[i+1].Start
		}
		l := line{span: s, text: string(runes[s.Start:s.End]), under: -1, columns: -1, over: -1}
		begins := before == 0 && i == 0 || strings.ContainsRune(string(runes[before:s.Start]), '\n')
		ends := after == len(runes) || strings.ContainsRune(string(runes[s.End:after]), '\n')
		l.heads = begins && ends && isHead(l.text)
		l.asks = l.heads && strings.HasSuffix(strings.TrimRight(l.text, " \t*_"), "?")
		all[i] = l
		all[i].under, all[i].columns = above(all, i)
		all[i].over = referred(all, i)
	}
	return all
}

// isHead reports whether a line by itself is one that what follows stands under.
func isHead(text string) bool {
	text = strings.TrimRight(text, " \t*_")
	if text == "" {
		return false
	}
	switch text[len(text)-1] {
	case ':', '?':
		return true
	case '.', '!', ';', ',':
		return false
	}
	return !strings.Contains(text, cell) && !listMark.MatchString(text) && len(prose.Tokens(text)) <= longHeading
}

// above returns the line that the last of all stands under, and the first row of its table.
func above(all []line, i int) (under, columns int) {
	columns = -1
	row := all[i].isRow()
	for j := i - 1; j >= max(0, i-mostAbove); j-- {
		switch {
		case row && all[j].isRow():
			columns = j
		case all[j].heads:
			return j, columns
		default:
			row = false
		}
	}
	return -1, columns
}

// refersBack matches sentences that go on with what was spoken of before.
var refersBack = regexp.MustCompile(`(?i)^[^\pL\pN]*(he|she|his|hers?|it|its|they|their|this|these|er|sie|ihr|sein|es|dieser?|dieses|elle|lui|ce|cette|ces|él|ella|esto|quest[oa]|hij|zij|deze|dit)([^\pL]|$)`)

func (l line) isRow() bool { return strings.Contains(l.text, cell) }

// referred returns the sentence that a pronoun at the beginning of sentence i refers to,
// -1 if there is none.
func referred(all []line, i int) int {
	if l := all[i]; l.heads || l.isRow() || listMark.MatchString(l.text) || !refersBack.MatchString(l.text) {
		return -1
	}
	for j := i - 1; j >= 0 && !all[j].heads && !all[j].isRow(); j-- {
		if !refersBack.MatchString(all[j].text) {
			return j
		}
	}
	return -1
}
