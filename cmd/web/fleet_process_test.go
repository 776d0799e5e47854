package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/sample"
)

// The environment of a process of a fleet that is no command of the program:
// what it does, and its stores.
const (
	fleetDoes     = "CLEW_FLEET_DOES" // project, restore:FILE, migrate, work, or the id of a run to begin and hold
	fleetData     = "CLEW_FLEET_DATA"
	fleetDatabase = "CLEW_FLEET_DATABASE"
	fleetNeo4j    = "CLEW_FLEET_NEO4J"
)

const (
	doesRestore = "restore:"
	doesMigrate = "migrate"
	doesAsk     = "ask"
	doesWork    = "work"
)

// fleetProcess is the main function of a fleet process that is not a command.
func fleetProcess(do string) error {
	ctx := context.Background()
	f := fleet{shell{data: os.Getenv(fleetData)}, os.Getenv(fleetDatabase), os.Getenv(fleetNeo4j)}
	s := env{
		environ: append(os.Environ(), "DATA_DIR="+f.data, "LOG_LEVEL=warn", "MAX_WAITING_QUESTIONS=100000"),
		stdout:  io.Discard, stderr: os.Stderr, now: time.Now, random: rand.Reader,
		onEvents: deadly(domain.RunID(do), func() { fmt.Println("holds the run") }),
	}
	cfg, err := f.over(&s)
	if err != nil {
		return err
	}
	if path, ok := strings.CutPrefix(do, doesRestore); ok {
		return restore(ctx, cfg, s, restoring{path: path, force: true})
	}
	if do == doesWork {
		ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
		defer stop()
		s.stdout = os.Stdout
		return work(ctx, cfg, s)
	}
	a, err := open(ctx, cfg, s)
	if err != nil || do == doesMigrate {
		return err
	}
	switch do {
	case "project":
		return a.projectAtEachLine(ctx, os.Stdin)
	case doesAsk:
		return a.askWithoutEnd(ctx)
	}
	a.listen()
	if err := a.briefly().Start(ctx); err != nil {
		return err
	}
	select {}
}

// askWithoutEnd queues questions and summaries that nobody processes. It is ready
// once it has queued one of each.
func (a *app) askWithoutEnd(ctx context.Context) error {
	for said := false; ; {
		_, err := a.questions.Start(ctx, questions.Question{Workspace: domain.DefaultWorkspace, Text: "Who founded the Carrow Foundry?"})
		if err != nil {
			return err
		}
		if _, err := a.summaries.Start(ctx, summaries.Order{Workspace: domain.DefaultWorkspace, Whole: true}); err != nil {
			return err
		}
		if !said {
			fmt.Println("ready")
			said = true
		}
	}
}

// projectAtEachLine updates the stores at each input line, retrying busy stores
// like the program.
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

// briefly returns a worker that soon sees that another one was killed. Its lease is the
// usual one, so that a busy machine does not end it.
func (a *app) briefly() *job.Worker {
	w := a.worker(map[string]int{documents.Kind: 1, questions.Kind: 1})
	w.Heartbeat = time.Second
	return w
}

// member starts a fleet process that ends with the test and reports progress in
// lines.
type member struct {
	cmd      *exec.Cmd
	stdin    io.Writer
	lines    *bufio.Scanner
	problems *screen
}

// member starts a fleet process that ends with the test and reports progress in
// lines.
func (f fleet) member(t *testing.T, does string) *member {
	t.Helper()
	m := &member{cmd: exec.CommandContext(t.Context(), os.Args[0]), problems: new(screen)}
	m.cmd.Env = append(append(os.Environ(), f.environ...), fleetDoes+"="+does, fleetData+"="+f.data, fleetDatabase+"="+f.database, fleetNeo4j+"="+f.neo4j)
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

// says waits for the next line and compares it.
func (m *member) says(t *testing.T, want string) {
	t.Helper()
	late := time.AfterFunc(hangs, func() { _ = m.cmd.Process.Kill() }) // so that no more lines come
	defer late.Stop()
	if !m.lines.Scan() || m.lines.Text() != want {
		t.Fatalf("a process says %q, want %q:\n%s", m.lines.Text(), want, m.problems)
	}
}

// addSample adds the first n documents of the sample library.
func addSample(t *testing.T, a *app, n int) []domain.Document {
	t.Helper()
	var docs []domain.Document
	for _, file := range sample.Files()[:n] {
		added, err := a.documents.Add(t.Context(), domain.DefaultWorkspace, file.Name, documents.How{}, strings.NewReader(string(file.Data))).One()
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, added.Document)
	}
	return docs
}
