package chunk

import (
	"iter"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
)

// pieces returns the headings and paragraphs of the text, in order, cutting
// those that exceed the limit.
func (m measure) pieces(t domain.Text) iter.Seq[piece] { //nolint:gocognit // one walk over the lines
	levels := make(map[int]int, len(t.Headings))
	for _, h := range t.Headings {
		levels[h.Span.Start] = h.Level
	}
	return func(each func(piece) bool) {
		yield := m.parting(t, each)
		if m.by == domain.ByTokens {
			if p, ok := m.piece(0, len(m.text)); ok {
				m.hardSplit(yield, p)
			}
			return
		}
		open := -1 // start of the current paragraph
		for start := 0; start < len(m.text); {
			end := lineEnd(m.text, start)
			level, blank := levels[start], isBlank(m.text[start:end])
			if (blank || level > 0) && open >= 0 {
				if !m.paragraph(yield, open, start) {
					return
				}
				open = -1
			}
			switch {
			case blank:
			case level > 0:
				if !m.fit(yield, start, end, bySentence, level) {
					return
				}
			case open < 0:
				open = start
			}
			start = end
		}
		if open >= 0 {
			m.paragraph(yield, open, len(m.text))
		}
	}
}

// parting returns a function that yields pieces after it has noted which of them
// begin a chunk.
func (m measure) parting(t domain.Text, each func(piece) bool) func(piece) bool {
	starts, below := m.startsOf(t), false
	return func(p piece) bool {
		p.apart = starts.passed(p.start)
		if m.by == domain.ByHeadings {
			p.apart, below = p.apart || p.level > 0 && below, p.level == 0
		}
		if m.by == domain.BySentences || m.by == domain.ByTokens {
			p.apart, p.level = false, 0
		}
		return each(p)
	}
}

// paragraph yields a paragraph, cut no finer than chunks may end.
func (m measure) paragraph(yield func(piece) bool, start, end int) bool {
	if m.by != domain.ByParts && m.by != domain.BySentences {
		return m.fit(yield, start, end, byLine, 0)
	}
	p, ok := m.piece(start, end)
	switch {
	case !ok:
		return true
	case m.by == domain.ByParts:
		return m.cut(yield, p, byLine)
	}
	for start := p.start; start < p.end; {
		next := lineEnd(m.text[:p.end], start)
		if line, ok := m.piece(start, next); ok && !m.cut(yield, line, bySentence) {
			return false
		}
		start = next
	}
	return true
}

// grain is a granularity for cutting text; larger is finer.
type grain int

const (
	byLine grain = iota
	bySentence
	byWord
)

// fit yields the stretch from start to end, cut no finer than the limit
// requires, starting with g.
func (m measure) fit(yield func(piece) bool, start, end int, g grain, level int) bool {
	p, ok := m.piece(start, end)
	p.level = level
	switch {
	case !ok:
		return true
	case p.tokens <= m.limit:
		return yield(p)
	case g == byWord:
		return m.hardSplit(yield, p)
	}
	return m.cut(yield, p, g)
}

// cut yields the parts of p, cut by g even if it fits.
func (m measure) cut(yield func(piece) bool, p piece, g grain) bool {
	for start := p.start; start < p.end; {
		next := cutAfter(m.text[:p.end], start, g)
		if !m.fit(yield, start, next, g+1, p.level) {
			return false
		}
		start = next
	}
	return true
}

// cutAfter returns the end of the line or sentence that starts at start.
func cutAfter(text []rune, start int, g grain) int {
	if g == byLine {
		return lineEnd(text, start)
	}
	return sentenceEnd(text, start)
}

// hardSplit cuts an overlong sentence between words, or an overlong word
// between characters.
func (m measure) hardSplit(yield func(piece) bool, p piece) bool {
	for start := p.start; start < p.end; {
		end := m.longest(start, p.end)
		if q, ok := m.piece(start, end); ok {
			q.level = p.level
			if !yield(q) {
				return false
			}
		}
		start = end
	}
	return true
}

// longest returns the end of a stretch from start that is close to the limit
// without exceeding it.
func (m measure) longest(start, end int) int {
	for n := min(end-start, 8*m.limit); ; {
		at := end
		if start+n < end {
			at = pauseBefore(m.text, start, start+n)
		}
		from, to := trim(m.text, start, at)
		count := m.tokens(from, to)
		if count <= m.limit || n == 1 {
			return at
		}
		n = max(1, min(n-1, n*m.limit/count))
	}
}

// pauseBefore moves end back to just after the last white space in the second
// half of the stretch, or else to a place that splits no visible character, if
// there is one.
func pauseBefore(text []rune, start, end int) int {
	for at := end; at > start+(end-start)/2; at-- {
		if unicode.IsSpace(text[at-1]) {
			return at
		}
	}
	for at := end; at > start; at-- {
		if !joins(text[at]) && !joinsNext(text[at-1]) {
			return at
		}
	}
	return end
}

// joins reports whether r attaches to the character before it: a combining
// mark, a variation selector, a skin tone or a joiner.
func joins(r rune) bool {
	return unicode.Is(unicode.M, r) || joinsNext(r) || r >= 0x1F3FB && r <= 0x1F3FF
}

// joinsNext reports whether r attaches the next character to itself.
func joinsNext(r rune) bool { return r == '\u200d' }

// lineEnd returns the position after the line break that ends the line at
// start.
func lineEnd(text []rune, start int) int {
	for i := start; i < len(text); i++ {
		if text[i] == '\n' {
			return i + 1
		}
	}
	return len(text)
}

// trim shrinks the range to exclude white space at its ends.
func trim(text []rune, start, end int) (int, int) {
	for start < end && unicode.IsSpace(text[start]) {
		start++
	}
	for end > start && unicode.IsSpace(text[end-1]) {
		end--
	}
	return start, end
}
