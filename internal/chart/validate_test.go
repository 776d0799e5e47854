package chart

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose/numbers"
)

// passages returns evidence of passages that start 100 code points into their
// documents.
func passages(texts ...string) Evidence {
	var e Evidence
	for i, text := range texts {
		e.Passages = append(e.Passages, domain.Passage{Name: fmt.Sprintf("%d.txt", i+1), Title: fmt.Sprintf("File %d", i+1), Chunk: domain.Chunk{
			ID: domain.ChunkID(fmt.Sprint("c", i+1)), Document: domain.DocumentID(fmt.Sprint("d", i+1)), Page: i,
			Text: text, Span: domain.Span{Start: 100, End: 100 + domain.Runes(text)},
		}})
	}
	return e
}

var (
	mills = passages(
		"Weir Mill stands by the river. In 1812 it made 300 reams; in 1813 it made 1,250 reams.",
		"Die Obere Mühle machte 1.234 Ries und 0,5 Ballen. Ihr Anteil war 12 %, der von Weir Mill 7,5 %.",
		"Sales were €3.4 million in 1850 and €5 million in 1851. Costs were $2 million.")
	labels = []GraphCount{
		{Count: domain.Count{Of: domain.CountEntities, Key: "Person"}, Value: 12},
		{Count: domain.Count{Of: domain.CountEntities, Key: "Place"}, Value: 7},
	}
)

func bars(points ...Datum) Specification {
	return Specification{Type: "bar", Title: "Reams", Points: points}
}

func TestValidateCitesSentences(t *testing.T) {
	t.Parallel()
	c, mistakes := Validate(Specification{
		Type: "Bar", Title: " Reams\nof paper ", X: "year", Y: "reams", Unit: "reams",
		Points: []Datum{{Category: "1812", Value: "300", Passage: 1}, {Category: "1813", Value: "1250", Passage: 1}, {Category: "Obere Mühle", Value: "1234", Passage: 2}},
	}, mills)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	want := domain.Chart{
		Type: domain.ChartBar, Title: "Reams of paper", X: "year", Y: "reams", Unit: "reams",
		Categories: []string{"1812", "1813", "Obere Mühle"},
		Series: []domain.Series{{Points: []domain.Point{
			{Category: 0, Value: 300, Citation: 1}, {Category: 1, Value: 1250, Citation: 1}, {Category: 2, Value: 1234, Citation: 2},
		}}},
		Citations: []domain.Citation{
			{N: 1, Document: "1.txt", DocumentID: "d1", Chunk: "c1", Span: domain.Span{Start: 131, End: 186}, Text: "In 1812 it made 300 reams; in 1813 it made 1,250 reams."},
			{N: 2, Document: "2.txt", DocumentID: "d2", Chunk: "c2", Page: 1, Span: domain.Span{Start: 100, End: 149}, Text: "Die Obere Mühle machte 1.234 Ries und 0,5 Ballen."},
		},
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("chart (-want +got):\n%s", diff)
	}
}

