package main

import (
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prompts/tryout"
)

// tryout returns what tries prompts out.
func (a *app) tryout() *tryout.Service {
	p := tryout.Params{
		Mode: llm.Mode(a.cfg.ExtractMode), Prompts: a.prompts, Retriever: a.search, Passages: a.ledger, Documents: a.ledger,
	}
	if a.models.chat != nil {
		p.Chat = a.models.promptChat
	}
	return tryout.New(p)
}
