package prompts

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/worddiff"
)

// Listed is a role in a list.
type Listed struct {
	Role    string `json:"role"`
	About   string `json:"about"`
	Edited  bool   `json:"edited"`
	Version int    `json:"version"`
}

// Shown is a prompt with its parts.
type Shown struct {
	domain.PromptVersion
	Parts []ShownPart `json:"parts"`

	variables bool // include them
}

// ShownPart is a part of a prompt with the variables of its template.
type ShownPart struct {
	Name      string     `json:"name"`
	About     string     `json:"about"`
	Variables []Variable `json:"variables"`
}

// Line is a line of two versions: " " in both, "-" in the first, "+" in the second.
type Line struct {
	Mark string `json:"mark"`
	Line string `json:"line"`
}

type one struct {
	Role string `json:"role" arg:"ROLE" trail:"" doc:"a role, as clew prompts list names it"`
}

type showing struct {
	one
	Version   int  `json:"version" default:"-1" doc:"print this version; 0 is the built-in text"`
	Variables bool `json:"variables" doc:"list the variables of each part instead"`
}

type setting struct {
	one
	Text string `json:"text" arg:"FILE" file:"1048576" doc:"the new text"`
	Note string `json:"note" doc:"why it changes; stored with the version"`
}

type comparing struct {
	one
	A int `json:"a" arg:"A" wrong:"%q is not a version number. clew prompts versions lists them." doc:"number of a version"`
	B int `json:"b" arg:"B" wrong:"%q is not a version number. clew prompts versions lists them." doc:"number of the version to compare it with"`
}

func printSaved(w io.Writer, v domain.PromptVersion) error {
	_, err := fmt.Fprintf(w, "Saved as version %d. Runs that start from now on use it.\n", v.Number)
	return err
}

// Operations returns the operations on prompts.
func Operations() []operation.Operation[*Book] {
	return []operation.Operation[*Book]{
		operation.Op[*Book, struct{}, []Listed]{
			Name: "prompts list", Short: "List the roles, and which prompts were changed", Scope: operation.WriteSchema, Routes: []string{"GET /prompts"},
			Do: (*Book).list,
			Text: operation.Table("ROLE\tTEXT\tVERSION\tWHAT IT DOES", "", func(l Listed) []any {
				return []any{l.Role, map[bool]string{true: "edited", false: "built-in"}[l.Edited], l.Version, l.About}
			}),
		},
		operation.Op[*Book, showing, Shown]{
			Name: "prompts show", Short: "Print the text of a role's prompt", Scope: operation.WriteSchema, Routes: []string{"GET /prompts/{role}"}, Example: "  clew prompts show grade > grade.tmpl\n  clew prompts show grade --version 0",
			Do: (*Book).show, Text: printShown,
		},
		operation.Op[*Book, setting, domain.PromptVersion]{
			Name: "prompts set", Short: "Set a role's prompt from a file, or from standard input if FILE is -", Scope: operation.WriteSchema, Routes: []string{"PUT /prompts/{role}"}, Example: `  clew prompts set grade grade.tmpl --note "says more about dates"`,
			Do: func(b *Book, ctx context.Context, in setting) (domain.PromptVersion, error) {
				return b.saved(ctx, domain.PromptVersion{Role: in.Role, Text: in.Text, Note: in.Note})
			},
			Text: printSaved,
		},
		operation.Op[*Book, one, domain.PromptVersion]{
			Name: "prompts reset", Short: "Reset a role's prompt to the built-in text", Scope: operation.WriteSchema, Routes: []string{"POST /prompts/{role}/reset"}, Example: "  clew prompts reset grade",
			Do: func(b *Book, ctx context.Context, in one) (domain.PromptVersion, error) {
				builtin, err := b.Version(ctx, domain.WorkspaceOf(ctx), in.Role, 0)
				if err != nil {
					return builtin, err
				}
				return b.saved(ctx, domain.PromptVersion{Role: in.Role, Text: builtin.Text, Note: "reset to the built-in text"})
			},
			Text: printSaved,
		},
		operation.Op[*Book, one, []domain.PromptVersion]{
			Name: "prompts versions", Short: "List the versions of a role's prompt, newest first", Scope: operation.WriteSchema, Routes: []string{"GET /prompts/{role}/versions"}, Example: "  clew prompts versions grade",
			Do: func(b *Book, ctx context.Context, in one) ([]domain.PromptVersion, error) {
				return b.Versions(ctx, domain.WorkspaceOf(ctx), in.Role)
			},
			Text: operation.Table("VERSION\tAT\tWHO\tNOTE", "", func(v domain.PromptVersion) []any {
				at := ""
				if v.Number > 0 {
					at = v.At.Format("2006-01-02 15:04")
				}
				return []any{v.Number, at, v.Who, v.Note}
			}),
		},
		operation.Op[*Book, comparing, []Line]{
			Name: "prompts diff", Short: "Print how two versions of a role's prompt differ; 0 is the built-in text", JSON: " of the lines", Scope: operation.WriteSchema, Routes: []string{"GET /prompts/{role}/diff"}, Example: "  clew prompts diff grade 0 2",
			Do: (*Book).diff,
			Text: func(w io.Writer, lines []Line) error {
				for _, l := range lines {
					fmt.Fprintln(w, l.Mark+l.Line)
				}
				return nil
			},
		},
	}
}

