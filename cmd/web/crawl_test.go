package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/testkit/race"
)

// scriptedSite serves pages by path, with what was asked for.
type scriptedSite struct {
	*httptest.Server
	mu    sync.Mutex
	pages map[string]string
	asked []string
	hold  func(path string, r *http.Request)
}

func newScriptedSite(t *testing.T) *scriptedSite {
	t.Helper()
	s := &scriptedSite{pages: map[string]string{
		"/docs/":       `<title>Bells</title><meta name="author" content="Maud Ferring"><p>` + foundry + `</p><a href="school">school</a> <a href="bridge">bridge</a>`,
		"/docs/school": `<title>School</title><p>Agnes Lovibond taught at the school of Osterby.</p>`,
		"/docs/bridge": `<title>Bridge</title><p>` + bridge + `</p>`,
	}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		page, ok := s.pages[r.URL.Path]
		s.asked = append(s.asked, r.URL.Path)
		hold := s.hold
		s.mu.Unlock()
		if hold != nil {
			hold(r.URL.Path, r)
		}
		if !ok {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, "<!DOCTYPE html>"+page)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *scriptedSite) set(path, page string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = page
}

// TestIngestFromTheWeb adds a site, adds it again, and once more after a page has
// changed, which is the next version of its document.
func TestIngestFromTheWeb(t *testing.T) {
	race.Want(t)
	t.Parallel()
	site := newScriptedSite(t)
	sh := newShell(t, "WEB_ALLOW=127.0.0.1")
	add := func() []ingested {
		return decoded[[]ingested](t, sh.must(t, "ingest", "--json", "--depth", "2", "--rate", "20", site.URL+"/docs/"))
	}
	if first := add(); len(first) != 3 || slices.ContainsFunc(first, func(i ingested) bool { return i.Status != "ready" && i.Status != "empty" }) {
		t.Fatalf("first: %+v", first)
	}
	list := func() []domain.Document {
		docs, _, err := sh.app(t).ledger.Documents(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{FactFilter: domain.FactFilter{Sources: []domain.Source{domain.SourceWeb}}})
		noError(t, err)
		return docs
	}
	i := slices.IndexFunc(list(), func(d domain.Document) bool { return d.Title == "Bells" })
	if i < 0 || list()[i].Author != "Maud Ferring" || list()[i].Link != site.URL+"/docs/" {
		t.Errorf("documents %+v", list())
	}
	add()
	site.set("/docs/school", `<title>School</title><p>Agnes Lovibond left the school of Osterby.</p>`)
	add()
	docs := list()
	if len(docs) != 3 {
		t.Errorf("%d documents after a page has changed, want 3", len(docs))
	}
	i = slices.IndexFunc(docs, func(d domain.Document) bool { return d.Title == "School" })
	if i < 0 {
		t.Fatalf("documents %+v", docs)
	}
	text, err := sh.app(t).ledger.Text(t.Context(), domain.DefaultWorkspace, docs[i].ID)
	noError(t, err)
	if !strings.Contains(text.Content, "left the school") {
		t.Errorf("the changed page says %q", text.Content)
	}
	if out, err := sh.run(t, "ingest", "http://10.0.0.1/"); err == nil || !strings.Contains(out, "WEB_ALLOW") {
		t.Errorf("an inner address: %v\n%s", err, out)
	}
}

// TestACrawlGoesOnWhereItStopped stops the worker while the second page is being
// fetched. Another goes on with that page, and does not ask for the first again.
func TestACrawlGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	site := newScriptedSite(t)
	reached := make(chan struct{})
	var once sync.Once
	site.hold = func(path string, r *http.Request) {
		if path == "/docs/school" {
			once.Do(func() {
				close(reached)
				<-r.Context().Done()
			})
		}
	}
	sh := newShell(t, "WEB_ALLOW=127.0.0.1")
	a := sh.app(t)
	first := a.worker(a.kinds().Concurrency(crawl.Kind))
	noError(t, first.Start(t.Context()))
	id, err := a.crawl.Start(t.Context(), domain.DefaultWorkspace, crawl.Order{Address: site.URL + "/docs/", Depth: 1, Rate: 20})
	noError(t, err)
	<-reached
	noError(t, first.Stop(t.Context()))
	second := a.worker(a.kinds().Concurrency(crawl.Kind))
	noError(t, second.Start(t.Context()))
	a.finishes(t, id)
	noError(t, second.Stop(t.Context()))
	site.mu.Lock()
	defer site.mu.Unlock()
	if got := strings.Join(site.asked, " "); strings.Count(got, "/docs/ ") != 1 || !strings.HasSuffix(got, "/docs/school /docs/bridge") {
		t.Errorf("asked for %q", got)
	}
}

func TestTheHostsThatMayBeFetchedAreChecked(t *testing.T) {
	t.Parallel()
	if _, err := newShell(t, "WEB_ALLOW=wiki.lan, http://10.0.0.1").run(t, "ingest", "http://wiki.lan/"); domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), "WEB_ALLOW") {
		t.Errorf("got error %v", err)
	}
}
