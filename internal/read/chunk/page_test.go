package chunk_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/read/chunk"
)

// TestEverySentenceKnowsItsPage splits texts of several pages, each unit and length of chunk, and compares the place of each
// sentence in its chunk with where it stands in the text.
func TestEverySentenceKnowsItsPage(t *testing.T) {
	t.Parallel()
	for _, unit := range []domain.Unit{domain.UnitPage, domain.UnitSlide, domain.UnitRow, domain.UnitTime} {
		for _, name := range []string{"", "iv"} {
			var text domain.Text
			var content strings.Builder
			at := 0
			for n := 1; n <= 40; n++ {
				var page strings.Builder
				for i := range n%5 + 1 {
					fmt.Fprintf(&page, "Boat %d of page %d carries grain. ", i+1, n)
				}
				label := name
				if label != "" && unit == domain.UnitPage {
					label = fmt.Sprint("A-", n)
				}
				body := strings.TrimSpace(page.String())
				text.Pages = append(text.Pages, domain.Page{Number: n, Unit: unit, Name: label, Span: domain.Span{Start: at, End: at + len(body)}})
				content.WriteString(body + "\n\n")
				at += len(body) + 2
			}
			text.Content = strings.TrimSpace(content.String())
			for _, tokens := range []int{20, 100, 400} {
				chunks, err := chunk.Split(t.Context(), "d", text, chunk.Options{Tokens: tokens, Counter: words{}})
				if err != nil {
					t.Fatal(err)
				}
				spanning := 0
				for _, c := range chunks {
					if len(c.Places) > 1 {
						spanning++
					}
					for _, s := range prose.Sentences(c.Text) {
						s = s.Shift(c.Span.Start)
						if got, want := c.PageOf(s), text.PageOf(s); got != want {
							t.Errorf("%s %q, %d tokens: %q is on page %d, want %d", unit, name, tokens, s.Slice(text.Content), got, want)
						}
						if got, want := c.Place(s), text.Place(s); got != want {
							t.Errorf("%s %q, %d tokens: %q is in %q, want %q", unit, name, tokens, s.Slice(text.Content), got, want)
						}
					}
				}
				if unit == domain.UnitPage && tokens == 400 && spanning == 0 {
					t.Error("no chunk spans pages")
				}
			}
		}
	}
}

func TestTheWordsForPages(t *testing.T) {
	t.Parallel()
	c := domain.Chunk{Page: 3, Span: domain.Span{Start: 100, End: 160}, Places: []domain.Page{
		{Number: 3, Span: domain.Span{Start: 100, End: 120}}, {Number: 4, Span: domain.Span{Start: 122, End: 140}}, {Number: 5, Span: domain.Span{Start: 140, End: 160}},
	}}
	for _, tt := range []struct {
		span  domain.Span
		page  int
		place string
		pages string
	}{
		{domain.Span{Start: 100, End: 110}, 3, "", "3"},
		{domain.Span{Start: 110, End: 120}, 3, "", "3"},
		{domain.Span{Start: 122, End: 140}, 4, "", "4"},
		{domain.Span{Start: 130, End: 145}, 4, "Pages 4–5", "4–5"},
		{c.Span, 3, "Pages 3–5", "3–5"},
	} {
		if page, place, pages := c.PageOf(tt.span), c.Place(tt.span), c.PagesOf(tt.span); page != tt.page || place != tt.place || pages != tt.pages {
			t.Errorf("%v: page %d, %q, %q", tt.span, page, place, pages)
		}
	}
	old := domain.Chunk{Page: 7, Span: domain.Span{End: 10}} // stored without its places
	if old.PageOf(old.Span) != 7 || old.PagesOf(old.Span) != "7" || old.Place(old.Span) != "" {
		t.Errorf("without places: %d, %q, %q", old.PageOf(old.Span), old.PagesOf(old.Span), old.Place(old.Span))
	}
	if none := (domain.Chunk{}); none.PagesOf(none.Span) != "" {
		t.Errorf("without pages: %q", none.PagesOf(none.Span))
	}
}
