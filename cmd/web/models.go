package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"runtime"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/intent"
	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/connections"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/library/ingest"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/llm/minilm"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/retrieve/nearest"
	"github.com/clewhq/clew/internal/summarize"
)

// models are the configured model for each role, or the built-in mode's stand-ins.
type models struct {
	chat       llm.Chat            // nil in the built-in mode
	chats      map[string]llm.Chat // by the prefix of their settings; chat is LLM
	own        []connections.Role  // that have a model other than that of answers
	embedder   llm.Embedder        // nil where nothing embeds
	embedsFree bool                // on this machine
	extractor  extract.Extractor
	roles      func(s searched) (answer.Roles, error)
	others     func(s searched, model string, book *prompts.Book) (answer.Roles, error) // of another model or other prompts; nil in the built-in mode
	summaries  summarize.Summariser
	proposer   *schemas.Model   // nil in the built-in mode
	judge      *proposals.Judge // nil without RESOLVE_ASK
	limiters   *llm.Limiters
}

// newModels returns the models of the settings, without calling them. The models of the roles in page were connected in the page.
// The built-in mode writes a word each pace.
func newModels(cfg config.Config, page []connections.Role, books *costs.Service, book *prompts.Book, log *slog.Logger, pace time.Duration) (models, error) {
	m := models{limiters: llm.NewLimiters(cfg.Model.Concurrency)}
	var err error
	if m.embedder, err = newEmbedder(cfg, slices.Contains(page, connections.Embed), m.limiters, log); err != nil {
		return m, err
	}
	if m.embedsFree = cfg.Embed.Provider == config.Builtin; m.embedder != nil && !m.embedsFree {
		m.embedder = llm.MeteredEmbedder(m.embedder, books)
	}
	if !cfg.Model.Enabled() {
		m.extractor = extract.Local(new(builtin.Miner).Mine, builtin.Reader)
		m.roles = func(s searched) (answer.Roles, error) { return s.answering(pace), nil }
		m.summaries = builtin.Summarising(pace)
		return m, nil
	}
	if m.chats, err = newChats(cfg.Model, page, books, m.limiters, log); err != nil {
		return m, err
	}
	for role, e := range map[connections.Role]config.Endpoint{
		connections.Extract: cfg.Model.Extract, connections.Grade: cfg.Model.Grade, connections.Rewrite: cfg.Model.Rewrite, connections.Summary: cfg.Model.Summary,
	} {
		if e.Given() {
			m.own = append(m.own, role)
		}
	}
	slices.Sort(m.own)
	m.others = func(s searched, model string, book *prompts.Book) (answer.Roles, error) {
		switch model {
		case "":
			return modelRoles(m.chats, book, log)
		case builtInModel:
			return s.answering(pace), nil
		}
		other := cfg.Model
		other.Name, other.Grade, other.Rewrite = model, config.Endpoint{}, config.Endpoint{}
		chats, err := newChats(other, page, books, m.limiters, log)
		if err != nil {
			return answer.Roles{}, err
		}
		return modelRoles(chats, book, log)
	}
	m.chat = m.chats["LLM"]
	m.extractor = extract.New(extract.Params{Chat: m.chats["EXTRACT"], Fitness: fitness(m.chats["EXTRACT"], llm.Mode(cfg.ExtractMode), log), Prompts: book,
		Names: extract.Names{Find: new(builtin.Miner).Mine, Reader: builtin.Reader}})
	m.proposer = &schemas.Model{Chat: m.chats["EXTRACT"], Fitness: fitness(m.chats["EXTRACT"], llm.ModeAuto, log), Prompts: book}
	if cfg.AskAbout > 0 {
		m.judge = &proposals.Judge{Chat: m.chats["GRADE"], Fitness: fitness(m.chats["GRADE"], llm.ModeAuto, log), Prompts: book, Most: cfg.AskAbout}
	}
	m.roles = func(searched) (answer.Roles, error) { return modelRoles(m.chats, book, log) }
	m.summaries = summarize.ModelSummariser(m.chats["SUMMARY"], book)
	return m, nil
}

