package webhooks_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/webhooks"
)

// received is a request that a receiver got.
type received struct {
	path   string
	header http.Header
	body   string
}

// receiver refuses the first requests, so many, and keeps all.
type receiver struct {
	*httptest.Server
	mu      sync.Mutex
	refuses int
	got     []received
}

func receive(t *testing.T, refuses int) *receiver {
	t.Helper()
	r := &receiver{refuses: refuses}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got = append(r.got, received{q.URL.Path, q.Header, string(body)})
		if len(r.got) <= r.refuses {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// again is what webhooks.Again takes.
type again = struct {
	Delivery string `json:"delivery" arg:"DELIVERY" doc:"id of a delivery"`
}

// setup opens a library and its webhooks, which may call this machine if that is allowed.
func setup(t *testing.T, allowed bool) (*testkit.App, *webhooks.Service, context.Context) {
	t.Helper()
	app := testkit.Open(t, testkit.Options{Idle: true})
	app.Clock.Stop()
	o := crawl.Options{Agent: "test", MaxBytes: 1 << 20}
	if allowed {
		o.Allowed = crawl.Allowed{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	}
	s := webhooks.New(webhooks.Params{
		Ledger: app.Ledger, Costs: app.Costs, Network: crawl.NewFetcher(o), Random: rand.NewChaCha8([32]byte{}), Now: app.Clock.Now, Log: app.Log, Agent: "Clew",
	})
	return app, s, domain.WithWorkspace(t.Context(), testkit.Workspace)
}

func add(t *testing.T, s *webhooks.Service, ctx context.Context, url string, events ...string) webhooks.Added { //nolint:revive // the test comes first
	t.Helper()
	a, err := webhooks.Add.Do(s, ctx, webhooks.Wanted{URL: url, Events: events})
	testkit.Must(t, err)
	return a
}

// ends has a run end.
func ends(t *testing.T, s *webhooks.Service, ctx context.Context, r job.Run) { //nolint:revive // as above
	t.Helper()
	r.Workspace = testkit.Workspace
	testkit.Must(t, s.After(run.Kind{Name: r.Kind}).Settled(ctx, r))
}

func told(t *testing.T, s *webhooks.Service, ctx context.Context, id string) []webhooks.ShownDelivery { //nolint:revive // as above
	t.Helper()
	list, err := s.List(ctx, testkit.Workspace, id)
	testkit.Must(t, err)
	return list
}

func TestAReceiverThatFailsTwiceIsTold(t *testing.T) {
	t.Parallel()
	app, s, ctx := setup(t, true)
	r := receive(t, 2)
	hook := add(t, s, ctx, r.URL+"/clew", webhooks.DocumentReady)
	ends(t, s, ctx, job.Run{ID: "run1", Kind: documents.Kind, Subject: "d1", Status: job.Done})
	ends(t, s, ctx, job.Run{ID: "run1", Kind: documents.Kind, Subject: "d1", Status: job.Done}) // settled again
	for i, want := range []string{"waiting", "waiting", "delivered"} {
		testkit.Must(t, s.Send(ctx))
		testkit.Must(t, s.Send(ctx)) // too early
		list := told(t, s, ctx, hook.ID)
		if len(list) != 1 || list[0].State != want || list[0].Attempts != i+1 || (want == "waiting") != (list[0].Problem == "The receiver answered 503 Service Unavailable.") {
			t.Fatalf("after attempt %d: %+v", i+1, list)
		}
		app.Clock.Advance(time.Minute)
	}
	if len(r.got) != 3 {
		t.Fatalf("%d requests came", len(r.got))
	}
	last := r.got[2]
	id, at := last.header.Get("Webhook-Id"), last.header.Get("Webhook-Timestamp")
	if r.got[0].header.Get("Webhook-Id") != id || r.got[0].body != last.body {
		t.Error("what is sent again is another message")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(hook.Secret, "whsec_"))
	testkit.Must(t, err)
	mac := hmac.New(sha256.New, key)
	io.WriteString(mac, id+"."+at+"."+last.body)
	if got, want := last.header.Get("Webhook-Signature"), "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)); got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
	var body struct {
		Type string
		Data map[string]string
	}
	testkit.Must(t, json.Unmarshal([]byte(last.body), &body))
	if body.Type != "document.ready" || body.Data["document"] != "d1" || body.Data["run"] != "run1" {
		t.Errorf("it was told %s", last.body)
	}

	_, err = webhooks.Again.Do(s, ctx, again{id})
	testkit.Must(t, err)
	testkit.Must(t, s.Send(ctx))
	if len(r.got) != 4 || r.got[3].header.Get("Webhook-Id") != id {
		t.Errorf("sent again: %d requests", len(r.got))
	}
}

func TestAReceiverThatIsGoneIsGivenUp(t *testing.T) {
	t.Parallel()
	app, s, ctx := setup(t, true)
	r := receive(t, 0)
	hook := add(t, s, ctx, r.URL)
	r.Close()
	ends(t, s, ctx, job.Run{ID: "run1", Kind: "answer", Status: job.Failed})
	for range 8 {
		testkit.Must(t, s.Send(ctx))
		app.Clock.Advance(24 * time.Hour)
	}
	testkit.Must(t, s.Send(ctx))
	if list := told(t, s, ctx, hook.ID); len(list) != 1 || list[0].State != "failed" || list[0].Attempts != 8 || list[0].Problem != "The receiver can't be reached." {
		t.Errorf("its deliveries are %+v", list)
	}
}

func TestWebhooksAreToldOfWhatTheyWant(t *testing.T) {
	t.Parallel()
	app, s, ctx := setup(t, true)
	r := receive(t, 0)
	all, failed := add(t, s, ctx, r.URL), add(t, s, ctx, r.URL, webhooks.DocumentFailed)
	ends(t, s, ctx, job.Run{ID: "run1", Kind: documents.Kind, Subject: "d1", Status: job.Done})
	ends(t, s, ctx, job.Run{ID: "run2", Kind: documents.Kind, Subject: "d2", Status: job.Failed})
	ends(t, s, ctx, job.Run{ID: "run3", Kind: "answer", Status: job.Stopped})
	testkit.Must(t, app.Costs.SetCaps(ctx, testkit.Workspace, costs.Caps{costs.Day: {Set: true}}))
	for range 2 {
		testkit.Must(t, s.TellCaps(ctx, testkit.Workspace))
	}
	count := map[string]int{}
	for _, d := range told(t, s, ctx, all.ID) {
		count[d.Event]++
	}
	if count[webhooks.RunFinished] != 3 || count[webhooks.DocumentReady] != 1 || count[webhooks.DocumentFailed] != 1 || count[webhooks.CapReached] != 1 {
		t.Errorf("the one for all was told %v", count)
	}
	if list := told(t, s, ctx, failed.ID); len(list) != 1 || list[0].Event != webhooks.DocumentFailed {
		t.Errorf("the one for failures was told %+v", list)
	}
	for range 2 {
		_, err := webhooks.Remove.Do(s, ctx, struct {
			ID string `json:"id" arg:"ID" doc:"id of a webhook"`
		}{all.ID})
		if all.URL != "" {
			testkit.Must(t, err)
		} else if domain.KindOf(err) != domain.NotFound {
			t.Errorf("removed twice: %v", err)
		}
		all.URL = ""
	}
	testkit.Must(t, s.Send(ctx))
	if len(r.got) != 1 {
		t.Errorf("%d requests came after one was removed", len(r.got))
	}
}

func TestInnerAddressesAreNotTold(t *testing.T) {
	t.Parallel()
	_, s, ctx := setup(t, false)
	for _, url := range []string{
		"http://127.0.0.1:1/x", "http://[::1]/", "http://10.0.0.1/", "http://169.254.169.254/latest", "http://localhost/", "ftp://example.org/", "example.org", "https://", "http://a:b@example.org/", "http://[::ffff:127.0.0.1]/",
		"https://" + strings.Repeat("x", 3000),
	} {
		if _, err := webhooks.Add.Do(s, ctx, webhooks.Wanted{URL: url}); domain.KindOf(err) != domain.Invalid {
			t.Errorf("%.60s: %v", url, err)
		}
	}
	// A name that leads inside only later is refused by the socket.
	app, open, ctx := setup(t, true)
	r := receive(t, 0)
	hook := add(t, open, ctx, r.URL)
	ends(t, open, ctx, job.Run{ID: "run1", Kind: "answer", Status: job.Done})
	closed := webhooks.New(webhooks.Params{Ledger: app.Ledger, Costs: app.Costs, Network: crawl.NewFetcher(crawl.Options{}), Now: app.Clock.Now, Log: app.Log})
	testkit.Must(t, closed.Send(ctx))
	if list := told(t, open, ctx, hook.ID); len(r.got) != 0 || !strings.Contains(list[0].Problem, "not on the public internet") {
		t.Errorf("%d requests came; %+v", len(r.got), list)
	}
}

func TestWhatIsKeptOfDeliveriesIsBounded(t *testing.T) {
	t.Parallel()
	app, s, ctx := setup(t, true)
	hook := add(t, s, ctx, "http://127.0.0.1:1/")
	for range 205 {
		ends(t, s, ctx, job.Run{ID: domain.RunID(app.Clock.Now().String()), Kind: "answer", Status: job.Done})
		app.Clock.Advance(time.Second)
	}
	if list := told(t, s, ctx, hook.ID); len(list) != 200 {
		t.Errorf("%d deliveries are kept", len(list))
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	_, s, ctx := setup(t, true)
	elsewhere := receive(t, 0)
	for status, said := range map[int]string{
		http.StatusFound: "The receiver answered 302 Found.", http.StatusTemporaryRedirect: "The receiver answered 307 Temporary Redirect.",
	} {
		from := httptest.NewServer(http.RedirectHandler(elsewhere.URL, status))
		t.Cleanup(from.Close)
		hook := add(t, s, ctx, from.URL, webhooks.RunFinished)
		ends(t, s, ctx, job.Run{ID: domain.RunID(said), Kind: "answer", Status: job.Done})
		testkit.Must(t, s.Send(ctx))
		if list := told(t, s, ctx, hook.ID); len(list) != 1 || list[0].Status != status || list[0].Problem != said || list[0].State != "waiting" {
			t.Errorf("%d: %+v", status, list)
		}
	}
	if len(elsewhere.got) != 0 {
		t.Errorf("%d requests came to where the redirects lead", len(elsewhere.got))
	}
}

func TestPairsThatWaitAreTold(t *testing.T) {
	t.Parallel()
	app, s, ctx := setup(t, true)
	hook := add(t, s, ctx, "http://127.0.0.1:1/", webhooks.ReviewWaiting)
	ends(t, s, ctx, job.Run{ID: "none", Kind: proposals.Kind, Status: job.Done, StartedAt: app.Clock.Now().Truncate(time.Millisecond)})
	if list := told(t, s, ctx, hook.ID); len(list) != 0 {
		t.Errorf("without a pair it was told %+v", list)
	}
	app.Add(t, "pairs.txt", "Ada and Brell.") // the workspace begins with it
	testkit.Must(t, app.Ledger.Propose(ctx, testkit.Workspace, []ledger.Proposal{
		{ID: "p1", A: "a", B: "b", Score: 0.8, Pattern: "initials", Status: ledger.ProposalOpen}, {ID: "p2", A: "a", B: "c", Score: 0.7, Pattern: "initials", Status: ledger.ProposalOpen},
	}))
	for range 2 { // settled again
		ends(t, s, ctx, job.Run{ID: "two", Kind: proposals.Kind, Status: job.Done, StartedAt: app.Clock.Now().Truncate(time.Millisecond)})
	}
	app.Clock.Advance(time.Hour)
	ends(t, s, ctx, job.Run{ID: "later", Kind: proposals.Kind, Status: job.Done, StartedAt: app.Clock.Now().Truncate(time.Millisecond)}) // it found none
	ends(t, s, ctx, job.Run{ID: "failed", Kind: proposals.Kind, Status: job.Failed})
	list := told(t, s, ctx, hook.ID)
	if len(list) != 1 || list[0].Event != webhooks.ReviewWaiting || !strings.Contains(list[0].Body, `"waiting":2`) {
		t.Errorf("it was told %+v", list)
	}
}

// TestAWebhookKnowsWhatItsMakerMayRead: a limited document is told only to the address whose maker may read it, as long as they may.
func TestAWebhookKnowsWhatItsMakerMayRead(t *testing.T) {
	t.Parallel()
	app, s, ctx := setup(t, true)
	testkit.Must(t, app.Ledger.AddAccount(ctx, testkit.Workspace, "ada", "hash", domain.Owner))
	for _, name := range []string{"owen", "iris"} {
		testkit.Must(t, app.Ledger.AddAccount(ctx, testkit.Workspace, name, "hash", domain.Admin))
	}
	r := receive(t, 1000)
	as := func(name string) context.Context { return domain.WithPerson(ctx, name) }
	hooks := map[string]webhooks.Added{}
	for _, name := range []string{"ada", "owen", "iris", domain.Operator, ""} {
		hooks[name] = add(t, s, as(name), r.URL+"/"+strings.ReplaceAll(name, " ", "-"))
	}
	d, _, err := app.Ledger.AddDocument(ctx, domain.Document{Workspace: testkit.Workspace, ID: "d1", Hash: "h1", Name: "payroll.txt", Format: domain.FormatText, Status: domain.DocumentReady})
	testkit.Must(t, err)
	limit := func(names ...string) {
		var readers []ledger.Reader
		for _, name := range names {
			readers = append(readers, ledger.Reader{Kind: ledger.ReaderAccount, Name: name})
		}
		testkit.Must(t, app.Ledger.Limit(ctx, testkit.Workspace, []domain.DocumentID{d.ID}, true, readers))
	}
	limit("ada", "iris")
	ends(t, s, ctx, job.Run{ID: "run1", Kind: documents.Kind, Subject: "d1", Status: job.Done})
	ends(t, s, ctx, job.Run{ID: "run2", Kind: "crawl", Person: "iris", Own: true, Status: job.Done})
	for name, want := range map[string]int{"ada": 2, "owen": 0, "iris": 3, domain.Operator: 3, "": 0} {
		if list := told(t, s, domain.WithReader(ctx, ""), hooks[name].ID); len(list) != want {
			t.Errorf("the address of %q is told %d events, want %d: %+v", name, len(list), want, list)
		}
	}
	if list := told(t, s, as("owen"), hooks["ada"].ID); len(list) != 0 {
		t.Errorf("another admin is shown %+v", list)
	}
	waiting := told(t, s, as("ada"), hooks["ada"].ID)
	if _, err := webhooks.Again.Do(s, as("owen"), again{waiting[0].ID}); domain.KindOf(err) != domain.NotFound {
		t.Errorf("another admin sends it again: %v", err)
	}

	limit("iris") // before anything was sent
	testkit.Must(t, s.Send(ctx))
	for _, q := range r.got {
		if q.path == "/ada" {
			t.Errorf("told after the right was taken away: %s", q.body)
		}
	}
	if len(r.got) != 6 {
		t.Errorf("%d requests came", len(r.got))
	}
	for _, one := range told(t, s, domain.WithReader(ctx, ""), hooks["ada"].ID) {
		if one.State != "failed" || !strings.Contains(one.Problem, "may no longer read") {
			t.Errorf("what was not sent is %+v", one)
		}
	}
}
