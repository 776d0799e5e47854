// Command clew turns documents into a knowledge graph and answers questions
// from it, showing every step. Without a command it serves the web
// application; clew --help lists what else it does.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/clewhq/clew/internal/domain"
)

// version is set by the build.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := program(standard()).ExecuteContext(ctx)
	stop()
	if err != nil {
		for _, line := range told(err) {
			fmt.Fprintln(os.Stderr, "clew:", line)
		}
		os.Exit(1)
	}
}

// told is what a person is told of an error: of several joined, each by the
// sentence that was made for them.
func told(err error) []string {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var lines []string
		for _, e := range several.Unwrap() {
			lines = append(lines, told(e)...)
		}
		return lines
	}
	return []string{domain.InWords(err)}
}
