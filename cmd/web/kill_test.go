package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/read/parse/child"
	"github.com/clewhq/clew/internal/read/parse/render"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/testkit/race"
)

// The environment of a child process that works on a run until nodes have
// ended, and then kills itself.
const (
	killData = "CLEW_KILL_DATA"
	killRun  = "CLEW_KILL_RUN"
)

// childArgs is the variable with a child process's arguments as a JSON list.
const childArgs = "CLEW_CHILD_ARGS"

// childTells is the variable that makes a child print each node that ends, just
// before it is stored.
const childTells = "CLEW_CHILD_TELLS"

const nodeEnds = "ends: "

func tellNodes(_ string, events []stategraph.Event) {
	for _, e := range events {
		if e.Kind == stategraph.NodeEnd {
			fmt.Println(nodeEnds + e.Node)
		}
	}
}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == parserName {
		if err := child.Serve(&hostile{r: os.Stdin}, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == confineName {
		fmt.Fprintln(os.Stderr, render.Confine(os.Args[2:]))
		os.Exit(1)
	}
	if list := os.Getenv(childArgs); list != "" {
		os.Exit(childCommand(list))
	}
	if do := os.Getenv(fleetDoes); do != "" {
		err := fleetProcess(do)
		if err == nil {
			os.Exit(0)
		}
		fmt.Fprintln(os.Stderr, "ended:", err)
		os.Exit(1)
	}
	if os.Getenv(killData) == "" {
		os.Exit(m.Run())
	}
	err := killedAtWork(os.Getenv(killData), domain.RunID(os.Getenv(killRun)))
	fmt.Fprintln(os.Stderr, "still alive:", err)
	os.Exit(1)
}

func childCommand(list string) int {
	var args []string
	if err := json.Unmarshal([]byte(list), &args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	s := systemEnv()
	if os.Getenv(childTells) != "" {
		s.onEvents = tellNodes
	}
	root := program(s)
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, strings.Join(sentences(err), "\n"))
		return 1
	}
	return 0
}

// process returns a command of the program as a process, not yet started, that
// is killed when the test ends.
func (sh shell) process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	list, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(append(os.Environ(), sh.environ...), childArgs+"="+string(list), "DATA_DIR="+sh.data, "LISTEN=127.0.0.1:0", "LOG_LEVEL=error")
	return cmd
}

// openAt opens the program on a data folder.
func openAt(ctx context.Context, data string, stderr io.Writer) (*app, error) {
	return openIn(ctx, env{
		environ: []string{"DATA_DIR=" + data, "LOG_LEVEL=warn"},
		stdout:  io.Discard, stderr: stderr, now: time.Now, random: rand.Reader,
	})
}

func openIn(ctx context.Context, s env) (*app, error) {
	cfg, err := s.load("")
	if err != nil {
		return nil, err
	}
	return open(ctx, cfg, s)
}

func (a *app) all() *job.Worker {
	return a.worker(map[string]int{documents.Kind: 1, questions.Kind: 1, questions.BranchKind: 1})
}

func killedAtWork(data string, run domain.RunID) error {
	ctx := context.Background()
	a, err := openIn(ctx, env{
		environ: []string{"DATA_DIR=" + data, "LOG_LEVEL=warn"},
		stdout:  io.Discard, stderr: os.Stderr, now: time.Now, random: rand.Reader, onEvents: deadly(run, killItself),
	})
	if err != nil {
		return err
	}
	if err := a.all().Start(ctx); err != nil {
		return err
	}
	for item, err := range a.hub.Watch(ctx, domain.DefaultWorkspace, run, 0) {
		if err != nil {
			return err
		}
		for _, e := range item.Events {
			if e.Kind == trace.Settled {
				return fmt.Errorf("the run ended as %s: %s", e.Label, e.Problem)
			}
		}
	}
	return errors.New("nobody tells of the run any more")
}

func killItself() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }

