package page

import (
	"context"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

func selected(is bool) string { return strconv.FormatBool(is) }

func aliases(list []string) string { return strings.Join(list, ", ") }

// counted says where and how often an entity is mentioned.
func counted(ctx context.Context, e domain.Entity) string {
	if e.Documents == 0 {
		return lang.T(ctx, "in no document")
	}
	return lang.F(ctx, "in %s, %s", lang.Count(ctx, e.Documents, "document", "documents"), lang.Count(ctx, e.Mentions, "mention", "mentions"))
}

// stating returns the address of the first sentence that states a relation, or "".
func stating(r explore.Relation) string {
	if len(r.First.Spans) == 0 {
		return ""
	}
	return link.Passage(r.First.Document, r.First.Spans[0])
}

// marked is a part of a passage, marked or not.
type marked struct {
	text   string
	marked bool
}

// pieces cuts a quote at its marks. Overlapping marks, and marks outside
// the text, are clipped.
func pieces(p explore.Quote) []marked {
	runes := []rune(p.Text)
	var out []marked
	add := func(from, to int, on bool) {
		if from < to {
			out = append(out, marked{string(runes[from:to]), on})
		}
	}
	at := 0
	for _, m := range p.Marks {
		from, to := min(max(m.Start, at), len(runes)), min(m.End, len(runes))
		if to <= from {
			continue
		}
		add(at, from, false)
		add(from, to, true)
		at = to
	}
	add(at, len(runes), false)
	return out
}

// nodeItem returns the entity of a node.
func nodeItem(n explore.Node) partial.EntityItem {
	return partial.EntityItem{ID: n.ID, Label: n.Label, Name: n.Name}
}
