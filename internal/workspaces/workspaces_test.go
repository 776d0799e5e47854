package workspaces_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/workspaces"
)

// open returns the workspaces of a new ledger.
func open(t *testing.T) (*testkit.App, *workspaces.Service) {
	t.Helper()
	a := testkit.Open(t, testkit.Options{Idle: true})
	a.Clock.Stop()
	return a, workspaces.New(workspaces.Params{Ledger: a.Ledger, Stores: claimed{}, Random: rand.NewChaCha8([32]byte{}), Now: a.Clock.Now, Log: slog.New(slog.DiscardHandler)})
}

func named(list []domain.Workspace) (names []string) {
	for _, w := range list {
		names = append(names, w.Name)
	}
	return names
}

// claimed are stores that belong to nobody else.
type claimed struct{}

func (claimed) Claim(context.Context, domain.WorkspaceID) error { return nil }

func run[In any](t *testing.T, s *workspaces.Service, op func(*workspaces.Service, context.Context, In) (workspaces.Listed, error), in In) workspaces.Listed {
	t.Helper()
	w, err := op(s, t.Context(), in)
	testkit.Must(t, err)
	return w
}

func TestAWorkspaceIsMadeRenamedArchivedDeletedAndRestored(t *testing.T) {
	t.Parallel()
	_, s := open(t)
	ctx := t.Context()
	w := run(t, s, workspaces.Add.Do, workspaces.Wanted{Title: "Letters of the  Museum", About: "Lovibond, Thorne"})
	if w.Name != "letters-of-the-museum" || w.Title != "Letters of the Museum" {
		t.Errorf("made %+v", w)
	}
	before, err := s.Find(ctx, w.Name)
	testkit.Must(t, err)
	run(t, s, workspaces.Rename.Do, workspaces.Retitled{Named: workspaces.Named{Name: w.Name}, Title: "Museum"})
	run(t, s, workspaces.Archive.Do, workspaces.Named{Name: w.Name})
	archived, err := s.Find(ctx, w.Name)
	if err != nil || archived.ID != before.ID || archived.Title != "Museum" || archived.About != "Lovibond, Thorne" || domain.KindOf(archived.Refuse()) != domain.Conflict {
		t.Errorf("archived %+v, %v", archived, err)
	}
	deleted := run(t, s, workspaces.Delete.Do, workspaces.Named{Name: w.Name})
	if deleted.Deleted.Sub(s.Now()) != 24*time.Hour {
		t.Errorf("it goes at %v", deleted.Deleted)
	}
	if _, err := s.Find(ctx, w.Name); domain.KindOf(err) != domain.NotFound {
		t.Errorf("a deleted workspace is found: %v", err)
	}
	if _, err := workspaces.Add.Do(s, ctx, workspaces.Wanted{Title: "Other", Name: w.Name}); domain.KindOf(err) != domain.Conflict {
		t.Errorf("the name of one that can be restored is given again: %v", err)
	}
	run(t, s, workspaces.Restore.Do, workspaces.Named{Name: w.Name})
	if back, err := s.Find(ctx, w.Name); err != nil || back.ID != before.ID || back.Refuse() != nil {
		t.Errorf("restored %+v, %v", back, err)
	}
}

func TestWhatNoWorkspaceCanBe(t *testing.T) {
	t.Parallel()
	_, s := open(t)
	for _, in := range []workspaces.Wanted{{}, {Title: " \n"}, {Title: strings.Repeat("a", 101)}, {Title: "東京"}, {Title: "a", Name: "A b"}, {Title: "a", Name: "../x"}, {Title: "a", Name: strings.Repeat("a", 41)}, {Title: "a", About: strings.Repeat("b", 301)}} {
		if _, err := workspaces.Add.Do(s, t.Context(), in); domain.KindOf(err) != domain.Invalid {
			t.Errorf("%+v: %v", in, err)
		}
	}
	if _, err := workspaces.Add.Do(s, t.Context(), workspaces.Wanted{Title: "Library"}); domain.KindOf(err) != domain.Conflict {
		t.Errorf("a name twice: %v", err)
	}
	if _, err := workspaces.Delete.Do(s, t.Context(), workspaces.Named{Name: "library"}); domain.KindOf(err) != domain.Conflict {
		t.Errorf("the first one is deleted: %v", err)
	}
	if w, err := workspaces.Add.Do(s, t.Context(), workspaces.Wanted{Title: "東京", Name: "tokyo"}); err != nil || w.Title != "東京" {
		t.Errorf("%+v, %v", w, err)
	}
}

func TestPeopleSeeTheWorkspacesThatTheyBelongTo(t *testing.T) {
	t.Parallel()
	a, s := open(t)
	ctx := t.Context()
	for _, title := range []string{"County", "Museum"} {
		run(t, s, workspaces.Add.Do, workspaces.Wanted{Title: title})
	}
	county, err := s.Find(ctx, "county")
	testkit.Must(t, err)
	testkit.Must(t, a.Ledger.AddAccount(ctx, domain.DefaultWorkspace, "ada", "hash", domain.Owner))
	testkit.Must(t, a.Ledger.AddAccount(ctx, county.ID, "bob", "hash", domain.Reader))
	a.Clock.Advance(2 * time.Second) // another process could have added him
	for _, tt := range []struct {
		account string
		role    domain.Role
		want    []string
		home    string
	}{
		{"", "", []string{"county", "library", "museum"}, "library"},
		{"ada", domain.Owner, []string{"county", "library", "museum"}, "library"},
		{"bob", domain.Reader, []string{"county"}, "county"},
		{"eve", domain.Stranger, nil, ""},
	} {
		mine, err := s.Mine(ctx, tt.account, tt.role)
		if err != nil || !slices.Equal(named(mine), tt.want) {
			t.Errorf("%s: %q, %v", tt.account, named(mine), err)
		}
		if tt.home == "" {
			continue
		}
		if home, err := s.Home(ctx, tt.account, "elsewhere"); err != nil || home != tt.home {
			t.Errorf("%s begins in %q, %v", tt.account, home, err)
		}
	}
	testkit.Must(t, a.Ledger.RemoveMember(ctx, county.ID, "bob"))
	if _, err := s.Home(ctx, "bob", "county"); domain.KindOf(err) != domain.NotFound {
		t.Errorf("without a workspace: %v", err)
	}
}
