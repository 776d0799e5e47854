package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web/mcp"
)

// mcpCommand serves the Model Context Protocol on standard input and output.
func mcpCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var write bool
	var address string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Let a program on this machine use the library (MCP on standard input and output)",
		Long: `Serve the Model Context Protocol on standard input and output, for programs such as
Claude Desktop, Cursor or VS Code that start it themselves. It reads and answers;
with --write it also adds texts, merges and renames. docs/connect.md says how to
set these programs up. Over the network, clew serve answers at /mcp with a token.`,
		Example: `  clew mcp
  clew mcp --write --url http://127.0.0.1:8080`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := load()
			if err != nil {
				return err
			}
			return talk(cmd.Context(), cfg, s, mcp.Caller{Address: cmp.Or(strings.TrimSuffix(address, "/"), cfg.PublicURL()), May: func(scope operation.Scope) bool {
				return slices.Contains([]operation.Scope{operation.Read, operation.Ask, operation.Summarize}, scope) || write
			}})
		},
	}
	cmd.Flags().BoolVar(&write, "write", false, "let it add texts, merge and rename")
	cmd.Flags().StringVar(&address, "url", "", "the address of the pages, to be put before the addresses of passages (default PUBLIC_URL)")
	return cmd
}

// talk works on the queue and serves the protocol until the other side leaves.
func talk(ctx context.Context, cfg config.Config, s env, by mcp.Caller) error {
	in, out := s.stdin, s.stdout
	s.stdout = s.stderr // standard output belongs to the other side
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r, err := launch(ctx, cfg, s)
	if err != nil {
		return err
	}
	a := r.used.Load()
	ctx, w, err := a.chosen(domain.WithPerson(ctx, atTerminal))
	if err != nil {
		return errors.Join(err, a.Close())
	}
	may := by.May
	by.May = func(scope operation.Scope) bool { return may(scope) && (scope.Keeps() || w.Refuse() == nil) }
	began, worked := make(chan struct{}), make(chan error, 1)
	go func() { worked <- r.run(func() { close(began) }, "") }()
	select {
	case <-began:
	case err := <-worked:
		return err
	}
	err = mcp.New(a.operations(), a.asker(), version).Talk(ctx, by, io.NopCloser(in), unclosed{out})
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		err = nil
	}
	stop()
	return errors.Join(err, <-worked)
}

// unclosed is a writer that stays open.
type unclosed struct{ io.Writer }

// Close implements io.Closer.
func (unclosed) Close() error { return nil }
