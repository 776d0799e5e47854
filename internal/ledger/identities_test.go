package ledger_test

import (
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// identities signs somebody on with changing groups, links another account, and finishes a sign-on twice.
func identities(t *testing.T, b Bench) {
	l, ctx := b.Ledger, t.Context()
	on := ledger.SignOn{Issuer: "https://id.example.org", Subject: "s-1", Called: "lin@example.org", Name: "lin"}
	if done, err := l.SignOn(ctx, on); err != nil || done != (ledger.SignedOn{}) {
		t.Errorf("nothing is open, and yet %+v, %v", done, err)
	}
	on.Roles = map[domain.WorkspaceID]domain.Role{domain.DefaultWorkspace: domain.Curator}
	_, err := l.SignOn(ctx, on)
	wantKind(t, err, domain.Forbidden) // the first is an owner
	must(t, l.AddAccount(ctx, domain.DefaultWorkspace, "lin", "hash", ""))
	for _, tt := range []struct {
		granted ledger.Granted
		want    ledger.SignedOn
	}{
		{ledger.Granted{Roles: on.Roles, Groups: []string{"archivists"}}, ledger.SignedOn{Account: "lin-2", Made: true, Enters: true}},
		{ledger.Granted{Owner: true}, ledger.SignedOn{Account: "lin-2", Lost: true, Enters: true}},
		{ledger.Granted{Owner: true}, ledger.SignedOn{Account: "lin-2", Enters: true}},
		{ledger.Granted{Groups: []string{}}, ledger.SignedOn{Account: "lin-2", Lost: true}},
	} {
		on.Granted = tt.granted
		if done, err := l.SignOn(ctx, on); err != nil || done != tt.want {
			t.Errorf("%+v gives %+v, want %+v, %v", tt.granted, done, tt.want, err)
		}
	}
	must(t, l.Link(ctx, on.Issuer, "s-2", "lin", "lin"))
	wantKind(t, l.Link(ctx, on.Issuer, "s-1", "lin", "lin"), domain.Conflict)
	wantKind(t, l.Link(ctx, on.Issuer, "s-3", "lin", "nobody"), domain.NotFound)
	for account, want := range map[string]int{"": 2, "lin": 1, "lin-2": 1} {
		if all, err := l.IdentitiesOf(ctx, account); err != nil || len(all) != want {
			t.Errorf("the identities of %q are %v, %v", account, all, err)
		}
	}
	must(t, l.Unlink(ctx, "lin", on.Issuer))
	wantKind(t, l.Unlink(ctx, "lin", ""), domain.NotFound)
	for _, want := range []bool{true, false} {
		if first, err := l.FinishSignOn(ctx, "state", b.Clock.Now().Add(time.Hour)); err != nil || first != want {
			t.Errorf("finished for the first time: %v, want %v, %v", first, want, err)
		}
	}
}
