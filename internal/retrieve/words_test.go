package retrieve

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

// TestWordsOfAQuestion counts them, and finds what is spelt like one that no document has:
// in names and in texts.
func TestWordsOfAQuestion(t *testing.T) {
	t.Parallel()
	f := newFake(
		text{"The Tarn Viaduct", "The Tarn Viaduct was built in stone."},
		text{"Weir Bridge", "Ann Lee built Weir Bridge beside the lighthouse."},
		text{"Lamps", "A lighthouse has lamps. The keeper built them."},
	)
	r := New(Params{Graph: f, Index: f, Texts: f, Now: time.Now})
	for _, tt := range []struct {
		question string
		within   []domain.DocumentID
		want     []domain.AskedWord
	}{
		{"Who built the Viaduckt at Marlock?", nil, []domain.AskedWord{{Text: "Viaduckt", Meant: "Viaduct", MeantIn: 1}, {Text: "Marlock"}, {Text: "built", Documents: 3}}},
		{"Where is the lighthose?", nil, []domain.AskedWord{{Text: "lighthose", Meant: "lighthouse", MeantIn: 2}}},
		{"Where is the lighthose?", []domain.DocumentID{"d0000"}, []domain.AskedWord{{Text: "lighthose"}}},
		{"Wer hat die Lamps?", nil, []domain.AskedWord{{Text: "Lamps", Documents: 1}}},
		{"Who is it?", nil, []domain.AskedWord{}},
	} {
		got, err := r.Words(t.Context(), ws, tt.question, tt.within)
		if diff := cmp.Diff(tt.want, got.Words); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", tt.question, err, diff)
		}
	}
}
