package page

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// UsageProps is the data for the usage of models in a month, and for the caps.
type UsageProps struct {
	App           layout.Props
	Month         string // "2026-11"
	Title         string // "November 2026"
	Before, After string // the months around it; "" if there is none
	Total         string // money
	Said          string // about tokens
	Days          []UsageDay
	Tokens        bool // the days are shown in tokens: nothing has a price
	Currency      string
	CapOfDay      float64
	CapOfDayText  string
	Roles         []UsageLine
	Models        []UsageLine
	Documents     []UsageLine // the most expensive
	MoreDocuments int
	People        []UsageLine
	Caps          []CapLine
	Problem       string // with the submitted caps
	Paused        int    // documents and summaries waiting for a cap
	Unpriced      []string
	Runs          report.Analysis
	Workspaces    []costs.WorkspaceUsed // for owners
}

// UsageDay is a bar of the chart.
type UsageDay struct {
	Number int
	Today  bool
	Text   string    // cost of the day
	Parts  []float64 // by the kinds of UsageParts, in units
}

// UsageParts are the parts of a bar.
var UsageParts = []string{"read documents", "write answers", "grade and check", "the rest"}

// UsageLine is a line of a list.
type UsageLine struct {
	Name, URL string
	Note      string
	Calls     int
	Input     int
	Output    int
	Cached    int
	Embedded  int
	Cost      string
	Share     int // of the most expensive, in percent
}

// CapLine is a cap and the amount spent.
type CapLine struct {
	Scope   string // as in the form
	Title   string
	Said    string // amount spent of it
	Value   string // as in the form
	Percent int
	Reached bool
	Meter   bool
}

func (l UsageLine) cached() string {
	if l.Input == 0 {
		return "–"
	}
	return fmt.Sprintf("%d %%", 100*l.Cached/l.Input)
}

// sent counts the input tokens, embedded or not.
func (l UsageLine) sent(ctx context.Context) string { return lang.Int(ctx, l.Input+l.Embedded) }

// heading names a cap in the list.
func (c CapLine) heading(ctx context.Context) string {
	switch c.Scope {
	case "day":
		return lang.T(ctx, "Today")
	case "month":
		return lang.T(ctx, "This month")
	}
	return lang.T(ctx, format.Capital(c.Title))
}

// effect describes what happens at a cap.
func (c CapLine) effect(ctx context.Context) string {
	switch c.Scope {
	case "document":
		return lang.T(ctx, "pauses its reading")
	case "question":
		return lang.T(ctx, "answers with what it has")
	}
	return lang.T(ctx, "pauses all")
}

func fillTo(percent int) string { return fmt.Sprintf("M0 0H%dV6H0z", min(max(percent, 0), 100)) }

// reached returns the caps that are reached.
func (p UsageProps) reached() []CapLine {
	return lists.Filter(p.Caps, func(c CapLine) bool { return c.Reached })
}

func (p UsageProps) paused(ctx context.Context) string {
	if p.Paused == 0 {
		return lang.T(ctx, "Questions are not answered until it is raised. What was read stays.")
	}
	return lang.F(ctx, "%s at it, and questions are not answered. What was read stays; nothing is paid twice.", lang.Count(ctx, p.Paused, "document or summary waits", "documents and summaries wait"))
}

func (p UsageProps) empty() bool { return len(p.Models) == 0 }

// The chart's measures.
const (
	chartWidth             = 1130
	chartLeft, chartBottom = 64, 210
	chartTop               = 24
)

func (p UsageProps) most() float64 {
	most := p.CapOfDay
	for _, d := range p.Days {
		most = max(most, d.sum())
	}
	return max(most, 1e-6)
}

func (d UsageDay) sum() (sum float64) {
	return lists.Sum(d.Parts, func(part float64) float64 { return part })
}

func (p UsageProps) height(v float64) float64 { return (chartBottom - chartTop) * v / p.most() }

func (p UsageProps) step() float64 { return float64(chartWidth-chartLeft) / float64(len(p.Days)) }

