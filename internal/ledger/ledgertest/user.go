package ledgertest

import (
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

func users(t *testing.T, b Bench) {
	ctx := t.Context()
	count := func(want int) {
		t.Helper()
		if n, err := b.Ledger.CountUsers(ctx); err != nil || n != want {
			t.Errorf("got %d accounts, error %v, want %d", n, err, want)
		}
	}
	count(0)
	_, err := b.Ledger.User(ctx, "ada")
	wantKind(t, err, domain.NotFound)
	must(t, b.Ledger.SaveUser(ctx, "ada", "hash 1"))
	must(t, b.Ledger.SaveUser(ctx, "bob", "hash 2"))
	must(t, b.Ledger.SaveUser(ctx, "ada", "hash 3"))
	count(2)
	if hash, err := b.Ledger.User(ctx, "ada"); err != nil || hash != "hash 3" {
		t.Errorf("got hash %q, error %v, want the latest", hash, err)
	}
}

func sessions(t *testing.T, b Bench) {
	ctx, s := t.Context(), b.Ledger.Sessions()
	find := func(token, want string) {
		t.Helper()
		data, found, err := s.FindCtx(ctx, token)
		if err != nil || found != (want != "") || string(data) != want {
			t.Errorf("session %s: got %q (%v), error %v, want %q", token, data, found, err, want)
		}
	}
	find("secret", "")
	hour := b.Clock.Now().Add(time.Hour)
	must(t, s.CommitCtx(ctx, "secret", []byte("one"), hour))
	must(t, s.CommitCtx(ctx, "secret", []byte("two\x00"), hour))
	must(t, s.Commit("other", []byte("three"), hour.Add(time.Hour)))
	find("secret", "two\x00")
	find(domain.Hash([]byte("secret")), "") // the stored hash does not open the session
	b.Clock.Advance(time.Hour)
	find("secret", "")
	find("other", "three")
	must(t, s.DeleteCtx(ctx, "other"))
	must(t, s.Delete("never was"))
	if _, found, err := s.Find("other"); found || err != nil {
		t.Errorf("deleted session: got %v, error %v, want none", found, err)
	}
}

func settings(t *testing.T, b Bench) {
	ctx := t.Context()
	get := func(w domain.WorkspaceID, want string, wantSet bool) {
		t.Helper()
		v, set, err := b.Ledger.Setting(ctx, w, "max_loops")
		if err != nil || v != want || set != wantSet {
			t.Errorf("got %q, %v, error %v, want %q, %v", v, set, err, want, wantSet)
		}
	}
	get(ws, "", false)
	must(t, b.Ledger.SetSetting(ctx, ws, "max_loops", "3"))
	must(t, b.Ledger.SetSetting(ctx, ws, "max_loops", ""))
	get(ws, "", true)
	must(t, b.Ledger.SetSetting(ctx, ws, "max_loops", "5"))
	get(ws, "5", true)
	get("another", "", false)
	for _, value := range []string{"first", "second"} {
		if kept, err := b.Ledger.KeepSetting(ctx, "another", "max_loops", value); kept != "first" || err != nil {
			t.Errorf("kept %q, error %v", kept, err)
		}
	}
	get("another", "first", true)
	get(ws, "5", true)
}
