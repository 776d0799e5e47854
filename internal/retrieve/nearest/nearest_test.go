package nearest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

// counting counts the texts that are embedded.
type counting struct {
	llmtest.Embedder
	texts int
	fails error
}

func (c *counting) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if c.fails != nil {
		return nil, c.fails
	}
	c.texts += len(texts)
	return c.Embedder.Embed(ctx, texts)
}

func passage(title, text string) domain.Passage {
	return domain.Passage{Title: title, Chunk: domain.Chunk{ID: domain.ChunkID(domain.Hash([]byte(title + text))), Text: text, Span: domain.Span{Start: 100, End: 100 + domain.Runes(text)}}}
}

// text returns the words of a span of a passage.
func text(p domain.Passage, s domain.Span) string { return s.Shift(-p.Span.Start).Slice(p.Text) }

func TestTheNearestSentence(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		question    string
		passages    []domain.Passage
		want, under string
	}{
		"a rare word weighs more": {
			"Which ferry was repaired?",
			[]domain.Passage{passage("Ferries", "The ferry is old. The ferry is red. The boiler was repaired.")}, "The boiler was repaired.", "",
		},
		"a name weighs more": {
			"Did the keeper Crake drown?",
			[]domain.Passage{passage("Lights", "A keeper fell. Crake left. A boy may drown.")}, "Crake left.", "",
		},
		"an answer in place of its question": {
			"Is the ferry free?",
			[]domain.Passage{passage("Harbour", "The harbour is deep.\n\nIs the ferry free?\n\nNo: the ferry costs 40 crowns.")}, "No: the ferry costs 40 crowns.", "Is the ferry free?",
		},
		"a row with the heads of its columns": {
			"In which years was Jonas Crake keeper?",
			[]domain.Passage{passage("Tarn", "Keepers\n\nName | Office | Years\nJonas Crake | Keeper | 1941–1960\nAda Moss | Clerk | 1950–1955"), passage("Years", "Years pass.")},
			"Jonas Crake | Keeper | 1941–1960", "Keepers",
		},
		"an item with its announcement": {
			"What must a passenger carry?",
			[]domain.Passage{passage("Rules", "A passenger must carry:\n\n- a ticket\n\nDogs are welcome.")}, "A passenger must carry:", "",
		},
		"the rest of the passage says what it is about": {
			"What does a pass for the harbour cost?",
			[]domain.Passage{passage("Rules", "The harbour is open. A pass costs 40 crowns."), passage("Prices", "The town is open. A pass costs 12 crowns.")}, "A pass costs 40 crowns.", "",
		},
		"the title says what it is about": {
			"How deep is Copper Lake?",
			[]domain.Passage{passage("Silver Lake", "It is 40 m deep."), passage("Copper Lake", "It is 12 m deep.")}, "It is 12 m deep.", "",
		},
		"a pronoun with what it refers to": {
			"When did Copper Bridge open?",
			[]domain.Passage{passage("Bridges", "Copper Bridge is long. It did not open before 1854. El muro did not open before 1870.")}, "It did not open before 1854.", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, r := range []Ranker{{}, {Embedder: llmtest.Embedder{}, Store: new(llmtest.Shelf)}} {
				got, err := r.Sentences(t.Context(), tt.question, tt.passages)
				if err != nil {
					t.Fatal(err)
				}
				p := tt.passages[got[0].Passage]
				if said, under := text(p, got[0].Span), text(p, got[0].Under); said != tt.want || got[0].Under != (domain.Span{}) && under != tt.under || got[0].Under == (domain.Span{}) && tt.under != "" {
					t.Errorf("with vectors %t: %q under %q, want %q under %q", r.Embedder != nil, said, under, tt.want, tt.under)
				}
				for _, s := range got {
					if s.Score < 0 || s.Score > 1 {
						t.Errorf("score %f", s.Score)
					}
				}
			}
		})
	}
}

