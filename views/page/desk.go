package page

import (
	"context"
	"fmt"
	"time"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
)

// The addresses of the lists of documents that need a look, and of those that are gone.
var (
	lookList = link.DocumentList(domain.DocumentFilter{State: domain.StateLook})
	goneList = link.DocumentList(domain.DocumentFilter{State: domain.StateGone})
)

// oob marks a part as an out-of-band swap of htmx.
func oob(swapped bool) templ.Attributes {
	if swapped {
		return templ.Attributes{"hx-swap-oob": "true"}
	}
	return nil
}

func (p DeskProps) holds(ctx context.Context) string {
	said := lang.Count(ctx, p.App.Documents, "document", "documents")
	if p.App.Away != "" {
		return said
	}
	return said + ", " + lang.Count(ctx, p.App.Entities, "name", "names") + ", " + lang.Count(ctx, p.Relations, "relation", "relations")
}

func (p DeskProps) others() string {
	if p.Others == 0 {
		return link.Home
	}
	return link.With(link.Home, "others", fmt.Sprint(p.Others))
}

func (p DeskProps) looks() bool { return p.Pairs+p.ToCheck+p.Gone > 0 }

func (p DeskProps) alike(ctx context.Context) string {
	if len(p.Alike) < 2 {
		return lang.T(ctx, "may be the same")
	}
	first := lang.T(ctx, ", first ")
	if p.Pairs == 1 {
		first = ": "
	}
	return lang.F(ctx, "may be the same%s“%s” and “%s”", first, p.Alike[0], p.Alike[1])
}

func (p DeskProps) itCame(ctx context.Context) string {
	if p.Gone == 1 {
		return lang.T(ctx, "it came")
	}
	return lang.T(ctx, "they came")
}

// when says when a conversation was last continued, relative to now.
func (r RecentItem) when(ctx context.Context, now time.Time) string {
	switch dayName(ctx, r.At, now) {
	case "Today":
		return r.At.Format("15:04")
	case "Yesterday":
		return lang.T(ctx, "yesterday")
	}
	if r.At.Year() == now.Year() {
		return lang.Date(ctx, r.At, "2 January")
	}
	return lang.Date(ctx, r.At, "2 January 2006")
}
