package parse

import (
	"encoding/xml"

	"github.com/clewhq/clew/internal/parse/script"
)

// A formulaReader gathers the elements of a formula. The zero formulaReader has
// none open.
type formulaReader struct {
	open  []*script.Node
	depth int // of elements beyond the limit
	size  int
}

// reads reports whether a formula is open.
func (f *formulaReader) reads() bool { return len(f.open) > 0 }

func (f *formulaReader) start(t xml.StartElement) {
	if len(f.open) >= script.MaxDepth {
		f.depth++
		return
	}
	n := &script.Node{Name: t.Name.Local, Val: map[string]string{}}
	for _, a := range t.Attr {
		n.Val[a.Name.Local] = a.Value
	}
	if f.reads() {
		last := f.open[len(f.open)-1]
		last.Kids = append(last.Kids, n)
	}
	f.open = append(f.open, n)
}

// text adds text to the innermost element.
func (f *formulaReader) text(s string) {
	if n := len(f.open); n > 0 && f.depth == 0 {
		f.open[n-1].Kids = append(f.open[n-1].Kids, &script.Node{Text: s})
		f.size += len(s)
	}
}

// end ends an element. At the end of the formula it returns its line.
func (f *formulaReader) end() (line string, done bool) {
	if f.depth > 0 {
		f.depth--
		return "", false
	}
	root := f.open[0]
	f.open = f.open[:len(f.open)-1]
	if f.reads() {
		return "", false
	}
	return root.Linear(), true
}