func TestWhatAPronounRefersTo(t *testing.T) {
	t.Parallel()
	p := passage("Bridges", "Copper Bridge is long. It opened in 1854. They say it is red.\n\nThe mill:\n\nThis is a mill.\n\nEl muro opened.")
	got, err := Ranker{}.Sentences(t.Context(), "When did it open?", []domain.Passage{p})
	if err != nil {
		t.Fatal(err)
	}
	over := map[string]string{}
	for _, s := range got {
		if !s.Over.Empty() {
			over[text(p, s.Span)] = text(p, s.Over)
		}
	}
	want := map[string]string{"It opened in 1854.": "Copper Bridge is long.", "They say it is red.": "Copper Bridge is long."}
	if diff := cmp.Diff(want, over); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestVectorsAreMadeOnce(t *testing.T) {
	t.Parallel()
	e, store := &counting{}, new(llmtest.Shelf)
	r := Ranker{Embedder: e, Store: store}
	var passages []domain.Passage
	for i := range mostEmbedded + 10 {
		passages = append(passages, passage("Boats", strings.Repeat("x", i+1)+" sails. It floats."))
	}
	first, err := r.Sentences(t.Context(), "What floats?", passages)
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 + mostEmbedded + 1; e.texts != want { // the question, the first sentence of each and the one that all have
		t.Errorf("embedded %d texts, want %d", e.texts, want)
	}
	again, err := r.Sentences(t.Context(), "What floats?", passages)
	if err != nil || e.texts != 1+mostEmbedded+1 {
		t.Errorf("%v, embedded %d texts in all", err, e.texts)
	}
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("another ranking of the same (-first +again):\n%s", diff)
	}
}

func TestWithoutTheEmbedderWordsDo(t *testing.T) {
	t.Parallel()
	passages := []domain.Passage{passage("Boats", "A boat floats. A stone sinks.")}
	byWords, err := Ranker{}.Sentences(t.Context(), "What sinks?", passages)
	if err != nil {
		t.Fatal(err)
	}
	failing := Ranker{Embedder: &counting{fails: errors.New("no model")}, Store: new(llmtest.Shelf)}
	got, err := failing.Sentences(t.Context(), "What sinks?", passages)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(byWords, got); diff != "" {
		t.Errorf("(-by words +without the model)\n%s", diff)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := failing.Sentences(stopped, "What sinks?", passages); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
	if none, err := failing.Sentences(t.Context(), "", nil); err != nil || len(none) > 0 {
		t.Errorf("of nothing: %v, %v", none, err)
	}
}

func TestARankingIsKept(t *testing.T) {
	t.Parallel()
	e := &counting{fails: errors.New("no model")}
	r := Ranker{Embedder: e, Store: new(llmtest.Shelf), Recent: new(Recent)}
	passages := []domain.Passage{passage("Boats", "A boat floats. A stone sinks.")}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := r.Sentences(stopped, "What sinks?", passages); err == nil {
		t.Fatal("a ranking after the end of the context")
	}
	e.fails = nil
	first, err := r.Sentences(t.Context(), "What sinks?", passages) // the failure is not kept
	if err != nil || first[0].Cosine == 0 {
		t.Fatalf("%v, %v", first, err)
	}
	e.fails = errors.New("no model")
	r.Store = new(llmtest.Shelf)
	first[0].Score = -1 // which is the caller's
	again, err := r.Sentences(t.Context(), "What sinks?", passages)
	if err != nil || again[0].Cosine == 0 || again[0].Score < 0 {
		t.Errorf("%v, %v", again, err)
	}
	for i := range recents {
		if _, err := r.Sentences(t.Context(), strings.Repeat("so ", i+1)+"what sinks?", passages); err != nil {
			t.Fatal(err)
		}
	}
	if gone, err := r.Sentences(t.Context(), "What sinks?", passages); err != nil || gone[0].Cosine != 0 {
		t.Errorf("%v after %d other questions: %v", gone, recents, err)
	}
}
