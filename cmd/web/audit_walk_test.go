package main

import (
	"bytes"
	"database/sql"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web"
)

// A journal tells which tables of a library's database were written to.
type journal struct{ db *sql.DB }

// journal begins to watch the tables of a library.
func (sh shell) journal(t *testing.T) journal {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(sh.data, "clew.db")+"?_pragma=busy_timeout(10000)")
	noError(t, err)
	t.Cleanup(func() { noError(t, db.Close()) })
	exec := func(statement string) {
		_, err := db.ExecContext(t.Context(), statement)
		noError(t, err)
	}
	exec(`CREATE TABLE touched (name TEXT)`)
	for _, table := range column(t, db, `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE '%VIRTUAL%' AND name NOT LIKE '%fts%' AND name <> 'touched'`) {
		for _, verb := range []string{"INSERT", "UPDATE", "DELETE"} {
			exec(`CREATE TRIGGER touch_` + table + verb + ` AFTER ` + verb + ` ON ` + table + ` BEGIN INSERT INTO touched VALUES ('` + table + `'); END`)
		}
	}
	return journal{db}
}

// written returns the tables that were written to since it was called last, without those that any use of the library changes.
func (j journal) written(t *testing.T) []string {
	t.Helper()
	names := column(t, j.db, `DELETE FROM touched RETURNING name`)
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		return slices.Contains([]string{"audit", "audit_ends", "sessions", "store_leases", "workers", "sights", "divisions"}, name)
	})
}

// finders are the statements that find what the forms of testdata/forms.txt name.
var finders = map[string]string{
	"doc":          `SELECT id FROM documents WHERE name LIKE 'foundry%' ORDER BY created_at LIMIT 1`,
	"other":        `SELECT id FROM documents WHERE name = 'bridge.md'`,
	"changed":      `SELECT id FROM documents WHERE name = 'changed.txt'`,
	"field":        `SELECT id FROM fields LIMIT 1`,
	"deletion":     `SELECT deletion FROM documents WHERE deletion <> '' LIMIT 1`,
	"rereading":    `SELECT id FROM rereadings LIMIT 1`,
	"token":        `SELECT id FROM tokens LIMIT 1`,
	"conversation": `SELECT id FROM conversations ORDER BY created_at LIMIT 1`,
	"second":       `SELECT id FROM conversations ORDER BY created_at LIMIT 1 OFFSET 1`,
	"message":      `SELECT message_id FROM answers WHERE conversation_id = (SELECT id FROM conversations ORDER BY created_at LIMIT 1) AND message_id <> '' LIMIT 1`,
	"run":          `SELECT run_id FROM answers ORDER BY created_at LIMIT 1`,
	"waiting":      `SELECT id FROM runs WHERE status = 'waiting' AND kind = 'answer' LIMIT 1`,
	"branch":       `SELECT branch_id FROM answers WHERE branch_id <> '' LIMIT 1`,
	"folder":       `SELECT id FROM conversation_folders LIMIT 1`,
	"mine":         `SELECT id FROM conversations WHERE maker = 'ada' LIMIT 1`,
	"copied":       `SELECT id FROM conversations WHERE maker = 'ada' ORDER BY created_at DESC LIMIT 1`,
	"copiedrun":    `SELECT run_id FROM answers WHERE status = 'done' AND conversation_id IN (SELECT id FROM conversations WHERE maker = 'ada') LIMIT 1`,
	"summary":      `SELECT id FROM summaries WHERE kind = '' ORDER BY created_at LIMIT 1`,
	"study":        `SELECT id FROM summaries WHERE kind <> '' ORDER BY created_at LIMIT 1`,
	"item":         `SELECT MIN(position) + 1 FROM summary_lines WHERE front <> ''`,
	"question":     `SELECT id FROM evaluation_questions LIMIT 1`,
	"set":          `SELECT id FROM evaluation_sets ORDER BY created_at DESC LIMIT 1`,
	"evaluation":   `SELECT id FROM evaluations ORDER BY created_at LIMIT 1`,
	"later":        `SELECT id FROM evaluations ORDER BY created_at DESC LIMIT 1`,
	"change":       `SELECT MAX(seq) FROM curations`,
	"pair":         `SELECT id FROM proposals LIMIT 1`,
	"pattern":      `SELECT pattern FROM proposals LIMIT 1`,
	"hook":         `SELECT id FROM webhooks LIMIT 1`,
	"source":       `SELECT id FROM sources LIMIT 1`,
	"delivery":     `SELECT id FROM webhook_deliveries LIMIT 1`,
	"invitation":   `SELECT id FROM invitations LIMIT 1`,
}

