package questions

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/views/link"
)

// Searching is a search for passages.
type Searching struct {
	Text   string   `json:"question" arg:"QUESTION" words:"" doc:"what to search for"`
	Method string   `json:"method" doc:"search only by words, vectors, hybrid (both) or walk (over the graph)"`
	Within []string `json:"within" whole:"" doc:"ask only documents matching tag:NAME, doc:NAME (or its id), from:2024-01-31 or to:2024-12-31 (day added), lang:de, source:web, author:NAME, published:2024 or published:2024-05..2025, field:status=final or field:year>=2020; several terms of a kind widen it"`
	Limit  int      `json:"limit" default:"8" doc:"list at most this many"`
}

// Found is a passage that was found.
type Found struct {
	Rank       int                 `json:"rank"`
	Chunk      domain.ChunkID      `json:"chunk"`
	Document   string              `json:"document"`
	DocumentID domain.DocumentID   `json:"document_id"`
	Page       int                 `json:"page,omitempty"`
	Place      string              `json:"place,omitempty"`
	Methods    []domain.MethodName `json:"methods"`
	Path       []domain.Hop        `json:"path,omitempty"` // from the question; empty if it was found by its own words
	Text       string              `json:"text"`
	Title      string              `json:"title,omitempty"`
	Start      int                 `json:"start"` // of the text within the document's, in code points
	End        int                 `json:"end"`
	Score      float64             `json:"score"`
	Address    string              `json:"address"` // of the passage in the pages
}

// how names the methods that found the passage, and the names it was found through.
func (f Found) how() string {
	how := "by " + strings.Join(lists.Map(f.Methods, func(m domain.MethodName) string { return string(m) }), ", ")
	if len(f.Path) == 0 {
		return how
	}
	return how + ", over " + strings.Join(lists.Map(f.Path, func(h domain.Hop) string { return h.Name }), " → ")
}

// SearchOperations returns the operations that search without answering.
func SearchOperations() []operation.Operation[*Service] {
	return []operation.Operation[*Service]{operation.Op[*Service, Searching, []Found]{
		Name: "search", Short: "Find passages for a question, without an answer", Scope: operation.Read, Routes: []string{"POST /search"},
		Tool: operation.Tool{Name: "search", Title: "Search passages", Fields: "query=question within method limit",
			About: "Find the passages of the library that fit a question best. Each has its exact place and the address of its words."},
		Long: `Find passages for a question, the best first: what an answer would be made
from, before grading. Each names the methods that found it and the names over
which the graph led there.`,
		Example: `  clew search "Who paid for the repair of the bridge?"
  clew search --method words --json "Who paid for the repair of the bridge?"`,
		Do: (*Service).Search,
		Text: func(w io.Writer, list []Found) error {
			if len(list) == 0 {
				fmt.Fprintln(w, "No passage fits. Search with other words, or by another method.")
			}
			for _, f := range list {
				fmt.Fprintf(w, "%2d  %s%s  %s\n    %s\n", f.Rank, f.Document, domain.Where("", f.Page, f.Place), f.how(), domain.Cut(domain.OneLine(f.Text), 160))
			}
			return nil
		},
	}}
}

// Search finds passages for a question, the best first.
func (s *Service) Search(ctx context.Context, in Searching) ([]Found, error) {
	w := domain.WorkspaceOf(ctx)
	method, err := domain.FindMethod(in.Method)
	if err != nil {
		return nil, err
	}
	documents, err := s.DocumentsWithin(ctx, w, in.Within)
	if err != nil {
		return nil, err
	}
	found, err := s.Retriever.Retrieve(ctx, w, retrieve.Query{Text: in.Text, Method: method, Limit: in.Limit, Documents: documents})
	if err != nil {
		return nil, err
	}
	at, ids := map[domain.ChunkID]int{}, make([]domain.ChunkID, len(found.Passages))
	for i, f := range found.Passages {
		at[f.Chunk], ids[i] = i, f.Chunk
	}
	texts, err := s.Ledger.Passages(ctx, w, ids)
	list := make([]Found, len(texts))
	for i, p := range texts {
		f := found.Passages[at[p.ID]]
		list[i] = Found{at[p.ID] + 1, f.Chunk, p.Name, p.Document, p.Page, p.Place(p.Span), f.Methods, f.Path, p.Text, p.Title, p.Span.Start, p.Span.End, f.Score, link.At(ctx, link.Passage(p.Document, p.Span))}
	}
	return list, err
}
