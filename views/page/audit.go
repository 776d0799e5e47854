package page

import (
	"context"
	"maps"
	"regexp"
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
	Problem string // with the request; may be ""
	Rows    []audit.Row
	Total   int
	After   string         // number of the row before the first one; may be ""
	Older   string         // number of the last row; "" if no older ones follow
	People  []string       // to choose from
	Actions map[string]int // to choose from, with how often each was done
	Owner   bool           // may read the trail of all workspaces
	Kept    []string       // sentences on how long things are kept
}

// auditDay holds the entries of a day.
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

// actions returns the choices: each action, and the first words of several.
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

// who says who did it.
func who(ctx context.Context, r audit.Row) string {
	switch {
	case r.Person != "" || r.Token != "":
		return r.Who()
	case r.Action == audit.SignInFailed:
		return lang.T(ctx, r.Who())
	case r.Address == "":
		return lang.T(ctx, "command line")
	}
	return lang.T(ctx, "not signed in")
}

// An id begins with letters that tell what it is of.
var (
	idOf     = regexp.MustCompile(`^([a-z]{1,3}?)[0-9a-f]{10,}$`)
	idsNamed = map[string][2]string{
		"d": {"document", "documents"}, "run": {"run", "runs"}, "q": {"question", "questions"}, "e": {"entity", "entities"}, "v": {"evaluation", "evaluations"},
		"s": {"summary", "summaries"},
	}
)

// idsCounted sums up more ids than anybody reads, "" for few or for names.
func idsCounted(ctx context.Context, things string) string {
	all := strings.Split(things, ", ")
	if len(all) <= 3 {
		return ""
	}
	var kinds []string
	count := map[string]int{}
	for _, thing := range all {
		m := idOf.FindStringSubmatch(thing)
		if m == nil || idsNamed[m[1]] == [2]string{} {
			return ""
		}
		if count[m[1]]++; count[m[1]] == 1 {
			kinds = append(kinds, m[1])
		}
	}
	for i, kind := range kinds {
		kinds[i] = lang.Count(ctx, count[kind], idsNamed[kind][0], idsNamed[kind][1])
	}
	return strings.Join(kinds, ", ")
}
