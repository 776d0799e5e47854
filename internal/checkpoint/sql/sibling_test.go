package sql_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/stategraph"
)

var errSibling = errors.New("a sibling failed")

// Tasks that finished beside a failed one are not called again when the run is
// resumed, whichever came first.
func TestNothingFinishedRunsAgainBesideAFailure(t *testing.T) {
	t.Parallel()
	const trials, tasks = 1000, 6
	store := open(t, time.Now)
	spared := 0
	for trial := range trials {
		random := rand.New(rand.NewPCG(1, uint64(trial)))
		calls := &siblings{fails: random.IntN(tasks), pauses: random.Perm(tasks + 1), finished: map[int]bool{}}
		g, err := fanOut(store, tasks, calls.work)
		if err != nil {
			t.Fatal(err)
		}
		thread := stategraph.Thread(fmt.Sprint("t", trial))
		if _, err := g.Run(t.Context(), fanState{}, thread, stategraph.MaxConcurrency(3)); !errors.Is(err, errSibling) {
			t.Fatalf("trial %d: got %v, want the failure", trial, err)
		}
		kept := committed(t, store, fmt.Sprint("t", trial))
		if diff := cmp.Diff(calls.finished, kept); diff != "" {
			t.Errorf("trial %d: what finished and what is on the thread (-finished +kept)\n%s", trial, diff)
		}
		spared += len(kept)
		got, err := g.Resume(t.Context(), fmt.Sprint("t", trial))
		if diff := cmp.Diff(undisturbed(tasks), got); err != nil || diff != "" {
			t.Errorf("trial %d: %v (-want +got)\n%s", trial, err, diff)
		}
		if calls.again > 0 {
			t.Errorf("trial %d: %d tasks had finished and ran again", trial, calls.again)
		}
	}
	if spared == 0 {
		t.Error("no task ever finished beside the one that failed")
	}
	t.Logf("%d trials: %d tasks had finished beside a failure, none ran again", trials, spared)
}

// siblings are tasks, one of which fails the first time, each after its own pause.
type siblings struct {
	fails  int
	pauses []int

	mu       sync.Mutex
	failed   bool
	finished map[int]bool
	again    int
}

func (s *siblings) work(i int) error {
	for range s.pauses[i] {
		runtime.Gosched()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i == s.fails && !s.failed {
		s.failed = true
		return errSibling
	}
	if s.finished[i] {
		s.again++
	}
	s.finished[i] = true
	return nil
}
