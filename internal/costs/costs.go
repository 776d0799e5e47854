// Package costs counts the usage of models, prices it, and keeps it under the caps that people set.
// Prices come from a dated table that ships with the program, overridden by custom prices. A model
// without a price has an unknown cost, which is never treated as zero.
package costs

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
)

// Params configures a Service. All fields are required but Defaults and Watch.
type Params struct {
	Ledger   *ledger.Ledger
	Prices   *Book
	Defaults Caps // until people set others
	Queue    Queue
	Now      domain.Clock
	Watch    Watch // may be nil
}

// A Watch is told of each call that is counted.
type Watch interface {
	Spent(ctx context.Context, c llm.Call)
}

// Queue holds the runs that wait at a cap.
type Queue interface {
	// RetryAll lets the waiting runs of a workspace retry at once.
	RetryAll(ctx context.Context, w domain.WorkspaceID) error
	// RetryEverywhere does so in all workspaces.
	RetryEverywhere(ctx context.Context) error
}

// A Service counts, prices and caps. It is the llm.Meter of all models, and the
// llm.Bookkeeper of their recorded answers.
type Service struct {
	Params

	mu     sync.Mutex
	today  string
	closed map[span][]ledger.Usage // usage on days that are over
}

var (
	_ llm.Meter      = (*Service)(nil)
	_ llm.Bookkeeper = (*Service)(nil)
)

// New returns a Service.
func New(p Params) *Service { return &Service{Params: p} }

// span is some days of a workspace; from "" is the first.
type span struct {
	workspace domain.WorkspaceID
	from, to  string
}

// Spent sums up calls.
type Spent struct {
	Amount
	Calls  int
	Tokens int
}

func (s *Spent) add(t Table, used ...ledger.Usage) {
	for _, u := range used {
		s.Amount = s.Plus(t.Sum(u.Day, u.Usage))
		s.Calls += u.Calls
		s.Tokens += u.Tokens()
	}
}

// Spent counts a call.
func (s *Service) Spent(ctx context.Context, c llm.Call) error {
	return s.Ledger.AddUsage(ctx, workspace(c), s.usage(ctx, c))
}

func (s *Service) usage(ctx context.Context, c llm.Call) ledger.Usage {
	if s.Watch != nil {
		s.Watch.Spent(ctx, c)
	}
	return ledger.Usage{
		Usage: c.Usage, Day: DayOf(s.Now()), Calls: 1, Role: c.Role, Person: domain.PersonOf(ctx), Document: c.Owner.Document, Run: c.Owner.Run,
	}
}

// ModelCall implements llm.Store by the ledger.
func (s *Service) ModelCall(ctx context.Context, key string) ([]byte, error) {
	return s.Ledger.ModelCall(ctx, key)
}

// SaveModelCall implements llm.Store by the ledger.
func (s *Service) SaveModelCall(ctx context.Context, key string, owner domain.CallOwner, answer []byte) error {
	return s.Ledger.SaveModelCall(ctx, key, owner, answer)
}

// SaveCounted implements llm.Bookkeeper.
func (s *Service) SaveCounted(ctx context.Context, key string, owner domain.CallOwner, answer []byte, spent llm.Call) error {
	return s.Ledger.SaveCountedCall(ctx, key, owner, answer, workspace(spent), s.usage(ctx, spent))
}

// workspace returns the workspace that pays for a call. The installation pays for tests of a connection.
func workspace(c llm.Call) domain.WorkspaceID {
	return cmp.Or(c.Owner.Workspace, domain.Installation)
}

// Allow returns a Capped error for a call where a cap is reached, or where a cap on
// money can't be kept because a model has no price.
func (s *Service) Allow(ctx context.Context, c llm.Call) error {
	if ctx.Value(admittedKey{}) != nil {
		return nil
	}
	w, day := workspace(c), DayOf(s.Now())
	caps, err := s.Caps(ctx, w)
	if err != nil {
		return err
	}
	if caps = caps.on(c); len(caps) == 0 {
		return nil
	}
	t, err := s.Prices.Table(ctx)
	if err != nil {
		return err
	}
	if _, known := t.Cost(c.Usage, day); !known && caps.inMoney() {
		return unpriced(c.Usage.Model)
	}
	for _, scope := range Scopes() {
		limit, ok := caps[scope]
		if !ok {
			continue
		}
		spent, err := s.spent(ctx, t, w, scope, c.Owner.Document, day)
		if err != nil {
			return err
		}
		if limit.Tokens == 0 && !spent.Known() {
			return unpriced(spent.Unknown[0])
		}
		if limit.reached(spent) {
			return &CapError{scope, s.capped(scope, limit, spent)}
		}
	}
	return nil
}

// A CapError is a Capped error that names the cap reached.
type CapError struct {
	Scope Scope
	Err   error
}

// Error implements error.
func (e *CapError) Error() string { return e.Err.Error() }

// Unwrap returns the error in words.
func (e *CapError) Unwrap() error { return e.Err }

type admittedKey struct{}

// Admit returns a context whose calls no cap stops, or a Capped error: what a person
// waits for is not broken off because others have spent.
func (s *Service) Admit(ctx context.Context, w domain.WorkspaceID) (context.Context, error) {
	err := s.Allow(ctx, llm.Call{Owner: domain.CallOwner{Workspace: w}})
	return context.WithValue(ctx, admittedKey{}, true), err
}