// builtInModel stands for the built-in mode among the models of a branch.
const builtInModel = "built-in"

// choices lists what can answer in place of the configured model: none in the built-in mode.
func (m models) choices() []string {
	if m.chat == nil {
		return nil
	}
	return []string{m.chat.Model(), builtInModel}
}

// searched is what the roles of the built-in mode look at.
type searched struct {
	graph  graphstore.Reader
	ranker nearest.Ranker
	words  answer.Words
}

// answering returns the roles of the built-in mode, which write a word each pace.
func (s searched) answering(pace time.Duration) answer.Roles {
	return builtin.Answering(s.graph, s.ranker, s.words, pace)
}

// searched returns what answers without a model look at.
func (a *app) searched() searched {
	return searched{a.graph, a.ranker(a.models.embedder), a.search}
}

// ranker returns what ranks sentences, with the vectors of e unless it is nil.
func (a *app) ranker(e llm.Embedder) nearest.Ranker {
	if e == nil {
		return nearest.Ranker{}
	}
	return nearest.Ranker{Embedder: llm.RecordEmbedder(e, a.ledger), Store: a.ledger}
}

// intents returns what tells what a question asks for.
func (a *app) intents() intent.Reader {
	if a.models.embedder == nil {
		return intent.Reader{}
	}
	return intent.Reader{Embedder: llm.RecordEmbedder(a.models.embedder, a.ledger), Store: a.ledger}
}

// newChats returns the models by the prefix of their settings. Answers are recorded outside the retries, so that none is
// paid for twice, and counted between the two, so that only what is paid for is.
func newChats(m config.Model, page []connections.Role, books *costs.Service, limiters *llm.Limiters, log *slog.Logger) (map[string]llm.Chat, error) {
	chats := map[string]llm.Chat{}
	for role, e := range map[connections.Role]config.Endpoint{
		connections.Answer: {}, connections.Extract: m.Extract, connections.Grade: m.Grade, connections.Rewrite: m.Rewrite, connections.Summary: m.Summary,
	} {
		server := role
		if !e.Elsewhere() {
			server = connections.Answer
		}
		reached := m.For(e)
		chat, err := langchain.NewChat(connection(reached, server, slices.Contains(page, server), m.Timeout))
		if err != nil {
			return nil, err
		}
		tried := llm.Retry(llm.Limit(llm.Bound(chat, m.MaxTokens), limiterOf(limiters, reached)), llm.Backoff{Jitter: rand.Float64})
		chats[role.Settings()] = llm.Record(llm.Metered(llm.Logged(tried, log), books), books)
	}
	return chats, nil
}

// limiterOf returns what bounds the calls to the server of a model.
func limiterOf(l *llm.Limiters, e config.Endpoint) *llm.Limiter {
	return l.To(cmp.Or(host(e.BaseURL), e.Provider), llm.Rate{Calls: e.PerMinute, Tokens: e.TokensPerMinute})
}

// host returns the server of an address, "" if it names none.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// promptChat returns the model that a prompt's role asks.
func (m models) promptChat(role string) llm.Chat {
	prefix := map[string]string{
		extract.PromptRole: "EXTRACT", answer.RoleGrade: "GRADE", answer.RoleSupport: "GRADE", proposals.PromptRole: "GRADE", answer.RoleGradeMany: "GRADE", answer.RoleRerank: "GRADE",
		answer.RoleRewrite: "REWRITE", answer.RoleCondense: "REWRITE", answer.RoleDecompose: "REWRITE", answer.RoleStep: "REWRITE",
	}[role]
	return m.chats[or(prefix, "LLM")]
}

