package auth

import (
	"slices"
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

func TestMembersAreAddedChangedAndRemoved(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, other := domain.WithWorkspace(domain.WithPerson(t.Context(), "ada"), domain.DefaultWorkspace), domain.WithWorkspace(domain.WithPerson(t.Context(), "ada"), "other")
	must(t, b.Add(ctx, "ada", "bob", password, domain.Curator))
	in := func(name string) named { return named{name} }
	_, err := AddMember.Do(b.Auth, ctx, joining{in("bob"), domain.Reader})
	wantKind(t, err, domain.Conflict, "who is a member already")
	_, err = AddMember.Do(b.Auth, ctx, joining{in("nobody"), domain.Reader})
	wantKind(t, err, domain.NotFound, "who has no account")
	_, err = AddMember.Do(b.Auth, other, joining{in("bob"), domain.Owner})
	wantKind(t, err, domain.Invalid, "the role owner in a workspace")
	_, err = ChangeMember.Do(b.Auth, other, ranking{in("bob"), domain.Reader})
	wantKind(t, err, domain.NotFound, "a member of another workspace")
	_, err = AddMember.Do(b.Auth, other, joining{in(" Bob "), domain.Reader})
	must(t, err)
	_, err = ChangeMember.Do(b.Auth, other, ranking{in("bob"), domain.Admin})
	must(t, err)
	_, err = SetGroups.Do(b.Auth, ctx, Grouping{"bob", []string{" reading-room", "archivists", "archivists", ""}})
	must(t, err)
	list, err := ListMembers.Do(b.Auth, other, struct{}{})
	must(t, err)
	if len(list) != 2 || list[0].Role != domain.Owner || list[1].Name != "bob" || list[1].Role != domain.Admin || !slices.Equal(list[1].Groups, []string{"archivists", "reading-room"}) {
		t.Errorf("the members are %+v", list)
	}
	for _, name := range []string{"ada", "nobody"} {
		if _, err := RemoveMember.Do(b.Auth, ctx, in(name)); err == nil {
			t.Errorf("%s was removed", name)
		}
	}
	_, err = RemoveMember.Do(b.Auth, ctx, in("bob"))
	must(t, err)
	if u, err := b.Account(ctx, "bob"); err != nil || u.Role != domain.Stranger {
		t.Errorf("who was removed is %+v, %v", u, err)
	}
	if u, err := b.Account(other, "bob"); err != nil || u.Role != domain.Admin {
		t.Errorf("in the other workspace bob is %+v, %v", u, err)
	}
}
