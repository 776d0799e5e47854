package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/ingest"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/stategraphtest"
	"github.com/clewhq/clew/internal/testkit"
)

// letters returns a text with one chunk for each name.
func letters(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "%s Quill met Maud Ferring at the old mill by the river. They spoke for a long while about the price of copper and of tin, "+
			"about the weather that had spoilt the harvest again, and about the bridge that nobody wanted to pay for.\n\n", name)
	}
	return b.String()
}

// fixture is an app with one document to ingest.
type fixture struct {
	*testkit.App
	script *testkit.Extractor
	doc    domain.Document
}

func setup(t *testing.T, o testkit.Options, text string) *fixture {
	t.Helper()
	script := &testkit.Extractor{}
	o.Extractor, o.Idle = script, true
	b := &fixture{App: testkit.Open(t, o), script: script}
	b.doc = b.Add(t, "letters.txt", text).Document
	return b
}

// run ingests the document once and checks that no node changes its input.
func (b *fixture) run(ctx context.Context) (ingest.State, error) {
	return b.Ingest.Run(ctx, ingest.Begin(testkit.Workspace, b.doc.ID), stategraphtest.CheckMutation(), stategraph.MaxConcurrency(2))
}

func (b *fixture) chunks(t *testing.T) []domain.Chunk {
	t.Helper()
	all, err := b.Ledger.Chunks(t.Context(), testkit.Workspace, b.doc.ID)
	testkit.Must(t, err)
	return all
}

func TestDocumentIsIngested(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, letters("Anna", "Berta", "Clara"))
	state, err := b.run(t.Context())
	testkit.Must(t, err)
	if len(state.Chunks) != 3 || len(state.Mined) != 3 {
		t.Fatalf("%d chunks, %d mined, want 3 of each", len(state.Chunks), len(state.Mined))
	}
	doc := b.Document(t, b.doc.ID)
	type outcome struct {
		Status                                  domain.DocumentStatus
		Chunks, ChunksDone, Entities, Relations int
		Reader                                  string
		Warnings                                int
	}
	got := outcome{doc.Status, doc.Chunks, doc.ChunksDone, doc.Entities, doc.Relations, doc.Reader, len(doc.Warnings)}
	// "They" is not a name of anybody, but the script does not know that.
	want := outcome{domain.DocumentReady, 3, 3, 5, 3, "scripted/1", 0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the document (-want +got)\n%s", diff)
	}
	if doc.Chars != domain.Runes(strings.TrimSpace(letters("Anna", "Berta", "Clara"))) {
		t.Errorf("%d characters", doc.Chars)
	}
}

// TestTheTextTellsItsLanguage reads a German page that states another language.
func TestTheTextTellsItsLanguage(t *testing.T) {
	t.Parallel()
	const page = "---\nlang: en\nauthor: Ann Lee\n---\nDie Gießerei wurde an einen Händler verkauft, der am Hafen wohnte, und die Glocken kamen auf den Hügel."
	a := testkit.Open(t, testkit.Options{})
	if d := a.Read(t, "page.md", page); d.Language != "de" || d.Author != "Ann Lee" || d.Source != domain.SourceUpload {
		t.Errorf("the language is %q, the author %q, the source %q", d.Language, d.Author, d.Source)
	}
}

func TestNodesReadWhatTheyDeclare(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, letters("Anna", "Berta", "Clara"))
	b.Clock.Stop()
	_, err := b.Ingest.Run(t.Context(), ingest.Begin(testkit.Workspace, b.doc.ID), stategraphtest.CheckReads(), stategraph.MaxConcurrency(2))
	testkit.Must(t, err)
}

func TestResultIsInTheStores(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, letters("Anna"))
	_, err := b.run(t.Context())
	testkit.Must(t, err)
	found, _, err := b.Graph.Entities(t.Context(), testkit.Workspace, graphstore.EntityQuery{Text: "anna quill", Limit: 10})
	testkit.Must(t, err)
	if len(found) != 1 || found[0].Name != "Anna Quill" {
		t.Fatalf("entities = %+v, want Anna Quill", found)
	}
	links, err := b.Graph.Links(t.Context(), testkit.Workspace, found[0].ID, 10)
	testkit.Must(t, err)
	text, err := b.Ledger.Text(t.Context(), testkit.Workspace, b.doc.ID)
	testkit.Must(t, err)
	if len(links) != 1 || links[0].Spans[0].Slice(text.Content) != "Anna Quill" {
		t.Errorf("links = %+v do not point at the name", links)
	}
}

