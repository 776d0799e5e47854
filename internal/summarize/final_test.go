package summarize

import (
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

func TestASummarySaysOnHowManyDocumentsItDraws(t *testing.T) {
	t.Parallel()
	cited := []domain.Citation{{N: 1, DocumentID: "a"}, {N: 2, DocumentID: "a"}, {N: 3, DocumentID: "b"}}
	for documents, want := range map[int]string{
		1: "", 2: "", 12: "Its sentences come from 2 of 12 documents. For more of the others, summarise them on their own.",
	} {
		if got := drawnOn(cited, documents); got != want {
			t.Errorf("of %d documents: %q, want %q", documents, got, want)
		}
	}
}