// deadly calls do at the first write of a run after two nodes have ended and
// been stored, and blocks the run.
func deadly(run domain.RunID, do func()) func(thread string, events []stategraph.Event) {
	ended := 0
	return func(thread string, events []stategraph.Event) {
		if thread != string(run) {
			return
		}
		if ended > 1 {
			do()
			select {}
		}
		for _, e := range events {
			if e.Kind == stategraph.NodeEnd {
				ended++
			}
		}
	}
}

// addLong adds a document whose events come in several writes: what happens within a tenth of a second is one.
func addLong(t *testing.T, a *app) domain.Document {
	t.Helper()
	var text strings.Builder
	for n := range 1000 {
		fmt.Fprintf(&text, "Agnes Lovibond %[1]d taught arithmetic in room %[1]d of the school of Velm, which Maud Ferring %[1]d built for the Carrow Foundry in 1871.\n\n", n)
	}
	added, err := a.documents.Add(t.Context(), domain.DefaultWorkspace, "school.txt", documents.How{}, strings.NewReader(text.String())).One()
	if err != nil {
		t.Fatal(err)
	}
	return added.Document
}

// survives kills a process in the middle of a run, finishes the run in another,
// and checks that it resumed.
func survives(t *testing.T, data string, run domain.RunID) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), killData+"="+data, killRun+"="+string(run))
	out, err := child.CombinedOutput()
	if status, ok := child.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the child was to be killed: %v\n%s", err, out)
	}
	a, err := openAt(t.Context(), data, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	worker := a.all()
	if err := worker.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer worker.Stop(context.Background())
	wentOn(t, a, run)
}

// wentOn checks that a run that was interrupted once ends well and reruns no
// finished node.
func wentOn(t *testing.T, a *app, run domain.RunID) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	var all []trace.Event
	for item, err := range a.hub.Watch(ctx, domain.DefaultWorkspace, run, 0) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, item.Events...)
	}
	if ctx.Err() != nil || len(all) == 0 {
		t.Fatalf("the run has not ended after %v; it tells of %d steps", hangs, len(all))
	}
	if last := all[len(all)-1]; last.Label != string(job.Done) {
		t.Fatalf("the run ended as %s: %s", last.Label, last.Problem)
	}
	type call struct {
		node       string
		step, task int
	}
	done, resumed := map[call]bool{}, 0
	for _, e := range all {
		key := call{e.Node, e.Step, e.Task}
		switch {
		case e.Kind == string(stategraph.RunStart) && e.Resuming:
			resumed++
		case e.Kind == string(stategraph.NodeEnd):
			done[key] = true
		case e.Kind == string(stategraph.NodeStart) && done[key]:
			t.Errorf("%+v had ended and ran again", key)
		}
	}
	if resumed != 1 {
		t.Errorf("the run was resumed %d times, want once", resumed)
	}
}

func TestAKilledServerFinishesWhatItWasAt(t *testing.T) {
	race.Want(t)
	t.Parallel()
	data, ctx := t.TempDir(), t.Context()
	a, err := openAt(ctx, data, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	file := sample.Files()[0]
	if _, err := a.documents.Add(ctx, domain.DefaultWorkspace, file.Name, documents.How{}, bytes.NewReader(file.Data)).One(); err != nil {
		t.Fatal(err)
	}
	added := addLong(t, a)
	a.Close()
	survives(t, data, added.Run)

	if a, err = openAt(ctx, data, t.Output()); err != nil {
		t.Fatal(err)
	}
	m, err := a.questions.Start(ctx, questions.Question{Workspace: domain.DefaultWorkspace, Text: sample.Try()[0].Question})
	if err != nil {
		t.Fatal(err)
	}
	a.Close()
	survives(t, data, m.Run)

	if a, err = openAt(ctx, data, t.Output()); err != nil {
		t.Fatal(err)
	}
	b, err := a.questions.Vary(ctx, questions.Variation{
		Workspace: domain.DefaultWorkspace, Parent: m.Run, Step: 1, Purpose: questions.Fork, Changes: questions.Changes{Edit: answer.Edit{MaxLoops: new(0)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	a.Close()
	survives(t, data, b.Run)
}
