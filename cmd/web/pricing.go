package main

import (
	"strings"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
)

// openCosts returns what counts and caps the calls of models.
func (a *app) openCosts() (*costs.Service, error) {
	caps := costs.Caps{}
	for scope, text := range map[costs.Scope]string{
		costs.Document: a.cfg.CapDocument, costs.Question: a.cfg.CapQuestion, costs.Day: a.cfg.CapDay, costs.Month: a.cfg.CapMonth, costs.Workspace: a.cfg.CapWorkspace,
	} {
		limit, err := costs.ParseCap(text)
		if err != nil {
			return nil, domain.Because(domain.Invalid, err, "CAP_%s: %s", strings.ToUpper(string(scope)), domain.InWords(err))
		}
		if limit.Set {
			caps[scope] = limit
		}
	}
	book := costs.NewBook(a.ledger, a.cfg.PricesFile(), a.env.now)
	if a.cfg.Prices == "" { // earlier versions wrote it
		if err := book.Adopt(); err != nil && domain.KindOf(err) != domain.Invalid { // a wrong file is told where prices are needed
			return nil, err
		}
	}
	return costs.New(costs.Params{Ledger: a.ledger, Prices: book, Defaults: caps, Wake: a.queue.RetryAll, Now: a.env.now}), nil
}

// priceOfFile prices reading and embedding, which are free where no model is asked.
func (a *app) priceOfFile(least, most domain.Usage) (money costs.MoneyRange, free bool, err error) {
	if len(a.models.names()) == 0 {
		return money, true, nil
	}
	apart := func(u domain.Usage) (list []domain.Usage) {
		if chat := a.models.chats["EXTRACT"]; chat != nil {
			list = append(list, domain.Usage{Model: chat.Model(), Input: u.Input, Output: u.Output})
		}
		if a.models.embedder != nil && !a.models.embedsFree {
			list = append(list, domain.Usage{Model: a.models.embedder.Model(), Embedded: u.Embedded})
		}
		return list
	}
	money, err = a.costs.Estimate(apart(least), apart(most))
	return money, false, err
}

// priceOfReading prices what the model that reads uses.
func (a *app) priceOfReading(least, most domain.Usage) (costs.MoneyRange, error) {
	if chat := a.models.chats["EXTRACT"]; chat != nil {
		least.Model, most.Model = chat.Model(), chat.Model()
	}
	return a.costs.Estimate([]domain.Usage{least}, []domain.Usage{most})
}
