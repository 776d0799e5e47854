package maintenance_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
)

// ran is a queue of runs that ended, each after so many seconds.
type ran []int

func (r ran) List(_ context.Context, _ domain.WorkspaceID, q job.Query) ([]job.Run, error) {
	if q.Kind != "a" || q.Status[0] != job.Done {
		return nil, nil
	}
	runs := make([]job.Run, len(r))
	for i, s := range r {
		began := time.Unix(int64(i), 0)
		runs[i] = job.Run{Kind: "a", StartedAt: began, FinishedAt: began.Add(time.Duration(s) * time.Second)}
	}
	return runs, nil
}

func (r ran) LatestOfEachKind(ctx context.Context, w domain.WorkspaceID, s job.Status, n int) ([]job.Run, error) {
	return r.List(ctx, w, job.Query{Kind: "a", Status: []job.Status{s}, Limit: n})
}

func (ran) Count(context.Context, domain.WorkspaceID, job.Query) (int, error) { return 0, nil }
func (ran) Workers(context.Context) ([]job.Registered, error)                 { return nil, nil }

func TestSpeedsAreRanks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		took     ran
		p50, p95 int
	}{
		{ran{7}, 7, 7}, {ran{3, 1}, 1, 3}, {ran{20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, 10, 19},
	} {
		v := maintenance.NewMonitor(maintenance.MonitorParams{Queue: tt.took, Kinds: run.Kinds{{Name: "a", Title: "A"}, {Name: "b"}}})
		got, err := v.Speeds(t.Context(), "w")
		if err != nil {
			t.Fatal(err)
		}
		want := []maintenance.Speed{{Kind: "A", Runs: len(tt.took), P50: time.Duration(tt.p50) * time.Second, P95: time.Duration(tt.p95) * time.Second}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-want +got)\n%s", tt.took, diff)
		}
	}
}

// One question that the library answers and one that it does not.
func TestAnswersAreSummedUpFromTheirSteps(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	a.Read(t, "school.txt", "Agnes Lovibond taught arithmetic at the school.\n")
	a.Answered(t, "", "Who taught arithmetic?")
	if m := a.Answered(t, "", "Which submarine sank in the flood?"); m.Text != answer.SaysNothing {
		t.Fatalf("the answer is %q", m.Text)
	}
	v := maintenance.NewMonitor(maintenance.MonitorParams{Queue: a.Queue, Events: a.Hub, Answering: a.Kinds.Named(questions.Kind), Now: a.Clock.Now})
	got, err := v.Answers(t.Context(), testkit.Workspace)
	testkit.Must(t, err)
	if got.Questions != 2 || got.Loops != 3 || got.Capped != 1 || got.Yes != 1 || got.No != 0 || got.Ungiven != 0 {
		t.Errorf("%+v", got)
	}
}

func TestWhatFailedIsTold(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	ctx := t.Context()
	_, err := a.Queue.Add(ctx, job.Run{Workspace: testkit.Workspace, ID: "r1", Kind: "k", Subject: "s"})
	testkit.Must(t, err)
	v := maintenance.NewMonitor(maintenance.MonitorParams{Queue: a.Queue, Now: a.Clock.Now})
	q, err := v.QueueState(ctx, testkit.Workspace)
	testkit.Must(t, err)
	if q.Waiting != 1 || q.Running != 0 || q.Oldest.IsZero() || len(q.Late) != 0 {
		t.Errorf("%+v", q)
	}
}
