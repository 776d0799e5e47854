package present

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/page"
)

// Sample describes the sample library. All fields are required.
type Sample struct {
	Ledger *ledger.Ledger
	Files  []sample.File
	Try    []sample.Question
}

// Suggestions returns questions to try, or none until the sample library is
// loaded.
func (p *Sample) Suggestions(ctx context.Context, w domain.WorkspaceID) []page.SampleQuestion {
	if loaded, err := p.Loaded(ctx, w); err != nil || !loaded {
		return nil
	}
	return p.Questions(ctx)
}

// Loaded reports whether the library holds every document of the sample.
func (p *Sample) Loaded(ctx context.Context, w domain.WorkspaceID) (bool, error) {
	ids := make([]domain.DocumentID, len(p.Files))
	for i, f := range p.Files {
		ids[i] = domain.NewDocumentID(w, domain.Hash(f.Data))
	}
	_, total, err := p.Ledger.Documents(ctx, w, ledger.DocumentQuery{IDs: ids, Limit: 1})
	return total == len(ids), err
}

// Questions returns the sample questions with a note on their sources.
func (p *Sample) Questions(ctx context.Context) []page.SampleQuestion {
	out := make([]page.SampleQuestion, len(p.Try))
	for i, q := range p.Try {
		note := lang.F(ctx, "%d documents", len(q.Sources))
		switch {
		case q.Unanswerable:
			note = lang.T(ctx, "not in the library")
		case len(q.Sources) == 1:
			note = lang.T(ctx, "1 document")
		}
		out[i] = page.SampleQuestion{Text: q.Question, Note: note}
	}
	return out
}
