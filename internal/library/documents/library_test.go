package documents_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/testkit"
)

// letter returns a text of one chunk.
func letter(name string) string {
	return fmt.Sprintf("%s Quill met Maud Ferring at the old mill. They spoke about copper.", name)
}

// blockingExtractor returns an extractor that waits at every chunk until
// release is called or its context ends.
func blockingExtractor() (e *testkit.Extractor, started chan struct{}, release func()) {
	started, unblocked := make(chan struct{}, 100), make(chan struct{})
	e = &testkit.Extractor{Before: func(ctx context.Context, _ extract.Request) error {
		started <- struct{}{}
		select {
		case <-unblocked:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
	return e, started, sync.OnceFunc(func() { close(unblocked) })
}

func TestAddedFileIsRead(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	added := a.Add(t, "../letters/anna.md", letter("Anna"))
	if added.Existing || added.Document.Status != domain.DocumentWaiting || added.Document.Run == "" {
		t.Fatalf("got %+v", added)
	}
	doc := a.Settle(t, added.Document)
	if doc.Status != domain.DocumentReady || doc.Name != "anna.md" || doc.Format != domain.FormatMarkdown || doc.Entities != 3 {
		t.Errorf("got %+v", doc)
	}
	if doc.Took <= 0 {
		t.Error("the reading time is not recorded")
	}
}

func TestSameContentAddedAgain(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	first := a.Read(t, "anna.txt", letter("Anna"))
	again := a.Add(t, "copy of anna.txt", letter("Anna"))
	if !again.Existing || again.Document.ID != first.ID || again.Document.Name != "anna.txt" {
		t.Errorf("got %+v, want the existing document", again)
	}
	if again.Document.Run != first.Run {
		t.Error("the document was read again")
	}
	if _, total, _ := a.Ledger.Documents(t.Context(), testkit.Workspace, ledger.DocumentQuery{}); total != 1 {
		t.Errorf("got %d documents, want 1", total)
	}
}

func TestRefusedFilesLeaveNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, file, content string
		kind                domain.Kind
		says                string
	}{
		{"empty", "a.txt", "", domain.Invalid, "a.txt is empty"},
		{"no name", "..", "text", domain.Invalid, "no name"},
		{"too large", "a.txt", strings.Repeat("x", 1<<20+1), domain.TooLarge, "1 MB"},
		{"unknown format", "a.xlsx", "PK\x03\x04 and so on", domain.Unsupported, ""},
		{"lying extension", "a.pdf", "this is no PDF", domain.Unsupported, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := testkit.Open(t, testkit.Options{Idle: true})
			_, err := a.Documents.Add(t.Context(), testkit.Workspace, tt.file, documents.How{}, strings.NewReader(tt.content)).One()
			if k := domain.KindOf(err); k != tt.kind && (tt.says != "" || k != domain.Invalid) {
				t.Errorf("got error %v of kind %d", err, k)
			}
			if err == nil || !strings.Contains(err.Error(), tt.says) || !strings.HasSuffix(err.Error(), ".") {
				t.Errorf("got error %v, want a sentence with %q", err, tt.says)
			}
			if all := stored(t, a.Path("files")); len(all) > 0 {
				t.Errorf("got leftover files %q, want none", all)
			}
			if _, total, _ := a.Ledger.Documents(t.Context(), testkit.Workspace, ledger.DocumentQuery{}); total != 0 {
				t.Errorf("got %d documents, want none", total)
			}
		})
	}
}

