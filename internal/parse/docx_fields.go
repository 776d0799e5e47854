package parse

import (
	"encoding/xml"
	"strings"

	"github.com/clewhq/clew/internal/parse/script"
)

// A docxField is a field whose end is not read yet.
type docxField struct {
	in          *docxParagraph
	at          int // the size of the paragraph where it begins
	instruction strings.Builder
	deleted     bool
}

// startField handles a mark of a field, or a simple field, whose result it holds.
func (r *docxReader) startField(t xml.StartElement) {
	switch kind := attr(t, "fldCharType"); {
	case kind == "end":
		r.endField()
	case kind != "" && kind != "begin" || len(r.fields) == maxTables:
	default:
		f := docxField{in: r.paragraphOpen(), deleted: r.deleted > 0}
		if f.in != nil {
			f.at = f.in.line.Len()
		}
		r.fields = append(r.fields, f)
		r.instruct(attr(t, "instr"))
	}
}

// instruct adds to the instruction of the innermost field.
func (r *docxReader) instruct(s string) {
	if n := len(r.fields); n > 0 && r.fields[n-1].instruction.Len() < maxInstruction {
		r.fields[n-1].instruction.WriteString(s)
	}
}

// endField ends the innermost field. Without a result it shows what its instruction says.
func (r *docxReader) endField() {
	n := len(r.fields)
	if n == 0 {
		return
	}
	f := &r.fields[n-1]
	if p := r.paragraphOpen(); p != nil && p == f.in && p.line.Len() == f.at && !f.deleted {
		text, look := shownByField(f.instruction.String())
		if look == script.Plain {
			r.add(text)
		} else {
			p.line.Add(look, text)
		}
	}
	r.fields = r.fields[:n-1]
}
