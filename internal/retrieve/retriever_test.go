package retrieve

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

func TestTheSecondHopIsFound(t *testing.T) {
	t.Parallel()
	r := newRetriever(valley())
	got := ask(t, r, Query{Text: "Who painted the portrait of the designer of Copper Bridge?", Limit: 3})
	if ids := chunksOf(got); !slices.Contains(ids, "c0000") || !slices.Contains(ids, "c0001") {
		t.Errorf("passages %v, want the guide and the museum's labels among them", ids)
	}
	i := slices.IndexFunc(got.Passages, func(f domain.FoundPassage) bool { return f.Chunk == "c0001" })
	want := []domain.Hop{
		{Entity: "e:copper bridge", Name: "Copper Bridge", Method: "name"},
		{Entity: "e:henrike aldous", Name: "Henrike Aldous", From: "c0000", Method: "mention"},
	}
	if diff := cmp.Diff(want, got.Passages[i].Path); diff != "" {
		t.Errorf("path (-want +got)\n%s", diff)
	}
}

func TestATitleIsAHop(t *testing.T) {
	t.Parallel()
	got := ask(t, newRetriever(valley()), Query{Text: "What is smoked in the town to which the commander of the Heron sailed?", Limit: 4})
	i := slices.IndexFunc(got.Passages, func(f domain.FoundPassage) bool { return f.Chunk == "c0005" })
	if i < 0 {
		t.Fatalf("passages %v, want the one about Karsholm", chunksOf(got))
	}
	want := []domain.Hop{{Entity: "e:karsholm", Name: "Karsholm", From: "c0006", Method: "title"}}
	path := got.Passages[i].Path
	if len(path) == 0 {
		return // its own words brought it, which is true as well
	}
	if diff := cmp.Diff(want[0], path[len(path)-1]); diff != "" {
		t.Errorf("last hop (-want +got)\n%s", diff)
	}
}

func TestARelationIsAHop(t *testing.T) {
	t.Parallel()
	f := newFake(text{"One", "They praised Anna Lind at length."}, text{"Two", "They visited the Swan Inn."}, text{"Three", "Nothing here."})
	f.relate("Anna Lind", "FOUNDED", "Swan Inn")
	got := ask(t, newRetriever(f), Query{Text: "What became of it after Anna Lind?", Limit: 2})
	want := []domain.Hop{
		{Entity: "e:anna lind", Name: "Anna Lind", Method: "name"},
		{Entity: "e:swan inn", Name: "Swan Inn", Method: "relation"},
	}
	if len(got.Passages) != 2 || got.Passages[1].Chunk != "c0001" {
		t.Fatalf("passages %v, want the second text second", chunksOf(got))
	}
	if diff := cmp.Diff(want, got.Passages[1].Path); diff != "" {
		t.Errorf("path (-want +got)\n%s", diff)
	}
}

func TestMethodsAreReported(t *testing.T) {
	t.Parallel()
	got := ask(t, newRetriever(valley()), Query{Text: "Who designed Copper Bridge?"})
	var names []domain.MethodName
	var reasons []string
	for _, m := range got.Methods {
		names = append(names, m.Name)
		reasons = append(reasons, m.Reason)
	}
	if diff := cmp.Diff([]domain.MethodName{domain.MethodWords, domain.MethodVectors, domain.MethodWalk}, names); diff != "" {
		t.Errorf("methods (-want +got)\n%s", diff)
	}
	if reasons[1] != "left out: no embedding model is set up" || reasons[2] != "names in the question: Copper Bridge"+lookup {
		t.Errorf("reasons %q", reasons)
	}
	if diff := cmp.Diff([]domain.MethodName{domain.MethodWords, domain.MethodWalk}, got.Passages[0].Methods); diff != "" {
		t.Errorf("methods of the first passage (-want +got)\n%s", diff)
	}
}

