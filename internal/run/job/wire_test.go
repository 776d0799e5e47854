package job_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/lease"
	"github.com/clewhq/clew/internal/testkit/database"
)

// told is a sqlio.Wire of a process with a session, to which one session has ended.
type told struct {
	sqlio.Unwired
	session, ended string
	topics         *[]string
}

func (w told) Session() string { return w.session }

func (w told) Tell(topic, _ string) bool {
	*w.topics = append(*w.topics, topic)
	return true
}

func (w told) Ended(_ context.Context, sessions []string) ([]string, error) {
	return slices.DeleteFunc(slices.Clone(sessions), func(s string) bool { return s != w.ended }), nil
}

// TestSessionsThatAreOver takes over the runs of a process on another machine whose session is over, once it is silent too.
func TestSessionsThatAreOver(t *testing.T) {
	t.Parallel()
	db, at := database.Open(t, filepath.Join(t.TempDir(), "clew.db")), time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var topics []string
	queue := func(w told) *job.Queue {
		w.topics = &topics
		return job.Open(db.Writer, db.Reader, func() time.Time { return at }, job.WithWire(w))
	}
	ctx := t.Context()
	here, cut, far := queue(told{ended: "cut"}), queue(told{session: "cut"}), queue(told{session: "far"})
	process := lease.Process{Host: "elsewhere", PID: 1}
	for owner, q := range map[string]*job.Queue{"cut": cut, "far": far, "old": here} {
		id := domain.RunID("run " + owner)
		must(t, q.Register(ctx, owner, process))
		_, err := q.Add(ctx, job.Run{Workspace: ws, ID: id, Kind: "k"})
		must(t, err)
		if ok, err := claimOne(ctx, q, id, owner); err != nil || !ok {
			t.Fatal(ok, err)
		}
	}
	for i, want := range []int{0, 1, 0} {
		if n, err := here.TakeOver(ctx, func(lease.Process) bool { return false }); err != nil || n != want {
			t.Errorf("look %d: took over %d runs, %v; want %d", i+1, n, err, want)
		}
		at = at.Add(4 * time.Second)
	}
	topics = nil
	must(t, here.Stop(ctx, ws, "run far"))
	_, err := far.Release(ctx, "run far", "far")
	must(t, err)
	if want := []string{"stops", "runs"}; !slices.Equal(topics, want) {
		t.Errorf("others are told of %q, want %q", topics, want)
	}
}

func claimOne(ctx context.Context, q *job.Queue, id domain.RunID, owner string) (bool, error) {
	_, ok, err := q.ClaimOne(ctx, id, owner, leaseLength)
	return ok, err
}
