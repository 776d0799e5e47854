package retrieve

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

// bridges returns a library in which many passages name the bridge, and one
// passage without that name ends the chain of a question about its designer.
func bridges() *fake {
	texts := []text{
		{"Copper Bridge", "Copper Bridge is a roofed bridge over the Lune. Henrike Aldous designed Copper Bridge."},
		{"Graves of the parish", "Henrike Aldous was buried in Karsholm, among sailors and far from any river."},
	}
	for year := range 6 {
		texts = append(texts, text{fmt.Sprintf("Repairs of 190%d", year), fmt.Sprintf("Copper Bridge was closed in 190%d. The boards of Copper Bridge had rotted.", year)})
	}
	return newFake(texts...)
}

func TestThePassageThatEndsAChainComesBeforeNeighbours(t *testing.T) {
	t.Parallel()
	q := Query{Text: "Where was the designer of Copper Bridge buried?", Limit: 2}
	want := []domain.ChunkID{"c0000", "c0001"}
	r := newRetriever(bridges())
	if diff := cmp.Diff(want, chunksOf(ask(t, r, q))); diff != "" {
		t.Errorf("passages (-want +got)\n%s", diff)
	}
	r.tuning.tie, r.tuning.rest, r.tuning.fresh = 0, 0, 0
	if slices.Equal(want, chunksOf(ask(t, r, q))) {
		t.Error("the walk alone finds them, so this shows nothing")
	}
}

func TestScoresFallFromOne(t *testing.T) {
	t.Parallel()
	texts := []text{{"Copper Bridge", "Henrike Aldous designed Copper Bridge."}}
	for i := range 50 { // more than are ordered again
		texts = append(texts, text{fmt.Sprintf("Note %d", i), "Copper Bridge is mentioned here."})
	}
	got := ask(t, newRetriever(newFake(texts...)), Query{Text: "Where was the designer of Copper Bridge buried?", Limit: 60})
	if len(got.Passages) != len(texts) {
		t.Errorf("%d passages, want all %d", len(got.Passages), len(texts))
	}
	last := 1.0
	for i, p := range got.Passages {
		if i == 0 && p.Score != 1 || p.Score > last || p.Score < 0 {
			t.Errorf("score %d is %g after %g", i, p.Score, last)
		}
		last = p.Score
	}
}

func TestChosenForWhatTheOthersLack(t *testing.T) {
	t.Parallel()
	tied := &patch{names: []name{{passages: 4}}, chunks: []chunk{{links: []link{{}}}, {}, {}, {links: []link{{}}}}}
	for _, c := range []struct {
		title string
		patch *patch
		want  []int32
	}{
		{"no names", &patch{chunks: make([]chunk, 5)}, []int32{0, 2, 1, 3}},
		{"a name in the first and the last", tied, []int32{0, 3, 2, 1}},
	} {
		list := []candidate{{chunk: 0, score: 3, holds: 0b011}, {chunk: 1, score: 2, holds: 0b011}, {chunk: 2, score: 1.9, holds: 0b100}, {chunk: 3, score: 1, holds: 0b1000}}
		s := &search{tuning: tuned()}
		var order []int32
		scores := s.choose(c.patch, list, []float64{0.3, 0.2, 0.25, 0.25}, 0)
		for _, p := range scores {
			order = append(order, p.chunk)
		}
		if diff := cmp.Diff(c.want, order); diff != "" {
			t.Errorf("%s: order (-want +got)\n%s", c.title, diff)
		}
	}
}

func TestALookUpComesFirst(t *testing.T) {
	t.Parallel()
	q := Query{Text: "What did a cart pay for crossing Copper Bridge in 1884?", Limit: 3}
	texts := []text{
		{"Copper Bridge", "Copper Bridge is a roofed bridge over the Lune. Henrike Aldous designed Copper Bridge."},
		{"Tolls", "In 1884 a cart paid two pennies for crossing Copper Bridge over the Lune."},
	}
	if got := ask(t, newRetriever(newFake(texts...)), q); got.Passages[0].Chunk != "c0001" || !strings.HasSuffix(got.Methods[2].Reason, lookup) {
		t.Errorf("passages %v, %q: want the tolls first, and why", chunksOf(got), got.Methods[2].Reason)
	}
	q.Text = "Where was the designer of Copper Bridge buried?"
	if got := ask(t, newRetriever(bridges()), q); strings.Contains(got.Methods[2].Reason, lookup) {
		t.Errorf("%q of a question that needs two passages", got.Methods[2].Reason)
	}
	s := &search{tuning: tuned()}
	list := func() []candidate { return []candidate{{chunk: 0, score: 1, holds: 1}, {chunk: 1, score: 2, holds: 1}} }
	p := &patch{chunks: make([]chunk, 3)}
	if got := s.choose(p, list(), []float64{1}, 1); got[0].chunk != 0 || got[1].score > got[0].score {
		t.Errorf("%v, want the one that was looked up first", got)
	}
	if got := s.choose(p, list(), []float64{1}, 0); got[0].chunk != 1 {
		t.Errorf("%v, want the one with the highest score first", got)
	}
}

func TestTheNearestComeFirstIfTheyStandAlone(t *testing.T) {
	t.Parallel()
	r := func(f *fake) *Retriever { return newRetriever(f, WithEmbedder(embedder{}, new(llmtest.Shelf))) }
	alone := newFake(
		text{"Harbour rules", "Dogs are kept on a lead. A crossing costs 40 crowns. The ferry rests on Monday."},
		text{"Ferries", "The ferry is red. The ferry is old. A ferry may cross."},
		text{"Crossings", "Crossings of the river are few."},
	)
	q := Query{Text: "What does a crossing of the ferry cost?", Limit: 3}
	if got := ask(t, r(alone), q); got.Passages[0].Chunk != "c0000" || !strings.HasSuffix(got.Methods[2].Reason, nothingToAdd) {
		t.Errorf("passages %v, %q: want the price first, and why", chunksOf(got), got.Methods[2].Reason)
	}
	// Without vectors of sentences the order is that of the walk.
	if got := ask(t, newRetriever(alone, WithEmbedder(embedder{err: errors.New("no model")}, new(llmtest.Shelf))), q); strings.Contains(got.Methods[2].Reason, nothingToAdd) {
		t.Errorf("%q without vectors of sentences", got.Methods[2].Reason)
	}
	q.Text = "Where was the designer of Copper Bridge buried?"
	if got := ask(t, r(bridges()), q); strings.Contains(got.Methods[2].Reason, nothingToAdd) {
		t.Errorf("%q of a question that needs two passages", got.Methods[2].Reason)
	}
	// What a rewording searches has to come near to what was asked.
	q.Text, q.Asked = "ferry red old", "What does a crossing of the ferry cost?"
	if got := ask(t, r(alone), q); got.Passages[0].Chunk != "c0000" {
		t.Errorf("passages %v: want the price first", chunksOf(got))
	}
}
