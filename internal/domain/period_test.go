package domain

import (
	"encoding/json"
	"testing"
)

func mustPeriods(t *testing.T, line string) []Period {
	t.Helper()
	p := ReadPeriods(line)
	if got := WritePeriods(p); got != line {
		t.Fatalf("read %q from %q", got, line)
	}
	return p
}

func TestPeriodsAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		" 1890..1902 ": "1890..1902", "1890 .. 1902-03": "1890..1902-03", "1921-05-03..1921-05-03": "1921-05-03", "..1902": "..1902", "-0044..": "-0044..", "..": "..",
		"": "", "soon": "", "1902..1890": "", "1890-13": "", "1890-02-30": "", "1890-00": "", "0000": "", "1890..x": "",
	} {
		p, err := ParsePeriod(text)
		if want == "" && KindOf(err) != Invalid || want != "" && (err != nil || p.String() != want) {
			t.Errorf("%q: got %q, %v, want %q", text, p, err, want)
		}
	}
	for text, want := range map[string]string{
		"1890..1902 1910..": "1890..1902 1910..", "1890 .. 1902": "1890..1902", " .. ": "", "1921 ..1800": "1921 ..1800", "": "?", "1890..1902 soon": "?", "soon": "?",
	} {
		if all, err := ParsePeriods(text); want == "?" && KindOf(err) != Invalid || want != "?" && (err != nil || WritePeriods(all) != want) {
			t.Errorf("%q: got %q, %v, want %q", text, WritePeriods(all), err, want)
		}
	}
	two := Relation{Properties: Properties{{Key: ValidKey, Value: "1910.. 1890..1902"}}}
	if got := two.Dating(); got != "= 1890..1902 1910.." {
		t.Errorf("a relation with two periods is dated %q", got)
	}
	said := Period{From: Day{Year: 1890, Month: 5}, At: Span{Start: 3, End: 9}}
	text, err := json.Marshal(said)
	if err != nil || string(text) != `{"from":"1890-05","at":{"start":3,"end":9}}` {
		t.Errorf("written %s, %v", text, err)
	}
	var back Period
	if err := json.Unmarshal(text, &back); err != nil || back != said {
		t.Errorf("got %v, %v", back, err)
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, periods, at string
		want              bool
	}{
		{"RUNS", "", "1995", true},
		{"RUNS", "1890..1902", "1889", false},
		{"RUNS", "1890..1902", "1890", true},
		{"RUNS", "1890..1902", "1902-12-31", true},
		{"RUNS", "1890..1902", "1903", false},
		{"RUNS", "1890-06..1902", "1890", true}, // a part of the year
		{"RUNS", "1890-06..1902", "1890-05", false},
		{"RUNS", "1890..1902 1910..", "1905", false},
		{"RUNS", "1890..1902 1910..", "1950", true},
		{"RUNS", "..1902", "1700", true},
		{"RUNS", "1921", "1920", false},
		{"RUNS", "1921", "1995", true}, // nobody said that it ended
		{"BUILT_BY", "1921..1925", "1995", true},
		{"WAS_BORN_IN", "1921", "1900", false},
		{"BORNEO_TRADES_WITH", "1921..1925", "1995", false},
		{"RUNS", "1890..1902", "", true},
	} {
		var at Day
		if err := at.UnmarshalText([]byte(c.at)); err != nil {
			t.Fatal(err)
		}
		if got := Holds(c.kind, mustPeriods(t, c.periods), at); got != c.want {
			t.Errorf("%s %q at %q: %v", c.kind, c.periods, c.at, got)
		}
	}
}

func TestOverlap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"1890..1902", "1903..", false}, {"1890..1902", "1902..", true}, {"1890..", "1903..", true}, {"1921", "1921-05", true}, {"1921", "1922", false}, {"", "1922", true},
	} {
		if a, b := mustPeriods(t, c.a), mustPeriods(t, c.b); Overlap(a, b) != c.want || Overlap(b, a) != c.want {
			t.Errorf("%q and %q: want %v", c.a, c.b, c.want)
		}
	}
}

func TestPeriodsOfARelation(t *testing.T) {
	t.Parallel()
	dated := func(texts ...string) (r Relation) {
		for i, text := range texts {
			p := mustPeriods(t, text)
			p[0].At = Span{Start: i, End: i + 4}
			r.Evidence = append(r.Evidence, Evidence{Periods: p})
		}
		return r
	}
	given := func(r Relation, values ...string) Relation {
		for _, v := range values {
			r.Properties = append(r.Properties, Property{ValidKey, v})
		}
		return r
	}
	for want, r := range map[string]Relation{
		"1890..1902 1921": dated("1921", "1890..1902", "1921"),
		"1930..":          given(dated("1921"), "1930.."),
		"":                given(dated("1921"), ".."),
		"1921":            given(dated("1921"), "true"),
	} {
		if got := WritePeriods(r.Periods()); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
