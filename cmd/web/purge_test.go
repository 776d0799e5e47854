package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/clewhq/clew/internal/domain"
	emptydb "github.com/clewhq/clew/internal/testkit/database"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/internal/vectorstore/qdrant/qdranttest"
)

// TestADeletedWorkspaceIsRemovedForGood deletes a workspace, and opens the library after a day.
func TestADeletedWorkspaceIsRemovedForGood(t *testing.T) {
	t.Parallel()
	sh, in := twoWorkspaces(t)
	in("ask", "Who built the Velm Bridge?")
	in("summarize", "bridge.md")
	in("watch", filepath.Dir(file(t, t.TempDir(), "mill.txt", "Ada Pell ran the Velm Mill.")), "--once", "--settle", "0s")
	in("token", "create", "there")
	sh.must(t, "workspace", "delete", "archive", "--yes")
	if _, err := sh.run(t, "documents", "list", "--workspace", "archive"); domain.KindOf(err) != domain.NotFound {
		t.Errorf("a deleted workspace: %v", err)
	}
	sh.purged(t, 23*time.Hour)
	sh.must(t, "workspace", "restore", "archive")
	if out := in("documents", "list"); !strings.Contains(out, "bridge.md") || !strings.Contains(out, "mill.txt") {
		t.Errorf("restored is\n%s", out)
	}
	sh.must(t, "workspace", "delete", "archive", "--yes")
	sh.purged(t, 25*time.Hour)
	if out := sh.must(t, "audit", "list", "--everywhere", "--action", "workspace purge"); !strings.Contains(out, "archive") {
		t.Errorf("the trail says %q", out)
	}
	if out := sh.must(t, "workspace", "list"); strings.Contains(out, "archive") {
		t.Errorf("the workspaces are\n%s", out)
	}
	if _, err := sh.run(t, "workspace", "restore", "archive"); domain.KindOf(err) != domain.NotFound {
		t.Errorf("restored after a day: %v", err)
	}
	db := emptydb.Open(t, filepath.Join(sh.data, "clew.db"))
	for _, table := range column(t, db.Reader, `SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'workspace_id' ORDER BY m.name`) {
		if left := column(t, db.Reader, `SELECT COUNT(*) FROM `+table+` WHERE workspace_id <> 'default'`); left[0] != "0" {
			t.Errorf("%s has %s rows of other workspaces", table, left[0])
		}
	}
	err := filepath.WalkDir(sh.data, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		for _, word := range []string{"Quennell", "Ada Pell"} {
			if strings.Contains(string(b), word) {
				t.Errorf("%s still has the word %s", path, word)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if out := sh.must(t, "ask", "Who founded the Carrow Foundry?"); !strings.Contains(out, "Ferring") {
		t.Errorf("the library answers %s", out)
	}
	sh.must(t, "fsck")
	if out := sh.must(t, "workspace", "add", "Archive"); !strings.Contains(out, "archive") {
		t.Errorf("the name is not free again: %s", out)
	}
}

// purged opens the library after a time, and removes what is due then.
func (sh shell) purged(t *testing.T, after time.Duration) {
	t.Helper()
	s, _, _ := sh.env()
	s.now = func() time.Time { return time.Now().Add(after) }
	cfg, err := s.load("")
	noError(t, err)
	a, err := open(t.Context(), cfg, s)
	noError(t, err)
	defer a.Close()
	noError(t, a.purge().CarryOut(t.Context()))
	a.documents.ScrubDisk(t.Context(), 1<<20)
}

// TestNothingIsLeftOfADeletedWorkspaceOnServers deletes one of two workspaces whose graphs are on one Neo4j, and whose indexes on one
// Qdrant: nothing is left there but a record that refuses late writers, and what the other has is as it was.
func TestNothingIsLeftOfADeletedWorkspaceOnServers(t *testing.T) {
	t.Parallel()
	graph, index := servers.OwnNeo4j(t), qdranttest.Start(t, nil)
	sh := newShell(t, "NEO4J_URL="+graph.URL, "NEO4J_USER="+graph.User, "NEO4J_PASSWORD="+graph.Password, "QDRANT_URL="+index.URL)
	in := besides(t, sh)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile)
	in("ingest", bridgeFile)
	in("ask", "Who built the Velm Bridge?")
	id := column(t, emptydb.Open(t, filepath.Join(sh.data, "clew.db")).Reader, `SELECT id FROM workspaces WHERE name = 'archive'`)[0]
	split := func() (theirs, others []string) {
		for _, line := range append(nodesOf(t, graph), pointsOf(index)...) {
			if strings.Contains(line, id) || strings.Contains(line, "Quennell") {
				theirs = append(theirs, line)
			} else {
				others = append(others, line)
			}
		}
		return theirs, others
	}
	theirs, before := split()
	if len(theirs) < 10 || len(before) < 10 {
		t.Fatalf("the servers have %d rows of the workspace and %d of the other, which proves nothing", len(theirs), len(before))
	}
	sh.must(t, "workspace", "delete", "archive", "--yes")
	sh.purged(t, 25*time.Hour)
	left, after := split()
	for _, line := range left {
		if !strings.HasPrefix(line, "[__Workspace__]") && !strings.HasPrefix(line, "clew_cursors_") || documentID.MatchString(line) || strings.Contains(line, "Quennell") {
			t.Errorf("left is %s", line)
		}
	}
	if len(left) != 2 {
		t.Errorf("%d rows are left, want the record of each server", len(left))
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("what the other workspace has (-before +after)\n%s", diff)
	}
	if out := sh.must(t, "ask", "Who founded the Carrow Foundry?"); !strings.Contains(out, "Ferring") {
		t.Errorf("the library answers %s", out)
	}
}

// documentID is the id of a document or a passage.
var documentID = regexp.MustCompile(`\b[dc][0-9a-f]{20}\b`)

// nodesOf lists all nodes and relationships of a server.
func nodesOf(t *testing.T, at *servers.Neo4jServer) []string {
	t.Helper()
	d, err := driver.NewDriverWithContext(at.URL, driver.BasicAuth(at.User, at.Password, ""))
	noError(t, err)
	defer d.Close(t.Context())
	var all []string
	for _, query := range []string{`MATCH (n) RETURN labels(n) AS of, properties(n) AS has`, `MATCH (a)-[r]->(b) RETURN type(r) AS of, properties(r) AS has, a.workspace_id AS w, a.id AS from, b.id AS to`} {
		result, err := driver.ExecuteQuery(t.Context(), d, query, nil, driver.EagerResultTransformer, driver.ExecuteQueryWithDatabase(at.Database))
		noError(t, err)
		for _, r := range result.Records {
			all = append(all, fmt.Sprintln(r.Values...))
		}
	}
	slices.Sort(all)
	return all
}

// pointsOf lists the payloads of all points in a Qdrant.
func pointsOf(d *qdranttest.Double) []string {
	var all []string
	for collection, points := range d.Payloads() {
		for _, p := range points {
			text := collection
			for _, key := range slices.Sorted(maps.Keys(p)) {
				text += " " + key + "=" + p[key].String()
			}
			all = append(all, strings.Join(strings.Fields(text), " "))
		}
	}
	slices.Sort(all)
	return all
}
