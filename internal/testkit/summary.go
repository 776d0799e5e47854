package testkit

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/summarize"
)

// Summaries summarise by predictable rules: a part becomes its first sentence, and several summaries are joined.
type Summaries struct {
	// Before is called before a part is summarised, or with 0 before summaries are joined. Its error
	// is returned.
	Before func(ctx context.Context, part int) error

	mu    sync.Mutex
	calls []int
}

var _ summarize.Summariser = (*Summaries)(nil)

// Calls lists the parts of all calls so far; 0 stands for joining.
func (s *Summaries) Calls() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]int(nil), s.calls...)
}

func (s *Summaries) enter(ctx context.Context, part int) error {
	s.mu.Lock()
	s.calls = append(s.calls, part)
	s.mu.Unlock()
	if s.Before == nil {
		return nil
	}
	return s.Before(ctx, part)
}

// Map returns the first sentence.
func (s *Summaries) Map(ctx context.Context, r summarize.MapRequest, _ summarize.Emit) ([]summarize.Sentence, error) {
	if err := s.enter(ctx, r.Part.N); err != nil {
		return nil, err
	}
	span := prose.Sentences(r.Text)[0]
	place := span.Shift(r.Part.Span.Start)
	return []summarize.Sentence{{Text: span.Slice(r.Text), Parts: []int{r.Part.N}, Span: &place}}, nil
}

// Reduce returns all sentences.
func (s *Summaries) Reduce(ctx context.Context, r summarize.ReduceRequest, _ summarize.Emit) ([]summarize.Sentence, error) {
	if err := s.enter(ctx, 0); err != nil {
		return nil, err
	}
	var all []summarize.Sentence
	for _, x := range r.Summaries {
		all = append(all, x.Sentences...)
	}
	if r.Write != nil {
		for _, l := range all {
			r.Write(l.Text + " ")
		}
	}
	return all, nil
}

// Summary returns the stored summary.
func (a *App) Summary(t testing.TB, id domain.SummaryID) ledger.Summary {
	t.Helper()
	s, err := a.Ledger.Summary(t.Context(), Workspace, id)
	Must(t, err)
	return s
}

// Summarised orders a summary and waits until it is done.
func (a *App) Summarised(t testing.TB, o summaries.Order) ledger.Summary {
	t.Helper()
	o.Workspace = Workspace
	s, err := a.Summaries.Start(t.Context(), o)
	Must(t, err)
	a.Watch(t, s.Run)
	return a.Summary(t, s.ID)
}

// WaitForDraft waits until a summary waits for an edit, and returns the draft.
func (a *App) WaitForDraft(t testing.TB, id domain.SummaryID) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitTimeout)
	defer cancel()
	for item, err := range a.Hub.Watch(ctx, Workspace, a.Summary(t, id).Run, 0) {
		Must(t, err)
		for _, e := range item.Events {
			if e.Kind != "interrupt" {
				continue
			}
			draft, err := a.Summaries.Draft(ctx, a.Summary(t, id))
			Must(t, err)
			return draft
		}
	}
	t.Fatalf("summary %s has no draft", id)
	return nil
}

// Sections returns a text of n sections, each long enough for a part.
func Sections(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "Section %d tells of topic%d.%s\n\n", i+1, i+1, strings.Repeat(fmt.Sprintf(" It goes on about topic%d.", i+1), 130))
	}
	return b.String()
}
