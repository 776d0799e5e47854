package documents

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// A Page is what the library holds of one document.
type Page struct {
	domain.Document
	Text      domain.Text // empty until it is parsed
	Earlier   []ledger.Version
	Tags      []string
	Dropped   []ledger.DroppedItem // the first items left out of the graph
	Summaries []ledger.Summary     // the latest
}

// The most of each that a Page holds.
const (
	maxDropped   = 200
	maxSummaries = 3
)

// Page returns what the library holds of a document. It fails with kind NotFound for an unknown one.
func (s *Service) Page(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (p Page, err error) {
	if p.Document, p.Text, err = s.Read(ctx, w, id); err != nil {
		return p, err
	}
	if p.Version > 0 {
		if p.Earlier, err = s.Ledger.Versions(ctx, w, id); err != nil {
			return p, err
		}
	}
	if p.Document.Dropped > 0 {
		if p.Dropped, err = s.Ledger.Dropped(ctx, w, id, maxDropped); err != nil {
			return p, err
		}
	}
	if p.Tags, err = s.Ledger.TagsOf(ctx, w, id); err != nil {
		return p, err
	}
	p.Summaries, err = s.Ledger.SummariesOf(ctx, w, id, maxSummaries)
	return p, err
}

// Read returns a document with its text, which is empty until it is parsed.
func (s *Service) Read(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Document, domain.Text, error) {
	doc, err := s.Ledger.Document(ctx, w, id)
	if err != nil {
		return doc, domain.Text{}, err
	}
	text, err := s.Ledger.Text(ctx, w, id)
	if domain.KindOf(err) == domain.NotFound {
		return doc, domain.Text{}, nil
	}
	return doc, text, err
}

// Chunks returns a document with at most n of its chunks from an ordinal on, and the ordinal of the next one, 0 if there is none.
func (s *Service) Chunks(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, from, n int) (doc domain.Document, chunks []ledger.ReadChunk, next int, err error) {
	if doc, err = s.Ledger.Document(ctx, w, id); err != nil {
		return doc, nil, 0, err
	}
	if chunks, err = s.Ledger.ReadChunks(ctx, w, id, from, n+1); len(chunks) > n {
		next, chunks = chunks[n].Ordinal, chunks[:n]
	}
	return doc, chunks, next, err
}

// Citing returns a document with the latest questions whose answers cite it, at most n, and whether there are more.
func (s *Service) Citing(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, n int) (doc domain.Document, list []ledger.Citing, more bool, err error) {
	if doc, err = s.Ledger.Document(ctx, w, id); err != nil {
		return doc, nil, false, err
	}
	list, err = s.Ledger.Citing(ctx, w, id, n+1)
	return doc, list[:min(len(list), n)], len(list) > n, err
}

// Before returns the text of an earlier version of a document, and that of the one it has now.
func (s *Service) Before(ctx context.Context, d domain.Document, number int) (before, now domain.Text, err error) {
	if before, err = s.Ledger.VersionText(ctx, d.Workspace, d.ID, number); err != nil {
		return before, now, err
	}
	now, err = s.Ledger.Text(ctx, d.Workspace, d.ID)
	return before, now, err
}
