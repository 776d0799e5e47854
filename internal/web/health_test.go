package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/lease"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
)

// fakeUpkeep queues checks that never run, and returns a fixed result.
type fakeUpkeep struct {
	queue *job.Queue
	last  maintenance.Result
	asked []maintenance.Order
}

func (k *fakeUpkeep) Start(ctx context.Context, w domain.WorkspaceID, kind string, o maintenance.Order) (job.Run, error) {
	k.asked = append(k.asked, o)
	return k.queue.Add(ctx, job.Run{Workspace: w, ID: domain.RunID("run-" + kind), Kind: kind, Subject: string(w), NextTry: time.Now().Add(time.Hour)})
}

func (k *fakeUpkeep) Last(context.Context, domain.WorkspaceID) (maintenance.Result, bool, error) {
	return k.last, !k.last.At.IsZero(), nil
}

// healthy sets the parts of a site that the health page needs.
func healthy(a *testkit.App) func(*Params) {
	return func(p *Params) {
		p.Maintenance = &fakeUpkeep{queue: a.Queue}
		p.Backup = func(_ context.Context, w io.Writer, _ string) error {
			_, err := io.WriteString(w, "everything")
			return err
		}
		p.Health = maintenance.NewMonitor(maintenance.MonitorParams{
			Ledger: a.Ledger, Graph: a.Graph, Vectors: a.Vectors, Queue: a.Queue, Events: a.Hub, Kinds: a.Kinds, Answering: a.Kinds.Named(questions.Kind),
			Names: maintenance.Names{Ledger: "SQLite", Graph: "SQLite", Vectors: "embedded"},
			Disk: func(context.Context) maintenance.Disk {
				return maintenance.Disk{Folder: "data", Free: 5 << 30, Known: true}
			},
			Gone: func(lease.Process) bool { return false }, Now: a.Clock.Now,
		})
	}
}

func TestHealthyPage(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "rolls.txt", rolls)
	b.Answered(t, "", "How many bells did the foundry cast?")
	page := b.get(t, "/health")
	for _, says := range []string{"Everything is in order.", "at change 1", "The queue is empty, and nothing has failed.", "process", "5.4 GB", "Not checked yet", "Last 1 question: reworded 0.0 times on average.", "95 % within"} {
		if !strings.Contains(page.main(t), says) {
			t.Errorf("the page does not say %q: %s", says, page.main(t))
		}
	}
}

func TestHealthShowsHowBusyModelsAre(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{}, func(p *Params) {
		p.Health.Models = func() []llm.Load {
			return []llm.Load{
				{Server: "api.example.com", Most: 8, Bound: 2, InFlight: 2, Waiting: 5, Rate: llm.Rate{Calls: 500, Tokens: 90_000}, Until: p.Health.Now().Add(time.Hour)},
				{Server: "127.0.0.1:11434", Most: 4, Bound: 4, InFlight: 1},
			}
		}
	})
	page := b.get(t, "/health")
	for _, says := range []string{
		"2 of 2 calls at once, fewer than the 8 that are set, because the server was busy or slow, 5 waiting, at most 500 calls and 90,000 tokens per minute; it asked for no calls for another",
		"1 of 4 calls at once",
	} {
		if !strings.Contains(page.main(t), says) {
			t.Errorf("the page does not say %q: %s", says, page.main(t))
		}
	}
}

func TestHealthNamesAnUnavailableStore(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{}, func(p *Params) {
		p.Health.Graph = away{}
		p.Health.Vectors = hanging{}
		p.Health.StoreTimeout = 2 * time.Second
	})
	page := b.get(t, "/health")
	for _, says := range []string{"2 things need attention.", "The graph does not answer.", "It did not answer within 2s."} {
		if !strings.Contains(page.main(t), says) {
			t.Errorf("the page does not say %q: %s", says, page.main(t))
		}
	}
}

type away struct{}

func (away) Cursor(context.Context, domain.WorkspaceID) (int64, error) {
	return 0, domain.Errorf(domain.Unavailable, "The graph does not answer.")
}

type hanging struct{}

