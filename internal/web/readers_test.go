package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// peopled has ada, an owner, owen, a curator in no group, and iris, a reader in the group board.
func peopled(t *testing.T) (ada, owen, iris *bench) {
	t.Helper()
	b := open(t, testkit.Options{Idle: true})
	var people []*bench
	for _, one := range []struct {
		name string
		role domain.Role
	}{{"ada", domain.Owner}, {"owen", domain.Curator}, {"iris", domain.Reader}} {
		testkit.Must(t, b.Auth.Add(t.Context(), "", one.name, "correct horse", one.role))
		testkit.Must(t, b.Ledger.SetMember(t.Context(), domain.Membership{Workspace: testkit.Workspace, Account: one.name, Role: one.role}))
		people = append(people, b.as(b.another(t, one.name, "correct horse", "a browser")))
	}
	_, err := auth.SetGroups.Do(b.Auth, t.Context(), auth.Grouping{Name: "iris", Groups: []string{"board"}})
	testkit.Must(t, err)
	return people[0], people[1], people[2]
}

// seesDocument checks whether pages tell somebody of a document.
func (b *bench) seesDocument(t *testing.T, when string, d domain.Document, want bool) {
	t.Helper()
	status := map[bool]int{true: http.StatusOK, false: http.StatusNotFound}[want]
	for _, path := range []string{link.Document(d.ID), link.Original(d.ID), link.Chunks(d.ID), link.Cited(d.ID)} {
		if p := b.get(t, path); p.status != status {
			t.Errorf("%s: %s answers %d, want %d", when, path, p.status, status)
		}
	}
	word, _, _ := strings.Cut(d.Name, ".")
	for _, path := range []string{link.Documents, link.With(link.Documents, "q", word), link.AskIn(domain.Scope{Documents: []domain.DocumentID{d.ID}}), link.With(link.Within, "q", word)} {
		p := b.get(t, path)
		if path != link.Documents {
			p.body = strings.ReplaceAll(p.body, `value="`+word+`"`, "")
		}
		if strings.Contains(p.body, d.Name) != want {
			t.Errorf("%s: %s has the name %s: %v, want %v", when, path, d.Name, !want, want)
		}
	}
	if found := b.found(t, word); strings.Contains(found, d.Name) != want {
		t.Errorf("%s: the palette finds %s", when, found)
	}
	n := map[bool]string{true: "2 documents", false: "1 document"}[want]
	for _, path := range []string{link.Documents, link.Home} {
		if said := b.get(t, path).main(t); !strings.Contains(said, n) {
			t.Errorf("%s: %s does not say %q: %s", when, path, n, said)
		}
	}
}

