package models

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/models/connections"
	"github.com/clewhq/clew/internal/run/job"
)

// OpenCosts returns the service that counts and caps the calls of models, with the caps and prices of the settings.
func OpenCosts(ctx context.Context, cfg config.Config, l *ledger.Ledger, queue *job.Queue, now func() time.Time) (*costs.Service, error) {
	caps := costs.Caps{}
	for scope, text := range map[costs.Scope]string{
		costs.Document: cfg.CapDocument, costs.Question: cfg.CapQuestion, costs.Day: cfg.CapDay, costs.Month: cfg.CapMonth, costs.Workspace: cfg.CapWorkspace,
	} {
		limit, err := costs.ParseCap(text)
		if err != nil {
			return nil, domain.Because(domain.Invalid, err, "CAP_%s: %s", strings.ToUpper(string(scope)), domain.InWords(err))
		}
		if limit.Set {
			caps[scope] = limit
		}
	}
	book := costs.NewBook(l, cmp.Or(cfg.Prices, cfg.Path("prices.yaml")), now)
	if cfg.Prices == "" { // written by earlier versions
		if err := book.Adopt(ctx); err != nil && domain.KindOf(err) != domain.Invalid { // invalid files are reported when prices are needed
			return nil, err
		}
	}
	return costs.New(costs.Params{Ledger: l, Prices: book, Defaults: caps, Queue: queue, Now: now}), nil
}

// PriceOfCall returns the cost of a call for an answer, by default of the model that grades.
func (m *Set) PriceOfCall(ctx context.Context, u domain.Usage) int64 {
	u.Model = cmp.Or(u.Model, m.name(connections.Grade))
	return int64(m.costs.Price(ctx, u))
}

// PriceOfFile prices reading and embedding, which are free where no model is asked.
func (m *Set) PriceOfFile(ctx context.Context, least, most domain.Usage) (money costs.MoneyRange, free bool, err error) {
	if len(m.Names()) == 0 {
		return money, true, nil
	}
	apart := func(u domain.Usage) (list []domain.Usage) {
		if m.Enabled() {
			list = append(list, domain.Usage{Model: m.name(connections.Extract), Input: u.Input, Output: u.Output})
		}
		if m.paysEmbedder() {
			list = append(list, domain.Usage{Model: m.Embedder.Model(), Embedded: u.Embedded})
		}
		return list
	}
	money, err = m.costs.Estimate(ctx, apart(least), apart(most))
	return money, false, err
}

// PriceOfReading prices what the model that reads uses.
func (m *Set) PriceOfReading(ctx context.Context, least, most domain.Usage) (costs.MoneyRange, error) {
	if m.Enabled() {
		least.Model, most.Model = m.name(connections.Extract), m.name(connections.Extract)
	}
	return m.costs.Estimate(ctx, []domain.Usage{least}, []domain.Usage{most})
}

// Budget returns the cap of one answer. Where no model is asked there is none.
func (m *Set) Budget(ctx context.Context, w domain.WorkspaceID) (answer.Budget, error) {
	if !m.Enabled() {
		return answer.Budget{}, nil
	}
	limit, currency, err := m.costs.Question(ctx, w, m.name(connections.Answer), m.name(connections.Grade), m.name(connections.Rewrite))
	if err != nil || !limit.Set {
		return answer.Budget{}, err
	}
	return answer.Budget{Most: max(int64(limit.Tokens), int64(limit.Money)), Money: limit.Tokens == 0, Says: limit.In(currency)}, nil
}
