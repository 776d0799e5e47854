package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
)

// workCommand works on the queue without serving pages.
func workCommand(s env, load func() (config.Config, error)) *cobra.Command {
	return &cobra.Command{
		Use:   "work",
		Short: "Work on the queue without serving pages",
		Long: `Read documents and answer questions that other processes queued, for instance
clew serve --no-work on the same stores. Any number may run: each run belongs to
one of them, and when that one dies another takes it over within seconds. Ctrl-C
stops it; unfinished work continues elsewhere.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := load()
			if err != nil {
				return err
			}
			return work(cmd.Context(), cfg, s)
		},
	}
}

// work works on the queue until ctx ends.
func work(ctx context.Context, cfg config.Config, s env) error {
	r := newRunning(ctx, cfg, s)
	err := r.await(func(*slog.Logger) { fmt.Fprintf(s.stdout, "Waiting. %s\n", r.Ready(ctx)) }, func(*app) error { return nil })
	if err != nil || r.used.Load() == nil {
		return err
	}
	return r.run(func() {
		fmt.Fprintln(s.stdout, "Working on the queue.")
		r.used.Load().log.InfoContext(ctx, "working", "settings", cfg)
	}, "Stopping. Unfinished work continues elsewhere, or at the next start.")
}
