package chart

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// Limits of a chart besides its series and points.
const (
	MaxCategories = 200
	MaxBytes      = 64 << 10 // as JSON, with the sentences it cites

	maxTitle    = 160 // code points
	maxName     = 80  // of a category, a series or an axis
	maxUnit     = 24
	maxMistakes = 8 // reported at once
)

// aliases are other names of the chart types.
var aliases = map[domain.ChartType]domain.ChartType{
	"column": domain.ChartBar, "bar_chart": domain.ChartBar, "histogram": domain.ChartBar, "horizontal_bar": domain.ChartBar,
	"grouped": domain.ChartGrouped, "stacked": domain.ChartStacked, "line_chart": domain.ChartLine, "area_chart": domain.ChartArea,
	"scatter_plot": domain.ChartScatter, "pie_chart": domain.ChartPie, "donut": domain.ChartPie, "doughnut": domain.ChartPie,
}

var types = []domain.ChartType{
	domain.ChartBar, domain.ChartGrouped, domain.ChartStacked, domain.ChartLine, domain.ChartArea, domain.ChartScatter, domain.ChartPie,
}

// Validate turns a specification into a chart, or returns its mistakes as
// sentences for its author. Each number of the chart stands in the sentence
// that its point cites, or is the count that its point names; numbers and
// years in the names of categories stand in one of the passages.
func Validate(s Specification, e Evidence) (domain.Chart, []string) {
	v := &validator{
		spec: s, counts: e.Counts, sources: e.sources(), points: map[pointKey]int{}, citations: map[citationKey]int{}, units: map[string]bool{},
	}
	v.labels()
	switch n := len(s.Points); {
	case n == 0:
		v.mistake("There are no points.")
	case n > domain.MaxPoints:
		v.mistake("There are %d points, the most is %d.", n, domain.MaxPoints)
	default:
		for i, p := range s.Points {
			v.point(i+1, p)
		}
	}
	v.shape()
	v.unit()
	if b, err := json.Marshal(v.chart); len(v.mistakes) == 0 && (err != nil || len(b) > MaxBytes) {
		v.mistake("The chart is too large with the sentences that it cites: take fewer points.")
	}
	if len(v.mistakes) > 0 {
		return domain.Chart{}, v.mistakes[:min(len(v.mistakes), maxMistakes)]
	}
	v.sort()
	return v.chart, nil
}

// A validator builds a chart and collects mistakes.
type validator struct {
	spec      Specification
	counts    []GraphCount
	sources   []source
	chart     domain.Chart
	points    map[pointKey]int // numbers of the points so far
	citations map[citationKey]int
	units     map[string]bool // of the numbers as the passages write them: "%", a currency, or ""
	mistakes  []string
}

type pointKey struct{ series, category string }

type citationKey struct {
	chunk domain.ChunkID
	span  domain.Span
}

func (v *validator) mistake(format string, args ...any) {
	v.mistakes = append(v.mistakes, fmt.Sprintf(format, args...))
}

// labels sets the type and the titles.
func (v *validator) labels() {
	kind := domain.ChartType(snakeCase(v.spec.Type))
	kind = cmp.Or(aliases[kind], kind)
	if !slices.Contains(types, kind) {
		v.mistake("There is no chart type %q: take one of %s.", clip(v.spec.Type), joined(types))
	}
	v.chart.Type = kind
	v.chart.Title = v.label("title", v.spec.Title, maxTitle)
	v.chart.Unit = v.label("unit", v.spec.Unit, maxUnit)
	v.chart.X = v.label("title of the x axis", v.spec.X, maxName)
	v.chart.Y = v.label("title of the y axis", v.spec.Y, maxName)
	if v.chart.Title == "" {
		v.mistake("The chart has no title.")
	}
}

// point adds the n-th point.
func (v *validator) point(n int, d Datum) {
	series, category := v.label("series", d.Series, maxName), ""
	if v.chart.Type != domain.ChartScatter {
		category = v.label("category", d.Category, maxName)
		if category == "" {
			v.mistake("Point %d has no category.", n)
			return
		}
		key := pointKey{series, category}
		if first, taken := v.points[key]; taken {
			v.mistake("Points %d and %d are both of %q%s: a category has one value a series.", first, n, category, parenthesized(series))
			return
		}
		v.points[key] = n
	}
	p, ok := v.value(n, d, series, category)
	if !ok {
		return
	}
	if v.chart.Type != domain.ChartScatter {
		p.Category = v.category(category)
	}
	s := v.series(series)
	s.Points = append(s.Points, p)
}

// category returns the index of a category, which it adds if it is new.
func (v *validator) category(name string) int {
	i := slices.Index(v.chart.Categories, name)
	if i < 0 {
		i = len(v.chart.Categories)
		v.chart.Categories = append(v.chart.Categories, name)
	}
	return i
}

// series returns a series, which it adds if it is new.
func (v *validator) series(name string) *domain.Series {
	i := slices.IndexFunc(v.chart.Series, func(s domain.Series) bool { return s.Name == name })
	if i < 0 {
		i = len(v.chart.Series)
		v.chart.Series = append(v.chart.Series, domain.Series{Name: name})
	}
	return &v.chart.Series[i]
}

// shape checks the numbers of series and categories against the type.
func (v *validator) shape() {
	c := &v.chart
	n := len(c.Series)
	switch {
	case n > domain.MaxSeries:
		v.mistake("There are %d series, the most is %d.", n, domain.MaxSeries)
	case n > 1 && slices.ContainsFunc(c.Series, func(s domain.Series) bool { return s.Name == "" }):
		v.mistake("There are %d series and not all have a name.", n)
	}
	if len(c.Categories) > MaxCategories {
		v.mistake("There are %d categories, the most is %d.", len(c.Categories), MaxCategories)
	}
	switch {
	case c.Type == domain.ChartPie && n > 0:
		v.pie()
	case c.Type == domain.ChartBar && n > 1:
		c.Type = domain.ChartGrouped
	case n == 1 && (c.Type == domain.ChartGrouped || c.Type == domain.ChartStacked):
		c.Type = domain.ChartBar
	}
}

func (v *validator) pie() {
	if len(v.chart.Series) > 1 {
		v.mistake("A pie has one series, this one has %d.", len(v.chart.Series))
	}
	sum := 0.0
	for _, p := range v.chart.Series[0].Points {
		if p.Value < 0 {
			v.mistake("A pie has no negative values: take another type for %s.", formatNumber(p.Value))
			return
		}
		sum += p.Value
	}
	if sum == 0 && len(v.mistakes) == 0 {
		v.mistake("All values of the pie are 0.")
	}
}

// sort puts the points of each series in the order of the categories, which
// are sorted if they are the years of a line.
func (v *validator) sort() {
	c := &v.chart
	if (c.Type == domain.ChartLine || c.Type == domain.ChartArea) && areYears(c.Categories) {
		unsorted := slices.Clone(c.Categories)
		slices.Sort(c.Categories)
		for _, s := range c.Series {
			for i := range s.Points {
				s.Points[i].Category = slices.Index(c.Categories, unsorted[s.Points[i].Category])
			}
		}
	}
	for _, s := range c.Series {
		slices.SortStableFunc(s.Points, func(a, b domain.Point) int {
			return cmp.Or(cmp.Compare(a.Category, b.Category), cmp.Compare(a.X, b.X))
		})
	}
}

func joined(types []domain.ChartType) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	return strings.Join(names, ", ")
}