func TestValidateAccepts(t *testing.T) {
	t.Parallel()
	one := func(kind, unit string, d Datum) Specification {
		return Specification{Type: kind, Title: "T", Unit: unit, Points: []Datum{d}}
	}
	for name, tt := range map[string]struct {
		spec  Specification
		value float64
		unit  string
	}{
		"as the passage writes it":    {one("bar", "", Datum{Category: "a", Value: "1,250", Passage: 1}), 1250, ""},
		"the passage's own thousands": {one("bar", "", Datum{Category: "a", Value: "1.234", Passage: 2}), 1234, ""},
		"a comma for the point":       {one("bar", "", Datum{Category: "a", Value: "0.5", Passage: 2}), 0.5, ""},
		"percent is filled in":        {one("bar", "", Datum{Category: "a", Value: "12", Passage: 2}), 12, "%"},
		"percent is said":             {one("pie", "percent", Datum{Category: "a", Value: "7,5 %", Passage: 2}), 7.5, "percent"},
		"the scale is in the unit":    {one("line", "million €", Datum{Category: "1850", Value: "3.4", Passage: 3}), 3.4, "million €"},
		"the scale is in the value":   {one("line", "million €", Datum{Category: "1850", Value: "3.4 million", Passage: 3}), 3.4, "million €"},
		"the scale is written out":    {one("line", "EUR", Datum{Category: "1850", Value: "3400000", Passage: 3}), 3.4e6, "EUR"},
		"no passage is named":         {one("area", "", Datum{Category: "1812", Value: "300"}), 300, ""},
		"one grouped bar":             {one("grouped", "", Datum{Category: "1812", Value: "300"}), 300, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, mistakes := Validate(tt.spec, mills)
			if len(mistakes) > 0 {
				t.Fatal(mistakes)
			}
			if p := c.Series[0].Points[0]; p.Value != tt.value || p.Citation != 1 || c.Unit != tt.unit {
				t.Errorf("value %g of citation %d, unit %q", p.Value, p.Citation, c.Unit)
			}
		})
	}
}

func TestValidateNamesMistakes(t *testing.T) {
	t.Parallel()
	point := Datum{Category: "a", Value: "300", Passage: 1}
	for name, tt := range map[string]struct {
		spec Specification
		says string
	}{
		"type":              {Specification{Type: "radar", Title: "T", Points: []Datum{point}}, `no chart type "radar"`},
		"title":             {Specification{Type: "bar", Points: []Datum{point}}, "no title"},
		"long title":        {Specification{Type: "bar", Title: strings.Repeat("x", 161), Points: []Datum{point}}, "161 characters"},
		"points":            {bars(), "no points"},
		"too many points":   {bars(slices.Repeat([]Datum{point}, 501)...), "501 points"},
		"too many series":   {bars(seriesOf(13)...), "13 series"},
		"invented":          {bars(Datum{Category: "a", Value: "412", Passage: 1}), "412 stands nowhere in passage 1. There are 300; 1,250."},
		"another passage":   {bars(Datum{Category: "a", Value: "300", Passage: 2}), "300 stands nowhere in passage 2"},
		"no such passage":   {bars(Datum{Category: "a", Value: "300", Passage: 4}), "there are 3"},
		"a year":            {bars(Datum{Category: "a", Value: "1812", Passage: 1}), "1812 is a date"},
		"no number":         {bars(Datum{Category: "a", Value: "many", Passage: 1}), `"many", which is not a number`},
		"not a number":      {bars(Datum{Category: "a", Value: "NaN", Passage: 1}), "not a number"},
		"infinite":          {bars(Datum{Category: "a", Value: "Infinity", Passage: 1}), "not a number"},
		"scale forgotten":   {bars(Datum{Category: "a", Value: "3.4", Passage: 3}), "with a scale"},
		"invented year":     {bars(Datum{Category: "1815", Value: "300", Passage: 1}), "1815 stands nowhere"},
		"no category":       {bars(Datum{Value: "300", Passage: 1}), "no category"},
		"twice":             {bars(point, point), "Points 1 and 2"},
		"series unnamed":    {bars(point, Datum{Series: "s", Category: "a", Value: "300"}), "not all have a name"},
		"mixed percent":     {bars(point, Datum{Category: "b", Value: "12", Passage: 2}), "percent"},
		"mixed currencies":  {bars(Datum{Category: "a", Value: "5 million", Passage: 3}, Datum{Category: "b", Value: "2 million", Passage: 3}), "EUR and USD"},
		"another currency":  {Specification{Type: "bar", Title: "T", Unit: "USD", Points: []Datum{{Category: "a", Value: "5000000", Passage: 3}}}, "the passages say EUR"},
		"two pies":          {Specification{Type: "pie", Title: "T", Points: []Datum{{Series: "s", Category: "a", Value: "300"}, {Series: "t", Category: "a", Value: "300"}}}, "A pie has one series"},
		"no such count":     {bars(Datum{Category: "a", Count: 3}), "names the count 3: there are 2"},
		"another count":     {bars(Datum{Category: "a", Count: 1, Value: "13"}), "count 1 is 12"},
		"scatter without X": {Specification{Type: "scatter", Title: "T", Points: []Datum{{Value: "300", Passage: 1}}}, "no number for X"},
		"scatter invents X": {Specification{Type: "scatter", Title: "T", Points: []Datum{{X: "77", Value: "300", Passage: 1}}}, "X is 77"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := mills
			e.Counts = labels
			c, mistakes := Validate(tt.spec, e)
			if !strings.Contains(strings.Join(mistakes, "\n"), tt.says) || len(mistakes) == 0 {
				t.Errorf("mistakes %q, want %q", mistakes, tt.says)
			}
			if len(mistakes) > maxMistakes || len(c.Series) > 0 {
				t.Errorf("%d mistakes and a chart of %d series", len(mistakes), len(c.Series))
			}
		})
	}
}