func (b *Book) list(ctx context.Context, _ struct{}) ([]Listed, error) {
	now, err := b.CurrentAll(ctx, domain.WorkspaceOf(ctx))
	if err != nil {
		return nil, err
	}
	list := make([]Listed, len(b.prompts))
	for i, p := range b.prompts {
		list[i] = Listed{p.Role, p.About, p.Edited(now[i]), now[i].Number}
	}
	return list, nil
}

func (b *Book) show(ctx context.Context, in showing) (Shown, error) {
	v, err := b.Current(ctx, domain.WorkspaceOf(ctx), in.Role)
	if in.Version >= 0 && err == nil {
		v, err = b.Version(ctx, domain.WorkspaceOf(ctx), in.Role, in.Version)
	}
	if err != nil {
		return Shown{}, err
	}
	prompt, err := b.Prompt(in.Role)
	shown := Shown{PromptVersion: v, variables: in.Variables}
	for _, part := range prompt.Parts {
		shown.Parts = append(shown.Parts, ShownPart{part.Name, part.About, part.Variables()})
	}
	return shown, err
}

func printShown(w io.Writer, p Shown) error {
	if !p.variables {
		_, err := fmt.Fprintln(w, strings.TrimRight(p.Text, "\n"))
		return err
	}
	return operation.Columns(w, "", func(line func(...any)) {
		for _, part := range p.Parts {
			line(part.Name, "", part.About)
			for _, v := range part.Variables {
				line("  "+v.Path, map[bool]string{true: "needed"}[v.Needed], v.About)
			}
		}
	})
}

// saved saves a version on top of the one in force.
func (b *Book) saved(ctx context.Context, v domain.PromptVersion) (domain.PromptVersion, error) {
	now, err := b.Current(ctx, domain.WorkspaceOf(ctx), v.Role)
	if err != nil {
		return domain.PromptVersion{}, err
	}
	return b.Save(ctx, domain.WorkspaceOf(ctx), v, now.Number)
}

func (b *Book) diff(ctx context.Context, in comparing) ([]Line, error) {
	var texts [2]string
	for i, number := range []int{in.A, in.B} {
		v, err := b.Version(ctx, domain.WorkspaceOf(ctx), in.Role, number)
		if err != nil {
			return nil, err
		}
		texts[i] = v.Text
	}
	var lines []Line
	for _, part := range worddiff.Lines(texts[0], texts[1]) {
		for line := range strings.SplitSeq(part.Text, "\n") {
			lines = append(lines, Line{map[worddiff.Kind]string{worddiff.Same: " ", worddiff.Gone: "-", worddiff.New: "+"}[part.Kind], line})
		}
	}
	return lines, nil
}
