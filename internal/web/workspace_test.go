package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/workspaces"
	"github.com/clewhq/clew/views/link"
)

// openCounty serves a site with a second workspace, whose addresses its client uses as they are.
func openCounty(t *testing.T) (*bench, domain.Workspace) {
	t.Helper()
	b := open(t, testkit.Options{Idle: true})
	b.client.Transport = &http.Transport{}
	_, err := workspaces.Add.Do(b.workspaces, t.Context(), workspaces.Wanted{Title: "County archive"})
	testkit.Must(t, err)
	county, err := b.workspaces.Find(t.Context(), "county-archive")
	testkit.Must(t, err)
	return b, county
}

func TestAWorkspaceStandsInTheAddress(t *testing.T) {
	t.Parallel()
	b, _ := openCounty(t)
	if p := b.get(t, "/documents?tab=ready"); p.status != http.StatusSeeOther || p.header.Get("Location") != "/w/library/documents?tab=ready" {
		t.Errorf("an old address: %d to %q", p.status, p.header.Get("Location"))
	}
	p := b.get(t, "/w/county-archive/documents")
	if p.status != http.StatusOK || !strings.Contains(p.body, `href="/w/county-archive/ask"`) {
		t.Errorf("status %d: %s", p.status, p.main(t))
	}
	for _, n := range leadsTo(t, p.body) {
		if strings.HasPrefix(n, "/") && !strings.HasPrefix(n, "/w/") && !strings.HasPrefix(n, "/static/") {
			t.Errorf("the page leads out of its workspace, to %s", n)
		}
	}
	if p := b.get(t, "/documents"); p.header.Get("Location") != "/w/county-archive/documents" {
		t.Errorf("the workspace that was opened last is forgotten: to %q", p.header.Get("Location"))
	}
	if p := b.post(t, "/documents/text", url.Values{"name": {"a.txt"}, "text": {"Words."}}); p.status != http.StatusNotFound || !strings.Contains(p.body, "which workspace") {
		t.Errorf("a form without a workspace: %d %s", p.status, p.main(t))
	}
	for _, path := range []string{"/w/nowhere/documents", "/w/%2e%2e/documents", "/w/county-archive%2Fdocuments", "/w/county-archive/w/library/documents"} {
		if p := b.get(t, path); p.status != http.StatusNotFound {
			t.Errorf("GET %s: status %d", path, p.status)
		}
	}
}

// leadsTo returns where a page's links and forms lead.
func leadsTo(t *testing.T, body string) (list []string) {
	t.Helper()
	for _, n := range nodes(t, body, func(*html.Node) bool { return true }) {
		for _, name := range []string{"href", "action", "src", "hx-get", "hx-post", "formaction"} {
			if at := attr(n, name); at != "" {
				list = append(list, at)
			}
		}
	}
	return list
}

func TestWhatIsAddedInOneWorkspaceIsUnknownInTheOther(t *testing.T) {
	t.Parallel()
	b, county := openCounty(t)
	sent, kind := form(t, upload{"levy.txt", "The levy was paid by Ansel Thorne."})
	if p := b.do(t, http.MethodPost, "/w/county-archive/documents", sent, "Content-Type", kind); p.status != http.StatusSeeOther {
		t.Fatalf("upload: status %d: %s", p.status, p.main(t))
	}
	docs, err := b.Ledger.UnsettledDocuments(t.Context(), county.ID, 10)
	if err != nil || len(docs) != 1 {
		t.Fatalf("%d documents, %v", len(docs), err)
	}
	if others := b.documents(t); len(others) > 0 {
		t.Errorf("it is in the library too: %+v", others)
	}
	path := link.Document(docs[0].ID)
	if p := b.get(t, "/w/county-archive"+path); p.status != http.StatusOK {
		t.Errorf("its page: status %d", p.status)
	}
	if p := b.get(t, "/w/library"+path); p.status != http.StatusNotFound {
		t.Errorf("its page in the library: status %d", p.status)
	}
}

func TestStrangersAreToldNothingOfAWorkspace(t *testing.T) {
	t.Parallel()
	b, county := openCounty(t)
	testkit.Must(t, b.Auth.Add(here(t), "", "ada", "correct horse", domain.Owner))
	testkit.Must(t, b.Ledger.AddAccount(t.Context(), county.ID, "bob", "hash", domain.Reader))
	testkit.Must(t, b.Auth.SetPassword(t.Context(), "", "bob", "correct horse"))
	p := b.post(t, "/login", url.Values{"name": {"bob"}, "password": {"correct horse"}, "next": {"/"}})
	if p.status != http.StatusSeeOther {
		t.Fatalf("sign in: status %d", p.status)
	}
	if p := b.get(t, "/"); p.header.Get("Location") != "/w/county-archive/" {
		t.Errorf("bob begins at %q", p.header.Get("Location"))
	}
	hidden, missing := b.get(t, "/w/library/documents"), b.get(t, "/w/nowhere/documents")
	if hidden.status != http.StatusNotFound || told(hidden.main(t)) != told(missing.main(t)) {
		t.Errorf("status %d: %s\nwhere there is none: %s", hidden.status, hidden.main(t), missing.main(t))
	}
	if strings.Contains(hidden.body, "/w/library") || strings.Contains(hidden.body, "/w/county") {
		t.Errorf("the page of an unknown workspace leads into one: %s", hidden.body)
	}
	if p := b.get(t, "/w/county-archive/workspaces"); p.status != http.StatusOK || strings.Contains(p.body, "Library") {
		t.Errorf("status %d: %s", p.status, p.main(t))
	}
	for _, path := range []string{"/workspaces", "/workspaces/county-archive", "/workspaces/county-archive/archive", "/workspaces/county-archive/delete", "/workspaces/library/restore"} {
		if p := b.post(t, "/w/county-archive"+path, url.Values{"title": {"Mine"}}); p.status != http.StatusForbidden {
			t.Errorf("POST %s of a reader: status %d", path, p.status)
		}
	}
	testkit.Must(t, b.Ledger.RemoveMember(t.Context(), county.ID, "bob"))
	if p := b.get(t, "/w/county-archive/documents"); p.status != http.StatusNotFound {
		t.Errorf("after he left: status %d", p.status)
	}
	if p := b.post(t, "/logout", nil); p.status != http.StatusSeeOther {
		t.Errorf("who belongs to no workspace signs out: status %d", p.status)
	}
}