// TestTooManyDocumentsAreRefused refuses a file without reading it. Documents
// that are read again don't count.
func TestTooManyDocumentsAreRefused(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	a.Documents.MaxWaiting = 2
	first := a.Add(t, "one.txt", "One.").Document
	a.Add(t, "two.txt", "Two.")
	unread := iotest.ErrReader(errors.New("the file was read"))
	_, err := a.Documents.Add(t.Context(), testkit.Workspace, "three.txt", documents.How{}, unread).One()
	if domain.KindOf(err) != domain.TooMany || !strings.Contains(err.Error(), "MAX_WAITING_DOCUMENTS") || domain.RetryAfter(err) == 0 {
		t.Errorf("the third document: %v", err)
	}
	other := domain.WithPerson(t.Context(), "ada")
	added, err := a.Documents.Add(other, testkit.Workspace, "three.txt", documents.How{}, strings.NewReader("Three.")).One()
	testkit.Must(t, err)
	testkit.Must(t, a.Documents.Stop(t.Context(), testkit.Workspace, first.ID))
	a.Add(t, "four.txt", "Four.")
	if added.Document.Name != "three.txt" {
		t.Errorf("added %+v", added)
	}
}

func TestARefusedCopyDoesNotRemoveTheOriginal(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	doc := a.Add(t, "a.txt", letter("Anna")).Document
	if _, err := a.Documents.Add(t.Context(), testkit.Workspace, "a.pdf", documents.How{}, strings.NewReader(letter("Anna"))).One(); err == nil {
		t.Fatal("a text was accepted as a PDF")
	}
	if _, err := a.Files.Read(t.Context(), testkit.Workspace, doc.Hash); err != nil {
		t.Errorf("the original file is gone: %v", err)
	}
}

// disconnectingReader cancels its request at the end of the content.
type disconnectingReader struct {
	strings.Reader
	leave func()
}

func (l *disconnectingReader) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if err != nil {
		l.leave()
	}
	return n, err
}

func TestUploadCompletesWhenTheClientLeavesAfterTheLastByte(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	ctx, leave := context.WithCancel(t.Context())
	added, err := a.Documents.Add(ctx, testkit.Workspace, "a.txt", documents.How{}, &disconnectingReader{*strings.NewReader(letter("Anna")), leave}).One()
	testkit.Must(t, err)
	if doc := a.Settle(t, added.Document); doc.Status != domain.DocumentReady {
		t.Errorf("got status %s", doc.Status)
	}
}

// TestDocumentAndRunAreStoredTogether makes the queue fail: a new document is
// not stored, an existing one stays unchanged.
func TestDocumentAndRunAreStoredTogether(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	allow := a.RefuseRuns(t)
	if _, err := a.Documents.Add(t.Context(), testkit.Workspace, "a.txt", documents.How{}, strings.NewReader(letter("Anna"))).One(); err == nil {
		t.Fatal("got no error")
	}
	docs, _, err := a.Ledger.Documents(t.Context(), testkit.Workspace, ledger.DocumentQuery{})
	if err != nil || len(docs) != 0 {
		t.Errorf("got documents %+v, error %v; want none", docs, err)
	}
	allow()
	before := a.Read(t, "a.txt", letter("Anna"))
	if before.Status != domain.DocumentReady {
		t.Fatalf("got status %s, want ready: adding it again reads it", before.Status)
	}
	a.RefuseRuns(t)
	if _, err := a.Documents.ReadAgain(t.Context(), testkit.Workspace, before.ID); err == nil {
		t.Error("got no error for reading it again")
	}
	if diff := cmp.Diff(before, a.Document(t, before.ID)); diff != "" {
		t.Errorf("-before +after\n%s", diff)
	}
}

func TestADocumentWithoutARunCanBeStoppedAndDeleted(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	lose := func(name string) domain.DocumentID { // as after a power cut between two writes
		doc := a.Read(t, name+".txt", letter(name))
		_, err := a.Ledger.UpdateDocument(t.Context(), testkit.Workspace, doc.ID, func(d *domain.Document) {
			d.Status, d.Run = domain.DocumentWaiting, "run-that-never-was"
		})
		testkit.Must(t, err)
		return doc.ID
	}
	anna, berta := lose("Anna"), lose("Berta")
	testkit.Must(t, a.Documents.Stop(t.Context(), testkit.Workspace, anna))
	if doc := a.Document(t, anna); doc.Status != domain.DocumentStopped {
		t.Errorf("got status %s, want stopped", doc.Status)
	}
	a.Delete(t, berta)
}

