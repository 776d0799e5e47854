package page

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/format"
)

func selected(is bool) string { return strconv.FormatBool(is) }

func aliases(list []string) string { return strings.Join(list, ", ") }

func (p EntityProps) counts() string {
	if p.Entity.Documents == 0 {
		return "in no document"
	}
	return fmt.Sprintf("in %s, %s", format.Count(p.Entity.Documents, "document", "documents"), format.Count(p.Entity.Mentions, "mention", "mentions"))
}

// marked is a part of a passage, marked or not.
type marked struct {
	text   string
	marked bool
}

// pieces cuts the passage at its marks. Overlapping marks, and marks outside
// the text, are clipped.
func (p PassageItem) pieces() []marked {
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

func (p PassageItem) where() string {
	return domain.Where(p.Name, p.Page, p.Place)
}
