package documents

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/words"
)

// A Searcher finds passages by their words, as of a change of the ledger.
type Searcher interface {
	Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error)
	Lexical(ctx context.Context, w domain.WorkspaceID, q vectorstore.LexicalQuery) ([]vectorstore.Hit, error)
}

// maxSearched is how many passages are looked at for the words of a filter, the best first.
const maxSearched = 400

// Selected returns the query for a filter. Its text selects documents by name, title and tag, and by a passage that
// contains all of its words. While the search index is away, passages are not searched.
func (s *Service) Selected(ctx context.Context, w domain.WorkspaceID, f domain.DocumentFilter) (ledger.DocumentQuery, error) {
	f, err := s.Resolved(ctx, w, f)
	if err != nil {
		return ledger.DocumentQuery{}, err
	}
	q := ledger.Filtered(f)
	if q.Text == "" {
		return q, nil
	}
	if q.Holding, err = s.holding(ctx, w, q.Text); domain.KindOf(err) == domain.Unavailable {
		s.Log.DebugContext(ctx, "documents are not searched by their words", "workspace", w, "error", err)
		err = nil
	}
	return q, err
}

// A Selection caches the query for a filter: passages are searched once for each state of the search index. It is not
// safe for concurrent use.
type Selection struct {
	service   *Service
	workspace domain.WorkspaceID
	filter    domain.DocumentFilter
	query     ledger.DocumentQuery
	known     bool
	cursor    int64 // of the search index, before the search
}

// Selection returns a selection of a workspace's documents.
func (s *Service) Selection(w domain.WorkspaceID, f domain.DocumentFilter) *Selection {
	return &Selection{service: s, workspace: w, filter: f}
}

// Query is Selected, cached. It always searches an index that does not report its position.
func (s *Selection) Query(ctx context.Context) (ledger.DocumentQuery, error) {
	if s.filter.Text == "" {
		return s.service.Selected(ctx, s.workspace, s.filter)
	}
	cursor, unsaid := s.service.Words.Cursor(ctx, s.workspace)
	if s.known && unsaid == nil && cursor == s.cursor {
		return s.query, nil
	}
	query, err := s.service.Selected(ctx, s.workspace, s.filter)
	s.query, s.cursor, s.known = query, cursor, unsaid == nil && err == nil
	return query, err
}

// holding returns the documents with a passage that holds all words of a text.
func (s *Service) holding(ctx context.Context, w domain.WorkspaceID, text string) ([]domain.DocumentID, error) {
	wanted := words.Stems(text)
	if len(wanted) == 0 {
		return nil, nil
	}
	hits, err := s.Words.Lexical(ctx, w, vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: text, Limit: maxSearched})
	if err != nil {
		return nil, err
	}
	ids := lists.Map(hits, func(h vectorstore.Hit) domain.ChunkID { return domain.ChunkID(h.ID) })
	passages, err := s.Ledger.Passages(ctx, w, ids)
	if err != nil {
		return nil, err
	}
	var found []domain.DocumentID
	for _, p := range passages {
		if slices.Contains(found, p.Document) {
			continue
		}
		held := words.Stems(p.Text)
		if !slices.ContainsFunc(wanted, func(word string) bool { return !slices.Contains(held, word) }) {
			found = append(found, p.Document)
		}
	}
	return found, nil
}
