package prose

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"The mill, the mast.", "The|mill|the|mast"},
		{"St Osyth's well-known Mercers' Bridge", "St|Osyth's|well-known|Mercers|Bridge"},
		{"J. R. Smith met Dr. Brown of the U.S. Army.", "J.|R.|Smith|met|Dr.|Brown|of|the|U.S.|Army"},
		{"It cost 1,957,200 or 3.14 in 1960, 1961.", "It|cost|1,957,200|or|3.14|in|1960|1961"},
		{"Since v3.28.0 and go1.26.1, not file2.txt. See 4.2-rc.1, section3. 7 is left.", "Since|v3.28.0|and|go1.26.1|not|file2|txt|See|4.2-rc.1|section3|7|is|left"},
		{"東京へ行く", "東|京|へ|行|く"},
		{"naïve Ange\u0301", "naïve|Ange\u0301"},
		{"हिन्दी में", "हिन्दी|में"},
		{"", ""},
	} {
		var got []string
		for _, w := range Words(tt.text) {
			got = append(got, w.Text)
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, "|")); diff != "" {
			t.Errorf("words of %q (-want +got)\n%s", tt.text, diff)
		}
	}
}

func TestTokensAreTheText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		last := 0
		for _, tok := range Tokens(text) {
			if tok.Span.Start < last || tok.Span.Slice(text) != tok.Text {
				t.Fatalf("token %+v of %q: span holds %q", tok, text, tok.Span.Slice(text))
			}
			last = tok.Span.End
		}
	})
}

func TestTerms(t *testing.T) {
	t.Parallel()
	got := strings.Join(Terms("Which of the Bridges was it that Henrike's brothers were repairing?"), " ")
	if want := "bridg henrik brother repair"; got != want {
		t.Errorf("terms %q, want %q", got, want)
	}
}

func TestStem(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ a, b string }{{"Bridges", "bridge"}, {"founded", "founding"}, {"Café", "cafes"}} {
		if Stem(tt.a) != Stem(tt.b) {
			t.Errorf("stems of %q and %q differ: %q, %q", tt.a, tt.b, Stem(tt.a), Stem(tt.b))
		}
	}
	if Stem("東京") != "東京" {
		t.Errorf("Stem(東京) = %q", Stem("東京"))
	}
}
