package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// everywhere are the statements about what belongs to workspaces that name none: by their file and some of their words, with
// the reason why they may.
var everywhere = []struct{ file, words, why string }{
	{"internal/ledger/accounts.go", " users", "accounts belong to the installation"},
	{"internal/ledger/shares.go", "WHERE maker = ?", "an account that is removed leaves what it has made in all workspaces"},
	{"internal/ledger/shares.go", "WHERE person = ?", "an account that is removed leaves what it follows in all workspaces"},
	{"internal/ledger/accounts.go", "DELETE FROM settings WHERE name = ?", "an account that is removed leaves all workspaces"},
	{"internal/ledger/workspaces.go", " users", "accounts belong to the installation"},
	{"internal/ledger/accounts.go", "DELETE FROM tokens WHERE account = ?", "an account that is removed leaves all workspaces"},
	{"internal/ledger/accounts.go", "DELETE FROM members WHERE account = ?", "an account that is removed leaves all workspaces"},
	{"internal/ledger/accounts.go", "DELETE FROM former_members WHERE account = ?", "an account that is removed leaves all workspaces"},
	{"internal/ledger/document_delete.go", "run_id IN", "the runs are those of a document, which were found in its workspace"},
	{"internal/ledger/document_delete.go", "id IN", "the runs are those of a document, which were found in its workspace"},
	{"internal/ledger/document_delete.go", "FROM documents WHERE", "the condition of the query begins with the workspace"},
	{"internal/ledger/document_delete.go", "UPDATE documents SET delete_at", "the condition of the query begins with the workspace"},
	{"internal/ledger/document_facts.go", "FROM documents WHERE", "the condition of the query begins with the workspace"},
	{"internal/ledger/documents.go", "FROM documents WHERE", "the condition of the query begins with the workspace"},
	{"internal/ledger/proposals.go", "FROM proposals WHERE", "the condition of the query begins with the workspace"},
	{"internal/ledger/summaries.go", "UPDATE summaries AS t SET edits", "the condition that is put after it names the workspace"},
	{"internal/ledger/repeats.go", "DELETE FROM repeats WHERE at <= ?", "answers that are too old to be repeated are deleted everywhere"},
	{"internal/ledger/runs.go", "SELECT response FROM model_calls WHERE key = ?", "the key is a hash of the request and its workspace"},
	{"internal/ledger/settings.go", "DELETE FROM settings WHERE name = ?", "a restored library gets other identities, in all workspaces"},
	{"internal/ledger/webhooks.go", "FROM webhook_deliveries WHERE next_try > 0", "what is due is sent for all workspaces"},
	{"internal/vectorstore/embedded/batch.go", "WHERE num = ?", "the number of a row was found in the workspace"},
	{"internal/graphstore/sqlite/links.go", "WHERE e.num IN", "the numbers of rows were found in the workspace"},
	{"internal/graphstore/sqlite/write_entity.go", "max(num)", "the next number of a row is that of all workspaces"},
	{"internal/graphstore/sqlite/entities.go", "count(*) FROM entities", "the condition of the query begins with the workspace"},
	{"internal/graph/explore/export.go", "Entity {id:", "it is written to a file of one workspace"},
	{"internal/graph/explore/export.go", "RELATED {id:", "it is written to a file of one workspace"},
	{"internal/library/documents/rows.go", "upload", "an upload has a number that only its writer knows, or that was found in the workspace"},
	{"internal/run/job/", " runs", "the queue is one: workers lease runs of all workspaces, and then carry them out by their id"},
	{"internal/upkeep/maintenance/found.go", "NOT EXISTS (SELECT 1 FROM runs", "threads without any run are looked for"},
	{"internal/graphstore/sqlite/", "WHERE num = ?", "the number of a row was found in the workspace"},
	{"internal/ledger/accounts.go", "SET added_by = ''", "an account that is removed leaves all workspaces"},
	{"internal/ledger/audit.go", " audit", "the trail is one chain for the installation; what is read of it for a person names the workspace"},
	{"internal/ledger/document_version.go", "SELECT id, name, version_of FROM documents WHERE", "the condition of the query begins with the workspace"},
	{"internal/ledger/identities.go", " users", "accounts belong to the installation"},
	{"internal/ledger/invitations.go", " users", "accounts belong to the installation"},
	{"internal/upkeep/backup/join.go", "FROM users", "accounts belong to the installation"},
	{"internal/graphstore/neo4j/migrate.go", "__Migration__", "migrations are those of the database"},
}

