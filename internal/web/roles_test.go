package web

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/views/link"
)

// TestPagesOfferOnlyWhatTheirReadersMay looks at all links and forms of all pages that each role may see: none leads to a
// refusal.
func TestPagesOfferOnlyWhatTheirReadersMay(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	b.keep(t, "What did the foundry cast?", "bells", "")
	testkit.Must(t, b.Auth.Add(here(t), "", "ada", "correct horse", domain.Owner))
	for _, role := range domain.Roles() {
		name := string(role)
		testkit.Must(t, b.Auth.Add(here(t), "ada", name, "correct horse", role))
		one := b.as(b.another(t, name, "correct horse", "a browser"))
		wrong, seen := map[string]string{}, 0
		for _, path := range append(f.pages(), link.Evaluation, link.KeptQuestions, link.Summaries) {
			p := one.get(t, path)
			if p.status == http.StatusForbidden {
				continue
			}
			seen++
			for _, to := range offers(t, p.body) {
				if operation.CheckRole(role, pageAt(t.Context(), one.server.pages.Load(), Pages(), to[0], to[1]).Role) != nil {
					wrong[strings.Join(to[:], " ")] = path
				}
			}
		}
		for _, to := range slices.Sorted(maps.Keys(wrong)) {
			t.Errorf("%s is shown %s on %s", role, to, wrong[to])
		}
		if seen < 30 {
			t.Errorf("%s saw %d pages", role, seen)
		}
	}
}

// TestChosenDocumentsAreDeletedByCurators: the form of chosen documents does several things, each for its role.
func TestChosenDocumentsAreDeletedByCurators(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	testkit.Must(t, b.Auth.Add(here(t), "", "ada", "correct horse", domain.Owner))
	for _, role := range domain.Roles() {
		name := string(role)
		testkit.Must(t, b.Auth.Add(here(t), "ada", name, "correct horse", role))
		one := b.as(b.another(t, name, "correct horse", "a browser"))
		for act, least := range map[string]domain.Role{"delete": domain.Curator, "tag": domain.Contributor, "again": domain.Contributor, "pause": domain.Contributor} {
			p := one.post(t, link.Chosen, url.Values{"act": {act}, "all": {"1"}})
			if (p.status == http.StatusForbidden) == role.Includes(least) {
				t.Errorf("%s does %s: status %d", role, act, p.status)
			}
		}
	}
}

// TestAdminsManageMembers adds an account to a workspace, changes its role, and removes it, by the page.
func TestAdminsManageMembers(t *testing.T) {
	t.Parallel()
	b := openWithAccount(t)
	for name, role := range map[string]domain.Role{"bob": domain.Admin, "eve": domain.Reader} {
		testkit.Must(t, b.Auth.Add(here(t), "ada", name, "correct horse", role))
	}
	testkit.Must(t, b.Ledger.RemoveMember(t.Context(), testkit.Workspace, "eve"))
	bob, eve := b.as(b.another(t, "bob", "correct horse", phone)), b.as(b.another(t, "eve", "correct horse", phone))
	if p := eve.get(t, link.Documents); p.status != http.StatusNotFound {
		t.Errorf("a stranger: %d", p.status)
	}
	for _, tt := range []struct {
		to     string
		form   url.Values
		status int
	}{
		{link.People, url.Values{"name": {"nobody"}, "role": {"reader"}}, 404},
		{link.People, url.Values{"name": {"eve"}, "role": {"owner"}}, 422},
		{link.People, url.Values{"name": {"bob"}, "role": {"reader"}}, 409},
		{link.People, url.Values{"name": {"eve"}, "role": {"reader"}}, 303},
		{link.MemberRole("eve"), url.Values{"role": {"curator"}}, 303},
		{link.MemberRole("ada"), url.Values{"role": {"reader"}}, 409},
		{link.Delete(link.Member("ada")), nil, 409},
		{link.SetRole("eve"), url.Values{"role": {"owner"}}, 403},
	} {
		if p := bob.post(t, tt.to, tt.form); p.status != tt.status {
			t.Errorf("%s %v: %d, want %d: %s", tt.to, tt.form, p.status, tt.status, p.main(t))
		}
	}
	said := bob.get(t, link.People).main(t)
	if !strings.Contains(said, "3 people") || !strings.Contains(said, "eve") {
		t.Errorf("the page says %s", said)
	}
	if said := bob.get(t, link.With(link.People, "q", "cur")).main(t); strings.Contains(said, "bob you") || !strings.Contains(said, "eve") {
		t.Errorf("of curators the page says %s", said)
	}
	if p := eve.get(t, link.NewEntity); p.status != http.StatusOK {
		t.Errorf("a new curator adds an entity: %d", p.status)
	}
	if p := eve.get(t, link.People); p.status != http.StatusForbidden {
		t.Errorf("a curator sees the members: %d", p.status)
	}
	p := bob.post(t, link.Delete(link.Member("eve")), nil)
	if undo := [2]string{http.MethodPost, link.Restore(link.Member("eve"))}; p.status != http.StatusOK || !slices.Contains(offers(t, p.body), undo) {
		t.Errorf("remove: %d", p.status)
	}
	if p := bob.post(t, link.Restore(link.Member("eve")), nil); p.status != http.StatusSeeOther {
		t.Errorf("undo: %d", p.status)
	}
	if p := eve.get(t, link.NewEntity); p.status != http.StatusOK {
		t.Errorf("who is a curator again adds an entity: %d", p.status)
	}
	bob.post(t, link.Delete(link.Member("eve")), nil)
	if p := eve.get(t, link.Documents); p.status != http.StatusNotFound {
		t.Errorf("who was removed: %d", p.status)
	}
}