func seriesOf(n int) []Datum {
	var out []Datum
	for i := range n {
		out = append(out, Datum{Series: fmt.Sprint("s", i), Category: "a", Value: "300", Passage: 1})
	}
	return out
}

func TestValidatePie(t *testing.T) {
	t.Parallel()
	_, mistakes := Validate(Specification{Type: "pie", Title: "T", Points: []Datum{{Category: "a", Value: "-5", Passage: 1}, {Category: "b", Value: "6", Passage: 1}}},
		passages("It went to -5 and to 6."))
	if len(mistakes) != 1 || !strings.Contains(mistakes[0], "no negative values") {
		t.Errorf("mistakes %q", mistakes)
	}
	if _, mistakes = Validate(Specification{Type: "pie", Title: "T", Points: []Datum{{Category: "a", Value: "0", Passage: 1}}}, passages("There were 0 of them.")); len(mistakes) != 1 {
		t.Errorf("a pie of nothing: %q", mistakes)
	}
}

func TestValidateCounts(t *testing.T) {
	t.Parallel()
	c, mistakes := Validate(Specification{Type: "pie", Title: "Entities", Points: []Datum{{Category: "Person", Count: 1}, {Category: "Place", Count: 2, Value: "7"}}}, Evidence{Counts: labels})
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	want := []domain.Point{{Category: 0, Value: 12, Count: &labels[0].Count}, {Category: 1, Value: 7, Count: &labels[1].Count}}
	if diff := cmp.Diff(want, c.Series[0].Points); diff != "" {
		t.Errorf("points (-want +got):\n%s", diff)
	}
}

func TestValidateScatter(t *testing.T) {
	t.Parallel()
	c, mistakes := Validate(Specification{Type: "scatter", Title: "T", Points: []Datum{
		{X: "40", Value: "7", Passage: 1}, {X: "20", Value: "3", Passage: 1},
	}}, passages("At 20 degrees it grew 3 cm. At 40 degrees it grew 7 cm."))
	if len(mistakes) > 0 || c.Series[0].Points[0].X != 20 || c.Series[0].Points[1].Value != 7 || len(c.Categories) > 0 {
		t.Errorf("%v, %+v", mistakes, c)
	}
}

func TestValidateSortsYears(t *testing.T) {
	t.Parallel()
	c, mistakes := Validate(Specification{Type: "line", Title: "T", Points: []Datum{{Category: "1813", Value: "1250"}, {Category: "1812", Value: "300"}}}, mills)
	if len(mistakes) > 0 || !slices.Equal(c.Categories, []string{"1812", "1813"}) || c.Series[0].Points[0].Value != 300 {
		t.Errorf("%v, %+v", mistakes, c)
	}
}

