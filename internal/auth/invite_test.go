package auth

import (
	"context"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

var guest = Client{Address: netip.MustParseAddr("192.0.2.7"), Browser: "a browser"}

// as returns the context of a person in the workspace that an installation begins with.
func as(t *testing.T, person string) context.Context {
	t.Helper()
	return domain.WithPerson(domain.WithWorkspace(t.Context(), domain.DefaultWorkspace), person)
}

func (b bench) invite(t *testing.T, by string, in InvitationWanted) NewInvitation {
	t.Helper()
	made, err := MakeInvitation.Do(b.Auth, as(t, by), in)
	must(t, err)
	return made
}

func TestAnInvitationLetsOnePersonIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.invite(t, "ada", InvitationWanted{Note: " Records \n office ", Role: domain.Contributor, Days: 7})
	if made.Link != "https://clew.example.org/join/"+made.Secret || made.Note != "Records office" || made.By != "ada" || !made.Expires.Equal(b.Now().AddDate(0, 0, 7)) {
		t.Errorf("made %+v", made)
	}
	invited, err := b.Invitation(t.Context(), made.Secret, guest.Address)
	if err != nil || invited.Role != domain.Contributor || invited.By != "ada" || invited.Workspace.ID != domain.DefaultWorkspace {
		t.Errorf("it is for %+v, error %v", invited, err)
	}
	_, err = b.Accept(t.Context(), made.Secret, "Bob", "short", guest)
	wantKind(t, err, domain.Invalid, "a short password")
	_, err = b.Accept(t.Context(), made.Secret, "ada", password, guest)
	wantKind(t, err, domain.Conflict, "the name of another account")
	in, err := b.Accept(t.Context(), made.Secret, "Bob", password, guest)
	must(t, err)
	s, found, err := b.Session(as(t, ""), in.Token, guest.Address)
	if err != nil || !found || s.Account != "bob" || s.Role != domain.Contributor {
		t.Errorf("the session is %+v, %v, error %v", s, found, err)
	}
	_, err = b.Accept(t.Context(), made.Secret, "eve", password, guest)
	wantKind(t, err, domain.NotFound, "a second person")
	list, err := ListInvitations.Do(b.Auth, as(t, "ada"), struct{}{})
	if err != nil || len(list) != 1 || list[0].Standing != "used by bob" {
		t.Errorf("listed %+v, error %v", list, err)
	}
	if strings.Contains(b.log.String(), made.Secret) {
		t.Error("the log has the secret of the link")
	}
}

