package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/ask"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/library"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/internal/testkit/servers"
)

// The environment of a process of a fleet that is no command of the program:
// what it does, and its stores.
const (
	fleetDoes     = "CLEW_FLEET_DOES" // project, or the id of a run to begin and hold
	fleetData     = "CLEW_FLEET_DATA"
	fleetDatabase = "CLEW_FLEET_DATABASE"
	fleetNeo4j    = "CLEW_FLEET_NEO4J"
)

// shortLease is that of the workers here that are killed.
const shortLease = 2 * time.Second

// fleetProcess is what a process of a fleet does, until it is killed.
func fleetProcess(do string) error {
	ctx := context.Background()
	f := fleet{shell{data: os.Getenv(fleetData)}, os.Getenv(fleetDatabase), os.Getenv(fleetNeo4j)}
	s := surroundings{
		environ: []string{"DATA_DIR=" + f.data, "LOG_LEVEL=warn"},
		stdout:  io.Discard, stderr: os.Stderr, now: time.Now, random: rand.Reader,
		keeping: deadly(domain.RunID(do), func() { fmt.Println("holds the run") }),
	}
	cfg, err := f.over(&s)
	if err != nil {
		return err
	}
	a, err := open(ctx, cfg, s)
	if err != nil {
		return err
	}
	if do == "project" {
		return a.projectAtEachLine(ctx, os.Stdin)
	}
	if err := a.briefly().Start(ctx); err != nil {
		return err
	}
	select {}
}

// projectAtEachLine brings the stores up to date whenever it is told to. Like
// the program it tries again when a store was busy for too long.
func (a *app) projectAtEachLine(ctx context.Context, lines io.Reader) error {
	fmt.Println("ready")
	for told := bufio.NewScanner(lines); told.Scan(); {
		err := a.projector.Apply(ctx, domain.DefaultWorkspace)
		for domain.KindOf(err) == domain.Unavailable {
			err = a.projector.Apply(ctx, domain.DefaultWorkspace)
		}
		if err != nil {
			return err
		}
		fmt.Println("projected")
	}
	return nil
}

// briefly is a worker with a short lease.
func (a *app) briefly() *job.Worker {
	w := a.worker(map[string]int{library.Kind: 1, ask.Kind: 1})
	w.Lease = shortLease
	return w
}

// member is a process of a fleet that tells by lines how far it is.
type member struct {
	cmd      *exec.Cmd
	stdin    io.Writer
	lines    *bufio.Scanner
	problems *screen
}

// member starts a process of the fleet, which ends with the test.
func (f fleet) member(t *testing.T, does string) *member {
	t.Helper()
	m := &member{cmd: exec.CommandContext(t.Context(), os.Args[0]), problems: new(screen)}
	m.cmd.Env = append(os.Environ(), fleetDoes+"="+does, fleetData+"="+f.data, fleetDatabase+"="+f.database, fleetNeo4j+"="+f.neo4j)
	m.cmd.Stderr = m.problems
	stdin, err := m.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := m.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	m.stdin, m.lines = stdin, bufio.NewScanner(stdout)
	return m
}

// says waits for the next line, which has to be this one.
func (m *member) says(t *testing.T, want string) {
	t.Helper()
	if !m.lines.Scan() || m.lines.Text() != want {
		t.Fatalf("a process says %q, want %q:\n%s", m.lines.Text(), want, m.problems)
	}
}

// TestAKilledWorkerOfAFleetIsTakenOver kills a process without a word while it
// holds a run; a worker that was there all the time goes on with it.
func TestAKilledWorkerOfAFleetIsTakenOver(t *testing.T) {
	t.Parallel()
	f := newFleet(t, servers.PostgresURL(t))
	a, ctx := f.app(t), t.Context()
	added := addSample(t, a, 1)[0]
	killed := f.member(t, string(added.Run))
	killed.says(t, "holds the run")
	survivor := a.briefly()
	if err := survivor.Start(ctx); err != nil {
		t.Fatal(err)
	}
	defer survivor.Stop(context.WithoutCancel(ctx))
	before, err := a.queue.Get(ctx, domain.DefaultWorkspace, added.Run)
	if err != nil || before.Status != job.Running || before.Owner == survivor.Owner || before.Attempt != 1 {
		t.Fatalf("before the kill: %+v, %v", before, err)
	}
	if err := killed.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	wentOn(t, a, added.Run, time.Minute) // a lease, and a reading on a busy machine
	after, err := a.queue.Get(ctx, domain.DefaultWorkspace, added.Run)
	if err != nil || after.Status != job.Done || after.Attempt != 1 { // it got further at the second try
		t.Errorf("afterwards: %+v, %v", after, err)
	}
	if got := contentsIn(t, a); len(got.Documents) != 1 || got.Documents[0].Status != domain.DocumentReady || got.Stats.Chunks == 0 {
		t.Errorf("the library holds %+v", got.Documents)
	}
}

// addSample adds the first n documents of the sample library.
func addSample(t *testing.T, a *app, n int) []domain.Document {
	t.Helper()
	var docs []domain.Document
	for _, file := range sample.Files()[:n] {
		added, err := a.library.Add(t.Context(), domain.DefaultWorkspace, file.Name, strings.NewReader(string(file.Data)))
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, added.Document)
	}
	return docs
}

// TestTwoProcessesProjectOneWorkspace lets two processes fill the same empty
// stores at the same time; the stores hold what one alone had written.
func TestTwoProcessesProjectOneWorkspace(t *testing.T) {
	t.Parallel()
	f := newFleet(t, servers.PostgresURL(t))
	f.neo4j = servers.Neo4j(t).URL
	a := f.app(t)
	stop, _ := f.work(t)
	addSample(t, a, 12)
	ready(t, a, 12, 3*time.Minute)
	stop()
	want := contentsIn(t, a)
	one, two := f.member(t, "project"), f.member(t, "project")
	one.says(t, "ready")
	two.says(t, "ready")
	for round := range 3 {
		if err := a.projector.Empty(t.Context(), domain.DefaultWorkspace, projection.Stores{Graph: true, Vectors: true}); err != nil {
			t.Fatal(err)
		}
		for _, m := range []*member{one, two} {
			if _, err := fmt.Fprintln(m.stdin, "now"); err != nil {
				t.Fatal(err)
			}
		}
		one.says(t, "projected")
		two.says(t, "projected")
		if diff := cmp.Diff(want, contentsIn(t, a)); diff != "" {
			t.Errorf("round %d: -one alone +two at once\n%s", round+1, diff)
		}
	}
}
