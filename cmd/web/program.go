package main

import (
	"context"
	"crypto/rand"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
)

// surroundings is what the program touches outside itself, so that a test can
// run all of it.
type surroundings struct {
	environ  []string
	stdin    io.Reader
	stdout   io.Writer
	stderr   io.Writer
	terminal bool // stdout is a terminal: progress may be redrawn
	now      func() time.Time
	random   io.Reader
	stores   func(*app, context.Context) error              // opens graph and vectors; nil opens those of the settings
	keeping  func(thread string, events []stategraph.Event) // hears what is about to be kept of a run; nil: nobody
	idle     bool                                           // serve leaves the queue to others
	pace     time.Duration                                  // between two words that the built-in mode writes; 0 writes them at once
}

// reading is a pace at which words can be followed as they are written.
const reading = 12 * time.Millisecond

func standard() surroundings {
	return surroundings{
		environ: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		terminal: term.IsTerminal(int(os.Stdout.Fd())), now: time.Now, random: rand.Reader,
	}
}

// program is the tree of commands.
func program(s surroundings) *cobra.Command {
	root := &cobra.Command{
		Use:   "clew",
		Short: "Ask your documents, and follow the thread back to the words",
		Long: `Clew reads your documents, draws who and what is connected, and answers
questions with the exact sentence it relied on, showing every step.

It needs no server, no key and no model: everything lives in one folder.
Settings are environment variables; docs/config.md lists them.`,
		Example: `  clew                                   serve on http://127.0.0.1:8080
  clew ingest letters/*.pdf minutes.docx read some documents
  clew ask "Who paid for the repair?"    ask a question here
  clew summarize minutes.docx            sum a document up
  clew user add ada                      make an account`,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
	}
	root.SetOut(s.stdout)
	root.SetErr(s.stderr)
	data := root.PersistentFlags().String("data", "", "folder that holds everything (the setting DATA_DIR; ./data when neither is given)")
	load := func() (config.Config, error) { return s.load(*data) }
	serve := serveCommand(s, load)
	root.RunE = serve.RunE
	root.AddCommand(serve, workCommand(s, load), ingestCommand(s, load), askCommand(s, load), summarizeCommand(s, load), userCommand(s, load),
		backupCommand(s, load), restoreCommand(s, load), fsckCommand(s, load), rebuildCommand(s, load), doctorCommand(s, load), evalCommand(s), graphCommand(s), docsCommand(s), healthCommand(s, load))
	return root
}

// load reads the settings; the flag wins over the environment.
func (s surroundings) load(data string) (config.Config, error) {
	environ := s.environ
	if data != "" {
		environ = append(append([]string{}, environ...), "DATA_DIR="+data)
	}
	return config.Load(environ)
}

// ids draws from the surroundings' randomness.
func (s surroundings) ids() domain.IDs { return domain.IDs{Random: s.random} }