func TestValidateCitesTheBestOfEqualNumbers(t *testing.T) {
	t.Parallel()
	c, mistakes := Validate(bars(Datum{Category: "Lower Mill", Value: "300"}), passages("Weir Mill made 300 reams.", "The Lower Mill made 300 reams."))
	if len(mistakes) > 0 || c.Citations[0].Text != "The Lower Mill made 300 reams." {
		t.Errorf("%v, %+v", mistakes, c.Citations)
	}
}

func TestValidateCleansNames(t *testing.T) {
	t.Parallel()
	c, mistakes := Validate(Specification{Type: "bar", Title: "A\u202e<b>\x00\t title", Points: []Datum{{Category: "x\u0007 y", Value: "300"}}}, mills)
	if len(mistakes) > 0 || c.Title != "A<b> title" || c.Categories[0] != "x y" {
		t.Errorf("%v, title %q, categories %q", mistakes, c.Title, c.Categories)
	}
}

// TestValidateProperties validates random specifications, most of them wrong,
// whose numbers stand in the passages.
func TestValidateProperties(t *testing.T) {
	t.Parallel()
	e := mills
	e.Counts = labels
	rapid.Check(t, func(t *rapid.T) {
		s := anySpecification().Draw(t, "specification")
		c, mistakes := Validate(s, e)
		if len(mistakes) > 0 {
			if !cmp.Equal(c, domain.Chart{}) {
				t.Fatalf("mistakes and a chart: %+v", c)
			}
			return
		}
		if why := broken(c, e); why != "" {
			t.Fatalf("%s: %+v", why, c)
		}
	})
}

func anySpecification() *rapid.Generator[Specification] {
	numbers := rapid.SampledFrom([]string{"300", "1,250", "1250", "1.234", "1234", "12", "7.5", "3.4", "3.4 million", "5000000", "1812", "-300", "NaN", "1e999", "many", "", "412"})
	names := rapid.OneOf(rapid.SampledFrom([]string{"", "Weir Mill", "1812", "1813", "1999", "a"}), rapid.String())
	datum := rapid.Custom(func(t *rapid.T) Datum {
		return Datum{
			Series: names.Draw(t, "series"), Category: names.Draw(t, "category"), X: numbers.Draw(t, "x"), Value: numbers.Draw(t, "value"),
			Passage: rapid.IntRange(-1, 4).Draw(t, "passage"), Count: rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3, -1}).Draw(t, "count"),
		}
	})
	kinds := rapid.OneOf(rapid.SampledFrom(slices.Concat(types, []domain.ChartType{"stacked", "donut"})), rapid.Just(domain.ChartType("?")))
	return rapid.Custom(func(t *rapid.T) Specification {
		return Specification{
			Type: string(kinds.Draw(t, "type")), Title: names.Draw(t, "title"), Unit: rapid.SampledFrom([]string{"", "%", "million €", "USD", "reams"}).Draw(t, "unit"),
			X: names.Draw(t, "x axis"), Y: names.Draw(t, "y axis"), Points: rapid.SliceOfN(datum, 0, 4).Draw(t, "points"),
		}
	})
}

// broken returns the rule that a chart breaks, or "".
func broken(c domain.Chart, e Evidence) string {
	points := 0
	b, err := json.Marshal(c)
	switch {
	case err != nil || len(b) > MaxBytes:
		return "it is too large"
	case !slices.Contains(types, c.Type):
		return "no type"
	case c.Title == "" || domain.Runes(c.Title) > maxTitle:
		return "no title"
	case len(c.Series) == 0 || len(c.Series) > domain.MaxSeries || c.Type == domain.ChartPie && len(c.Series) != 1:
		return "series"
	case (c.Type == domain.ChartScatter) != (len(c.Categories) == 0):
		return "categories"
	}
	for _, s := range c.Series {
		for _, p := range s.Points {
			points++
			if why := brokenPoint(c, p, e); why != "" {
				return why
			}
		}
	}
	for i, cited := range c.Citations {
		p := e.Passages[slices.IndexFunc(e.Passages, func(p domain.Passage) bool { return p.ID == cited.Chunk })]
		if cited.N != i+1 || !p.Span.Contains(cited.Span) || cited.Span.Shift(-p.Span.Start).Slice(p.Text) != cited.Text || cited.DocumentID != p.Document {
			return "citation"
		}
	}
	if points > domain.MaxPoints {
		return "too many points"
	}
	return ""
}

