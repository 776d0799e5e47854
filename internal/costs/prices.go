package costs

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// A Price is the price of a million tokens from a day on. A kind of token without a price is nil.
type Price struct {
	Models    []string `json:"models"` // names and patterns
	From      string   `json:"from"`   // a day, in UTC: "2026-11-23"
	Input     *Money   `json:"input,omitempty"`
	Cached    *Money   `json:"cached,omitempty"` // of input that the provider had cached; nil means Input
	Output    *Money   `json:"output,omitempty"`
	Embedding *Money   `json:"embedding,omitempty"`
	Provider  string   `json:"provider,omitempty"` // who charges this price
	Checked   string   `json:"checked,omitempty"`  // the day when it was last seen there
	Where     string   `json:"where,omitempty"`    // where it is published, in words
	Own       bool     `json:"own,omitempty"`      // set by people, or from their file
}

// Written returns the price of a model from amounts as people write them, or "" if there is none. The error is Invalid.
func Written(model, from, input, cached, output, embedding string) (Price, error) {
	p := Price{Models: []string{model}, From: from}
	for _, given := range []struct {
		text string
		to   **Money
	}{{input, &p.Input}, {cached, &p.Cached}, {output, &p.Output}, {embedding, &p.Embedding}} {
		if strings.TrimSpace(given.text) == "" {
			continue
		}
		m, err := ParseMoney(given.text)
		if err != nil {
			return p, err
		}
		*given.to = &m
	}
	return p, p.Check()
}

// Free reports whether every token costs nothing.
func (p Price) Free() bool {
	return !slices.ContainsFunc([]*Money{p.Input, p.Cached, p.Output, p.Embedding}, func(m *Money) bool { return m != nil && *m != 0 })
}

// A Table is a list of prices in one currency.
type Table struct {
	Currency string
	Prices   []Price // custom ones first

	found map[modelDay]foundPrice // see Remembering
}

type modelDay struct{ model, day string }

type foundPrice struct {
	Price
	ok bool
}

// Remembering returns a table of the same prices that looks for each only once. It is
// for one goroutine.
func (t Table) Remembering() Table {
	t.found = map[modelDay]foundPrice{}
	return t
}

// Steady returns the stretches between two days, both included, within which no price
// changes: the first and the last day of each.
func (t Table) Steady(from, to string) (stretches [][2]string) {
	var starts []string
	for _, p := range t.Prices {
		if p.From > from && p.From <= to {
			starts = append(starts, p.From)
		}
	}
	slices.Sort(starts)
	for _, start := range slices.Compact(starts) {
		stretches = append(stretches, [2]string{from, DayBefore(start)})
		from = start
	}
	return append(stretches, [2]string{from, to})
}

// DayBefore returns the day before another.
func DayBefore(day string) string {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return DayOf(at.AddDate(0, 0, -1))
}

// DayOf returns the day of a time as prices and usage name it.
func DayOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// Of returns the price of a model on a day: the own one if there is one, then the
// one whose pattern is the longest, then the latest.
func (t Table) Of(model, day string) (Price, bool) {
	at := modelDay{model, day}
	if f, ok := t.found[at]; ok {
		return f.Price, f.ok
	}
	p, ok := t.of(model, day)
	if t.found != nil {
		t.found[at] = foundPrice{p, ok}
	}
	return p, ok
}

func (t Table) of(model, day string) (Price, bool) {
	var found Price
	best := -1
	for _, p := range t.Prices {
		length, ok := p.fits(model)
		if !ok || p.From > day {
			continue
		}
		if best < 0 || goesBefore(p, length, found, best) {
			found, best = p, length
		}
	}
	return found, best >= 0
}

// goesBefore reports whether one price holds rather than another.
func goesBefore(p Price, length int, other Price, otherLength int) bool {
	switch {
	case p.Own != other.Own:
		return p.Own
	case length != otherLength:
		return length > otherLength
	}
	return p.From >= other.From
}