func TestDocumentIsRecoveredWhenItsProcessDiesBeforeQueueing(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	d := domain.Document{Workspace: testkit.Workspace, ID: "d1", Name: "a.txt", Format: domain.FormatText, Hash: "00", Status: domain.DocumentWaiting, Run: "never queued"}
	_, _, err := a.Ledger.AddDocument(t.Context(), d)
	testkit.Must(t, err)
	if n, err := a.Documents.Recover(t.Context(), testkit.Workspace); n != 0 || err != nil {
		t.Errorf("at once: got %d, error %v; want 0: another process may be about to queue it", n, err)
	}
	a.Clock.Advance(time.Hour)
	for _, want := range []int{1, 0} {
		if n, err := a.Documents.Recover(t.Context(), testkit.Workspace); n != want || err != nil {
			t.Errorf("got %d recovered, error %v; want %d", n, err, want)
		}
	}
}

func TestAFailedDocumentIsReadAgain(t *testing.T) {
	t.Parallel()
	var accepted atomic.Bool
	script := &testkit.Extractor{Before: func(context.Context, extract.Request) error {
		if accepted.Load() {
			return nil
		}
		return domain.Errorf(domain.Forbidden, "The model refuses the key.")
	}}
	a := testkit.Open(t, testkit.Options{Extractor: script})
	doc := a.Read(t, "a.txt", letter("Anna"))
	if doc.Status != domain.DocumentFailed || doc.Problem != "The model refuses the key." {
		t.Fatalf("got status %s, problem %q", doc.Status, doc.Problem)
	}
	accepted.Store(true)
	added := a.Add(t, "a.txt", letter("Anna"))
	if !added.Existing {
		t.Error("the document was not recognised")
	}
	if doc := a.Settle(t, added.Document); doc.Status != domain.DocumentReady || doc.Problem != "" {
		t.Errorf("got status %s, problem %q", doc.Status, doc.Problem)
	}
}

func TestModelIsUnavailableForAWhile(t *testing.T) {
	t.Parallel()
	var tries atomic.Int64
	script := &testkit.Extractor{Before: func(context.Context, extract.Request) error {
		if tries.Add(1) <= 14 { // two attempts a run: more than a failing run gets
			return &llm.Error{Fault: llm.Unreachable, Message: "Nothing answers at the model's address."}
		}
		return nil
	}}
	a := testkit.Open(t, testkit.Options{Extractor: script})
	doc := a.Read(t, "a.txt", letter("Anna"))
	run, err := a.Queue.Get(t.Context(), testkit.Workspace, doc.Run)
	testkit.Must(t, err)
	if doc.Status != domain.DocumentReady || run.Attempt != 1 {
		t.Errorf("got status %s after %d attempts, want ready: waiting does not use up attempts", doc.Status, run.Attempt)
	}
}

// manyChunks returns a text of several chunks, one of which mentions Bertha.
func manyChunks() string {
	parts := make([]string, 6)
	for i, name := range []string{"Anna", "Clara", "Dora", "Edda", "Frieda", "Bertha"} {
		parts[i] = strings.Repeat(letter(name)+" ", 3)
	}
	return strings.Join(parts, "\n\n")
}

