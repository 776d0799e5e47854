package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
)

// workCommand works on the queue without serving pages.
func workCommand(s surroundings, load func() (config.Config, error)) *cobra.Command {
	return &cobra.Command{
		Use:   "work",
		Short: "Read and answer what other processes were asked for, without serving pages",
		Long: `Read documents and answer questions that others have put into the queue, for
instance clew serve --no-work on the same stores. As many may run as the stores
bear: each run is carried out by one of them, and when that one falls silent
another goes on with it within 30 seconds. Ctrl-C stops it; what was at work
goes on elsewhere.`,
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
func work(ctx context.Context, cfg config.Config, s surroundings) (err error) {
	a, err := open(ctx, cfg, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	worker := a.worker(a.kinds().Concurrency())
	if err := a.begin(ctx, worker); err != nil && ctx.Err() == nil {
		return err
	}
	fmt.Fprintln(s.stdout, "Working on the queue.")
	a.log.InfoContext(ctx, "working", "settings", cfg)
	a.keepUp(ctx)
	fmt.Fprintln(s.stdout, "Stopping. What is at work goes on elsewhere, or at the next start.")
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	return worker.Stop(end)
}
