package costs

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// WorkspaceUsed is the usage of a workspace in a month, with its size today.
type WorkspaceUsed struct {
	Name      string     `json:"name"`
	Title     string     `json:"title"`
	Calls     int        `json:"calls"`
	Tokens    int        `json:"tokens"`
	Cost      Money      `json:"cost"` // of calls with a price
	Currency  string     `json:"currency"`
	Unknown   []string   `json:"unknown,omitempty"` // models without a price
	Runs      int        `json:"runs"`              // begun this month
	Documents int        `json:"documents"`
	Bytes     int64      `json:"bytes"` // of the documents' files
	Caps      []ShownCap `json:"caps"`  // those set on a day, a month and the workspace
	Archived  time.Time  `json:"archived,omitzero"`
	Deleted   time.Time  `json:"deleted,omitzero"` // when it is permanently deleted

	spent Spent
}

// CostText formats the cost, which may be unknown.
func (w WorkspaceUsed) CostText() string { return w.spent.Short() }

// CapsText lists the caps, with those that are reached.
func (w WorkspaceUsed) CapsText() string {
	all := make([]string, len(w.Caps))
	for i, c := range w.Caps {
		all[i] = c.Scope + " " + c.Cap + map[bool]string{true: " (reached)"}[c.Reached]
	}
	return strings.Join(all, ", ")
}

// State returns whether a workspace is archived or deleted, in words.
func (w WorkspaceUsed) State() string {
	switch {
	case !w.Deleted.IsZero():
		return "deleted"
	case !w.Archived.IsZero():
		return "archived"
	}
	return ""
}

// Workspaces returns the usage of each workspace in the month that begins at a time, the most expensive first.
func (s *Service) Workspaces(ctx context.Context, month time.Time) ([]WorkspaceUsed, error) {
	all, err := s.Ledger.Workspaces(ctx)
	if err != nil {
		return nil, err
	}
	sizes, err := s.Ledger.WorkspaceSizes(ctx)
	if err != nil {
		return nil, err
	}
	runs, err := s.Ledger.RunsBegun(ctx, month, month.AddDate(0, 1, 0))
	if err != nil {
		return nil, err
	}
	list := make([]WorkspaceUsed, len(all))
	for i, w := range all {
		if list[i], err = s.usedIn(ctx, w, month); err != nil {
			return nil, err
		}
		list[i].Runs = runs[w.ID]
		for _, size := range sizes {
			if size.Workspace == w.ID {
				list[i].Documents, list[i].Bytes = size.Documents, size.Bytes
			}
		}
	}
	slices.SortStableFunc(list, func(a, b WorkspaceUsed) int {
		return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(b.Tokens, a.Tokens))
	})
	return list, nil
}

// usedIn returns the usage of a workspace in a month, and its caps.
func (s *Service) usedIn(ctx context.Context, w domain.Workspace, month time.Time) (WorkspaceUsed, error) {
	u := WorkspaceUsed{Name: w.Name, Title: w.Title, Caps: []ShownCap{}, Archived: w.ArchivedAt, Deleted: w.DeleteAt}
	t, err := s.Prices.Table(ctx)
	if err != nil {
		return u, err
	}
	used, err := s.Ledger.Usage(ctx, w.ID, ledger.UsageQuery{From: DayOf(month), To: DayOf(month.AddDate(0, 1, -1))})
	if err != nil {
		return u, err
	}
	u.spent.Currency = t.Currency
	u.spent.add(t, used...)
	u.Calls, u.Tokens, u.Cost, u.Currency, u.Unknown = u.spent.Calls, u.spent.Tokens, u.spent.Money, t.Currency, u.spent.Unknown
	standings, err := s.Standings(ctx, w.ID)
	for _, st := range standings {
		if st.Cap.Set && !st.Scope.OfEach() {
			u.Caps = append(u.Caps, shownCap(st))
		}
	}
	return u, err
}
