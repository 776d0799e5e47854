package chart

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// value takes the number of a point, with where it comes from.
func (d *draft) value(n int, in Datum, series, category string) (domain.Point, bool) {
	if in.Count != 0 {
		return d.counted(n, in)
	}
	said, ok := amount(in.Value)
	if !ok {
		d.mistake("Point %d%s has the value %q, which is no number.", n, of(category), clip(in.Value))
		return domain.Point{}, false
	}
	among, ok := d.named(n, in, category)
	if !ok || !d.digits(n, among, series, category) {
		return domain.Point{}, false
	}
	found, ok := d.find(among, said, in.Value, series+" "+category+" "+d.chart.Title+" "+d.chart.Y, false)
	if !ok {
		d.mistake("Point %d%s: %s", n, of(category), d.nowhere(among, in.Value, said))
		return domain.Point{}, false
	}
	p := domain.Point{Value: found.value, Citation: d.cite(found)}
	d.units[found.unit()] = true
	if d.chart.Type != domain.ChartScatter {
		return p, true
	}
	x, ok := amount(in.X)
	if !ok {
		d.mistake("Point %d has no number for X.", n)
		return p, false
	}
	at, ok := d.find([]source{found.source}, x, in.X, in.Series, true)
	if !ok {
		d.mistake("Point %d: X is %s, which stands nowhere in passage %d.", n, clip(in.X), found.source.number)
		return p, false
	}
	p.X = at.value
	return p, true
}

// counted takes a count of the graph. Its value is the graph's.
func (d *draft) counted(n int, in Datum) (domain.Point, bool) {
	if in.Count < 1 || in.Count > len(d.counts) {
		d.mistake("Point %d names the count %d: there are %d.", n, in.Count, len(d.counts))
		return domain.Point{}, false
	}
	if d.chart.Type == domain.ChartScatter {
		d.mistake("Point %d is a count, which a scatter has no place for.", n)
		return domain.Point{}, false
	}
	c := d.counts[in.Count-1]
	if said, ok := amount(in.Value); in.Value != "" && (!ok || !same(said.values[0], float64(c.Value))) {
		d.mistake("Point %d has the value %s, and count %d is %d.", n, clip(in.Value), in.Count, c.Value)
		return domain.Point{}, false
	}
	d.units[""] = true
	of := c.Count
	return domain.Point{Value: float64(c.Value), Count: &of}, true
}

// named are the passages that a point may be found in: the one it names, or
// all when it names none.
func (d *draft) named(n int, in Datum, category string) ([]source, bool) {
	switch {
	case len(d.sources) == 0:
		d.mistake("Point %d%s names no count, and there are no passages.", n, of(category))
		return nil, false
	case in.Passage == 0:
		return d.sources, true
	case in.Passage < 0 || in.Passage > len(d.sources):
		d.mistake("Point %d%s names passage %d: there are %d.", n, of(category), in.Passage, len(d.sources))
		return nil, false
	}
	return d.sources[in.Passage-1 : in.Passage], true
}

var longDigits = regexp.MustCompile(`\d{3,}`)

// digits reports whether the years and other numbers in the names of a point
// stand in the passages.
func (d *draft) digits(n int, among []source, names ...string) bool {
	for _, digits := range longDigits.FindAllString(strings.Join(names, " "), -1) {
		if !slices.ContainsFunc(among, func(s source) bool { return s.mentions(digits) }) &&
			!slices.ContainsFunc(d.sources, func(s source) bool { return s.mentions(digits) }) {
			d.mistake("Point %d: %s stands nowhere in the passages.", n, digits)
			return false
		}
	}
	return true
}

// finding is a number that was looked for and found.
type finding struct {
	source   source
	quantity quantity
	value    float64 // as the chart gives it
}

func (f finding) unit() string {
	if f.quantity.percent {
		return "%"
	}
	return f.quantity.currency
}

// find looks a number up. Of several places it takes the one whose sentence
// has most of the words that go with it. Dates are found only where they may
// be.
func (d *draft) find(among []source, said quantity, text, words string, dates bool) (finding, bool) {
	terms := prose.Terms(words)
	scale := scaleOf(d.chart.Unit)
	if dates {
		scale = 1
	}
	var best finding
	most := -1
	for _, s := range among {
		for _, q := range s.quantities {
			value, ok := q.says(said, s, text, scale)
			if !ok || q.date && !dates {
				continue
			}
			if n := sharedTerms(terms, s.sentence(q).Shift(-s.Span.Start).Slice(s.Text)); n > most {
				best, most = finding{s, q, value}, n
			}
		}
	}
	return best, most >= 0
}

