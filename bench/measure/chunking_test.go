package measure

import (
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

// TestShorterChunksAreFoundToo cuts a leaflet in two ways. Its questions of one half
// with expected words are searched for, in what fits into the tokens that a model
// would be given.
func TestShorterChunksAreFoundToo(t *testing.T) {
	t.Parallel()
	dir := asksLeaflet(t)
	whole, err := Chunking(t.Context(), answerParams(t).Params, dir, Tuned, domain.Chunking{})
	if err != nil {
		t.Fatal(err)
	}
	short, err := Chunking(t.Context(), answerParams(t).Params, dir, Tuned, domain.Chunking{By: domain.BySentences, Tokens: 32})
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]ChunkingScore{"whole": whole, "short": short} {
		if s.Documents != 1 || s.Questions != 1 || s.First5 != 1 || s.First640 != 1 || s.First1280 != 1 || s.MRR == 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if short.By != domain.BySentences || short.Chunks <= whole.Chunks || short.Mean >= whole.Mean {
		t.Errorf("cut short: %+v, whole: %+v", short, whole)
	}
}

// TestALongPassageIsPaidFor counts a passage only within the tokens that are left.
func TestALongPassageIsPaidFor(t *testing.T) {
	t.Parallel()
	passage := func(text string, tokens int) domain.Passage {
		return domain.Passage{Name: "leaflet", Chunk: domain.Chunk{Text: text, Tokens: tokens}}
	}
	var s ChunkingScore
	s.count(FileQuestion{Source: "leaflet", Expected: []string{"harbour freezes"}}, []domain.Passage{passage("The ferry.", 600), passage("The harbour\nfreezes over.", 100)})
	if s.First5 != 1 || s.First640 != 0 || s.First1280 != 1 || s.MRR != 0.5 {
		t.Errorf("%+v", s)
	}
}