// untrailed are the forms that change something and carry out no operation that the trail keeps, with the reason.
var untrailed = map[string]string{
	"POST /account/codes": "nothing holds until the code is confirmed, which is kept",
}

// unsent are the forms that the walk can't send so that something changes, with the reason.
var unsent = map[string]string{
	"POST /setup":                     "there are accounts",
	"POST /login/code":                "it takes a code of an app",
	"POST /account/codes/confirm":     "it takes a code of an app",
	"POST /account/codes/off":         "it takes a code of an app",
	"POST /account/link":              "it takes a provider",
	"POST /workspaces/import":         "it takes a backup, which TestTheTrailKeepsWhatCommandsDo adds",
	"POST /accounts/{name}/codes-off": "it takes an account with an app",
	"POST /runs/{id}/web":             "it takes a web search, which TestTheWebIsALastResort has",
	"POST /summaries/{id}/continue":   "it takes a draft that waits",
	"POST /sources/{id}/settle":       "it takes an item that is gone",
	"POST /research/{id}/continue":    "it takes a plan that waits",
	"POST /research/{id}/delete":      "it takes a research that is over, for which a worker is needed",
	"POST /evaluation/import":         "it takes a file of questions",
	"POST /evaluation/{id}/go-on":     "it takes an evaluation that has stopped, for which a worker is needed",
	"POST /names":                     "it sets a cookie",
}

// TestEveryFormIsInTheTrail sends each form of the pages, and looks into the tables of the library: whatever changes them has
// to be in the trail once, as a known deed of the person, from an address, with the ids that the address names.
func TestEveryFormIsInTheTrail(t *testing.T) {
	t.Parallel()
	sh := newShell(t, "WEB_ALLOW=127.0.0.1")
	w := &formWalk{t: t, ids: sh.someOfAll(t), left: map[string]web.Page{}}
	s, _, _ := sh.env()
	s.noWork = true
	cfg, err := s.load("")
	noError(t, err)
	built(t)
	w.ada = launched(t, cfg, s).person(t)
	w.ada.signsIn(t, "ada", "ada "+canary, http.StatusSeeOther)
	w.journal = sh.journal(t)
	for _, p := range web.Pages() {
		if p.Method == http.MethodPost {
			w.left[p.Path] = p
		}
	}
	lines, err := os.ReadFile("testdata/forms.txt")
	noError(t, err)
	for line := range strings.Lines(string(lines)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			address, fields, _ := strings.Cut(line, " | ")
			w.send(address, fields)
		}
	}
	for _, p := range w.left {
		if unsent[p.Address()] == "" && (len(p.Operations) == 0 || slices.ContainsFunc(p.Operations, func(name string) bool { return rowNamed(name).Trailed() })) {
			t.Errorf("%s was not sent so that something changes: add a line to testdata/forms.txt", p.Address())
		}
	}
}

// A formWalk sends forms one after the other.
type formWalk struct {
	t       *testing.T
	ada     person
	journal journal
	ids     map[string]string   // by what testdata/forms.txt calls them
	left    map[string]web.Page // that were not sent so far, by their paths
}

var aFinder = regexp.MustCompile(`[:$][a-z]+`)

// fill puts ids in the place of their names.
func (w *formWalk) fill(text string) string {
	return aFinder.ReplaceAllStringFunc(text, func(called string) string {
		id, known := w.ids[called[1:]]
		if find := finders[called[1:]]; find != "" {
			id, known = strings.Join(column(w.t, w.journal.db, find), ""), true
		}
		if !known {
			return called
		}
		return id
	})
}

