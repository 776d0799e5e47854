package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/tryout"
	"github.com/clewhq/clew/views/worddiff"
)

// promptCommands holds the flags that the commands on prompts share.
type promptCommands struct {
	env  env
	load func() (config.Config, error)
	json bool
}

func promptsCommand(s env, load func() (config.Config, error)) *cobra.Command {
	p := &promptCommands{env: s, load: load}
	cmd := &cobra.Command{
		Use:   "prompts",
		Short: "Show, change and try out what roles say to models",
		Example: `  clew prompts show grade > grade.tmpl
  clew prompts try grade "Who paid for the repair?" --draft grade.tmpl
  clew prompts set grade grade.tmpl --note "says more about dates"
  clew prompts reset grade`,
	}
	cmd.AddCommand(p.list(), p.show(), p.set(), p.reset(), p.versions(), p.diff(), p.try())
	return cmd
}

// command returns a subcommand that opens the library.
func (p *promptCommands) command(use, short, json string, args int, f func(ctx context.Context, a *app, args []string) error) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: cobra.ExactArgs(args), RunE: func(cmd *cobra.Command, args []string) error {
		return onGraph(cmd.Context(), p.env, p.load, func(a *app) error { return f(cmd.Context(), a, args) })
	}}
	jsonFlag(cmd, &p.json, json)
	return cmd
}

// print writes v as JSON if that is asked for, and by text otherwise.
func (p *promptCommands) print(v any, text func(w io.Writer)) error {
	if p.json {
		return printJSON(p.env.stdout, v)
	}
	table := tabwriter.NewWriter(p.env.stdout, 0, 0, 2, ' ', 0)
	text(table)
	return table.Flush()
}

// promptLine is a role in the output of clew prompts list --json.
type promptLine struct {
	Role    string `json:"role"`
	About   string `json:"about"`
	Edited  bool   `json:"edited"`
	Version int    `json:"version"`
}

func (p *promptCommands) list() *cobra.Command {
	return p.command("list", "List the roles, and which prompts were changed", jsonArray, 0, func(ctx context.Context, a *app, _ []string) error {
		var lines []promptLine
		now, err := a.prompts.CurrentAll(ctx, domain.DefaultWorkspace)
		if err != nil {
			return err
		}
		for i, prompt := range a.prompts.Prompts() {
			lines = append(lines, promptLine{prompt.Role, prompt.About, prompt.Edited(now[i]), now[i].Number})
		}
		return p.print(lines, func(w io.Writer) {
			fmt.Fprintln(w, "ROLE\tTEXT\tVERSION\tWHAT IT DOES")
			for _, l := range lines {
				text := "built-in"
				if l.Edited {
					text = "edited"
				}
				fmt.Fprintf(w, "%s\t%s\t%d\t%s\n", l.Role, text, l.Version, l.About)
			}
		})
	})
}

// shownPrompt is the output of clew prompts show --json.
type shownPrompt struct {
	domain.PromptVersion
	Parts []shownPart `json:"parts"`
}

type shownPart struct {
	Name      string             `json:"name"`
	About     string             `json:"about"`
	Variables []prompts.Variable `json:"variables"`
}

func (p *promptCommands) show() *cobra.Command {
	version, variables := -1, false
	cmd := p.command("show ROLE", "Print the text of a role's prompt", jsonObject, 1, func(ctx context.Context, a *app, args []string) error {
		v, err := a.prompts.Current(ctx, domain.DefaultWorkspace, args[0])
		if version >= 0 && err == nil {
			v, err = a.prompts.Version(ctx, domain.DefaultWorkspace, args[0], version)
		}
		if err != nil {
			return err
		}
		prompt, err := a.prompts.Prompt(args[0])
		if err != nil {
			return err
		}
		shown := shownPrompt{PromptVersion: v}
		for _, part := range prompt.Parts {
			shown.Parts = append(shown.Parts, shownPart{part.Name, part.About, part.Variables()})
		}
		if !variables && !p.json {
			fmt.Fprintln(p.env.stdout, strings.TrimRight(v.Text, "\n"))
			return nil
		}
		return p.print(shown, func(w io.Writer) {
			for _, part := range shown.Parts {
				fmt.Fprintf(w, "%s\t\t%s\n", part.Name, part.About)
				for _, v := range part.Variables {
					needed := ""
					if v.Needed {
						needed = "needed"
					}
					fmt.Fprintf(w, "  %s\t%s\t%s\n", v.Path, needed, v.About)
				}
			}
		})
	})
	cmd.Flags().IntVar(&version, "version", -1, "print this version; 0 is the built-in text")
	cmd.Flags().BoolVar(&variables, "variables", false, "list the variables of each part instead")
	return cmd
}

func (p *promptCommands) set() *cobra.Command {
	note := ""
	cmd := p.command("set ROLE FILE", "Make a file, or standard input if FILE is -, the text of a role's prompt", jsonObject, 2, func(ctx context.Context, a *app, args []string) error {
		text, err := p.read(args[1])
		if err != nil {
			return err
		}
		return p.save(ctx, a, domain.PromptVersion{Role: args[0], Text: text, Note: note})
	})
	cmd.Flags().StringVar(&note, "note", "", "why, for those who come later")
	return cmd
}

