package main

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/internal/vectorstore"
)

// contents is what a data folder's pages and answers are made of.
type contents struct {
	Documents []domain.Document
	Entities  []domain.Entity
	Stats     graphstore.Stats
	Points    map[vectorstore.Collection][]string
}

func contentsOf(t *testing.T, data string) contents {
	t.Helper()
	a, err := openAt(t.Context(), data, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	return contentsIn(t, a)
}

func contentsIn(t *testing.T, a *app) contents {
	return contentsOfWorkspace(t, a, domain.DefaultWorkspace)
}

func contentsOfWorkspace(t *testing.T, a *app, ws domain.WorkspaceID) contents {
	t.Helper()
	ctx := t.Context()
	var err error
	c := contents{Points: map[vectorstore.Collection][]string{}}
	if c.Documents, _, err = a.ledger.Documents(ctx, ws, ledger.DocumentQuery{}); err != nil {
		t.Fatal(err)
	}
	if c.Entities, _, err = a.graph.Entities(ctx, ws, graphstore.EntityQuery{Order: graphstore.ByName}); err != nil {
		t.Fatal(err)
	}
	if c.Stats, err = a.graph.Stats(ctx, ws); err != nil {
		t.Fatal(err)
	}
	for _, collection := range vectorstore.Collections() {
		if c.Points[collection], err = a.vectors.IDs(ctx, ws, collection); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// TestAccountsComeBack: with their roles and passwords, without their sessions.
func TestAccountsComeBack(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	sh.stdin = "correct horse\n"
	sh.must(t, "user", "add", "ada")
	sh.must(t, "user", "add", "bob")
	before := sh.must(t, "user", "list")
	archive := filepath.Join(t.TempDir(), "clew.tar.zst")
	sh.must(t, "backup", archive)
	sh.data = filepath.Join(t.TempDir(), "data")
	sh.must(t, "restore", archive)
	if after := sh.must(t, "user", "list"); after != before || !strings.Contains(after, "contributor") {
		t.Errorf("before:\n%safter:\n%s", before, after)
	}
	v := sh.serve(t)
	if status, _ := v.post(t, "/login", url.Values{"name": {"bob"}, "password": {"correct horse"}}); status != 303 {
		t.Errorf("sign in: status %d", status)
	}
}

func TestABackupComesBackElsewhere(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile, bridgeFile)
	sh.must(t, "ask", "Who founded the Carrow Foundry?")
	archive := filepath.Join(t.TempDir(), "clew.tar.zst")
	if out := sh.must(t, "backup", archive); !strings.Contains(out, "2 documents") || !strings.Contains(out, "2 uploaded files") {
		t.Errorf("printed %q", out)
	}
	if out := sh.must(t, "restore", "--check", archive); !strings.Contains(out, "All checksums match") {
		t.Errorf("printed %q", out)
	}
	other := newShell(t)
	other.must(t, "restore", archive)
	if diff := cmp.Diff(contentsOf(t, sh.data), contentsOf(t, other.data)); diff != "" {
		t.Errorf("-before +restored\n%s", diff)
	}
	if out := other.must(t, "ask", "Who founded the Carrow Foundry?"); !strings.Contains(out, "Maud Ferring") {
		t.Errorf("asked of the restored library: %q", out)
	}
	left, err := filepath.Glob(filepath.Join(other.data, "restored*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// filledPair returns two libraries with a document each.
func filledPair(t *testing.T) (one, two shell) {
	t.Helper()
	foundryFile, bridgeFile := letters(t)
	one, two = newShell(t), newShell(t)
	one.must(t, "ingest", foundryFile)
	two.must(t, "ingest", bridgeFile)
	return one, two
}

func TestARestoreKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	one, two := filledPair(t)
	archive := filepath.Join(t.TempDir(), "one.tar.zst")
	one.must(t, "backup", archive)

	before := contentsOf(t, two.data)
	if _, err := two.run(t, "restore", archive); domain.KindOf(err) != domain.Conflict || !strings.Contains(err.Error(), "--force") {
		t.Errorf("over a library: %v", err)
	}
	broken := filepath.Join(t.TempDir(), "broken.tar.zst")
	whole, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(broken, whole[:len(whole)-100], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := two.run(t, "restore", "--force", broken); domain.KindOf(err) != domain.Invalid {
		t.Errorf("a backup that is cut off: %v", err)
	}
	if diff := cmp.Diff(before, contentsOf(t, two.data)); diff != "" {
		t.Errorf("-before +after two refusals\n%s", diff)
	}
	two.must(t, "restore", "--force", archive)
	if diff := cmp.Diff(contentsOf(t, one.data), contentsOf(t, two.data)); diff != "" {
		t.Errorf("-what was backed up +what was forced\n%s", diff)
	}
}

// TestABackupWithRowsOfNothingIsRefused restores a library in which a document was
// torn from its chunks.
func TestABackupWithRowsOfNothingIsRefused(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	path := filepath.Join(t.TempDir(), "a.md")
	if err := os.WriteFile(path, []byte("# Bridges\n\nAda met Bob.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sh.must(t, "ingest", path)
	tear(t, filepath.Join(sh.data, "clew.db"))
	archive := filepath.Join(t.TempDir(), "clew.tar.zst")
	sh.must(t, "backup", archive)
	sh.data = filepath.Join(t.TempDir(), "data")
	if _, err := sh.run(t, "restore", archive); domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), "Nothing was changed") {
		t.Errorf("error %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(sh.data, "*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// tear deletes the documents of a database and nothing else.
func tear(t *testing.T, path string) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{Fresh: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Writer.ExecContext(t.Context(), `DELETE FROM documents`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestABackupBesideTheServerAndARestoreThatIsNotTakenThere(t *testing.T) {
	race.Want(t)
	t.Parallel()
	sh := newShell(t)
	foundryFile, _ := letters(t)
	sh.must(t, "ingest", foundryFile)
	v := sh.serve(t)
	archive := filepath.Join(t.TempDir(), "clew.tar.zst")
	sh.must(t, "backup", archive)
	if _, err := sh.run(t, "backup", archive); domain.KindOf(err) != domain.Conflict {
		t.Errorf("over a backup: %v", err)
	}
	sh.must(t, "backup", "--force", archive)
	a, err := openAt(t.Context(), sh.data, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	other := a.process
	other.PID, other.Started = 1, "" // a process of this machine that lives on
	if started, err := os.ReadFile("/proc/1/stat"); err == nil {
		fields := strings.Fields(string(started[strings.LastIndexByte(string(started), ')')+1:]))
		other.Started = fields[19]
	}
	if err := a.queue.Register(t.Context(), "another", other); err != nil {
		t.Fatal(err)
	}
	if err := v.stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := sh.run(t, "restore", "--force", archive); domain.KindOf(err) != domain.Conflict || !strings.Contains(err.Error(), "Stop it first") {
		t.Errorf("beside a process at work: %v", err)
	}
}

func TestThereIsNothingToBackUp(t *testing.T) {
	t.Parallel()
	sh := newShellWithoutData(t)
	if _, err := sh.run(t, "backup", filepath.Join(t.TempDir(), "x")); domain.KindOf(err) != domain.NotFound {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := os.Stat(sh.data); err == nil {
		t.Error("a data folder was made")
	}
	foundryFile, _ := letters(t)
	sh.must(t, "ingest", foundryFile)
	if _, err := sh.run(t, "backup", filepath.Join(t.TempDir(), "no", "such", "folder")); domain.KindOf(err) != domain.Invalid {
		t.Errorf("a folder that isn't there: %v", err)
	}
	if _, err := sh.run(t, "restore", filepath.Join(t.TempDir(), "none")); domain.KindOf(err) != domain.NotFound {
		t.Errorf("a backup that isn't there: %v", err)
	}
}

// TestABackupComesBackInPostgresAndFromThere moves a library from one set of
// stores to another and back.
func TestABackupComesBackInPostgresAndFromThere(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	foundryFile, bridgeFile := letters(t)
	sh.must(t, "ingest", foundryFile, bridgeFile)
	sh.must(t, "ask", "Who founded the Carrow Foundry?")
	want := contentsOf(t, sh.data)
	archive := filepath.Join(t.TempDir(), "sqlite.tar.zst")
	sh.must(t, "backup", archive)

	cfg, s, _ := newFleet(t, servers.PostgresURL(t)).settings(t)
	into := func(force bool) error { return restore(t.Context(), cfg, s, restoring{path: archive, force: force}) }
	if err := into(false); err != nil {
		t.Fatal(err)
	}
	look := func() contents {
		a, err := open(t.Context(), cfg, s)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		return contentsIn(t, a)
	}
	if diff := cmp.Diff(want, look()); diff != "" {
		t.Errorf("-SQLite +Postgres\n%s", diff)
	}
	if err := into(false); domain.KindOf(err) != domain.Conflict {
		t.Errorf("over a library: %v", err)
	}
	if err := into(true); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, look()); diff != "" {
		t.Errorf("forced: -SQLite +Postgres\n%s", diff)
	}
	back, other := filepath.Join(t.TempDir(), "postgres.tar.zst"), newShell(t)
	if _, err := writeBackup(t.Context(), cfg, s, back, "", false); err != nil {
		t.Fatal(err)
	}
	other.must(t, "restore", back)
	if diff := cmp.Diff(want, contentsOf(t, other.data)); diff != "" {
		t.Errorf("-SQLite +there and back\n%s", diff)
	}
}

// TestEarlierVersionsComeBackWithTheirFiles restores them into a folder and into
// Postgres, and refuses a backup of a library that lacks one.
func TestEarlierVersionsComeBackWithTheirFiles(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	path := filepath.Join(t.TempDir(), "mill.md")
	var hashes []string
	for _, text := range []string{"# Mill\n\nAda met Bob at the mill.\n", "# Mill\n\nAda met Carl at the mill.\n", "# Mill\n\nAda met Dora at the mill.\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		sh.must(t, "ingest", path)
		hashes = append(hashes, domain.Hash([]byte(text)))
	}
	archive := filepath.Join(t.TempDir(), "clew.tar.zst")
	if out := sh.must(t, "backup", archive); !strings.Contains(out, "3 uploaded files") {
		t.Errorf("printed %q", out)
	}
	other := newShell(t)
	other.must(t, "restore", archive)
	cfg, s, _ := newFleet(t, servers.PostgresURL(t)).settings(t)
	if err := restore(t.Context(), cfg, s, restoring{path: archive}); err != nil {
		t.Fatal(err)
	}
	onPostgres, err := open(t.Context(), cfg, s)
	if err != nil {
		t.Fatal(err)
	}
	defer onPostgres.Close()
	onFiles, err := openAt(t.Context(), other.data, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer onFiles.Close()
	for name, a := range map[string]*app{"a folder": onFiles, "Postgres": onPostgres} {
		for n, hash := range hashes {
			file, _, err := a.files.Open(t.Context(), domain.DefaultWorkspace, hash)
			if err != nil {
				t.Errorf("in %s, version %d: %v", name, n+1, err)
				continue
			}
			file.Close()
		}
	}

	if err := onFiles.files.Remove(t.Context(), domain.DefaultWorkspace, hashes[0]); err != nil {
		t.Fatal(err)
	}
	without := filepath.Join(t.TempDir(), "without.tar.zst")
	other.must(t, "backup", without)
	third := newShell(t)
	if _, err := third.run(t, "restore", without); domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), `"mill.md", version 1`) {
		t.Errorf("restored without a file: %v", err)
	}
	if _, err := third.run(t, "restore", "--check", without); domain.KindOf(err) != domain.Invalid {
		t.Errorf("checked without a file: %v", err)
	}
	third.must(t, "restore", "--partial", without)
}
