package ledger_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// tokens lets programs in by their hashes, and shows each account and workspace its own.
func tokens(t *testing.T, b Bench) {
	ctx, l := t.Context(), b.Ledger
	expires := b.Clock.Now().Add(time.Hour)
	one := ledger.Token{ID: "t1", Workspace: ws, Account: "ada", Name: "harbour", Prefix: "clew_1", Hash: "h1", Scopes: []string{"read", "ask"}, ExpiresAt: expires}
	other := ledger.Token{ID: "t2", Workspace: "elsewhere", Account: "ada", Name: "mill", Prefix: "clew_2", Hash: "h2", Scopes: []string{"read"}, ExpiresAt: expires}
	must(t, l.AddToken(ctx, one))
	must(t, l.AddToken(ctx, other))
	must(t, l.UseToken(ctx, ws, "t1", "192.0.2.7"))
	must(t, l.UseToken(ctx, ws, "t2", "192.0.2.8")) // of another workspace
	found, err := l.TokenByHash(ctx, "h1")
	must(t, err)
	if diff := cmp.Diff([]string{"read", "ask"}, found.Scopes); diff != "" || found.Address != "192.0.2.7" || found.UsedAt.IsZero() || !found.ExpiresAt.Equal(expires) {
		t.Errorf("the token is %+v (-want +got): %s", found, diff)
	}
	if found, err = l.TokenByHash(ctx, "h2"); err != nil || found.Address != "" {
		t.Errorf("the token of another workspace was used: %+v, %v", found, err)
	}
	for account, want := range map[string]int{"": 1, "ada": 1, "bob": 0} {
		if list, err := l.Tokens(ctx, ws, account); err != nil || len(list) != want {
			t.Errorf("tokens of %q: %v, %v", account, list, err)
		}
	}
	wantKind(t, l.RemoveToken(ctx, ws, "bob", "t1"), domain.NotFound)
	wantKind(t, l.RemoveToken(ctx, ws, "", "t2"), domain.NotFound)
	must(t, l.RemoveToken(ctx, ws, "ada", "t1"))
	_, err = l.TokenByHash(ctx, "h1")
	wantKind(t, err, domain.NotFound)
}

// silentFor is how long a process whose session is over is waited for.
const silentFor = 3 * time.Second

// repeats answers a request that is sent again as it was answered, and lets it be sent again when it was forgotten.
func repeats(t *testing.T, b Bench) {
	ctx, l := t.Context(), b.Ledger
	r := ledger.Repeat{Workspace: ws, Token: "t1", Key: "k", Request: "hash"}
	ended := ""
	over := func(_ context.Context, before ledger.Repeat) (bool, error) {
		return before.Session != "" && before.Session == ended && b.Clock.Now().Sub(before.SignedAt) > silentFor, nil
	}
	begin := func(want bool, what string) *ledger.Repeat {
		t.Helper()
		before, err := l.BeginRepeat(ctx, r, over)
		must(t, err)
		if (before != nil) != want {
			t.Errorf("%s: %+v", what, before)
		}
		return before
	}
	begin(false, "a first request")
	begin(true, "while it is answered")
	must(t, l.EndRepeat(ctx, ledger.Repeat{Workspace: ws, Token: "t1", Key: "k"}))
	begin(false, "after it was forgotten")
	r.Status, r.MediaType, r.Location, r.Body = 202, "application/json", "/runs/r", `{"é":1}`
	must(t, l.EndRepeat(ctx, r))
	if before := begin(true, "after it was answered"); before != nil && (before.Status != 202 || before.Body != `{"é":1}` || before.Location != "/runs/r") {
		t.Errorf("it was answered %+v", before)
	}
	b.Clock.Advance(ledger.RepeatsFor)
	begin(false, "a day later")

	r = ledger.Repeat{Workspace: ws, Token: "t1", Key: "of a process", Request: "hash", Session: "one"}
	begin(false, "a request to a process")
	r.Session, ended = "two", "one"
	begin(true, "sent to another one, just after the session of the first ended")
	b.Clock.Advance(2 * silentFor)
	must(t, l.SignRepeat(ctx, ledger.Repeat{Workspace: ws, Token: "t1", Key: "of a process", Session: "one, connected anew"}))
	begin(true, "the first has only lost its connection")
	ended = "one, connected anew"
	b.Clock.Advance(2 * silentFor)
	begin(false, "the first is gone")
	begin(true, "the second answers it")
	r.Status = 200
	must(t, l.EndRepeat(ctx, r))
	ended = "two"
	b.Clock.Advance(2 * silentFor)
	begin(true, "an answer outlives the process that gave it")
}

// hooks keeps webhooks with their deliveries, which one process at a time sends.
func hooks(t *testing.T, b Bench) {
	ctx, l := t.Context(), b.Ledger
	hook := ledger.Webhook{ID: "w1", Workspace: ws, URL: "https://mill.example/", Events: []string{"document.ready"}, Secret: "s", Person: "ada", CreatedAt: b.Clock.Now()}
	must(t, l.AddWebhook(ctx, hook, 1))
	hook.ID = "w2"
	wantKind(t, l.AddWebhook(ctx, hook, 1), domain.Conflict)
	var all []ledger.Delivery
	for _, id := range []string{"d1", "d2", "d3"} {
		b.Clock.Advance(time.Second)
		all = append(all, ledger.Delivery{ID: id, Workspace: ws, Webhook: "w1", Event: "document.ready", Body: "{}", CreatedAt: b.Clock.Now(), NextTry: b.Clock.Now()})
	}
	must(t, l.AddDeliveries(ctx, all, 2))
	must(t, l.AddDeliveries(ctx, all[2:], 2)) // nothing is told twice
	if list, err := l.Deliveries(ctx, ws, "w1", 10); err != nil || len(list) != 2 || list[0].ID != "d3" || list[1].ID != "d2" {
		t.Errorf("the deliveries are %+v, %v", list, err)
	}
	claimed, err := l.ClaimDeliveries(ctx, 10, time.Minute)
	must(t, err)
	again, err := l.ClaimDeliveries(ctx, 10, time.Minute)
	must(t, err)
	if len(claimed) != 2 || len(again) != 0 {
		t.Fatalf("claimed were %d, and again %d", len(claimed), len(again))
	}
	sent := claimed[0]
	sent.Attempts, sent.NextTry, sent.Status, sent.TriedAt = 1, time.Time{}, 200, b.Clock.Now()
	must(t, l.SetDelivery(ctx, sent))
	b.Clock.Advance(time.Hour)
	if claimed, err = l.ClaimDeliveries(ctx, 10, time.Minute); err != nil || len(claimed) != 1 || claimed[0].ID == sent.ID {
		t.Errorf("after the lease of one, and the other was sent: %+v, %v", claimed, err)
	}
	_, err = l.Delivery(ctx, "elsewhere", sent.ID)
	wantKind(t, err, domain.NotFound)
	wantKind(t, l.RemoveWebhook(ctx, "elsewhere", "w1"), domain.NotFound)
	must(t, l.RemoveWebhook(ctx, ws, "w1"))
	if list, err := l.Deliveries(ctx, ws, "w1", 10); err != nil || len(list) != 0 {
		t.Errorf("deliveries of a webhook that is gone: %v, %v", list, err)
	}
}