// TestChunkThatTheModelCannotReadIsLeftOut has the model time out on one chunk
// every time: the document is read without it, and ReadFailedAgain tries only
// that chunk.
func TestChunkThatTheModelCannotReadIsLeftOut(t *testing.T) {
	t.Parallel()
	var mended atomic.Bool
	var calls atomic.Int64
	script := &testkit.Extractor{Before: func(_ context.Context, r extract.Request) error {
		calls.Add(1)
		if strings.Contains(r.Chunks[0].Text, "Bertha") && !mended.Load() {
			return &llm.Error{Fault: llm.TimedOut, Message: "The model took too long."}
		}
		return nil
	}}
	a := testkit.Open(t, testkit.Options{Extractor: script})
	doc := a.Read(t, "a.txt", manyChunks())
	if doc.Status != domain.DocumentReady || doc.LeftOut() != 1 || len(doc.Warnings) != 1 {
		t.Fatalf("got status %s, %d of %d chunks, warnings %q; want all chunks but one", doc.Status, doc.ChunksDone, doc.Chunks, doc.Warnings)
	}
	mended.Store(true)
	calls.Store(0)
	if _, n, err := a.Documents.ReadFailedAgain(t.Context(), testkit.Workspace); err != nil || n != 1 {
		t.Fatalf("got %d documents to retry, error %v; want 1", n, err)
	}
	if doc = a.Settle(t, a.Document(t, doc.ID)); doc.LeftOut() != 0 || len(doc.Warnings) != 0 || calls.Load() != 1 {
		t.Errorf("got %d chunks left out after %d calls, warnings %q; want none after one call", doc.LeftOut(), calls.Load(), doc.Warnings)
	}
}

func TestReadAgain(t *testing.T) {
	t.Parallel()
	script, started, release := blockingExtractor()
	a := testkit.Open(t, testkit.Options{Extractor: script})
	doc := a.Add(t, "a.txt", letter("Anna")).Document
	<-started
	if _, err := a.Documents.ReadAgain(t.Context(), testkit.Workspace, doc.ID); domain.KindOf(err) != domain.Conflict {
		t.Errorf("got %v for a document that is being read", err)
	}
	release()
	first := a.Settle(t, doc)
	again, err := a.Documents.ReadAgain(t.Context(), testkit.Workspace, doc.ID)
	testkit.Must(t, err)
	if again.Run == first.Run {
		t.Error("got no new run")
	}
	if doc := a.Settle(t, again); doc.Status != domain.DocumentReady || len(script.Calls()) != 1 {
		t.Errorf("got status %s and %d chunks mined in all, want ready and 1", doc.Status, len(script.Calls()))
	}
	if _, err := a.Documents.ReadAgain(t.Context(), testkit.Workspace, "nothing"); domain.KindOf(err) != domain.NotFound {
		t.Errorf("got %v for a missing document", err)
	}
}

func TestDocumentsReadByAnotherReaderAreOutdated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	t.Run("read by the first", func(t *testing.T) {
		a := testkit.Open(t, testkit.Options{Dir: dir})
		a.Read(t, "a.txt", letter("Anna"))
		a.Read(t, "b.txt", letter("Berta"))
		if docs, err := a.Documents.Outdated(t.Context(), testkit.Workspace); err != nil || len(docs) != 0 {
			t.Errorf("got outdated %d, error %v", len(docs), err)
		}
	})
	a := testkit.Open(t, testkit.Options{Dir: dir, Extractor: &testkit.Extractor{Name: "scripted/2"}})
	a.Read(t, "c.txt", letter("Clara"))
	_, n, err := a.Documents.ReadOutdatedAgain(t.Context(), testkit.Workspace)
	if err != nil || n != 2 {
		t.Fatalf("got %d documents queued, error %v; want 2", n, err)
	}
	docs, _, err := a.Ledger.Documents(t.Context(), testkit.Workspace, ledger.DocumentQuery{})
	testkit.Must(t, err)
	for _, d := range docs {
		if d = a.Settle(t, d); d.Reader != "scripted/2" {
			t.Errorf("got %s read by %s", d.Name, d.Reader)
		}
	}
}

