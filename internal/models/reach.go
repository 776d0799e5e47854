package models

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/llm/minilm"
	"github.com/clewhq/clew/internal/models/connections"
)

// connection returns how to reach a model. The settings were checked when they were
// read, and what was connected in the page when it was saved.
func connection(e config.Endpoint, r connections.Role, page bool, timeout time.Duration) langchain.Config {
	headers, _ := e.HeaderMap()
	query, _ := e.Parameters()
	return langchain.Config{
		Provider: e.Provider, BaseURL: e.BaseURL, Key: e.Key, Model: e.Name, Headers: headers, Query: query, Timeout: timeout, Settings: r.Settings(), Page: page,
	}
}

func reachEmbedder(e config.Endpoint, page bool, timeout time.Duration) (llm.Embedder, error) {
	return langchain.NewEmbedder(connection(e, connections.Embed, page, timeout))
}

func reachReranker(r config.Reranker, timeout time.Duration) (llm.Reranker, error) {
	return langchain.NewReranker(langchain.Config{Provider: langchain.OpenAI, BaseURL: r.BaseURL, Key: r.Key, Model: r.Model, Settings: "RERANK", Timeout: timeout})
}

// limiterOf returns the limiter of calls to the server of a model.
func limiterOf(l *llm.Limiters, e config.Endpoint) *llm.Limiter {
	server := ""
	if u, err := url.Parse(e.BaseURL); err == nil {
		server = u.Host
	}
	return l.To(cmp.Or(server, e.Provider), llm.Rate{Calls: e.PerMinute, Tokens: e.TokensPerMinute})
}

// testTimeout limits one call of a test, and testsTimeout all of them: a person is
// waiting, but a slow server is not a broken one.
const (
	testTimeout  = 90 * time.Second
	testsTimeout = 10 * time.Minute
)

// List implements connections.Network.
func (o *Opener) List(ctx context.Context, e config.Endpoint) ([]llm.Listed, error) {
	return langchain.List(ctx, connection(e, connections.Answer, true, testTimeout))
}

// Local implements connections.Network.
func (o *Opener) Local() error {
	_, err := o.builtIn()
	return err
}

// Probe implements connections.Network. Its calls are counted like all others.
func (o *Opener) Probe(ctx context.Context, chat, embedder config.Endpoint) []llm.Check {
	ctx, cancel := context.WithTimeout(ctx, testsTimeout)
	defer cancel()
	var checks []llm.Check
	if chat.Enabled() {
		checks = o.probeChat(ctx, connection(chat, connections.Answer, true, testTimeout))
	}
	if embedder.Enabled() {
		e, err := o.builtIn()
		if embedder.Provider != config.Builtin {
			e, err = reachEmbedder(embedder, true, testTimeout)
		}
		if err != nil {
			return append(checks, llm.Check{What: "embeddings", Sentence: domain.InWords(err)})
		}
		checks = append(checks, llm.Probe(ctx, nil, llm.MeteredEmbedder(e, o.Costs)).Checks...)
	}
	return checks
}

// probeChat tests a chat model, and compares it with its server's list of models, which not every server has.
func (o *Opener) probeChat(ctx context.Context, c langchain.Config) []llm.Check {
	chat, err := langchain.NewChat(c)
	if err != nil {
		return []llm.Check{{What: "server", Sentence: domain.InWords(err)}}
	}
	report := llm.Probe(ctx, llm.Metered(chat, o.Costs), nil)
	listed, err := langchain.List(ctx, c)
	if err != nil {
		listed = nil
	}
	if report.Mode != "" {
		return append(report.Checks, llm.CheckContext(langchain.Describe(ctx, c, listed)))
	}
	if other, ok := llm.CheckListed(listed, c.Model); ok {
		report.Checks = append(report.Checks, other)
	}
	return report.Checks
}

// Test calls the models in use and describes what works. With GRADE_MANY=auto it finds out, by some forty calls,
// whether several passages are graded in one.
func (m *Set) Test(ctx context.Context) []llm.Check {
	ctx, cancel := context.WithTimeout(ctx, testsTimeout)
	defer cancel()
	checks := m.Reach(ctx)
	if _, auto := m.Config.Together(); auto && m.Enabled() && !slices.ContainsFunc(checks, llm.Check.Fatal) {
		checks = append(checks, m.tryGrading(ctx))
	}
	return checks
}

// Reach is Test by a few short calls only.
func (m *Set) Reach(ctx context.Context) []llm.Check {
	ctx, cancel := context.WithTimeout(ctx, testsTimeout)
	defer cancel()
	if !m.Enabled() && m.Embedder == nil && m.Reranker == nil {
		checks := []llm.Check{{OK: true, None: true, Sentence: "No model is configured, so the built-in mode fills every role on this machine. Connect one on the page Settings or with clew model connect."}}
		return m.testWeb(ctx, checks)
	}
	checks := slices.Clone(llm.Probe(ctx, m.chats[connections.Answer], m.Embedder).Checks)
	for _, role := range connections.Roles()[1:] {
		if role == connections.Embed || !m.Enabled() || !role.Endpoint(m.Config).Given() {
			continue // filled by the model of answers
		}
		for _, check := range llm.Probe(ctx, m.chats[role], nil).Checks {
			check.Sentence = role.Title() + ": " + check.Sentence
			checks = append(checks, check)
		}
	}
	if m.Reranker != nil {
		checks = append(checks, m.testReranker(ctx))
	}
	return m.testWeb(ctx, checks)
}

// testWeb adds the check of the web search, if there is one.
func (m *Set) testWeb(ctx context.Context, checks []llm.Check) []llm.Check {
	if m.Web != nil {
		checks = append(checks, m.Web.Test(ctx))
	}
	return checks
}

func (m *Set) testReranker(ctx context.Context) llm.Check {
	order, _, err := m.Reranker.Rerank(ctx, "Which town has a foundry?", []string{"Bread is baked in the morning.", "The foundry stands in the town of Carrow."})
	if err != nil {
		return llm.Check{What: "rerank", Sentence: llm.InWords(err)}
	}
	if order[0] != 1 {
		return llm.Check{What: "rerank", Sentence: "The cross-encoder " + m.Reranker.Model() + " answers, but puts a passage first that has nothing to do with the question."}
	}
	return llm.Check{What: "rerank", OK: true, Sentence: "The cross-encoder " + m.Reranker.Model() + " puts passages in order."}
}

// Fetched reports whether the files of the embedding model on this machine are in a folder.
func Fetched(folder string) bool { return minilm.Fetched(folder) }

// Fetch gets the files of the embedding model on this machine into a folder.
func Fetch(ctx context.Context, folder string) error { return minilm.Fetch(ctx, "python3", folder) }
