package web

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// varying is what differs between two pages about nothing: the request's id and the keys of forms.
var varying = regexp.MustCompile(`[0-9a-f]{16,}|name="form_key" value="[^"]*"|\d+ ms`)

// theirs returns ids of what is in the library, a few for each name of a parameter.
func (b *bench) theirs(t *testing.T, f fixture) map[string][]string {
	t.Helper()
	chunks, err := b.Ledger.Chunks(t.Context(), testkit.Workspace, f.doc.ID)
	testkit.Must(t, err)
	column := func(query string) (all []string) {
		rows, err := b.DB.Reader.QueryContext(t.Context(), query, testkit.Workspace)
		testkit.Must(t, err)
		defer rows.Close()
		for rows.Next() {
			var one string
			testkit.Must(t, rows.Scan(&one))
			all = append(all, one)
		}
		testkit.Must(t, rows.Err())
		return all
	}
	id := slices.Concat([]string{string(f.doc.ID), string(chunks[0].ID), string(f.message.Conversation), string(f.message.Run), string(f.doc.Run), string(f.branch.Branch), string(f.entity), "v1", "s01"},
		column(`SELECT id FROM evaluation_questions WHERE workspace_id = ? LIMIT 1`), column(`SELECT id FROM webhooks WHERE workspace_id = ? LIMIT 1`))
	return map[string][]string{"id": id, "message": {string(f.message.Message)}, "delivery": {"msg_1"}, "relation": {"r1"}, "other": {string(f.entity)}, "": {"1"}}
}

// counted returns how many rows each table has of the library, and their runs' states.
func (b *bench) counted(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	tables, err := b.DB.Reader.QueryContext(t.Context(), `SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'workspace_id' ORDER BY m.name`)
	testkit.Must(t, err)
	defer tables.Close()
	var names []string
	for tables.Next() {
		var name string
		testkit.Must(t, tables.Scan(&name))
		names = append(names, name)
	}
	testkit.Must(t, tables.Err())
	count := func(query string) {
		var n sql.NullString
		testkit.Must(t, b.DB.Reader.QueryRowContext(t.Context(), query, testkit.Workspace).Scan(&n))
		fmt.Fprintf(&all, "%s: %s\n", query, n.String)
	}
	for _, name := range names {
		count(`SELECT COUNT(*) FROM ` + name + ` WHERE workspace_id = ?`)
	}
	count(`SELECT GROUP_CONCAT(id || status || stop_asked) FROM (SELECT * FROM runs WHERE workspace_id = ? ORDER BY id)`)
	count(`SELECT GROUP_CONCAT(id || name || delete_at) FROM (SELECT * FROM documents WHERE workspace_id = ? ORDER BY id)`)
	count(`SELECT GROUP_CONCAT(id || title || pinned || delete_at) FROM (SELECT * FROM conversations WHERE workspace_id = ? ORDER BY id)`)
	return all.String()
}