func brokenPoint(c domain.Chart, p domain.Point, e Evidence) string {
	switch {
	case math.IsNaN(p.Value) || math.IsInf(p.Value, 0) || math.IsNaN(p.X) || math.IsInf(p.X, 0):
		return "not a finite number"
	case c.Type == domain.ChartPie && p.Value < 0:
		return "negative slice"
	case (p.Citation == 0) == (p.Count == nil):
		return "neither citation nor count, or both"
	case p.Count != nil:
		if !slices.ContainsFunc(e.Counts, func(k GraphCount) bool { return k.Count == *p.Count && float64(k.Value) == p.Value }) {
			return "another count"
		}
		return ""
	case c.Type != domain.ChartScatter && (p.Category < 0 || p.Category >= len(c.Categories)):
		return "category"
	case p.Citation < 0 || p.Citation > len(c.Citations):
		return "citation number"
	}
	text := c.Citations[p.Citation-1].Text
	scale := numbers.ScaleOf(c.Unit)
	for _, q := range numbers.Read(text, "") {
		if slices.ContainsFunc(q.Values, func(v float64) bool { return equal(v, p.Value) || equal(v, p.Value*scale) }) {
			return ""
		}
	}
	return fmt.Sprintf("%g does not stand in %q", p.Value, text)
}

func FuzzParseSpecification(f *testing.F) {
	for _, s := range []string{
		`{"type":"bar","title":"T","points":[{"category":"1812","value":300,"passage":1}]}`,
		"```json\n{\"type\":\"pie\",\"points\":[{\"category\":\"a\",\"value\":\"1.234,5\",\"count\":\"[1]\"}]}\n```",
		`<think>{"no"}</think>{"points":null}`, `{"points":[{"value":1e308}]}`, `{"points":[{"value":{}}]}`, "{", "}", "",
	} {
		f.Add(s)
	}
	e := mills
	e.Counts = labels
	f.Fuzz(func(t *testing.T, said string) {
		s, err := ParseSpecification(said)
		if err != nil {
			return
		}
		if c, mistakes := Validate(s, e); len(mistakes) == 0 {
			if why := broken(c, e); why != "" {
				t.Fatalf("%s: %+v", why, c)
			}
		}
	})
}

func TestParseSpecification(t *testing.T) {
	t.Parallel()
	want := Specification{Type: "bar", Title: "T", Unit: "%", Points: []Datum{{Series: "s", Category: "1812", Value: "300", Passage: 2}, {Category: "b", Value: "100000", Count: 1}}}
	for _, said := range []string{
		`{"type":"bar","title":"T","unit":"%","points":[{"series":"s","category":1812,"value":300,"passage":2,"count":0},{"category":"b","value":1e5,"count":1}]}`,
		"<think>{so}</think>Here:\n```json\n" + `{"type":"bar","title":"T","unit":"%","x":null,"points":[{"series":"s","category":"1812","value":"300","passage":"[2]"},{"category":"b","value":"100000","count":"1"}]}` + "\n```\nDone.",
	} {
		got, err := ParseSpecification(said)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	for _, said := range []string{"", "no", "{", `{"points":3}`, `{"type":"bar"}`, "{broken}", strings.Repeat("x", maxAnswer+1), `{"points":[` + strings.Repeat("{},", maxData) + `{}]}`} {
		if _, err := ParseSpecification(said); err == nil {
			t.Errorf("%.40q was read", said)
		}
	}
}