func (p *promptCommands) reset() *cobra.Command {
	return p.command("reset ROLE", "Give a role the built-in text again", jsonObject, 1, func(ctx context.Context, a *app, args []string) error {
		builtin, err := a.prompts.Version(ctx, domain.DefaultWorkspace, args[0], 0)
		if err != nil {
			return err
		}
		return p.save(ctx, a, domain.PromptVersion{Role: args[0], Text: builtin.Text, Note: "reset to the built-in text"})
	})
}

func (p *promptCommands) save(ctx context.Context, a *app, v domain.PromptVersion) error {
	now, err := a.prompts.Current(ctx, domain.DefaultWorkspace, v.Role)
	if err != nil {
		return err
	}
	if v, err = a.prompts.Save(ctx, domain.DefaultWorkspace, v, now.Number); err != nil {
		return err
	}
	return p.print(v, func(w io.Writer) {
		fmt.Fprintf(w, "Saved as version %d. Runs that start from now on use it.\n", v.Number)
	})
}

// maxPromptFile bounds what is read of a file: more than the longest prompt.
const maxPromptFile = 1 << 20

func (p *promptCommands) read(path string) (string, error) {
	b, err := readFile(path, p.env.stdin, maxPromptFile)
	return string(b), err
}

func (p *promptCommands) versions() *cobra.Command {
	return p.command("versions ROLE", "List the versions of a role's prompt, the last first", jsonArray, 1, func(ctx context.Context, a *app, args []string) error {
		all, err := a.prompts.Versions(ctx, domain.DefaultWorkspace, args[0])
		if err != nil {
			return err
		}
		return p.print(all, func(w io.Writer) {
			fmt.Fprintln(w, "VERSION\tAT\tWHO\tNOTE")
			for _, v := range all {
				at := ""
				if v.Number > 0 {
					at = v.At.Format("2006-01-02 15:04")
				}
				fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", v.Number, at, v.Who, v.Note)
			}
		})
	})
}

// changedLine is a line in the output of clew prompts diff --json.
type changedLine struct {
	Mark string `json:"mark"` // " ", "-" or "+"
	Line string `json:"line"`
}

func (p *promptCommands) diff() *cobra.Command {
	return p.command("diff ROLE A B", "Print how two versions of a role's prompt differ; 0 is the built-in text", jsonArray+" of the lines", 3, func(ctx context.Context, a *app, args []string) error {
		var texts [2]string
		for i, arg := range args[1:] {
			number, err := strconv.Atoi(arg)
			if err != nil {
				return domain.Errorf(domain.Invalid, "%q is no number of a version: clew prompts versions %s lists them.", arg, args[0])
			}
			v, err := a.prompts.Version(ctx, domain.DefaultWorkspace, args[0], number)
			if err != nil {
				return err
			}
			texts[i] = v.Text
		}
		var lines []changedLine
		for _, part := range worddiff.Lines(texts[0], texts[1]) {
			for line := range strings.SplitSeq(part.Text, "\n") {
				lines = append(lines, changedLine{map[worddiff.Kind]string{worddiff.Same: " ", worddiff.Gone: "-", worddiff.New: "+"}[part.Kind], line})
			}
		}
		return p.print(lines, func(w io.Writer) {
			for _, l := range lines {
				fmt.Fprintln(w, l.Mark+l.Line)
			}
		})
	})
}

func (p *promptCommands) try() *cobra.Command {
	draft := ""
	cmd := p.command("try ROLE WORDS", "Send a draft and the text in force with what a search for WORDS finds; nothing is saved", jsonObject, 2, func(ctx context.Context, a *app, args []string) error {
		now, err := a.prompts.Current(ctx, domain.DefaultWorkspace, args[0])
		if err != nil {
			return err
		}
		text := now.Text
		if draft != "" {
			if text, err = p.read(draft); err != nil {
				return err
			}
		}
		t, err := a.tryout().Try(ctx, domain.DefaultWorkspace, args[0], text, args[1])
		if err != nil {
			return err
		}
		return p.print(t, func(w io.Writer) { printTrial(w, t) })
	})
	cmd.Flags().StringVar(&draft, "draft", "", "file with the draft, - for standard input; the text in force if there is none")
	return cmd
}

func printTrial(w io.Writer, t tryout.Trial) {
	if t.Model == "" {
		fmt.Fprintln(w, "No model is configured: this is what would be sent.")
	}
	for _, side := range []struct {
		name string
		tryout.Side
	}{{"THE TEXT IN FORCE", t.Current}, {"THE DRAFT", t.Draft}} {
		fmt.Fprintf(w, "\n=== %s, with %q\n", side.name, t.Passage)
		for _, c := range side.Calls {
			for _, m := range c.Messages {
				fmt.Fprintf(w, "--- %s\n%s\n", m.Role, m.Text)
			}
			if t.Model != "" {
				fmt.Fprintf(w, "--- answer of %s, %d tokens sent, %d received\n%s\n", t.Model, c.Usage.Input, c.Usage.Output, c.Answer)
			}
		}
		if side.Problem != "" {
			fmt.Fprintln(w, side.Problem)
		}
	}
}

// tryout returns what tries prompts out.
func (a *app) tryout() *tryout.Service {
	p := tryout.Params{
		Mode: llm.Mode(a.cfg.ExtractMode), Prompts: a.prompts, Retriever: a.search, Passages: a.ledger, Documents: a.ledger,
	}
	if a.models.chat != nil {
		p.Chat = a.models.promptChat
	}
	return tryout.New(p)
}