// connection returns how to reach a model. The settings were checked when they were read, and what was connected in the
// page when it was saved.
func connection(e config.Endpoint, r connections.Role, page bool, timeout time.Duration) langchain.Config {
	headers, _ := e.HeaderMap()
	query, _ := e.Parameters()
	return langchain.Config{
		Provider: e.Provider, BaseURL: e.BaseURL, Key: e.Key, Model: e.Name, Headers: headers, Query: query, Timeout: timeout, Settings: r.Settings(), Page: page,
	}
}

// builtInEmbedder returns the embedding model on this machine.
func builtInEmbedder(cfg config.Config) (llm.Embedder, error) {
	e, err := minilm.New(cfg.MiniLMFolder())
	if err != nil {
		return nil, err // and no embedder that is nil within
	}
	return e, nil
}

// fetchModel gets the files of the built-in embedding model unless they are there.
func (s env) fetchModel(ctx context.Context, cfg config.Config) error {
	if minilm.Fetched(cfg.MiniLMFolder()) {
		return nil
	}
	fmt.Fprintf(s.stderr, "Fetching the model for search by meaning into %s, 23 MB, once.\n", cfg.MiniLMFolder())
	return minilm.Fetch(ctx, "python3", cfg.MiniLMFolder())
}

// withDefaultEmbedder returns cfg with the embedding model on this machine where the settings name none and its files are there.
// Otherwise the error says what is missing; it is nil when that model is not wanted.
func withDefaultEmbedder(cfg config.Config) (config.Config, error) {
	if cfg.Embed.Given() {
		return cfg, nil
	}
	if _, err := builtInEmbedder(cfg); err != nil {
		return cfg, err
	}
	cfg.Embed.Provider = config.Builtin
	return cfg, nil
}

// embeddingModel returns the name of the embedding model of the settings, "" for none.
func embeddingModel(cfg config.Config) string {
	if cfg.Embed.Provider == config.Builtin {
		return minilm.Name
	}
	return cfg.Embed.Name
}

// newEmbedder returns the embedding model of the settings, or of the page; nil for none.
func newEmbedder(cfg config.Config, page bool, limiters *llm.Limiters, log *slog.Logger) (llm.Embedder, error) {
	if !cfg.Embed.Enabled() {
		return nil, nil
	}
	embedder, err := openEmbedder(cfg, page)
	if err != nil {
		return nil, err
	}
	if cfg.Embed.Provider != config.Builtin {
		embedder = llm.RetryEmbedder(llm.LimitEmbedder(embedder, limiterOf(limiters, cfg.Embed)), llm.Backoff{Jitter: rand.Float64})
	}
	return llm.LoggedEmbedder(embedder, log), nil
}

// openEmbedder returns the embedding model of the settings, or of the page, which is called as it is.
func openEmbedder(cfg config.Config, page bool) (llm.Embedder, error) {
	if cfg.Embed.Provider == config.Builtin {
		return builtInEmbedder(cfg)
	}
	e, err := langchain.NewEmbedder(connection(cfg.Embed, connections.Embed, page, cfg.Model.Timeout))
	if err != nil {
		return nil, err
	}
	return e, nil
}

// listModels lists the models of a server that somebody is about to connect.
func listModels(ctx context.Context, e config.Endpoint) ([]llm.Listed, error) {
	return langchain.List(ctx, connection(e, connections.Answer, true, testTimeout))
}

// prober returns what tests models that somebody is about to connect. Their calls are counted like all others.
func prober(meter llm.Meter, cfg config.Config) func(ctx context.Context, chat, embedder config.Endpoint) []llm.Check {
	return func(ctx context.Context, chat, embedder config.Endpoint) []llm.Check {
		ctx, cancel := context.WithTimeout(ctx, testsTimeout)
		defer cancel()
		var checks []llm.Check
		if chat.Enabled() {
			checks = probeChat(ctx, connection(chat, connections.Answer, true, testTimeout), meter)
		}
		if embedder.Enabled() {
			cfg.Embed, cfg.Model.Timeout = embedder, testTimeout
			e, err := openEmbedder(cfg, true)
			if err != nil {
				return append(checks, llm.Check{What: "embeddings", Sentence: domain.InWords(err)})
			}
			checks = append(checks, llm.Probe(ctx, nil, llm.MeteredEmbedder(e, meter)).Checks...)
		}
		return checks
	}
}

