//go:build faults

package testkit_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/vectorstore"
)

// refusing is an index that fails, while it is away, like a Qdrant store whose
// server answers UNAVAILABLE.
type refusing struct {
	vectorstore.Index
	away    atomic.Bool
	refuses chan struct{} // a batch was refused
}

func (*refusing) problem() error {
	return domain.Errorf(domain.Unavailable, "The search index (Qdrant at http://127.0.0.1:6334) does not answer: connection refused.")
}

func (r *refusing) Apply(ctx context.Context, w domain.WorkspaceID, b vectorstore.Batch) error {
	if !r.away.Load() {
		return r.Index.Apply(ctx, w, b)
	}
	select {
	case r.refuses <- struct{}{}:
	default:
	}
	return r.problem()
}

func (r *refusing) Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error) {
	if r.away.Load() {
		return 0, r.problem()
	}
	return r.Index.Cursor(ctx, w)
}

func (r *refusing) Lexical(ctx context.Context, w domain.WorkspaceID, q vectorstore.LexicalQuery) ([]vectorstore.Hit, error) {
	if r.away.Load() {
		return nil, r.problem()
	}
	return r.Index.Lexical(ctx, w, q)
}

// TestFaultQdrantGoesAway has the search index refuse a batch that the graph
// has already stored. Documents added meanwhile wait and say for which store,
// an answer says what is missing, and once the index is back everything ends as
// in an undisturbed library.
func TestFaultQdrantGoesAway(t *testing.T) {
	t.Parallel()
	index := &refusing{refuses: make(chan struct{}, 1)}
	a := testkit.Open(t, testkit.Options{
		Walk: true, Backoff: func(int) time.Duration { return 100 * time.Millisecond },
		Index: func(i vectorstore.Index) vectorstore.Index { index.Index = i; return index },
	})
	undisturbed := testkit.Open(t, testkit.Options{})
	for _, app := range []*testkit.App{a, undisturbed} {
		app.Read(t, "first.txt", letter("first", 3))
	}
	index.away.Store(true)
	during := a.Add(t, "during.txt", letter("meant for Qdrant", 20)).Document
	waits(t, a, during, "Qdrant")
	after := a.Add(t, "after.txt", letter("an answer", 3)).Document
	waits(t, a, after, "Qdrant")
	m := a.Answered(t, "", "Whom did Ada Aax meet?")
	told := false
	for _, s := range m.Sentences {
		told = told || s.Remark && strings.Contains(s.Text, "Qdrant")
	}
	if !told {
		t.Errorf("got answer %q with %+v, want a remark on Qdrant", m.Text, m.Sentences)
	}
	index.away.Store(false)
	for _, d := range []domain.Document{during, after} {
		if d = a.Settle(t, d); d.Status != domain.DocumentReady {
			t.Errorf("got %s with status %s: %s", d.Name, d.Status, d.Problem)
		}
	}
	undisturbed.Read(t, "during.txt", letter("meant for Qdrant", 20))
	undisturbed.Read(t, "after.txt", letter("an answer", 3))
	for _, c := range vectorstore.Collections() {
		want, err := undisturbed.Vectors.IDs(t.Context(), testkit.Workspace, c)
		testkit.Must(t, err)
		got, err := a.Vectors.IDs(t.Context(), testkit.Workspace, c)
		testkit.Must(t, err)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s differ from those of an undisturbed library (-undisturbed +this)\n%s", c, d)
		}
	}
}