// TestStatementsNameTheirWorkspace reads each statement of SQL and Cypher in the program that is about what belongs to
// workspaces: it has to say of which, or stand in the list with a reason.
func TestStatementsNameTheirWorkspace(t *testing.T) {
	t.Parallel()
	about := regexp.MustCompile(`\b(?:FROM|JOIN|UPDATE|INTO)\s+"?(` + strings.Join(tablesOfWorkspaces(t), "|") + `)\b|\b(?:MATCH|MERGE) ?\(`)
	used, found := map[string]bool{}, 0
	for _, s := range statements(t) {
		if !verb.MatchString(s.text) || !about.MatchString(s.text) {
			continue
		}
		found++
		if named := strings.Contains(s.text, "workspace"); named {
			continue
		}
		i := slices.IndexFunc(everywhere, func(one struct{ file, words, why string }) bool {
			return strings.HasPrefix(s.at, one.file) && strings.Contains(s.text, one.words)
		})
		if i < 0 {
			t.Errorf("%s: this statement names no workspace: %s", s.at, s.text)
			continue
		}
		used[everywhere[i].file+everywhere[i].words] = true
	}
	if found < 300 {
		t.Errorf("only %d statements were found", found)
	}
	for _, one := range everywhere {
		if !used[one.file+one.words] {
			t.Errorf("no statement of %s with %q needs to be in the list", one.file, one.words)
		}
	}
}

// TestRequestsToQdrantNameTheirWorkspace reads the requests to Qdrant: each that looks for points has a filter, and filters
// are made by a function that puts the workspace into them.
func TestRequestsToQdrantNameTheirWorkspace(t *testing.T) {
	t.Parallel()
	makers := map[string]string{
		"of":           "it puts the workspace into the filter",
		"before":       "it takes the filter of a workspace",
		"writeCursor":  "it names the one point of the workspace by its id",
		"holdsVectors": "it asks whether the collection has vectors at all, and returns nothing else",
	}
	requests := 0
	for _, f := range parsed(t, "internal/vectorstore/qdrant")["internal/vectorstore/qdrant"] {
		for _, d := range f.file.Decls {
			function, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(function, func(n ast.Node) bool {
				x, ok := n.(*ast.CompositeLit)
				if !ok {
					return true
				}
				name := ""
				if of, ok := x.Type.(*ast.SelectorExpr); ok {
					name = of.Sel.Name
				}
				switch {
				case name == "Filter" && makers[function.Name.Name] == "":
					t.Errorf("%s makes a filter that may name no workspace", function.Name.Name)
				case slices.Contains([]string{"QueryPoints", "ScrollPoints", "CountPoints"}, name):
					requests++
					if !slices.ContainsFunc(x.Elts, func(e ast.Expr) bool {
						kv, ok := e.(*ast.KeyValueExpr)
						return ok && kv.Key.(*ast.Ident).Name == "Filter"
					}) {
						t.Errorf("%s looks for points of all workspaces", function.Name.Name)
					}
				}
				return true
			})
		}
	}
	if requests < 3 {
		t.Errorf("only %d requests were found", requests)
	}
}

// verb tells a statement from a sentence.
var verb = regexp.MustCompile(`\b(SELECT|UPDATE|DELETE|INSERT|MATCH|MERGE)\b`)

