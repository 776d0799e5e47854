package web

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/long"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/vectorstore"
)

// refusal opens a stream and returns the response if it is refused, nil if the
// stream is open until the test ends.
func (b *bench) refusal(t *testing.T, path string) *reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url+path, nil)
	testkit.Must(t, err)
	response, err := b.client.Do(r)
	testkit.Must(t, err)
	if response.StatusCode == http.StatusOK {
		return nil
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	testkit.Must(t, err)
	return &reply{status: response.StatusCode, header: response.Header, body: string(body)}
}

func TestASessionHasFewStreams(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	testkit.Must(t, b.Auth.Add(here(t), "", "ada", "correct horse", ""))
	b.signIn(t)
	first := b.stream(t, "/documents/events")
	for range 7 {
		b.stream(t, "/documents/events")
	}
	p := b.refusal(t, "/documents/events")
	if p == nil || p.status != 429 || p.header.Get("Retry-After") == "" || !strings.Contains(p.main(t), "8 pages open") {
		t.Errorf("the ninth stream: %+v", p)
	}
	for path, name := range map[string]string{"/documents/events?look=1": "counts", "/runs/" + string(f.message.Run) + "/events?look=1": "answer"} {
		s := b.stream(t, path)
		s.until(t, "what is new", func(e event) bool { return e.name == name })
		for _, more := s.next(); more; _, more = s.next() {
		}
	}
	first.Close()
	for b.refusal(t, "/documents/events") != nil { // until the server has noticed
		time.Sleep(time.Millisecond)
	}
}

// TestStreamsAreBounded opens more streams than are served, outside any session.
func TestStreamsAreBounded(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	b.Add(t, "a.txt", foundry)
	served, refused := 0, 0
	for range long.Or(520, 2000) {
		p := b.refusal(t, "/documents/events")
		if p == nil {
			served++
			continue
		}
		refused++
		if p.status != 429 || p.header.Get("Retry-After") == "" || !strings.Contains(p.main(t), "that update live") {
			t.Fatalf("refused with %d: %s", p.status, p.main(t))
		}
	}
	if served != 500 || refused == 0 {
		t.Errorf("%d streams are served and %d refused, want 500 and the rest", served, refused)
	}
	b.stream(t, "/documents/events?look=1").until(t, "the counts", func(e event) bool { return e.name == "counts" })
	if p := b.get(t, "/documents"); p.status != 200 {
		t.Errorf("the page: status %d", p.status)
	}
}

// TestStreamsOfDocumentsShareOneReader counts the looks at the list while many
// streams are open and a document is added.
func TestStreamsOfDocumentsShareOneReader(t *testing.T) {
	race.Want(t)
	t.Parallel()
	var asked testkit.Statements
	b := open(t, testkit.Options{Idle: true, Statements: &asked})
	b.Add(t, "a.txt", "Maud Ferring.")
	streams := make([]*stream, 100)
	for i := range streams {
		streams[i] = b.stream(t, "/documents/events")
		streams[i].until(t, "the counts", func(e event) bool { return e.name == "counts" })
	}
	began := time.Now()
	asked.Take()
	doc := b.Add(t, "new.txt", foundry).Document
	for _, s := range streams {
		s.until(t, "the row", func(e event) bool { return e.name == "row" && strings.Contains(e.data, string(doc.ID)) })
	}
	list, elapsed := asked.Take(), time.Since(began)
	looks := 0
	for _, q := range list {
		if strings.Contains(q, "OR id IN (SELECT") {
			looks++
		}
	}
	if most := 2 + int(elapsed/(300*time.Millisecond)); looks == 0 || looks > most {
		t.Errorf("%d looks at the list in %v, want at most %d:\n%s", looks, elapsed, most, outline(list))
	}
}

// countedIndex counts the searches for words.
type countedIndex struct {
	vectorstore.Index
	searches *atomic.Int32
}

func (i countedIndex) Lexical(ctx context.Context, w domain.WorkspaceID, q vectorstore.LexicalQuery) ([]vectorstore.Hit, error) {
	i.searches.Add(1)
	return i.Index.Lexical(ctx, w, q)
}

// TestAStreamOfFoundDocumentsSearchesOnce adds documents that no one reads: what is counted changes, and what passages
// hold does not.
func TestAStreamOfFoundDocumentsSearchesOnce(t *testing.T) {
	t.Parallel()
	var searches atomic.Int32
	b := open(t, testkit.Options{Idle: true, Index: func(i vectorstore.Index) vectorstore.Index { return countedIndex{i, &searches} }})
	s := b.stream(t, "/documents/events?q=letter")
	counts := func(n string) func(event) bool {
		return func(e event) bool { return e.name == "counts" && strings.Contains(e.data, ">"+n+"<") }
	}
	s.until(t, "the first counts", func(e event) bool { return e.name == "counts" })
	for _, n := range []string{"1", "2", "3"} {
		b.Add(t, "letter-"+n+".txt", foundry+n)
		s.until(t, n+" documents of the name", counts(n))
	}
	if n := searches.Load(); n != 1 {
		t.Errorf("%d searches, want 1", n)
	}
}
