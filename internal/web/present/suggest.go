package present

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions/suggest"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/partial"
)

const (
	tries        = 3               // questions shown when nothing came near
	nearby       = 2               // questions of the closest documents
	suggestAfter = 2 * time.Second // how long a page waits for them
)

// Suggested returns at most n questions that the library, or the given documents, can
// answer. There are none while it has nothing to ask about, or can't be searched.
func Suggested(ctx context.Context, s *suggest.Service, w domain.WorkspaceID, n int, documents ...domain.DocumentID) []partial.TryProps {
	ctx, cancel := context.WithTimeout(ctx, suggestAfter)
	defer cancel()
	found, err := s.Suggest(ctx, w, n, documents...)
	if err != nil {
		return nil
	}
	list := make([]partial.TryProps, len(found))
	for i, q := range found {
		list[i] = partial.TryProps{Text: q.Question, Note: q.Name}
	}
	return list
}

// Nearby adds to a question without an answer questions that the library answers: from
// anywhere in it where nothing came near, else from the closest documents.
func Nearby(ctx context.Context, s *suggest.Service, w domain.WorkspaceID, p *outline.Found) {
	if p == nil || len(p.Words) == 0 && (p.Quoted || len(p.Closest) == 0) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, suggestAfter)
	defer cancel()
	if len(p.Words) > 0 {
		found, err := s.Suggest(ctx, w, tries)
		if err != nil {
			return
		}
		for _, q := range found {
			p.Try = append(p.Try, outline.Try{Text: q.Question, Note: q.Name})
		}
	}
	if p.Quoted || len(p.Closest) == 0 {
		return
	}
	documents := lists.Map(p.Closest, func(n outline.Near) domain.DocumentID { return n.Document })
	found, err := s.Suggest(ctx, w, nearby, documents...)
	if err != nil {
		return
	}
	for _, q := range found {
		p.Nearby = append(p.Nearby, q.Question)
	}
}

// Sample describes the sample library. All fields are required.
type Sample struct {
	Ledger *ledger.Ledger
	Files  []sample.File
	Try    []sample.Question
}

// Suggestions returns questions to try, or none until the sample library is
// loaded.
func (p *Sample) Suggestions(ctx context.Context, w domain.WorkspaceID) []partial.TryProps {
	if loaded, err := p.Loaded(ctx, w); err != nil || !loaded {
		return nil
	}
	return p.Questions(ctx)
}

// Loaded reports whether the library holds every document of the sample.
func (p *Sample) Loaded(ctx context.Context, w domain.WorkspaceID) (bool, error) {
	ids := lists.Map(p.Files, func(f sample.File) domain.DocumentID { return domain.NewDocumentID(w, domain.Hash(f.Data)) })
	_, total, err := p.Ledger.Documents(ctx, w, ledger.DocumentQuery{IDs: ids, Limit: 1})
	return total == len(ids), err
}

// Questions returns the sample questions with a note on their sources.
func (p *Sample) Questions(ctx context.Context) []partial.TryProps {
	out := make([]partial.TryProps, len(p.Try))
	for i, q := range p.Try {
		note := lang.F(ctx, "%d documents", len(q.Sources))
		switch {
		case q.Unanswerable:
			note = lang.T(ctx, "not in the library")
		case len(q.Sources) == 1:
			note = lang.T(ctx, "1 document")
		}
		out[i] = partial.TryProps{Text: q.Question, Note: note}
	}
	return out
}
