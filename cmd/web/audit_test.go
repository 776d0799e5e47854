package main

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web"
)

// TestTheTrailKeepsWhatCommandsDo deletes, exports and sets things with commands, and reads the trail by command.
func TestTheTrailKeepsWhatCommandsDo(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile, bridgeFile)
	sh.must(t, "documents", "rename", "bridge.md", "secretname.md")
	sh.must(t, "documents", "delete", "--yes", "secretname.md")
	sh.must(t, "entities", "export", filepath.Join(t.TempDir(), "graph.json"))
	sh.must(t, "settings", "set", "MAX_LOOPS", "2")
	sh.must(t, "usage", "caps")
	sh.must(t, "usage", "caps", "day", "5.00")
	sh.must(t, "backup", filepath.Join(t.TempDir(), "clew.tar.zst"))
	sh.must(t, "workspace", "add", "County archive")
	var rows []audit.Row
	if err := json.Unmarshal([]byte(sh.must(t, "audit", "list", "--everywhere", "--json")), &rows); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(rows)
	var got []string
	for _, r := range rows {
		got = append(got, (strings.TrimSpace(r.Action+" "+r.How) + " " + r.Result))
		if strings.Contains(r.Thing+r.How, "secretname") {
			t.Errorf("a document's name is in %+v", r)
		}
		if strings.HasPrefix(r.Action, "documents") && !operation.IsID(strings.Split(r.Thing, ",")[0]) {
			t.Errorf("%s names %q", r.Action, r.Thing)
		}
	}
	want := []string{"ingest done", "documents rename done", "documents delete done", "entities export done", "settings set done", "usage caps cap=5.00 done", "backup done", "workspace add done"}
	if !slices.Equal(got, want) {
		t.Errorf("the trail has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if out := sh.must(t, "audit", "export", "--everywhere", "--action", "settings set"); strings.Count(out, "\n") != 1 || !strings.Contains(out, `"thing":"MAX_LOOPS"`) {
		t.Errorf("the export is %q", out)
	}
	if out := sh.must(t, "audit", "list", "--action", "documents"); !strings.Contains(out, "documents delete") || strings.Contains(out, "backup") {
		t.Errorf("the list is %q", out)
	}
	if out := sh.must(t, "fsck"); !strings.Contains(out, "is sound") {
		t.Errorf("fsck says %q", out)
	}
	a := sh.app(t)
	_, err := a.db.Writer.ExecContext(t.Context(), `UPDATE audit SET person = 'eve' WHERE seq = 3`)
	noError(t, err)
	noError(t, a.Close())
	if out, err := sh.run(t, "fsck"); err == nil || !strings.Contains(out, "row 3 of") {
		t.Errorf("fsck says %q, error %v", out, err)
	}
}

// TestARestoreKeepsTheTrail restores a backup, whose trail goes on.
func TestARestoreKeepsTheTrail(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	sh.must(t, "settings", "set", "MAX_LOOPS", "2")
	file := filepath.Join(t.TempDir(), "clew.tar.zst")
	sh.must(t, "backup", file)
	other := newShell(t)
	other.must(t, "restore", file)
	a := other.app(t)
	rows, err := a.ledger.AuditRows(t.Context(), ledger.AuditFilter{}, 10)
	noError(t, err)
	if len(rows) != 2 || rows[1].Action != "settings set" || rows[0].Action != audit.Restore {
		t.Errorf("the trail is %+v", rows)
	}
	if wrong, err := a.ledger.CheckAudit(t.Context()); err != nil || wrong != "" {
		t.Errorf("the check says %q, error %v", wrong, err)
	}
}

// TestEveryOperationIsTrailedOrSaysWhyNot lists what the trail keeps and what it doesn't. Reading and asking is not kept, but
// what takes something out of the library is.
func TestEveryOperationIsTrailedOrSaysWhyNot(t *testing.T) {
	t.Parallel()
	exports := map[string]bool{"backup": true, "entities export": true, "run export": true, "eval questions export": true, "fields export": true, "research export": true, "study export": true, "audit export": true, "conversations restore": true, "run web": true}
	for _, o := range offers() {
		for _, row := range o.rows {
			looks := len(row.Routes) > 0 && !slices.ContainsFunc(row.Routes, func(r string) bool { return !strings.HasPrefix(r, "GET ") })
			switch {
			case exports[row.Name] != row.Trail.Kept && !strings.Contains(row.Name, "share"):
				t.Errorf("%s: kept is %v", row.Name, row.Trail.Kept)
			case row.Trail.Never != "" && row.Trail.Kept:
				t.Errorf("%s is kept and is not: %s", row.Name, row.Trail.Never)
			case row.Scope.Writes() && !looks && !row.Trailed() && row.Trail.Never == "":
				t.Errorf("%s changes something, is not in the trail, and does not say why", row.Name)
			}
		}
	}
}

// TestPagesOfSeveralDeeds names the pages that carry out one of several operations, which the handler has to say.
func TestPagesOfSeveralDeeds(t *testing.T) {
	t.Parallel()
	trailed := map[string]bool{}
	for _, o := range offers() {
		for _, row := range o.rows {
			trailed[row.Name] = row.Trailed()
		}
	}
	var several []string
	for _, p := range web.Pages() {
		n := 0
		for _, name := range p.Operations {
			if trailed[name] {
				n++
			}
		}
		if n > 1 && p.Method == http.MethodPost {
			several = append(several, p.Address())
		}
	}
	slices.Sort(several)
	want := []string{
		"POST /documents/chosen", "POST /entities/{id}/properties", "POST /entities/{id}/relations/{relation}/properties", "POST /entities/{id}/rename", "POST /evaluation/questions",
		"POST /review/alike/{pattern}", "POST /review/pairs/{id}", "POST /review/work", "POST /schema", "POST /settings/set",
	}
	if !slices.Equal(several, want) {
		t.Errorf("they are\n%s", strings.Join(several, "\n"))
	}
}
