package pdf

import (
	"math"
	"slices"
)

// A box is a rectangle on the page.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) holds(x, y float64) bool { return x >= b.x0 && x <= b.x1 && y >= b.y0 && y <= b.y1 }

// with returns the smallest box around b and a point.
func (b box) with(x, y float64) box {
	return box{min(b.x0, x), min(b.y0, y), max(b.x1, x), max(b.y1, y)}
}

func nowhere() box {
	return box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
}

// misses reports whether text from start to end lies outside the box of a page.
// Those without an extent miss nothing.
func (b box) misses(start, end matrix, size float64) bool {
	if b.x1-b.x0 < 1 || b.y1-b.y0 < 1 {
		return false
	}
	return max(start.e, end.e) < b.x0-size || min(start.e, end.e) > b.x1+size || max(start.f, end.f) < b.y0-size || min(start.f, end.f) > b.y1+size
}

// shown is whether a reader of the page sees a character.
type shown uint8

const (
	seen      shown = iota
	white           // on white
	invisible       // by its mode of rendering
)

// The limits of what is remembered of a page's drawing. White text on a page
// that draws more is taken to be seen.
const (
	maxPainted = 500
	maxRules   = 500
	maxPath    = 10_000 // points of a path
)

// painted is an area that is filled with a colour.
type painted struct {
	box
	white bool
}

// A rule is a thin straight line.
type rule struct{ x0, y0, x1, y1, thickness float64 }

// A canvas remembers what a page draws besides text, as far as it decides which
// text is seen.
type canvas struct {
	painted  []painted
	more     bool // than is remembered
	pictures []box
	rules    []rule

	path       box // around the path being built
	points     int
	rectangles int
	other      bool // segments that are not those of a rectangle
	lines      []rule
	atX, atY   float64
}

// paint applies an operator of colours, paths or shadings, and reports whether it
// is one.
func (in *interpreter) paint(op operator, operands []object, resources dict) bool {
	s := &in.state
	switch op {
	case "g":
		s.fill = colour{parts: 1}
		s.white = s.fill.isWhite(operands)
	case "rg":
		s.fill = colour{parts: 3}
		s.white = s.fill.isWhite(operands)
	case "k":
		s.fill = colour{parts: 4, ink: true}
		s.white = s.fill.isWhite(operands)
	case "cs":
		s.fill, s.white = in.space(last(operands), resources), false
	case "sc", "scn":
		s.white = s.fill.isWhite(operands)
	case "gs":
		key, _ := last(operands).(name)
		in.setSheer(in.file.dict(in.file.dict(resources["ExtGState"])[key]))
	case "w":
		s.thickness = number(last(operands))
	case "sh":
		in.canvas.fill(painted{box: box{math.Inf(-1), math.Inf(-1), math.Inf(1), math.Inf(1)}})
	default:
		return in.draws(op, operands)
	}
	return true
}

// setSheer notes what a dictionary of the graphics state says of transparency
// (section 11.6).
func (in *interpreter) setSheer(d dict) {
	alpha, opacity := in.file.resolve(d["ca"]).(float64)
	blend, mixed := in.file.resolve(d["BM"]).(name)
	mask := in.file.resolve(d["SMask"])
	if opacity || mixed || mask != nil {
		_, masked := mask.(dict)
		in.canvas.more = in.canvas.more || masked // a mask draws what is not followed
		in.state.sheer = opacity && alpha < 1 || mixed && blend != "Normal" && blend != "Compatible" || masked
	}
}

// space returns a colour space by its name.
func (in *interpreter) space(o object, resources dict) colour {
	key, _ := o.(name)
	if c, ok := in.spaces[key]; ok {
		return c
	}
	c := colour{}
	switch key {
	case "Pattern":
	case "DeviceGray", "G", "CalGray":
		c = colour{parts: 1}
	case "DeviceRGB", "RGB", "DeviceCMYK", "CMYK":
		c = in.file.colourOf(key, 0)
	default:
		if o := in.file.dict(resources["ColorSpace"])[key]; o != nil {
			c = in.file.colourOf(o, 0)
		}
	}
	if in.spaces == nil {
		in.spaces = make(map[name]colour)
	}
	in.spaces[key] = c
	return c
}

// isWhite reports whether a colour is white, or nearly.
func (c colour) isWhite(operands []object) bool {
	if c.parts == 0 || len(operands) != c.parts {
		return false
	}
	for _, o := range operands {
		v, ok := o.(float64)
		switch {
		case !ok:
			return false
		case c.palette != nil:
			i := int(v)
			if i < 0 || i >= len(c.palette) || c.palette[i] < 247 {
				return false
			}
		case c.ink && v > 0.03, !c.ink && v < 0.97:
			return false
		}
	}
	return true
}

