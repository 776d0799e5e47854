package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/views/link"
)

// inWorkspace compares the contents of workspaces of different ids.
var inWorkspace = cmpopts.IgnoreFields(domain.Document{}, "Workspace")

// contentsNamed returns the contents of the workspace of a name.
func contentsNamed(t *testing.T, a *app, name string) contents {
	t.Helper()
	w, err := a.ledger.WorkspaceNamed(t.Context(), name)
	noError(t, err)
	return contentsOfWorkspace(t, a, w.ID)
}

// TestAWorkspaceMovesToAnotherInstallation moves one with an answer, a curator's decision and members into installations on
// files and on Postgres, which have a workspace of the same id, and accounts.
func TestAWorkspaceMovesToAnotherInstallation(t *testing.T) {
	t.Parallel()
	foundryFile, bridgeFile := letters(t)
	from := newShell(t)
	from.must(t, "ingest", foundryFile)
	from.must(t, "ask", "Who founded the Carrow Foundry?")
	from.must(t, "entities", "rename", "Maud Ferring", "Maud Ferring the elder")
	from.stdin = "correct horse\n"
	for _, name := range []string{"owner", "ada", "bob"} {
		from.must(t, "user", "add", name)
	}
	a := from.app(t)
	want := contentsIn(t, a)
	asked, _, err := a.ledger.Conversations(t.Context(), domain.DefaultWorkspace, 10, 0)
	noError(t, err)
	archive := filepath.Join(t.TempDir(), "library.tar.zst")
	if out := from.must(t, "backup", "--workspace", "library", archive); !strings.Contains(out, "1 document") {
		t.Errorf("backup prints %q", out)
	}
	whole := filepath.Join(t.TempDir(), "all.tar.zst")
	from.must(t, "backup", whole)

	other := newShell(t)
	other.must(t, "ingest", bridgeFile)
	bridge := filepath.Join(t.TempDir(), "bridge.tar.zst")
	other.must(t, "backup", "--workspace", "library", bridge)

	files, fleet := newShell(t), newFleet(t, servers.PostgresURL(t))
	for name, settings := range map[string]func() (config.Config, env, *screen){
		"files": func() (config.Config, env, *screen) {
			s, _, _ := files.env()
			cfg, err := s.load("")
			noError(t, err)
			return cfg, s, nil
		},
		"Postgres": func() (config.Config, env, *screen) { return fleet.settings(t) },
	} {
		t.Run(name, func(t *testing.T) {
			cfg, s, _ := settings()
			noError(t, restore(t.Context(), cfg, s, restoring{path: bridge, as: "bridge"}))
			a, err := open(t.Context(), cfg, s)
			noError(t, err)
			defer func() { noError(t, a.Close()) }()
			before := contentsNamed(t, a, "bridge")
			noError(t, a.ledger.AddAccount(t.Context(), domain.DefaultWorkspace, "ada", "hash", domain.Owner))
			noError(t, restore(t.Context(), cfg, s, restoring{path: archive, as: "county"}))
			if said := s.stdout.(*screen).String(); !strings.Contains(said, "no account here and were left out: bob") {
				t.Errorf("restore prints %q", said)
			}
			if diff := cmp.Diff(want, contentsNamed(t, a, "county"), inWorkspace); diff != "" {
				t.Errorf("-moved from +moved to\n%s", diff)
			}
			if diff := cmp.Diff(before, contentsNamed(t, a, "bridge")); diff != "" {
				t.Errorf("what was there: -before +after\n%s", diff)
			}
			w, err := a.ledger.WorkspaceNamed(t.Context(), "county")
			noError(t, err)
			moved, _, err := a.ledger.Conversations(t.Context(), w.ID, 10, 0)
			noError(t, err)
			if len(moved) != 1 || moved[0].Title != asked[0].Title {
				t.Errorf("conversations: %+v, before %+v", moved, asked)
			}
			members, err := a.ledger.Members(t.Context(), w.ID)
			noError(t, err)
			if len(members) != 1 || members[0].Account != "ada" {
				t.Errorf("members: %+v", members)
			}
			runs, err := a.queue.List(t.Context(), w.ID, job.Query{})
			noError(t, err)
			for _, r := range runs {
				if events, err := a.hub.Events(t.Context(), w.ID, r.ID, 0); err != nil || r.Kind == "answer" && len(events) == 0 {
					t.Errorf("the steps of %s: %d, %v", r.ID, len(events), err)
				}
				if r.Kind == "answer" {
					states := 0
					for _, err := range a.threads.Load(t.Context(), string(r.ID), "", 0, math.MaxInt) {
						noError(t, err)
						states++
					}
					if states == 0 {
						t.Errorf("no states of %s", r.ID)
					}
				}
			}
			file, err := os.Open(foundryFile)
			noError(t, err)
			defer file.Close()
			for _, d := range a.documents.Add(t.Context(), w.ID, filepath.Base(foundryFile), documents.How{}, file) {
				if !d.Existing || d.Err != nil {
					t.Errorf("added again: %+v", d)
				}
			}
			for _, refused := range []struct{ said, name, file string }{
				{"in this installation already, in the workspace county", "other", archive},
				{"a whole library", "other", whole},
				{"small letters", "No Name", archive},
			} {
				if err := restore(t.Context(), cfg, s, restoring{path: refused.file, as: refused.name}); err == nil || !strings.Contains(err.Error(), refused.said) {
					t.Errorf("restored as %s: %v, want %q", refused.name, err, refused.said)
				}
			}
		})
	}
	last := newShell(t)
	last.must(t, "restore", whole)
	if diff := cmp.Diff(want, contentsOf(t, last.data)); diff != "" {
		t.Errorf("a whole library: -before +restored\n%s", diff)
	}
}

