package prose_test

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/prose"
)

func TestQuotationsAreFound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, quotation, want string }{
		{"The mill made 300 sheets a day.", "mill made 300", "mill made 300"},
		{"The mill\n made “300” sheets.", "The Mill made 300 sheets", "The mill\n made “300” sheets"},
		{"It was coop-\nerative work.", "cooperative work", "coop-\nerative work"},
		{"Äpfel und Birnen: drei Euro", "birnen, DREI", "Birnen: drei"},
		{"A part of art is craft.", "art", "art"},
		{"It made 1300 sheets, then 300 sheets.", "300 sheets", "300 sheets"},
		{"anana bananana banana", "banana", "banana"},
		{"el cafe\u0301 negro", "el cafe", "el cafe\u0301"},
		{"中国有四百人", "有四百", "有四百"},
		{"A part of it.", "art", ""},
		{"A part of it.", "parts", ""},
		{"A part of it.", "…", ""},
		{"", "part", ""},
	} {
		span, found := prose.Quote(tt.text, tt.quotation)
		if got := span.Slice(tt.text); got != tt.want || found != (tt.want != "") {
			t.Errorf("%q in %q: got %q, want %q", tt.quotation, tt.text, got, tt.want)
		}
	}
	if span, _ := prose.Quote("A part of art.", "art"); span.Start != 10 {
		t.Errorf("art stands at %d", span.Start)
	}
}

func FuzzQuote(f *testing.F) {
	f.Add("The mill made 300 sheets", "mill made")
	f.Add("aaab aab", "aab")
	f.Fuzz(func(t *testing.T, text, quotation string) {
		span, found := prose.Quote(text, quotation)
		if got := span.Slice(text); found && len(strings.TrimSpace(got)) == 0 {
			t.Fatalf("%q in %q: found at %v", quotation, text, span)
		}
	})
}
