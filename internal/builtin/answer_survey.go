package builtin

import (
	"context"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
)

// survey writes the sentences that stand for each part of a library, a paragraph for
// each, and names the parts.
func (w writer) survey(ctx context.Context, r answer.WriteRequest, pen answer.Pen) (answer.Turn, error) {
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
	what := "The documents, in this order: "
	if r.Survey.Way == answer.ByCommunities {
		what = "The themes, by the names that stand for them: "
	}
	return answer.Turn{Remarks: []string{what + strings.Join(names, "; ") + "."}}, nil
}

// list joins words by commas and a last "and".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