// TestEachMethodIsReportedOnceItIsDone expects each report before the next
// method begins, with the passages in the order of that method.
func TestEachMethodIsReportedOnceItIsDone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		method domain.MethodName
		want   []domain.MethodName
	}{
		{domain.MethodDefault, []domain.MethodName{domain.MethodWords, domain.MethodVectors, domain.MethodWalk}},
		{domain.MethodWalk, []domain.MethodName{domain.MethodWords, domain.MethodVectors, domain.MethodWalk}},
		{domain.MethodHybrid, []domain.MethodName{domain.MethodWords, domain.MethodVectors, domain.MethodHybrid}},
		{domain.MethodWords, []domain.MethodName{domain.MethodWords}},
		{domain.MethodVectors, []domain.MethodName{domain.MethodVectors}},
	} {
		t.Run(string(tt.method), func(t *testing.T) {
			t.Parallel()
			f := valley()
			f.points["chunks"][3].vector = []float32{1, 0}
			var got []domain.MethodName
			var last []domain.ChunkID
			r := ask(t, newRetriever(f, WithEmbedder(embedder{}, new(llmtest.Shelf))), Query{Text: "Who designed Copper Bridge?", Method: tt.method, Limit: 1, Report: func(m domain.Method) {
				got, last = append(got, m.Name), m.Ranked
			}})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("reports (-want +got)\n%s", diff)
			}
			if len(r.Passages) != 1 || len(last) == 0 || last[0] != r.Passages[0].Chunk {
				t.Errorf("found %v, the last report ranks %v", chunksOf(r), last)
			}
			if len(last) < 2 && tt.method != domain.MethodVectors {
				t.Errorf("the report ranks %v: want those beyond the limit too", last)
			}
		})
	}
}

func TestVectorsAloneNeedAnEmbeddingModel(t *testing.T) {
	t.Parallel()
	_, err := newRetriever(valley()).Retrieve(t.Context(), ws, Query{Text: "Copper Bridge", Method: domain.MethodVectors})
	if domain.KindOf(err) != domain.Invalid || !strings.Contains(domain.InWords(err), "EMBED_MODEL") {
		t.Errorf("error %v", err)
	}
}

func TestOnlyTheseDocuments(t *testing.T) {
	t.Parallel()
	got := ask(t, newRetriever(valley()), Query{
		Text: "Who painted the portrait of the designer of Copper Bridge?", Documents: []domain.DocumentID{"d0001", "d0002"},
	})
	for _, p := range got.Passages {
		if p.Chunk != "c0001" && p.Chunk != "c0002" {
			t.Errorf("found %s of another document", p.Chunk)
		}
		for _, h := range p.Path {
			if h.From == "c0000" {
				t.Errorf("the path of %s leads through another document: %v", p.Chunk, p.Path)
			}
		}
	}
	if len(got.Passages) != 2 {
		t.Errorf("passages %v, want both documents'", chunksOf(got))
	}
}

func TestWiderFindsMore(t *testing.T) {
	t.Parallel()
	r := newRetriever(valley())
	q := Query{Text: "Who painted the portrait of the designer of Copper Bridge?", Limit: 2}
	narrow := ask(t, r, q)
	q.Wider = true
	if wide := ask(t, r, q); len(narrow.Passages) != 2 || len(wide.Passages) <= 2 {
		t.Errorf("%d passages, and %d when wider", len(narrow.Passages), len(wide.Passages))
	}
}

// TestWhatIsFoundIsCurrent adds a text between two searches.
func TestWhatIsFoundIsCurrent(t *testing.T) {
	t.Parallel()
	f := valley()
	r := newRetriever(f)
	q := Query{Text: "Where was the designer of Copper Bridge buried?", Limit: 9}
	before := ask(t, r, q)
	f.add(len(f.graph.Chunks), text{"Graves", "Henrike Aldous was buried in Tarnwick."})
	if after := chunksOf(ask(t, r, q)); slices.Contains(chunksOf(before), "c0007") || !slices.Contains(after, "c0007") {
		t.Errorf("found %v", after)
	}
}

func TestSameQuestionSameAnswer(t *testing.T) {
	t.Parallel()
	r := newRetriever(valley())
	q := Query{Text: "Who painted the portrait of the designer of Copper Bridge?"}
	first := ask(t, r, q)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			again, err := r.Retrieve(t.Context(), ws, q)
			if diff := cmp.Diff(first, again); err != nil || diff != "" {
				t.Errorf("again: %v\n%s", err, diff)
			}
		})
	}
	wg.Wait()
	if diff := cmp.Diff(first, ask(t, newRetriever(valley()), q)); diff != "" {
		t.Errorf("another retriever\n%s", diff)
	}
}

// embedder returns the same vector for every text, or fails.
type embedder struct{ err error }

func (e embedder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	return slices.Repeat([][]float32{{1, 0}}, len(texts)), e.err
}

func (embedder) Model() string { return "fake" }

func TestVectorsTakePartWhenThereAre(t *testing.T) {
	t.Parallel()
	f := valley()
	f.points["chunks"][3].vector = []float32{1, 0}
	r := newRetriever(f, WithEmbedder(embedder{}, new(llmtest.Shelf)))
	if got := ask(t, r, Query{Text: "Zzz", Method: domain.MethodVectors}); len(got.Passages) != 1 || got.Passages[0].Chunk != "c0003" {
		t.Errorf("dense found %v", chunksOf(got))
	}
	got := ask(t, r, Query{Text: "Zzz"})
	if len(got.Passages) == 0 || got.Passages[0].Chunk != "c0003" || got.Passages[0].Path != nil {
		t.Errorf("found %+v, want the passage that the vector names, without a path", got.Passages)
	}
	if got := ask(t, r, Query{Text: "smoked fish", Method: domain.MethodHybrid}); len(got.Passages) != 2 {
		t.Errorf("hybrid found %v, want one by words and one by vector", chunksOf(got))
	}
}

