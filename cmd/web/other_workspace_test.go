package main

import (
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web/api"
	"github.com/clewhq/clew/internal/web/mcp"
)

// TestOtherWorkspacesAreUnknown fills a library, makes it that of another workspace, and asks every route of the API for what
// is in it with a token of the first: nothing is found, told or changed.
func TestOtherWorkspacesAreUnknown(t *testing.T) {
	t.Parallel()
	sh := newShell(t, "WEB_ALLOW=127.0.0.1")
	const secretWord = "Ferring"
	sh.must(t, "ingest", file(t, t.TempDir(), "foundry.txt", "Maud Ferring founded the Carrow Foundry in 1871. Ida Ferring rang its bells."))
	sh.must(t, "ask", "Who founded the Carrow Foundry?")
	sh.must(t, "summarize", "foundry.txt")
	sh.must(t, "entities", "rename", "Ida Ferring", "Ida Q. Ferring")
	sh.must(t, "eval", "questions", "add", "Who rang the bells of Ferring?")
	sh.must(t, "eval", "questions", "run")
	sh.must(t, "documents", "tag", "foundry.txt", "--add", "ferring")
	sh.must(t, "webhook", "add", "http://127.0.0.1:9/ferring")
	entity := value(t, sh.must(t, "entities", "list", "Maud", "--json"), 0, "id")
	db, err := sql.Open("sqlite", filepath.Join(sh.data, "clew.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tables := column(t, db, `SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'workspace_id' ORDER BY m.name`)
	ids := append(theirs(t, db), entity)
	for _, table := range tables {
		if _, err := db.ExecContext(t.Context(), `UPDATE `+table+` SET workspace_id = 'other' WHERE workspace_id = 'default'`); err != nil { //nolint:gosec // of the schema
			t.Fatalf("%s: %v", table, err)
		}
	}
	for _, statement := range []string{`INSERT INTO workspaces (id, head) SELECT 'other', head FROM workspaces WHERE id = 'default'`, `UPDATE workspaces SET head = 0 WHERE id = 'default'`} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	sh.must(t, "rebuild", "--take-over")
	secret, _, _ := strings.Cut(sh.must(t, "token", "create", "here", "--preset", "everything"), "\n")
	s := sh.serve(t)
	send := func(method, path, body string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, s.url+api.Root+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+secret)
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	before, asked := rowsOf(t, db, tables), 0
	routesByID(func(row operation.Row[*app], r operation.Route, at func(id string) string) {
		for _, id := range ids {
			asked++
			status, body := send(r.Method, at(id), filledIn(row))
			other, nothing := send(r.Method, at(neverWas(id)), filledIn(row))
			if status != other || bare(body, id) != bare(nothing, neverWas(id)) {
				t.Errorf("%s %s of %s: status %d, %.300s\nof what never was: %d, %.300s", r.Method, r.Path, id, status, body, other, nothing)
			}
			if status < 400 && !silent(body) || status >= 500 || strings.Contains(strings.ReplaceAll(body, id, ""), secretWord) {
				t.Errorf("%s %s of %s: status %d, %.300s", r.Method, r.Path, id, status, body)
			}
		}
	})
	for _, id := range ids {
		for _, of := range []string{"GET /runs/ID/events", "GET /documents/ID/events", "POST /ask/stream"} {
			method, path, _ := strings.Cut(of, " ")
			ask := func(id string) (int, string) {
				return send(method, strings.ReplaceAll(path, "ID", id), `{"question":"Who founded it?","conversation":"`+id+`"}`)
			}
			status, body := ask(id)
			other, nothing := ask(neverWas(id))
			if status != http.StatusNotFound || other != status || bare(body, id) != bare(nothing, neverWas(id)) {
				t.Errorf("the stream %s of %s: status %d, %.300s\nof what never was: %d, %.300s", of, id, status, body, other, nothing)
			}
		}
	}
	asTools(t, s.url, secret, ids, secretWord)
	sh.asCommands(t, ids, secretWord)
	for _, path := range []string{"/documents?limit=200", "/entities", "/runs", "/conversations", "/changes", "/review", "/summaries", "/evaluation/questions", "/evaluation/runs", "/webhooks", "/feedback", "/themes", "/usage/runs", "/search", "/tokens"} {
		method, body := http.MethodGet, ""
		if path == "/search" {
			method, body = http.MethodPost, `{"question":"Who founded the Carrow Foundry?"}`
		}
		if status, text := send(method, path, body); status >= 500 || strings.Contains(text, secretWord) {
			t.Errorf("%s: status %d, %.300s", path, status, text)
		}
	}
	makesTheirOwn(t, s.url, secret, ids[0], secretWord)
	if after := rowsOf(t, db, tables); !slices.Equal(after, before) {
		t.Errorf("what is theirs has changed:\n%v\nwas\n%v", after, before)
	}
	if asked < 200 {
		t.Errorf("only %d requests were sent", asked)
	}
}

// routesByID calls f for each route of an operation that names things by their ids. at returns its path with an id in place of all
// names.
func routesByID(f func(row operation.Row[*app], r operation.Route, at func(id string) string)) {
	name := regexp.MustCompile(`{[^}]*}`)
	for _, row := range allRows() {
		for _, text := range row.Routes {
			if r := operation.ParseRoute(text); byID(r) {
				f(row, r, func(id string) string { return name.ReplaceAllString(r.Path, id) })
			}
		}
	}
}

// neverWas returns an id like another one that nothing has.
func neverWas(id string) string { return id[:len(id)-4] + "0000" }

// bare returns an answer without an id, and without what differs from request to request.
func bare(answer, id string) string {
	return regexp.MustCompile(`"(instance|request|request_id)":"[^"]*"`).ReplaceAllString(strings.ReplaceAll(answer, id, "…"), "")
}

// asTools calls each tool of models for what is in the other workspace: they say what they say of what never was.
func asTools(t *testing.T, url, secret string, ids []string, secretWord string) {
	t.Helper()
	c := connect(t, &sdk.StreamableClientTransport{Endpoint: url + mcp.Path, HTTPClient: &http.Client{Transport: withToken{secret}}, DisableStandaloneSSE: true})
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	said := func(tool *sdk.Tool, id string) string {
		fields := map[string]any{}
		schema, _ := tool.InputSchema.(map[string]any)
		needed, _ := schema["required"].([]any)
		for _, name := range needed {
			fields[fmt.Sprint(name)] = id
		}
		out, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool.Name, Arguments: fields})
		return bare(fmt.Sprint(asText(out), err), id)
	}
	for _, tool := range list.Tools {
		if tool.Name == "ask" || tool.Name == "add_document" { // what they make differs, see makesTheirOwn
			continue
		}
		for _, id := range ids {
			if theirs, nothing := said(tool, id), said(tool, neverWas(id)); theirs != nothing || strings.Contains(theirs, secretWord) {
				t.Errorf("the tool %s of %s: %.300s\nof what never was: %.300s", tool.Name, id, theirs, nothing)
			}
		}
	}
}

