package web

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/views/link"
)

func isEnd(e event) bool { return e.name == "end" }

// count returns the number of events with the name.
func count(events []event, name string) int {
	n := 0
	for _, e := range events {
		if e.name == name {
			n++
		}
	}
	return n
}

// activeNodes returns the nodes that a drawn graph shows as running.
func activeNodes(t *testing.T, svg string) []string {
	t.Helper()
	var names []string
	for _, n := range nodes(t, svg, func(n *html.Node) bool { return attr(n, "data-state") == "now" && attr(n, "data-node") != "" }) {
		names = append(names, attr(n, "data-node"))
	}
	return names
}

// paused returns a site whose answers wait at each word for a receive on words.
func paused(t *testing.T) (b *bench, words chan struct{}) {
	t.Helper()
	words = make(chan struct{})
	b = open(t, testkit.Options{Roles: &testkit.Roles{Sends: 1200, Word: func(ctx context.Context, _, _ string) error {
		select {
		case <-words:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}})
	b.Read(t, "foundry.txt", foundry)
	return b, words
}

// start asks a question through the form and returns its message.
func (b *bench) start(t *testing.T, question string) ledger.Answer {
	t.Helper()
	p := b.post(t, "/ask", url.Values{"question": {question}})
	_, id, _ := strings.Cut(p.header.Get("Location"), "#turn-")
	m, err := b.Ledger.Message(t.Context(), testkit.Workspace, domain.MessageID(id))
	testkit.Must(t, err)
	return m
}

func TestARunIsStreamedWhileItWorks(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b, words := paused(t)
	m := b.start(t, "What did the foundry cast?")
	s := b.stream(t, "/runs/"+string(m.Run)+"/events")
	at := s.until(t, "the writing", func(e event) bool { return e.name == "graph" && slices.Contains(activeNodes(t, e.data), "generate") })
	if last := at[len(at)-1]; last.id == "" {
		t.Error("the picture has no number to go on from")
	}
	words <- struct{}{}
	words <- struct{}{}
	var said, row string
	s.until(t, "two words", func(e event) bool {
		var piece string
		if e.name == "step" && strings.Contains(e.data, `data-node="generate"`) {
			row = e.data
		}
		if (e.name == "token" || e.name == "text") && json.Unmarshal([]byte(e.data), &piece) == nil {
			said += piece
		}
		return strings.TrimSpace(said) == "The Carrow"
	})
	if !strings.Contains(row, "About, until the server has counted") || !strings.Contains(row, "1,20") {
		t.Errorf("while it writes, the row has no tokens: %s", row)
	}
	close(words)
	rest := s.until(t, "the end", isEnd)
	for _, e := range rest {
		if e.name == "step" && strings.Contains(e.data, `data-node="generate"`) {
			row = e.data
		}
	}
	if strings.Contains(row, "1,20") {
		t.Errorf("the estimate stays: %s", row)
	}
	if count(rest, "answer") != 1 || !strings.Contains(rest[len(rest)-2].data, "cast the bells of Osterby") {
		t.Errorf("the finished answer is not the last but one of %d events", len(rest))
	}
	for _, e := range rest {
		if e.name == "text" {
			t.Errorf("the shown text was withdrawn: %q", e.data)
		}
	}
	if _, more := s.next(); more {
		t.Error("something follows the end")
	}
}

func TestAStreamResumesAfterTheLastEventSeen(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	path := "/runs/" + string(f.message.Run) + "/events"
	all := b.stream(t, path).until(t, "the end", isEnd)
	if count(all, "step") != 4 || count(all, "graph") != 1 || count(all, "totals") != 1 {
		t.Errorf("a new page is sent %d steps and %d pictures, want 4 and 1", count(all, "step"), count(all, "graph"))
	}
	last := all[len(all)-1].id
	behind := b.stream(t, path, "Last-Event-ID", "3").until(t, "the end", isEnd)
	if count(behind, "step") != 4 {
		t.Errorf("a page that is behind is sent %d steps, want all 4", count(behind, "step"))
	}
	for name, seen := range map[string][]event{
		"by header": b.stream(t, path, "Last-Event-ID", last).until(t, "the end", isEnd),
		"by query":  b.stream(t, path+"?after="+last).until(t, "the end", isEnd),
	} {
		if len(seen) != 2 || seen[0].name != "answer" {
			t.Errorf("%s: a page that has seen all is sent %d events, want the answer and the end", name, len(seen))
		}
	}
}

func TestStopFromThePage(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b, words := paused(t)
	m := b.start(t, "What did the foundry cast?")
	s := b.stream(t, "/runs/"+string(m.Run)+"/events")
	s.until(t, "the writing", func(e event) bool { return e.name == "graph" && slices.Contains(activeNodes(t, e.data), "generate") })
	words <- struct{}{}
	if p := b.post(t, "/runs/"+string(m.Run)+"/stop", url.Values{"back": {"/ask/" + string(m.Conversation)}}); p.header.Get("Location") != "/ask/"+string(m.Conversation) {
		t.Errorf("sent to %q", p.header.Get("Location"))
	}
	s.until(t, "the end", isEnd) // the writer waits for its next word and never gets it
	got, err := b.Ledger.Message(t.Context(), testkit.Workspace, m.Message)
	testkit.Must(t, err)
	if got.Status != ledger.MessageStopped || strings.TrimSpace(got.Text) != "The" {
		t.Errorf("status %s, answer %q", got.Status, got.Text)
	}
	if p := b.get(t, "/runs/"+string(m.Run)); !strings.Contains(p.main(t), "stopped") {
		t.Errorf("the run's page says %q", p.main(t))
	}
}

func TestStopByHTMXStaysOnThePage(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	if p := b.post(t, "/runs/"+string(f.message.Run)+"/stop", nil, "HX-Request", "true"); p.status != 204 || p.header.Get("HX-Redirect") != "" {
		t.Errorf("status %d to %q", p.status, p.header.Get("HX-Redirect"))
	}
}

func TestTheListOfDocumentsIsUpdated(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{})
	old := b.Read(t, "old.txt", foundry)
	b.Clock.Advance(2 * time.Minute)
	s := b.stream(t, "/documents/events")
	first := s.until(t, "the counts", func(e event) bool { return e.name == "counts" })
	if count(first, "row") != 0 {
		t.Error("a row that the page has just drawn is sent again")
	}
	row := func(d domain.Document, state string) func(event) bool {
		return func(e event) bool {
			return e.name == "row" && strings.Contains(e.data, string(d.ID)) && strings.Contains(e.data, `data-status="`+state+`"`)
		}
	}
	doc := b.Add(t, "new.txt", "Maud Ferring met Agnes Lovibond.").Document
	s.until(t, "the new row", row(doc, "ready"))
	b.Delete(t, old.ID)
	s.until(t, "the row that goes", func(e event) bool { return e.name == "gone" && e.data == `"doc-`+string(old.ID)+`"` })
}

// TestTheListShowsHowFarItIsEmbedded has the list say what is embedded, from the page to the end.
func TestTheListShowsHowFarItIsEmbedded(t *testing.T) {
	t.Parallel()
	var done atomic.Int32
	b := open(t, testkit.Options{}, func(p *Params) {
		p.Vectors = partly{&done}
	})
	b.Read(t, "a.txt", foundry)
	if p := b.get(t, "/documents"); !strings.Contains(p.main(t), "Embedding sentences.") {
		t.Errorf("the page does not say that sentences are embedded: %s", p.main(t))
	}
	s := b.stream(t, "/documents/events")
	shows := func(text string) func(event) bool {
		return func(e event) bool { return e.name == "counts" && strings.Contains(e.data, text) }
	}
	s.until(t, "the beginning", shows("0 of 1,200"))
	done.Store(1100)
	s.until(t, "more sentences", shows("1,100 of 1,200"))
	done.Store(1200)
	s.until(t, "the end", func(e event) bool { return e.name == "counts" && !strings.Contains(e.data, "Embedding") })
}

func TestWhatChangedBeforeTheStreamBeganIsSent(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{})
	doc := b.Read(t, "a.txt", foundry)
	sent := b.stream(t, "/documents/events").until(t, "the counts", func(e event) bool { return e.name == "counts" })
	if count(sent, "row") != 1 || !strings.Contains(sent[0].data, string(doc.ID)) {
		t.Errorf("sent %+v, want the row of a.txt, which the page may have drawn before it was read", sent)
	}
}

