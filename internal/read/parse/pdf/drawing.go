package pdf

import (
	"cmp"
	"math"
	"slices"
	"unicode"
)

// Limits on the lines and areas remembered of a page's drawing.
const (
	inkSquare  = 3.0     // points; lines and areas nearer than this belong together
	wordSquare = 1.5     // points; the same for characters
	maxSquares = 600     // of the grid, along each side
	maxInked   = 100_000 // lines and areas; later ones are ignored
	maxMarks   = 1000    // per page: the largest connected parts
	maxMarked  = 200_000 // per file
	maxCaption = 50      // captions per page
)

// An ink notes on a grid where a page draws lines and areas.
type ink struct {
	page    box
	square  float64 // its side, unless the page is huge
	side    float64 // of a square
	columns int
	rows    int
	squares []bool
	inked   int
}

// add notes the outline of a box, which is enough to find what touches it.
func (k *ink) add(b, clip box) {
	b = b.within(clip).within(k.page)
	if k.inked++; k.inked > maxInked || !(b.x1 >= b.x0 && b.y1 >= b.y0) || !finite(b.x0, b.x1, b.y0, b.y1) {
		return
	}
	if k.squares == nil {
		width, height := k.page.x1-k.page.x0, k.page.y1-k.page.y0
		k.side = max(k.square, max(width, height)/maxSquares)
		k.columns, k.rows = int(width/k.side)+1, int(height/k.side)+1
		k.squares = make([]bool, k.columns*k.rows)
	}
	left, right, bottom, top := int((b.x0-k.page.x0)/k.side), int((b.x1-k.page.x0)/k.side), int((b.y0-k.page.y0)/k.side), int((b.y1-k.page.y0)/k.side)
	for x := left; x <= right; x++ {
		k.squares[bottom*k.columns+x], k.squares[top*k.columns+x] = true, true
	}
	for y := bottom; y <= top; y++ {
		k.squares[y*k.columns+left], k.squares[y*k.columns+right] = true, true
	}
}

// marks returns the boxes around what belongs together, the largest first.
func (k *ink) marks() (all []box) {
	var open []int
	for first := range k.squares {
		if !k.squares[first] {
			continue
		}
		b := nowhere()
		for open = append(open[:0], first); len(open) > 0; {
			at := open[len(open)-1]
			open = open[:len(open)-1]
			if !k.squares[at] {
				continue
			}
			k.squares[at] = false
			x, y := at%k.columns, at/k.columns
			left, bottom := k.page.x0+float64(x)*k.side, k.page.y0+float64(y)*k.side
			b = b.with(left, bottom).with(left+k.side, bottom+k.side)
			for ny := max(0, y-1); ny <= min(k.rows-1, y+1); ny++ {
				for nx := max(0, x-1); nx <= min(k.columns-1, x+1); nx++ {
					if next := ny*k.columns + nx; k.squares[next] {
						open = append(open, next)
					}
				}
			}
		}
		all = append(all, b)
	}
	slices.SortStableFunc(all, func(a, b box) int { return cmp.Compare(b.area(), a.area()) })
	return all[:min(len(all), maxMarks)]
}

func (b box) area() float64 { return max(0, b.x1-b.x0) * max(0, b.y1-b.y0) }

// within returns the part of a box that lies within another. It has no extent if there is none.
func (b box) within(o box) box {
	return box{max(b.x0, o.x0), max(b.y0, o.y0), min(b.x1, o.x1), min(b.y1, o.y1)}
}

// around returns the smallest box around two.
func (b box) around(o box) box { return b.with(o.x0, o.y0).with(o.x1, o.y1) }

// wider returns a box with a margin.
func (b box) wider(by float64) box { return box{b.x0 - by, b.y0 - by, b.x1 + by, b.y1 + by} }

func (b box) meets(o box) bool { return b.x0 < o.x1 && o.x0 < b.x1 && b.y0 < o.y1 && o.y0 < b.y1 }

// beside reports whether two boxes share a part of the width of the page.
func (b box) beside(o box) bool { return b.x0 < o.x1 && o.x0 < b.x1 }

// The measures of drawings, in points.
const (
	captionGap = 60  // between a drawing and its caption
	labelGap   = 9   // between a drawing and words that belong to it
	partGap    = 45  // between parts of a drawing
	leastPart  = 12  // sides of the part next to the caption
	thinPart   = 5   // of rules that are not part of a drawing
	longRule   = 60  // of rules
	leastInk   = 0.3 // share of a drawing's box that drawn parts must cover
	margin     = 3   // around a drawing
)

// drawings finds the drawings of a page that have a caption.
type drawings struct {
	page     box
	parts    []box // of drawings: lines, areas, images
	rules    []box // long thin lines, which are part of a drawing only next to others
	captions []box
	numbers  []int // of the paragraphs that are captions
	prose    []box // text that is not part of a drawing
	labels   []box // other text
}

