package page

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// AuditProps is the data for the page of who did what.
type AuditProps struct {
	App     layout.Props
	Wanted  audit.Wanted
	Problem string // with what was asked for, or ""
	Rows    []audit.Row
	Total   int
	After   string         // number of the row before the first one, or ""
	Older   string         // number of the last row if older ones follow, or ""
	People  []string       // to choose from
	Actions map[string]int // to choose from, with how often each was done
	Owner   bool           // may read the trail of all workspaces
	Kept    []string       // sentences on how long things are kept
}

// auditDay is what was done on a day.
type auditDay struct {
	Name string
	Rows []audit.Row
}

// days returns the rows by day, in UTC.
func (p AuditProps) days(ctx context.Context) []auditDay {
	var days []auditDay
	for _, row := range p.Rows {
		name := lang.Date(ctx, row.At.UTC(), "2 January 2006")
		if len(days) == 0 || days[len(days)-1].Name != name {
			days = append(days, auditDay{Name: name})
		}
		last := &days[len(days)-1]
		last.Rows = append(last.Rows, row)
	}
	return days
}

// actions returns what can be chosen: each action, and the first words of several.
func (p AuditProps) actions() []string {
	all := maps.Clone(p.Actions)
	for action := range p.Actions {
		if first, _, several := strings.Cut(action, " "); several {
			all[first] += p.Actions[action]
		}
	}
	if p.Wanted.Action != "" && all[p.Wanted.Action] == 0 {
		all[p.Wanted.Action] = 0
	}
	return slices.Sorted(maps.Keys(all))
}

// at returns the address of a part of the list, from after a row on.
func (p AuditProps) at(path, after string) string {
	w := p.Wanted
	everywhere := ""
	if w.Everywhere {
		everywhere = "on"
	}
	return link.With(path, "words", w.Words, "person", w.Person, "action", w.Action, "thing", w.Thing, "address", w.Address, "result", w.Result, "since", w.Since, "until", w.Until,
		"everywhere", everywhere, "after", after)
}

// filtered reports whether only a part is shown.
func (p AuditProps) filtered() bool {
	w := p.Wanted
	w.Everywhere = false
	return w != audit.Wanted{}
}

// count says how many rows there are.
func (p AuditProps) count(ctx context.Context) string {
	if p.Total == 1 {
		return lang.T(ctx, "1 entry")
	}
	return lang.F(ctx, "%d entries", p.Total)
}

func clock(at time.Time) string { return at.UTC().Format("15:04:05") }
