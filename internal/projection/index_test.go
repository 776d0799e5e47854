package projection_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/vectorstore"
)

// counted records the size of each batch, and fails at one of them.
type counted struct {
	*memoryVectors
	batches []vectorstore.Batch
	failAt  int // number of the batch, from 1; 0 for none
}

var errCut = errors.New("cut off")

func (v *counted) Apply(ctx context.Context, w domain.WorkspaceID, b vectorstore.Batch) error {
	if v.batches = append(v.batches, b); len(v.batches) == v.failAt {
		return errCut
	}
	return v.memoryVectors.Apply(ctx, w, b)
}

func (b *bench) projectorOf(v vectorstore.Index) *projection.Projector {
	return projection.New(projection.Params{Ledger: b.ledger, Graph: b.graph, Vectors: v, Log: slog.New(slog.DiscardHandler), Key: key, Sentences: sentences})
}

// large returns a library of many small documents, some medium ones, one that
// is larger than a batch, and more changes than are read at once.
func large(t *testing.T) *bench {
	b := start(t)
	for i := range 100 {
		b.ledger.put(text(domain.DocumentID(fmt.Sprint("d", i)), fmt.Sprint("Title ", i), fmt.Sprintf("[Person:Ann %d] -KNOWS- [Person:Bob %d]. And so on. And on", i, i+1)))
	}
	for i := range 10 {
		b.ledger.put(text(domain.DocumentID(fmt.Sprint("m", i)), fmt.Sprint("Middling ", i), slices.Repeat([]string{"Part. Of it. And more"}, 150)...))
	}
	for range 1000 {
		b.ledger.delete("d99")
	}
	var chunks []string
	for i := range 1500 {
		chunks = append(chunks, fmt.Sprintf("Part of [Place:Town %d] and more. It is long", i))
	}
	b.ledger.put(text("long", "A long one", chunks...))
	return b
}

// TestBatchesAreBounded loses the index of a library that is larger than any
// batch, and checks the batches that refill it.
func TestBatchesAreBounded(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	b := large(t)
	b.apply()
	want := b.everything()
	b.check(b.vectors.Reset(t.Context(), ws, 0))
	v := &counted{memoryVectors: b.vectors}
	b.check(b.projectorOf(v).Apply(t.Context(), ws))
	if d := diff(want, b.everything()); d != "" {
		t.Errorf("index (-before +refilled)\n%s", d)
	}
	if len(v.batches) < 4 {
		t.Errorf("got %d batches: the test proves nothing", len(v.batches))
	}
	for i, b := range v.batches {
		bytes, of := 0, map[domain.DocumentID]int{}
		for _, p := range b.Upsert {
			bytes += len(p.Title) + len(p.Text)
			of[p.Document]++
		}
		last := of[b.DeleteDocuments[len(b.DeleteDocuments)-1]] // the document that filled the batch
		if len(b.Upsert)-last >= 2_000 || last < len(b.Upsert) && bytes > 5<<20 || len(b.DeleteDocuments) > 2_000 {
			t.Errorf("batch %d: got %d points of %d bytes and %d deletions", i, len(b.Upsert), bytes, len(b.DeleteDocuments))
		}
		if i > 0 && b.After != v.batches[i-1].Cursor {
			t.Errorf("batch %d: got start at change %d, want %d", i, b.After, v.batches[i-1].Cursor)
		}
	}
}

// TestFillingResumes fails at each batch of an empty index in turn, changes the
// library, and continues: only changed points are written twice.
func TestFillingResumes(t *testing.T) {
	t.Parallel()
	b := large(t)
	b.apply()
	b.check(b.vectors.Reset(t.Context(), ws, 0))
	cut, before := 0, int64(0)
	for at := 1; ; at++ {
		err := b.projectorOf(&counted{memoryVectors: b.vectors, failAt: 2}).Apply(t.Context(), ws)
		if err == nil {
			break
		}
		if !errors.Is(err, errCut) {
			t.Fatal(err)
		}
		cut++
		progress, err := b.Behind(t.Context(), ws)
		if err != nil || progress.Vectors <= before {
			t.Fatalf("interrupted %d times: got progress %+v, error %v", cut, progress, err)
		}
		before = progress.Vectors
		if at < 8 {
			b.ledger.delete(domain.DocumentID(fmt.Sprint("d", 3*at)))
			b.ledger.put(text(domain.DocumentID(fmt.Sprint("d", 3*at+1)), "Another title", fmt.Sprintf("[Person:Carl %d] came", at)))
		}
	}
	if cut < 4 {
		t.Errorf("got %d interruptions: the test proves nothing", cut)
	}
	got := b.everything()
	fresh := start(t)
	fresh.ledger = b.ledger.fresh()
	fresh.Projector = fresh.projector(fresh.ledger)
	fresh.apply()
	if d := diff(fresh.everything().Points, got.Points); d != "" {
		t.Errorf("index (-fresh +interrupted %d times)\n%s", cut, d)
	}
}