func TestStopWhileReading(t *testing.T) {
	t.Parallel()
	script, started, release := blockingExtractor()
	defer release()
	a := testkit.Open(t, testkit.Options{Extractor: script})
	doc := a.Add(t, "a.txt", letter("Anna")).Document
	<-started
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.Watch(t, doc.Run)
	}()
	testkit.Must(t, a.Documents.Stop(t.Context(), testkit.Workspace, doc.ID))
	testkit.Within(t, time.Minute, "the stop", ended) // the extractor never ends by itself
	if got := a.Document(t, doc.ID); got.Status != domain.DocumentStopped || len(got.Warnings) > 0 {
		t.Errorf("got status %s, warnings %q", got.Status, got.Warnings)
	}
	release()
	if again := a.Settle(t, a.Add(t, "a.txt", letter("Anna")).Document); again.Status != domain.DocumentReady {
		t.Errorf("got status %s after adding it again", again.Status)
	}
}

func TestStopWhileWaiting(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	doc := a.Add(t, "a.txt", letter("Anna")).Document
	testkit.Must(t, a.Documents.Stop(t.Context(), testkit.Workspace, doc.ID))
	if got := a.Document(t, doc.ID); got.Status != domain.DocumentStopped {
		t.Fatalf("got status %s at once, want stopped", got.Status)
	}
	if _, n, err := a.Documents.ReadFailedAgain(t.Context(), testkit.Workspace); err != nil || n != 1 {
		t.Fatalf("got %d documents to retry, error %v; want the one that was stopped", n, err)
	}
	again := a.Document(t, doc.ID)
	a.Start(t) // the worker settles the stopped run, which no longer belongs to the document
	if got := a.Settle(t, again); got.Status != domain.DocumentReady {
		t.Errorf("got status %s, want ready", got.Status)
	}
	stopped, err := a.Queue.Get(t.Context(), testkit.Workspace, doc.Run)
	testkit.Must(t, err)
	testkit.Must(t, a.Documents.Kind(1).Settled(t.Context(), stopped)) // as a late worker would
	if got := a.Document(t, doc.ID); got.Status != domain.DocumentReady {
		t.Errorf("got status %s after settling the stopped run, want ready still", got.Status)
	}
}

func TestStopAfterReading(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	doc := a.Read(t, "a.txt", letter("Anna"))
	testkit.Must(t, a.Documents.Stop(t.Context(), testkit.Workspace, doc.ID))
	if diff := cmp.Diff(doc, a.Document(t, doc.ID)); diff != "" {
		t.Errorf("the document changed (-before +after)\n%s", diff)
	}
}

func TestADeletedDocumentLeavesNoTrace(t *testing.T) {
	t.Parallel()
	const marker = "Wilhelmine Zwiebelfisch"
	a := testkit.Open(t, testkit.Options{})
	a.Read(t, "kept.txt", letter("Anna"))
	before, err := a.Graph.Stats(t.Context(), testkit.Workspace)
	testkit.Must(t, err)
	doc := a.Read(t, "gone.txt", marker+" met Maud Ferring at the old mill.")
	m := a.Answered(t, "", "Who was Zwiebelfisch?")
	if !strings.Contains(m.Text, "Zwiebelfisch") {
		t.Fatalf("got answer %q, want one from the document", m.Text)
	}
	if len(testkit.Holding(t, a.Dir, marker)) == 0 {
		t.Fatal("the marker is on no file: the test proves nothing")
	}
	a.Delete(t, doc.ID)
	for _, path := range testkit.Holding(t, a.Path("files"), marker) {
		t.Errorf("%s still holds the marker", path)
	}
	_, err = a.Ledger.Document(t.Context(), testkit.Workspace, doc.ID)
	if domain.KindOf(err) != domain.NotFound {
		t.Errorf("got error %v, want NotFound", err)
	}
	after, err := a.Graph.Stats(t.Context(), testkit.Workspace)
	testkit.Must(t, err)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("graph (-before adding +after deleting)\n%s", diff)
	}
	m, err = a.Ledger.Message(t.Context(), testkit.Workspace, m.Message)
	testkit.Must(t, err)
	if len(m.Citations) != 1 || m.Citations[0].Text != "" {
		t.Errorf("got citations %+v, want the number without the text", m.Citations)
	}
	if _, err := a.Documents.Remove(t.Context(), testkit.Workspace, ledger.DocumentQuery{IDs: []domain.DocumentID{doc.ID}}, false); domain.KindOf(err) != domain.NotFound {
		t.Errorf("deleting twice: %v", err)
	}
}

