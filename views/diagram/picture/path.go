package picture

import (
	"math"
	"strconv"
)

type point struct{ x, y float64 }

// reader reads the d attribute of a path.
type reader struct {
	rest string
	at   point
	from point // of the current line
	all  [][]point
}

// flatten returns the lines of a path, with its curves as many short ones. It knows the commands that drawings use.
func flatten(d string) [][]point {
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
		r.move(point{r.number(), r.number()})
	case 'm':
		r.move(r.by())
	case 'L':
		r.line(point{r.number(), r.number()})
	case 'l':
		r.line(r.by())
	case 'H':
		r.line(point{r.number(), r.at.y})
	case 'V':
		r.line(point{r.at.x, r.number()})
	case 'v':
		r.line(point{r.at.x, r.at.y + r.number()})
	case 'C':
		r.curve(point{r.number(), r.number()}, point{r.number(), r.number()}, point{r.number(), r.number()})
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
		n = 0 // the drawing is our own
	}
	r.rest = r.rest[i:]
	return n
}

func (r *reader) by() point { return point{r.at.x + r.number(), r.at.y + r.number()} }

func (r *reader) move(to point) {
	r.at, r.from = to, to
	r.all = append(r.all, []point{to})
}

func (r *reader) line(to point) {
	r.at = to
	last := &r.all[len(r.all)-1]
	*last = append(*last, to)
}

// pieces is of how many lines a curve is made.
const pieces = 16

func (r *reader) curve(a, b, to point) {
	from := r.at
	for i := 1; i <= pieces; i++ {
		t := float64(i) / pieces
		u := 1 - t
		mix := func(p0, p1, p2, p3 float64) float64 { return u*u*u*p0 + 3*u*u*t*p1 + 3*u*t*t*p2 + t*t*t*p3 }
		r.line(point{mix(from.x, a.x, b.x, to.x), mix(from.y, a.y, b.y, to.y)})
	}
}

// arc draws at most half of a circle to a point.
func (r *reader) arc() {
	radius := r.number()
	for range 3 {
		r.number() // the other radius, the rotation, and which of the two arcs: the short one
	}
	clockwise := r.number() > 0
	from := r.at
	to := r.by()
	dx, dy := to.x-from.x, to.y-from.y
	chord := math.Hypot(dx, dy)
	if chord == 0 {
		return
	}
	radius = max(radius, chord/2)
	side := math.Sqrt(radius*radius-chord*chord/4) / chord
	if clockwise {
		side = -side
	}
	centre := point{(from.x+to.x)/2 + side*dy, (from.y+to.y)/2 - side*dx}
	begin := math.Atan2(from.y-centre.y, from.x-centre.x)
	turn := math.Atan2(to.y-centre.y, to.x-centre.x) - begin
	if clockwise && turn <= 0 {
		turn += 2 * math.Pi
	} else if !clockwise && turn >= 0 {
		turn -= 2 * math.Pi
	}
	for i := 1; i <= pieces; i++ {
		angle := begin + turn*float64(i)/pieces
		r.line(point{centre.x + radius*math.Cos(angle), centre.y + radius*math.Sin(angle)})
	}
}

// dashed cuts a line into strokes of 2 with gaps of 3.
func dashed(line []point) [][]point {
	const on, off = 2.0, 3.0
	var all [][]point
	var dash []point
	left, drawing := on, true
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		length := math.Hypot(b.x-a.x, b.y-a.y)
		for at := 0.0; at < length; {
			step := min(left, length-at)
			p, q := along(a, b, at/length), along(a, b, (at+step)/length)
			if drawing {
				dash = append(dash, p, q)
			}
			at, left = at+step, left-step
			if left > 0 {
				continue
			}
			if drawing {
				all, dash, left = append(all, dash), nil, off
			} else {
				left = on
			}
			drawing = !drawing
		}
	}
	if len(dash) > 0 {
		all = append(all, dash)
	}
	return all
}

func along(a, b point, t float64) point { return point{a.x + (b.x-a.x)*t, a.y + (b.y-a.y)*t} }
