package answer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// Of counts.
const (
	saysCounted   = "Counted in the documents: %s."
	saysCountedBy = "Counted in the documents: %s (%s, %s)."
	saysUnshown   = "And %d more: clew entities count, or GET /api/v1/counts, lists all."
	saysUnsure    = "Not counted, as nothing says that they are %s: %s."
	saysStated    = "A number is also given in so many words:"
	saysOnlyRead  = "Only what was found when the documents were read is counted; there may be more."
)

// mostUnsure is the maximum number of uncounted names that are listed.
const mostUnsure = 10

// count writes a count with the sentence of each counted entity. No model is asked: it would count wrongly.
func (c *composer) count(question string, s Survey, passages []domain.Passage) {
	number := fmt.Sprintf("%d %s", s.Count.Number, s.Count.Of)
	if s.Count.By == "" {
		c.Remark(fmt.Sprintf(saysCounted, number))
	} else {
		c.Remark(fmt.Sprintf(saysCountedBy, number, s.Count.By, s.Count.How))
	}
	quote := func(l Line) {
		at := slices.IndexFunc(passages, func(p domain.Passage) bool { return p.ID == l.Chunk })
		if at >= 0 {
			p := passages[at]
			c.Quote(Quotation{Text: Quoted(question, domain.OneLine(l.Span.Shift(-p.Span.Start).Slice(p.Text))), Passage: p, Span: l.Span})
		}
	}
	for _, p := range s.Parts {
		c.Remark(p.Names[0] + ":")
		quote(p.Lines[0])
	}
	if s.Count.Unshown > 0 {
		c.Remark(fmt.Sprintf(saysUnshown, s.Count.Unshown))
	}
	if len(s.Count.Stated) > 0 {
		c.Remark(saysStated)
		for _, l := range s.Count.Stated {
			quote(l)
		}
	}
	if n := len(s.Count.Unsure); n > 0 {
		names := s.Count.Unsure
		if n > mostUnsure {
			names = append(slices.Clone(names[:mostUnsure]), fmt.Sprintf("and %d more", n-mostUnsure))
		}
		c.Remark(fmt.Sprintf(saysUnsure, s.Count.Of, strings.Join(names, ", ")))
	}
	c.Remark(saysOnlyRead)
}
