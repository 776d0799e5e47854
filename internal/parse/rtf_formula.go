package parse

import (
	"encoding/xml"
	"strings"

	"github.com/clewhq/clew/internal/parse/script"
)

// An rtfFormula reads a formula, whose elements are groups that are called like those of
// Office, with an m before.
type rtfFormula struct {
	formulaReader
	depths []int // of the groups of the open elements
	said   strings.Builder
	value  bool // the text is that of a property
}

// word obeys a control word, and reports whether it is one of the formula: it begins a group.
func (f *rtfFormula) word(r *rtfReader, word string) bool {
	name, ok := strings.CutPrefix(word, "m")
	switch {
	case word == "moMath" && !f.reads():
		r.state.out = r.state.outside
		if r.state.out {
			return true
		}
	case word == "moMathPara" && !f.reads():
		r.state.out = r.state.outside
		return true
	case !f.reads() || !ok || name == "" || f.depths[len(f.depths)-1] == len(r.stack):
		return false
	}
	f.value = len(f.depths) > 0 && strings.HasSuffix(f.open[len(f.open)-1].Name, "Pr")
	f.said.Reset()
	f.start(xml.StartElement{Name: xml.Name{Local: name}})
	f.depths = append(f.depths, len(r.stack))
	return true
}

func (f *rtfFormula) text(s string) {
	if f.value {
		f.said.WriteString(s)
		return
	}
	f.formulaReader.text(s)
}

// close ends the element whose group ends.
func (f *rtfFormula) close(r *rtfReader) {
	n := len(f.depths)
	if n == 0 || f.depths[n-1] != len(r.stack) {
		return
	}
	f.depths = f.depths[:n-1]
	if f.value && f.depth == 0 {
		f.open[len(f.open)-1].Val["val"] = strings.TrimSpace(f.said.String())
		f.value = false
	}
	if line, done := f.end(); done {
		r.text.Add(script.Formula, line)
	}
}
