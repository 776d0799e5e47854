package parse

import (
	"strings"

	"github.com/clewhq/clew/internal/parse/script"
)

// An rtfField is a field whose end is not read yet.
type rtfField struct {
	depth       int // of its group
	at          int // the size of the paragraph where it begins
	instruction strings.Builder
}

func (r *rtfReader) openField() {
	if len(r.fields) < maxTables {
		r.fields = append(r.fields, rtfField{depth: len(r.stack), at: r.text.Len()})
	}
}

// instruct adds to the instruction of the innermost field.
func (r *rtfReader) instruct(s string) {
	if n := len(r.fields); n > 0 && r.fields[n-1].instruction.Len() < maxInstruction {
		r.fields[n-1].instruction.WriteString(s)
	}
}

// closeField ends the field whose group ends. Without a result it shows what its instruction
// says.
func (r *rtfReader) closeField() {
	n := len(r.fields)
	if n == 0 || r.fields[n-1].depth != len(r.stack) {
		return
	}
	f := &r.fields[n-1]
	if text, look := shownByField(f.instruction.String()); r.text.Len() == f.at && !r.state.out && !r.state.hidden {
		if look == script.Plain {
			look = r.state.look()
		}
		r.text.Add(look, text)
	}
	r.fields = r.fields[:n-1]
}
