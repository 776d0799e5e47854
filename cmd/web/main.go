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
		message, ok := domain.MessageOf(err)
		if !ok {
			message = err.Error()
		}
		fmt.Fprintln(os.Stderr, "clew:", message)
		os.Exit(1)
	}
}
