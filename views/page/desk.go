package page

import (
	"fmt"
	"time"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/link"
)

// Where the documents are listed that need a look, and those that are gone.
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

func (p DeskProps) holds() string {
	said := format.Count(p.App.Documents, "document", "documents")
	if p.App.Away != "" {
		return said
	}
	return said + ", " + format.Count(p.App.Entities, "name", "names") + ", " + format.Count(p.Relations, "relation", "relations")
}

func (p DeskProps) others() string {
	if p.Others == 0 {
		return link.Home
	}
	return link.With(link.Home, "others", fmt.Sprint(p.Others))
}

func (p DeskProps) looks() bool { return p.Pairs+p.ToCheck+p.Gone > 0 }

func (p DeskProps) alike() string {
	if len(p.Alike) < 2 {
		return "may be the same"
	}
	first := ", first "
	if p.Pairs == 1 {
		first = ": "
	}
	return "may be the same" + first + "“" + p.Alike[0] + "” and “" + p.Alike[1] + "”"
}

func (p DeskProps) itCame() string {
	if p.Gone == 1 {
		return "it came"
	}
	return "they came"
}

// when says when a conversation was last continued, relative to now.
func (r RecentItem) when(now time.Time) string {
	switch dayName(r.At, now) {
	case "Today":
		return r.At.Format("15:04")
	case "Yesterday":
		return "yesterday"
	}
	if r.At.Year() == now.Year() {
		return r.At.Format("2 January")
	}
	return r.At.Format("2 January 2006")
}
