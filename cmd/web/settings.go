package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/settings"
)

func settingsCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var asJSON, changed bool
	// with opens the program for a command.
	with := func(ctx context.Context, do func(ctx context.Context, a *app) error) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		a, err := open(ctx, cfg, s)
		if err != nil {
			return err
		}
		return errors.Join(do(domain.WithPerson(ctx, atTerminal), a), a.Close())
	}
	cmd := &cobra.Command{
		Use:   "settings [WORD...]",
		Short: "Show how Clew is set, and change it",
		Long: `Show how Clew is set, as the page Settings does: the rows of its three parts, then
every setting with its value, where that is set and its default; with words, the
settings that have all of them in their name, value or description. Secrets are
never shown.

What the environment sets goes before what is set here or in the page.`,
		Example: `  clew settings                        everything
  clew settings ocr                    what has to do with scans
  clew settings --changed              what is not its default
  clew settings set MAX_LOOPS 2        change a setting
  clew settings reset MAX_LOOPS        back to the default`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return with(cmd.Context(), func(ctx context.Context, a *app) error {
				st, err := a.overview().Look(ctx)
				if err != nil {
					return err
				}
				words := strings.Join(args, " ")
				st.List = slices.DeleteFunc(st.List, func(one settings.Setting) bool { return !one.Says(words) || changed && !one.Changed() })
				switch {
				case asJSON:
					return printJSON(s.stdout, st.List)
				case len(args) == 0 && !changed:
					if err := printParts(s.stdout, st.Parts); err != nil {
						return err
					}
				case len(st.List) == 0:
					_, err := fmt.Fprintln(s.stdout, "No setting matches.")
					return err
				}
				return printSettings(s.stdout, st.List)
			})
		},
	}
	cmd.Flags().BoolVar(&changed, "changed", false, "only what is not its default")
	jsonFlag(cmd, &asJSON, jsonArray+" of the settings")
	cmd.AddCommand(settingsChanges(with)...)
	return cmd
}

// settingsChanges are the commands that change a setting.
func settingsChanges(with func(context.Context, func(context.Context, *app) error) error) []*cobra.Command {
	change := func(use, short string, args cobra.PositionalArgs, do func(ctx context.Context, b *settings.Book, args []string) ([]string, error)) *cobra.Command {
		asJSON := false
		one := &cobra.Command{Use: use, Short: short, Args: args, Long: short + `. Running servers and workers use it within
seconds. What the environment sets can't be changed here.`}
		one.RunE = func(cmd *cobra.Command, args []string) error {
			return with(cmd.Context(), func(ctx context.Context, a *app) error {
				changed, err := do(ctx, a.set, args)
				if err != nil {
					return err
				}
				return a.printSet(ctx, changed, asJSON)
			})
		}
		jsonFlag(one, &asJSON, jsonArray+" of what changed")
		return one
	}
	return []*cobra.Command{
		change("set SETTING VALUE", "Change a setting", cobra.ExactArgs(2), func(ctx context.Context, b *settings.Book, args []string) ([]string, error) {
			return b.Set(ctx, map[string]string{strings.ToUpper(args[0]): args[1]})
		}),
		change("reset SETTING", "Put a setting back to its default", cobra.ExactArgs(1), func(ctx context.Context, b *settings.Book, args []string) ([]string, error) {
			return b.Set(ctx, map[string]string{strings.ToUpper(args[0]): ""})
		}),
		change("undo SETTING", "Put back what a setting was before it was changed", cobra.ExactArgs(1), func(ctx context.Context, b *settings.Book, args []string) ([]string, error) {
			return b.Undo(ctx, strings.ToUpper(args[0]))
		}),
	}
}

// printParts prints the rows of the page.
func printParts(out io.Writer, parts []settings.Part) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, p := range parts {
		fmt.Fprintf(w, "%s\n", strings.ToUpper(p.Title))
		for _, r := range p.Rows {
			fmt.Fprintf(w, "  %s\t%s\n", r.Title, r.Value)
			for _, line := range []string{r.Note, r.Problem} {
				if line != "" {
					fmt.Fprintf(w, "  \t%s\n", line)
				}
			}
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// printSettings prints settings by group.
func printSettings(out io.Writer, list []settings.Setting) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SETTING\tVALUE\tSET IN\tDEFAULT")
	group := ""
	for _, one := range list {
		if one.Group != group {
			group = one.Group
			fmt.Fprintf(w, "%s\n", strings.ToUpper(group))
		}
		where := string(one.Place)
		if one.Who != "" {
			where += ", " + one.Who
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", one.Key, cmp.Or(one.Value, "-"), where, cmp.Or(one.Default, "-"))
		if one.Problem != "" {
			fmt.Fprintf(w, "\t%s\n", one.Problem)
		}
	}
	return w.Flush()
}

// printSet says what settings that changed are now.
func (a *app) printSet(ctx context.Context, keys []string, asJSON bool) error {
	values, err := a.set.Values(ctx)
	if err != nil {
		return err
	}
	now, _ := values.Apply(a.set.Given) // what does not fit was refused
	said := []settings.Setting{}
	for _, one := range now.Settings() {
		if slices.Contains(keys, one.Key) {
			said = append(said, settings.Setting{Group: one.Group, Key: one.Key, Help: one.Help, Value: one.Value, Place: one.Place, Default: one.Default, Fixed: one.Fixed()})
		}
	}
	if asJSON {
		return printJSON(a.env.stdout, said)
	}
	for _, one := range said {
		fmt.Fprintf(a.env.stdout, "%s is now %s; it was %s.\n", one.Key, cmp.Or(one.Value, "empty"), cmp.Or(values[one.Key].Former, one.Default, "empty"))
	}
	if len(said) == 0 {
		_, err = fmt.Fprintln(a.env.stdout, "Nothing changed: it has that value already.")
	}
	return err
}
