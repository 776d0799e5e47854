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

// survey writes the sentences that stand for each part of a library, a paragraph for
// each, and names the parts.
func (w writer) survey(ctx context.Context, r answer.WriteRequest, pen answer.Pen) (answer.Turn, error) {
	if r.Survey.Way == answer.ByEntities || r.Survey.Way == answer.BySides {
		return answer.Turn{}, w.grouped(ctx, r, pen)
	}
	var names []string
	for _, part := range r.Survey.Parts {
		begun := false
		for _, l := range part.Lines {
			at := slices.IndexFunc(r.Passages, func(p domain.Passage) bool { return p.ID == l.Chunk })
			if at < 0 {
				continue // deleted in the meantime
			}
			switch {
			case begun:
				pen.Write(" ")
			case len(names) > 0:
				pen.Write("\n\n")
			}
			if !begun {
				begun, names = true, append(names, list(part.Names))
			}
			p := r.Passages[at]
			if err := w.say(ctx, pen, strings.Fields(l.Span.Shift(-p.Span.Start).Slice(p.Text))); err != nil {
				return answer.Turn{}, err
			}
			pen.Cite(p, l.Span)
		}
	}
	what := answer.SaysDocuments
	if r.Survey.Way == answer.ByCommunities {
		what = answer.SaysThemes
	}
	return answer.Turn{Remarks: []string{fmt.Sprintf(answer.InLanguageOf(r.Question, what), strings.Join(names, "; "))}}, nil
}

// grouped quotes the sentences of each part below its name.
func (w writer) grouped(ctx context.Context, r answer.WriteRequest, pen answer.Pen) error {
	for _, part := range r.Survey.Parts {
		begun := false
		for _, l := range part.Lines {
			at := slices.IndexFunc(r.Passages, func(p domain.Passage) bool { return p.ID == l.Chunk })
			if at < 0 {
				continue // deleted in the meantime
			}
			if !begun {
				begun = true
				pen.Remark(part.Names[0] + ":")
			}
			p := r.Passages[at]
			text := strings.Fields(l.Span.Shift(-p.Span.Start).Slice(p.Text))
			if err := domain.Sleep(ctx, w.pace*time.Duration(len(text))); err != nil {
				return err
			}
			pen.Quote(answer.Quotation{Text: answer.Quoted(r.Question, strings.Join(text, " ")), Passage: p, Span: l.Span})
		}
	}
	return nil
}

// list joins words by commas and a last "and".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
