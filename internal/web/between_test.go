package web

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	checkpoint "github.com/clewhq/clew/internal/checkpoint/sql"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
)

// A gate stops runs at a point while it is shut.
type gate struct {
	mu      sync.Mutex
	shut    chan struct{} // nil while it is open
	reached chan struct{}
}

func newGate() *gate { return &gate{reached: make(chan struct{}, 1)} }

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = make(chan struct{})
	select {
	case <-g.reached: // of an earlier run
	default:
	}
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.shut)
	g.shut = nil
}

func (g *gate) pass(ctx context.Context) error {
	g.mu.Lock()
	shut := g.shut
	g.mu.Unlock()
	if shut == nil {
		return nil
	}
	select {
	case g.reached <- struct{}{}:
	default:
	}
	select {
	case <-shut:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ending stops runs after their subject is settled, before their log is.
type ending struct {
	run.Threads
	*gate
}

func (e ending) End(ctx context.Context, tx *sql.Tx, id string) error {
	if err := e.pass(ctx); err != nil {
		return err
	}
	return e.Threads.End(ctx, tx, id)
}

// follows reports whether a page opens the stream of a run.
func follows(t *testing.T, page reply, id domain.RunID) bool {
	t.Helper()
	return len(nodes(t, page.body, func(n *html.Node) bool {
		return strings.HasPrefix(attr(n, "data-live"), "/runs/"+string(id)+"/events")
	})) > 0
}

// TestAPageLoadedWhileItsRunEnds lets the run of a page end before each statement of
// the page, and between the end of its subject and of its log: the page shows what it
// shows afterwards, or follows the run.
func TestAPageLoadedWhileItsRunEnds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		begin func(t *testing.T, b *bench, n int) (id domain.RunID, path string)
	}{
		{"of an answer", func(t *testing.T, b *bench, _ int) (domain.RunID, string) {
			m := b.start(t, "What did the foundry cast?")
			return m.Run, "/ask/" + string(m.Conversation)
		}},
		{"of its run", func(t *testing.T, b *bench, _ int) (domain.RunID, string) {
			m := b.start(t, "What did the foundry cast?")
			return m.Run, "/runs/" + string(m.Run)
		}},
		{"of a document", func(t *testing.T, b *bench, n int) (domain.RunID, string) {
			d := b.Add(t, "mill.txt", fmt.Sprintf("Maud Ferring met Anna Quill at mill %d.", n)).Document
			return d.Run, "/documents/" + string(d.ID)
		}},
		{"of a summary", func(t *testing.T, b *bench, _ int) (domain.RunID, string) {
			s := b.orderSummary(t, url.Values{"whole": {"yes"}})
			return s.Run, "/summaries/" + string(s.ID)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			work, end, sent := newGate(), newGate(), &testkit.Statements{}
			b := open(t, testkit.Options{
				Statements: sent,
				Roles:      &testkit.Roles{Word: func(ctx context.Context, _, _ string) error { return work.pass(ctx) }},
				Extractor:  &testkit.Extractor{Before: func(ctx context.Context, _ extract.Request) error { return work.pass(ctx) }},
				Summariser: &testkit.Summaries{Before: func(ctx context.Context, _ int) error { return work.pass(ctx) }},
				Ends:       func(c *checkpoint.Checkpointer) run.Threads { return ending{c, end} },
			})
			b.Read(t, "foundry.txt", foundry)
			for n, more := 1, true; more; n++ {
				work.close()
				id, path := tt.begin(t, b, n)
				<-work.reached
				more = false
				sent.At(n, func() {
					more = true
					work.open()
					b.Watch(t, id)
				})
				page := b.get(t, path)
				sent.At(0, nil)
				if !more { // fewer statements
					work.open()
					b.Watch(t, id)
				}
				b.showsTheEnd(t, fmt.Sprintf("its run ended before statement %d", n), id, path, page)
			}
			end.close()
			id, path := tt.begin(t, b, 0)
			<-end.reached
			page := b.get(t, path)
			end.open()
			b.Watch(t, id)
			b.showsTheEnd(t, "its subject had ended", id, path, page)
		})
	}
}

// showsTheEnd checks a page that was loaded while its run ended.
func (b *bench) showsTheEnd(t *testing.T, when string, id domain.RunID, path string, page reply) {
	t.Helper()
	if follows(t, page, id) {
		return
	}
	if got, want := page.main(t), b.get(t, path).main(t); got != want {
		t.Errorf("loaded when %s, the page opens no stream and says\n%s\nwhere it says afterwards\n%s", when, got, want)
	}
}

// TestADocumentLoadedBeforeItsRunBegins follows the run that will read it.
func TestADocumentLoadedBeforeItsRunBegins(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	d := b.Add(t, "mill.txt", "Maud Ferring met Anna Quill at the mill.").Document
	if page := b.get(t, "/documents/"+string(d.ID)); !follows(t, page, d.Run) {
		t.Errorf("the page opens no stream of the run: %s", page.main(t))
	}
}

// upkeep queues checks that a test carries out.
type upkeep struct {
	fakeUpkeep
	n int
}

func (k *upkeep) Start(ctx context.Context, w domain.WorkspaceID, kind string, _ maintenance.Order) (job.Run, error) {
	k.n++
	return k.queue.Add(ctx, job.Run{Workspace: w, ID: domain.RunID(fmt.Sprint("run-", k.n)), Kind: kind, Subject: string(w)})
}

// TestHealthLoadedWhileACheckEnds lets a check end before each statement of the page.
func TestHealthLoadedWhileACheckEnds(t *testing.T) {
	t.Parallel()
	sent, checks := &testkit.Statements{}, &upkeep{}
	b := open(t, testkit.Options{Statements: sent}, func(p *Params) {
		checks.queue = p.Queue
		p.Maintenance = checks
	})
	section := func(page reply) string {
		t.Helper()
		return text(nodes(t, page.body, func(n *html.Node) bool { return attr(n, "data-testid") == "check" })[0])
	}
	for n, more := 1, true; more; n++ {
		r, err := checks.Start(t.Context(), testkit.Workspace, maintenance.CheckKind, maintenance.Order{})
		testkit.Must(t, err)
		ends := func() {
			checks.last = maintenance.Result{At: time.Date(2020, 1, n, 12, 0, 0, 0, time.UTC)}
			_, _, err := b.Queue.ClaimOne(context.Background(), r.ID, "checker", time.Minute)
			testkit.Must(t, err)
			_, err = b.Queue.Finish(context.Background(), r.ID, "checker")
			testkit.Must(t, err)
		}
		more = false
		sent.At(n, func() {
			more = true
			ends()
		})
		page := b.get(t, "/health")
		sent.At(0, nil)
		if !more { // fewer statements
			ends()
		}
		if got, want := section(page), section(b.get(t, "/health")); got != want && !follows(t, page, r.ID) {
			t.Errorf("loaded when the check ended before statement %d, the page opens no stream and says\n%s\nwhere it says afterwards\n%s", n, got, want)
		}
	}
}