func TestWordsOfADeletedDocumentAreErasedFromDisk(t *testing.T) {
	t.Parallel()
	const marker = "Wilhelmine Zwiebelfisch"
	dir := t.TempDir()
	t.Run("delete", func(t *testing.T) {
		a := testkit.Open(t, testkit.Options{Dir: dir})
		a.Read(t, "kept.txt", letter("Anna"))
		doc := a.Read(t, "gone.txt", marker+" met Maud Ferring at the old mill.")
		a.Answered(t, "", "What happened at the old mill?") // retrieved but not cited
		a.Delete(t, doc.ID)
	})
	for _, word := range []string{marker, strings.ToLower(marker)} {
		for _, path := range testkit.Holding(t, dir, word) {
			t.Errorf("%s still holds %q", path, word)
		}
	}
}

func TestDeleteWhileReading(t *testing.T) {
	t.Parallel()
	script, started, release := blockingExtractor()
	defer release()
	a := testkit.Open(t, testkit.Options{Extractor: script})
	doc := a.Add(t, "a.txt", letter("Anna")).Document
	<-started
	a.Delete(t, doc.ID)
	release()
	testkit.Must(t, a.Worker.Stop(t.Context()))
	if _, err := a.Ledger.Document(t.Context(), testkit.Workspace, doc.ID); domain.KindOf(err) != domain.NotFound {
		t.Errorf("the document is back: error %v", err)
	}
	stats, err := a.Graph.Stats(t.Context(), testkit.Workspace)
	testkit.Must(t, err)
	if stats.Entities != 0 || stats.Chunks != 0 {
		t.Errorf("got graph %+v, want it empty", stats)
	}
	if all := stored(t, a.Path("files")); len(all) > 0 {
		t.Errorf("got leftover files %q, want none", all)
	}
}

func TestAddedAgainAfterDeletion(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	doc := a.Read(t, "a.txt", letter("Anna"))
	a.Delete(t, doc.ID)
	again := a.Read(t, "a.txt", letter("Anna"))
	if again.Status != domain.DocumentReady || again.ID != doc.ID || again.Entities != doc.Entities {
		t.Errorf("got %+v", again)
	}
}

func TestFiftyFilesAtOnce(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	var wg sync.WaitGroup
	docs := make([]documents.Added, 50)
	for i := range docs {
		wg.Go(func() {
			text := letter(string(rune('A'+i%26)) + strings.Repeat("b", 1+i/26))
			var err error
			if docs[i], err = a.Documents.Add(t.Context(), testkit.Workspace, fmt.Sprintf("%d.txt", i), documents.How{}, strings.NewReader(text)).One(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, d := range docs {
		if doc := a.Settle(t, d.Document); doc.Status != domain.DocumentReady {
			t.Errorf("got %s with status %s: %s", doc.Name, doc.Status, doc.Problem)
		}
	}
	stats, err := a.Graph.Stats(t.Context(), testkit.Workspace)
	testkit.Must(t, err)
	if stats.Documents != 50 || stats.Entities != 52 {
		t.Errorf("got %d documents and %d entities in the graph, want 50 and 52: the names, and none of a file", stats.Documents, stats.Entities)
	}
}

func TestSameFileAddedConcurrently(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if _, err := a.Documents.Add(t.Context(), testkit.Workspace, fmt.Sprintf("%d.txt", i), documents.How{}, strings.NewReader(letter("Anna"))).One(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	docs, total, err := a.Ledger.Documents(t.Context(), testkit.Workspace, ledger.DocumentQuery{})
	testkit.Must(t, err)
	if total != 1 {
		t.Fatalf("got %d documents, want 1", total)
	}
	if doc := a.Settle(t, docs[0]); doc.Status != domain.DocumentReady {
		t.Errorf("got status %s", doc.Status)
	}
}