// TestPagesOfOtherWorkspacesAreUnknown asks each page and sends each form, as the admin of one workspace, for what is in
// another: the answer is that for an id that never was, from as many statements, and nothing is changed.
func TestPagesOfOtherWorkspacesAreUnknown(t *testing.T) {
	t.Parallel()
	var asked testkit.Statements
	b := open(t, testkit.Options{Idle: true, Statements: &asked})
	var f fixture
	t.Run("fill", func(t *testing.T) {
		b.Start(t)
		f = b.fill(t)
	})
	b.addConversation(t, 1, f.doc)
	b.keep(t, "What is cast?", "", "a.txt")
	b.addEvaluation(t, "v1", "right")
	theirs := b.theirs(t, f)
	county := b.besides(t, domain.Admin)
	b.client.Transport = &http.Transport{}
	if p := b.post(t, "/login", url.Values{"name": {"bob"}, "password": {"correct horse"}, "next": {"/"}}); p.status != http.StatusSeeOther {
		t.Fatalf("sign in: status %d", p.status)
	}
	b.get(t, "/w/"+county.Name+"/") // which is remembered
	before, sent := b.counted(t), 0
	ask := func(method, base, path string) (reply, int) {
		_, err := b.workspaces.All(t.Context()) // which is read once a second, and the prices too
		testkit.Must(t, err)
		_, err = b.Costs.Prices.Table(t.Context())
		testkit.Must(t, err)
		asked.Take()
		var p reply
		if method == http.MethodPost {
			p = b.post(t, base+path, url.Values{"name": {"X"}, "title": {"X"}, "text": {"X"}, "question": {"X"}, "label": {"Person"}, "type": {"KNOWS"}, "key": {"x"}, "value": {"x"}, "tags": {"x"}, "verdict": {"right"}, "judgement": {"good"}, "with": theirs["other"], "purpose": {"again"}})
		} else {
			p = b.get(t, base+path)
		}
		return p, len(asked.Take())
	}
	both := func(method, base, path, otherBase, otherPath string) (one reply, statements int, other reply, others int) {
		for range 4 { // something that is read now and then may fall into one of them
			one, statements = ask(method, base, path)
			if other, others = ask(method, otherBase, otherPath); statements == others {
				break
			}
		}
		return one, statements, other, others
	}
	same := func(what string, one, other reply, statements, others int) {
		t.Helper()
		sent++
		if one.status != other.status || one.header.Get("Location") != other.header.Get("Location") || varying.ReplaceAllString(one.body, "…") != varying.ReplaceAllString(other.body, "…") {
			t.Errorf("%s: status %d to %q, where there is nothing %d to %q:\n%.400s\n%.400s", what, one.status, one.header.Get("Location"), other.status, other.header.Get("Location"), one.main(t), other.main(t))
		}
		if statements != others {
			t.Errorf("%s: %d statements, where there is nothing %d", what, statements, others)
		}
		if strings.Contains(one.body, "Carrow") || strings.Contains(one.body, "Lovibond") {
			t.Errorf("%s tells their words: %.400s", what, one.main(t))
		}
	}
	for _, page := range Pages() {
		if link.Under("library", page.Path) == page.Path || strings.HasPrefix(page.Path, "/accounts/") || strings.HasPrefix(page.Path, "/workspaces/") {
			continue
		}
		for _, id := range theirs["id"] {
			real, made := page.Path, page.Path
			for part := range strings.SplitSeq(page.Path, "/") {
				name, ok := strings.CutPrefix(part, ":")
				if !ok {
					continue
				}
				of := id
				if name != "id" {
					of = slices.Concat(theirs[name], theirs[""])[0]
				}
				real = strings.Replace(real, part, of, 1)
				made = strings.Replace(made, part, madeUp(of), 1)
			}
			if real == page.Path {
				break // it names nothing
			}
			one, statements, other, others := both(page.Method, "/w/"+county.Name, real, "/w/"+county.Name, made)
			one.body, other.body = strings.ReplaceAll(one.body, id, "…"), strings.ReplaceAll(other.body, madeUp(id), "…")
			same(page.Method+" "+real, one, other, statements, others)
		}
		if strings.Contains(page.Path, ":") {
			continue
		}
		one, statements, other, others := both(page.Method, "/w/library", page.Path, "/w/nowhere", page.Path)
		one.body, other.body = told(one.body), told(other.body)
		if one.status != http.StatusNotFound {
			t.Errorf("%s %s of a stranger: status %d", page.Method, page.Path, one.status)
		}
		same(page.Method+" /w/library"+page.Path, one, other, statements, others)
	}
	if after := b.counted(t); after != before {
		t.Errorf("what is theirs has changed:\n%s\nwas\n%s", after, before)
	}
	if sent < 300 {
		t.Errorf("only %d requests were sent", sent)
	}
}

// madeUp returns an id like another one that nothing has.
func madeUp(id string) string {
	if len(id) < 8 {
		return id
	}
	return id[:len(id)-4] + "0000"
}

// besides makes a workspace beside the library, of which bob is a member.
func (b *bench) besides(t *testing.T, role domain.Role) domain.Workspace {
	t.Helper()
	county := domain.Workspace{ID: "w0123456789abcdef0123", Name: "county-archive", Title: "County archive"}
	testkit.Must(t, b.Ledger.AddWorkspace(t.Context(), county))
	testkit.Must(t, b.Auth.Add(here(t), "", "ada", "correct horse", domain.Owner))
	testkit.Must(t, b.Ledger.AddAccount(t.Context(), county.ID, "bob", "hash", role))
	testkit.Must(t, b.Auth.SetPassword(t.Context(), "", "bob", "correct horse"))
	return county
}
