package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/extract"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ingest"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/schemas"
	"github.com/clewhq/clew/internal/summarize"
)

// models are the configured model for each role, or the built-in mode's stand-ins.
type models struct {
	chat      llm.Chat     // nil in the built-in mode
	embedder  llm.Embedder // nil where nothing embeds
	extractor extract.Extractor
	roles     func(graph graphstore.Reader) (answer.Roles, error)
	summaries summarize.Summariser
	proposer  *schemas.Model // nil in the built-in mode
}

// newModels returns the models of the settings, without calling them. The built-in mode writes a word each pace.
func newModels(cfg config.Config, l *ledger.Ledger, fences llm.Fences, pace time.Duration) (models, error) {
	var m models
	var err error
	if m.embedder, err = newEmbedder(cfg); err != nil {
		return m, err
	}
	if !cfg.Model.Enabled() {
		m.extractor = extract.Local(new(builtin.Miner).Mine, builtin.Reader)
		m.roles = func(graph graphstore.Reader) (answer.Roles, error) { return builtin.Answering(graph, pace), nil }
		m.summaries = builtin.Summarising(pace)
		return m, nil
	}
	limiter := llm.NewLimiter(cfg.Model.Concurrency, cfg.Model.PerMinute)
	connect := func(name string) (llm.Chat, error) {
		return newChat(cfg.Model, name, limiter, l)
	}
	if m.chat, err = connect(cfg.Model.Name); err != nil {
		return m, err
	}
	if m.extractor, err = newExtractor(cfg, fences, connect); err != nil {
		return m, err
	}
	extracting, err := connect(or(cfg.Model.Extract, cfg.Model.Name))
	if err != nil {
		return m, err
	}
	m.proposer = &schemas.Model{Chat: extracting, Fitness: llm.NewFitness(extracting, llm.ModeAuto), Fences: fences}
	m.roles = func(graphstore.Reader) (answer.Roles, error) { return modelRoles(cfg.Model, fences, connect) }
	chat, err := connect(or(cfg.Model.Summary, cfg.Model.Name))
	if err != nil {
		return m, err
	}
	m.summaries = summarize.ModelSummariser(chat, fences)
	return m, nil
}

// builtInMiner returns the extraction of the built-in mode.
func builtInMiner() func(title string, c domain.Chunk) domain.GraphDocument {
	return new(builtin.Miner).Mine
}

// builtInRoles returns the roles of the built-in mode, which write without a
// pause.
func builtInRoles(graph graphstore.Reader) answer.Roles { return builtin.Answering(graph, 0) }

// newChat returns one model. Its answers are recorded outside the retries, so that none is paid for twice.
func newChat(m config.Model, name string, limiter *llm.Limiter, l *ledger.Ledger) (llm.Chat, error) {
	chat, err := langchain.NewChat(langchain.Config{Provider: m.Provider, BaseURL: m.BaseURL, Key: m.Key, Model: name, Timeout: m.Timeout})
	if err != nil {
		return nil, err
	}
	return llm.Record(llm.Retry(llm.Limit(chat, limiter), llm.Backoff{Jitter: rand.Float64}), l), nil
}

func newEmbedder(cfg config.Config) (llm.Embedder, error) {
	e := cfg.Embed
	if !e.Enabled() {
		return nil, nil
	}
	embedder, err := langchain.NewEmbedder(langchain.Config{
		Provider: e.Provider, BaseURL: e.BaseURL, Key: e.Key, Model: e.Name, Timeout: cfg.Model.Timeout, Settings: "EMBED",
	})
	if err != nil {
		return nil, err
	}
	limiter := llm.NewLimiter(cfg.Model.Concurrency, cfg.Model.PerMinute)
	return llm.RetryEmbedder(llm.LimitEmbedder(embedder, limiter), llm.Backoff{Jitter: rand.Float64}), nil
}

func newExtractor(cfg config.Config, fences llm.Fences, connect func(string) (llm.Chat, error)) (extract.Extractor, error) {
	chat, err := connect(or(cfg.Model.Extract, cfg.Model.Name))
	if err != nil {
		return nil, err
	}
	return extract.New(extract.Params{Chat: chat, Fitness: llm.NewFitness(chat, llm.Mode(cfg.ExtractMode)), Fences: fences})
}

// modelRoles returns each role with its model. The first question finds out how a model takes structured answers.
func modelRoles(m config.Model, fences llm.Fences, connect func(string) (llm.Chat, error)) (answer.Roles, error) {
	p := answer.ModelParams{Fences: fences}
	for _, role := range []struct {
		model *answer.Model
		name  string
	}{{&p.Answer, m.Name}, {&p.Grade, or(m.Grade, m.Name)}, {&p.Rewrite, or(m.Rewrite, m.Name)}} {
		chat, err := connect(role.name)
		if err != nil {
			return answer.Roles{}, err
		}
		*role.model = answer.Model{Chat: chat, Fitness: llm.NewFitness(chat, llm.ModeAuto)}
	}
	return answer.ModelRoles(p)
}

// name returns the chat model's name, "" in the built-in mode.
func (m models) name() string {
	if m.chat == nil {
		return ""
	}
	return m.chat.Model()
}

// ingest returns how an ingest embeds.
func (m models) ingest() ingest.Embedding {
	if m.embedder == nil {
		return ingest.Embedding{}
	}
	return ingest.Embedding{Embedder: m.embedder, Text: func(d domain.Document, c domain.Chunk) string {
		return projection.ChunkText(d.Title, c.Text)
	}}
}

// projection returns which model's vectors the points get.
func (m models) projection() projection.Embedding {
	if m.embedder == nil {
		return projection.Embedding{}
	}
	return projection.Embedding{Model: m.embedder.Model()}
}

// testTimeout limits a test of the connection: a person is waiting.
const testTimeout = 90 * time.Second

// test checks the connections and says in words what works.
func (m models) test(ctx context.Context) []llm.Check {
	if m.chat == nil && m.embedder == nil {
		return []llm.Check{{OK: true, Sentence: "No model is configured: the built-in mode does every role on this machine, and there is nothing to connect to."}}
	}
	ctx, cancel := context.WithTimeout(ctx, testTimeout)
	defer cancel()
	return slices.Clone(llm.Probe(ctx, m.chat, m.embedder).Checks)
}

func or(value, other string) string {
	if value == "" {
		return other
	}
	return value
}