func TestFailingVectorsDontEndTheSearch(t *testing.T) {
	t.Parallel()
	down := errors.New("the embedding model does not answer")
	r := newRetriever(valley(), WithEmbedder(embedder{err: down}, new(llmtest.Shelf)))
	got := ask(t, r, Query{Text: "Copper Bridge"})
	if len(got.Passages) == 0 || !strings.Contains(got.Methods[1].Reason, down.Error()) {
		t.Errorf("found %d, dense: %q", len(got.Passages), got.Methods[1].Reason)
	}
	if _, err := r.Retrieve(t.Context(), ws, Query{Text: "Copper Bridge", Method: domain.MethodVectors}); !errors.Is(err, down) {
		t.Errorf("asked for vectors alone: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Retrieve(ctx, ws, Query{Text: "Copper Bridge"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// The reachable stores answer and the others are named. If nothing is found
// because a store is away, its error is returned instead of an empty result.
func TestAStoreThatIsAwayIsLeftOut(t *testing.T) {
	t.Parallel()
	away := domain.Errorf(domain.Unavailable, "The store does not answer.")
	missing := func(r Result) (names []domain.MethodName) {
		for _, m := range r.Methods {
			if m.Missing == away.Message {
				names = append(names, m.Name)
			}
		}
		return names
	}
	for _, tt := range []struct {
		name         string
		graph, words error
		question     string
		found        bool
		missing      []domain.MethodName
		err          error
	}{
		{"the graph", away, nil, "Who paid for the repair of Copper Bridge?", true, []domain.MethodName{domain.MethodWalk}, nil},
		{"the graph, and no word fits", away, nil, "Zzz", false, []domain.MethodName{domain.MethodWalk}, nil},
		{"the index", nil, away, "Copper Bridge", true, []domain.MethodName{domain.MethodWords}, nil},
		{"the index, and no name is known", nil, away, "smoked fish", false, nil, away},
		{"both", away, away, "Copper Bridge", false, nil, away},
		{"a graph that is broken", errors.New("broken"), nil, "Copper Bridge", false, nil, errors.New("broken")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := valley()
			f.graphFail, f.wordsFail = tt.graph, tt.words
			got, err := newRetriever(f).Retrieve(t.Context(), ws, Query{Text: tt.question})
			if (err == nil) != (tt.err == nil) || err != nil && domain.KindOf(err) != domain.KindOf(tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if found := len(got.Passages) > 0; found != tt.found {
				t.Errorf("found %v", chunksOf(got))
			}
			if diff := cmp.Diff(tt.missing, missing(got)); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAllStoresThatAreAwayAreNamed has nothing left to search.
func TestAllStoresThatAreAwayAreNamed(t *testing.T) {
	t.Parallel()
	f := valley()
	f.graphFail, f.wordsFail = domain.Errorf(domain.Unavailable, "The graph does not answer."), domain.Errorf(domain.Unavailable, "The index does not answer.")
	_, err := newRetriever(f).Retrieve(t.Context(), ws, Query{Text: "Copper Bridge"})
	if domain.KindOf(err) != domain.Unavailable || domain.InWords(err) != "The index does not answer. The graph does not answer." {
		t.Errorf("error %v", err)
	}
}

func TestEmptyLibrary(t *testing.T) {
	t.Parallel()
	for _, m := range []domain.MethodName{domain.MethodDefault, domain.MethodWords, domain.MethodHybrid, domain.MethodWalk} {
		if got := ask(t, newRetriever(newFake()), Query{Text: "Copper Bridge", Method: m}); len(got.Passages) != 0 {
			t.Errorf("%q found %v in nothing", m, chunksOf(got))
		}
	}
}

func TestUnknownMethod(t *testing.T) {
	t.Parallel()
	if _, err := newRetriever(valley()).Retrieve(t.Context(), ws, Query{Method: "magic"}); domain.KindOf(err) != domain.Invalid {
		t.Errorf("error %v, want kind Invalid", err)
	}
}

func TestADeletedSentenceIsLeftOut(t *testing.T) {
	t.Parallel()
	f := valley()
	clear(f.passages)
	if got := ask(t, newRetriever(f), Query{Text: "Who designed Copper Bridge?"}); len(got.Passages) == 0 {
		t.Error("nothing found")
	}
}
