package pdf

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"math"
	"slices"

	"golang.org/x/image/ccitt"
)

// ErrPicture means that the images of a page are coded in a way that is not read,
// such as JBIG2 or JPEG 2000, are damaged, or are too large.
var ErrPicture = errors.New("the images of the page can't be read")

// Limits on a scan: pixels of an image and of what is drawn, and images of a page.
const (
	maxPixels = 64 << 20
	maxDrawn  = 12 << 20 // a page of A4 at 340 dots per inch
	maxPlaced = 200
)

// A placed image is drawn on the unit square, as m moves it.
type placed struct {
	image *stream
	m     matrix
}

// Scan draws the images of a page in grey, as the page shows them.
func (f *File) Scan(ctx context.Context, p Page) (*image.Gray, error) {
	in := interpreter{ctx: ctx, file: f, state: initialState()}
	in.run(f.content(p), f.dict(p.resources), 0)
	var pictures []picture
	for _, i := range in.placed {
		if g := f.picture(i.image); g != nil {
			pictures = append(pictures, picture{g, i.m.then(quarters(p.rotate / 90))})
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if f.Exceeded() || len(pictures) == 0 {
		return nil, ErrPicture
	}
	return drawn(ctx, pictures)
}

// quarters returns the rotation by a number of clockwise quarter turns.
func quarters(n int) matrix {
	m := identity()
	for range (n%4 + 4) % 4 {
		m = m.then(matrix{0, -1, 1, 0, 0, 0})
	}
	return m
}

// A picture is an image with its place.
type picture struct {
	*image.Gray
	m matrix
}

// bounds returns the smallest box around all pictures, and the most dots that one
// has for a unit of length.
func bounds(pictures []picture) (x0, y0, x1, y1, scale float64) {
	x0, y0, x1, y1 = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, p := range pictures {
		for _, corner := range []matrix{p.m, p.m.moved(1, 0), p.m.moved(0, 1), p.m.moved(1, 1)} {
			x0, y0, x1, y1 = min(x0, corner.e), min(y0, corner.f), max(x1, corner.e), max(y1, corner.f)
		}
	}
	for _, p := range pictures {
		width, height := math.Hypot(p.m.a, p.m.b), math.Hypot(p.m.c, p.m.d)
		if width*height*4 >= (x1-x0)*(y1-y0) || scale == 0 {
			scale = max(scale, float64(p.Rect.Dx())/width)
		}
	}
	return x0, y0, x1, y1, scale
}

// drawn draws pictures one over the other.
func drawn(ctx context.Context, pictures []picture) (*image.Gray, error) {
	x0, y0, x1, y1, scale := bounds(pictures)
	width, height := x1-x0, y1-y0
	if !finite(x0, y0, x1, y1) || !finite(scale) || width <= 0 || height <= 0 {
		return nil, ErrPicture
	}
	scale = min(scale, math.Sqrt(maxDrawn/(width*height)))
	w, h := int(width*scale), int(height*scale)
	if w < 1 || h < 1 || w > maxDrawn || h > maxDrawn {
		return nil, ErrPicture
	}
	out := image.NewGray(image.Rect(0, 0, w, h))
	for i := range out.Pix {
		out.Pix[i] = 255
	}
	for _, p := range pictures {
		back, ok := p.m.inverse()
		if !ok {
			continue
		}
		for y := range h {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			for x := range w {
				if v, ok := p.at(back, x0+float64(x)/scale, y1-float64(y)/scale, 1/scale); ok {
					out.Pix[y*out.Stride+x] = v
				}
			}
		}
	}
	return out, nil
}

// at returns the colour of a picture in a small square of the page, from four points in it.
func (p picture) at(back matrix, x, y, side float64) (uint8, bool) {
	sum, n := 0, 0
	for i := range 4 {
		at := back.moved(0, 0)
		px, py := x+side*(0.25+0.5*float64(i%2)), y-side*(0.25+0.5*float64(i/2))
		u, v := at.a*px+at.c*py+at.e, at.b*px+at.d*py+at.f
		if u < 0 || u >= 1 || v <= 0 || v > 1 {
			continue
		}
		sum += int(p.Pix[int((1-v)*float64(p.Rect.Dy()))*p.Stride+int(u*float64(p.Rect.Dx()))])
		n++
	}
	if n == 0 {
		return 0, false
	}
	return uint8(sum / n), true
}

// inverse returns the matrix that undoes m, if there is one.
func (m matrix) inverse() (matrix, bool) {
	d := m.a*m.d - m.b*m.c
	if d == 0 || math.IsNaN(d) || math.IsInf(1/d, 0) {
		return matrix{}, false
	}
	return matrix{m.d / d, -m.b / d, -m.c / d, m.a / d, (m.c*m.f - m.d*m.e) / d, (m.b*m.e - m.a*m.f) / d}, true
}

// picture decodes an image (section 8.9.5), or returns nil.
func (f *File) picture(s *stream) *image.Gray {
	width, height := integer(f.resolve(s.dict["Width"])), integer(f.resolve(s.dict["Height"]))
	data, coding, params := f.unfilter(s)
	if width < 1 || height < 1 || width > maxPixels/height || !f.spend(width*height) {
		return nil
	}
	switch coding {
	case "DCTDecode", "DCT":
		return photo(data)
	case "CCITTFaxDecode", "CCF":
		return f.fax(data, params, width, height)
	case "":
		return f.raster(s.dict, data, width, height)
	}
	return nil
}

// photo decodes a JPEG.
func photo(data []byte) *image.Gray {
	c, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil || c.Width > maxPixels/max(1, c.Height) {
		return nil
	}
	decoded, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	switch d := decoded.(type) {
	case *image.Gray:
		return d
	case *image.YCbCr: // its first plane is the grey
		return &image.Gray{Pix: d.Y, Stride: d.YStride, Rect: d.Rect}
	}
	out := image.NewGray(decoded.Bounds())
	for y := range c.Height {
		for x := range c.Width {
			out.Set(x, y, decoded.At(x, y))
		}
	}
	return out
}

// fax decodes the coding of fax machines (section 7.4.6).
func (f *File) fax(data []byte, params dict, width, height int) *image.Gray {
	k := integer(f.resolve(params["K"]))
	if k > 0 { // lines of both kinds
		return nil
	}
	format := ccitt.Group3
	if k < 0 {
		format = ccitt.Group4
	}
	black, _ := f.resolve(params["BlackIs1"]).(bool)
	aligned, _ := f.resolve(params["EncodedByteAlign"]).(bool)
	if columns := integer(f.resolve(params["Columns"])); columns > 0 && columns != width {
		return nil
	}
	out := image.NewGray(image.Rect(0, 0, width, height))
	if ccitt.DecodeIntoGray(out, bytes.NewReader(data), ccitt.MSB, format, &ccitt.Options{Align: aligned, Invert: black}) != nil {
		return nil
	}
	return out
}

// A colour describes how to read samples (section 8.6).
type colour struct {
	parts   int     // samples of a pixel
	palette []uint8 // grey of each index
	ink     bool    // 0 is white
}

// colourOf reads a colour space.
func (f *File) colourOf(o object, depth int) colour {
	switch o := f.resolve(o).(type) {
	case name:
		switch o {
		case "DeviceRGB", "RGB", "CalRGB", "Lab":
			return colour{parts: 3}
		case "DeviceCMYK", "CMYK":
			return colour{parts: 4, ink: true}
		}
	case array:
		if len(o) < 2 || depth > 2 {
			break
		}
		switch kind, _ := f.resolve(o[0]).(name); kind {
		case "ICCBased":
			n := integer(f.resolve(f.dict(o[1])["N"]))
			return colour{parts: min(max(n, 1), 4), ink: n == 4}
		case "Indexed", "I":
			if len(o) == 4 {
				return colour{parts: 1, palette: f.palette(f.colourOf(o[1], depth+1), o[3])}
			}
		case "Separation":
			return colour{parts: 1, ink: true}
		default:
			return f.colourOf(kind, depth+1)
		}
	}
	return colour{parts: 1}
}

// palette returns the greys of a table of colours.
func (f *File) palette(base colour, table object) (greys []uint8) {
	var data []byte
	switch t := f.resolve(table).(type) {
	case text:
		data = []byte(t)
	case *stream:
		data = f.decode(t)
	}
	for ; len(data) >= base.parts && len(greys) < 256; data = data[base.parts:] {
		greys = append(greys, base.grey(data[:base.parts]))
	}
	return greys
}

// grey returns the grey of a pixel's samples.
func (c colour) grey(samples []uint8) uint8 {
	grey := int(samples[0])
	switch len(samples) {
	case 3:
		grey = (299*int(samples[0]) + 587*int(samples[1]) + 114*int(samples[2])) / 1000
	case 4:
		grey = min(255, (299*int(samples[0])+587*int(samples[1])+114*int(samples[2]))/1000+int(samples[3]))
	}
	if c.ink {
		grey = 255 - grey
	}
	return uint8(grey)
}

// raster reads uncompressed samples.
func (f *File) raster(d dict, data []byte, width, height int) *image.Gray {
	bits := integer(f.resolve(d["BitsPerComponent"]))
	c := f.colourOf(d["ColorSpace"], 0)
	if mask, _ := f.resolve(d["ImageMask"]).(bool); mask {
		bits, c = 1, colour{parts: 1}
	}
	if bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16 {
		return nil
	}
	decode := f.array(d["Decode"])
	inverted := c.palette == nil && len(decode) >= 2 && number(f.resolve(decode[0])) > number(f.resolve(decode[1]))
	row := (width*c.parts*bits + 7) / 8
	out := image.NewGray(image.Rect(0, 0, width, height))
	samples := make([]uint8, c.parts)
	for y := range min(height, len(data)/max(1, row)) {
		line := data[y*row : (y+1)*row]
		for x := range width {
			for i := range samples {
				samples[i] = sample(line, (x*c.parts+i)*bits, bits, c.palette == nil)
			}
			grey := uint8(255)
			switch {
			case c.palette == nil:
				grey = c.grey(samples)
			case int(samples[0]) < len(c.palette):
				grey = c.palette[samples[0]]
			}
			if inverted {
				grey = 255 - grey
			}
			out.Pix[y*out.Stride+x] = grey
		}
	}
	return out
}

// sample returns the bits at a place of a line, stretched to eight if asked for.
func sample(line []byte, at, bits int, stretched bool) uint8 {
	if bits >= 8 {
		return line[at/8]
	}
	v := line[at/8] >> (8 - bits - at%8) & (1<<bits - 1)
	if stretched {
		v *= 255 / (1<<bits - 1)
	}
	return v
}

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
	white           // white on white
	invisible       // by its rendering mode
)

// Limits on the drawing that is remembered of a page. If a page draws more, white text on it is assumed to be visible.
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

// A canvas remembers what a page draws besides text, as far as it determines which text is visible.
type canvas struct {
	painted  []painted
	more     bool // more than is remembered
	pictures []box
	rules    []rule

	path       box // around the path being built
	points     int
	rectangles int
	other      bool // segments that don't form a rectangle
	clips      bool // it will clip later drawing
	lines      []rule
	atX, atY   float64
}

// paint applies an operator of colours, paths or shadings, and reports whether it was one.
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
		in.ink.add(s.clip, s.clip)
		in.canvas.fill(painted{box: box{math.Inf(-1), math.Inf(-1), math.Inf(1), math.Inf(1)}})
	default:
		return in.draws(op, operands)
	}
	return true
}

