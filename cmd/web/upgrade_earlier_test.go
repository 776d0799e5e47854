package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit/servers"
)

// legacy is what a version left of the library of testdata/upgrade/README.md. Those
// before it had no summaries, changes, tags, roles or workspaces.
type legacy struct {
	Summaries, Renamed, Tagged bool
	Bob                        domain.Role // of the second account
	Mill                       bool        // a second workspace
}

// inFolders are the versions by the folder that each left.
var inFolders = map[string]legacy{
	"007": {Bob: domain.Owner},
	"018": {Summaries: true, Renamed: true, Bob: domain.Owner},
	"034": {Summaries: true, Renamed: true, Bob: domain.Curator},
	"066": {Summaries: true, Renamed: true, Tagged: true, Bob: domain.Curator},
	"091": {Summaries: true, Renamed: true, Tagged: true, Bob: domain.Curator},
	"117": {Summaries: true, Renamed: true, Tagged: true, Bob: domain.Contributor, Mill: true},
	"187": {Summaries: true, Renamed: true, Tagged: true, Bob: domain.Contributor, Mill: true},
}

// inDumps are the versions by the dump of Postgres that each left. The first one
// had no command that renames.
var inDumps = map[string]legacy{
	"018": {Summaries: true, Bob: domain.Owner},
	"117": {Summaries: true, Renamed: true, Tagged: true, Bob: domain.Contributor, Mill: true},
	"187": {Summaries: true, Renamed: true, Tagged: true, Bob: domain.Contributor, Mill: true},
}

// TestFoldersOfEarlierVersions opens the data folders that programs of earlier
// versions left.
func TestFoldersOfEarlierVersions(t *testing.T) {
	t.Parallel()
	for version, was := range inFolders {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			sh := newShellWithoutData(t)
			untar(t, filepath.Join("testdata", "upgrade", "folder-"+version+".tar.gz"), sh.data)
			warned(t, sh, true)
			was.opened(t, sh)
			warned(t, sh, false)
			copied(t, sh, newShell(t))
			signedIn(t, sh.serve(t))
		})
	}
}

// TestDumpsOfEarlierVersions opens the databases that programs of earlier versions
// left on Postgres. Graph and search index are lost, as on another machine.
func TestDumpsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	for version, was := range inDumps {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			address := servers.EmptyPostgresURL(t)
			dump, err := os.ReadFile(filepath.Join("testdata", "upgrade", "dump-"+version+".sql"))
			noError(t, err)
			_, err = servers.OpenPostgres(t, address).Writer.ExecContext(t.Context(), string(dump))
			noError(t, err)
			sh := onPostgres(t, address)
			was.opened(t, sh)
			copied(t, sh, onPostgres(t, servers.EmptyPostgresURL(t)))
		})
	}
}

// onPostgres returns a shell whose ledger is on Postgres, and its stores in files.
func onPostgres(t *testing.T, address string) shell {
	t.Helper()
	f := newFleet(t, address)
	f.environ = []string{"DATABASE_URL=" + address, "NEO4J_URL=neo4j://127.0.0.1:1", "QDRANT_URL=http://127.0.0.1:1"}
	f.stores = f.inFiles
	return f.shell
}

// warned lists entities, which are found only once the graph is filled.
func warned(t *testing.T, sh shell, want bool) {
	t.Helper()
	s, _, problems := sh.env()
	root := program(s)
	root.SetArgs([]string{"entities", "list"})
	noError(t, root.ExecuteContext(t.Context()))
	if got := strings.Contains(problems.String(), "run clew rebuild"); got != want {
		t.Errorf("warned of an empty graph: %v, want %v; %s", got, want, problems.String())
	}
}

