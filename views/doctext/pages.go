package doctext

import "github.com/clewhq/clew/internal/domain"

// Words are words of a text on one page of its file.
type Words struct {
	Page  int     `json:"page"`
	Words string  `json:"words"`
	At    float64 `json:"at"` // where on the page they begin, as a fraction of its text
}

// OnPages returns the words of a span by page. There are none if the text has no pages.
func OnPages(t domain.Text, hit domain.Span) []Words {
	var found []Words
	for _, p := range t.Pages {
		if p.Unit != domain.UnitPage || !p.Span.Overlaps(hit) {
			continue
		}
		part := domain.Span{Start: max(hit.Start, p.Span.Start), End: min(hit.End, p.Span.End)}
		words := part.Slice(t.Content)
		if blank([]rune(words)) {
			continue
		}
		found = append(found, Words{p.Number, words, float64(part.Start-p.Span.Start) / float64(p.Span.Len())})
	}
	return found
}
