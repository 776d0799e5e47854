//go:build faults

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/sqlite"
	"github.com/clewhq/clew/migrations"
)

// child starts the program in a process of its own, to be killed.
func (sh shell) child(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := sh.process(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// ledgerOf reads a data folder beside the child that works on it.
func ledgerOf(t *testing.T, data string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(data, "clew.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// at is how many documents have come to a stage since a moment, and are there.
func at(t *testing.T, db *sqlite.DB, stage string, since int64) (n int) {
	t.Helper()
	err := db.Reader.QueryRowContext(t.Context(), `SELECT count(*) FROM documents WHERE status = 'working' AND stage = ? AND updated_at >= ?`, stage, since).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// kills is how many processes are killed; CLEW_KILLS changes it.
func kills(t *testing.T) int {
	t.Helper()
	if n, err := strconv.Atoi(os.Getenv("CLEW_KILLS")); err == nil {
		return n
	}
	return 100
}

// fifty are documents that name each other's people.
func fifty(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for n := range 50 {
		var text strings.Builder
		for line := range 12 {
			fmt.Fprintf(&text, "In letter %d line %d Ann Marrow%c wrote to Tom Quill%c about the harbour of Osterby and its lamps.\n\n", n, line, 'a'+line%7, 'a'+n%11)
		}
		paths = append(paths, file(t, dir, fmt.Sprintf("letter-%02d.txt", n), text.String()))
	}
	return paths
}

// counting is a model that takes a while and counts its calls by what it was
// asked.
func counting(t *testing.T) (*llmtest.Server, func() (all, repeated int)) {
	t.Helper()
	var mu sync.Mutex
	calls := map[string]int{}
	model := llmtest.New(t)
	model.On(llmtest.Tool("knowledge_graph"), llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		mu.Lock()
		calls[r.Last()]++
		mu.Unlock()
		time.Sleep(15 * time.Millisecond) // a model's time
		nodes := []map[string]any{{"id": "Osterby", "label": "Place"}}
		for _, word := range strings.Fields(r.Last()) {
			if strings.HasPrefix(word, "Marrow") || strings.HasPrefix(word, "Quill") {
				nodes = append(nodes, map[string]any{"id": word, "label": "Person"})
			}
		}
		return llmtest.Call("knowledge_graph", map[string]any{"nodes": nodes, "relationships": []map[string]any{}})
	}))
	return model, func() (all, repeated int) {
		mu.Lock()
		defer mu.Unlock()
		for _, n := range calls {
			all += n
			repeated += n - 1
		}
		return all, repeated
	}
}

// TestFaultKilledWhileReading kills the process again and again while it reads
// fifty documents, half of the times while a document is being projected.
func TestFaultKilledWhileReading(t *testing.T) {
	const atOnce = 4
	model, count := counting(t)
	settings := []string{"LLM_PROVIDER=openai", "LLM_BASE_URL=" + model.URL, "LLM_MODEL=tiny", "LLM_API_KEY=key", "EXTRACT_MODE=tool",
		"CHUNK_TOKENS=48", fmt.Sprintf("LLM_CONCURRENCY=%d", atOnce)}
	sh := newShell(t, settings...)
	paths := fifty(t)
	args := append([]string{"ingest", "--json"}, paths...)
	db := ledgerOf(t, sh.data)
	if err := migrations.Up(t.Context(), db.Writer); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(5, 50))
	killed, extracting, projecting := 0, 0, 0
	for killed < kills(t) {
		before, _ := count()
		began := time.Now().UnixMilli()
		cmd := sh.child(t, args...)
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		finished := waitForWork(t, db, ended, func() bool {
			if killed%2 == 1 {
				return at(t, db, "project", began) > 0
			}
			now, _ := count()
			return now > before+random.IntN(atOnce)
		})
		if finished {
			break
		}
		time.Sleep(time.Duration(random.IntN(4000)) * time.Microsecond) // any moment from here
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-ended
		killed++
		if now, _ := count(); now > before && at(t, db, "extract", 0) > 0 {
			extracting++
		}
		if at(t, db, "project", began) > 0 {
			projecting++
		}
	}
	sh.must(t, args...)
	all, repeated := count()
	t.Logf("%d kills, %d while extracting, %d while projecting; %d calls, %d repeated", killed, extracting, projecting, all, repeated)
	if want := kills(t); killed < want || extracting < want/5 || projecting < want/5 {
		t.Errorf("%d kills, %d while extracting and %d while projecting: want %d, and a fifth of them each", killed, extracting, projecting, want)
	}
	if most := killed * atOnce; repeated > most {
		t.Errorf("%d calls were repeated, and at most %d can have been in flight", repeated, most)
	}
	if out := sh.must(t, "fsck"); !strings.Contains(out, "is sound: 50 documents") {
		t.Errorf("afterwards: %s", out)
	}
	undisturbed := newShell(t, settings...)
	undisturbed.must(t, args...)
	want, got := contentsOf(t, undisturbed.data), contentsOf(t, sh.data)
	for _, d := range got.Documents {
		if d.Status != domain.DocumentReady {
			t.Errorf("%s ended as %s: %s", d.Name, d.Status, d.Problem)
		}
	}
	want.Documents, got.Documents = nil, nil // they tell when they were read
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-undisturbed +killed\n%s", diff)
	}
}

// waitForWork waits until the moment has come and reports whether the child
// was done before.
func waitForWork(t *testing.T, _ *sqlite.DB, ended <-chan error, moment func() bool) (finished bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !moment() {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("the child failed by itself: %v", err)
			}
			return true
		case <-tick.C:
		case <-time.After(time.Minute):
			t.Fatal("nothing happened for a minute")
		}
	}
	return false
}