// mark notes what a page draws, and where it shows text, if it draws anything large enough.
func (in *interpreter) mark(c *Content) {
	drawn := in.ink.marks()
	if in.file.marked > maxMarked || !slices.ContainsFunc(drawn, func(b box) bool { return min(b.x1-b.x0, b.y1-b.y0) >= leastPart }) {
		return
	}
	words := ink{page: in.ink.page, square: wordSquare}
	everywhere := initialState().clip
	for _, ch := range in.chars {
		if ch.shown == seen && !blank(ch.text) {
			x0, y0 := turned(ch.x0-0.2*ch.size, ch.y-0.1*ch.size, -int(ch.turn)) // so that words in a line touch
			x1, y1 := turned(ch.x1+0.2*ch.size, ch.y+0.7*ch.size, -int(ch.turn))
			words.add(nowhere().with(x0, y0).with(x1, y1), everywhere)
		}
	}
	c.drawn, c.words = drawn, words.marks()
	in.file.marked += len(c.drawn) + len(c.words)
}

// Drawings returns the drawings made of lines and areas, with any images in them, above or else below the paragraphs that
// are captions. It omits a drawing that is only an image, and content that isApart selects, such as a table by its caption.
func (f *File) Drawings(p Page, c Content, isCaption, isApart func(string) bool) (all []Figure) {
	page := p.box().turned(p.turn())
	if len(c.drawn) == 0 || page.area() < 1 {
		return nil
	}
	var images []box
	for _, i := range c.placed {
		if b := boxOf(i.m).turned(p.turn()).within(page); b.area() > 0 && b.area() < mostFigure*page.area() && f.onPages[i.image.of] <= mostShown {
			images = append(images, b)
		}
	}
	c.drawn, c.words = allTurned(c.drawn, p.turn()), allTurned(c.words, p.turn())
	d := drawingsOn(page, c, images, isCaption, isApart)
	found := make([]box, len(d.captions))
	for _, above := range []bool{true, false} {
		for i, caption := range d.captions {
			if found[i] != (box{}) {
				continue
			}
			if b, ok := d.by(caption, above); ok && !slices.ContainsFunc(found, b.meets) {
				found[i] = b
			}
		}
	}
	for i, b := range found {
		if b != (box{}) && coveredBy(b, images) < imageAlone {
			all = append(all, Figure{Left: b.x0, Right: b.x1, Top: b.y1, Bottom: b.y0, Box: b.on(page), caption: d.numbers[i]})
		}
	}
	return all
}

// allTurned rotates boxes clockwise by a number of quarter turns.
func allTurned(boxes []box, quarters int) []box {
	out := make([]box, len(boxes))
	for i, b := range boxes {
		out[i] = b.turned(quarters)
	}
	return out
}

// drawingsOn sorts the contents of a page.
func drawingsOn(page box, c Content, images []box, isCaption, isApart func(string) bool) *drawings {
	d, size := &drawings{page: page}, c.size()
	for i, q := range c.Paragraphs {
		b := box{q.Left, q.Bottom, q.Right, q.Top}
		switch {
		case b.area() <= 0, !q.Upright:
		case len(d.captions) < maxCaption && isCaption(q.Text):
			d.captions, d.numbers = append(d.captions, b), append(d.numbers, i)
		case q.isProse(size), isApart(q.Text):
			d.prose = append(d.prose, b)
		}
	}
	d.labels = slices.DeleteFunc(slices.Clone(c.words), d.hasProse)
	for _, b := range slices.Concat(c.drawn, images) {
		switch {
		case b.area() > mostFigure*page.area() || d.hasProse(b):
		case isRule(b):
			d.rules = append(d.rules, b)
		default:
			d.parts = append(d.parts, b)
		}
	}
	return d
}

// imageAlone is the share of images at which a drawing counts as nothing but images.
const imageAlone = 0.8

// coveredBy returns the share of a box that others cover, at most.
func coveredBy(b box, others []box) (share float64) {
	for _, o := range others {
		share += b.within(o).area() / b.area()
	}
	return share
}

// isProse reports whether a paragraph looks like running text: its lines are long, and it consists mostly of letters or has the given
// font size.
func (p Paragraph) isProse(size float64) bool {
	n, letters := 0, 0
	for _, r := range p.Text {
		n++
		if unicode.IsLetter(r) {
			letters++
		}
	}
	lines := max(1, math.Round((p.Top-p.Bottom)/(1.2*max(p.Size, 1))))
	running := 3*letters >= 2*n || 2*letters >= n && math.Abs(p.Size-size) < size/12
	return running && n >= 80 && p.Right-p.Left >= 120 && float64(n)/lines >= 28
}