// TestABackupOfOneWorkspaceHoldsNothingElse looks for the words and secrets of the rest in the archive's rows.
func TestABackupOfOneWorkspaceHoldsNothingElse(t *testing.T) {
	t.Parallel()
	foundryFile, bridgeFile := letters(t)
	one, two := newShell(t), newShell(t)
	one.must(t, "ingest", foundryFile)
	two.must(t, "ingest", bridgeFile)
	two.stdin = "correct horse\n"
	two.must(t, "user", "add", "root")
	archive := filepath.Join(t.TempDir(), "one.tar.zst")
	one.must(t, "backup", "--workspace", "library", archive)
	two.must(t, "restore", "--as", "county", archive)
	again := filepath.Join(t.TempDir(), "again.tar.zst")
	two.must(t, "backup", "--workspace", "county", again)
	rows := rowsOfArchive(t, again)
	for _, secret := range []string{"bridge.md", "Velm", "root", "$argon2id", "fence_key", "identity"} {
		if strings.Contains(rows, secret) {
			t.Errorf("the archive contains %q", secret)
		}
	}
	if !strings.Contains(rows, "Carrow Foundry") {
		t.Error("the archive lacks its own words")
	}
	if _, err := two.run(t, "backup", "--workspace", "nowhere", filepath.Join(t.TempDir(), "x")); domain.KindOf(err) != domain.NotFound {
		t.Errorf("a backup of a workspace that is not there: %v", err)
	}
	// It goes on from there with the same ids, and its own where that is free.
	three := newShell(t)
	three.must(t, "restore", again)
	a := three.app(t)
	w, err := a.ledger.WorkspaceNamed(t.Context(), "county")
	noError(t, err)
	held, _, err := a.ledger.Documents(t.Context(), w.ID, ledger.DocumentQuery{})
	noError(t, err)
	b := one.app(t)
	if want := contentsIn(t, b).Documents; len(held) != 1 || held[0].ID != want[0].ID {
		t.Errorf("documents %+v, want those of %+v", held, want)
	}
}

