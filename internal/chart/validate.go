package chart

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// The bounds of a chart beside those of its series and points.
const (
	MaxCategories = 200
	MaxBytes      = 64 << 10 // of a chart as JSON, with the sentences it cites

	longestTitle = 160 // code points
	longestName  = 80  // of a category, a series or an axis
	longestUnit  = 24
	mostMistakes = 8 // that are named at once
)

// aliases are other names under which the types of chart are asked for.
var aliases = map[string]domain.ChartType{
	"column": domain.ChartBar, "bar_chart": domain.ChartBar, "histogram": domain.ChartBar, "horizontal_bar": domain.ChartBar,
	"grouped": domain.ChartGrouped, "stacked": domain.ChartStacked, "line_chart": domain.ChartLine, "area_chart": domain.ChartArea,
	"scatter_plot": domain.ChartScatter, "pie_chart": domain.ChartPie, "donut": domain.ChartPie, "doughnut": domain.ChartPie,
}

// Types are the types of chart.
func Types() []domain.ChartType {
	return []domain.ChartType{
		domain.ChartBar, domain.ChartGrouped, domain.ChartStacked, domain.ChartLine, domain.ChartArea, domain.ChartScatter, domain.ChartPie,
	}
}

// Validate makes a chart of a specification, or says what is wrong with it, in
// sentences that whoever wrote it can act on. With mistakes there is no chart.
// Each number of the chart stands in the sentence that its point cites, or is
// the count that its point names; a number, or a year, in the name of a
// category stands in one of the passages.
func Validate(s Specification, e Evidence) (domain.Chart, []string) {
	d := &draft{spec: s, counts: e.Counts, sources: e.sources(), places: map[place]int{}, cited: map[citedAs]int{}, units: map[string]bool{}}
	d.names()
	if d.fits() {
		for i, p := range s.Points {
			d.point(i, p)
		}
	}
	d.whole()
	if len(d.mistakes) > 0 {
		return domain.Chart{}, d.mistakes[:min(len(d.mistakes), mostMistakes)]
	}
	d.order()
	return d.chart, nil
}

// draft is a chart that is being put together.
type draft struct {
	spec     Specification
	counts   []Counted
	sources  []source
	chart    domain.Chart
	places   map[place]int // that are taken, by the point that took it
	cited    map[citedAs]int
	units    map[string]bool // what stands around the numbers: "%", a currency, "" for neither
	mistakes []string
}

// place is where a point stands in a chart of categories.
type place struct{ series, category string }

// citedAs is what makes a citation the same as another.
type citedAs struct {
	chunk domain.ChunkID
	span  domain.Span
}

func (d *draft) mistake(format string, args ...any) {
	d.mistakes = append(d.mistakes, fmt.Sprintf(format, args...))
}

// names takes the type and all titles.
func (d *draft) names() {
	kind := domain.ChartType(key(d.spec.Type))
	if alias, ok := aliases[string(kind)]; ok {
		kind = alias
	}
	if !slices.Contains(Types(), kind) {
		d.mistake("There is no chart type %q: take one of %s.", clip(d.spec.Type), joined(Types()))
	}
	d.chart.Type = kind
	d.chart.Title = d.label("title", d.spec.Title, longestTitle)
	d.chart.Unit = d.label("unit", d.spec.Unit, longestUnit)
	d.chart.X = d.label("title of the x axis", d.spec.X, longestName)
	d.chart.Y = d.label("title of the y axis", d.spec.Y, longestName)
	if d.chart.Title == "" {
		d.mistake("The chart has no title.")
	}
}

// fits reports whether there are points, and not too many of them.
func (d *draft) fits() bool {
	n := len(d.spec.Points)
	switch {
	case n == 0:
		d.mistake("There are no points.")
	case n > domain.MaxPoints:
		d.mistake("There are %d points, the most is %d.", n, domain.MaxPoints)
	}
	return n > 0 && n <= domain.MaxPoints
}