// spent returns what was spent within a scope up to today.
func (s *Service) spent(ctx context.Context, t Table, w domain.WorkspaceID, scope Scope, id domain.DocumentID, today string) (Spent, error) {
	sum := Spent{Amount: Amount{Currency: t.Currency}}
	q := ledger.UsageQuery{From: today, To: today}
	if scope == Document {
		q = ledger.UsageQuery{Document: id}
	}
	used, err := s.Ledger.Usage(ctx, w, q)
	if err != nil {
		return sum, err
	}
	sum.add(t, used...)
	if scope != Month && scope != Workspace {
		return sum, nil
	}
	before := span{workspace: w, to: DayBefore(today)}
	if scope == Month {
		before.from = monthOf(today)
	}
	over, err := s.over(ctx, before, today)
	sum.add(t, over...)
	return sum, err
}

// over returns the usage of past days, which it keeps in memory.
func (s *Service) over(ctx context.Context, days span, today string) ([]ledger.Usage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.today != today {
		s.today, s.closed = today, map[span][]ledger.Usage{}
	}
	if used, ok := s.closed[days]; ok {
		return used, nil
	}
	used, err := s.Ledger.Usage(ctx, days.workspace, ledger.UsageQuery{From: days.from, To: days.to})
	if err == nil {
		s.closed[days] = used
	}
	return used, err
}

func monthOf(day string) string { return day[:len("2026-11")] + "-01" }

// howToRaise ends the sentences about caps.
const howToRaise = "on the page Usage or with clew usage caps"

func unpriced(model string) error {
	return domain.Cappedf(recheck, "A cap in money needs prices, but the model %s has none, so its cost is unknown. Set its price on the page Prices or with clew prices set, 0 for a model that costs nothing, or set the cap in tokens %s.", model, howToRaise)
}

// recheck is how long a run sleeps at a cap that no new day or month lifts.
const recheck = 24 * time.Hour

// capped returns the error for a reached cap, with the time at which work continues.
func (s *Service) capped(scope Scope, limit Cap, spent Spent) error {
	now := s.Now().UTC()
	midnight := now.Truncate(24 * time.Hour).Add(24 * time.Hour)
	said := spent.Money.In(spent.Currency)
	if limit.Tokens > 0 {
		said = domain.Thousands(spent.Tokens)
	}
	said += " of " + limit.In(spent.Currency)
	after, goes := recheck, "It goes on"
	switch scope {
	case Day:
		after, goes = midnight.Sub(now), "It goes on by itself at midnight (UTC), or at once"
	case Month:
		first := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
		after, goes = first.Sub(now), "It goes on by itself next month, or at once"
	}
	return domain.Cappedf(after, "The cap of %s is reached: %s. %s when the cap is raised %s. Nothing is paid twice.", scope.Title(), said, goes, howToRaise)
}

// ThisMonth returns what was spent in this month.
func (s *Service) ThisMonth(ctx context.Context, w domain.WorkspaceID) (Spent, error) {
	t, err := s.Prices.Table(ctx)
	if err != nil {
		return Spent{}, err
	}
	return s.spent(ctx, t, w, Month, "", DayOf(s.Now()))
}

// OfPersons returns what was spent in this month for each person.
func (s *Service) OfPersons(ctx context.Context, w domain.WorkspaceID) (map[string]Spent, error) {
	t, err := s.Prices.Table(ctx)
	if err != nil {
		return nil, err
	}
	today := DayOf(s.Now())
	used, err := s.Ledger.Usage(ctx, w, ledger.UsageQuery{From: monthOf(today), To: today, By: []ledger.UsageColumn{ledger.UsagePerson}})
	of := lists.Pairs(group(t, used, func(u ledger.Usage) string { return u.Person }), func(l Line) (string, Spent) { return l.Key, l.Spent })
	return of, err
}

// Standing is a cap with the amount spent of it.
type Standing struct {
	Scope   Scope
	Cap     Cap
	Spent   Spent
	Reached bool
}

// Standings returns all caps, set or not, with the amount spent, except for caps on each document or question.
func (s *Service) Standings(ctx context.Context, w domain.WorkspaceID) ([]Standing, error) {
	caps, err := s.Caps(ctx, w)
	if err != nil {
		return nil, err
	}
	t, err := s.Prices.Table(ctx)
	if err != nil {
		return nil, err
	}
	list := []Standing{{Scope: Document, Cap: caps[Document]}, {Scope: Question, Cap: caps[Question]}}
	for _, scope := range []Scope{Day, Month, Workspace} {
		spent, err := s.spent(ctx, t, w, scope, "", DayOf(s.Now()))
		if err != nil {
			return nil, err
		}
		list = append(list, Standing{Scope: scope, Cap: caps[scope], Spent: spent, Reached: caps[scope].Set && caps[scope].reached(spent)})
	}
	return list, nil
}

// Left returns how much money the caps leave for reading documents, and the scope of
// the one that leaves the least. ok is false without a cap on money.
func Left(standings []Standing) (left Money, by Scope, ok bool) {
	for _, s := range standings {
		if !s.Cap.Set || s.Cap.Tokens > 0 || s.Scope.OfEach() {
			continue
		}
		if rest := max(0, s.Cap.Money-s.Spent.Money); !ok || rest < left {
			left, by, ok = rest, s.Scope, true
		}
	}
	return left, by, ok
}

// OfRuns returns what runs have cost, by their ids.
func (s *Service) OfRuns(ctx context.Context, w domain.WorkspaceID, ids ...domain.RunID) (map[domain.RunID]Spent, error) {
	of := map[domain.RunID]Spent{}
	if len(ids) == 0 {
		return of, nil
	}
	t, err := s.Prices.Table(ctx)
	if err != nil {
		return nil, err
	}
	used, err := s.Ledger.Usage(ctx, w, ledger.UsageQuery{Runs: slices.Compact(slices.Sorted(slices.Values(ids))), By: []ledger.UsageColumn{ledger.UsageRun}})
	for _, u := range used {
		sum := of[u.Run]
		sum.add(t, u)
		of[u.Run] = sum
	}
	return of, err
}
