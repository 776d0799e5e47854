package pdf

import "math"

// A matrix is an affine transformation, in the order of PDF operands.
type matrix struct{ a, b, c, d, e, f float64 }

func identity() matrix { return matrix{a: 1, d: 1} }

// matrixOf returns the matrix of six operands, or the identity if there are not six.
func matrixOf(o []object) matrix {
	if len(o) != 6 {
		return identity()
	}
	return matrix{number(o[0]), number(o[1]), number(o[2]), number(o[3]), number(o[4]), number(o[5])}
}

// then returns m followed by n.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d,
		m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d,
		m.e*n.a + m.f*n.c + n.e, m.e*n.b + m.f*n.d + n.f,
	}
}

// moved returns a translation by x and y followed by m.
func (m matrix) moved(x, y float64) matrix { return matrix{1, 0, 0, 1, x, y}.then(m) }

// quarter returns how many quarter turns anticlockwise m rotates.
func (m matrix) quarter() int {
	turns := math.Round(math.Atan2(m.b, m.a) / (math.Pi / 2))
	return (int(turns) + 4) % 4
}

// turned rotates a point clockwise by a number of quarter turns.
func turned(x, y float64, quarters int) (float64, float64) {
	for range (quarters%4 + 4) % 4 {
		x, y = y, -x
	}
	return x, y
}

// finite reports whether all numbers are plausible coordinates.
func finite(numbers ...float64) bool {
	for _, n := range numbers {
		if math.IsNaN(n) || math.Abs(n) > 1e7 {
			return false
		}
	}
	return true
}
