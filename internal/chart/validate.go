package chart

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/prose/numbers"
)

// Specification is a requested chart, none of which has been verified.
type Specification struct {
	Type   string  `json:"type"`
	Title  string  `json:"title"`
	Unit   string  `json:"unit"`
	X      string  `json:"x"` // title of the axis of categories, or of the X axis
	Y      string  `json:"y"` // title of the axis of values
	Points []Datum `json:"points"`
}

// Datum is one value of a specification with its claimed source.
type Datum struct {
	Series   string `json:"series"`
	Category string `json:"category"` // not of a scatter
	X        string `json:"x"`        // of a scatter: a number
	Value    string `json:"value"`    // a number as written by people
	Passage  int    `json:"passage"`  // number of the passage; 0 if there is none
	Count    int    `json:"count"`    // number of the count; 0 if there is none
}

// Limits of a model's answer, far above the limits of a chart.
const (
	maxAnswer = 1 << 20 // bytes
	maxData   = 2000
)

// ParseSpecification parses a model's answer: a JSON object, perhaps in a fence or between thoughts and words. Numbers
// may be strings, and strings numbers. The error is a sentence for the model.
func ParseSpecification(answer string) (Specification, error) {
	if len(answer) > maxAnswer {
		return Specification{}, errors.New("the answer is too long")
	}
	v, whole, err := llm.ReadJSON(answer, func(v any) bool {
		o, ok := v.(llm.Object)
		return ok && o.Has("points")
	})
	if err != nil {
		return Specification{}, errors.New("the answer holds no JSON object with points")
	}
	if !whole {
		return Specification{}, errors.New("the answer was cut off: give fewer points")
	}
	o, _ := v.(llm.Object)
	s := Specification{Type: o.Text("type"), Title: o.Text("title"), Unit: o.Text("unit"), X: textOf(o, "x"), Y: textOf(o, "y")}
	points := o.List("points")
	if len(points) > maxData {
		return Specification{}, errors.New("there are " + strconv.Itoa(len(points)) + " points, more than any chart may have")
	}
	for _, item := range points {
		p, ok := item.(llm.Object)
		if !ok {
			return Specification{}, errors.New("points is not a list of objects")
		}
		s.Points = append(s.Points, Datum{
			Series: textOf(p, "series"), Category: textOf(p, "category"), X: textOf(p, "x"), Value: textOf(p, "value"),
			Passage: number(p, "passage"), Count: number(p, "count"),
		})
	}
	return s, nil
}

// textOf returns a member that is a string or a number, else "".
func textOf(o llm.Object, name string) string {
	v, _ := o.Find(name)
	text, _ := v.(string)
	if jsonNumber.MatchString(text) {
		return plainNumber(text)
	}
	return text
}

var jsonNumber = regexp.MustCompile(`^-?\d+(?:\.\d+)?[eE][-+]?\d+$`)

// plainNumber writes a JSON number without an exponent, as in a text.
func plainNumber(digits string) string {
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || !strings.ContainsAny(digits, "eE") {
		return digits
	}
	return formatNumber(v)
}