// TestAdminsHelpMembersToSignIn makes a link for a new password of a member, and ends its sessions, by the page of members.
func TestAdminsHelpMembersToSignIn(t *testing.T) {
	t.Parallel()
	b := openWithAccount(t)
	for name, role := range map[string]domain.Role{"bob": domain.Admin, "eve": domain.Reader} {
		testkit.Must(t, b.Auth.Add(here(t), "ada", name, "correct horse", role))
	}
	bob, eve := b.as(b.another(t, "bob", "correct horse", phone)), b.as(b.another(t, "eve", "correct horse", phone))
	shown := offers(t, bob.get(t, link.People).body)
	for _, to := range []string{link.MakeReset("eve"), link.EndSessions("eve")} {
		if !slices.Contains(shown, [2]string{http.MethodPost, to}) {
			t.Errorf("People has no form for %s", to)
		}
	}
	if p := bob.post(t, link.MakeReset("eve"), nil); p.status != http.StatusOK || !strings.Contains(p.body, link.Reset("")) || strings.Contains(p.body, `href="`+link.ManageAccount("eve")) {
		t.Errorf("a link for eve: %d %s", p.status, p.main(t))
	}
	if p := bob.post(t, link.EndSessions("eve"), nil); p.status != http.StatusSeeOther || p.header.Get("Location") != link.With(link.People, "done", "sessions") {
		t.Errorf("end eve's sessions: %d to %q", p.status, p.header.Get("Location"))
	}
	if p := eve.get(t, link.Documents); p.status != http.StatusSeeOther {
		t.Errorf("eve is still signed in: %d", p.status)
	}
	for _, to := range []string{link.MakeReset("ada"), link.EndSessions("ada")} {
		if p := bob.post(t, to, nil); p.status != http.StatusForbidden {
			t.Errorf("%s by an admin: %d", to, p.status)
		}
	}
}

// offers returns the methods and addresses of the links and forms of a page.
func offers(t *testing.T, body string) (all [][2]string) {
	t.Helper()
	for _, n := range nodes(t, body, func(n *html.Node) bool { return n.Type == html.ElementNode }) {
		for _, to := range [][2]string{
			{http.MethodGet, attr(n, "href")}, {http.MethodGet, attr(n, "hx-get")}, {http.MethodPost, attr(n, "hx-post")}, {http.MethodGet, attr(n, "data-live")},
			{strings.ToUpper(attr(n, "method")), attr(n, "action")}, {strings.ToUpper(attr(n, "formmethod")), attr(n, "formaction")},
		} {
			if strings.HasPrefix(to[1], "/") && to[0] != "" {
				all = append(all, to)
			}
		}
	}
	return all
}

// TestRunsAreStoppedByTheirMakers: readers stop what they asked, contributors what reads documents, and admins the rest.
func TestRunsAreStoppedByTheirMakers(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	testkit.Must(t, b.Auth.Add(t.Context(), "", "ada", "correct horse", domain.Owner))
	for _, role := range domain.Roles() {
		name := string(role)
		testkit.Must(t, b.Auth.Add(domain.WithWorkspace(t.Context(), testkit.Workspace), "ada", name, "correct horse", role))
		one := b.as(b.another(t, name, "correct horse", "a browser"))
		for of, may := range map[struct{ kind, person string }]bool{
			{documents.Kind, "ada"}: role.Includes(domain.Contributor), {documents.Kind, name}: role.Includes(domain.Contributor),
			{maintenance.CheckKind, "ada"}: role.Includes(domain.Admin), {questions.Kind, name}: true,
		} {
			id := domain.RunID(of.kind + "-" + of.person + "-" + name)
			_, err := b.Queue.Add(domain.WithPerson(t.Context(), of.person), job.Run{Workspace: testkit.Workspace, ID: id, Kind: of.kind, Subject: "gone"})
			testkit.Must(t, err)
			page := one.get(t, link.Run(id))
			if shown := len(nodes(t, page.body, func(n *html.Node) bool { return attr(n, "data-testid") == "stop" })) > 0; page.status != http.StatusOK || shown != may {
				t.Errorf("%s sees %s: status %d, can be stopped %v", role, id, page.status, shown)
			}
			p := one.post(t, link.StopRun(id), nil)
			r, err := b.Queue.Get(t.Context(), testkit.Workspace, id)
			testkit.Must(t, err)
			if (p.status == http.StatusSeeOther) != may || (p.status == http.StatusForbidden) == may || (r.Status == job.Stopped) != may {
				t.Errorf("%s stops %s: status %d, it is %s", role, id, p.status, r.Status)
			}
		}
	}
}
