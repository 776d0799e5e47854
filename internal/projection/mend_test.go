package projection_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/vectorstore"
)

func (v *memoryVectors) claim(after, cursor int64) error {
	if v.claimed = max(v.claimed, cursor); v.cursor != after || v.claimed > cursor {
		return domain.Errorf(domain.Conflict, "at %d, not %d, on the way to %d", v.cursor, after, v.claimed)
	}
	return nil
}

func (v *memoryVectors) Fill(ctx context.Context, w domain.WorkspaceID, after, cursor int64, pieces func(func(vectorstore.Batch) error) error) error {
	return v.fillLocked(ctx, w, after, cursor, pieces, new(sync.Mutex))
}

func (v *lockedVectors) Fill(ctx context.Context, w domain.WorkspaceID, after, cursor int64, pieces func(func(vectorstore.Batch) error) error) error {
	return v.fillLocked(ctx, w, after, cursor, pieces, &v.mu)
}

// fillLocked holds mu while something is written.
func (v *memoryVectors) fillLocked(ctx context.Context, w domain.WorkspaceID, after, cursor int64, pieces func(func(vectorstore.Batch) error) error, mu *sync.Mutex) error {
	write := func(b vectorstore.Batch, to int64) error {
		mu.Lock()
		defer mu.Unlock()
		if err := v.claim(after, cursor); err != nil {
			return err
		}
		b.After, b.Cursor = after, to
		return v.Apply(ctx, w, b)
	}
	if err := write(vectorstore.Batch{}, after); err != nil {
		return err
	}
	if err := pieces(func(b vectorstore.Batch) error { return write(b, after) }); err != nil {
		return err
	}
	return write(vectorstore.Batch{}, cursor)
}

// counted are vectors that note how large pieces are, and fail at one.
type counted struct {
	*memoryVectors
	points, bytes, deletes []int // of each piece
	failAt                 int   // at which piece from 1; 0 for none
	pieces                 int
}

var errCut = errors.New("cut off")

func (v *counted) Fill(ctx context.Context, w domain.WorkspaceID, after, cursor int64, pieces func(func(vectorstore.Batch) error) error) error {
	return v.memoryVectors.Fill(ctx, w, after, cursor, func(write func(vectorstore.Batch) error) error {
		return pieces(func(b vectorstore.Batch) error {
			if v.pieces++; v.pieces == v.failAt {
				return errCut
			}
			bytes := 0
			for _, p := range b.Upsert {
				bytes += len(p.Title) + len(p.Text)
			}
			v.points, v.bytes, v.deletes = append(v.points, len(b.Upsert)), append(v.bytes, bytes), append(v.deletes, len(b.DeleteDocuments)+len(b.Delete))
			return write(b)
		})
	})
}

func (b *bench) projectorOf(v vectorstore.Index) *projection.Projector {
	return projection.New(projection.Params{Ledger: b.ledger, Graph: b.graph, Vectors: v, Log: slog.New(slog.DiscardHandler), Key: key, Sentences: sentences})
}

// large is a library of many small documents and one that is larger than any
// piece may be, with more entities than a page of them has.
func large(t *testing.T) *bench {
	b := start(t)
	for i := range 100 {
		b.ledger.put(text(domain.DocumentID(fmt.Sprint("d", i)), fmt.Sprint("Title ", i), fmt.Sprintf("[Person:Ann %d] -KNOWS- [Person:Bob %d]. And so on. And on", i, i+1)))
	}
	var chunks []string
	for i := range 1500 {
		chunks = append(chunks, fmt.Sprintf("Part of [Place:Town %d] and more. It is long", i))
	}
	b.ledger.put(text("long", "A long one", chunks...))
	return b
}

// TestPiecesAreBounded loses the index of a library that is larger than any
// piece, and looks at the pieces in which it comes back.
func TestPiecesAreBounded(t *testing.T) {
	t.Parallel()
	b := large(t)
	b.apply()
	want := b.everything()
	b.check(b.vectors.Reset(t.Context(), ws))
	v, told := &counted{memoryVectors: b.vectors}, [][2]int{}
	b.check(b.projectorOf(v).Apply(projection.Watched(t.Context(), func(done, total int) { told = append(told, [2]int{done, total}) }), ws))
	if d := diff(want, b.everything()); d != "" {
		t.Errorf("(-before +mended)\n%s", d)
	}
	if len(v.points) < 4 {
		t.Errorf("%d pieces: the test proves nothing", len(v.points))
	}
	for i := range v.points {
		if v.points[i] > 2_500 || v.bytes[i] > 5<<20 || v.deletes[i] > 2_500 {
			t.Errorf("piece %d has %d points of %d bytes and %d deletions", i, v.points[i], v.bytes[i], v.deletes[i])
		}
	}
	if last := told[len(told)-1]; len(told) < 3 || last[0] != last[1] {
		t.Errorf("told %v", told)
	}
	for i := 1; i < len(told); i++ {
		if told[i][0] < told[i-1][0] || told[i][1] != told[0][1] || told[i][0] > told[i][1] {
			t.Errorf("told %v after %v", told[i], told[i-1])
		}
	}
}

// TestMendingGoesOn cuts the mending off at each of its pieces, changes the
// library, and mends again.
func TestMendingGoesOn(t *testing.T) {
	t.Parallel()
	b := large(t)
	b.apply()
	b.check(b.vectors.Reset(t.Context(), ws))
	cut := 0
	for at := 1; ; at++ {
		err := b.projectorOf(&counted{memoryVectors: b.vectors, failAt: at}).Apply(t.Context(), ws)
		if err == nil {
			break
		}
		if !errors.Is(err, errCut) {
			t.Fatal(err)
		}
		cut++
		if progress, err := b.Behind(t.Context(), ws); err != nil || progress.Vectors != 0 {
			t.Fatalf("cut off at piece %d, it stands at %+v, error %v", at, progress, err)
		}
		b.ledger.delete(domain.DocumentID(fmt.Sprint("d", 3*at)))
		b.ledger.put(text(domain.DocumentID(fmt.Sprint("d", 3*at+1)), "Another title", fmt.Sprintf("[Person:Carl %d] came", at)))
	}
	if cut < 4 {
		t.Errorf("cut off %d times: the test proves nothing", cut)
	}
	got := b.everything()
	fresh := start(t)
	fresh.ledger = b.ledger.fresh()
	fresh.Projector = fresh.projector(fresh.ledger)
	fresh.apply()
	if d := diff(fresh.everything().Points, got.Points); d != "" {
		t.Errorf("(-fresh +cut off %d times)\n%s", cut, d)
	}
}
