package partial

import (
	"encoding/json"
	"strconv"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/doctext"
)

// PagesProps is the data for the viewer of a PDF file.
type PagesProps struct {
	Document domain.DocumentID
	Marks    []doctext.Words // to be marked; the first one in view
	Page     int             // first shown page, if nothing is to be marked; 0 for the first
}

// marks returns the marks as a JSON list for the viewer's script, which is empty rather than null if there are none.
func (p PagesProps) marks() string {
	if len(p.Marks) == 0 {
		return "[]"
	}
	b, _ := json.Marshal(p.Marks) // strings and numbers
	return string(b)
}

func (p PagesProps) page() string { return strconv.Itoa(p.Page) }