// setSheer records the transparency of a graphics state dictionary (section 11.6).
func (in *interpreter) setSheer(d dict) {
	alpha, opacity := in.file.resolve(d["ca"]).(float64)
	blend, mixed := in.file.resolve(d["BM"]).(name)
	mask := in.file.resolve(d["SMask"])
	if opacity || mixed || mask != nil {
		_, masked := mask.(dict)
		in.canvas.more = in.canvas.more || masked // masks are not followed
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
	case "W", "W*":
		c.clips = c.points > 0
	case "f", "F", "f*", "b", "b*", "B", "B*":
		if c.points > 0 && (!in.state.white || op[0] != 'f' && op[0] != 'F') {
			in.ink.add(c.path, in.state.clip)
		}
		in.clip()
		c.fillPath(in.state.white, in.state.sheer)
	case "s", "S":
		if c.points > 0 {
			in.ink.add(c.path, in.state.clip)
		}
		in.clip()
		for _, l := range c.lines {
			if l.thickness == 0 {
				l.thickness = in.state.thickness * math.Hypot(m.c, m.d)
				c.rule(l)
			}
		}
		c.end()
	case "n":
		in.clip()
		c.end()
	default:
		return false
	}
	return true
}

// clip narrows what may be drawn on to the path, if that was asked for.
func (in *interpreter) clip() {
	if in.canvas.clips {
		in.state.clip = in.state.clip.within(in.canvas.path)
	}
	in.canvas.clips = false
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

// picture records an image, which fills the unit square.
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
	Invisible bool // not drawn, and not recognised text of an image
	Beyond    bool // beyond the edges of the page
	Struck    bool // crossed out
}

// sift leaves out the characters that are invisible on the page. Text that is not drawn is kept over an image, of which
// it is the recognised text, and where the page shows no other.
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