// probeChat tests a chat model, and compares it with what its server lists. Not every server has a list.
func probeChat(ctx context.Context, c langchain.Config, meter llm.Meter) []llm.Check {
	chat, err := langchain.NewChat(c)
	if err != nil {
		return []llm.Check{{What: "server", Sentence: domain.InWords(err)}}
	}
	report := llm.Probe(ctx, llm.Metered(chat, meter), nil)
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

// modelRoles returns each role with its model. The first question finds out how a model takes structured answers.
func modelRoles(chats map[string]llm.Chat, book *prompts.Book, log *slog.Logger) (answer.Roles, error) {
	model := func(prefix string) answer.Model {
		return answer.Model{Chat: chats[prefix], Fitness: fitness(chats[prefix], llm.ModeAuto, log)}
	}
	return answer.ModelRoles(answer.ModelParams{Answer: model("LLM"), Grade: model("GRADE"), Rewrite: model("REWRITE"), Prompts: book})
}

// fitness returns what finds out how to ask a model. The log says when that changes.
func fitness(chat llm.Chat, mode llm.Mode, log *slog.Logger) *llm.Fitness {
	return llm.NewFitness(chat, mode, func(sentence string) { log.Warn(sentence) })
}

// name returns the chat model's name, "" in the built-in mode.
func (m models) name() string {
	if m.chat == nil {
		return ""
	}
	return m.chat.Model()
}

// names lists the models in use that may cost something, the embedding model included.
func (m models) names() []string {
	var names []string
	for _, chat := range m.chats {
		names = append(names, chat.Model())
	}
	if m.embedder != nil && !m.embedsFree {
		names = append(names, m.embedder.Model())
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ingest returns how an ingest embeds: passages alone, as their sentences follow in the background.
func (m models) ingest() ingest.Embedding {
	if m.embedder == nil {
		return ingest.Embedding{}
	}
	return ingest.Embedding{Embedder: m.embedder, Text: func(d domain.Document, c domain.Chunk) string {
		return nearest.PassageText(d.Title, c.Text)
	}}
}

// embedsAtOnce returns how many calls of the embedding model are made at a time in the background.
func (m models) embedsAtOnce(cfg config.Config) int {
	if m.embedsFree {
		return runtime.GOMAXPROCS(0)
	}
	return cfg.Model.Concurrency
}

// projection returns which model's vectors the points get.
func (m models) projection() projection.Embedding {
	if m.embedder == nil {
		return projection.Embedding{}
	}
	return projection.Embedding{Model: m.embedder.Model()}
}

// testTimeout limits one call of a test, and testsTimeout all of them: a person is waiting, but a slow server is not a
// broken one.
const (
	testTimeout  = 90 * time.Second
	testsTimeout = 10 * time.Minute
)

// test checks the connections and says in words what works.
func (m models) test(ctx context.Context) []llm.Check {
	if m.chat == nil && m.embedder == nil {
		return []llm.Check{{OK: true, None: true, Sentence: "No model is configured: the built-in mode does every role on this machine. Connect one on the page Settings or with clew model connect."}}
	}
	ctx, cancel := context.WithTimeout(ctx, testsTimeout)
	defer cancel()
	checks := slices.Clone(llm.Probe(ctx, m.chat, m.embedder).Checks)
	for _, role := range m.own {
		for _, check := range llm.Probe(ctx, m.chats[role.Settings()], nil).Checks {
			check.Sentence = role.Title() + ": " + check.Sentence
			checks = append(checks, check)
		}
	}
	return checks
}

func or(value, other string) string {
	if value == "" {
		return other
	}
	return value
}