// tablesOfWorkspaces lists the tables of the ledger, the graph and the index that have rows of workspaces.
func tablesOfWorkspaces(t *testing.T) (names []string) {
	t.Helper()
	for _, path := range []string{"migrations/testdata/schema.sqlite.sql", "internal/graphstore/sqlite/schema.sql", "internal/vectorstore/embedded/schema.sql"} {
		schema, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		for table := range strings.SplitSeq(string(schema), "CREATE ") {
			name := regexp.MustCompile(`^TABLE "?(\w+)`).FindStringSubmatch(table)
			if name != nil && regexp.MustCompile(`\bworkspace(_id)? +(TEXT|INTEGER)`).MatchString(table) && !slices.Contains(names, name[1]) {
				names = append(names, name[1])
			}
		}
	}
	if len(names) < 45 {
		t.Fatalf("only %d tables have workspaces: %v", len(names), names)
	}
	return names
}

// A statement is a text of the program with what is known of its parts.
type statement struct{ at, text string }

// statements returns the texts of all packages. A text that is put together of several is one, with the constants and the
// tables of its package in place of their names.
func statements(t *testing.T) (all []statement) {
	t.Helper()
	packages := parsed(t, "")
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		known := named(packages[dir])
		for _, f := range packages[dir] {
			ast.Inspect(f.file, func(n ast.Node) bool {
				if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.CONST {
					return false // it is read where it is used
				}
				x, ok := n.(ast.Expr)
				if !ok {
					return true
				}
				text, is := written(x, known)
				if is {
					all = append(all, statement{f.path, strings.Join(strings.Fields(text), " ")})
				}
				return !is
			})
		}
	}
	return all
}

// source is a file of a package.
type source struct {
	path string
	file *ast.File
}

// parsed returns the files of the program's packages below a folder, without tests.
func parsed(t *testing.T, below string) map[string][]source {
	t.Helper()
	all := map[string][]source{}
	for _, f := range projectFiles(t) {
		if f.isTest() || !strings.HasPrefix(f.path, below) || !underAny(f.dir(), []string{"internal", "cmd"}) || under(f.dir(), "internal/testkit") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, f.path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		all[f.dir()] = append(all[f.dir()], source{f.path, file})
	}
	return all
}

// named returns what the names of a package stand for that are texts or tables.
func named(files []source) map[string]string {
	known := map[string]string{}
	for range 3 { // constants that are put together of others
		for _, file := range files {
			ast.Inspect(file.file, func(n ast.Node) bool {
				v, ok := n.(*ast.ValueSpec)
				if !ok {
					return true
				}
				for i, name := range v.Names {
					if i >= len(v.Values) {
						break
					}
					if table, ok := v.Values[i].(*ast.CompositeLit); ok {
						for _, field := range table.Elts {
							if kv, ok := field.(*ast.KeyValueExpr); ok {
								if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Name" {
									if text, ok := written(kv.Value, known); ok {
										known[name.Name+"."] = text
									}
								}
							}
						}
					} else if text, ok := written(v.Values[i], known); ok {
						known[name.Name] = text
					}
				}
				return true
			})
		}
	}
	return known
}

// written returns the text of an expression, and whether it has any. Parts that are computed are left out.
func written(x ast.Expr, known map[string]string) (string, bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(x.Value)
		return text, err == nil && x.Kind == token.STRING
	case *ast.BinaryExpr:
		left, some := written(x.X, known)
		right, more := written(x.Y, known)
		return left + " " + right, x.Op == token.ADD && (some || more)
	case *ast.ParenExpr:
		return written(x.X, known)
	case *ast.Ident:
		text, ok := known[x.Name]
		return text, ok
	case *ast.CallExpr:
		if f, ok := x.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Select" {
			if of, ok := f.X.(*ast.Ident); ok && known[of.Name+"."] != "" {
				return "SELECT … FROM " + known[of.Name+"."], true
			}
		}
	}
	return "", false
}