func TestShortNamesTakeTheFullOne(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, letters("Anna")+strings.ReplaceAll(letters("Berta"), "Maud Ferring", "old Ferring"))
	state, err := b.run(t.Context())
	testkit.Must(t, err)
	if state.Merged != 1 {
		t.Errorf("%d names took a longer form, want 1: Ferring", state.Merged)
	}
	_, total, err := b.Graph.Entities(t.Context(), testkit.Workspace, graphstore.EntityQuery{Text: "ferring", Limit: 10})
	testkit.Must(t, err)
	if total != 1 {
		t.Errorf("%d entities of that name, want 1", total)
	}
}

func TestInterruptedRunRepeatsNothingRecorded(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, letters("Anna", "Berta", "Clara", "Dora"))
	down := &llm.Error{Fault: llm.Unreachable, Message: "Nothing answers."}
	b.script.Before = func(_ context.Context, r extract.Request) error {
		if r.Chunks[0].Ordinal == 2 {
			return down
		}
		return nil
	}
	_, err := b.run(t.Context())
	if !errors.Is(err, down) || !domain.Temporary(err) {
		t.Fatalf("error = %v, want a temporary one", err)
	}
	kept, err := b.Ledger.Contributions(t.Context(), testkit.Workspace, b.doc.ID)
	testkit.Must(t, err)
	if len(kept) == 0 {
		t.Fatal("nothing was recorded before the failure")
	}
	recorded := map[domain.ChunkID]bool{}
	for _, c := range kept {
		recorded[c.Chunk] = true
	}
	before := len(b.script.Calls())
	b.script.Before = nil
	state, err := b.run(t.Context())
	testkit.Must(t, err)
	for _, c := range b.script.Calls()[before:] {
		if recorded[c.ID] {
			t.Errorf("chunk %d was mined again", c.Ordinal)
		}
	}
	if again := len(b.script.Calls()) - before; again != 4-len(kept) {
		t.Errorf("%d chunks were mined by the second run, want the %d missing", again, 4-len(kept))
	}
	if len(state.Mined) != 4 || b.Document(t, b.doc.ID).Entities != 6 {
		t.Errorf("%d mined, %d entities, want 4 and 6", len(state.Mined), b.Document(t, b.doc.ID).Entities)
	}
}

func TestTemporaryFailureIsRetriedWithinTheRun(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, letters("Anna"))
	var once sync.Once
	b.script.Before = func(context.Context, extract.Request) (err error) {
		once.Do(func() { err = &llm.Error{Fault: llm.RateLimited, Message: "Slow down."} })
		return err
	}
	_, err := b.run(t.Context())
	testkit.Must(t, err)
	if n := len(b.script.Calls()); n != 2 {
		t.Errorf("the chunk was tried %d times, want 2", n)
	}
}

func TestUnreadableChunkIsAWarning(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, letters("Anna", "Berta", "Clara"))
	b.script.Before = func(_ context.Context, r extract.Request) error {
		if r.Chunks[0].Ordinal == 1 {
			return &llm.Error{Fault: llm.BadAnswer, Message: "The model answered with a poem."}
		}
		return nil
	}
	_, err := b.run(t.Context())
	testkit.Must(t, err)
	doc := b.Document(t, b.doc.ID)
	if doc.Status != domain.DocumentReady {
		t.Errorf("status = %s, want ready", doc.Status)
	}
	want := []string{"Chunk 2 of 3 was left out: The model answered with a poem."}
	if diff := cmp.Diff(want, doc.Warnings); diff != "" {
		t.Errorf("warnings (-want +got)\n%s", diff)
	}
	if len(b.chunks(t)) != 3 {
		t.Error("the chunk's passage is gone: it should still be found by its words")
	}
}

func TestOnlyUnreadableChunksMakeADocumentEmpty(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, letters("Anna"))
	b.script.Before = func(context.Context, extract.Request) error {
		return &llm.Error{Fault: llm.BadAnswer, Message: "The model answered with a poem."}
	}
	_, err := b.run(t.Context())
	testkit.Must(t, err)
	doc := b.Document(t, b.doc.ID)
	if doc.Status != domain.DocumentEmpty || len(doc.Warnings) != 1 || !strings.Contains(doc.Warnings[0], "poem") {
		t.Errorf("status %s, warnings %q: want empty with that one warning", doc.Status, doc.Warnings)
	}
}

func TestFailureOfEveryChunkFailsTheRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault error
		kind  domain.Kind
	}{
		{"refused key", &llm.Error{Fault: llm.Refused, Message: "The key is refused."}, domain.Forbidden},
		{"wrong address", &llm.Error{Fault: llm.Misdirected, Message: "There is no such model here."}, domain.Forbidden},
		{"full disk", fmt.Errorf("record a model call: %w", domain.Errorf(domain.Exhausted, "The disk is full.")), domain.Exhausted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, testkit.Options{}, letters("Anna", "Berta"))
			b.script.Before = func(context.Context, extract.Request) error { return tt.fault }
			if _, err := b.run(t.Context()); !errors.Is(err, tt.fault) || domain.KindOf(err) != tt.kind {
				t.Errorf("error = %v of kind %d, want %v of kind %d", err, domain.KindOf(err), tt.fault, tt.kind)
			}
		})
	}
}

// TestATextThatNamesNothingIsReady reads a text without names: nobody has to look at it.
func TestATextThatNamesNothingIsReady(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, "nothing here has a name, and nobody is called anything.")
	_, err := b.run(t.Context())
	testkit.Must(t, err)
	if doc := b.Document(t, b.doc.ID); doc.Status != domain.DocumentReady || len(doc.Warnings) != 0 {
		t.Errorf("it is %s, with warnings %q", doc.Status, doc.Warnings)
	}
}

// scan is a parser that finds only pictures.
type scan struct{ ingest.Parser }

func (scan) Parse(context.Context, domain.Format, domain.Chunking, io.Reader, int64, func() error) (domain.Text, error) {
	return domain.Text{Pages: []domain.Page{{Number: 1}}, Warnings: []string{"There is no text layer: 1 page of images."}}, nil
}

func TestFileWithoutTextIsEmptyWithAWarning(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, "not looked at")
	p := b.IngestParams()
	p.Parser = scan{p.Parser}
	graph, err := ingest.Graph(p)
	testkit.Must(t, err)
	_, err = graph.Run(t.Context(), ingest.Begin(testkit.Workspace, b.doc.ID), stategraphtest.CheckMutation())
	testkit.Must(t, err)
	doc := b.Document(t, b.doc.ID)
	if doc.Status != domain.DocumentEmpty || doc.Pages != 1 || doc.Chunks != 0 {
		t.Errorf("status %s, %d pages, %d chunks, want empty, 1 and 0", doc.Status, doc.Pages, doc.Chunks)
	}
	if diff := cmp.Diff([]string{"There is no text layer: 1 page of images."}, doc.Warnings); diff != "" {
		t.Errorf("warnings (-want +got)\n%s", diff)
	}
	if len(b.script.Calls()) != 0 {
		t.Error("a chunk was mined although there is no text")
	}
}

func TestMissingFileFailsTheRun(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, letters("Anna"))
	testkit.Must(t, b.Files.Remove(t.Context(), testkit.Workspace, b.doc.Hash))
	_, err := b.run(t.Context())
	if message, ok := domain.MessageOf(err); !ok || !strings.Contains(message, "Add it again") {
		t.Errorf("error = %v, want a message that says what to do", err)
	}
}

// counting counts the texts that are embedded.
type counting struct {
	llmtest.Embedder
	mu    sync.Mutex
	texts []string
}

func (c *counting) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	c.mu.Lock()
	c.texts = append(c.texts, texts...)
	c.mu.Unlock()
	return c.Embedder.Embed(ctx, texts)
}

func TestEachTextIsEmbeddedOnce(t *testing.T) {
	t.Parallel()
	embedder := &counting{}
	b := setup(t, testkit.Options{Embedder: embedder}, letters("Anna", "Berta", "Anna"))
	state, err := b.run(t.Context())
	testkit.Must(t, err)
	const different = 2 // the first and the third chunk are alike
	if len(state.Chunks) != 3 || state.Embedded != different || len(embedder.texts) != different {
		t.Errorf("%d chunks, %d embedded by %d texts, want 3 and %d texts", len(state.Chunks), state.Embedded, len(embedder.texts), different)
	}
	state, err = b.run(t.Context())
	testkit.Must(t, err)
	if state.Embedded != 0 || len(embedder.texts) != different || len(b.script.Calls()) != 3 {
		t.Errorf("the second run embedded %d and asked %d times in all, want 0 and 3", state.Embedded, len(b.script.Calls()))
	}
}

func TestAnotherExtractorMinesAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, letters("Anna", "Berta"))
	_, err := b.run(t.Context())
	testkit.Must(t, err)
	other := &testkit.Extractor{Name: "scripted/2"}
	p := b.IngestParams()
	p.Extractor = other
	graph, err := ingest.Graph(p)
	testkit.Must(t, err)
	for range 2 { // the second time nothing is left to do
		_, err = graph.Run(t.Context(), ingest.Begin(testkit.Workspace, b.doc.ID), stategraphtest.CheckMutation())
		testkit.Must(t, err)
	}
	if len(other.Calls()) != 2 {
		t.Errorf("the new reader mined %d chunks, want both once", len(other.Calls()))
	}
	kept, err := b.Ledger.Contributions(t.Context(), testkit.Workspace, b.doc.ID)
	testkit.Must(t, err)
	if slices.ContainsFunc(kept, func(c ledger.Contribution) bool { return c.Reader != "scripted/2" }) || len(kept) != 2 {
		t.Errorf("recorded: %d, not all by the new reader", len(kept))
	}
	if doc := b.Document(t, b.doc.ID); doc.Reader != "scripted/2" {
		t.Errorf("the document was read by %s", doc.Reader)
	}
}

func TestEndOfThePreviousChunkIsContext(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, letters("Anna", "Berta"))
	var mu sync.Mutex
	before := map[int]string{}
	b.script.Before = func(_ context.Context, r extract.Request) error {
		mu.Lock()
		defer mu.Unlock()
		before[r.Chunks[0].Ordinal] = r.Before
		return nil
	}
	_, err := b.run(t.Context())
	testkit.Must(t, err)
	first := b.chunks(t)[0].Text
	if before[0] != "" {
		t.Errorf("before the first chunk: %q", before[0])
	}
	if n := domain.Runes(before[1]); n < 150 || n > 200 || !strings.HasSuffix(first, before[1]) {
		t.Errorf("before the second chunk: %d characters %q", n, before[1])
	}
}

func TestCancelledRunEnds(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, letters("Anna", "Berta", "Clara"))
	started := make(chan struct{}, 3)
	b.script.Before = func(ctx context.Context, _ extract.Request) error {
		started <- struct{}{}
		<-ctx.Done()
		return &llm.Error{Fault: llm.Cancelled, Message: "The call was given up.", Err: ctx.Err()}
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	var err error
	go func() {
		defer close(ended)
		_, err = b.run(ctx)
	}()
	<-started
	cancel()
	testkit.Within(t, time.Minute, "the end of the run", ended)
	if err == nil {
		t.Error("a cancelled run gave no error")
	}
	doc := b.Document(t, b.doc.ID)
	if len(doc.Warnings) > 0 || doc.Status == domain.DocumentReady {
		t.Errorf("status %s, warnings %q: cancelling is not the chunks' fault", doc.Status, doc.Warnings)
	}
}

func TestProgressIsEmitted(t *testing.T) {
	t.Parallel()
	b := setup(t, testkit.Options{}, letters("Anna", "Berta", "Clara"))
	var seen []domain.Progress
	_, err := b.Ingest.Run(t.Context(), ingest.Begin(testkit.Workspace, b.doc.ID), stategraph.MaxConcurrency(1),
		stategraph.Observe(func(e stategraph.Event) {
			if p, ok := e.Payload.(domain.Progress); ok {
				seen = append(seen, p)
			}
		}))
	testkit.Must(t, err)
	if len(seen) != 3 {
		t.Fatalf("%d progress events, want one for each chunk", len(seen))
	}
	last := seen[2]
	if last.Done != 3 || last.Total != 3 || last.Entities != 9 || last.Relations != 3 {
		t.Errorf("the last progress event is %+v", last)
	}
}

func TestNodesAreAsDocumented(t *testing.T) {
	t.Parallel()
	g, err := ingest.Graph(ingest.Params{})
	testkit.Must(t, err)
	var nodes []string
	for _, n := range g.Topology().Nodes {
		nodes = append(nodes, n.Name)
	}
	slices.Sort(nodes)
	want := []string{"asks", "chunks", "embed", "end", "extract", "fill_in", "parse", "project", "report", "resolve", "split", "start"}
	if diff := cmp.Diff(want, nodes); diff != "" {
		t.Errorf("nodes (-want +got)\n%s", diff)
	}
}
