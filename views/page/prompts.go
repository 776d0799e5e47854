package page

import (
	"context"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/prompts/tryout"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/worddiff"
)

// PromptsProps is the data for the list of prompts.
type PromptsProps struct {
	App     layout.Props
	Prompts []PromptLine
}

// A PromptLine is the prompt of a role.
type PromptLine struct {
	Role, About string
	Edited      bool
	Version     domain.PromptVersion
}

// PromptProps is the data for the editor of a prompt.
type PromptProps struct {
	App      layout.Props
	Prompt   prompts.Prompt
	Versions []domain.PromptVersion // latest first, which is the current one

	Text    string // in the form
	Note    string
	Base    int    // the version that was edited
	Problem string // why the text was rejected; may be ""

	From, To int // versions whose difference is shown
	Diff     []worddiff.Part

	CanTry bool
	Words  string // for trying the prompt
	Trial  *tryout.Trial
}

func (l PromptLine) state(ctx context.Context) string {
	if !l.Edited {
		return "built-in"
	}
	return lang.F(ctx, "edited, %s", versionOf(ctx, l.Version))
}

// versionOf describes a version in a line.
func versionOf(ctx context.Context, v domain.PromptVersion) string {
	if v.Number == 0 {
		return lang.T(ctx, "version 0")
	}
	words := []string{lang.F(ctx, "version %s", strconv.Itoa(v.Number)), lang.Moment(ctx, v.At)}
	if v.Who != "" {
		words = append(words, lang.F(ctx, "by %s", v.Who))
	}
	return strings.Join(words, ", ")
}

// rows returns the height of the editor in lines.
func (p PromptProps) rows() string {
	return strconv.Itoa(min(max(strings.Count(p.Text, "\n")+2, 16), 40))
}

func (p PromptProps) described() string {
	if p.Problem != "" {
		return "prompt-problem prompt-help"
	}
	return "prompt-help"
}

// sideNames name the two sides of a trial.
var sideNames = [2]string{"The text in force", "Your draft"}

func tokensSaid(ctx context.Context, c tryout.Call) string {
	text := lang.F(ctx, "%s sent, %s received", lang.Count(ctx, c.Usage.Input, "token", "tokens"), lang.Int(ctx, c.Usage.Output))
	if c.Recorded {
		text += lang.T(ctx, " (recorded before: it cost nothing)")
	}
	return text
}

func diffMark(k worddiff.Kind) string {
	return map[worddiff.Kind]string{worddiff.Gone: "−", worddiff.New: "+"}[k]
}

// diffLines returns the lines of a part to show. Of a long part that stayed, the
// first and the last lines are enough.
func diffLines(p worddiff.Part) []string {
	lines := strings.Split(p.Text, "\n")
	if around := 3; p.Kind == worddiff.Same && len(lines) > 2*around+1 {
		return append(append(lines[:around:around], "…"), lines[len(lines)-around:]...)
	}
	return lines
}
