package partial

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/table"
)

// FigureProps show a chart in an answer.
type FigureProps struct {
	Conversation domain.ConversationID
	Message      domain.MessageID
	Branch       domain.BranchID
	Run          domain.RunID
	Figure       domain.Figure
	Open         int // number of the citation whose source is open; 0 if there is none
}

// mostFigureSources is the maximum number of sources listed below a chart's table; the others are counted. Each number in
// the table links to its source.
const mostFigureSources = 20

func (p FigureProps) id() string { return "figure-" + string(p.Run) + "-" + key(p.Figure.ID) }

// key returns the name that a model gave a call, in characters allowed in an
// id.
func key(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

func (p FigureProps) table(ctx context.Context) table.Table { return table.Of(ctx, *p.Figure.Chart) }

// drawn reports whether there is a chart to show.
func (p FigureProps) drawn() bool {
	return p.Figure.Status == domain.FigureDone && p.Figure.Chart != nil
}

func (p FigureProps) problem(ctx context.Context) string {
	if p.Figure.Problem == "" {
		return lang.T(ctx, "The chart could not be created.")
	}
	return lang.F(ctx, "The chart could not be created: %s", p.Figure.Problem)
}

// mark returns the letter of a chart's citation (a to z, then aa), so that it
// can't be confused with the answer's numbers.
func mark(n int) string {
	said := ""
	for ; n > 0; n = (n - 1) / 26 {
		said = string(rune('a'+(n-1)%26)) + said
	}
	return said
}

// cite returns the key that links a mark to its source in the page: chart and letter.
func (p FigureProps) cite(n int) string { return key(p.Figure.ID) + "." + mark(n) }

func (p FigureProps) citeLabel(ctx context.Context, n int) string {
	return lang.F(ctx, "Source %s of the chart", mark(n))
}

func (p FigureProps) source(n int) string {
	return link.OfBranch(link.FigureSource(p.Conversation, p.Message, p.Figure.ID, n), p.Branch)
}

func (p FigureProps) csv() string {
	return link.OfBranch(link.FigureCSV(p.Conversation, p.Message, p.Figure.ID), p.Branch)
}

// name returns the name of downloads, without an extension.
func (p FigureProps) name() string { return FigureName(p.Figure.Chart.Title) }

// FigureName turns a chart's title into a file name.
func FigureName(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return strings.ContainsRune(`/\:*?"'<>|.,;()[]{}`, r) || r <= ' '
	})
	name := strings.Join(words, "-")
	if domain.Runes(name) > 60 {
		name = domain.Span{End: 60}.Slice(name)
	}
	return cmp.Or(name, "chart")
}

var kinds = map[domain.ChartType]string{
	domain.ChartBar: "Bar chart", domain.ChartGrouped: "Grouped bar chart", domain.ChartStacked: "Stacked bar chart",
	domain.ChartLine: "Line chart", domain.ChartArea: "Area chart", domain.ChartScatter: "Scatter chart", domain.ChartPie: "Pie chart",
}

// description describes the chart for screen readers.
func (p FigureProps) description(ctx context.Context) string {
	points := lists.Sum(p.Figure.Chart.Series, func(s domain.Series) int { return len(s.Points) })
	return lang.F(ctx, "%s of %s: %s. The table holds them.", kinds[p.Figure.Chart.Type], p.Figure.Chart.Title, lang.Count(ctx, points, "value", "values"))
}

// inUnit returns the unit as shown after the title.
func (p FigureProps) inUnit(ctx context.Context) string {
	if p.Figure.Chart.Unit == "" {
		return ""
	}
	return lang.F(ctx, "in %s", p.Figure.Chart.Unit)
}

// sources returns the first sources of the chart, with shortened quotations.
func (p FigureProps) sources() []domain.Citation {
	list := slices.Clone(p.Figure.Chart.Citations[:min(mostFigureSources, len(p.Figure.Chart.Citations))])
	for i := range list {
		list[i].Text = brief(list[i].Text)
	}
	return list
}

func (p FigureProps) moreSources(ctx context.Context) string {
	if rest := len(p.Figure.Chart.Citations) - mostFigureSources; rest > 0 {
		return lang.F(ctx, "and %s", lang.Count(ctx, rest, "more source", "more sources"))
	}
	return ""
}

// cited reports whether a value rests on a citation of the chart.
func (p FigureProps) cited(c table.Cell) bool {
	return !c.Plain && c.Point.Count == nil && slices.ContainsFunc(p.Figure.Chart.Citations, func(x domain.Citation) bool { return x.N == c.Point.Citation })
}

func (p FigureProps) counted(c table.Cell) bool { return !c.Plain && c.Point.Count != nil }

// countLabel labels the link from a counted number to the counted things.
func countLabel(ctx context.Context, v float64, c domain.Count) string {
	of := lang.F(ctx, "%s of %s", c.Of, c.Key)
	switch c.Of {
	case domain.CountEntities:
		if of = lang.F(ctx, "entities with the label %s", c.Key); c.Key == domain.UnknownLabel {
			of = lang.T(ctx, "entities without a label")
		}
	case domain.CountRelations:
		of = lang.F(ctx, "relations, %s", format.Words(c.Key))
	case domain.CountMentions:
		of = lang.F(ctx, "mentions, %s", c.Key)
	}
	return table.Number(v) + " " + of
}
