package page

import (
	"context"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// ForkProps is the data for the form to run on from a step of a run.
type ForkProps struct {
	App      layout.Props
	Run      domain.RunID
	Subject  string
	N        int
	Graph    string
	After    []string // nodes that ran before the step; empty at the start
	Ahead    []string // nodes that may run from here
	Problem  string   // with the changes as a whole
	Question ForkField
	Rewrite  ForkField
	Loops    ForkField
	Method   ForkField
	Model    ForkField
	Passages []ForkPassage
	Graded   string // why no grade can be flipped; "" if one can
	Prompts  []ForkPrompt
	Prompted string // why no prompt can be chosen; "" if one can
	Cost     string // of continuing, in a sentence
}

// ForkField is one field of the form.
type ForkField struct {
	Name    string
	Label   string
	Value   string
	Closed  string // why it can't be changed; "" if it can
	Problem string
	Hint    string
	Choices []ForkChoice
}

// ForkChoice is a value to choose.
type ForkChoice struct{ Value, Says string }

// ForkPassage is a passage that was graded.
type ForkPassage struct {
	Name     string // of the form's field
	Title    string
	URL      string
	Relevant bool // its new grade
	Was      bool // its original grade
	Reason   string
	Problem  string
}

// ForkPrompt is a prompt that the rest of the run uses.
type ForkPrompt struct {
	Role    string
	Version ForkField
	Draft   ForkField
}

func (p ForkProps) title(ctx context.Context) string { return lang.F(ctx, "Run on from step %d", p.N) }

// done says what ran before the step.
func (p ForkProps) done(ctx context.Context) string {
	return sayNodes(ctx, p.After, func(node string) string { return diagram.Plain(p.Graph, node).Done })
}

// ahead says what may run from here.
func (p ForkProps) ahead(ctx context.Context) string {
	return sayNodes(ctx, p.Ahead, func(node string) string { return diagram.Plain(p.Graph, node).Later })
}

// sayNodes joins what nodes are called.
func sayNodes(ctx context.Context, nodes []string, call func(node string) string) string {
	return strings.Join(lists.Map(nodes, func(node string) string { return lang.Sentence(ctx, call(node)) }), ", ")
}

func (p ForkProps) at() string { return link.RunAt(p.Run, p.N) }

func (p ForkProps) saved(ctx context.Context) string {
	if p.N == 0 {
		return lang.T(ctx, "The run starts again with your changes. The original run stays as it is.")
	}
	return lang.F(ctx, "Steps 0 to %d are not computed or paid for again. The original run stays as it is.", p.N)
}

func (f ForkField) id() string { return "fork-" + f.Name }

// described returns the ids of the elements that describe the field.
func (f ForkField) described() string {
	if f.Problem != "" || f.Closed != "" || f.Hint != "" {
		return f.id() + "-says"
	}
	return ""
}

func (f ForkField) invalid() string { return strconv.FormatBool(f.Problem != "") }

func (p ForkPrompt) open() bool {
	return p.Draft.Value != "" || p.Draft.Problem != "" || p.Version.Problem != ""
}

// wrong counts the fields with a problem.
func (p ForkProps) wrong(ctx context.Context) string {
	fields := []ForkField{p.Question, p.Rewrite, p.Loops, p.Method, p.Model}
	for _, prompt := range p.Prompts {
		fields = append(fields, prompt.Version, prompt.Draft)
	}
	n := lists.CountFunc(fields, func(f ForkField) bool { return f.Problem != "" }) +
		lists.CountFunc(p.Passages, func(passage ForkPassage) bool { return passage.Problem != "" })
	if n == 0 {
		return ""
	}
	return lang.F(ctx, "Check %s first.", lang.Count(ctx, n, "field", "fields"))
}
