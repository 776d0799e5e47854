package costs

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// A Grouping is how a report groups usage.
type Grouping string

// The groupings.
const (
	ByDay      Grouping = "day"
	ByModel    Grouping = "model"
	ByRole     Grouping = "role"
	ByDocument Grouping = "document"
	ByPerson   Grouping = "person"
)

// Groupings lists the groupings.
func Groupings() []Grouping { return []Grouping{ByDay, ByModel, ByRole, ByDocument, ByPerson} }

// A Line is the usage of one group.
type Line struct {
	Key   string // a day, a model, a role, a document's id, Limited or a person; "" if there is none
	Usage domain.Usage
	Spent Spent
	Parts []Line // of a day: by role
}

// Limited is the key of the one line of all documents that whoever asks can't read.
const Limited = "documents limited to others"

// A Report is the usage of some days.
type Report struct {
	From, To string
	Currency string
	Total    Line
	Lines    map[Grouping][]Line // days in order, others most expensive first
}

// Report returns the usage between two days, both included.
func (s *Service) Report(ctx context.Context, w domain.WorkspaceID, from, to string) (Report, error) {
	r := Report{From: from, To: to, Lines: map[Grouping][]Line{}}
	t, err := s.Prices.Table(ctx)
	if err != nil {
		return r, err
	}
	t = t.Remembering()
	r.Currency = t.Currency
	used, err := s.Ledger.Usage(ctx, w, ledger.UsageQuery{From: from, To: to, By: []ledger.UsageColumn{ledger.UsageRole, ledger.UsagePerson}})
	if err != nil {
		return r, err
	}
	var of []ledger.Usage // there may be many documents: their days are added up
	for _, days := range t.Steady(from, to) {
		some, err := s.Ledger.Usage(ctx, w, ledger.UsageQuery{From: days[0], To: days[1], By: []ledger.UsageColumn{ledger.UsageDocument}, Together: true})
		if err != nil {
			return r, err
		}
		of = append(of, some...)
	}
	r.Total.Spent.Currency = t.Currency
	for _, u := range used {
		r.Total.add(t, u)
	}
	r.Lines[ByDay] = group(t, used, func(u ledger.Usage) string { return u.Day })
	r.Lines[ByModel] = group(t, used, func(u ledger.Usage) string { return u.Model })
	r.Lines[ByRole] = group(t, used, func(u ledger.Usage) string { return u.Role })
	r.Lines[ByPerson] = group(t, used, func(u ledger.Usage) string { return u.Person })
	hidden, err := s.Ledger.HiddenDocuments(ctx, w)
	if err != nil {
		return r, err
	}
	r.Lines[ByDocument] = group(t, of, func(u ledger.Usage) string {
		if hidden[u.Document] {
			return Limited
		}
		return string(u.Document)
	})
	for by, lines := range r.Lines {
		if by != ByDay {
			slices.SortStableFunc(lines, func(a, b Line) int {
				return cmp.Or(cmp.Compare(b.Spent.Money, a.Spent.Money), cmp.Compare(b.Spent.Tokens, a.Spent.Tokens))
			})
		}
	}
	days := r.Lines[ByDay]
	for i := range days {
		ofDay := slices.DeleteFunc(slices.Clone(used), func(u ledger.Usage) bool { return u.Day != days[i].Key })
		days[i].Parts = group(t, ofDay, func(u ledger.Usage) string { return u.Role })
	}
	return r, nil
}

// Sheet returns the lines of a grouping as a table. A document is named by names, and
// by its id where they don't have it.
func (r Report) Sheet(by Grouping, names map[string]string) (head []string, rows [][]string) {
	head = []string{string(by), "calls", "input tokens", "cached tokens", "output tokens", "embedded tokens", "cost", "currency", "models without a price"}
	for _, l := range r.Lines[by] {
		rows = append(rows, []string{
			cmp.Or(names[l.Key], l.Key), strconv.Itoa(l.Spent.Calls), strconv.Itoa(l.Usage.Input), strconv.Itoa(l.Usage.Cached), strconv.Itoa(l.Usage.Output),
			strconv.Itoa(l.Usage.Embedded), l.Spent.Money.Decimal(), r.Currency, strings.Join(l.Spent.Unknown, " "),
		})
	}
	return head, rows
}

func (l *Line) add(t Table, u ledger.Usage) {
	l.Usage.Input += u.Input
	l.Usage.Cached += u.Cached
	l.Usage.Output += u.Output
	l.Usage.Embedded += u.Embedded
	l.Spent.add(t, u)
}

// group adds usage up by a key, in the order of the keys.
func group(t Table, used []ledger.Usage, key func(ledger.Usage) string) []Line {
	at := map[string]int{}
	var lines []Line
	for _, u := range used {
		k := key(u)
		i, ok := at[k]
		if !ok {
			i = len(lines)
			at[k] = i
			lines = append(lines, Line{Key: k, Spent: Spent{Amount: Amount{Currency: t.Currency}}})
		}
		lines[i].add(t, u)
	}
	slices.SortFunc(lines, func(a, b Line) int { return cmp.Compare(a.Key, b.Key) })
	return lines
}
