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
	want := []ledger.WorkspaceSize{{Workspace: domain.DefaultWorkspace, Members: 1}, {Workspace: made.ID, Members: 2}} // the owner everywhere
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
	_, err = l.RestoreMember(ctx, domain.DefaultWorkspace, "bob")
	wantKind(t, err, domain.Conflict)
	if back, err := l.RestoreMember(ctx, made.ID, "bob"); err != nil || back.Role != domain.Curator {
		t.Errorf("restored %+v, %v", back, err)
	}
	_, err = l.RestoreMember(ctx, made.ID, "bob")
	wantKind(t, err, domain.Conflict)
	must(t, l.RemoveMember(ctx, made.ID, "bob"))
	b.Clock.Advance(24 * time.Hour)
	_, err = l.RestoreMember(ctx, made.ID, "bob")
	wantKind(t, err, domain.Conflict)
}

func beginsLike(t *testing.T, b Bench) {
	l, ctx := b.Ledger, t.Context()
	doc := b.add(t, ws, "letter", "Words.")
	for _, v := range []ledger.SchemaVersion{{Body: "old"}, {Scope: ledger.SchemaScope{Tag: "minutes"}, Body: "of a tag"}, {Body: "in force"}, {Scope: ledger.SchemaScope{Document: doc.ID}, Body: "of a document"}} {
		latest, err := l.SchemaVersions(ctx, ws, v.Scope, 1)
		must(t, err)
		var base int64
		if len(latest) > 0 {
			base = latest[0].Number
		}
		_, err = l.AddSchema(ctx, ws, v, base)
		must(t, err)
	}
	_, err := l.AddPrompt(ctx, ws, domain.PromptVersion{Role: "grade", Text: "Grade."}, 0)
	must(t, err)
	for id, prompts := range map[domain.WorkspaceID]bool{"wplain": false, "wfull": true} {
		must(t, l.AddWorkspaceLike(ctx, domain.Workspace{ID: id, Name: string(id), Title: "Like"}, ledger.Like{Workspace: ws, Prompts: prompts, Note: "as in Library"}))
		all, err := l.LatestSchemas(ctx, id)
		must(t, err)
		if len(all) != 2 || all[0].Body != "in force" || all[1].Body != "of a tag" || all[0].Note != "as in Library" {
			t.Errorf("%s begins with %+v", id, all)
		}
		texts, err := l.CurrentPrompts(ctx, id)
		must(t, err)
		if (len(texts) == 1) != prompts {
			t.Errorf("%s begins with the prompts %+v", id, texts)
		}
	}
}