// told returns a page of an error without the names in it.
func told(text string) string {
	text, _, _ = strings.Cut(text, "Request ID")
	return strings.NewReplacer("nowhere", "…", "library", "…").Replace(text)
}

func TestAnArchivedWorkspaceIsOnlyRead(t *testing.T) {
	t.Parallel()
	b, _ := openCounty(t)
	if p := b.post(t, "/w/library/workspaces/county-archive/archive", nil); p.status != http.StatusOK || !strings.Contains(p.body, "is archived") {
		t.Fatalf("archive: status %d: %s", p.status, p.main(t))
	}
	if p := b.get(t, "/w/county-archive/documents"); p.status != http.StatusOK {
		t.Errorf("read: status %d", p.status)
	}
	if p := b.post(t, "/w/county-archive/documents/text", url.Values{"name": {"a.txt"}, "text": {"Words."}}); p.status != http.StatusConflict || !strings.Contains(p.body, "archived") {
		t.Errorf("add: status %d: %s", p.status, p.main(t))
	}
	home := b.get(t, "/w/county-archive/")
	if strings.Contains(home.body, "drop-title") || strings.Contains(home.body, "try-title") || strings.Contains(home.main(t), "<form") || !strings.Contains(home.body, "nothing-here") {
		t.Errorf("the first page offers what is refused: %s", home.main(t))
	}
	for path, hides := range map[string]string{"/documents": `/documents/text"`, "/ask": `data-composer`, "/people": `data-testid="add-member"`, "/graph": `/graph/entities/new`} {
		p := b.get(t, "/w/county-archive"+path)
		if !strings.Contains(p.body, `data-testid="archived"`) || !strings.Contains(p.body, `action="/w/county-archive/workspaces/county-archive/restore"`) || strings.Contains(p.body, hides) {
			t.Errorf("%s shows what is refused: %s", path, p.main(t))
		}
		if open := b.get(t, "/w/library"+path); strings.Contains(open.body, `data-testid="archived"`) {
			t.Errorf("%s of another workspace is marked", path)
		}
	}
	if p := b.post(t, "/w/county-archive/workspaces/county-archive/restore", nil); p.status != http.StatusSeeOther {
		t.Errorf("restore: status %d", p.status)
	}
	if p := b.post(t, "/w/county-archive/documents/text", url.Values{"name": {"a.txt"}, "text": {"Words."}}); p.status != http.StatusSeeOther {
		t.Errorf("add again: status %d: %s", p.status, p.main(t))
	}
}

func TestTheMenuLeadsToOtherWorkspaces(t *testing.T) {
	t.Parallel()
	b, _ := openCounty(t)
	if p := b.get(t, "/w/library/"); !strings.Contains(p.body, `<a href="/w/county-archive/">County archive</a>`) {
		t.Error("the menu lacks the other workspace")
	}
	if p := b.post(t, "/w/library/workspaces", url.Values{"title": {"Museum"}, "about": {"Letters"}}); p.header.Get("Location") != "/w/museum/" {
		t.Errorf("a new workspace: status %d to %q", p.status, p.header.Get("Location"))
	}
	if p := b.post(t, "/w/library/workspaces", url.Values{"title": {"Port"}, "schema_of": {"nowhere"}}); p.status != http.StatusNotFound {
		t.Errorf("like one that is not there: status %d", p.status)
	}
	if p := b.post(t, "/w/library/workspaces", url.Values{"title": {"Museum"}}); p.status != http.StatusConflict || !strings.Contains(p.body, "already a workspace") {
		t.Errorf("twice: status %d: %s", p.status, p.main(t))
	}
	if p := b.post(t, "/w/library/workspaces/museum", url.Values{"title": {""}}); p.status != http.StatusUnprocessableEntity {
		t.Errorf("without a title: status %d", p.status)
	}
	if p := b.post(t, "/w/library/workspaces/museum/delete", nil); p.status != http.StatusOK || !strings.Contains(p.body, "Undo") {
		t.Errorf("delete: status %d", p.status)
	}
	if p := b.get(t, "/w/museum/"); p.status != http.StatusNotFound {
		t.Errorf("deleted: status %d", p.status)
	}
}
