package pdf

import "strings"

// A segment is a stretch of a line without a wide gap.
type segment struct {
	text   strings.Builder
	x0, x1 float64
	y      float64
	size   float64
	glyphs int
	bold   int  // glyphs in bold
	votes  int  // glyphs of this size minus those of other sizes
	space  bool // the last character was a space
}

// Gaps between characters, relative to their size. One wider than wordGap, or
// spaceGap after a space character, separates words; columnGap separates
// segments; cellGap, which justified text does not reach, table cells.
const (
	wordGap   = 0.14
	spaceGap  = 0.04
	columnGap = 1.2
	cellGap   = 2
)

// segments joins the characters that are turned so, in the order in which the
// page shows them.
func segments(chars []char, turn int) []*segment {
	var out []*segment
	var s *segment
	for _, c := range chars {
		if c.turn != turn {
			continue
		}
		if s == nil || !s.continuesWith(c) {
			if strings.TrimSpace(c.text) == "" {
				continue
			}
			s = &segment{x0: c.x0, x1: c.x0, y: c.y, size: c.size}
			out = append(out, s)
		}
		s.add(c)
	}
	return out
}

// continuesWith reports whether c follows s closely on the same line.
func (s *segment) continuesWith(c char) bool {
	size := max(s.size, c.size)
	gap := c.x0 - s.x1
	return c.y > s.y-0.4*size && c.y < s.y+0.6*size && gap > -0.5*size && gap < columnGap*size
}

// add appends a character. Spaces are inferred from gaps, because some
// programs write spaces that the next glyph covers.
func (s *segment) add(c char) {
	if c.text != "" && strings.TrimSpace(c.text) == "" {
		s.space = true
		if c.x1-c.x0 < 0.01*c.size { // the font gives no width
			s.x1 -= wordGap * c.size
		}
		return
	}
	gap := (c.x0 - s.x1) / c.size
	if s.text.Len() > 0 && (gap > wordGap || s.space && gap > spaceGap) {
		s.text.WriteByte(' ')
	}
	s.space = false
	s.glyphs++
	if c.bold {
		s.bold++
	}
	s.text.WriteString(c.text)
	s.x1 = max(s.x1, c.x1)
	s.vote(c)
}

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
