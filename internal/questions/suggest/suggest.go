// Package suggest finds questions that a library can answer: each is made from a sentence of a
// document, and asked before it is suggested.
package suggest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/retrieve/nearest"
)

// A Suggestion is a question with the passage that answers it.
type Suggestion struct {
	Question string            `json:"question"`
	Document domain.DocumentID `json:"document_id"`
	Name     string            `json:"document"` // of the document's file
	Chunk    domain.ChunkID    `json:"chunk"`
}

const (
	mostDocuments = 60  // that questions are drawn from, the newest
	mostChunks    = 40  // that are read per document
	mostChecked   = 8   // questions per document that are asked
	mostAsked     = 400 // latest questions of conversations, which are not suggested
	mostPassages  = 8   // among which the sentence must be the nearest
)

// Params configures a Service. All fields are required.
type Params struct {
	Ledger *ledger.Ledger
	Search func(ctx context.Context, w domain.WorkspaceID, question string, most int) ([]domain.ChunkID, error) // best first
	Ranker nearest.Ranker
}

// Service suggests questions. It is safe for concurrent use.
type Service struct {
	Params
	mu      sync.Mutex
	library map[seenBy]*library
}

// library holds the findings in a workspace since its last change.
type library struct {
	head  int64
	mu    sync.Mutex
	found map[domain.DocumentID]*found
}

// found holds the findings in a document: candidates, best first, of which those before next were asked.
type found struct {
	turn       chan struct{} // holds one value while nobody asks; the fields below belong to its taker
	read       bool
	candidates []candidate
	next       int
	good       []Suggestion
}

// of returns the findings in a document, which are empty at first.
func (l *library) of(id domain.DocumentID) *found {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.found[id]
	if f == nil {
		f = &found{turn: make(chan struct{}, 1)}
		f.turn <- struct{}{}
		l.found[id] = f
	}
	return f
}

// candidate is a question made from a sentence that has not been asked yet.
type candidate struct {
	Suggestion
	span  domain.Span
	worth int
}

// New returns a service.
func New(p Params) *Service {
	return &Service{Params: p, library: map[seenBy]*library{}}
}

// Suggest returns at most n questions that conversations have not asked, spread over
// the given documents, or over the newest of the library if none are given. The same
// library gives the same questions. If ctx ends first, it returns those found by then.
func (s *Service) Suggest(ctx context.Context, w domain.WorkspaceID, n int, documents ...domain.DocumentID) ([]Suggestion, error) {
	head, err := s.Ledger.Head(ctx, w)
	if err != nil {
		return nil, err
	}
	all, err := s.documents(ctx, w, documents)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	of := seenBy{workspace: w}
	if reader := domain.ReaderOf(ctx); reader != "" {
		hides, err := s.Ledger.Hides(ctx, w)
		if err != nil {
			return nil, err
		}
		if hides {
			of.reader = reader
		}
	}
	asked, err := s.Ledger.AskedQuestions(ctx, w, mostAsked)
	if err != nil {
		return nil, err
	}
	out, err := s.spread(ctx, s.since(of, head), w, n, all, lists.SetOf(asked, normal))
	if ctx.Err() != nil {
		err = nil // whatever was found in time is enough
	}
	return out, err
}

// seenBy is a workspace as seen by a reader from whom documents are hidden, or as seen by all others if the reader is
// "".
type seenBy struct {
	workspace domain.WorkspaceID
	reader    string
}

// since returns the findings in a workspace since a change.
func (s *Service) since(w seenBy, head int64) *library {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.library[w] == nil || s.library[w].head != head {
		s.library[w] = &library{head: head, found: map[domain.DocumentID]*found{}}
	}
	return s.library[w]
}

// spread takes one question of each document, then a second one, until it has n.
func (s *Service) spread(ctx context.Context, l *library, w domain.WorkspaceID, n int, all []domain.Document, taken map[string]bool) ([]Suggestion, error) {
	var out []Suggestion
	for round, more := 0, true; more; round++ {
		more = false
		for _, d := range all {
			if len(out) == n {
				return out, nil
			}
			one, err := s.nth(ctx, l.of(d.ID), w, d, round)
			if err != nil {
				return out, err
			}
			if one == nil {
				continue
			}
			more = true
			if key := normal(one.Question); !taken[key] {
				taken[key] = true
				out = append(out, *one)
			}
		}
	}
	return out, nil
}

func (s *Service) documents(ctx context.Context, w domain.WorkspaceID, ids []domain.DocumentID) ([]domain.Document, error) {
	return s.Ledger.ListDocuments(ctx, w, ledger.DocumentQuery{IDs: ids, Status: []domain.DocumentStatus{domain.DocumentReady}, Sort: domain.SortAdded, Limit: mostDocuments})
}

