package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
)

// survey writes the sentences that stand for each part of a library: a paragraph for
// each, and the names of the parts at the end, or quotations below the name of each.
func (w writer) survey(ctx context.Context, r answer.WriteRequest, pen answer.Pen) (answer.Turn, error) {
	quotes := r.Survey.Way == answer.ByEntities || r.Survey.Way == answer.BySides
	var names []string
	for _, part := range r.Survey.Parts {
		begun := false
		for _, l := range part.Lines {
			at := slices.IndexFunc(r.Passages, func(p domain.Passage) bool { return p.ID == l.Chunk })
			if at < 0 {
				continue // deleted in the meantime
			}
			switch {
			case quotes && !begun:
				pen.Remark(part.Names[0] + ":")
			case quotes:
			case begun:
				pen.Write(" ")
			case len(names) > 0:
				pen.Write("\n\n")
			}
			if !begun {
				begun, names = true, append(names, list(part.Names))
			}
			if err := w.cite(ctx, r, pen, r.Passages[at], l.Span, quotes); err != nil {
				return answer.Turn{}, err
			}
		}
	}
	if quotes {
		return answer.Turn{}, nil
	}
	what := answer.SaysDocuments
	if r.Survey.Way == answer.ByCommunities {
		what = answer.SaysThemes
	}
	return answer.Turn{Remarks: []string{fmt.Sprintf(answer.InLanguageOf(r.Question, what), strings.Join(names, "; "))}}, nil
}

// cite writes a span of a passage at the writer's pace, as a quotation or as text.
func (w writer) cite(ctx context.Context, r answer.WriteRequest, pen answer.Pen, p domain.Passage, span domain.Span, quotes bool) error {
	text := strings.Fields(span.Shift(-p.Span.Start).Slice(p.Text))
	if !quotes {
		if err := w.say(ctx, pen, text); err != nil {
			return err
		}
		pen.Cite(p, span)
		return nil
	}
	if err := domain.Sleep(ctx, w.pace*time.Duration(len(text))); err != nil {
		return err
	}
	pen.Quote(answer.Quotation{Text: answer.Quoted(r.Question, strings.Join(text, " ")), Passage: p, Span: span})
	return nil
}

// list joins words by commas and a last "and".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
