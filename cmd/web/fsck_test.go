package main

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

// corrupt runs statements on a database of a data folder.
func corrupt(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range append([]string{`PRAGMA foreign_keys = OFF`}, statements...) {
		var result sql.Result
		if result, err = db.Writer.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		if n, err := result.RowsAffected(); err == nil && n == 0 && !strings.HasPrefix(statement, "PRAGMA") {
			t.Fatalf("%s changed nothing", statement)
		}
	}
}

// damages are ways in which a store can differ from the ledger, with the
// finding of fsck.
var damages = []struct{ name, file, statement, says string }{
	{"a point's words", "vectors.db", `UPDATE words_1_chunks SET text = 'something else' WHERE rowid = (SELECT min(rowid) FROM words_1_chunks)`, "other words"},
	{"an entity is gone", "graph.db", `DELETE FROM entities WHERE num = (SELECT min(num) FROM entities)`, "missing"},
	{"another name", "graph.db", `UPDATE entities SET name = 'Somebody Else' WHERE num = (SELECT min(num) FROM entities)`, "differs from the ledger"},
	{"another label", "graph.db", `UPDATE entities SET label = 'Ship' WHERE num = (SELECT min(num) FROM entities)`, "differs from the ledger"},
	{"a relation is gone", "graph.db", `DELETE FROM relations`, "relation"},
	{"a link is gone", "graph.db", `DELETE FROM links`, "links from entities to chunks are missing"},
	{"a cursor is behind", "graph.db", `UPDATE workspaces SET cursor = cursor - 1`, "behind the ledger by a change"},
	{"a cursor is ahead", "graph.db", `UPDATE workspaces SET cursor = cursor + 3`, "claims 3 changes"},
	{"an index's cursor is behind", "vectors.db", `UPDATE workspaces SET cursor = cursor - 1`, "behind the ledger by a change"},
	{"an index's cursor is ahead", "vectors.db", `UPDATE workspaces SET cursor = cursor + 1`, "claims a change"},
	{"a point is gone", "vectors.db", `DELETE FROM points WHERE num = (SELECT min(num) FROM points)`, "a point is missing"},
	{"a point too many", "vectors.db", `INSERT INTO points (workspace, collection, id, document) SELECT num, 'sentences', 'made-up', '' FROM workspaces`, "nothing supports"},
}

func TestEveryDamageOfAStoreIsFoundAndMended(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile, bridgeFile)
	want := contentsOf(t, sh.data)
	if out := sh.must(t, "fsck"); !strings.Contains(out, "is sound: 2 documents") {
		t.Fatalf("a sound library: %q", out)
	}
	for _, d := range damages {
		corrupt(t, filepath.Join(sh.data, d.file), d.statement)
		out, err := sh.run(t, "fsck")
		if domain.KindOf(err) != domain.Conflict || !strings.Contains(out, d.says) {
			t.Errorf("%s: printed %q, error %v", d.name, out, err)
		}
		if out := sh.must(t, "fsck", "--repair"); !strings.Contains(out, "Repaired:") || !strings.Contains(out, "is sound") {
			t.Errorf("%s, repaired: printed %q", d.name, out)
		}
		if out := sh.must(t, "fsck"); !strings.Contains(out, "is sound") {
			t.Errorf("%s, after the repair: %q", d.name, out)
		}
		if diff := cmp.Diff(want, contentsOf(t, sh.data)); diff != "" {
			t.Errorf("%s -before +mended\n%s", d.name, diff)
		}
	}
}

