package models

import (
	"cmp"
	"context"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/research"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/stategraph"
)

// Answering makes the graphs that answer, with the models of a Set. All fields are
// required.
type Answering struct {
	Models  *Set
	Library Library
	Answer  answer.Params // without the roles and the values of a setting
	Ledger  *ledger.Ledger
	Schemas *schemas.Service
}

// Usual returns the setting used to answer people's questions.
func (a *Answering) Usual() evaluation.Setting {
	cfg := a.Models.Config
	s := evaluation.Setting{Model: BuiltIn, MaxLoops: cfg.MaxLoops, Passages: cfg.Passages, GradeMany: 1}
	if a.Models.Enabled() {
		s.Model, s.Rerank, s.Decompose = a.Models.Name(), cfg.Rerank, cfg.Decompose
		s.GradeMany, _ = a.Models.Together()
	}
	if a.Models.Reranker != nil {
		s.Rerank = cmp.Or(cfg.Rerank, answer.DefaultRanked)
	}
	return s
}

// By returns a graph that answers by a setting with its model, and with other prompts. It fails with kind Invalid if no model
// is configured and the setting needs one.
func (a *Answering) By(s evaluation.Setting, book *prompts.Book) (stategraph.Runnable[answer.State], error) {
	model := cmp.Or(s.Model, a.Usual().Model)
	switch {
	case model == BuiltIn && (book == a.Models.Prompts || a.Models.Enabled()):
	case model == BuiltIn:
		return nil, domain.Errorf(domain.Invalid, "No model is configured any more, so this can't be answered.")
	case !a.Models.Enabled():
		return nil, domain.Errorf(domain.Invalid, "The model %s is not configured any more, so this can't be answered.", model)
	case model == a.Models.Name():
		model = "" // with the other roles' own models
	}
	return a.graph(model, book, s)
}

// Research returns the graph for research, which answers its questions by the graph for people's questions.
func (a *Answering) Research(threads stategraph.Checkpointer) (*stategraph.Graph[research.State], error) {
	within := *a
	within.Answer.Threads, within.Answer.Within = nil, true
	s, model := a.Usual(), ""
	if !a.Models.Enabled() {
		model = BuiltIn
	}
	answers, err := within.graph(model, a.Models.Prompts, s)
	if err != nil {
		return nil, err
	}
	roles, err := a.Models.answering(a.Library, model, a.Models.Prompts)
	if err != nil {
		return nil, err
	}
	return research.Graph(research.Params{Retriever: a.Answer.Retriever, Passages: a.Answer.Passages, Answer: answers, Role: a.Models.researcher(a.Library), Supporter: roles.Supporter, Threads: threads, Codec: a.Answer.Codec})
}

func (a *Answering) graph(model string, book *prompts.Book, s evaluation.Setting) (*stategraph.Graph[answer.State], error) {
	roles, err := a.Models.answering(a.Library, model, book)
	if err != nil {
		return nil, err
	}
	p := a.Answer
	p.Roles, p.Limit, p.GradeMany, p.Rerank, p.Decompose = roles, s.Passages, s.GradeMany, s.Rerank, s.Decompose
	p.Reranker = a.Models.Reranker
	if many, why := a.Models.Together(); many == s.GradeMany {
		p.GradeWhy = why
	}
	p.GradeAbove, p.Regenerate, p.Price, p.Intents = a.Models.Config.GradeAbove, a.Models.Config.Regenerate, a.Models.PriceOfCall, a.Models.Intents()
	return answer.Graph(p)
}

// Facts returns the facts that answers depend on besides the setting of an evaluation.
func (a *Answering) Facts(ctx context.Context, w domain.WorkspaceID) (f evaluation.Facts, err error) {
	f.ChunkTokens, f.Reader = a.Models.Config.ChunkTokens, a.Models.Reader()
	if a.Models.Embeds() {
		f.Embedder = a.Models.Embedder.Model()
	}
	if f.Documents, f.Passages, err = a.Ledger.Size(ctx, w); err != nil {
		return f, err
	}
	cut, err := a.Ledger.Cuts(ctx, w)
	if err != nil {
		return f, err
	}
	f.Chunking = evaluation.SayChunking(cut)
	if f.Prompts, err = a.Models.Prompts.Pin(ctx, w); err != nil {
		return f, err
	}
	schema, err := a.Schemas.Latest(ctx, w, schemas.Scope{})
	f.Schema = schema.Number
	return f, err
}