// size returns the size of most text on a page.
func (c Content) size() (most float64) {
	chars := make(map[float64]int)
	for _, p := range c.Paragraphs {
		size := math.Round(2*p.Size) / 2
		if chars[size] += len(p.Text); chars[size] > chars[most] {
			most = size
		}
	}
	return most
}

// hasProse reports whether a box contains running text or a caption.
func (d *drawings) hasProse(b box) bool {
	inner := b.wider(-2)
	return slices.ContainsFunc(d.prose, inner.meets) || slices.ContainsFunc(d.captions, inner.meets)
}

// by returns the drawing above or below its caption.
func (d *drawings) by(caption box, above bool) (box, bool) {
	b, ok := d.seed(caption, above)
	if !ok {
		return box{}, false
	}
	b, drawn := d.grown(b, caption, above)
	if above {
		b.y0 = max(b.y0, caption.y1)
	} else {
		b.y1 = min(b.y1, caption.y0)
	}
	return b.within(d.page), min(b.x1-b.x0, b.y1-b.y0) >= leastFigure && drawn.area() >= leastInk*b.area() && b.area() <= mostFigure*d.page.area()
}

// seed returns the part next to a caption on one side, with no text of another kind between.
func (d *drawings) seed(caption box, above bool) (best box, found bool) {
	least := captionGap + 0.0
	for _, b := range slices.Concat(d.parts, d.rules) {
		far := b.y0 - caption.y1
		if !above {
			far = caption.y0 - b.y1
		}
		if far < -2*inkSquare || far >= least || !b.beside(caption) || max(b.x1-b.x0, b.y1-b.y0) < leastPart || !d.owns(caption, b, above) {
			continue
		}
		between := box{max(b.x0, caption.x0), min(b.y1, caption.y1) + 1, min(b.x1, caption.x1), max(b.y0, caption.y0) - 1}
		if slices.ContainsFunc(d.prose, between.meets) || slices.ContainsFunc(d.captions, between.meets) {
			continue
		}
		best, least, found = b, far, true
	}
	return best, found
}

// owns reports whether no other caption on the same side of a part, and not far behind the caption, is nearer to it: beside it
// rather than below or above it.
func (d *drawings) owns(caption, part box, above bool) bool {
	aside := func(b box) float64 {
		b = d.column(b)
		return max(0, b.x0-part.x1, part.x0-b.x1)
	}
	away := func(b box) float64 { return max(0, b.y0-part.y1, part.y0-b.y1) }
	return !slices.ContainsFunc(d.captions, func(o box) bool {
		if o == caption || (o.y1 < part.y0+2*inkSquare) != above || away(o) > away(caption)+captionGap {
			return false
		}
		return aside(o) < aside(caption) || aside(o) == aside(caption) && away(o) < away(caption)
	})
}

// column returns a caption, which may be short, in the width of the running text next to it.
func (d *drawings) column(caption box) box {
	best, least := caption, math.Inf(1)
	for _, b := range d.prose {
		far := max(b.y0-caption.y1, caption.y0-b.y1)
		if 2*(min(b.x1, caption.x1)-max(b.x0, caption.x0)) > caption.x1-caption.x0 && far < least {
			best, least = b, far
		}
	}
	return box{min(best.x0, caption.x0), caption.y0, max(best.x1, caption.x1), caption.y1}
}

// isRule reports whether a part is a long thin line.
func isRule(b box) bool {
	return min(b.x1-b.x0, b.y1-b.y0) <= thinPart+inkSquare && max(b.x1-b.x0, b.y1-b.y0) > longRule
}

// grown returns a drawing with everything that belongs to it, and the part of it that is drawn, starting from a part.
func (d *drawings) grown(seed, caption box, above bool) (all, drawn box) {
	all, drawn = seed, seed
	joins := func(o box, gap float64) bool {
		if !all.wider(gap).meets(o) || !d.owns(caption, o, above) {
			return false
		}
		with := all.around(o)
		if isRule(o) && o.x1-o.x0 > longRule && (with.x1-with.x0 > all.x1-all.x0+partGap || with.y1-with.y0 > all.y1-all.y0+labelGap) {
			return false // it divides the page
		}
		return !slices.ContainsFunc(d.prose, with.wider(-2).meets) && !with.wider(-2*inkSquare).meets(caption)
	}
	take := func(from []box, gap float64, isDrawn bool) []box {
		return slices.DeleteFunc(from, func(o box) bool {
			if !joins(o, gap) {
				return false
			}
			if all = all.around(o); isDrawn {
				drawn = drawn.around(o)
			}
			return true
		})
	}
	parts, rules, labels := slices.Clone(d.parts), slices.Clone(d.rules), slices.Clone(d.labels)
	for before := nowhere(); before != all; {
		before = all
		parts, rules, labels = take(parts, partGap, true), take(rules, partGap, true), take(labels, labelGap, false)
	}
	return all.wider(margin), drawn
}
