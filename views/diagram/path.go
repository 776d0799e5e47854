package diagram

import (
	"math"
	"strconv"
)

// An XY is a place in a drawing.
type XY struct{ X, Y float64 }

// reader reads the d attribute of a path.
type reader struct {
	rest string
	at   XY
	from XY // of the current line
	all  [][]XY
}

// Flatten returns the lines of a path, with its curves as many short ones. It knows the commands that drawings use.
func Flatten(d string) [][]XY {
	r := &reader{rest: d}
	for r.rest != "" {
		command := r.rest[0]
		r.rest = r.rest[1:]
		r.draw(command)
	}
	return r.all
}

func (r *reader) draw(command byte) {
	switch command {
	case 'M':
		r.move(XY{r.number(), r.number()})
	case 'm':
		r.move(r.by())
	case 'L':
		r.line(XY{r.number(), r.number()})
	case 'l':
		r.line(r.by())
	case 'H':
		r.line(XY{r.number(), r.at.Y})
	case 'V':
		r.line(XY{r.at.X, r.number()})
	case 'v':
		r.line(XY{r.at.X, r.at.Y + r.number()})
	case 'C':
		r.curve(XY{r.number(), r.number()}, XY{r.number(), r.number()}, XY{r.number(), r.number()})
	case 'a':
		r.arc()
	case 'z':
		r.line(r.from)
	}
}

// number reads the next number. A sign begins another one.
func (r *reader) number() float64 {
	i := 0
	for i < len(r.rest) && (r.rest[i] == ' ' || r.rest[i] == ',') {
		i++
	}
	start := i
	for i < len(r.rest) && (r.rest[i] >= '0' && r.rest[i] <= '9' || r.rest[i] == '.' || r.rest[i] == '-' && i == start) {
		i++
	}
	n, err := strconv.ParseFloat(r.rest[start:i], 64)
	if err != nil {
		n = 0 // the drawing is ours
	}
	r.rest = r.rest[i:]
	return n
}

func (r *reader) by() XY { return XY{r.at.X + r.number(), r.at.Y + r.number()} }

func (r *reader) move(to XY) {
	r.at, r.from = to, to
	r.all = append(r.all, []XY{to})
}

func (r *reader) line(to XY) {
	r.at = to
	last := &r.all[len(r.all)-1]
	*last = append(*last, to)
}

// pieces is of how many lines a curve is made.
const pieces = 16

func (r *reader) curve(a, b, to XY) {
	from := r.at
	for i := 1; i <= pieces; i++ {
		t := float64(i) / pieces
		u := 1 - t
		mix := func(p0, p1, p2, p3 float64) float64 { return u*u*u*p0 + 3*u*u*t*p1 + 3*u*t*t*p2 + t*t*t*p3 }
		r.line(XY{mix(from.X, a.X, b.X, to.X), mix(from.Y, a.Y, b.Y, to.Y)})
	}
}

// arc draws at most half of a circle to a place.
func (r *reader) arc() {
	radius := r.number()
	for range 3 {
		r.number() // the other radius, the rotation, and which of the two arcs: the short one
	}
	clockwise := r.number() > 0
	from := r.at
	to := r.by()
	dx, dy := to.X-from.X, to.Y-from.Y
	chord := math.Hypot(dx, dy)
	if chord == 0 {
		return
	}
	radius = max(radius, chord/2)
	side := math.Sqrt(radius*radius-chord*chord/4) / chord
	if clockwise {
		side = -side
	}
	centre := XY{(from.X+to.X)/2 + side*dy, (from.Y+to.Y)/2 - side*dx}
	begin := math.Atan2(from.Y-centre.Y, from.X-centre.X)
	turn := math.Atan2(to.Y-centre.Y, to.X-centre.X) - begin
	if clockwise && turn <= 0 {
		turn += 2 * math.Pi
	} else if !clockwise && turn >= 0 {
		turn -= 2 * math.Pi
	}
	for i := 1; i <= pieces; i++ {
		angle := begin + turn*float64(i)/pieces
		r.line(XY{centre.X + radius*math.Cos(angle), centre.Y + radius*math.Sin(angle)})
	}
}