// page returns the page at a path.
func (w *formWalk) page(path string) web.Page {
	parts := strings.Split(path, "/")
	pages := web.Pages()
	i := slices.IndexFunc(pages, func(p web.Page) bool {
		of := strings.Split(p.Path, "/")
		return p.Method == http.MethodPost && slices.EqualFunc(of, parts, func(of, part string) bool { return of == part || strings.HasPrefix(of, ":") })
	})
	if i < 0 {
		w.t.Fatalf("there is no form %s", path)
	}
	return pages[i]
}

var shownLink = regexp.MustCompile(`/(join|reset)/([\w-]{20,})`)

// send sends a form and compares what it changed with what the trail says of it.
func (w *formWalk) send(address, form string) {
	t := w.t
	address = w.fill(address)
	path, _, _ := strings.Cut(address, "?")
	page := w.page(path)
	before := column(t, w.journal.db, `SELECT COALESCE(MAX(seq), 0) FROM audit`)[0]
	w.journal.written(t)
	status, body := w.post(address, form)
	for _, l := range shownLink.FindAllStringSubmatch(body, -1) {
		w.ids[l[1]] = l[2]
	}
	written, said := w.journal.written(t), column(t, w.journal.db, `SELECT action || '|' || person || '|' || address || '|' || thing || ' ' || how || '|' || result FROM audit WHERE seq > `+before+` ORDER BY seq`)
	what := address + " " + form
	if status >= 500 {
		t.Errorf("%s: status %d", what, status)
	}
	if len(written) > 0 || len(said) > 0 && status < 400 {
		delete(w.left, page.Path)
	}
	ask := len(page.Operations) > 0 && !slices.ContainsFunc(page.Operations, func(name string) bool { return rowNamed(name).Trailed() })
	switch {
	case len(said) == 0 && (len(written) == 0 || ask || untrailed[page.Address()] != ""):
		return
	case len(said) == 0:
		t.Errorf("%s: status %d, %v was written, and nothing is in the trail", what, status, written)
	}
	deeds := map[string]bool{}
	for _, line := range said {
		row := strings.Split(line, "|")
		known := slices.ContainsFunc(allRows(), func(r operation.Row[*app]) bool { return r.Name == row[0] })
		known = known || slices.Contains([]string{audit.SignIn, audit.SignOut, audit.Password, audit.EndSessions, audit.Undelete, audit.Accept, audit.Alone}, row[0])
		if !known || deeds[row[0]] || (row[4] == audit.Done) != (status < 400) || row[2] != "127.0.0.1" || row[1] == "" && page.Role != "" {
			t.Errorf("%s: status %d, and the trail says %q", what, status, said)
		}
		deeds[row[0]] = true
		for part := range strings.SplitSeq(path, "/") {
			if operation.IsID(part) && !strings.Contains(row[3], part) {
				t.Errorf("%s: %s is not in %q", what, part, said)
			}
		}
		if strings.Contains(line, "bells") || strings.Contains(line, "Ferring") {
			t.Errorf("%s: the trail has words: %s", what, line)
		}
	}
}

// post sends a form with files, if it names any.
func (w *formWalk) post(address, form string) (int, string) {
	fields, err := url.ParseQuery(w.fill(strings.ReplaceAll(form, "%24", "$")))
	noError(w.t, err)
	name := fields.Get("files")
	if name == "" {
		return w.ada.do(w.t, library(address), fields)
	}
	var b bytes.Buffer
	files := multipart.NewWriter(&b)
	part, err := files.CreateFormFile("files", name)
	noError(w.t, err)
	_, err = io.WriteString(part, "Ida Marsh rang the bells of "+name)
	noError(w.t, errors.Join(err, files.Close()))
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.ada.url+library(address), &b)
	noError(w.t, err)
	r.Header.Set("Content-Type", files.FormDataContentType())
	answer, err := w.ada.client.Do(r)
	noError(w.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	noError(w.t, err)
	return answer.StatusCode, string(text)
}

