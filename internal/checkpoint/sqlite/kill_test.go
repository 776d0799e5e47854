package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
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

	checkpoint "github.com/clewhq/clew/internal/checkpoint/sqlite"
	"github.com/clewhq/clew/internal/sqlite"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/migrations"
)

const (
	killTasks  = 300
	killAtOnce = 8
	childDB    = "CLEW_KILL_CHILD" // the database of a child process that is to be killed
	killCount  = "CLEW_KILLS"      // how many children are killed; 20 when unset
)

type fanState struct {
	Sum  int   `json:"sum"`
	Done []int `json:"done"`
}

// fanOut is a graph of 300 tasks side by side and a node behind them; each call
// of a task is told to effect.
func fanOut(store stategraph.Checkpointer, effect func(int)) (*stategraph.Graph[fanState], error) {
	schema := stategraph.NewSchema[fanState](1)
	sum := stategraph.Sum(schema, "sum", func(s *fanState) *int { return &s.Sum })
	done := stategraph.Append(schema, "done", func(s *fanState) *[]int { return &s.Done })
	b := stategraph.New("fan", schema)
	work := stategraph.Task(b, "work", func(_ *stategraph.Context, i int) (stategraph.Update[fanState], error) {
		effect(i)
		return stategraph.Merge(sum.Add(i*i), done.Add(i)), nil
	})
	b.Node("double", func(_ *stategraph.Context, s fanState) (stategraph.Update[fanState], error) {
		return sum.Add(s.Sum), nil
	})
	b.Branch(stategraph.Start, "each", func(*stategraph.Context, fanState) (stategraph.Route[fanState], error) {
		sends := make([]stategraph.Send[fanState], killTasks)
		for i := range sends {
			sends[i] = work.Send(i)
		}
		return stategraph.Fan(sends...), nil
	}, stategraph.Case{Label: "each", Target: "work"})
	b.Edge("work", "double")
	b.Edge("double", stategraph.End)
	return b.Compile(stategraph.WithCheckpointer(store))
}

func openAt(ctx context.Context, path string) (*sqlite.DB, *checkpoint.Checkpointer, error) {
	db, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return nil, nil, err
	}
	c, err := checkpoint.New(ctx, db.Writer, db.Reader, time.Now)
	return db, c, err
}

// TestMain runs the graph in a child process, which tells its effects on its
// standard output and expects to be killed; else the tests.
func TestMain(m *testing.M) {
	path := os.Getenv(childDB)
	if path == "" {
		os.Exit(m.Run())
	}
	if err := child(path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func child(path string) error {
	ctx := context.Background()
	_, store, err := openAt(ctx, path)
	if err != nil {
		return err
	}
	g, err := fanOut(store, func(i int) { os.Stdout.WriteString(strconv.Itoa(i) + "\n") })
	if err != nil {
		return err
	}
	_, err = g.Run(ctx, fanState{}, stategraph.Thread("t"), stategraph.MaxConcurrency(killAtOnce))
	return err
}

// A process that is killed at any moment has lost nothing that finished: what
// the database holds is not called again, at most as many tasks as were at work
// are, and the result is the undisturbed one.
func TestAKilledProcessLosesNothing(t *testing.T) {
	t.Parallel()
	moments := 20
	if n, err := strconv.Atoi(os.Getenv(killCount)); err == nil {
		moments = n
	}
	template := filepath.Join(t.TempDir(), "clew.db")
	db, err := sqlite.Open(t.Context(), template, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := migrations.Up(t.Context(), db.Writer); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	empty, err := os.ReadFile(template)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range moments {
		killOnce(t, empty, 1+random.IntN(killTasks))
	}
}

// killOnce kills a child after so many effects and finishes its work.
func killOnce(t *testing.T, empty []byte, after int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clew.db")
	if err := os.WriteFile(path, empty, 0o600); err != nil {
		t.Fatal(err)
	}
	calls := killedAfter(t, path, after)
	db, store, err := openAt(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	defer store.Close()
	committed := map[int]bool{}
	records, err := store.Load(t.Context(), "t", "", 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if r.Kind == stategraph.RecordWrite {
			committed[r.Task] = true
		}
	}
	var mu sync.Mutex
	again := 0
	g, err := fanOut(store, func(i int) {
		mu.Lock()
		defer mu.Unlock()
		if committed[i] {
			t.Errorf("killed after %d calls: task %d was on the thread and ran again", after, i)
		}
		if calls[i] {
			again++
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := g.Resume(t.Context(), "t", stategraph.TakeOver())
	want := fanState{}
	for i := range killTasks {
		want.Sum += 2 * i * i
		want.Done = append(want.Done, i)
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("killed after %d calls: %v (-want +got)\n%s", after, err, diff)
	}
	if again > killAtOnce {
		t.Errorf("killed after %d calls: %d were repeated, and only %d can have been at work", after, again, killAtOnce)
	}
}

// killedAfter runs a child, kills it when it has told of so many effects, and
// returns all that it told.
func killedAfter(t *testing.T, path string, after int) map[int]bool {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childDB+"="+path)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	calls := map[int]bool{}
	lines := bufio.NewScanner(io.Reader(out))
	for lines.Scan() {
		i, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		if calls[i] = true; len(calls) == after {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil && after < killTasks-killAtOnce {
		t.Logf("the child was done before it was killed after %d calls", after)
	}
	if len(calls) < after {
		t.Fatalf("the child ended after %d calls: %s", len(calls), problems.String())
	}
	return calls
}
