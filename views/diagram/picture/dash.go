package picture

import (
	"math"

	"github.com/clewhq/clew/views/diagram"
)

type point = diagram.XY

func xy(x, y float64) point { return point{X: x, Y: y} }

// dashed cuts a line into strokes of 2 with gaps of 3.
func dashed(line []point) [][]point {
	const on, off = 2.0, 3.0
	var all [][]point
	var dash []point
	left, drawing := on, true
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		length := math.Hypot(b.X-a.X, b.Y-a.Y)
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

func along(a, b point, t float64) point { return xy(a.X+(b.X-a.X)*t, a.Y+(b.Y-a.Y)*t) }
