package pdf

import "math"

// stem is how far left of the middle of a vertical line the baseline of Latin
// words in it is taken to be, relative to their size.
const stem = 0.36

// readHeights reads how far the glyphs of a vertical font advance, which is down
// the page (section 9.7.4.3). Only heights that all glyphs share, and lists, are
// read.
func (f *File) readHeights(t *font, d dict) {
	t.missing = -1000
	if heights := f.array(d["DW2"]); len(heights) == 2 {
		t.missing = number(f.resolve(heights[1]))
	}
	w := f.array(d["W2"])
	for len(w) >= 2 {
		first := integer(f.resolve(w[0]))
		if list := f.array(w[1]); list != nil {
			for i := 0; i+2 < min(len(list), 3*maxGlyphs); i += 3 {
				t.widths[first+i/3] = number(f.resolve(list[i]))
			}
			w = w[2:]
			continue
		}
		if len(w) < 5 {
			return
		}
		height := number(f.resolve(w[2]))
		for i := first; i <= min(integer(f.resolve(w[1])), first+maxGlyphs); i++ {
			t.widths[i] = height
		}
		w = w[5:]
	}
}

// stacked turns signs that are placed one below the other, as programs do that
// know nothing of vertical fonts, into vertical lines, where most signs of the page
// are placed so.
func stacked(chars []char) {
	down, across := 0, 0
	for i := 1; i < len(chars); i++ {
		if a, b := chars[i-1], chars[i]; isWide(lastRune(a.text)) && isWide(firstRune(b.text)) {
			switch {
			case below(a, b):
				down++
			case a.turn == b.turn && b.x0 >= a.x0 && b.x0-a.x1 < a.size && math.Abs(a.y-b.y) < 0.2*a.size:
				across++
			}
		}
	}
	if down < 3 || down <= 2*across {
		return
	}
	was := false // the sign before, as it was placed, is above this one
	for i := range chars {
		next := i+1 < len(chars) && below(chars[i], chars[i+1])
		if was || next {
			chars[i].stand()
		}
		was = next
	}
}

// below reports whether b is placed directly below a.
func below(a, b char) bool {
	drop := (a.y - b.y) / max(a.size, b.size)
	return a.turn == b.turn && drop > 0.5 && drop < 1.6 && math.Abs(a.x0+a.x1-b.x0-b.x1) < 0.6*a.size
}

// stand makes an upright character one of a vertical line.
func (c *char) stand() {
	middle := (c.x0 + c.x1) / 2
	c.x0, c.x1, c.y = -(c.y + 0.88*c.size), -(c.y - 0.12*c.size), middle-stem*c.size
	c.turn = (c.turn + 3) % 4
}
