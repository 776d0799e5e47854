package chart

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// value looks up the value of the n-th point and cites its source.
func (v *validator) value(n int, d Datum, series, category string) (p domain.Point, ok bool) {
	if d.Count != 0 {
		return v.countValue(n, d)
	}
	claimed, ok := parseAmount(d.Value)
	if !ok {
		v.mistake("Point %d%s has the value %q, which is no number.", n, parenthesized(category), clip(d.Value))
		return p, false
	}
	candidates, ok := v.candidates(n, d, category)
	if !ok || !v.checkDigits(n, series, category) {
		return p, false
	}
	found, ok := v.find(candidates, claimed, d.Value, series+" "+category+" "+v.chart.Title+" "+v.chart.Y, false)
	if !ok {
		v.mistake("Point %d%s: %s", n, parenthesized(category), v.explainMissing(candidates, d.Value, claimed))
		return p, false
	}
	p = domain.Point{Value: found.value, Citation: v.cite(found)}
	v.units[found.unit()] = true
	if v.chart.Type != domain.ChartScatter {
		return p, true
	}
	x, ok := parseAmount(d.X)
	if !ok {
		v.mistake("Point %d has no number for X.", n)
		return p, false
	}
	at, ok := v.find([]source{found.source}, x, d.X, d.Series, true)
	if !ok {
		v.mistake("Point %d: X is %s, which stands nowhere in passage %d.", n, clip(d.X), found.source.number)
	}
	p.X = at.value
	return p, ok
}

// countValue returns a point whose value is a count of the graph.
func (v *validator) countValue(n int, d Datum) (domain.Point, bool) {
	if d.Count < 1 || d.Count > len(v.counts) {
		v.mistake("Point %d names the count %d: there are %d.", n, d.Count, len(v.counts))
		return domain.Point{}, false
	}
	if v.chart.Type == domain.ChartScatter {
		v.mistake("Point %d is a count, which a scatter has no place for.", n)
		return domain.Point{}, false
	}
	c := v.counts[d.Count-1]
	if claimed, ok := parseAmount(d.Value); d.Value != "" && (!ok || !equal(claimed.values[0], float64(c.Value))) {
		v.mistake("Point %d has the value %s, and count %d is %d.", n, clip(d.Value), d.Count, c.Value)
		return domain.Point{}, false
	}
	v.units[""] = true
	return domain.Point{Value: float64(c.Value), Count: &c.Count}, true
}

// candidates returns the passage that a point names, or all if it names none.
func (v *validator) candidates(n int, d Datum, category string) ([]source, bool) {
	switch {
	case len(v.sources) == 0:
		v.mistake("Point %d%s names no count, and there are no passages.", n, parenthesized(category))
		return nil, false
	case d.Passage == 0:
		return v.sources, true
	case d.Passage < 0 || d.Passage > len(v.sources):
		v.mistake("Point %d%s names passage %d: there are %d.", n, parenthesized(category), d.Passage, len(v.sources))
		return nil, false
	}
	return v.sources[d.Passage-1 : d.Passage], true
}

var longDigits = regexp.MustCompile(`\d{3,}`)

// checkDigits reports whether the years and other numbers in the names of a
// point stand in the passages.
func (v *validator) checkDigits(n int, series, category string) bool {
	for _, digits := range longDigits.FindAllString(series+" "+category, -1) {
		if !slices.ContainsFunc(v.sources, func(s source) bool { return s.contains(digits) }) {
			v.mistake("Point %d: %s stands nowhere in the passages.", n, digits)
			return false
		}
	}
	return true
}

// cite returns the number of the citation of a match's sentence.
func (v *validator) cite(m match) int {
	span := m.source.sentence(m.quantity)
	key := citationKey{m.source.ID, span}
	if n := v.citations[key]; n > 0 {
		return n
	}
	n := len(v.chart.Citations) + 1
	v.citations[key] = n
	v.chart.Citations = append(v.chart.Citations, domain.Citation{
		N: n, Document: m.source.Name, DocumentID: m.source.Document, Version: m.source.Version, Chunk: m.source.ID, Page: m.source.PageOf(span), Place: m.source.Place(span), Span: span, Text: m.source.text(span),
	})
	return n
}

// unit checks the chart's unit against those of its numbers.
func (v *validator) unit() {
	if len(v.units) == 0 {
		return
	}
	var money []string
	for u := range v.units {
		if u != "" && u != "%" {
			money = append(money, u)
		}
	}
	slices.Sort(money)
	switch {
	case len(money) > 1:
		v.mistake("The values are in %s: one axis takes one currency.", strings.Join(money, " and "))
	case len(money) == 1 && v.units["%"]:
		v.mistake("Some values are percent and some are %s: one axis takes one unit.", money[0])
	case len(money) == 1 && cmp.Or(currencyOf(v.chart.Unit), money[0]) != money[0]:
		v.mistake("The unit is %q, and the passages say %s.", v.chart.Unit, money[0])
	case v.units["%"] && !isPercent(v.chart.Unit):
		if len(v.units) > 1 || v.chart.Unit != "" {
			v.mistake("Some values are percent in the passages: the unit has to say so, and all have to be.")
			return
		}
		v.chart.Unit = "%"
	}
}