// bars returns the path of each part of a day, "" for nothing.
func (p UsageProps) bars(i int) []string {
	x := chartLeft + p.step()*float64(i) + p.step()/6
	y := float64(chartBottom)
	var paths []string
	for _, part := range p.Days[i].Parts {
		h := p.height(part)
		path := ""
		if part > 0 {
			path = fmt.Sprintf("M%.1f %.1fh%.1fv%.1fh-%.1fz", x, y-h, p.step()*2/3, h, p.step()*2/3)
		}
		paths = append(paths, path)
		y -= h
	}
	return paths
}

func (p UsageProps) middle(i int) string { return number1(chartLeft + p.step()*(float64(i)+0.5)) }

func (p UsageProps) top(i int) string { return number1(chartBottom - p.height(p.Days[i].sum()) - 6) }

func (p UsageProps) capLine() string {
	return fmt.Sprintf("M%d %.1fH%d", chartLeft, chartBottom-p.height(p.CapOfDay), chartWidth)
}

func (p UsageProps) capText() string { return number1(chartBottom - p.height(p.CapOfDay) - 7) }

func number1(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// told reports whether a day's sum is written above its bar, as for the highest ones.
func (p UsageProps) told(i int) bool {
	sum := p.Days[i].sum()
	return sum > 0 && sum >= 0.6*p.dearest()
}

func (p UsageProps) dearest() (most float64) {
	for _, d := range p.Days {
		most = max(most, d.sum())
	}
	return most
}

// tick is a line across the chart.
type tick struct{ y, label string }

func (p UsageProps) ticks(ctx context.Context) []tick {
	most := p.most()
	step := math.Pow(10, math.Floor(math.Log10(most)))
	switch {
	case most/step > 5:
		step *= 2
	case most/step < 2:
		step /= 2
	}
	var all []tick
	for v := 0.0; v <= most*1.0001; v += step {
		all = append(all, tick{number1(chartBottom - p.height(v)), p.unit(ctx, v)})
	}
	return all
}

func (p UsageProps) unit(ctx context.Context, v float64) string {
	if p.Tokens {
		return lang.Int(ctx, int(v))
	}
	return costs.Money(math.Round(v * 1e6)).In(p.Currency)
}

func (t tick) path() string {
	return "M" + strconv.Itoa(chartLeft) + " " + t.y + "H" + strconv.Itoa(chartWidth)
}

func (p UsageProps) chartLabel(ctx context.Context) string {
	unit := lang.T(ctx, "Money")
	if p.Tokens {
		unit = lang.T(ctx, "Tokens")
	}
	said := []string{lang.F(ctx, "%s by day in %s.", unit, p.Title)}
	for _, d := range p.Days {
		if d.sum() > 0 {
			said = append(said, fmt.Sprintf("%d: %s.", d.Number, d.Text))
		}
	}
	return strings.Join(said, " ")
}

// maxRunLines limits the lines of runs. Usage by command has all.
const maxRunLines = 15

// runLines returns the lines of runs that the page shows.
func (p UsageProps) runLines() []report.AnalysisLine {
	return p.Runs.Lines[:min(len(p.Runs.Lines), maxRunLines)]
}

// runsBy returns the address of the page with runs grouped otherwise.
func (p UsageProps) runsBy(by string) string {
	return link.With(link.Usage, "month", p.Month, "runs", by) + "#runs"
}

func (p UsageProps) month(m string) string { return link.With(link.Usage, "month", m) }

func (p UsageProps) csv(by string) string {
	return link.With(link.UsageCSV, "month", p.Month, "by", by)
}

func (p UsageProps) unpriced(ctx context.Context) string {
	return lang.F(ctx, "No price is known for %s: what was spent there is not in these sums.", strings.Join(p.Unpriced, ", "))
}

// PricesProps list the prices.
type PricesProps struct {
	App      layout.Props
	File     string // file with the custom prices
	Currency string
	Today    string
	Prices   []PriceLine
	Missing  []string // current models without a price
	Form     PriceForm
	Problem  string
}

// PriceLine is a price.
type PriceLine struct {
	Models, From                     string
	Input, Cached, Output, Embedding string
	Source                           string
	Own                              bool
}

// PriceForm holds a submitted price.
type PriceForm struct{ Model, From, Input, Cached, Output, Embedding string }