// makesTheirOwn calls the MCP tools that make something: it asks about a document of the other workspace, and adds the same document,
// which is new here.
func makesTheirOwn(t *testing.T, url, secret, document, secretWord string) {
	t.Helper()
	c := connect(t, &sdk.StreamableClientTransport{Endpoint: url + mcp.Path, HTTPClient: &http.Client{Transport: withToken{secret}}, DisableStandaloneSSE: true})
	call := func(tool string, fields map[string]any) string {
		out, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: fields})
		return fmt.Sprint(asText(out), err)
	}
	for _, within := range []string{"", "doc:" + document, "doc:" + neverWas(document)} {
		fields := map[string]any{"question": "Who founded the Carrow Foundry?"}
		if within != "" {
			fields["within"] = []string{within}
		}
		if said := call("ask", fields); strings.Contains(said, secretWord) || within != "" && !strings.Contains(said, "no document") {
			t.Errorf("ask within %q: %.300s", within, said)
		}
	}
	added := call("add_document", map[string]any{"name": "foundry.txt", "text": "Maud Ferring founded the Carrow Foundry in 1871. Ida Ferring rang its bells."})
	if run := regexp.MustCompile(`run[0-9a-f]{24}`).FindString(added); run == "" || !strings.Contains(added, "ready") {
		t.Errorf("add_document of what is there: %.300s", added)
	}
}

