package pdf

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

// ref points at an indirect object.
type ref struct{ number, generation int }

// stream is a dictionary with packed data.
type stream struct {
	dict dict
	data []byte // as in the file
}

// number is o as a number; 0 when it is none.
func number(o object) float64 {
	n, _ := o.(float64)
	return n
}

// integer is o as an integer within what a file can mean; 0 when it is none.
func integer(o object) int {
	n := number(o)
	if n != n || n > 1<<40 || n < -1<<40 {
		return 0
	}
	return int(n)
}