// opened asks the library for all that was left.
func (was legacy) opened(t *testing.T, sh shell) {
	t.Helper()
	const answer = "Hannah Brock built the weir at Ellerby in 1866"
	if out := sh.must(t, "ask", "Who built the weir at Ellerby?"); !strings.Contains(out, answer) {
		t.Errorf("asked who built the weir: %s", out)
	}
	sh.documented(t)
	if out := sh.must(t, "documents", "list", "--tag", "lock"); strings.Contains(out, "the-weir-at-ellerby.md") != was.Tagged {
		t.Errorf("tagged: %s", out)
	}
	talks := leading(sh.must(t, "conversations", "list"), 1)
	if out := sh.must(t, "conversations", "show", talks[len(talks)-1]); !strings.Contains(out, "Who paid for the lamp") || !strings.Contains(out, "minutes-of-the-lock-trust.txt: “") {
		t.Errorf("the conversation of that time: %s", out)
	}
	if out := sh.must(t, "summaries", "list"); strings.Contains(out, "the-weir-at-ellerby.md") != was.Summaries {
		t.Errorf("summaries: %s", out)
	}
	if out := sh.must(t, "entities", "list"); strings.Contains(out, "Hannah Brock the Elder") != was.Renamed || !strings.Contains(out, "Hannah Brock") {
		t.Errorf("entities: %s", out)
	}
	was.peopled(t, sh)
	sh.must(t, "fsck")
}

// documented reads all documents: their text, and the bytes that were added.
func (sh shell) documented(t *testing.T) {
	t.Helper()
	for name, says := range map[string]string{
		"the-weir-at-ellerby.md":        "the bridge at Holme did not",
		"minutes-of-the-lock-trust.txt": "Edwin Pell was elected treasurer.",
		"labels-in-the-lock-house.html": "The account book of Hannah Brock.",
	} {
		if out := sh.must(t, "documents", "text", name); !strings.Contains(out, says) {
			t.Errorf("the text of %s: %s", name, out)
		}
		if out := sh.must(t, "documents", "original", name); !strings.Contains(out, says) {
			t.Errorf("the file of %s: %s", name, out)
		}
	}
}

func (was legacy) peopled(t *testing.T, sh shell) {
	t.Helper()
	if diff := cmp.Diff([]string{"ada owner", "bob " + string(was.Bob)}, leading(sh.must(t, "user", "list"), 2)); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
	want := []string{"library"}
	if was.Mill {
		want = append(want, "mill")
		if got := leading(sh.must(t, "member", "list", "--workspace", "mill"), 2); !slices.Contains(got, "bob curator") {
			t.Errorf("members of mill: %v", got)
		}
	}
	if diff := cmp.Diff(want, leading(sh.must(t, "workspace", "list"), 1)); diff != "" {
		t.Errorf("workspaces (-want +got):\n%s", diff)
	}
}

// leading returns the first columns of a table without its head.
func leading(table string, columns int) (rows []string) {
	for line := range strings.Lines(table) {
		rows = append(rows, strings.Join(strings.Fields(line)[:columns], " "))
	}
	return rows[1:]
}

// copied backs the library up, restores it in another place, and asks it.
func copied(t *testing.T, from, to shell) {
	t.Helper()
	archive := filepath.Join(t.TempDir(), "clew.tar.zst")
	from.must(t, "backup", archive)
	to.must(t, "restore", archive)
	to.documented(t)
	to.must(t, "fsck")
}

// signedIn signs in with the password of that time.
func signedIn(t *testing.T, v *served) {
	t.Helper()
	for name, status := range map[string]int{"ada": 303, "bob": 303, "carol": 401} {
		if got, _ := v.post(t, "/login", url.Values{"name": {name}, "password": {"correct horse battery"}}); got != status {
			t.Errorf("signing in as %s: status %d, want %d", name, got, status)
		}
	}
}

// untar writes the files of an archive into a folder.
func untar(t *testing.T, archive, folder string) {
	t.Helper()
	data, err := os.ReadFile(archive)
	noError(t, err)
	plain, err := gzip.NewReader(bytes.NewReader(data))
	noError(t, err)
	for r := tar.NewReader(plain); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		noError(t, err)
		at := filepath.Join(folder, head.Name)
		if head.Typeflag == tar.TypeDir {
			noError(t, os.MkdirAll(at, 0o700))
			continue
		}
		content, err := io.ReadAll(r)
		noError(t, err)
		noError(t, os.WriteFile(at, content, 0o600))
	}
}
