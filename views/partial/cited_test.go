package partial_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/partial"
)

var (
	citation = regexp.MustCompile(`<a class="cite[^>]*>(\d+)</a>`)
	tag      = regexp.MustCompile(`</?(span|div|p|a)[^>]*>`)
)

// TestCitationsStandBeforeTheSigns puts them where the model wrote their marks.
func TestCitationsStandBeforeTheSigns(t *testing.T) {
	t.Parallel()
	one := func(text string, cites ...int) domain.Sentence {
		return domain.Sentence{Text: text, Citations: cites, Supported: true}
	}
	for _, tt := range []struct {
		name, text string
		sentences  []domain.Sentence
		want       string
	}{
		{"before the signs", "At the *Ford* [1], in 1885 [2]. Done [1].", []domain.Sentence{one("At the *Ford*, in 1885.", 1, 2), one("Done.", 1)}, "At the <em>Ford</em>{1}, in 1885{2}. Done{1}."},
		{"behind them", "At the Ford, [1] in 1885. [2] [3] Done!", []domain.Sentence{one("At the Ford, in 1885.", 1, 2, 3), one("Done!")}, "At the Ford{1}, in 1885{2}{3}. Done!"},
		{"no marks", "", []domain.Sentence{one("It was 1885…", 1), one("“So be it.”", 2)}, "It was 1885{1}… “So be it.”{2}"},
		{"another text", "It is [1] so. It is.", []domain.Sentence{one("It was so.", 1)}, "It was so{1}."},
		{"a number that the text has", "See [2] there. [1] It ends", []domain.Sentence{one("See [2] there.", 1)}, "See [2] there{1}."},
		{"in what is stressed", "The *Orrin [1] Courier* of 5 < 6 [2].", []domain.Sentence{one("The *Orrin Courier* of 5 < 6.", 1, 2)}, "The <em>Orrin{1} Courier</em> of 5 &lt; 6{2}."},
		{"nothing but signs", "… [1]", []domain.Sentence{one("…", 1)}, "…{1}"},
	} {
		var b strings.Builder
		props := partial.TurnProps{Status: partial.TurnDone, Text: tt.text, Sentences: tt.sentences, Citations: []domain.Citation{{N: 1}, {N: 2}, {N: 3}}}
		if err := partial.Answer(props).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		answer, _, _ := strings.Cut(b.String(), "<ol")
		got := domain.OneLine(tag.ReplaceAllString(citation.ReplaceAllString(answer, "{$1}"), ""))
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
