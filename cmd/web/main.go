// Command clew turns documents into a knowledge graph and answers questions from it, showing every
// step. Without a command it serves the web application; clew --help lists the commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/clewhq/clew/internal/llm"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := whyEnded(ctx, program(systemEnv()).ExecuteContext(ctx))
	stop()
	if err != nil {
		for _, line := range sentences(err) {
			fmt.Fprintln(os.Stderr, "clew:", line)
		}
		os.Exit(1)
	}
}

// whyEnded returns the error of a command as a person is told of it: Stopped in place of what failed because a signal
// ended ctx.
func whyEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return stopped()
	}
	return err
}

// sentences returns the user-facing sentence of each error joined in err.
func sentences(err error) []string {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var lines []string
		for _, e := range several.Unwrap() {
			lines = append(lines, sentences(e)...)
		}
		return lines
	}
	return []string{llm.InWords(err)}
}
