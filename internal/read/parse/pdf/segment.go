package pdf

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/read/parse/script"
)

// A segment is a stretch of a line without a wide gap.
type segment struct {
	text   string
	chars  []char // part of those of the page, until they are written
	x0, x1 float64
	y      float64
	size   float64
	glyphs int32 // at most maxChars, as the next ones
	bold   int32 // glyphs in bold
	beyond int32 // glyphs beyond the edges of the page
	votes  int32 // glyphs of this size minus those of other sizes
}

// Gaps between characters, relative to their size. One wider than wordGap, or
// spaceGap after a space character, separates words; columnGap separates
// segments; cellGap, which justified text does not reach, table cells. Signs of
// Chinese and Japanese are set apart to fill a line: only wideGap separates them.
const (
	wordGap   = 0.14
	spaceGap  = 0.04
	columnGap = 1.2
	cellGap   = 2
	wideGap   = 0.6
)

// byTurn parts characters by their turns, in their order. It reuses chars for the
// most frequent turn, as a page may hold very many.
func byTurn(chars []char) (of [4][]char) {
	var counts [4]int
	for i := range chars {
		counts[chars[i].turn]++
	}
	most := slices.Index(counts[:], slices.Max(counts[:]))
	for turn, n := range counts {
		if turn != most {
			of[turn] = make([]char, 0, n)
		}
	}
	of[most] = chars[:0]
	for _, c := range chars {
		of[c.turn] = append(of[c.turn], c)
	}
	return of
}

