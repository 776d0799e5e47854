package sql_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	checkpoint "github.com/clewhq/clew/internal/checkpoint/sql"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/clewhq/clew/internal/testkit/database"
)

const (
	killTasks  = 300
	killAtOnce = 8
	childDB    = "CLEW_KILL_CHILD" // the database of a child process
	killCount  = "CLEW_KILLS"      // how many children are killed; 20 when unset
	killSeed   = "CLEW_KILL_SEED"  // of the moments; 1 when unset
)

type fanState struct {
	Sum  int   `json:"sum"`
	Done []int `json:"done"`
}

// fanOut builds a graph of tasks side by side that each call work, and a node after
// them.
func fanOut(store stategraph.Checkpointer, tasks int, work func(int) error) (stategraph.Runnable[fanState], error) {
	schema := state.NewSchema[fanState](1)
	sum := state.Sum(schema, "sum", func(s *fanState) *int { return &s.Sum })
	done := state.Append(schema, "done", func(s *fanState) *[]int { return &s.Done })
	b := stategraph.New("fan", schema)
	task := stategraph.Task(b, "work", func(_ *stategraph.Context, i int) (state.Update[fanState], error) {
		return state.Merge(sum.Add(i*i), done.Add(i)), work(i)
	})
	b.Node("double", func(_ *stategraph.Context, s fanState) (state.Update[fanState], error) {
		return sum.Add(s.Sum), work(tasks)
	})
	b.Branch(stategraph.Start, "each", func(*stategraph.Context, fanState) (stategraph.Route[fanState], error) {
		sends := make([]stategraph.Send[fanState], tasks)
		for i := range sends {
			sends[i] = task.Send(i)
		}
		return stategraph.Fan(sends...), nil
	}, stategraph.Case{Label: "each", Target: "work"})
	b.Edge("work", "double")
	b.Edge("double", stategraph.End)
	return b.Compile(stategraph.WithCheckpointer(store))
}

// undisturbed returns the last state of a fan-out that nothing interrupted.
func undisturbed(tasks int) (s fanState) {
	for i := range tasks {
		s.Sum += 2 * i * i
		s.Done = append(s.Done, i)
	}
	return s
}

// committed returns the tasks of the fan-out whose updates are on a thread.
func committed(t *testing.T, store stategraph.Checkpointer, thread string) map[int]bool {
	t.Helper()
	found := map[int]bool{}
	for r, err := range store.Load(t.Context(), thread, "", 1, 1) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Kind == stategraph.RecordWrite {
			found[r.Task] = true
		}
	}
	return found
}

func openAt(ctx context.Context, path string) (*sqlite.DB, *checkpoint.Checkpointer, error) {
	db, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return nil, nil, err
	}
	c, err := checkpoint.New(ctx, db.Writer, db.Reader, time.Now)
	return db, c, err
}

// TestMain runs the graph in a child process, which expects to be killed, and
// otherwise the tests.
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

// child begins or resumes the run. It prints a line when it is ready and for each
// call, and then the result.
func child(path string) error {
	ctx := context.Background()
	_, store, err := openAt(ctx, path)
	if err != nil {
		return err
	}
	g, err := fanOut(store, killTasks, func(i int) error {
		_, err := os.Stdout.WriteString(strconv.Itoa(i) + "\n")
		return err
	})
	if err != nil {
		return err
	}
	fmt.Println("here")
	s, err := g.Run(ctx, fanState{}, stategraph.Thread("t"), stategraph.OrResume(), stategraph.MaxConcurrency(killAtOnce))
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(s)
}

// A process killed at any moment loses nothing that finished: another calls no
// committed task again, at most as many as were running, and its result is the
// undisturbed one. This process counts the calls of both.
func TestAKilledProcessLosesNothing(t *testing.T) {
	t.Parallel()
	moments, seed := number(t, killCount, 20), number(t, killSeed, 1)
	var repeated, called int
	for moment := range moments {
		random := rand.New(rand.NewPCG(uint64(seed), uint64(moment)))
		again, all := killOnce(t, 1+random.IntN(killTasks+3))
		repeated, called = repeated+again, called+all
	}
	t.Logf("%d processes killed, seed %d: %d of %d calls were made again, none of them committed", moments, seed, repeated, called)
}

// number returns a setting of the test.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// killOnce kills a child after it printed the given number of lines, and lets another
// finish its work. It returns how many calls were made twice, and how many in all.
func killOnce(t *testing.T, lines int) (again, all int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clew.db")
	if err := database.Make(path); err != nil {
		t.Fatal(err)
	}
	first, _ := runChild(t, path, lines)
	kept := keptBy(t, path)
	second, result := runChild(t, path, 0)

	calls := map[int]int{}
	for _, i := range first {
		calls[i]++
	}
	for _, i := range second {
		if kept[i] {
			t.Errorf("killed after %d lines: task %d was on the thread and ran again", lines, i)
		}
		if calls[i]++; calls[i] > 1 {
			again++
		}
	}
	if len(calls) != killTasks+1 {
		t.Errorf("killed after %d lines: %d of %d were called", lines, len(calls), killTasks+1)
	}
	if again > killAtOnce {
		t.Errorf("killed after %d lines: %d were called again, and only %d can have been at work", lines, again, killAtOnce)
	}
	if diff := cmp.Diff(undisturbed(killTasks), result); diff != "" {
		t.Errorf("killed after %d lines (-want +got)\n%s", lines, diff)
	}
	return again, len(first) + len(second)
}

// keptBy returns the tasks committed by a dead process.
func keptBy(t *testing.T, path string) map[int]bool {
	t.Helper()
	db, store, err := openAt(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	defer store.Close()
	return committed(t, store, "t")
}

// runChild runs a child, kills it after the given number of lines, if any, and
// returns the calls it printed and its result, if it has one.
func runChild(t *testing.T, path string, lines int) (calls []int, result fanState) {
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
	told := 0
	for scan := bufio.NewScanner(out); scan.Scan(); {
		if told++; told == lines {
			if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
		}
		if i, err := strconv.Atoi(scan.Text()); err == nil {
			calls = append(calls, i)
		} else if strings.HasPrefix(scan.Text(), "{") {
			if err := json.Unmarshal(scan.Bytes(), &result); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err != nil && lines == 0 || told < lines {
		t.Fatalf("the child ended after %d lines: %v: %s", told, err, problems.String())
	}
	return calls, result
}
