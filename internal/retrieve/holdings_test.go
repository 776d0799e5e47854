package retrieve

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

// countedTexts counts the passages that are read.
type countedTexts struct {
	*fake
	read int
}

func (t *countedTexts) Passages(ctx context.Context, w domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error) {
	t.read += len(ids)
	return t.fake.Passages(ctx, w, ids)
}

// TestPassagesAreReadOnce asks twice: the second time the order comes from the words that
// were kept.
func TestPassagesAreReadOnce(t *testing.T) {
	t.Parallel()
	f := valley()
	texts := &countedTexts{fake: f}
	s := &search{Retriever: &Retriever{Params: Params{Texts: texts}, tuning: tuned()}, Query: Query{Text: "Who paid for Copper Bridge?"}, ctx: t.Context()}
	p := newPatch(tuned(), nil)
	for _, c := range f.graph.Chunks {
		p.chunkOf(c.ID)
	}
	weigh := func(text string) (holds []uint64, weights []float64) {
		t.Helper()
		s.Text = text
		list := make([]candidate, len(p.chunks))
		for i := range list {
			list[i].chunk = int32(i)
		}
		weights, err := s.readTerms(p, list)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			holds = append(holds, c.holds)
		}
		return holds, weights
	}
	first, weights := weigh("Who paid for Copper Bridge?")
	if texts.read != len(p.chunks) {
		t.Errorf("%d passages were read, want %d", texts.read, len(p.chunks))
	}
	if diff := cmp.Diff([]uint64{0b110, 0, 0b111, 0, 0, 0, 0}, first); diff != "" { // paid, copper, bridge
		t.Errorf("held (-want +got):\n%s", diff)
	}
	again, same := weigh("Who paid for Copper Bridge?")
	if texts.read != len(p.chunks) || !cmp.Equal(first, again) || !cmp.Equal(weights, same) {
		t.Errorf("asked again, %d were read, and %b were held", texts.read, again)
	}
	if other, _ := weigh("A portrait of fish"); other[1] != 0b01 || other[5] != 0b10 {
		t.Errorf("another question: %b", other)
	}
}

func TestFullHoldingsBeginAgain(t *testing.T) {
	t.Parallel()
	r := newRetriever(valley())
	h := r.heldWords()
	if r.heldWords() != h {
		t.Error("they were not kept")
	}
	bridges := domain.Passage{Chunk: domain.Chunk{ID: "c0", Text: "copper bridges"}}
	h.add(bridges)
	if h.kept != 2 || len(h.missing([]domain.ChunkID{"c0", "c1"})) != 1 {
		t.Errorf("%d words are kept", h.kept)
	}
	h.add(bridges) // by two searches at the same time
	if h.kept != 2 {
		t.Errorf("%d words are kept after the second time", h.kept)
	}
	h.kept = maxHeld + 1
	if fresh := r.heldWords(); fresh == h || len(fresh.of) > 0 {
		t.Error("they are full, and go on")
	}
	if h.among("c0", h.terms("a bridge")) != 1 {
		t.Error("a search that had begun with them lost them")
	}
}