// segments joins characters of one turn. They come in the order in which the page
// shows them; lines that run from right to left are put in order from left to
// right first, whatever order they were written in. The segments share chars,
// which segments reorders.
func segments(chars []char) []*segment {
	way := directionOf(chars)
	if way.any {
		leftToRight(chars)
	}
	var out []*segment
	var s *segment
	start, end := 0, 0 // of the characters of s
	for _, c := range chars {
		if s == nil || !s.continuesWith(c) {
			if blank(c.text) {
				continue
			}
			s = &segment{x0: c.x0, x1: c.x0, y: c.y, size: c.size}
			out = append(out, s)
			start = end
		}
		chars[end] = c // over those that are left out
		end++
		s.chars = chars[start:end:end]
		s.add(c)
	}
	out = attached(out)
	way.settle(out)
	var marks []mark
	for _, s := range out {
		marks = s.write(way, marks[:0])
	}
	return out
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// continuesWith reports whether c follows s closely on the same line.
func (s *segment) continuesWith(c char) bool {
	size := max(s.size, c.size)
	gap, lowest := c.x0-s.x1, -0.4
	if c.size > 1.14*s.size { // s is a raised figure so far
		lowest = -0.6
	}
	return c.y > s.y+lowest*size && c.y < s.y+0.6*size && gap > -0.5*size && gap < columnGap*size
}

// add counts a character in.
func (s *segment) add(c char) {
	if isSpaceChar(c) {
		if c.x1-c.x0 < 0.01*c.size { // the font gives no width
			s.x1 -= wordGap * c.size
		}
		return
	}
	s.glyphs++
	if c.bold {
		s.bold++
	}
	if c.beyond {
		s.beyond++
	}
	s.x1 = max(s.x1, c.x1)
	s.vote(c)
}

func isSpaceChar(c char) bool { return c.text != "" && blank(c.text) }

// vote keeps the size and baseline of the majority: bullets may be larger than
// their line, and superscripts are smaller and higher.
func (s *segment) vote(c char) {
	if c.size == s.size {
		s.votes++
		return
	}
	s.votes--
	if s.votes < 0 {
		s.size, s.y, s.votes = c.size, c.y, 1
	}
}

// write writes the text of a segment, and lets go of its characters. Spaces are
// inferred from gaps, because some programs write spaces that the next glyph
// covers. It uses and returns marks, which are empty, as room.
func (s *segment) write(way direction, marks []mark) []mark {
	space, x1, base, before := false, s.x0, s.y, ""
	for _, c := range s.chars {
		if isSpaceChar(c) {
			space = true
			if c.x1-c.x0 < 0.01*c.size {
				x1 -= wordGap * c.size
			}
			continue
		}
		if gap := (c.x0 - x1) / c.size; endsInk(marks) && (gap > wordGap && (gap > wideGap || !joinsWide(before, c.text)) || space && gap > spaceGap) {
			marks = append(marks, mark{text: " "})
		}
		look := s.lookOf(c, base)
		if look == script.Plain && c.size == s.size {
			base = c.y
		}
		if c.struck {
			look = script.Struck
		}
		if c.text != "" {
			marks = append(marks, mark{c.text, look})
			before = c.text
		}
		space, x1 = false, max(x1, c.x1)
	}
	s.chars = nil
	levelled(marks)
	ordered := marks
	if way.any {
		ordered = way.ordered(marks)
	}
	var line script.Line
	for _, m := range ordered {
		line.Add(m.look, folded(m.text))
	}
	s.text = line.String()
	if way.rightToLeft {
		s.x0, s.x1 = -s.x1, -s.x0
	}
	return marks
}

// endsInk reports whether a line so far ends with a character that stays and is
// no space.
func endsInk(marks []mark) bool {
	for _, m := range slices.Backward(marks) {
		if m.look != script.Struck {
			return m.text != " "
		}
	}
	return false
}

// A mark is text within a line that stays together.
type mark struct {
	text string
	look script.Look
}

// levelled makes raised and lowered runs without a letter, a figure or the sign of
// a note plain, such as quotation marks in a smaller font.
func levelled(marks []mark) {
	for i := 0; i < len(marks); {
		j, says := i, false
		for ; j < len(marks) && marks[j].look == marks[i].look; j++ {
			says = says || strings.ContainsFunc(marks[j].text, func(r rune) bool {
				return unicode.IsLetter(r) || unicode.IsNumber(r) || strings.ContainsRune("*†‡§¶#+−", r)
			})
		}
		for k := i; k < j && !says && marks[i].look != script.Struck; k++ {
			marks[k].look = script.Plain
		}
		i = j
	}
}

// lookOf reports whether a character stands clearly above or below the baseline,
// as superscripts and subscripts do.
func (s *segment) lookOf(c char, base float64) script.Look {
	size, off := c.size/s.size, (c.y-base)/s.size
	switch {
	case isWide(firstRune(c.text)):
		return script.Plain
	case size < 0.88 && off > 0.14 && off < 0.9, size < 1.05 && off > 0.27 && off < 0.9 && strings.Trim(c.text, "0123456789+-−*") == "":
		return script.Raised
	case size < 0.88 && off < -0.08 && off > -0.5:
		return script.Lowered
	}
	return script.Plain
}

// maxNear is how many segments of about the same height are looked at for the
// one that a small one belongs to.
const maxNear = 40

// attached moves small segments that were written after their line, as raised
// figures are in some files, into it.
func attached(segments []*segment) []*segment {
	byHeight := slices.Clone(segments)
	slices.SortStableFunc(byHeight, func(s, t *segment) int { return cmp.Compare(s.y, t.y) })
	for i, t := range byHeight {
		if t.glyphs > 4 {
			continue
		}
		for j := max(0, i-maxNear); j < min(len(byHeight), i+maxNear); j++ {
			if s := byHeight[j]; s != t && s.chars != nil && s.takes(t) {
				break
			}
		}
	}
	return slices.DeleteFunc(segments, func(s *segment) bool { return s.chars == nil })
}

// takes moves the characters of t into s where t stands raised or lowered in a
// gap of s, behind it or before it. Then t has none.
func (s *segment) takes(t *segment) bool {
	if s.lookOf(t.chars[0], s.y) == script.Plain || t.size >= s.size || t.x1 < s.x0-wideGap*s.size || t.x0 > s.x1+wordGap*s.size {
		return false
	}
	at := slices.IndexFunc(s.chars, func(c char) bool { return !isSpaceChar(c) && (c.x0+c.x1)/2 > t.x0 })
	if at < 0 {
		at = len(s.chars)
	}
	if at < len(s.chars) && s.chars[at].x0 < t.x1-0.2*t.size { // it would cover what is there
		return false
	}
	for at > 0 && isSpaceChar(s.chars[at-1]) && s.chars[at-1].x0 > t.x0 {
		at--
	}
	s.chars = slices.Insert(s.chars, at, t.chars...)
	s.x0, s.x1 = min(s.x0, t.x0), max(s.x1, t.x1)
	s.glyphs, s.bold = s.glyphs+t.glyphs, s.bold+t.bold
	s.beyond += t.beyond
	t.chars = nil
	return true
}

// joinsWide reports whether two texts meet in signs that Chinese and Japanese
// write without spaces.
func joinsWide(before, after string) bool {
	return isWide(lastRune(before)) && isWide(firstRune(after))
}

func isWide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFF60 || r == 'ー'
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
