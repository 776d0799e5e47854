package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/testkit/disk"
	"github.com/clewhq/clew/internal/testkit/race"
)

func TestIngestPrintsEachDocument(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	foundryFile, bridgeFile := letters(t)
	empty := file(t, t.TempDir(), "empty.txt", "")
	out, err := sh.run(t, "ingest", "--json", foundryFile, empty, "no-such-file.txt", bridgeFile)
	if err == nil || err.Error() != "2 of 4 documents could not be read." {
		t.Errorf("error = %v", err)
	}
	lines := decoded[[]ingested](t, out)
	var got []string
	for _, l := range lines {
		got = append(got, l.Document+" "+l.Status)
		if l.Warnings == nil {
			t.Errorf("%s: warnings are null and not a list", l.Document)
		}
	}
	want := []string{"foundry.txt ready", "empty.txt failed", "no-such-file.txt failed", "bridge.md ready"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("lines (-want +got)\n%s", diff)
	}
	if l := lines[0]; l.Chunks != 1 || l.Entities < 2 || l.Relations < 1 || l.Problem != "" {
		t.Errorf("foundry.txt: %+v", l)
	}
	if lines[1].Problem != "empty.txt is empty: it contains nothing to read." {
		t.Errorf("empty.txt: %q", lines[1].Problem)
	}
	if !strings.Contains(lines[2].Problem, "no such file") {
		t.Errorf("no-such-file.txt: %q", lines[2].Problem)
	}
}

func TestIngestForPeople(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	foundryFile, _ := letters(t)
	out := sh.must(t, "ingest", foundryFile)
	if !strings.HasPrefix(out, "foundry.txt: ready, 1 chunk, ") || strings.Contains(out, "\x1b") {
		t.Errorf("printed %q", out)
	}
	s, screen, _ := sh.env()
	s.terminal = true
	root := program(s)
	root.SetArgs([]string{"ingest", file(t, t.TempDir(), "other.txt", bridge)})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := screen.String(); !strings.Contains(got, "\r\x1b[Kother.txt: ") || !strings.Contains(got, "\r\x1b[Kother.txt: ready") {
		t.Errorf("on a terminal: %q", got)
	}
}

func TestIngestOfAFolder(t *testing.T) {
	race.Want(t)
	t.Parallel()
	sh := newShell(t)
	dir := t.TempDir()
	file(t, dir, "b.txt", "Bertha Quill met Maud Ferring.")
	file(t, dir, "sub/a.txt", "Anna Quill met Maud Ferring.")
	file(t, dir, ".hidden.txt", "Hidden Quill met Maud Ferring.")
	file(t, dir, ".git/config.txt", "Git Quill met Maud Ferring.")
	var got []string
	for _, l := range decoded[[]ingested](t, sh.must(t, "ingest", "--json", dir)) {
		got = append(got, l.Document)
	}
	name := filepath.Base(dir)
	if diff := cmp.Diff([]string{name + "/b.txt", name + "/sub/a.txt"}, got); diff != "" {
		t.Errorf("documents (-want +got)\n%s", diff)
	}
}

// TestIngestWaitsForRoomInTheQueue adds more files than may wait.
func TestIngestWaitsForRoomInTheQueue(t *testing.T) {
	race.Want(t)
	t.Parallel()
	sh := newShell(t, "MAX_WAITING_DOCUMENTS=1", "INGEST_CONCURRENCY=1")
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt", "c.txt", "d.txt", "e.txt"} {
		file(t, dir, name, name+": Bertha Quill met Maud Ferring.")
	}
	if got := decoded[[]ingested](t, sh.must(t, "ingest", "--json", dir)); len(got) != 5 {
		t.Errorf("%d documents were read: %+v", len(got), got)
	}
}

func TestTheSameContentIsReadOnce(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	foundryFile, _ := letters(t)
	first := decoded[[]ingested](t, sh.must(t, "ingest", "--json", foundryFile))
	again := decoded[[]ingested](t, sh.must(t, "ingest", "--json", foundryFile, file(t, t.TempDir(), "foundry.txt", foundry)))
	if diff := cmp.Diff(append(first, first...), again, cmp.AllowUnexported(ingested{})); diff != "" {
		t.Errorf("the second time (-first +again)\n%s", diff)
	}
	other := decoded[[]ingested](t, sh.must(t, "ingest", "--json", file(t, t.TempDir(), "second.txt", foundry)))
	if len(other) != 1 || other[0].Same != "foundry.txt" || len(other[0].Warnings) != 1 || !strings.Contains(other[0].Warnings[0], "as foundry.txt: nothing was added") {
		t.Errorf("under another name: %+v", other)
	}
	if out := sh.must(t, "documents", "rename", "--json", "foundry.txt", "second.txt"); decoded[documents.Renamed](t, out).Name != "second.txt" {
		t.Errorf("renamed: %s", out)
	}
	sh.must(t, "ingest", file(t, t.TempDir(), "second.txt", foundry)) // reads it again
	a := sh.app(t)
	if n, err := a.ledger.CountDocuments(t.Context(), domain.DefaultWorkspace, ""); err != nil || n.ByStatus[domain.DocumentReady] != 1 {
		t.Errorf("documents %v, %v", n, err)
	}
}

