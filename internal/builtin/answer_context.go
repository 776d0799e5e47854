package builtin

import (
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// setting says what a proposition stands under: what is read together with it.
type setting struct {
	headings []int // propositions, nearest first
	question int   // of an FAQ; -1 for none
	late     int   // propositions between the question and this one
	item     bool  // an item of a list or a row of a table
	table    int   // the first row of its table; -1 for none
	block    int   // the first proposition of its paragraph or item
	heads    bool  // what follows stands under it
}

// Limits of what is read together with a proposition.
const (
	mostHeadings = 2
	mostAbove    = 40
	reach        = 12 // propositions from an FAQ's question to its answer
	longHeading  = 14 // tokens
	wrapped      = 45 // runes: a line this long goes on in the next one
)

// listMark matches the beginning of an item or of a row.
var listMark = regexp.MustCompile(`^\s*([-*•+|]|\(?[a-z0-9]{1,3}[.)])\s`)

// aMark matches what marks an item, a question or an answer and nothing else.
var aMark = regexp.MustCompile(`^\s*([A-Za-z]|\d[\d.]*)[.)]$`)

// unwrap joins sentences that were cut only because a line ends before a
// capital letter or a digit, or behind a mark.
func unwrap(text []rune, spans []domain.Span) []domain.Span {
	var out []domain.Span
	for _, s := range spans {
		if n := len(out); n > 0 && (goesOnBelow(text, out[n-1], s) || aMark.MatchString(string(text[out[n-1].Start:out[n-1].End]))) {
			out[n-1].End = s.End
			continue
		}
		out = append(out, s)
	}
	return out
}

func goesOnBelow(text []rune, above, below domain.Span) bool {
	gap := string(text[above.End:below.Start])
	last := string(text[above.Start:above.End])
	line := last[strings.LastIndex(last, "\n")+1:]
	return strings.Count(gap, "\n") == 1 && domain.Runes(line) >= wrapped && !strings.ContainsAny(line[max(0, len(line)-2):], ".!?:…") &&
		!strings.Contains(line, " | ") && !listMark.MatchString(string(text[below.Start:min(len(text), below.Start+6)]))
}

// situate finds what each proposition stands under. What is above one may be in
// a passage that was found after its own.
func (f *findings) situate() {
	for i := range f.propositions {
		st := &f.propositions[i]
		st.setting = setting{question: -1, table: -1, block: i, item: listMark.MatchString(st.text)}
		st.setting.heads = st.heads()
	}
	for i := range f.propositions {
		st := &f.propositions[i]
		if j := f.before(i); j >= 0 && f.propositions[j].passage == st.passage && !st.setting.item {
			start, text := f.passages[st.passage].Span.Start, f.passages[st.passage].Text
			if gap := (domain.Span{Start: f.propositions[j].span.End - start, End: st.span.Start - start}).Slice(text); strings.Count(gap, "\n") < 2 {
				st.setting.block = f.propositions[j].setting.block
			}
		}
		f.under(i)
	}
}

// before returns the proposition before i in its document, or -1 if it was not
// found.
func (f *findings) before(i int) int {
	p := f.propositions[i].passage
	if i > 0 && f.propositions[i-1].passage == p {
		return i - 1
	}
	for k, q := range f.passages {
		if q.Document == f.passages[p].Document && q.Ordinal == f.passages[p].Ordinal-1 {
			return f.last[k]
		}
	}
	return -1
}

// under finds the headings, the question and the first row above a proposition.
func (f *findings) under(i int) {
	st := &f.propositions[i]
	row, j := strings.Contains(st.text, " | "), f.before(i)
	for steps := 1; j >= 0 && steps <= mostAbove && st.setting.question < 0 && len(st.setting.headings) < mostHeadings; steps++ {
		over := &f.propositions[j]
		switch {
		case row && strings.Contains(over.text, " | "):
			st.setting.table = j
		case over.asks && !st.asks && steps <= reach:
			st.setting.question, st.setting.late = j, steps-1
		case over.setting.heads:
			st.setting.headings, row = append(st.setting.headings, j), false
		default:
			row = false
		}
		j = f.before(j)
	}
}

// heads reports whether a proposition is a line that what follows stands under:
// a heading, the term of a definition, or the introduction of a list.
func (s *proposition) heads() bool {
	if strings.HasSuffix(strings.TrimRight(s.text, " "), ":") {
		return true
	}
	return s.bare() && !s.setting.item && len(s.tokens) <= longHeading && !strings.Contains(s.text, " | ")
}

// over returns the propositions that i stands under. The one before an FAQ's
// question is often part of it.
func (f *findings) over(i int) []int {
	p := f.propositions[i].setting
	out := slices.Clone(p.headings)
	if q := p.question; q >= 0 {
		out = append(out, q)
		if b := f.before(q); b >= 0 && (f.propositions[b].asks || f.propositions[q].setting.block != q) {
			out = append(out, b)
		}
	}
	if p.table >= 0 {
		out = append(out, p.table)
	}
	return out
}

// paragraph returns the propositions with which i makes a paragraph: the one before
// it and the first.
func (f *findings) paragraph(i int) []int {
	st := &f.propositions[i]
	if first := st.setting.block; first != i {
		return []int{first, i - 1}
	}
	if b := f.before(i); b >= 0 && !st.setting.item {
		return []int{b}
	}
	return nil
}

// goesOn returns the propositions that belong to the answer that i gives: the
// rest of an FAQ's answer, the list or the command that i announces, or, if i does
// not itself say why or how, what follows up to the one that does, or else the next.
func (f *findings) goesOn(i int, says func(*proposition) bool) []int {
	st := &f.propositions[i]
	announces := strings.HasSuffix(strings.TrimRight(st.text, " "), ":")
	most, runes := 0, len(st.text)
	switch {
	case announces:
		most = mostListed
	case st.setting.question >= 0 && st.setting.late == 0:
		most = mostFollowing
	case !says(st):
		most = 1
		for j := i + 1; j < min(i+1+mostListed, len(f.propositions)) && !f.propositions[j].setting.heads; j++ {
			if says(&f.propositions[j]) {
				most = j - i
				break
			}
		}
	}
	var out []int
	for j := i + 1; j < len(f.propositions) && len(out) < most; j++ {
		next := &f.propositions[j]
		if next.passage != st.passage || next.asks || next.setting.question != st.setting.question && !announces {
			break
		}
		if announces && len(out) > 0 && !next.setting.item && !next.bare() {
			break
		}
		if runes += len(next.text); runes > longestAnswer && len(out) > 0 {
			break
		}
		out = append(out, j)
	}
	return out
}

// Limits of what goes on with an answer.
const (
	mostListed    = 5
	mostFollowing = 2
	longestAnswer = 600 // bytes
)