// TestADamagedWorkspaceChangesNothing cuts an archive off, alters it, and restores it.
func TestADamagedWorkspaceChangesNothing(t *testing.T) {
	t.Parallel()
	one, two := filledPair(t)
	archive := filepath.Join(t.TempDir(), "one.tar.zst")
	one.must(t, "backup", "--workspace", "library", archive)
	whole, err := os.ReadFile(archive)
	noError(t, err)
	before := everyFile(t, two.data)
	for name, b := range map[string][]byte{"cut off": whole[:len(whole)/2], "altered": slices.Concat(whole[:len(whole)/2], []byte("x"), whole[len(whole)/2+1:])} {
		path := filepath.Join(t.TempDir(), "broken.tar.zst")
		noError(t, os.WriteFile(path, b, 0o600))
		if _, err := two.run(t, "restore", "--as", "county", path); domain.KindOf(err) != domain.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if out := two.must(t, "workspace", "list"); strings.Contains(out, "county") {
		t.Errorf("workspaces: %s", out)
	}
	if diff := cmp.Diff(before, everyFile(t, two.data)); diff != "" {
		t.Errorf("uploaded files: -before +after\n%s", diff)
	}
}

// rowsOfArchive returns the text of all entries of an archive but files.
func rowsOfArchive(t *testing.T, archive string) string {
	t.Helper()
	f, err := os.Open(archive)
	noError(t, err)
	defer f.Close()
	unpacker, err := zstd.NewReader(f)
	noError(t, err)
	defer unpacker.Close()
	var all strings.Builder
	for in := tar.NewReader(unpacker); ; {
		head, err := in.Next()
		if errors.Is(err, io.EOF) {
			return all.String()
		}
		noError(t, err)
		if !strings.HasPrefix(head.Name, "files/") {
			_, err = io.Copy(&all, in)
			noError(t, err)
		}
	}
}

// everyFile lists the files below a data folder's uploads.
func everyFile(t *testing.T, data string) (all []string) {
	t.Helper()
	noError(t, filepath.WalkDir(filepath.Join(data, "files"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, path)
		}
		return err
	}))
	return all
}

// TestAWorkspaceMovesByPages downloads the backup of a workspace from one server and adds it to another one while that runs.
func TestAWorkspaceMovesByPages(t *testing.T) {
	race.Want(t)
	t.Parallel()
	foundryFile, bridgeFile := letters(t)
	one, two := newShell(t), newShell(t)
	one.must(t, "ingest", foundryFile)
	two.must(t, "ingest", bridgeFile)
	from, to := one.serve(t), two.serve(t)
	send := func(address, kind string, body io.Reader) (int, []byte) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, body)
		noError(t, err)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		r.Header.Set("Content-Type", kind)
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		resp, err := client.Do(r)
		noError(t, err)
		defer resp.Body.Close()
		said, err := io.ReadAll(resp.Body)
		noError(t, err)
		return resp.StatusCode, said
	}
	const form = "application/x-www-form-urlencoded"
	if status, said := send(from.url+link.Under("library", link.BackupOf("nowhere")), form, nil); status != http.StatusNotFound {
		t.Errorf("a backup of no workspace: %d %.200s", status, said)
	}
	status, archive := send(from.url+link.Under("library", link.BackupOf("library")), form, nil)
	if status != http.StatusOK {
		t.Fatalf("the backup: %d %.200s", status, archive)
	}
	add := func(as string, file []byte) (int, []byte) {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		noError(t, w.WriteField("as", as))
		part, err := w.CreateFormFile("file", "library.tar.zst")
		noError(t, err)
		_, err = part.Write(file)
		noError(t, errors.Join(err, w.Close()))
		return send(to.url+link.Under("library", link.ImportWorkspace), w.FormDataContentType(), &body)
	}
	if status, said := add("county", archive[:len(archive)/2]); status != http.StatusUnprocessableEntity || !strings.Contains(string(said), "is damaged") {
		t.Errorf("half a backup: %d", status)
	}
	if status, said := add("library", archive); status != http.StatusConflict || !strings.Contains(string(said), "already a workspace named library") {
		t.Errorf("under a name that is taken: %d", status)
	}
	if status, said := add("county", archive); status != http.StatusSeeOther {
		t.Fatalf("added: %d %.300s", status, said)
	}
	a := two.app(t)
	w, err := a.ledger.WorkspaceNamed(t.Context(), "county")
	noError(t, err)
	for stats, err := a.graph.Stats(t.Context(), w.ID); stats.Entities == 0; stats, err = a.graph.Stats(t.Context(), w.ID) {
		noError(t, err)
		time.Sleep(100 * time.Millisecond) // the server looks every few seconds
	}
}