// number returns a member that is a positive number, perhaps written as "[2]",
// else 0.
func number(o llm.Object, name string) int {
	n, err := strconv.Atoi(strings.Trim(textOf(o, name), "[] "))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

const longestDecimal = 40 // characters

var plainDecimal = regexp.MustCompile(`^[-−+]?\d+(?:\.\d+)?$`)

// parseAmount parses a number of a specification.
func parseAmount(text string) (numbers.Number, bool) {
	text = strings.TrimSpace(text)
	if plainDecimal.MatchString(text) && len(text) <= longestDecimal {
		v, err := strconv.ParseFloat(strings.TrimPrefix(strings.Replace(text, "−", "-", 1), "+"), 64)
		return numbers.Number{Values: []float64{v}, Scale: 1}, err == nil
	}
	all := numbers.Read(text, "")
	if len(all) == 0 {
		return numbers.Number{}, false
	}
	return all[0], true
}

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

// Validate turns a specification into a chart, or returns its mistakes as sentences for its author. Each number of the
// chart must be in the sentence that its point cites, or be the count that its point names; numbers and years in the
// names of categories must be in one of the passages.
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
	units     map[string]bool // of the numbers as written in the passages: "%", a currency, or ""
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
	if (c.Type == domain.ChartLine || c.Type == domain.ChartArea) && !slices.ContainsFunc(c.Categories, func(name string) bool { return !numbers.IsYear(name) }) {
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
	return strings.Join(lists.Map(types, func(t domain.ChartType) string { return string(t) }), ", ")
}

// value looks up the value of the n-th point and cites its source.
func (v *validator) value(n int, d Datum, series, category string) (p domain.Point, ok bool) {
	if d.Count != 0 {
		return v.countValue(n, d)
	}
	claimed, ok := parseAmount(d.Value)
	if !ok {
		v.mistake("Point %d%s has the value %q, which is not a number.", n, parenthesized(category), clip(d.Value))
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
	if claimed, ok := parseAmount(d.Value); d.Value != "" && (!ok || !equal(claimed.Values[0], float64(c.Value))) {
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

// checkDigits reports whether the years and other numbers in the names of a point occur in the passages.
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
	span := m.source.sentence(m.number)
	key := citationKey{m.source.ID, span}
	if n := v.citations[key]; n > 0 {
		return n
	}
	n := len(v.chart.Citations) + 1
	v.citations[key] = n
	v.chart.Citations = append(v.chart.Citations, domain.Citation{
		N: n, Document: m.source.Name, DocumentID: m.source.Document, Version: m.source.Version, Chunk: m.source.ID, Page: m.source.PageOf(span), Place: m.source.Place(span), Span: span, Text: m.source.text(span), Web: m.source.Web,
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
	case len(money) == 1 && cmp.Or(numbers.CurrencyOf(v.chart.Unit), money[0]) != money[0]:
		v.mistake("The unit is %q, and the passages say %s.", v.chart.Unit, money[0])
	case v.units["%"] && !numbers.IsPercent(v.chart.Unit):
		if len(v.units) > 1 || v.chart.Unit != "" {
			v.mistake("Some values are percent in the passages: the unit has to say so, and all have to be.")
			return
		}
		v.chart.Unit = "%"
	}
}

// Evidence holds the possible sources of a chart's numbers. Specifications
// refer to both lists by position, from 1.
type Evidence struct {
	Passages []domain.Passage
	Counts   []GraphCount
}

// GraphCount is a count in the graph.
type GraphCount struct {
	domain.Count
	Value int `json:"value"`
	Among int `json:"among,omitempty"` // total number of counts, of which these are the first
}

// amounts counts the numbers of the passages that are not dates.
func (e Evidence) amounts() int {
	n := 0
	for _, p := range e.Passages {
		n += lists.CountFunc(numbers.Read(p.Text, ""), func(q numbers.Number) bool { return !q.Dated() })
	}
	return n
}

// A source is a passage with its parsed numbers.
type source struct {
	domain.Passage
	number    int // in a specification
	numbers   []numbers.Number
	sentences []domain.Span    // in the passage's text
	scales    map[float64]bool // named in the passage
}

func (e Evidence) sources() []source {
	out := make([]source, len(e.Passages))
	for i, p := range e.Passages {
		s := source{Passage: p, number: i + 1, numbers: numbers.Read(p.Text, ""), sentences: prose.Sentences(p.Text), scales: map[float64]bool{1: true}}
		for _, word := range strings.FieldsFunc(strings.ToLower(p.Text), func(r rune) bool { return strings.ContainsRune(" \n\t|()[].,;:/", r) }) {
			s.scales[numbers.ScaleOf(word)] = true
		}
		out[i] = s
	}
	return out
}

// states reports whether a quantity is value in units of scale. A bare number
// may be meant in the scale if the passage names it elsewhere, as in the head
// of a table.
func (s source) states(q numbers.Number, value, scale float64) bool {
	return slices.ContainsFunc(q.Values, func(v float64) bool {
		return equal(v, value*scale) || q.Scale == 1 && s.scales[scale] && equal(v, value)
	})
}

// equal ignores the rounding of binary fractions.
func equal(a, b float64) bool {
	return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b))
}

// sentence returns the span of the sentence that holds a quantity, in the
// document's text.
func (s source) sentence(q numbers.Number) domain.Span {
	for _, span := range s.sentences {
		if span.Start <= q.Span.Start && q.Span.Start < span.End {
			return domain.Span{Start: span.Start, End: max(span.End, q.Span.End)}.Shift(s.Span.Start)
		}
	}
	return q.Span.Shift(s.Span.Start)
}

// text returns the part of the passage at a span of the document.
func (s source) text(span domain.Span) string { return span.Shift(-s.Span.Start).Slice(s.Text) }

// contains reports whether the passage, its title or its headings contain
// digits that are not part of a longer number.
func (s source) contains(digits string) bool {
	text := strings.Join(append([]string{s.Text, s.Title, s.Name}, s.Headings...), "\n")
	for {
		before, after, found := strings.Cut(text, digits)
		if !found {
			return false
		}
		if (before == "" || before[len(before)-1] < '0' || before[len(before)-1] > '9') && (after == "" || after[0] < '0' || after[0] > '9') {
			return true
		}
		text = after
	}
}

// A match is a number that was found in a passage.
type match struct {
	source source
	number numbers.Number
	value  float64 // in the unit of the chart
}

func (m match) unit() string {
	if m.number.Percent {
		return "%"
	}
	return m.number.Currency
}

// find looks up a number. Of several matches it returns the one whose sentence
// shares most words with the request.
func (v *validator) find(sources []source, claimed numbers.Number, text, context string, dates bool) (match, bool) {
	terms := prose.Terms(context)
	scale := numbers.ScaleOf(v.chart.Unit)
	if dates {
		scale = 1
	}
	var best match
	most := -1
	for _, s := range sources {
		for _, q := range s.numbers {
			value, ok := s.match(q, claimed, text, scale)
			if !ok || q.Dated() && !dates {
				continue
			}
			if n := shared(terms, prose.Terms(s.text(s.sentence(q)))); n > most {
				best, most = match{s, q, value}, n
			}
		}
	}
	return best, most >= 0
}

// match returns the value of a quantity, in the unit of the chart, if it is
// what a specification claims. Where digits are ambiguous, the passage's own
// reading wins.
func (s source) match(q, claimed numbers.Number, text string, scale float64) (float64, bool) {
	if claimed.Percent && !q.Percent || claimed.Currency != "" && q.Currency != "" && claimed.Currency != q.Currency {
		return 0, false
	}
	if claimed.Scale == 1 && strings.TrimSpace(text) == q.Span.Slice(s.Text) && q.Scale == 1 && (scale == 1 || s.scales[scale]) {
		return q.Values[0], true
	}
	for _, value := range claimed.Values {
		if claimed.Scale != 1 { // "3.4 million"
			value /= scale
		}
		if s.states(q, value, scale) {
			return value, true
		}
	}
	return 0, false
}

// explainMissing explains why a number was not found.
func (v *validator) explainMissing(sources []source, text string, claimed numbers.Number) string {
	where := "the passages"
	if len(sources) == 1 {
		where = fmt.Sprintf("passage %d", sources[0].number)
	}
	if _, ok := v.find(sources, claimed, text, "", true); ok {
		return fmt.Sprintf("%s is a date in %s, and no amount.", clip(text), where)
	}
	const maxListed = 12
	var amounts []string
	for _, s := range sources {
		for _, q := range s.numbers {
			if q.Scale != 1 && slices.ContainsFunc(claimed.Values, func(v float64) bool { return equal(v, q.Values[0]/q.Scale) }) {
				return fmt.Sprintf("%s stands in %s with a scale: write the value out, or name the scale in the unit.", clip(text), where)
			}
			if digits := q.Span.Slice(s.Text); !q.Dated() && len(amounts) < maxListed && !slices.Contains(amounts, digits) {
				amounts = append(amounts, digits)
			}
		}
	}
	if len(amounts) == 0 {
		return fmt.Sprintf("%s stands nowhere in %s, which holds no amounts.", clip(text), where)
	}
	return fmt.Sprintf("%s stands nowhere in %s. There are %s.", clip(text), where, strings.Join(amounts, "; "))
}

// label cleans a text of the chart, which may have at most limit code points.
func (v *validator) label(field, text string, limit int) string {
	text = plain(text)
	if n := domain.Runes(text); n > limit {
		v.mistake("The %s %q has %d characters, the most is %d.", field, clip(text), n, limit)
		return ""
	}
	return text
}

// plain joins the lines of text and drops control and formatting characters,
// which would hide or reverse the text beside them.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != '\u200d' && r != '\u200c', r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return domain.OneLine(text)
}

// clip shortens a text that a mistake quotes.
func clip(text string) string { return domain.Cut(plain(text), 40) }

// snakeCase turns "Grouped bar" into "grouped_bar".
func snakeCase(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(plain(text)), func(r rune) bool { return r == ' ' || r == '-' || r == '_' }), "_")
}

// parenthesized returns a name in parentheses after a space, or "".
func parenthesized(name string) string {
	if name == "" {
		return ""
	}
	return " (" + clip(name) + ")"
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// shared counts the terms of a that are in b.
func shared(a, b []string) int {
	return lists.CountFunc(a, func(t string) bool { return slices.Contains(b, t) })
}
