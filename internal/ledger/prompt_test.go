package ledger_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

// prompts: changes are numbered over all roles, a pin sees what was the last up
// to it, and of two changes of the same version one is refused.
func prompts(t *testing.T, b Bench) {
	ctx, at := t.Context(), b.Clock.Now()
	add := func(w domain.WorkspaceID, role, text string, base int) (domain.PromptVersion, error) {
		return b.Ledger.AddPrompt(ctx, w, domain.PromptVersion{Role: role, Text: text, Note: "why", Who: "ada"}, base)
	}
	version := func(n int, role, text string) domain.PromptVersion {
		return domain.PromptVersion{Number: n, Role: role, Text: text, Note: "why", Who: "ada", At: at}
	}
	if n, err := b.Ledger.PromptHead(ctx, ws); n != 0 || err != nil {
		t.Errorf("an empty workspace has the pin %d, %v", n, err)
	}
	for _, v := range []struct {
		w          domain.WorkspaceID
		role, text string
		base       int
		want       domain.PromptVersion
	}{
		{ws, "grade", "one", 0, version(1, "grade", "one")},
		{ws, "write", "two", 0, version(2, "write", "two")},
		{"elsewhere", "grade", "other", 0, version(1, "grade", "other")},
		{ws, "grade", "", 1, version(3, "grade", "")},
	} {
		got, err := add(v.w, v.role, v.text, v.base)
		must(t, err)
		if diff := cmp.Diff(v.want, got); diff != "" {
			t.Errorf("added (-want +got):\n%s", diff)
		}
	}
	for _, base := range []int{0, 1, 2, 4} {
		if v, err := add(ws, "grade", "late", base); domain.KindOf(err) != domain.Conflict {
			t.Errorf("a change of version %d: %v, %v", base, v, err)
		}
	}
	for pin, want := range []domain.PromptVersion{{}, version(1, "grade", "one"), version(1, "grade", "one"), version(3, "grade", ""), version(3, "grade", "")} {
		got, err := b.Ledger.PromptAt(ctx, ws, "grade", pin)
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("at the pin %d (-want +got):\n%s", pin, diff)
		}
	}
	now, err := b.Ledger.CurrentPrompts(ctx, ws)
	must(t, err)
	if diff := cmp.Diff([]domain.PromptVersion{version(3, "grade", ""), version(2, "write", "two")}, now); diff != "" {
		t.Errorf("now (-want +got):\n%s", diff)
	}
	all, err := b.Ledger.PromptVersions(ctx, ws, "grade")
	must(t, err)
	if diff := cmp.Diff([]domain.PromptVersion{version(3, "grade", ""), version(1, "grade", "one")}, all); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}

	var together sync.WaitGroup
	saved := make(chan int, 4)
	for range cap(saved) {
		together.Go(func() {
			if v, err := add(ws, "write", "at once", 2); err == nil {
				saved <- v.Number
			} else if domain.KindOf(err) != domain.Conflict {
				t.Errorf("changed at once: %v", err)
			}
		})
	}
	together.Wait()
	if len(saved) != 1 {
		t.Errorf("%d of %d changes of the same version were kept", len(saved), cap(saved))
	}
}
