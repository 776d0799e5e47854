package qdrant

import (
	"testing"

	"github.com/qdrant/go-client/qdrant"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// TestNothingIsDeletedWithoutAWorkspace has no server to ask: the requests must
// not come to be.
func TestNothingIsDeletedWithoutAWorkspace(t *testing.T) {
	t.Parallel()
	for _, f := range []*qdrant.Filter{nil, {}, of(""), {Must: inDocuments([]domain.DocumentID{"d1"})}, {Should: of("main").GetMust()}} {
		if err := new(server).deleteWhere(t.Context(), "clew_chunks", f); err == nil {
			t.Errorf("points were deleted by %v", f)
		}
	}
}

func TestWeigh(t *testing.T) {
	t.Parallel()
	indices, values := weigh(vectorstore.Sentences, "granite granites marble")
	if len(indices) != 2 || indices[0] >= indices[1] {
		t.Fatalf("indices %v, want two in order", indices)
	}
	weight := map[uint32]float32{indices[0]: values[0], indices[1]: values[1]}
	twice, once := weight[hash("granit")], weight[hash("marbl")]
	if once <= 0 || twice <= once || twice >= 2*once {
		t.Errorf("a word weighs %f, one that stands twice %f", once, twice)
	}
	_, longer := weigh(vectorstore.Sentences, "marble and granite of the mountains far away")
	if longer[0] >= once {
		t.Errorf("a word of a longer text weighs %f, of a shorter one %f", longer[0], once)
	}
	if indices, values := weigh(vectorstore.Chunks, "the of"); len(indices)+len(values) > 0 {
		t.Errorf("stop words weigh %v", values)
	}
}