// nth returns the nth question that a document answers, counted from 0, or nil if it has fewer. A caller waits while
// another asks about the same document, until ctx ends.
func (s *Service) nth(ctx context.Context, f *found, w domain.WorkspaceID, d domain.Document, n int) (*Suggestion, error) {
	select {
	case <-f.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { f.turn <- struct{}{} }()
	if !f.read {
		candidates, err := s.candidates(ctx, w, d)
		if err != nil {
			return nil, err
		}
		f.read, f.candidates = true, candidates
	}
	for len(f.good) <= n && f.next < min(len(f.candidates), mostChecked) {
		c := f.candidates[f.next]
		ok, err := s.answers(ctx, w, c)
		if err != nil {
			return nil, err
		}
		f.next++
		if ok {
			f.good = append(f.good, c.Suggestion)
		}
	}
	if n >= len(f.good) {
		return nil, nil
	}
	return &f.good[n], nil
}

// candidates returns the questions that can be made from the sentences of a
// document, most worth asking first.
func (s *Service) candidates(ctx context.Context, w domain.WorkspaceID, d domain.Document) ([]candidate, error) {
	chunks, err := s.Ledger.Chunks(ctx, w, d.ID)
	if err != nil {
		return nil, err
	}
	chunks = chunks[:min(len(chunks), mostChunks)]
	var whole strings.Builder
	for _, c := range chunks {
		whole.WriteString(c.Text + "\n")
	}
	r, language := reader{text: whole.String()}, prose.Language(whole.String())
	var all []candidate
	seen := map[string]bool{}
	for _, c := range chunks {
		r.language = cmp.Or(prose.Language(c.Text), language)
		for _, span := range prose.Sentences(c.Text) {
			made := r.ask(span.Slice(c.Text))
			if line := r.asks(span.Slice(c.Text)); line != "" && alone(c.Text, span) {
				made = []question{{line, asked}}
			}
			for _, q := range made {
				if !seen[q.text] {
					seen[q.text] = true
					all = append(all, candidate{Suggestion{Question: q.text, Document: d.ID, Name: d.Name, Chunk: c.ID}, span.Shift(c.Span.Start), q.worth})
				}
			}
		}
	}
	return mixed(all), nil
}

// mixed orders candidates by worth, but takes one of each worth before a second one. The order of who, when and how much
// varies between documents.
func mixed(all []candidate) []candidate {
	worth := func(c candidate) int {
		if c.worth < person || c.worth > amount {
			return c.worth
		}
		return person + (c.worth-person+int(c.Document[len(c.Document)-1]))%3
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(worth(b), worth(a)) })
	turn, of := map[string]int{}, map[int]int{}
	for _, c := range all {
		turn[c.Question] = of[c.worth]
		of[c.worth]++
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(turn[a.Question], turn[b.Question]) })
	return all
}

// alone reports whether a sentence is alone on a line with something below it.
func alone(text string, span domain.Span) bool {
	before, after := domain.Span{End: span.Start}.Slice(text), strings.TrimPrefix(text, domain.Span{End: span.End}.Slice(text))
	before = strings.TrimRight(before, "#*- 0123456789.")
	return (before == "" || strings.HasSuffix(before, "\n")) && strings.HasPrefix(strings.TrimLeft(after, " *"), "\n")
}

// answers asks a question and reports whether the nearest sentence is the one that it
// was made from.
func (s *Service) answers(ctx context.Context, w domain.WorkspaceID, c candidate) (bool, error) {
	ids, err := s.Search(ctx, w, c.Question, mostPassages)
	if err != nil {
		return false, err
	}
	passages, err := s.Ledger.Passages(ctx, w, ids)
	if err != nil {
		return false, err
	}
	ranked, err := s.Ranker.Sentences(ctx, c.Question, passages)
	if err != nil {
		return false, fmt.Errorf("rank sentences: %w", err)
	}
	if len(ranked) == 0 || ranked[0].Score < nearest.Near {
		return false, nil
	}
	first := ranked[0]
	return passages[first.Passage].Document == c.Document && (meets(first.Span, c.span) || meets(first.Under, c.span)), nil
}

func meets(a, b domain.Span) bool { return a.Start < b.End && b.Start < a.End }

// normal returns a form shared by questions that differ only in case, spaces and end mark.
func normal(question string) string {
	return strings.TrimRight(strings.ToLower(domain.OneLine(question)), " ?.!")
}
