package settings

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/operation"
)

type wanted struct {
	Words   string `json:"words" arg:"[WORD...]" words:"" doc:"words in names or descriptions of settings"`
	Changed bool   `json:"changed" doc:"only settings that differ from their defaults"`
}

// Shown is how the program is set.
type Shown struct {
	List  []Setting
	parts []Part // of the page Settings, unless settings are searched for
	found bool
}

// Array returns the settings.
func (s Shown) Array() any { return s.List }

type one struct {
	Setting string `json:"setting" arg:"SETTING" trail:"" doc:"name of a setting"`
}

type changing struct {
	one
	Value string `json:"value" arg:"VALUE" blank:"" doc:"its new value; the default if it is empty"`
}

// Changed are settings with their new values.
type Changed struct {
	List   []Setting
	values Values
}

// Array returns the settings.
func (c Changed) Array() any { return c.List }

// Operations returns the operations on settings.
func Operations() []operation.Operation[*Overview] {
	return []operation.Operation[*Overview]{
		operation.Op[*Overview, wanted, Shown]{
			Name: "settings", Scope: operation.Install, Routes: []string{"GET /settings"}, Short: "Show and change settings", JSON: " of the settings",
			Long: `Show how Clew is configured, as the page Settings does: the rows of its three parts, then
every setting with its value, where that is set and its default; with words, the
settings that have all of them in their name, value or description. Secrets are
never shown.

The environment takes precedence over what is set here or on the page.`,
			Example: `  clew settings                        everything
  clew settings ocr                    what has to do with scans
  clew settings --changed              what is not its default
  clew settings set MAX_LOOPS 2        change a setting
  clew settings reset MAX_LOOPS        back to the default`,
			Do: func(o *Overview, ctx context.Context, in wanted) (Shown, error) {
				st, err := o.Look(ctx)
				shown := Shown{parts: st.Parts, found: in.Words != "" || in.Changed}
				shown.List = slices.DeleteFunc(st.List, func(s Setting) bool { return !s.Says(in.Words) || in.Changed && !s.Changed() })
				return shown, err
			},
			Text: printShown,
		},
		change("PUT /settings/{setting}", "set MAX_LOOPS 2", "Change a setting", func(b *Book, ctx context.Context, in changing) ([]string, error) {
			return b.Set(ctx, map[string]string{strings.ToUpper(in.Setting): in.Value})
		}),
		change("DELETE /settings/{setting}", "reset MAX_LOOPS", "Reset a setting to its default", func(b *Book, ctx context.Context, in one) ([]string, error) {
			return b.Set(ctx, map[string]string{strings.ToUpper(in.Setting): ""})
		}),
		change("POST /settings/{setting}/undo", "undo MAX_LOOPS", "Restore the value of a setting before its last change", func(b *Book, ctx context.Context, in one) ([]string, error) {
			return b.Undo(ctx, strings.ToUpper(in.Setting))
		}),
	}
}

// change returns an operation that changes a setting. The example begins with its name.
func change[In any](route, example, short string, do func(b *Book, ctx context.Context, in In) ([]string, error)) operation.Operation[*Overview] {
	name, _, _ := strings.Cut(example, " ")
	return operation.Op[*Overview, In, Changed]{
		Name: "settings " + name, Scope: operation.Install, Routes: []string{route}, Short: short, JSON: " of what changed", Example: "  clew settings " + example,
		Long: short + `. Running servers and workers use it within
seconds. What the environment sets can't be changed here.`,
		Do: func(o *Overview, ctx context.Context, in In) (Changed, error) {
			keys, err := do(o.Book, ctx, in)
			if err != nil {
				return Changed{}, err
			}
			changed := Changed{List: []Setting{}}
			if changed.values, err = o.Book.Values(ctx); err != nil {
				return changed, err
			}
			now, _ := changed.values.Apply(o.Book.Given) // invalid ones were rejected
			for _, s := range now.Settings() {
				if slices.Contains(keys, s.Key) {
					changed.List = append(changed.List, Setting{Group: s.Group, Key: s.Key, Help: s.Help, Value: s.Value, Place: s.Place, Default: s.Default, Fixed: s.Fixed()})
				}
			}
			return changed, nil
		},
		Text: func(w io.Writer, c Changed) error {
			for _, s := range c.List {
				fmt.Fprintf(w, "%s is now %s; it was %s.\n", s.Key, cmp.Or(s.Value, "empty"), cmp.Or(c.values[s.Key].Former, s.Default, "empty"))
			}
			if len(c.List) == 0 {
				fmt.Fprintln(w, "Nothing changed: the setting already has that value.")
			}
			return nil
		},
	}
}

func printShown(w io.Writer, shown Shown) error {
	if shown.found && len(shown.List) == 0 {
		_, err := fmt.Fprintln(w, "No setting matches.")
		return err
	}
	if !shown.found {
		if err := printParts(w, shown.parts); err != nil {
			return err
		}
	}
	return operation.Columns(w, "SETTING\tVALUE\tSET IN\tDEFAULT", func(line func(...any)) {
		group := ""
		for _, s := range shown.List {
			if s.Group != group {
				group = s.Group
				line(strings.ToUpper(group))
			}
			where := string(s.Place)
			if s.Who != "" {
				where += ", " + s.Who
			}
			line(s.Key, cmp.Or(s.Value, "-"), where, cmp.Or(s.Default, "-"))
			if s.Problem != "" {
				line("", s.Problem)
			}
		}
	})
}

// printParts prints the rows of the page.
func printParts(w io.Writer, parts []Part) error {
	return operation.Columns(w, "", func(line func(...any)) {
		for _, p := range parts {
			line(strings.ToUpper(p.Title))
			for _, r := range p.Rows {
				line("  "+r.Title, r.Value)
				for _, text := range []string{r.Note, r.Problem} {
					if text != "" {
						line("  ", text)
					}
				}
			}
			line("")
		}
	})
}
