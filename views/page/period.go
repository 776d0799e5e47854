package page

import (
	"context"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
)

// periods writes for when a relation holds: 1890–1902, since 1910.
func periods(ctx context.Context, list []domain.Period) string {
	words := make([]string, len(list))
	for i, p := range list {
		switch from, until := p.From.String(), p.Until.String(); {
		case until == "":
			words[i] = lang.F(ctx, "since %s", from)
		case from == "":
			words[i] = lang.F(ctx, "until %s", until)
		case from == until:
			words[i] = from
		default:
			words[i] = from + "–" + until
		}
	}
	return strings.Join(words, ", ")
}

// dating returns the address of the words that say when a relation holds, or "".
func dating(r explore.Relation) string {
	if len(r.Dated.Periods) == 0 {
		return ""
	}
	return link.Passage(r.Dated.Document, r.Dated.Periods[0].At)
}