// TestARowThatWentBeforeTheStreamBegan loads a page with a next version that is taken over, and a
// document that is deleted, before the page opens its stream.
func TestARowThatWentBeforeTheStreamBegan(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{})
	stays, deleted := b.Read(t, "a.txt", foundry), b.Read(t, "b.txt", "Maud Ferring met Agnes Lovibond.")
	next, err := b.Documents.Add(t.Context(), testkit.Workspace, "a.txt", documents.How{Named: documents.Next}, strings.NewReader(foundry+" It is gone.")).One()
	testkit.Must(t, err)
	b.Watch(t, next.Document.Run)
	b.Delete(t, deleted.ID)
	b.Clock.Advance(2 * time.Minute)
	q := url.Values{"shown": {string(next.Document.ID), string(deleted.ID), string(stays.ID)}}
	sent := b.stream(t, "/documents/events?"+q.Encode()).until(t, "the counts", func(e event) bool { return e.name == "counts" })
	if count(sent, "gone") != 2 || count(sent, "row") != 1 || !strings.Contains(sent[0].data, string(stays.ID)) {
		t.Errorf("sent %+v, want that two are gone, and the row of a.txt", sent)
	}
}

func TestStreamsEndWithTheServer(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b, words := paused(t)
	defer close(words)
	m := b.start(t, "What did the foundry cast?")
	run := b.stream(t, "/runs/"+string(m.Run)+"/events")
	list := b.stream(t, "/documents/events")
	list.until(t, "the counts", func(e event) bool { return e.name == "counts" })
	run.until(t, "the writing", func(e event) bool { return e.name == "graph" && slices.Contains(activeNodes(t, e.data), "generate") })
	b.stop(t.Context(), t)
	for name, s := range map[string]*stream{"run": run, "list": list} {
		for {
			e, ok := s.next()
			if !ok {
				break
			}
			if e.name == "end" {
				t.Errorf("the %s stream sends an end event: the page should reconnect instead", name)
			}
		}
	}
}

