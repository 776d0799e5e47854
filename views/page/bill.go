package page

import (
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/partial"
)

// BillProps is the data for the bill of reading files.
type BillProps struct {
	App     layout.Props
	Upload  partial.UploadProps
	Lines   []BillLine // none until files are chosen
	Sum     BillLine
	Warning string // about a cap

	Chunking domain.Chunking            // the chosen one
	First    []partial.FirstChunksProps // of each file
}

// BillLine is the bill of one file, or of all.
type BillLine struct{ Name, Chunks, Calls, Tokens, Time, Cost, Problem string }
