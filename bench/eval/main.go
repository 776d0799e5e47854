// Command eval measures retrieval and answers on questions with known answers, and what is extracted, cut and merged on
// labelled passages.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/llm"
)

// env is what the commands see of the system.
type env struct {
	environ []string
	stdout  io.Writer
	now     func() time.Time
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := program(env{append([]string{"DATA_DIR=../data"}, os.Environ()...), os.Stdout, time.Now}).ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "eval:", llm.InWords(err))
		os.Exit(1)
	}
}

func program(s env) *cobra.Command {
	cmd := &cobra.Command{Use: "eval", Short: "Measure quality on labelled sets", SilenceErrors: true, SilenceUsage: true}
	cmd.AddCommand(retrievalCommand(s), answersCommand(s), chunkingCommand(s), gradingCommand(s), extractionCommand(s), resolutionCommand(s), setsCommand(s))
	return cmd
}

// load reads the settings.
func (s env) load() (config.Config, error) { return config.Load(s.environ) }

// jsonFlag adds --json to a command.
func jsonFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON, with all details")
}

func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
