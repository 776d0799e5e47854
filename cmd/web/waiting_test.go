package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/run/job"
)

// TestIngestSaysThatItWaitsAtACap reads two documents at a cap, on a terminal and without one, as text and as JSON: one line on
// standard error names the cap and the time, and standard output holds nothing of it.
func TestIngestSaysThatItWaitsAtACap(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{"text": nil, "json": {"--json"}, "terminal": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sh := atCap(t)
			foundryFile, bridgeFile := letters(t)
			s, stdout, stderr := sh.env()
			s.terminal = name == "terminal"
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			root := program(s)
			root.SetArgs(append(append([]string{"ingest"}, args...), foundryFile, bridgeFile))
			ended := make(chan error, 1)
			go func() { ended <- root.ExecuteContext(ctx) }()
			for deadline := time.Now().Add(hangs); !strings.Contains(stderr.String(), "waits until"); {
				select {
				case err := <-ended:
					t.Fatalf("ended with %v: %s", err, stderr)
				case <-time.After(10 * time.Millisecond):
				}
				if time.Now().After(deadline) {
					t.Fatalf("says nothing: %q", stderr)
				}
			}
			cancel()
			if err := <-ended; err == nil || !strings.Contains(err.Error(), "Stopped") {
				t.Errorf("stopped: %v", err)
			}
			said := stderr.String()
			if strings.Count(said, "waits until") != 1 || !strings.Contains(said, ".txt waits until ") || !strings.Contains(said, "The cap of the workspace is reached") {
				t.Errorf("says %q", said)
			}
			if strings.Contains(stdout.String(), "waits until") {
				t.Errorf("standard output holds %q", stdout)
			}
		})
	}
}

// TestAReasonToWaitIsSaidOnce tells of runs as they are found, one after the other.
func TestAReasonToWaitIsSaidOnce(t *testing.T) {
	t.Parallel()
	s, _, stderr := shell{}.env()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return now }
	a := &app{base: &base{env: s}}
	var w waits
	at := func(problem string, after time.Duration) job.Run {
		return job.Run{Status: job.Waiting, Problem: problem, NextTry: now.Add(after)}
	}
	for _, c := range []struct {
		run  job.Run
		says string
	}{
		{job.Run{Status: job.Running, Problem: "The model server does not answer."}, ""},
		{at("", 0), ""},
		{at("The model server does not answer.", 5*time.Second), "a.txt waits until 1 March 2026, 12:00 at most. The model server does not answer.\n"},
		{at("The model server does not answer.", 15*time.Second), ""},
		{at("The model server does not answer.", 2*time.Hour), "a.txt waits until 1 March 2026, 14:00 at most. The model server does not answer.\n"},
		{at("The cap of a day is reached.", 12*time.Hour), "a.txt waits until 2 March 2026, 00:00 at most. The cap of a day is reached.\n"},
	} {
		before := stderr.String()
		w.say(a, c.run, "a.txt")
		if got := strings.TrimPrefix(stderr.String(), before); got != c.says {
			t.Errorf("%+v: says %q, want %q", c.run, got, c.says)
		}
	}
}

// TestEntitiesAreComparedAfterACommand leaves nothing in the queue after documents were read and deleted without a server.
func TestEntitiesAreComparedAfterACommand(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	foundryFile, bridgeFile := letters(t)
	compared := func(when string, want int) {
		t.Helper()
		a := sh.app(t)
		defer func() { noError(t, a.Close()) }()
		runs, err := a.queue.List(t.Context(), domain.DefaultWorkspace, job.Query{Kind: proposals.Kind})
		noError(t, err)
		done := 0
		for _, r := range runs {
			if r.Status == job.Done {
				done++
			} else {
				t.Errorf("%s: a comparison is left as %s", when, r.Status)
			}
		}
		if done < want {
			t.Errorf("%s: %d comparisons, want %d", when, done, want)
		}
	}
	s, stdout, stderr := sh.env()
	root := program(s)
	root.SetArgs([]string{"ingest", "--json", foundryFile, bridgeFile})
	noError(t, root.ExecuteContext(t.Context()))
	compared("after reading", 1)
	if !strings.Contains(stderr.String(), "Comparing entities") || strings.Contains(stdout.String(), "Comparing") {
		t.Errorf("says %q and prints %q", stderr, stdout)
	}
	sh.must(t, "documents", "delete", "--yes", "foundry.txt")
	compared("after deleting", 2)
}

// atCap connects a model to a library that has used up its cap.
func atCap(t *testing.T) shell {
	t.Helper()
	sh := connected(t, obliging(t))
	sh.must(t, "ingest", file(t, t.TempDir(), "first.txt", "Agnes Lovibond taught at the school of Osterby."))
	sh.must(t, "usage", "caps", "workspace", "1 tokens")
	return sh
}