// fits returns the length of the longest pattern that fits a model.
func (p Price) fits(model string) (length int, ok bool) {
	for _, pattern := range p.Models {
		if matches(strings.ToLower(pattern), strings.ToLower(model)) {
			length, ok = max(length, len(pattern)), true
		}
	}
	return length, ok
}

// matches reports whether a name fits a pattern, in which * stands for any text. A name followed by a date fits too,
// because providers name versions so.
func matches(pattern, name string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		version, ok := strings.CutPrefix(name, pattern)
		return ok && (version == "" || strings.HasPrefix(version, "-20") && strings.Trim(version, "-0123456789") == "")
	}
	if !strings.HasPrefix(name, head) {
		return false
	}
	name = name[len(head):]
	for i := range len(name) + 1 {
		if matches(rest, name[i:]) {
			return true
		}
	}
	return false
}

// Cost returns the cost of a usage on a day, and whether it is known. Recorded answers cost nothing.
func (t Table) Cost(u domain.Usage, day string) (cost Money, known bool) {
	if u.Recorded || u.Tokens() == 0 {
		return 0, true
	}
	p, ok := t.Of(u.Model, day)
	if !ok {
		return 0, false
	}
	cached := min(u.Cached, u.Input)
	known = true
	var millionths int64
	for _, part := range []struct {
		tokens int
		price  *Money
	}{{u.Input - cached, p.Input}, {cached, cmp.Or(p.Cached, p.Input)}, {u.Output, p.Output}, {u.Embedded, p.Embedding}} {
		switch {
		case part.tokens == 0:
		case part.price == nil:
			known = false
		default:
			millionths += int64(part.tokens) * int64(*part.price)
		}
	}
	if !known {
		return 0, false
	}
	return Money((millionths + int64(unit)/2) / int64(unit)), true
}

// An Amount is the cost of several usages.
type Amount struct {
	Money    Money    `json:"money"` // of models with a price
	Currency string   `json:"currency"`
	Unknown  []string `json:"unknown,omitempty"` // models without a price, by name
}

// Sum returns the cost of a day's usages.
func (t Table) Sum(day string, usages ...domain.Usage) Amount {
	a := Amount{Currency: t.Currency}
	for _, u := range usages {
		a.add(t, u, day)
	}
	return a
}

func (a *Amount) add(t Table, u domain.Usage, day string) {
	cost, known := t.Cost(u, day)
	a.Money += cost
	if !known && !slices.Contains(a.Unknown, u.Model) {
		a.Unknown = append(a.Unknown, u.Model)
		slices.Sort(a.Unknown)
	}
}

// Plus returns the sum of two amounts of one table.
func (a Amount) Plus(b Amount) Amount {
	a.Money += b.Money
	a.Currency = cmp.Or(a.Currency, b.Currency)
	a.Unknown = slices.Compact(slices.Sorted(slices.Values(slices.Concat(a.Unknown, b.Unknown))))
	return a
}

// Known reports whether every usage has a price.
func (a Amount) Known() bool { return len(a.Unknown) == 0 }

// String writes the amount, and which model has no price.
func (a Amount) String() string {
	switch {
	case a.Known():
		return a.Money.In(a.Currency)
	case a.Money == 0:
		return "cost unknown: no price for " + strings.Join(a.Unknown, ", ")
	}
	return "more than " + a.Money.In(a.Currency) + ": no price for " + strings.Join(a.Unknown, ", ")
}

// Short writes the amount for a column: "unknown" where no price is known.
func (a Amount) Short() string { return a.short(a.Money.In(a.Currency)) }

// Fine writes the amount for a column of single calls, as [Money.Fine] does.
func (a Amount) Fine() string { return a.short(a.Money.Fine(a.Currency)) }

func (a Amount) short(said string) string {
	switch {
	case a.Known():
		return said
	case a.Money == 0:
		return "unknown"
	}
	return "> " + said
}
