package partial

import (
	"encoding/json"
	"strconv"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/doctext"
)

// PagesProps fill the viewer of a PDF file.
type PagesProps struct {
	Document domain.DocumentID
	Marks    []doctext.Words // to be marked, the first in sight
	Page     int             // to begin with, if nothing is to be marked; 0 for the first
}

func (p PagesProps) marks() string {
	b, _ := json.Marshal(p.Marks) // strings and numbers
	return string(b)
}

func (p PagesProps) page() string { return strconv.Itoa(p.Page) }
