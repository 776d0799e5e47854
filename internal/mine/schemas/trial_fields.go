package schemas

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/prose/stated"
)

// The bounds of trying fields.
const (
	fieldSample = 20  // documents whose lines are read
	shownValues = 5   // values of a field that are listed
	shownLine   = 300 // code points of a line
)

// TriedField holds the statements of some documents about a field that a draft asks for.
type TriedField struct {
	Name    string       `json:"name"`
	Found   int          `json:"found"` // documents of which a line states it
	Values  []TriedValue `json:"values"`
	Problem string       `json:"problem,omitempty"` // why the draft can't be kept
}

// A TriedValue is a statement in a line of a document.
type TriedValue struct {
	Document domain.DocumentID `json:"document"`
	Name     string            `json:"name"` // of the document
	Values   []string          `json:"values"`
	Span     domain.Span       `json:"span"`
	Line     string            `json:"line"`
}

// tryFields reads what lines of a sample of documents, always the same, state of the fields that a guide asks for. It also returns how
// many documents it read.
func (s *Trials) tryFields(ctx context.Context, w domain.WorkspaceID, governed []domain.Document, g extract.Guide) ([]TriedField, int, error) {
	if len(g.Fields) == 0 {
		return nil, 0, nil
	}
	fields, err := s.Ledger.Fields(ctx, w)
	if err != nil {
		return nil, 0, err
	}
	tried, asked := make([]TriedField, len(g.Fields)), make([]domain.Field, len(g.Fields))
	for i, r := range g.Fields {
		f, _, err := r.Of(fields)
		tried[i], asked[i] = TriedField{Name: f.Name, Values: []TriedValue{}}, f
		if err != nil {
			tried[i].Problem = domain.InWords(err)
		}
	}
	docs := middles(slices.DeleteFunc(slices.Clone(governed), func(d domain.Document) bool { return d.Chunks == 0 }), fieldSample)
	for _, d := range docs {
		text, err := s.Ledger.Text(ctx, w, d.ID)
		if err != nil {
			return nil, 0, err
		}
		lines := stated.Read(text.Content)
		for i, r := range g.Fields {
			values, at := r.In(lines, asked[i])
			if len(values) == 0 || tried[i].Problem != "" {
				continue
			}
			if tried[i].Found++; len(tried[i].Values) < shownValues {
				line := domain.Cut(domain.OneLine(at.Slice(text.Content)), shownLine)
				tried[i].Values = append(tried[i].Values, TriedValue{Document: d.ID, Name: d.Name, Values: values, Span: at, Line: line})
			}
		}
	}
	return tried, len(docs), nil
}