// app opens the program on the shell's folder.
func (sh shell) app(t *testing.T) *app {
	t.Helper()
	s, _, _ := sh.env()
	cfg, err := s.load("")
	if err != nil {
		t.Fatal(err)
	}
	a, err := open(t.Context(), cfg, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

func TestAFolderThatCantHoldData(t *testing.T) {
	t.Parallel()
	taken := file(t, t.TempDir(), "data", "I am a file.")
	_, err := shell{data: taken}.run(t, "ingest", taken)
	if err == nil || !strings.Contains(err.Error(), taken) || !strings.Contains(err.Error(), "DATA_DIR or --data") {
		t.Errorf("a file in place of the folder: %v", err)
	}
	disk.Small(t, "1m", func(t *testing.T, dir string) {
		defer disk.Seal(t, dir)()
		_, err := shell{data: filepath.Join(dir, "data")}.run(t, "ingest", taken)
		if err == nil || domain.KindOf(err) == domain.Internal {
			t.Errorf("a folder that may not be written: %v", err)
		}
	})
}

// TestIngestOfANewVersion adds changed files: by themselves, apart, in a folder, and as
// the next version of a document of another name.
func TestIngestOfANewVersion(t *testing.T) {
	race.Want(t)
	t.Parallel()
	sh := newShell(t)
	dir := t.TempDir()
	letter := file(t, dir, "letter.txt", foundry)
	add := func(text string, args ...string) {
		t.Helper()
		file(t, dir, "letter.txt", text)
		sh.must(t, append([]string{"ingest"}, args...)...)
	}
	check := func(when string, documents, earlier int) {
		t.Helper()
		a := sh.app(t)
		docs, n, err := a.ledger.Documents(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{})
		noError(t, err)
		versions := 0
		for _, d := range docs {
			found, err := a.ledger.Versions(t.Context(), domain.DefaultWorkspace, d.ID)
			noError(t, err)
			versions += len(found)
		}
		if n != documents || versions != earlier {
			t.Errorf("%s: %d documents with %d earlier versions, want %d with %d", when, n, versions, documents, earlier)
		}
		noError(t, a.Close())
	}
	add(foundry, letter)
	out := sh.must(t, "ingest", letter)
	add(foundry+" Later it closed.", letter)
	check("the same name", 1, 1)
	add(foundry+" Then it opened.", "--separate", letter)
	check("apart", 2, 1)
	add(foundry+" It burnt down.", dir)
	check("in a folder", 3, 1)
	add(foundry+" It was built again.", dir)
	check("in a folder once more", 3, 2)
	name := sh.versionsOf(t)
	if got := sh.must(t, "documents", "versions", "diff", name, "1"); !strings.Contains(got, "{+") {
		t.Errorf("the difference is %q", got)
	}
	if got := decoded[[]documents.VersionChange](t, sh.must(t, "documents", "versions", "diff", "--json", name, "1")); len(got) != 1 || len(got[0].Parts) < 2 {
		t.Errorf("the difference is %+v", got)
	}
	if _, err := sh.run(t, "documents", "versions", "remove", name, "2"); err == nil {
		t.Error("the version in force is removed")
	}
	other := file(t, dir, "other.txt", bridge)
	if _, err := sh.run(t, "ingest", "--new-version=letter.txt", other); err == nil || !strings.Contains(err.Error(), "matches 2 documents") {
		t.Errorf("two documents have the name: %v", err)
	}
	sh.must(t, "ingest", "--new-version="+name, other)
	check("as the next version of another", 3, 3)
	if _, err := sh.run(t, "ingest", "--new-version=letter.txt", letter, other); err == nil || !strings.Contains(err.Error(), "Name a single file") {
		t.Errorf("two files for one document: %v after %q", err, out)
	}
}

// versionsOf lists the versions of the document that has two, removes nothing, and
// returns the document's id.
func (sh shell) versionsOf(t *testing.T) string {
	t.Helper()
	a := sh.app(t)
	docs, _, err := a.ledger.Documents(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{})
	noError(t, err)
	noError(t, a.Close())
	for _, d := range docs {
		list := decoded[[]documents.ListedVersion](t, sh.must(t, "documents", "versions", "list", "--json", string(d.ID)))
		if len(list) == 2 && d.Version == 1 && list[0].Version == 2 && list[1].Until != nil {
			return string(d.ID)
		}
	}
	t.Fatal("no document has two versions")
	return ""
}
