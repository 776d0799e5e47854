package ledger_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// invitations are used up once each, by ten people at once, and keep what they find when they can't be.
func invitations(t *testing.T, b Bench) {
	ctx, l, w := t.Context(), b.Ledger, domain.DefaultWorkspace
	must(t, l.AddFirstAccount(ctx, "ada", "hash"))
	wantKind(t, l.AddFirstAccount(ctx, "eve", "hash"), domain.Conflict)
	add := func(id string, role domain.Role, until time.Time) {
		t.Helper()
		must(t, l.AddInvitation(ctx, ledger.Invitation{ID: id, Workspace: w, Role: role, Note: "for " + id, Hash: "hash of " + id, MadeBy: "ada", CreatedAt: b.Clock.Now(), ExpiresAt: until}))
	}
	soon := b.Clock.Now().Add(time.Hour)
	add("i1", domain.Curator, soon)
	add("i2", domain.Reader, b.Clock.Now())
	add("i3", domain.Owner, soon)
	if i, err := l.OpenInvitation(ctx, "hash of i1"); err != nil || i.Note != "for i1" || i.Role != domain.Curator || !i.UsedAt.IsZero() {
		t.Errorf("got %+v, error %v", i, err)
	}
	_, err := l.OpenInvitation(ctx, "hash of i2")
	wantKind(t, err, domain.NotFound)
	wantKind(t, l.AcceptInvitation(ctx, "hash of i1", "ada", "hash"), domain.Conflict)
	wantKind(t, l.AcceptInvitation(ctx, "hash of i1", "nobody", ""), domain.NotFound)

	var group sync.WaitGroup
	errs := make([]error, 10)
	for i := range errs {
		group.Go(func() { errs[i] = l.AcceptInvitation(ctx, "hash of i1", fmt.Sprint("guest", i), "hash") })
	}
	group.Wait()
	in := 0
	for _, err := range errs {
		if err == nil {
			in++
		} else {
			wantKind(t, err, domain.NotFound)
		}
	}
	if n, err := l.CountAccounts(ctx); in != 1 || n != 2 || err != nil {
		t.Fatalf("%d came in, there are %d accounts, error %v", in, n, err)
	}
	members, err := l.Members(ctx, w)
	if err != nil || len(members) != 1 || members[0].Role != domain.Curator {
		t.Fatalf("members %+v, error %v", members, err)
	}
	guest := members[0].Account
	must(t, l.AcceptInvitation(ctx, "hash of i3", guest, ""))
	if a, err := l.Account(ctx, guest); err != nil || a.Role != domain.Owner {
		t.Errorf("%s is %+v, error %v", guest, a, err)
	}
	all, err := l.Invitations(ctx, w)
	if err != nil || len(all) != 3 {
		t.Errorf("listed %+v, error %v", all, err)
	}
	wantKind(t, l.RemoveInvitation(ctx, "w9", "i2"), domain.NotFound)
	must(t, l.RemoveInvitation(ctx, w, "i2"))
	b.Clock.Advance(40 * 24 * time.Hour)
	add("i4", domain.Reader, b.Clock.Now().Add(time.Hour))
	if all, err := l.Invitations(ctx, w); err != nil || len(all) != 1 {
		t.Errorf("a month later, listed %+v, error %v", all, err)
	}
}

// passes are taken once, and end with the password.
func passes(t *testing.T, b Bench) {
	ctx, l := t.Context(), b.Ledger
	must(t, l.AddFirstAccount(ctx, "ada", "old"))
	add := func(hash, purpose, password string) {
		t.Helper()
		must(t, l.AddPass(ctx, ledger.Pass{Hash: hash, Purpose: purpose, Account: "ada", PasswordHash: password, CreatedAt: b.Clock.Now(), ExpiresAt: b.Clock.Now().Add(time.Hour)}))
	}
	add("p1", ledger.ResetPassword, "old")
	add("p2", ledger.ResetPassword, "old")
	add("p3", ledger.SecondStep, "old")
	add("p4", ledger.SecondStep, "old")
	_, err := l.Pass(ctx, ledger.ResetPassword, "p1") // replaced
	wantKind(t, err, domain.NotFound)
	_, err = l.Pass(ctx, ledger.SecondStep, "p2")
	wantKind(t, err, domain.NotFound)
	if p, err := l.TakePass(ctx, ledger.SecondStep, "p3"); err != nil || p.Account != "ada" || p.PasswordHash != "old" {
		t.Errorf("got %+v, error %v", p, err)
	}
	_, err = l.TakePass(ctx, ledger.SecondStep, "p3")
	wantKind(t, err, domain.NotFound)
	_, err = l.Pass(ctx, ledger.ResetPassword, "p2")
	must(t, err)
	must(t, l.SetPassword(ctx, "ada", "new", ""))
	for hash, purpose := range map[string]string{"p2": ledger.ResetPassword, "p4": ledger.SecondStep} {
		_, err := l.TakePass(ctx, purpose, hash)
		wantKind(t, err, domain.NotFound)
	}
	add("p5", ledger.ResetPassword, "new")
	b.Clock.Advance(2 * time.Hour)
	_, err = l.Pass(ctx, ledger.ResetPassword, "p5")
	wantKind(t, err, domain.NotFound)
}

// secondSteps are changed one after the other.
func secondSteps(t *testing.T, b Bench) {
	ctx, l := t.Context(), b.Ledger
	_, err := l.SecondStep(ctx, "ada")
	wantKind(t, err, domain.NotFound)
	must(t, l.BeginSecondStep(ctx, ledger.StoredStep{Account: "ada", Sealed: "first"}))
	must(t, l.BeginSecondStep(ctx, ledger.StoredStep{Account: "ada", Sealed: "second"}))
	must(t, l.ChangeSecondStep(ctx, "ada", func(s *ledger.StoredStep) error {
		s.ConfirmedAt, s.Recovery = b.Clock.Now(), []string{"r1", "r2"}
		return nil
	}))
	wantKind(t, l.BeginSecondStep(ctx, ledger.StoredStep{Account: "ada", Sealed: "third"}), domain.Conflict)
	wrong := domain.Errorf(domain.Unauthorized, "wrong")
	wantKind(t, l.ChangeSecondStep(ctx, "ada", func(s *ledger.StoredStep) error { s.Used = 99; return wrong }), domain.Unauthorized)
	var group sync.WaitGroup
	var mu sync.Mutex
	passed := 0
	for range 8 {
		group.Go(func() {
			err := l.ChangeSecondStep(ctx, "ada", func(s *ledger.StoredStep) error {
				if s.Used >= 7 {
					return wrong
				}
				s.Used = 7
				return nil
			})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				passed++
			} else if domain.KindOf(err) != domain.Unauthorized {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if s, err := l.SecondStep(ctx, "ada"); err != nil || passed != 1 || s.Used != 7 || s.Sealed != "second" || len(s.Recovery) != 2 || !s.ConfirmedAt.Equal(b.Clock.Now()) {
		t.Errorf("%d used the same code; stored %+v, error %v", passed, s, err)
	}
	must(t, l.RemoveSecondStep(ctx, "ada"))
	wantKind(t, l.RemoveSecondStep(ctx, "ada"), domain.NotFound)
}
