package partial

import (
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/format"
)

// MissProps holds the passages of a search that did not answer the question.
type MissProps struct {
	Closest []NearProps
	Rest    int            // passages graded besides
	Asked   []WordingProps // in order
	Nearby  []string       // questions about the same that the library answers
	BuiltIn bool           // no model took part
}

// NearProps is a passage that is close to the question.
type NearProps struct {
	Chunk    domain.ChunkID
	Document domain.DocumentID
	Name     string // of the document's file
	Page     int
	Place    string // where the file has other units than pages
	URL      string
	Verdict  domain.Verdict
	Reason   string // why it does not answer; "" if unknown
	Pieces   []PieceProps
}

func (p NearProps) where() string { return domain.Where(p.Name, p.Page, p.Place) }

func (p NearProps) graded() string { return "graded " + verdictWord(p.Verdict) }

// PieceProps is a piece of a text.
type PieceProps struct {
	Text   string
	Marked bool
}

// WordingProps is a wording that was searched for.
type WordingProps struct {
	Text             string
	Graded, Relevant int // passages
}

// letter marks the nth of the closest passages.
func letter(n int) string { return string(rune('a' + n)) }

func (p MissProps) rest() string {
	return format.Count(p.Rest, "more passage was", "more passages were") + " graded, none relevant"
}

func (w WordingProps) graded() string { return fmt.Sprintf("%d of %d", w.Relevant, w.Graded) }