func TestWhatTheLedgerAndTheFilesLackIsFound(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile, bridgeFile)
	files, err := filepath.Glob(filepath.Join(sh.data, "files", "*", "*", "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("files %v, %v", files, err)
	}
	stray := filepath.Join(filepath.Dir(filepath.Dir(files[0])), "ab", strings.Repeat("ab", 32))
	put := func(path, content string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	put(stray, "stray")
	put(files[1], "changed")
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	corrupt(t, filepath.Join(sh.data, "clew.db"), `DELETE FROM changes WHERE seq = 1`,
		`INSERT INTO threads (id, token, touched_at) VALUES ('run_gone', 1, 1)`,
		`INSERT INTO events (workspace_id, run_id, seq, at, json) VALUES ('default', 'run_gone', 1, 1, '{}')`)
	out, err := sh.run(t, "fsck")
	for _, says := range []string{
		"the uploaded file of a document is missing", "an uploaded file has changed", "a file belongs to no document",
		"a published document was never sent", "the thread of a deleted run is left over", "a row refers to a deleted row",
	} {
		if !strings.Contains(out, says) {
			t.Errorf("not said: %s\nin %s%v", says, out, err)
		}
	}
	out, err = sh.run(t, "fsck", "--repair")
	if err == nil || strings.Contains(strings.ReplaceAll(out, "Repaired: Files", ""), "\nFiles: a file belongs") || strings.Contains(out, "\nLedger: a published") {
		t.Errorf("repaired: %s%v", out, err)
	}
	if _, err := os.Stat(stray); err == nil {
		t.Error("the stray file is still there")
	}
}

// TestARebuildCallsNoModelAndChangesNothing but for one word, whose vector tells the
// dimension that the embedding model makes now.
func TestARebuildCallsNoModelAndChangesNothing(t *testing.T) {
	t.Parallel()
	model := obliging(t)
	sh := connected(t, model)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile, bridgeFile)
	want := contentsOf(t, sh.data)
	if len(want.Points["chunks"]) == 0 {
		t.Fatal("nothing was indexed")
	}
	calls := func() int {
		return model.Calls(llmtest.Any) + model.Calls(func(r llmtest.Request) bool {
			return llmtest.Embedding(r) && !slices.Equal(r.Inputs, []string{"dimension"})
		})
	}
	before := calls()
	for _, args := range [][]string{{"rebuild"}, {"rebuild", "--store", "graph"}, {"rebuild", "--store", "vectors"}, {"rebuild", "--workspace", "library"}} {
		if out := sh.must(t, args...); !strings.Contains(out, "is filled: 2 documents") {
			t.Errorf("%v printed %q", args, out)
		}
		if diff := cmp.Diff(want, contentsOf(t, sh.data)); diff != "" {
			t.Errorf("%v -before +after\n%s", args, diff)
		}
		sh.must(t, "fsck")
	}
	if after := calls(); after != before {
		t.Errorf("%d calls of models", after-before)
	}
	if _, err := sh.run(t, "rebuild", "--workspace", "nowhere"); domain.KindOf(err) != domain.NotFound {
		t.Errorf("an unknown workspace: %v", err)
	}
}

// TestNothingIsFoundWhileDocumentsAreRead checks repeatedly while documents are
// added, re-read and deleted. Where it was unsure, it looks again while nothing is changed.
func TestNothingIsFoundWhileDocumentsAreRead(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile, bridgeFile)
	a, err := openAt(t.Context(), sh.data, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	worker := a.all()
	if err := worker.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer worker.Stop(context.Background())
	busy, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	var changes atomic.Int64
	var changing sync.Mutex
	change := func(n int) error {
		changing.Lock()
		defer changing.Unlock()
		added, err := a.documents.Add(context.Background(), domain.DefaultWorkspace, "passing.txt", documents.How{}, strings.NewReader(strings.Repeat("Ann Lee met Maud Ferring. ", n%7+1))).One()
		if err != nil {
			return err
		}
		for range a.hub.Watch(busy, domain.DefaultWorkspace, added.Document.Run, 0) { //nolint:revive // until it is read
		}
		if n%2 == 0 {
			_, err = a.documents.ReadAgain(context.Background(), domain.DefaultWorkspace, added.Document.ID)
		} else {
			err = remove(context.Background(), a.documents, added.Document.ID)
		}
		if domain.KindOf(err) == domain.Conflict || domain.KindOf(err) == domain.NotFound {
			return nil
		}
		return err
	}
	go func() {
		defer close(ended)
		for n := 0; busy.Err() == nil; n++ {
			if err := change(n); err != nil {
				t.Error(err)
				stop()
				return
			}
			changes.Add(1)
			select { // without a pause hardly two looks at the stores are of one moment, and fsck is unsure
			case <-busy.Done():
			case <-time.After(150 * time.Millisecond):
			}
		}
	}()
	for n := 0; n < 8 || changes.Load() < 2 && busy.Err() == nil; n++ {
		out, err := sh.run(t, "fsck")
		if strings.Contains(out, "Documents were being read during the whole check.") {
			t.Logf("unsure: %v", err)
			changing.Lock()
			out, err = sh.run(t, "fsck")
			changing.Unlock()
		}
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	stop()
	<-ended
}