// point takes one point.
func (d *draft) point(i int, in Datum) {
	name := d.label("series", in.Series, longestName)
	var category string
	if d.chart.Type != domain.ChartScatter {
		category = d.label("category", in.Category, longestName)
		if category == "" {
			d.mistake("Point %d has no category.", i+1)
			return
		}
		if first, taken := d.places[place{name, category}]; taken {
			d.mistake("Points %d and %d are both of %q%s: a category has one value a series.", first, i+1, category, of(name))
			return
		}
		d.places[place{name, category}] = i + 1
	}
	p, ok := d.value(i+1, in, name, category)
	if !ok {
		return
	}
	if d.chart.Type != domain.ChartScatter {
		p.Category = d.category(category)
	}
	s := d.series(name)
	d.chart.Series[s].Points = append(d.chart.Series[s].Points, p)
}

// category is the index of a category, which is added when it is new.
func (d *draft) category(name string) int {
	i := slices.Index(d.chart.Categories, name)
	if i < 0 {
		i = len(d.chart.Categories)
		d.chart.Categories = append(d.chart.Categories, name)
	}
	return i
}

// series is the index of a series, which is added when it is new.
func (d *draft) series(name string) int {
	i := slices.IndexFunc(d.chart.Series, func(s domain.Series) bool { return s.Name == name })
	if i < 0 {
		i = len(d.chart.Series)
		d.chart.Series = append(d.chart.Series, domain.Series{Name: name})
	}
	return i
}

// whole checks what only shows in the whole chart.
func (d *draft) whole() {
	c := &d.chart
	n := len(c.Series)
	switch {
	case n > domain.MaxSeries:
		d.mistake("There are %d series, the most is %d.", n, domain.MaxSeries)
	case n > 1 && slices.ContainsFunc(c.Series, func(s domain.Series) bool { return s.Name == "" }):
		d.mistake("There are %d series and not all have a name.", n)
	}
	if len(c.Categories) > MaxCategories {
		d.mistake("There are %d categories, the most is %d.", len(c.Categories), MaxCategories)
	}
	switch {
	case c.Type == domain.ChartPie && n > 0:
		d.pie()
	case c.Type == domain.ChartBar && n > 1:
		c.Type = domain.ChartGrouped
	case n == 1 && (c.Type == domain.ChartGrouped || c.Type == domain.ChartStacked):
		c.Type = domain.ChartBar
	}
	d.unit()
	if b, err := json.Marshal(c); len(d.mistakes) == 0 && (err != nil || len(b) > MaxBytes) {
		d.mistake("The chart is too large with the sentences that it cites: take fewer points.")
	}
}

func (d *draft) pie() {
	if len(d.chart.Series) > 1 {
		d.mistake("A pie has one series, this one has %d.", len(d.chart.Series))
	}
	sum := 0.0
	for _, p := range d.chart.Series[0].Points {
		if p.Value < 0 {
			d.mistake("A pie has no negative values: take another type for %s.", written(p.Value))
			return
		}
		sum += p.Value
	}
	if sum == 0 && len(d.mistakes) == 0 {
		d.mistake("All values of the pie are 0.")
	}
}

// order brings the points of each series into the order of the categories;
// those of a line over years into the order of the years.
func (d *draft) order() {
	c := &d.chart
	if (c.Type == domain.ChartLine || c.Type == domain.ChartArea) && yearsOnly(c.Categories) {
		was := slices.Clone(c.Categories)
		slices.Sort(c.Categories)
		for _, s := range c.Series {
			for i := range s.Points {
				s.Points[i].Category = slices.Index(c.Categories, was[s.Points[i].Category])
			}
		}
	}
	for _, s := range c.Series {
		slices.SortStableFunc(s.Points, func(a, b domain.Point) int {
			if c.Type == domain.ChartScatter {
				return cmp.Compare(a.X, b.X)
			}
			return cmp.Compare(a.Category, b.Category)
		})
	}
}
