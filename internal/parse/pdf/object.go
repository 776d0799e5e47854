package pdf

import "math"

// An object is a PDF object (ISO 32000-1, section 7.3): nil, bool, float64,
// text, name, array, dict, *stream or ref. In content streams it may also be
// an operator.
type object any

type (
	text     string // the bytes of a string object
	name     string // without its slash
	operator string
	array    []object
	dict     map[name]object
)

// A ref is a reference to an indirect object.
type ref struct{ number, generation int }

// A stream is a dictionary with encoded data.
type stream struct {
	dict dict
	data []byte // as in the file
	of   ref    // its object, by which the data are encrypted
}

// number returns o as a number, or 0 if it is none.
func number(o object) float64 {
	n, _ := o.(float64)
	return n
}

// integer returns o as an integer, or 0 if it is none or implausibly large.
func integer(o object) int {
	n := number(o)
	if math.IsNaN(n) || math.Abs(n) > 1<<40 {
		return 0
	}
	return int(n)
}