// draws applies an operator that builds or paints a path.
func (in *interpreter) draws(op operator, operands []object) bool {
	c, m := &in.canvas, in.state.ctm
	at := func(i int) (float64, float64) {
		p := m.moved(number(operands[i]), number(operands[i+1]))
		return p.e, p.f
	}
	switch n := len(operands); op {
	case "m", "l":
		if n >= 2 {
			x, y := at(n - 2)
			c.to(x, y, op == "l")
		}
	case "c", "v", "y":
		for i := 0; i+1 < n; i += 2 {
			x, y := at(i)
			c.to(x, y, false)
		}
		c.other = true
	case "re":
		if n >= 4 {
			x, y := number(operands[n-4]), number(operands[n-3])
			w, h := number(operands[n-2]), number(operands[n-1])
			for _, p := range []matrix{m.moved(x, y), m.moved(x+w, y), m.moved(x+w, y+h), m.moved(x, y+h)} {
				c.to(p.e, p.f, false)
			}
			c.rectangles++
			c.rectangle(m.moved(x, y+h/2), m.moved(x+w, y+h/2), math.Abs(h)*math.Hypot(m.c, m.d))
		}
	case "h":
	case "f", "F", "f*", "b", "b*", "B", "B*":
		c.fillPath(in.state.white, in.state.sheer)
	case "s", "S":
		for _, l := range c.lines {
			if l.thickness == 0 {
				l.thickness = in.state.thickness * math.Hypot(m.c, m.d)
				c.rule(l)
			}
		}
		c.end()
	case "n":
		c.end()
	default:
		return false
	}
	return true
}

// to adds a point to the path, and the line that leads there.
func (c *canvas) to(x, y float64, line bool) {
	if c.points == 0 {
		c.path = nowhere()
	}
	if c.points++; c.points > maxPath {
		return
	}
	c.path = c.path.with(x, y)
	if line {
		c.other = true
		if len(c.lines) < maxRules {
			c.lines = append(c.lines, rule{c.atX, c.atY, x, y, 0})
		}
	}
	c.atX, c.atY = x, y
}

// rectangle adds the line that a thin rectangle is.
func (c *canvas) rectangle(start, end matrix, thickness float64) {
	if len(c.lines) < maxRules {
		c.lines = append(c.lines, rule{start.e, start.f, end.e, end.f, thickness})
	}
}

// fillPath fills the path. What is filled with white covers what is below only
// where it is certain to: a rectangle that is not sheer.
func (c *canvas) fillPath(white, sheer bool) {
	if !white {
		for _, l := range c.lines {
			if l.thickness > 0 {
				c.rule(l)
			}
		}
	}
	if c.points > 0 && (!white || c.rectangles == 1 && !c.other && !sheer) {
		c.fill(painted{c.path, white})
	}
	c.end()
}

func (c *canvas) fill(p painted) {
	if len(c.painted) < maxPainted {
		c.painted = append(c.painted, p)
	} else {
		c.more = true
	}
}

func (c *canvas) rule(r rule) {
	if len(c.rules) < maxRules && finite(r.x0, r.y0, r.x1, r.y1, r.thickness) {
		c.rules = append(c.rules, r)
	}
}

func (c *canvas) end() {
	c.points, c.rectangles, c.other, c.lines = 0, 0, false, c.lines[:0]
}

// picture notes an image, which fills the unit square.
func (c *canvas) picture(m matrix) {
	b := nowhere()
	for _, p := range []matrix{m, m.moved(1, 0), m.moved(0, 1), m.moved(1, 1)} {
		b = b.with(p.e, p.f)
	}
	c.fill(painted{box: b})
	if len(c.pictures) < maxPlaced {
		c.pictures = append(c.pictures, b)
	}
}

// isWhite reports whether a place is white.
func (c *canvas) isWhite(x, y float64) bool {
	if c.more {
		return false
	}
	for _, p := range slices.Backward(c.painted) {
		if p.holds(x, y) {
			return p.white
		}
	}
	return true
}

// shownAt returns whether text in the current state is seen, with its middle at
// a place.
func (in *interpreter) shownAt(x, y float64) shown {
	switch s := &in.state; {
	case s.mode == 3:
		return invisible
	case s.white && (s.mode == 0 || s.mode == 4) && in.canvas.isWhite(x, y):
		return white
	}
	return seen
}

// Hidden is why text of a page is left out that no reader of it sees.
type Hidden struct {
	White     bool // on white
	Invisible bool // not drawn, and no recognised text of an image
	Beyond    bool // the edges of the page
	Struck    bool // crossed out
}

// sift leaves out the characters that no reader of the page sees. Text that is
// not drawn is kept over an image, of which it is the recognised text, and where
// the page shows no other.
func (in *interpreter) sift() (h Hidden) {
	anySeen := slices.ContainsFunc(in.chars, func(c char) bool { return c.shown == seen && !c.beyond && !blank(c.text) })
	in.chars = slices.DeleteFunc(in.chars, func(c char) bool {
		switch {
		case c.shown == white:
			h.White = h.White || !blank(c.text)
			return true
		case c.shown == invisible && anySeen:
			x, y := turned((c.x0+c.x1)/2, c.y+0.3*c.size, -int(c.turn))
			if !slices.ContainsFunc(in.canvas.pictures, func(b box) bool { return b.holds(x, y) }) {
				h.Invisible = h.Invisible || !blank(c.text)
				return true
			}
		}
		return false
	})
	return h
}