// killedAt runs a command several times and kills it at moments spread over
// the time that it takes; after each, check looks at what is left.
func (sh shell) killedAt(t *testing.T, moments int, prepare, check func(), args ...string) {
	t.Helper()
	prepare()
	began := time.Now()
	if err := sh.child(t, args...).Wait(); err != nil {
		t.Fatalf("%v undisturbed: %v", args, err)
	}
	whole := time.Since(began)
	for n := range moments {
		prepare()
		cmd := sh.child(t, args...)
		time.Sleep(whole * time.Duration(n+1) / time.Duration(moments+1))
		if err := cmd.Process.Kill(); err == nil {
			cmd.Wait()
		}
		check()
	}
}

func TestFaultKilledInBackupRestoreAndRebuild(t *testing.T) {
	sh, other := newShell(t), newShell(t)
	paths := fifty(t)
	sh.must(t, append([]string{"ingest"}, paths[:12]...)...)
	foundryFile, _ := letters(t)
	other.must(t, "ingest", foundryFile)
	large, small := contentsOf(t, sh.data), contentsOf(t, other.data)
	archive := filepath.Join(t.TempDir(), "clew.tar.zst")
	smallArchive := filepath.Join(t.TempDir(), "small.tar.zst")
	other.must(t, "backup", smallArchive)

	sh.killedAt(t, 8, func() { os.Remove(archive) }, func() {
		if _, err := os.Stat(archive); err == nil {
			sh.must(t, "restore", "--check", archive)
		}
		sh.must(t, "backup", "--force", archive)
		if diff := cmp.Diff(large, contentsOf(t, sh.data)); diff != "" {
			t.Errorf("backup changed the library -before +after\n%s", diff)
		}
	}, "backup", archive)

	sh.must(t, "backup", "--force", archive)
	other.killedAt(t, 8, func() { other.must(t, "restore", "--force", smallArchive) }, func() {
		other.must(t, "rebuild") // the stores of whatever state it is
		got := contentsOf(t, other.data)
		if !cmp.Equal(got, small) && !cmp.Equal(got, large) {
			t.Errorf("after a killed restore there are %d documents: neither the old state nor the new", len(got.Documents))
		}
		other.must(t, "restore", "--force", archive)
		if diff := cmp.Diff(large, contentsOf(t, other.data)); diff != "" {
			t.Errorf("restored again -backed up +got\n%s", diff)
		}
	}, "restore", "--force", archive)

	sh.killedAt(t, 8, func() {}, func() {
		sh.must(t, "rebuild")
		if diff := cmp.Diff(large, contentsOf(t, sh.data)); diff != "" {
			t.Errorf("rebuilt again -before +after\n%s", diff)
		}
		sh.must(t, "fsck")
	}, "rebuild")
}

func TestFaultKilledInAMigration(t *testing.T) {
	sh := newShell(t)
	path := filepath.Join(sh.data, "clew.db")
	sh.killedAt(t, 8, func() {
		if err := os.RemoveAll(sh.data); err != nil {
			t.Fatal(err)
		}
		db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := migrations.UpTo(context.Background(), db.Writer, 4); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}, func() {
		sh.must(t, "fsck") // migrates on
		db := ledgerOf(t, sh.data)
		if v, err := migrations.State(t.Context(), db.Writer); err != nil || v.Database != v.Program {
			t.Errorf("stands at %+v, error %v", v, err)
		}
		db.Close()
	}, "fsck")
}

// TestFaultTheSameFileTwiceAtOnce has two processes add and read one file.
func TestFaultTheSameFileTwiceAtOnce(t *testing.T) {
	sh, alone := newShell(t), newShell(t)
	path := fifty(t)[0]
	alone.must(t, "ingest", path)
	sh.must(t, "ask", "Is anything there?") // makes the folder
	one, two := sh.child(t, "ingest", path), sh.child(t, "ingest", path)
	if err := one.Wait(); err != nil {
		t.Errorf("the first: %v", err)
	}
	if err := two.Wait(); err != nil {
		t.Errorf("the second: %v", err)
	}
	want, got := contentsOf(t, alone.data), contentsOf(t, sh.data)
	if len(got.Documents) != 1 {
		t.Fatalf("%d documents", len(got.Documents))
	}
	want.Documents, got.Documents = nil, nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-alone +twice at once\n%s", diff)
	}
	sh.must(t, "fsck")
}
