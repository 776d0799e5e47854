package report

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/views/link"
)

// Cited is a citation as programs read it. Text is the stored text from Start to End, in code points.
type Cited struct {
	N          int    `json:"n"`
	Document   string `json:"document"`
	DocumentID string `json:"document_id"`
	Page       int    `json:"page"`
	Place      string `json:"place,omitempty"` // set if the page number does not say it
	Start      int    `json:"start"`
	End        int    `json:"end"`
	Text       string `json:"text"`

	// For a quotation that no model has judged, see domain.Citation.
	Quote bool          `json:"quote,omitempty"`
	Close bool          `json:"close,omitempty"`
	Tie   string        `json:"tie,omitempty"`
	Marks []domain.Span `json:"marks,omitempty"`

	domain.Facts

	Address string `json:"address"` // of its words in the pages, or of the web page

	Web domain.WebPage `json:"web,omitzero"` // that is quoted; left out for a document in the library
}

// Where returns the document of the citation, and the place of the words in it.
func (c Cited) Where() string { return domain.Where(c.Document, c.Page, c.Place) }

// CitedOf returns citations with the state of their documents.
func CitedOf(ctx context.Context, l *ledger.Ledger, w domain.WorkspaceID, citations []domain.Citation) ([]Cited, error) {
	list := []Cited{}
	if len(citations) == 0 {
		return list, nil
	}
	ids := lists.Map(citations, func(c domain.Citation) domain.DocumentID { return c.DocumentID })
	docs, err := l.DocumentsByID(ctx, w, ids)
	facts := lists.Pairs(docs, func(d domain.Document) (domain.DocumentID, domain.Facts) { return d.ID, d.Facts })
	for _, c := range citations {
		at := link.At(ctx, link.Passage(c.DocumentID, c.Span))
		if c.OfWeb() {
			at = c.Web.Address
		}
		list = append(list, Cited{
			N: c.N, Document: c.Document, DocumentID: string(c.DocumentID), Page: c.Page, Place: c.Place, Start: c.Span.Start, End: c.Span.End, Text: c.Text,
			Close: c.Close, Tie: c.Tie, Marks: c.Marks, Facts: facts[c.DocumentID], Address: at, Web: c.Web,
		})
	}
	return list, err
}