// asCommands runs the commands that take an id with ids of the other workspace. Each has to answer as for an id that does not exist.
func (sh shell) asCommands(t *testing.T, ids []string, secretWord string) {
	t.Helper()
	ran := 0
	for _, o := range offers() {
		for _, row := range o.rows {
			if !slices.ContainsFunc(row.Routes, func(text string) bool { return byID(operation.ParseRoute(text)) }) {
				continue
			}
			for _, f := range operation.Fields(row.In) {
				if f.Arg == "" || f.File != "" || f.To || !f.Needed {
					continue
				}
				said := func(id string) string {
					s, out, _ := sh.env()
					root := program(s)
					args := strings.Fields(row.Name)
					for _, f := range operation.Fields(row.In) {
						if f.Arg != "" && f.Needed {
							args = append(args, id)
						}
					}
					root.SetArgs(args)
					err := root.ExecuteContext(t.Context())
					if err == nil {
						return bare(out.String(), id)
					}
					return bare(out.String()+domain.InWords(err), id)
				}
				for _, id := range ids[:2] {
					ran++
					if theirs, nothing := said(id), said(neverWas(id)); theirs != nothing || strings.Contains(theirs, secretWord) {
						t.Errorf("clew %s %s: %.300s\nof what never was: %.300s", row.Name, id, theirs, nothing)
					}
				}
				break
			}
		}
	}
	if ran < 20 {
		t.Errorf("only %d commands were run", ran)
	}
}

// byID reports whether a route names things by random or derived ids, and not by words that every workspace may have.
func byID(r operation.Route) bool {
	return len(r.Names) > 0 && !slices.ContainsFunc([]string{"/users/", "/models/", "/prices/", "/prompts/", "/settings/", "/schema/"}, func(of string) bool { return strings.HasPrefix(r.Path, of) })
}

// silent reports whether an answer tells of nothing: an empty list, or nothing at all.
func silent(body string) bool { return body == "" || strings.Contains(body, `"items":[]`) }

// filledIn returns a body with a value for each field that an operation needs.
func filledIn(row operation.Row[*app]) string {
	var fields []string
	for _, f := range operation.Fields(row.In) {
		if f.Needed && f.Type.Kind().String() == "string" {
			fields = append(fields, fmt.Sprintf("%q:%q", f.Name, "x"))
		}
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// theirs returns an id of each kind of thing.
func theirs(t *testing.T, db *sql.DB) (ids []string) {
	t.Helper()
	for _, table := range []string{"documents", "chunks", "conversations", "runs", "summaries", "evaluation_questions", "evaluations", "webhooks"} {
		found := column(t, db, `SELECT id FROM `+table+` WHERE workspace_id = 'default' ORDER BY id LIMIT 1`) //nolint:gosec // as above
		if len(found) == 0 {
			t.Errorf("there is nothing in %s", table)
		}
		ids = append(ids, found...)
	}
	return ids
}

func column(t *testing.T, db *sql.DB, query string) (all []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// rowsOf counts what the other workspace has in each table.
func rowsOf(t *testing.T, db *sql.DB, tables []string) (counts []string) {
	t.Helper()
	for _, table := range tables {
		counts = append(counts, table+" "+strings.Join(column(t, db, `SELECT COUNT(*) FROM `+table+` WHERE workspace_id = 'other'`), "")) //nolint:gosec // as above
	}
	return counts
}