func (hanging) Cursor(ctx context.Context, _ domain.WorkspaceID) (int64, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

type lagging struct{}

func (lagging) Cursor(context.Context, domain.WorkspaceID) (int64, error) { return 0, nil }

func TestHealthShowsRunsWaitingForAStore(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{}, func(p *Params) { p.Health.Vectors = lagging{} })
	b.Read(t, "rolls.txt", rolls)
	if page := b.get(t, "/health"); !strings.Contains(page.main(t), "1 change not applied yet, the oldest for") || !strings.Contains(page.main(t), "rolls.txt.") {
		t.Errorf("the page says %s", page.main(t))
	}
}

func TestTheStoresAreCheckedFromThePage(t *testing.T) {
	race.Want(t)
	t.Parallel()
	var k *fakeUpkeep
	b := open(t, testkit.Options{}, func(p *Params) {
		k = p.Maintenance.(*fakeUpkeep)
		k.last = maintenance.Result{At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Found: maintenance.Found{maintenance.EntityMissing: {"e1", "e2"}}.Groups()}
	})
	page := b.get(t, "/health")
	if !strings.Contains(page.main(t), "1 thing needs attention.") || !strings.Contains(page.body, `data-testid="repair"`) || !strings.Contains(page.main(t), "e1") {
		t.Errorf("the page says %s", page.main(t))
	}
	if got := b.post(t, "/health/check", map[string][]string{"repair": {"yes"}}); got.status != http.StatusSeeOther || got.header.Get("Location") != "/health" {
		t.Errorf("status %d to %s", got.status, got.header.Get("Location"))
	}
	if len(k.asked) != 1 || !k.asked[0].Repair {
		t.Errorf("asked for %+v", k.asked)
	}
	page = b.get(t, "/health")
	if !strings.Contains(page.body, "/runs/run-check/events") || !strings.Contains(page.main(t), "are being compared") || strings.Contains(page.body, `data-testid="run-check"`) {
		t.Errorf("while it is checked the page says %s", page.main(t))
	}
}

func TestOneBackupIsDownloadedAtATime(t *testing.T) {
	race.Want(t)
	t.Parallel()
	writing, release := make(chan struct{}), make(chan struct{})
	b := open(t, testkit.Options{}, func(p *Params) {
		p.Backup = func(_ context.Context, w io.Writer, _ string) error {
			close(writing)
			<-release
			_, err := io.WriteString(w, "everything")
			return err
		}
	})
	first := make(chan reply, 1)
	go func() { first <- b.post(t, "/health/backup", nil) }()
	<-writing
	if got := b.post(t, "/health/backup", nil); got.status != http.StatusConflict {
		t.Errorf("a second backup: status %d", got.status)
	}
	close(release)
	got := <-first
	if got.status != 200 || got.body != "everything" || !strings.HasPrefix(got.header.Get("Content-Disposition"), `attachment; filename="clew-`) {
		t.Errorf("status %d, %v, %q", got.status, got.header, got.body)
	}
}

func TestAFailedBackupIsNotDownloaded(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	begun := false
	b := open(t, testkit.Options{}, func(p *Params) {
		p.Backup = func(_ context.Context, w io.Writer, _ string) error {
			if begun {
				_, _ = io.WriteString(w, strings.Repeat("x", 1<<16))
			}
			return broken
		}
	})
	if got := b.post(t, "/health/backup", nil); got.status != http.StatusInternalServerError || got.header.Get("Content-Disposition") != "" {
		t.Errorf("before the first byte: status %d, %v", got.status, got.header)
	}
	begun = true
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.url+"/health/backup", nil)
	testkit.Must(t, err)
	response, err := b.client.Do(request)
	if err == nil {
		_, err = io.ReadAll(response.Body)
		response.Body.Close()
	}
	if err == nil {
		t.Error("an interrupted backup looks complete")
	}
}

// TestAProcessThatIsNotReadySaysWhy asks both probes of a process that can't work.
func TestAProcessThatIsNotReadySaysWhy(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]int{"/livez": http.StatusOK, "/readyz": http.StatusServiceUnavailable} {
		mux := http.NewServeMux()
		mux.HandleFunc("/livez", Alive)
		mux.Handle("/readyz", Ready(&probed{domain.Errorf(domain.Unavailable, "The ledger does not answer.")}))
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if said := strings.Contains(answer.Body.String(), "The ledger does not answer."); answer.Code != want || said != (want != http.StatusOK) {
			t.Errorf("%s: status %d, %s", path, answer.Code, answer.Body)
		}
	}
}