// TestDocumentsAreLimitedOnTheirPages limits a document as it is added, on its page, and in the list.
func TestDocumentsAreLimitedOnTheirPages(t *testing.T) {
	t.Parallel()
	ada, owen, iris := peopled(t)
	if p := owen.post(t, link.PasteText, url.Values{"name": {"bridge"}, "text": {"Aldous Penn built the Osterby Bridge."}}); p.status != http.StatusSeeOther {
		t.Fatalf("owen adds: %d %s", p.status, p.main(t))
	}
	if p := ada.post(t, link.PasteText, url.Values{"name": {"payroll"}, "text": {"Penn was paid nine shillings."}, "limit_to": {"nobody"}}); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, "nobody is not a member") {
		t.Errorf("limited to a stranger: %d", p.status)
	}
	p := ada.sendCut(t, link.Documents, map[string]string{"limit_to": "ada"}, "payroll.txt", "Penn was paid nine shillings.")
	if p.status != http.StatusSeeOther {
		t.Fatalf("ada adds: %d %s", p.status, p.main(t))
	}
	docs := ada.documents(t)
	d := docs[slices.IndexFunc(docs, func(d domain.Document) bool { return d.Name == "payroll.txt" })]
	bridge := docs[slices.IndexFunc(docs, func(d domain.Document) bool { return d.Name == "bridge.txt" })]
	page := link.Document(d.ID)

	ada.seesDocument(t, "added for ada", d, true)
	owen.seesDocument(t, "added for ada", d, false)
	iris.seesDocument(t, "added for ada", d, false)
	for to, form := range map[string]url.Values{link.LimitDocument(d.ID): {"to": {"owen"}}, link.UnlimitDocument(d.ID): nil} {
		if p := owen.post(t, to, form); p.status != http.StatusNotFound {
			t.Errorf("owen changes who reads what is hidden from him: %s %d %s", to, p.status, p.main(t))
		}
	}
	if n := strings.Count(ada.get(t, link.Documents).body, `data-testid="limited"`); n != 1 {
		t.Errorf("%d documents are marked as limited", n)
	}

	if p := ada.post(t, link.LimitDocument(d.ID), url.Values{"to": {"group:board"}}); p.status != http.StatusSeeOther {
		t.Errorf("limit it to a group: %d %s", p.status, p.main(t))
	}
	iris.seesDocument(t, "limited to the board", d, true)
	owen.seesDocument(t, "limited to the board", d, false)
	if body := ada.get(t, page).body; !strings.Contains(body, "limited to ada, group:board") || !strings.Contains(body, `data-testid="unlimit"`) {
		t.Error("its page does not say to whom it is limited")
	}
	if body := iris.get(t, page).body; !strings.Contains(body, "Limited: not every member") || strings.Contains(body, "group:board") || strings.Contains(body, link.LimitDocument(d.ID)) {
		t.Error("a reader sees more than that it is limited")
	}

	if p := ada.post(t, link.UnlimitDocument(d.ID), nil); p.status != http.StatusSeeOther {
		t.Errorf("unlimit it: %d", p.status)
	}
	owen.seesDocument(t, "no longer limited", d, true)
	if strings.Contains(owen.get(t, page).body, `data-testid="readers"`) {
		t.Error("who did not add it is asked who may read it")
	}
	if p := owen.post(t, link.LimitDocument(d.ID), url.Values{"to": {"owen"}}); p.status != http.StatusForbidden {
		t.Errorf("owen limits what ada added: %d", p.status)
	}

	both := url.Values{"act": {"limit"}, "document": {string(d.ID), string(bridge.ID)}, "who": {"chosen"}, "to": {"iris"}}
	if p := owen.post(t, link.Chosen, both); p.status != http.StatusForbidden {
		t.Errorf("owen limits both: %d", p.status)
	}
	owen.seesDocument(t, "refused", d, true)
	if body := ada.get(t, link.Chosen+"?"+both.Encode()).body; !strings.Contains(body, "Who may read 2 documents?") || !strings.Contains(body, `value="group:board"`) {
		t.Error("the page does not ask who may read both")
	}
	both["document"] = []string{string(d.ID)}
	if p := ada.post(t, link.Chosen, both); p.status != http.StatusSeeOther {
		t.Errorf("limit the chosen: %d %s", p.status, p.main(t))
	}
	owen.seesDocument(t, "limited in the list", d, false)
	iris.seesDocument(t, "limited in the list", d, true)
	both.Set("who", "everybody")
	if p := ada.post(t, link.Chosen, both); p.status != http.StatusSeeOther {
		t.Errorf("unlimit the chosen: %d", p.status)
	}
	owen.seesDocument(t, "unlimited in the list", d, true)

	// An admin limits what somebody else added, and no longer sees it.
	if p := ada.post(t, link.LimitDocument(bridge.ID), url.Values{"to": {"iris"}}); p.status != http.StatusSeeOther || !strings.HasPrefix(p.header.Get("Location"), link.Documents+"?") {
		t.Errorf("limit it to others: %d %s", p.status, p.header.Get("Location"))
	}
	ada.seesDocument(t, "limited to others", bridge, false)
	owen.seesDocument(t, "limited to others", bridge, true)
	if p := owen.post(t, link.UnlimitDocument(bridge.ID), nil); p.status != http.StatusSeeOther {
		t.Errorf("owen unlimits what he added: %d", p.status)
	}
	ada.seesDocument(t, "unlimited by its adder", bridge, true)
}