// someOfAll fills a library with something of all that forms are about, and returns ids of it.
func (sh shell) someOfAll(t *testing.T) map[string]string {
	t.Helper()
	sh.stdin = "ada " + canary + "\n"
	sh.must(t, "user", "add", "ada")
	sh.stdin = "bob " + canary + "\n"
	sh.must(t, "user", "add", "bob", "--role", "reader")
	sh.stdin = ""
	a, b := letters(t)
	dir := t.TempDir()
	sh.must(t, "ingest", a, b, file(t, dir, "changed.txt", "Ida Marsh taught at Carrow."),
		file(t, dir, "names.txt", "Agnes Lovibond founded the Velm Office. Agnes Lovibond met Otto Marl."), file(t, dir, "more.txt", "A. Lovibond taught in Osterby. A. Lovibond knew nobody."))
	sh.must(t, "ingest", file(t, dir, "changed.txt", "Ida Marsh taught at Carrow. Ida Marsh lived in Velm."))
	sh.must(t, "ask", "Who founded the Carrow Foundry?")
	sh.must(t, "ask", "Who built the Velm Bridge?")
	sh.must(t, "summarize", "bridge.md")
	sh.must(t, "study", "cards", "--all")
	sh.must(t, "eval", "questions", "add", "Who founded the Carrow Foundry?")
	sh.must(t, "eval", "questions", "run")
	sh.must(t, "entities", "resolve")
	entity := func(name string) string { return value(t, sh.must(t, "entities", "list", name, "--json"), 0, "id") }
	relation := value(t, sh.must(t, "entities", "show", "Maud Ferring", "--json"), "relations", 0, "id")
	return map[string]string{"entity": entity("Maud Ferring"), "another": entity("Tobias Quennell"), "third": entity("Osterby"), "relation": relation, "prompt": url.QueryEscape(sh.must(t, "prompts", "show", "condense") + "\n")}
}

// byHand are the commands that are written by hand, and what of them is in the trail: the operation that they carry out, or
// why there is nothing.
var byHand = map[string]string{
	"":                 "it serves; who asks it is recorded",
	"serve":            "it serves; who asks it is recorded",
	"work":             "it carries out what was asked for elsewhere",
	"mcp":              "its tools are operations",
	"ask":              "questions are not in the trail",
	"health":           "it looks",
	"doctor":           "it looks",
	"docs":             "it prints",
	"version":          "it prints",
	"graph":            "it prints",
	"confine":          "it becomes another program",
	"parser":           "it reads what another process hands it",
	"model fetch":      "it fetches files that the whole machine shares, before there may be a library",
	"model offered":    "it asks a server, and nothing is kept",
	"eval questions":   "questions are not in the trail",
	"run replay":       "questions are not in the trail",
	"ingest":           "ingest",
	"watch":            "ingest, documents rename, documents delete",
	"summarize":        "summarize",
	"documents schema": "documents schema",
	"model connect":    "model connect",
	"model again":      "model again",
	"schema apply":     "schema apply",
	"schema edit":      "schema set",
	"backup":           "backup",
	"restore":          "restore",
	"fsck":             "fsck",
	"rebuild":          "rebuild",
}

// TestCommandsByHandAreKnown finds the commands that carry out no operation by themselves: of each it has to be known what the
// trail says of it.
func TestCommandsByHandAreKnown(t *testing.T) {
	t.Parallel()
	s, _, _ := newShellWithoutData(t).env()
	made := map[string]bool{}
	for _, row := range allRows() {
		made[row.Name] = !row.Own
	}
	found := map[string]bool{}
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		name := strings.TrimSpace(strings.TrimPrefix(c.CommandPath(), "clew"))
		if does(c) && !made[name] {
			found[name] = true
			if byHand[name] == "" {
				t.Errorf("clew %s is written by hand: record what it does, and say so in the list", name)
			}
		}
		for _, below := range c.Commands() {
			look(below)
		}
	}
	look(program(s))
	for name := range byHand {
		if !found[name] {
			t.Errorf("clew %s is in the list and is not written by hand", name)
		}
	}
}
