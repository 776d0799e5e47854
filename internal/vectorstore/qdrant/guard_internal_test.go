package qdrant

import (
	"testing"

	"github.com/qdrant/go-client/qdrant"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// TestNothingIsDeletedWithoutAWorkspace has no server: the requests must not
// even be built.
func TestNothingIsDeletedWithoutAWorkspace(t *testing.T) {
	t.Parallel()
	for _, f := range []*qdrant.Filter{nil, {}, of(""), {Must: inDocuments([]domain.DocumentID{"d1"})}, {Should: of("main").GetMust()}} {
		if err := new(server).deleteWhere(t.Context(), "clew_chunks", f); err == nil {
			t.Errorf("got a deletion by %v", f)
		}
	}
}

// weighed returns the sparse vector of a text in a workspace whose points have ten words.
func weighed(text string) ([]uint32, []float32) {
	p := vectorstore.Point{Ref: vectorstore.Ref{Collection: vectorstore.Sentences}, Text: text}
	b := &batch{Batch: vectorstore.Batch{After: 1, Upsert: []vectorstore.Point{p}}}
	b.began.lengths = map[vectorstore.Collection]lengths{vectorstore.Sentences: {1000, 10_000}}
	b.count()
	return b.weigh(p.Ref)
}

func TestWeigh(t *testing.T) {
	t.Parallel()
	indices, values := weighed("granite granites marble")
	if len(indices) != 2 || indices[0] >= indices[1] {
		t.Fatalf("got indices %v, want two in order", indices)
	}
	weight := map[uint32]float32{indices[0]: values[0], indices[1]: values[1]}
	twice, once := weight[hash("granit")], weight[hash("marbl")]
	if once <= 0 || twice <= once || twice >= 2*once {
		t.Errorf("got weight %f for a word that occurs once, %f for one that occurs twice", once, twice)
	}
	_, longer := weighed("marble and granite of the mountains far away")
	if longer[0] >= once {
		t.Errorf("got weight %f in a longer text, %f in a shorter one", longer[0], once)
	}
	if indices, values := weighed("the of"); len(indices)+len(values) > 0 {
		t.Errorf("got weights %v for stop words, want none", values)
	}
}
