package main

import (
	"context"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/stategraph"
)

// usually returns the setting by which people's questions are answered.
func (a *app) usually() evaluation.Setting {
	s := evaluation.Setting{Model: builtInModel, MaxLoops: a.cfg.MaxLoops, Passages: a.cfg.Passages, GradeMany: 1}
	if a.models.chat != nil {
		s.Model, s.GradeMany, s.Rerank, s.Decompose = a.models.name(), a.cfg.GradeMany, a.cfg.Rerank, a.cfg.Decompose
	}
	return s
}

// priceOfCall returns what a call of an answer costs, by default of the model that grades.
func (a *app) priceOfCall(ctx context.Context, u domain.Usage) int64 {
	if chat := a.models.chats["GRADE"]; u.Model == "" && chat != nil {
		u.Model = chat.Model()
	}
	return int64(a.costs.Price(ctx, u))
}

// budget returns the cap of one answer. Where no model is asked there is none.
func (a *app) budget(ctx context.Context, w domain.WorkspaceID) (answer.Budget, error) {
	var models []string
	for _, prefix := range []string{"LLM", "GRADE", "REWRITE"} {
		if chat := a.models.chats[prefix]; chat != nil {
			models = append(models, chat.Model())
		}
	}
	if len(models) == 0 {
		return answer.Budget{}, nil
	}
	limit, currency, err := a.costs.Question(ctx, w, models...)
	if err != nil || !limit.Set {
		return answer.Budget{}, err
	}
	return answer.Budget{Most: max(int64(limit.Tokens), int64(limit.Money)), Money: limit.Tokens == 0, Says: limit.In(currency)}, nil
}

// answeringBy is answering by a setting with its model, and with other prompts.
func (a *app) answeringBy(s evaluation.Setting, book *prompts.Book) (stategraph.Runnable[answer.State], error) {
	model := s.Model
	if model == a.usually().Model {
		model = ""
	}
	if model == "" && book == a.prompts {
		roles, err := a.models.roles(a.searched())
		if err != nil {
			return nil, err
		}
		return a.answering(roles, s)
	}
	if a.models.others == nil {
		return nil, domain.Errorf(domain.Invalid, "The model %s is not configured any more, so this can't be answered.", s.Model)
	}
	roles, err := a.models.others(a.searched(), model, book)
	if err != nil {
		return nil, err
	}
	return a.answering(roles, s)
}

// facts returns what answers depend on besides the setting of an evaluation.
func (a *app) facts(ctx context.Context, w domain.WorkspaceID) (f evaluation.Facts, err error) {
	f.ChunkTokens, f.Reader = a.cfg.ChunkTokens, builtInModel
	if chat := a.models.chats["EXTRACT"]; chat != nil {
		f.Reader = chat.Model()
	}
	if a.models.embedder != nil {
		f.Embedder = a.models.embedder.Model()
	}
	if f.Documents, f.Passages, err = a.ledger.Size(ctx, w); err != nil {
		return f, err
	}
	cut, err := a.ledger.Cuts(ctx, w)
	if err != nil {
		return f, err
	}
	f.Chunking = evaluation.SayChunking(cut)
	if f.Prompts, err = a.prompts.Pin(ctx, w); err != nil {
		return f, err
	}
	schema, err := a.schemas.Latest(ctx, w, schemas.Scope{})
	f.Schema = schema.Number
	return f, err
}
