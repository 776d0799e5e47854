package numbers_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/prose/numbers"
)

// amounts returns the most likely values of the numbers of a text that are no dates.
func amounts(text string) []float64 {
	var out []float64
	for _, q := range numbers.Read(text, "") {
		if !q.Dated() {
			out = append(out, q.Value())
		}
	}
	return out
}

func TestNumbersOfTexts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want []float64
	}{
		{"It made 300 sheets.", []float64{300}},
		{"It made 1,234.5 tons.", []float64{1234.5}},
		{"Es waren 1.234,5 Tonnen.", []float64{1234.5}},
		{"Es waren 1.234 Tonnen und 3,5 Liter.", []float64{1234, 3.5}},
		{"They sold 1,234 copies at 2.50 each.", []float64{1234, 2.5}},
		{"1\u202f234 personnes", []float64{1234, 1, 234}},
		{"1 234 567 people", []float64{1234567, 1, 234, 567}},
		{"1'234'567.25 francs", []float64{1234567.25}},
		{"1,23,456 rupees", []float64{123456}},
		{"12 % and 7.5% and 3 percent, 4 Prozent", []float64{12, 7.5, 3, 4}},
		{"3.4 million and 2 Mrd. Euro and 5k", []float64{3.4e6, 2e9, 5e3}},
		{"between 3 and 4 million", []float64{3e6, 4e6}},
		{"10–12 tons, 10-12 tons", []float64{10, 12, 10, 12}},
		{"It fell to -5 and −6.5, minus 7", []float64{-5, -6.5, -7}},
		{"a share of (-3)", []float64{-3}},
		{"T-34 tanks and B12 and the 19th and 2nd", nil},
		{"5kg, 80 km/h, 20°C", []float64{5, 80, 20}},
		{"version 1.2.3 of 12.03.1812", nil},
		{"0.125 of it", []float64{0.125}},
		{"In 1812 it made 300 sheets, in 1813 400.", []float64{300, 400}},
		{"It stood from 1812 to 1815 (1850), in March 1822 and on 12 April 1830, in the 1850s.", nil},
		{"in 1850 tonnes of wool", []float64{1850}},
		{"1900 people came at 12:30 on 1812-03-04", []float64{1900}},
		{"| 1812 | 300 |\n| 1813 | 1400 |", []float64{300, 1400}},
		{"1812 300 sheets", []float64{1812, 300}},
		{"€5.2 million, $ 300, 20 Euro", []float64{5.2e6, 300, 20}},
		{"３００ wide digits are left alone", nil},
		{"1,2,3", nil},
		{"", nil},
	} {
		if diff := cmp.Diff(tt.want, amounts(tt.text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestUnits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text     string
		percent  bool
		currency string
		scale    float64
	}{
		{"12 %", true, "", 1},
		{"12–14 %", true, "", 1},
		{"€3.4 million", false, "EUR", 1e6},
		{"3.4 million dollars", false, "USD", 1e6},
		{"7 pounds", false, "GBP", 1},
		{"7 sheep", false, "", 1},
	} {
		all := numbers.Read(tt.text, "")
		q := all[0]
		if q.Percent != tt.percent || q.Currency != tt.currency || q.Scale != tt.scale {
			t.Errorf("%q: percent %t, currency %q, scale %g", tt.text, q.Percent, q.Currency, q.Scale)
		}
	}
}

func TestSpans(t *testing.T) {
	t.Parallel()
	const text = "Über 👩‍🔧 12 Brücken: 1.234,5 t und 中国 400 人"
	var got []string
	for _, q := range numbers.Read(text, "") {
		got = append(got, q.Span.Slice(text))
	}
	if want := []string{"12", "1.234,5", "400"}; !slices.Equal(got, want) {
		t.Errorf("spans hold %q", got)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"1,234.5", "1.234,5", "1 234", "12 %", "3.4 million", "10–12", "minus 5", "12.03.1812", "9" + string(make([]byte, 40))} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, q := range numbers.Read(text, "") {
			if q.Span.Empty() || q.Span.Start < 0 {
				t.Fatalf("%q: span %v", text, q.Span)
			}
			for _, v := range q.Values {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%q: value %g", text, v)
				}
			}
		}
	})
}
