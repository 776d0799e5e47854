package costs

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// A Scope is the spending that a cap limits.
type Scope string

// The scopes, in the order in which they are looked at.
const (
	Document  Scope = "document"  // all readings of one document
	Question  Scope = "question"  // one answer; enforced by the graph that answers, see Service.Question
	Day       Scope = "day"       // in UTC
	Month     Scope = "month"     // in UTC
	Workspace Scope = "workspace" // everything ever spent
)

// Scopes lists the scopes.
func Scopes() []Scope { return []Scope{Document, Question, Day, Month, Workspace} }

// OfEach reports whether a cap with scope s limits each document or question on its own, rather than a running total.
func (s Scope) OfEach() bool { return s == Document || s == Question }

// Title names a scope within a sentence.
func (s Scope) Title() string {
	switch s {
	case Document, Question:
		return "one " + string(s)
	case Workspace:
		return "the workspace"
	}
	return "a " + string(s)
}

// A Cap is the most that may be spent: money, or tokens. The zero Cap is none.
type Cap struct {
	Set    bool
	Money  Money
	Tokens int // for a cap in tokens; 0 for one in money
}

// ParseCap reads a cap such as 5.00, $5 or 2,000,000 tokens; "" is none. The error
// is Invalid.
func ParseCap(text string) (Cap, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Cap{}, nil
	}
	if number, ok := strings.CutSuffix(text, "tokens"); ok {
		n, err := strconv.Atoi(strings.ReplaceAll(strings.TrimSpace(number), ",", ""))
		if err != nil || n < 1 {
			return Cap{}, domain.Errorf(domain.Invalid, "%q is not a number of tokens: write it like 2,000,000 tokens.", text)
		}
		return Cap{Set: true, Tokens: n}, nil
	}
	m, err := ParseMoney(text)
	if err != nil {
		return Cap{}, domain.Because(domain.Invalid, err, "%q is not a cap: write an amount of money such as 5.00, or tokens such as 2,000,000 tokens; leave it empty for no cap.", text)
	}
	return Cap{Set: true, Money: m}, nil
}

// Text writes a cap as ParseCap reads it.
func (c Cap) Text() string {
	switch {
	case !c.Set:
		return ""
	case c.Tokens > 0:
		return strconv.Itoa(c.Tokens) + " tokens"
	}
	return c.Money.Decimal()
}

// In formats a cap with its currency or unit.
func (c Cap) In(currency string) string {
	if c.Tokens > 0 {
		return fmt.Sprintf("%s tokens", domain.Thousands(c.Tokens))
	}
	return c.Money.In(currency)
}

// reached reports whether what was spent reaches the cap.
func (c Cap) reached(spent Spent) bool {
	if c.Tokens > 0 {
		return spent.Tokens >= c.Tokens
	}
	return spent.Money >= c.Money
}

// Caps are the caps of a workspace.
type Caps map[Scope]Cap

// on returns the caps that count for a call.
func (c Caps) on(call llm.Call) Caps {
	counted := Caps{}
	for scope, limit := range c {
		if limit.Set && (!scope.OfEach() || scope == Document && call.Owner.Document != "") {
			counted[scope] = limit
		}
	}
	return counted
}

// inMoney reports whether there is a cap on money.
func (c Caps) inMoney() bool {
	for _, limit := range c {
		if limit.Tokens == 0 {
			return true
		}
	}
	return false
}

// capsSetting names the setting that holds the caps which people have set.
const capsSetting = "caps"

// Caps returns the caps in force: the ones people have set, or else the ones in the
// settings.
func (s *Service) Caps(ctx context.Context, w domain.WorkspaceID) (Caps, error) {
	caps := Caps{}
	maps.Copy(caps, s.Defaults)
	text, set, err := s.Ledger.Setting(ctx, w, capsSetting)
	if err != nil || !set {
		return caps, err
	}
	var kept map[Scope]string
	if err := json.Unmarshal([]byte(text), &kept); err != nil {
		return nil, fmt.Errorf("decode the caps: %w", err)
	}
	for scope, text := range kept {
		if caps[scope], err = ParseCap(text); err != nil {
			return nil, err
		}
	}
	return caps, nil
}

// Question returns the cap of one answer, and the currency of a cap in money. It is a
// Capped error that a cap on money can't be kept, because a model has no price.
func (s *Service) Question(ctx context.Context, w domain.WorkspaceID, models ...string) (Cap, string, error) {
	caps, err := s.Caps(ctx, w)
	limit := caps[Question]
	if err != nil || !limit.Set || limit.Tokens > 0 {
		return limit, "", err
	}
	t, err := s.Prices.Table(ctx)
	if err != nil {
		return limit, "", err
	}
	for _, m := range models {
		if _, known := t.Cost(domain.Usage{Model: m, Input: 1, Output: 1}, DayOf(s.Now())); !known {
			return limit, "", unpriced(m)
		}
	}
	return limit, t.Currency, nil
}

// Price returns what a call costs today; nothing where that is unknown.
func (s *Service) Price(ctx context.Context, u domain.Usage) Money {
	t, err := s.Prices.Table(ctx)
	if err != nil {
		return 0
	}
	cost, _ := t.Cost(u, DayOf(s.Now()))
	return cost
}

// SetCaps changes some caps, and lets waiting work try again at once. A cap that is still reached stops it again.
func (s *Service) SetCaps(ctx context.Context, w domain.WorkspaceID, change Caps) error {
	caps, err := s.Caps(ctx, w)
	if err != nil {
		return err
	}
	kept := map[Scope]string{}
	for _, scope := range Scopes() {
		limit, changed := change[scope]
		if !changed {
			limit = caps[scope]
		}
		kept[scope] = limit.Text()
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return fmt.Errorf("encode the caps: %w", err)
	}
	if err := s.Ledger.SetSetting(ctx, w, capsSetting, string(text)); err != nil {
		return err
	}
	return s.Queue.RetryAll(ctx, w)
}

// Pauses lets the running tasks of a piece of work finish before one of them fails at a cap: the failure ends the
// others, and their paid work would be lost. Work is identified by an id. The zero value is ready.
type Pauses struct {
	mu sync.Mutex
	of map[string]*underWay
}

// underWay are the tasks of one piece of work.
type underWay struct {
	tasks, capped int
	quiet         chan struct{} // closed when all are capped
}

// Begin records a task of the work with an id. End must follow.
func (p *Pauses) Begin(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[string]*underWay{}
	}
	if p.of[id] == nil {
		p.of[id] = &underWay{quiet: make(chan struct{})}
	}
	p.of[id].tasks++
}

// End records the end of a task with an error, if any. After a Capped one it returns when all other tasks of the work
// have ended, or are capped too.
func (p *Pauses) End(ctx context.Context, id string, err error) {
	if domain.KindOf(err) == domain.Capped {
		p.wait(ctx, id)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	u := p.of[id]
	u.tasks--
	p.settle(id, u)
}

func (p *Pauses) wait(ctx context.Context, id string) {
	p.mu.Lock()
	u := p.of[id]
	u.tasks, u.capped = u.tasks-1, u.capped+1
	p.settle(id, u)
	p.mu.Unlock()
	select {
	case <-u.quiet:
	case <-ctx.Done():
	}
}

func (p *Pauses) settle(id string, u *underWay) {
	if u.tasks > 0 {
		return
	}
	if u.capped > 0 {
		close(u.quiet)
	}
	delete(p.of, id)
}
