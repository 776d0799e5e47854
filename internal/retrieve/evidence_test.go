package retrieve

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/vectorstore"
)

func TestScaled(t *testing.T) {
	t.Parallel()
	hits := func(scores ...float64) []vectorstore.Hit {
		var list []vectorstore.Hit
		for _, s := range scores {
			list = append(list, vectorstore.Hit{Score: s})
		}
		return list
	}
	for name, c := range map[string]struct {
		hits  []vectorstore.Hit
		limit int
		want  []float64
	}{
		"no hits":                    {nil, 3, nil},
		"as many as asked for":       {hits(9, 6, 3), 3, []float64{1, 0.5, 0}},
		"every match":                {hits(8, 4), 3, []float64{1, 0.5}},
		"all alike":                  {hits(5, 5), 2, []float64{1, 1}},
		"nothing in common":          {hits(0, 0), 2, []float64{0, 0}},
		"further away than at right": {hits(-0.2, -0.4), 5, []float64{0, 0}},
	} {
		if diff := cmp.Diff(c.want, scaled(c.hits, c.limit)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func TestSentencesAreRankedByVectorsToo(t *testing.T) {
	t.Parallel()
	f := valley()
	for i := range f.points[vectorstore.Sentences] {
		p := &f.points[vectorstore.Sentences][i]
		p.vector = []float32{0, 1}
		if p.id == "c0003#0" { // shares no word with the question
			p.vector = []float32{1, 0}
		}
	}
	q := Query{Text: "Who taught there?", Limit: 1}
	if got := ask(t, newRetriever(f), q); len(got.Passages) > 0 {
		t.Fatalf("%v found by words alone, want a question that finds nothing", chunksOf(got))
	}
	with := newRetriever(f, WithEmbedder(embedder{}, new(llmtest.Shelf)))
	sentences := f.points[vectorstore.Sentences]
	for i := range 2 { // of 14
		sentences[i].vector = nil
	}
	if got := ask(t, with, q); len(got.Passages) > 0 {
		t.Errorf("%v found while some sentences have no vector", chunksOf(got))
	}
	sentences[0].vector = []float32{0, 1}
	got := ask(t, with, q)
	if diff := cmp.Diff([]domain.ChunkID{"c0003"}, chunksOf(got)); diff != "" {
		t.Errorf("passages (-want +got)\n%s", diff)
	}
	if want := "no known name in the question; names in the best sentences: Dame Alley School, Hester Pryor, Schools" + nothingToAdd; got.Methods[2].Reason != want {
		t.Errorf("reason %q, want %q", got.Methods[2].Reason, want)
	}
}
