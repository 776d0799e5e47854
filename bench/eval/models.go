package main

import (
	"context"
	"crypto/rand"
	random "math/rand/v2"
	"time"

	"github.com/clewhq/clew/bench/measure"
	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/llm/minilm"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/retrieve/nearest"
)

// models opens the models of the settings.
type models struct {
	config.Config
	limiters *llm.Limiters
}

func modelsOf(cfg config.Config) models { return models{cfg, llm.NewLimiters(cfg.Model.Concurrency)} }

func (m models) limiter(e config.Endpoint) *llm.Limiter {
	return m.limiters.To(e.Provider+" "+e.BaseURL, llm.Rate{Calls: e.PerMinute, Tokens: e.TokensPerMinute})
}

// connection returns how to reach a model whose settings have the given prefix.
func (m models) connection(prefix string, e config.Endpoint) langchain.Config {
	headers, _ := e.HeaderMap() // the settings were checked when they were read
	query, _ := e.Parameters()
	return langchain.Config{Provider: e.Provider, BaseURL: e.BaseURL, Key: e.Key, Model: e.Name, Headers: headers, Query: query, Timeout: m.Model.Timeout, Settings: prefix}
}

// chat returns the chat model of a role, which has the settings given, or else those of answers.
func (m models) chat(prefix string, role config.Endpoint) (llm.Chat, error) {
	reached := m.Model.For(role)
	chat, err := langchain.NewChat(m.connection(prefix, reached))
	if err != nil {
		return nil, err
	}
	return llm.Retry(llm.Limit(llm.Bound(chat, m.Model.MaxTokens), m.limiter(reached)), llm.Backoff{Jitter: random.Float64}), nil
}

// embedder returns the embedding model, by default the one on this machine.
func (m models) embedder() (llm.Embedder, error) {
	if !m.Embed.Given() || m.Embed.Provider == config.Builtin {
		e, err := minilm.New(m.MiniLMFolder())
		if err != nil {
			return nil, err // and no embedder that is nil within
		}
		return e, nil
	}
	if !m.Embed.Enabled() {
		return nil, domain.Errorf(domain.Invalid, "EMBED_PROVIDER is none: set it to another, or leave out --embed.")
	}
	e, err := langchain.NewEmbedder(m.connection("EMBED", m.Embed))
	if err != nil {
		return nil, err
	}
	return llm.RetryEmbedder(llm.LimitEmbedder(e, m.limiter(m.Embed)), llm.Backoff{Jitter: random.Float64}), nil
}

// book returns the prompts, with the texts of a ledger.
func book(l *ledger.Ledger) *prompts.Book {
	return prompts.New(l, prompts.NewFences([]byte(rand.Text())), append(answer.Prompts(), extract.Prompt())...)
}

// roles returns what answers with the models of the settings, or without any, and the name of the answering model.
func (m models) roles(p measure.Params) (answer.Roles, string, error) {
	if !m.Model.Enabled() {
		return builtIn(p, nil), "", nil
	}
	roles := map[string]answer.Model{}
	for prefix, e := range map[string]config.Endpoint{"LLM": {}, "GRADE": m.Model.Grade, "REWRITE": m.Model.Rewrite} {
		chat, err := m.chat(prefix, e)
		if err != nil {
			return answer.Roles{}, "", err
		}
		roles[prefix] = answer.Model{Chat: chat, Fitness: llm.NewFitness(chat, llm.ModeAuto, func(string) {})}
	}
	r, err := answer.ModelRoles(answer.ModelParams{Answer: roles["LLM"], Grade: roles["GRADE"], Rewrite: roles["REWRITE"], Prompts: book(p.Stores.Ledger)})
	return r, roles["LLM"].Chat.Model(), err
}

// builtIn returns the roles of the built-in mode, ranking with the vectors of e unless it is nil.
func builtIn(p measure.Params, e llm.Embedder) answer.Roles {
	ranker := nearest.Ranker{}
	if e != nil {
		ranker = nearest.Ranker{Embedder: llm.RecordEmbedder(e, p.Stores.Ledger), Store: p.Stores.Ledger}
	}
	search := retrieve.New(retrieve.Params{Graph: p.Stores.Graph, Index: p.Stores.Index, Texts: p.Stores.Ledger, Now: p.Now})
	return builtin.Answering(p.Stores.Graph, ranker, search, p.Stores.Ledger, 0)
}

// extractor returns what extracts with the model of the settings, or by rule.
func (m models) extractor(l *ledger.Ledger) (extract.Extractor, error) {
	mine := new(builtin.Miner).Mine
	if !m.Model.Enabled() {
		return extract.Local(mine, builtin.Reader), nil
	}
	chat, err := m.chat("EXTRACT", m.Model.Extract)
	if err != nil {
		return nil, err
	}
	return extract.New(extract.Params{
		Chat: chat, Fitness: llm.NewFitness(chat, llm.Mode(m.ExtractMode), func(string) {}), Prompts: book(l), Names: extract.Names{Find: mine, Reader: builtin.Reader},
	}), nil
}

// withVectors has the embedding model of the settings take part in answering. Its vectors are kept in the library of the
// settings for the next time.
func (s env) withVectors(ctx context.Context, p *measure.AnswerParams) (end func() error, err error) {
	cfg, err := s.load()
	if err != nil {
		return nil, err
	}
	embedder, err := modelsOf(cfg).embedder()
	if err != nil {
		return nil, err
	}
	kept, end, err := measure.OpenLedger(ctx, cfg.Path("clew.db"), time.Now)
	if err != nil {
		return nil, err
	}
	p.Stores.Vectors = measure.Stored(llm.RecordEmbedder(embedder, kept), p.Stores.Ledger)
	p.Roles = builtIn(p.Params, p.Stores.Vectors)
	return end, nil
}