// says is the value of a quantity of a passage when it is what a specification
// says, in the unit of the chart. Of two meanings of the same digits the
// passage's own counts.
func (q quantity) says(said quantity, s source, text string, scale float64) (float64, bool) {
	if said.percent && !q.percent || said.currency != "" && q.currency != "" && said.currency != q.currency {
		return 0, false
	}
	if said.scale == 1 && strings.TrimSpace(text) == q.span.Slice(s.Text) && q.scale == 1 && (scale == 1 || s.scales[scale]) {
		return q.values[0], true
	}
	for _, v := range said.values {
		if said.scale != 1 { // it says "3.4 million" itself
			v /= scale
		}
		if s.holds(q, v, scale) {
			return v, true
		}
	}
	return 0, false
}

func sharedTerms(terms []string, sentence string) int {
	has := prose.Terms(sentence)
	n := 0
	for _, t := range terms {
		if slices.Contains(has, t) {
			n++
		}
	}
	return n
}

// nowhere says why a number was not found.
func (d *draft) nowhere(among []source, text string, said quantity) string {
	where := "the passages"
	if len(among) == 1 {
		where = fmt.Sprintf("passage %d", among[0].number)
	}
	if _, ok := d.find(among, said, text, "", true); ok {
		return fmt.Sprintf("%s is a date in %s, and no amount.", clip(text), where)
	}
	var has []string
	for _, s := range among {
		for _, q := range s.quantities {
			if q.scale != 1 && slices.ContainsFunc(said.values, func(v float64) bool { return same(v, q.values[0]/q.scale) }) {
				return fmt.Sprintf("%s stands in %s with a scale: write the value out, or name the scale in the unit.", clip(text), where)
			}
			if digits := q.span.Slice(s.Text); !q.date && len(has) < 12 && !slices.Contains(has, digits) {
				has = append(has, digits)
			}
		}
	}
	if len(has) == 0 {
		return fmt.Sprintf("%s stands nowhere in %s, which holds no amounts.", clip(text), where)
	}
	return fmt.Sprintf("%s stands nowhere in %s. There are %s.", clip(text), where, strings.Join(has, "; "))
}

// cite is the number of the citation of a finding's sentence.
func (d *draft) cite(f finding) int {
	at := citedAs{f.source.ID, f.source.sentence(f.quantity)}
	if n := d.cited[at]; n > 0 {
		return n
	}
	n := len(d.chart.Citations) + 1
	d.cited[at] = n
	d.chart.Citations = append(d.chart.Citations, domain.Citation{
		N: n, Document: f.source.Name, DocumentID: f.source.Document, Chunk: f.source.ID, Page: f.source.Page,
		Span: at.span, Text: at.span.Shift(-f.source.Span.Start).Slice(f.source.Text),
	})
	return n
}

// unit holds the chart's unit to what stands around its numbers.
func (d *draft) unit() {
	if len(d.units) == 0 {
		return
	}
	named := currencyOf(d.chart.Unit)
	var money []string
	for u := range d.units {
		if u != "" && u != "%" {
			money = append(money, u)
		}
	}
	slices.Sort(money)
	switch {
	case len(money) > 1:
		d.mistake("The values are in %s: one axis takes one currency.", strings.Join(money, " and "))
	case len(money) == 1 && d.units["%"]:
		d.mistake("Some values are percent and some are %s: one axis takes one unit.", money[0])
	case len(money) == 1 && named != "" && named != money[0]:
		d.mistake("The unit is %q, and the passages say %s.", d.chart.Unit, money[0])
	case d.units["%"] && !percentOf(d.chart.Unit):
		if len(d.units) > 1 || d.chart.Unit != "" {
			d.mistake("Some values are percent in the passages: the unit has to say so, and all have to be.")
			return
		}
		d.chart.Unit = "%"
	}
}

// currencyOf is the code of the currency that a unit names, "" for none.
func currencyOf(unit string) string {
	for _, word := range strings.FieldsFunc(strings.ToLower(unit), func(r rune) bool { return strings.ContainsRune(" /.,()", r) }) {
		if code, ok := currencies[word]; ok {
			return code
		}
	}
	return ""
}
