package costs

import (
	"context"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
)

// A Range is an estimate.
type Range struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// Plus returns the sum of two estimates.
func (r Range) Plus(o Range) Range { return Range{r.From + o.From, r.To + o.To} }

// A MoneyRange is an estimate of a cost.
type MoneyRange struct {
	From     Money    `json:"from"`
	To       Money    `json:"to"`
	Currency string   `json:"currency"`
	Unknown  []string `json:"unknown,omitempty"` // models without a price
}

// Estimate returns what usages would cost today: at least and at most.
func (s *Service) Estimate(ctx context.Context, least, most []domain.Usage) (MoneyRange, error) {
	t, err := s.Prices.Table(ctx)
	if err != nil {
		return MoneyRange{}, err
	}
	day := DayOf(s.Now())
	from, to := t.Sum(day, least...), t.Sum(day, most...)
	return MoneyRange{From: from.Money, To: to.Money, Currency: t.Currency, Unknown: to.Unknown}, nil
}

// String writes the estimate: "$0.14 to $0.18".
func (m MoneyRange) String() string {
	to := Amount{Money: m.To, Currency: m.Currency, Unknown: m.Unknown}
	if len(m.Unknown) > 0 || m.From.In(m.Currency) == m.To.In(m.Currency) {
		return to.String()
	}
	return fmt.Sprintf("%s to %s", m.From.In(m.Currency), m.To.In(m.Currency))
}
