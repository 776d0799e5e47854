package main

import (
	"context"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/run/job"
)

// TestWhatNobodyWaitsForIsStoppedOnAServer ends commands while a server that works on nothing keeps them waiting.
func TestWhatNobodyWaitsForIsStoppedOnAServer(t *testing.T) {
	t.Parallel()
	built(t)
	sh := newShell(t)
	s, _, _ := sh.env()
	s.noWork = true
	cfg, err := s.load("")
	noError(t, err)
	v := launched(t, cfg, s)
	secret, _, _ := strings.Cut(sh.must(t, "token", "create", "remote", "--preset", "everything"), "\n")
	far := newShellWithoutData(t, "CLEW_SERVER="+v.url, "CLEW_TOKEN="+secret)
	sh.must(t, "eval", "questions", "add", "Who founded the Carrow Foundry?", "--answer", "Maud Ferring")
	a := sh.app(t)
	for _, args := range [][]string{{"ask", "Who founded the Carrow Foundry?"}, {"eval", "questions", "run"}} {
		ctx, cancel := context.WithCancel(t.Context())
		s, _, stderr := far.env()
		root := program(s)
		root.SetArgs(args)
		ended := make(chan error, 1)
		go func() { ended <- root.ExecuteContext(ctx) }()
		for n := 0; n == 0; {
			n, err = a.queue.Count(t.Context(), domain.DefaultWorkspace, job.Query{Status: []job.Status{job.Waiting}})
			noError(t, err)
		}
		for args[0] == "eval" && !strings.Contains(stderr.String(), "0 of 1") { // it knows what to stop
			_ = domain.Sleep(t.Context(), lookEach)
		}
		cancel()
		if err := <-ended; err == nil || err.Error() != "Stopped." {
			t.Errorf("clew %v: %v", args, err)
		}
		list := listRuns(t, sh, "--state", "waiting")
		if len(list) != 0 && args[0] != "ask" { // which may be ended before the server has told of its run
			t.Errorf("after clew %v was ended there wait %+v", args, list)
		}
		for _, left := range list {
			sh.must(t, "run", "stop", string(left.ID))
		}
		if args[0] == "eval" && !strings.Contains(stderr.String(), "asks the rest") {
			t.Errorf("clew %v says %s", args, stderr)
		}
	}
	if all := decoded[[]evaluation.Evaluation](t, sh.must(t, "eval", "questions", "history", "--json")); len(all) != 1 || all[0].Working() {
		t.Errorf("the evaluation is %+v", all)
	}
}

// TestAQuestionWaitsForAPersonOnAServer asks and goes on, here and on a server.
func TestAQuestionWaitsForAPersonOnAServer(t *testing.T) {
	t.Parallel()
	sh := read(t)
	v := sh.serve(t)
	secret, _, _ := strings.Cut(sh.must(t, "token", "create", "remote", "--preset", "everything"), "\n")
	far := newShellWithoutData(t, "CLEW_SERVER="+v.url, "CLEW_TOKEN="+secret)
	var said, went []string
	for _, on := range []shell{sh, far} {
		out := on.must(t, "ask", "--stop-before-writing", "Who founded the Carrow Foundry?")
		_, rest, _ := strings.Cut(out, "clew run continue ")
		id, _, _ := strings.Cut(rest, " ")
		said = append(said, strings.ReplaceAll(out, id, "ID"))
		went = append(went, on.must(t, "run", "continue", id))
		if _, err := on.run(t, "run", "continue", id); domain.KindOf(err) != domain.Conflict {
			t.Errorf("a second time: %v", err)
		}
	}
	if said[0] != said[1] || went[0] != went[1] || !strings.Contains(said[0], "Waiting for you.") || !strings.Contains(went[0], "Maud Ferring") {
		t.Errorf("here\n%s%s\non the server\n%s%s", said[0], went[0], said[1], went[1])
	}
}