// TestAStreamOfARunThatIsStoppedBeforeItBegins opens the stream between the stop and
// the moment at which the question learns of it.
func TestAStreamOfARunThatIsStoppedBeforeItBegins(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	m := b.start(t, "What did the foundry cast?")
	testkit.Must(t, b.Queue.Stop(t.Context(), testkit.Workspace, m.Run))
	s := b.stream(t, "/runs/"+string(m.Run)+"/events?after=0")
	b.Start(t)
	var answer, totals string
	for _, e := range s.until(t, "the end", isEnd) {
		switch e.name {
		case "answer":
			answer = e.data
		case "totals":
			totals = e.data
		}
	}
	if !strings.Contains(answer, `data-status="stopped"`) || !strings.Contains(totals, `data-state="stopped"`) {
		t.Errorf("at the end the page says\n%s\n%s", answer, totals)
	}
}

// partly is a library of which so many sentences are embedded.
type partly struct{ done *atomic.Int32 }

func (p partly) Embedded(context.Context, domain.WorkspaceID) (maintenance.Embedded, error) {
	return maintenance.Embedded{Done: int(p.done.Load()), Of: 1200}, nil
}

// TestEachViewerHasOwnRows streams the rows of a renamed document to two persons with other columns, of whom one only reads.
func TestEachViewerHasOwnRows(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	doc := b.Add(t, "a.txt", foundry).Document
	for _, f := range []domain.Field{{Name: "status", Kind: domain.FieldText, InList: true}, {Name: "year", Kind: domain.FieldNumber}} {
		_, _, err := b.Ledger.ChangeField(t.Context(), testkit.Workspace, "", f)
		testkit.Must(t, err)
	}
	testkit.Must(t, b.Auth.Add(here(t), "", "ada", "correct horse", domain.Owner))
	testkit.Must(t, b.Auth.Add(here(t), "", "bo", "correct horse", domain.Reader))
	ada, bo := b.as(b.another(t, "ada", "correct horse", phone)), b.as(b.another(t, "bo", "correct horse", phone))
	fields, err := b.Ledger.Fields(t.Context(), testkit.Workspace)
	testkit.Must(t, err)
	for _, f := range fields {
		ada.post(t, link.Chosen, url.Values{"act": {"set"}, "document": {string(doc.ID)}, "of": {f.Name}, "to_value": {"1871"}})
	}
	ada.post(t, link.Columns, url.Values{"fields": {string(fields[1].ID)}})
	of := map[string]*stream{"year": ada.stream(t, "/documents/events"), "status": bo.stream(t, "/documents/events")}
	for _, s := range of {
		s.until(t, "the counts", func(e event) bool { return e.name == "counts" })
	}
	testkit.Must(t, b.Documents.Rename(t.Context(), testkit.Workspace, doc.ID, "b.txt"))
	for column, s := range of {
		all := s.until(t, "the row", func(e event) bool { return e.name == "row" && strings.Contains(e.data, "b.txt") })
		row := all[len(all)-1].data
		for _, f := range fields {
			if shown := strings.Contains(row, "<i>"+f.Name+"</i>"); shown != (f.Name == column) {
				t.Errorf("who shows %s sees %s: %t", column, f.Name, shown)
			}
		}
		if acts := strings.Contains(row, link.StopRun(doc.Run)); acts != (column == "year") {
			t.Errorf("who shows %s may stop the reading: %t", column, acts)
		}
	}
}
