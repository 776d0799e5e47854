package ledger_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

func workspacesAndMembers(t *testing.T, b Bench) {
	l, ctx := b.Ledger, t.Context()
	made := domain.Workspace{ID: "wcounty", Name: "county", Title: "County", CreatedAt: b.Clock.Now()}
	must(t, l.AddWorkspace(ctx, made))
	wantKind(t, l.AddWorkspace(ctx, domain.Workspace{ID: "other", Name: "county", Title: "Other"}), domain.Conflict)
	must(t, l.AddAccount(ctx, made.ID, "ada", "hash", domain.Owner))
	must(t, l.AddAccount(ctx, made.ID, "bob", "hash", domain.Reader))
	must(t, l.SetMember(ctx, domain.Membership{Workspace: made.ID, Account: "bob", Role: domain.Curator}))
	wantKind(t, l.SetMember(ctx, domain.Membership{Workspace: made.ID, Account: "eve", Role: domain.Curator}), domain.NotFound)
	sizes, err := l.WorkspaceSizes(ctx)
	must(t, err)
	want := []ledger.WorkspaceSize{{Workspace: domain.DefaultWorkspace}, {Workspace: made.ID, Members: 1}}
	if diff := cmp.Diff(want, sizes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	account, err := l.AccountIn(ctx, made.ID, "bob")
	if err != nil || account.Role != domain.Curator {
		t.Errorf("bob is %+v, %v", account, err)
	}
	if account, err = l.AccountIn(ctx, domain.DefaultWorkspace, "bob"); err != nil || account.Role != domain.Stranger {
		t.Errorf("elsewhere bob is %+v, %v", account, err)
	}
	changed, err := l.ChangeWorkspace(ctx, made.ID, func(w *domain.Workspace) error {
		w.ArchivedAt = b.Clock.Now().Add(time.Hour)
		return nil
	})
	must(t, err)
	read, err := l.WorkspaceNamed(ctx, "county")
	if diff := cmp.Diff(changed, read); diff != "" || err != nil {
		t.Errorf("%v (-changed +read):\n%s", err, diff)
	}
	must(t, l.RemoveMember(ctx, made.ID, "bob"))
	wantKind(t, l.RemoveMember(ctx, made.ID, "bob"), domain.NotFound)
}
