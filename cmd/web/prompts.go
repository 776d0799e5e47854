package main

import (
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prompts/tryout"
)

// tryout returns the service that tries prompts out.
func (a *app) tryout() *tryout.Service {
	p := tryout.Params{
		Mode: llm.Mode(a.cfg.ExtractMode), Prompts: a.prompts, Retriever: a.search, Passages: a.ledger, Documents: a.ledger,
	}
	if a.models.Enabled() {
		p.Chat = a.models.PromptChat
	}
	return tryout.New(p)
}