// TestDeadLinksAreAlike: what never was, was revoked, has ended or was made for a workspace that is being deleted is said with the
// same words.
func TestDeadLinksAreAlike(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, want := b.Invitation(t.Context(), "nothing", guest.Address)
	wantKind(t, want, domain.NotFound, "a link that never was")
	revoked := b.invite(t, "ada", InvitationWanted{Role: domain.Reader, Days: 1})
	_, err := RevokeInvitation.Do(b.Auth, as(t, "ada"), oneInvitation{revoked.ID})
	must(t, err)
	_, err = RevokeInvitation.Do(b.Auth, as(t, "ada"), oneInvitation{revoked.ID})
	wantKind(t, err, domain.NotFound, "revoked twice")
	must(t, b.Ledger.AddWorkspace(t.Context(), domain.Workspace{ID: "w2", Name: "attic", Title: "Attic"}))
	elsewhere, err := MakeInvitation.Do(b.Auth, domain.WithWorkspace(as(t, "ada"), "w2"), InvitationWanted{Role: domain.Reader, Days: 9})
	must(t, err)
	_, err = RevokeInvitation.Do(b.Auth, as(t, "ada"), oneInvitation{elsewhere.ID})
	wantKind(t, err, domain.NotFound, "revoked from another workspace")
	_, err = b.Ledger.ChangeWorkspace(t.Context(), "w2", func(w *domain.Workspace) error { w.DeleteAt = b.Now(); return nil })
	must(t, err)
	old := b.invite(t, "ada", InvitationWanted{Role: domain.Reader, Days: 1})
	b.clock.at = b.clock.at.AddDate(0, 0, 1)
	for what, secret := range map[string]string{"revoked": revoked.Secret, "of a deleted workspace": elsewhere.Secret, "old": old.Secret, "": ""} {
		if _, err := b.Invitation(t.Context(), secret, guest.Address); err == nil || err.Error() != want.Error() {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
}

// TestNobodyInvitesAboveTheirRole: neither when a link is made nor when it is used.
func TestNobodyInvitesAboveTheirRole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	must(t, b.Add(as(t, ""), "test", "bob", password, domain.Admin))
	for role, want := range map[domain.Role]domain.Kind{domain.Owner: domain.Forbidden, "king": domain.Invalid, domain.Member: domain.Invalid} {
		_, err := MakeInvitation.Do(b.Auth, as(t, "bob"), InvitationWanted{Role: role, Days: 7})
		wantKind(t, err, want, string(role))
	}
	for _, days := range []int{0, -1, MaxInvitationDays + 1} {
		_, err := MakeInvitation.Do(b.Auth, as(t, "bob"), InvitationWanted{Role: domain.Reader, Days: days})
		wantKind(t, err, domain.Invalid, "days")
	}
	b.invite(t, "ada", InvitationWanted{Role: domain.Owner, Days: 7})
	b.invite(t, "clew user", InvitationWanted{Role: domain.Owner, Days: 7}) // with a command
	link := b.invite(t, "bob", InvitationWanted{Role: domain.Curator, Days: 7})
	must(t, b.SetRole(as(t, "ada"), "ada", "bob", domain.Reader))
	_, err := b.Accept(t.Context(), link.Secret, "eve", password, guest)
	wantKind(t, err, domain.NotFound, "a link of a former admin")
	must(t, b.SetRole(as(t, "ada"), "ada", "bob", domain.Admin))
	_, err = b.Accept(t.Context(), link.Secret, "eve", password, guest)
	must(t, err)
	link = b.invite(t, "bob", InvitationWanted{Role: domain.Curator, Days: 7})
	must(t, b.Remove(t.Context(), "ada", "bob"))
	_, err = b.Accept(t.Context(), link.Secret, "mallory", password, guest)
	wantKind(t, err, domain.NotFound, "a link of a removed account")
}

func TestSomebodySignedInJoins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	must(t, b.Add(as(t, ""), "test", "bob", password, domain.Curator))
	bob := ledger.Session{Account: "bob"}
	lower := b.invite(t, "ada", InvitationWanted{Role: domain.Reader, Days: 7})
	_, err := b.Join(t.Context(), lower.Secret, bob, guest.Address)
	wantKind(t, err, domain.Conflict, "a role that he has")
	_, err = b.Invitation(t.Context(), lower.Secret, guest.Address)
	must(t, err) // it was not used up
	higher := b.invite(t, "ada", InvitationWanted{Role: domain.Admin, Days: 7})
	_, err = b.Join(t.Context(), higher.Secret, bob, guest.Address)
	must(t, err)
	if a, err := b.Account(as(t, ""), "bob"); err != nil || a.Role != domain.Admin {
		t.Errorf("bob is %s, error %v", a.Role, err)
	}
	_, err = b.Join(t.Context(), lower.Secret, ledger.Session{Account: "gone"}, guest.Address)
	wantKind(t, err, domain.NotFound, "an account that was removed")
	must(t, b.Ledger.AddWorkspace(t.Context(), domain.Workspace{ID: "w2", Name: "attic", Title: "Attic"}))
	elsewhere, err := MakeInvitation.Do(b.Auth, domain.WithWorkspace(as(t, "ada"), "w2"), InvitationWanted{Role: domain.Reader, Days: 9})
	must(t, err)
	_, err = b.Join(t.Context(), elsewhere.Secret, bob, guest.Address)
	must(t, err)
	if m, err := b.Ledger.Memberships(t.Context(), "bob"); err != nil || len(m) != 2 {
		t.Errorf("bob belongs to %v, error %v", m, err)
	}
}

// TestALinkIsUsedOnce of ten people who use it at once.
func TestALinkIsUsedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	link := b.invite(t, "ada", InvitationWanted{Role: domain.Reader, Days: 7})
	var group sync.WaitGroup
	errs := make([]error, 10)
	for i := range errs {
		group.Go(func() {
			_, errs[i] = b.Accept(t.Context(), link.Secret, "guest"+string(rune('a'+i)), password, guest)
		})
	}
	group.Wait()
	in := 0
	for _, err := range errs {
		if err == nil {
			in++
		} else {
			wantKind(t, err, domain.NotFound, "one who was late")
		}
	}
	if n, err := b.Ledger.CountAccounts(t.Context()); in != 1 || n != 2 || err != nil {
		t.Errorf("%d came in, there are %d accounts, error %v", in, n, err)
	}
}

func TestLinksCanNotBeGuessed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	good := b.invite(t, "ada", InvitationWanted{Role: domain.Reader, Days: 7})
	for range perAddress.burst {
		_, err := b.Invitation(t.Context(), "wrong", guest.Address)
		wantKind(t, err, domain.NotFound, "a guess")
	}
	_, err := b.Invitation(t.Context(), good.Secret, guest.Address)
	wantKind(t, err, domain.TooMany, "after many guesses")
	_, err = b.ResetOf(t.Context(), good.Secret, guest.Address)
	wantKind(t, err, domain.TooMany, "another kind of link")
	_, err = b.Invitation(t.Context(), good.Secret, netip.MustParseAddr("192.0.2.8"))
	must(t, err)
	b.clock.at = b.clock.at.Add(perAddress.pause)
	_, err = b.Invitation(t.Context(), good.Secret, guest.Address)
	must(t, err)
}

func TestInvitationsNeedAnAccount(t *testing.T) {
	t.Parallel()
	_, err := MakeInvitation.Do(empty(t).Auth, as(t, ""), InvitationWanted{Role: domain.Reader, Days: 7})
	wantKind(t, err, domain.Conflict, "an invitation where nobody signs in")
}

func TestAResetLinkSetsAPasswordOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	must(t, b.Add(as(t, ""), "test", "bob", password, domain.Reader))
	old, err := b.SignIn(t.Context(), Attempt{Client: guest, Name: "bob", Password: password})
	must(t, err)
	first, err := Reset.Do(b.Auth, as(t, "ada"), named{"Bob"})
	must(t, err)
	second, err := Reset.Do(b.Auth, as(t, "ada"), named{"bob"})
	must(t, err)
	_, err = b.ResetOf(t.Context(), first.Secret, guest.Address)
	wantKind(t, err, domain.NotFound, "the link before")
	if of, err := b.ResetOf(t.Context(), second.Secret, guest.Address); of != "bob" || err != nil {
		t.Errorf("it is of %q, error %v", of, err)
	}
	_, err = b.ResetPassword(t.Context(), second.Secret, "short", guest.Address)
	wantKind(t, err, domain.Invalid, "a short password")
	_, err = b.ResetPassword(t.Context(), second.Secret, "another long one", guest.Address)
	must(t, err)
	_, err = b.ResetPassword(t.Context(), second.Secret, "a third long one", guest.Address)
	wantKind(t, err, domain.NotFound, "the link once more")
	if _, found, err := b.Session(as(t, ""), old.Token, guest.Address); found || err != nil {
		t.Errorf("the old session lasts: %v, %v", found, err)
	}
	_, err = b.SignIn(t.Context(), Attempt{Client: guest, Name: "bob", Password: "another long one"})
	must(t, err)
	late, err := Reset.Do(b.Auth, as(t, "clew user"), named{"bob"})
	must(t, err)
	b.clock.at = b.clock.at.Add(resetFor)
	_, err = b.ResetPassword(t.Context(), late.Secret, "a fourth long one", guest.Address)
	wantKind(t, err, domain.NotFound, "a day later")
	changed, err := Reset.Do(b.Auth, as(t, "ada"), named{"bob"})
	must(t, err)
	must(t, b.SetPassword(t.Context(), "ada", "bob", password))
	_, err = b.ResetPassword(t.Context(), changed.Secret, "a fifth long one", guest.Address)
	wantKind(t, err, domain.NotFound, "after the password was changed")
	if log := b.log.String(); strings.Contains(log, second.Secret) {
		t.Error("the log has the secret of the link")
	}
}

// TestAdminsHelpOnlyThoseBelow: an admin of one workspace can't take over an owner, or a member of another workspace.
func TestAdminsHelpOnlyThoseBelow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	must(t, b.Ledger.AddWorkspace(t.Context(), domain.Workspace{ID: "w2", Name: "attic", Title: "Attic"}))
	for name, role := range map[string]domain.Role{"bob": domain.Admin, "carl": domain.Reader, "dora": domain.Admin, "emil": domain.Reader} {
		must(t, b.Add(as(t, ""), "test", name, password, role))
	}
	must(t, b.Ledger.SetMember(t.Context(), domain.Membership{Workspace: "w2", Account: "emil", Role: domain.Reader}))
	for name, want := range map[string]domain.Kind{"ada": domain.Forbidden, "emil": domain.Forbidden, "nobody": domain.NotFound} {
		_, err := Reset.Do(b.Auth, as(t, "bob"), named{name})
		wantKind(t, err, want, name)
		_, err = SignOutEverywhere.Do(b.Auth, as(t, "bob"), named{name})
		wantKind(t, err, want, name)
	}
	for _, name := range []string{"carl", "dora"} {
		_, err := Reset.Do(b.Auth, as(t, "bob"), named{name})
		must(t, err)
	}
	in, err := b.SignIn(t.Context(), Attempt{Client: guest, Name: "emil", Password: password})
	must(t, err)
	_, err = SignOutEverywhere.Do(b.Auth, as(t, "ada"), named{"emil"})
	must(t, err)
	if _, found, err := b.Session(as(t, ""), in.Token, guest.Address); found || err != nil {
		t.Errorf("emil is still signed in: %v, %v", found, err)
	}
}

func TestTheFirstPage(t *testing.T) {
	t.Parallel()
	b := empty(t)
	must(t, b.Ledger.SetSetting(t.Context(), domain.DefaultWorkspace, alone, "")) // databases of tests begin with it
	undecided := func(want bool) {
		t.Helper()
		if got, err := b.Undecided(t.Context()); got != want || err != nil {
			t.Errorf("undecided: %v, error %v", got, err)
		}
	}
	undecided(true)
	must(t, b.Alone(t.Context()))
	undecided(false)
	var group sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		group.Go(func() { _, errs[i] = b.Begin(t.Context(), "owner"+string(rune('a'+i)), password, guest) })
	}
	group.Wait()
	in := 0
	for _, err := range errs {
		if err == nil {
			in++
		} else {
			wantKind(t, err, domain.Conflict, "a second first account")
		}
	}
	all, err := b.Accounts(as(t, ""))
	if in != 1 || err != nil || len(all) != 1 || all[0].Role != domain.Owner {
		t.Errorf("%d began, the accounts are %+v, error %v", in, all, err)
	}
	undecided(false)
}
