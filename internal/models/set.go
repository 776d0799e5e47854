package models

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/intent"
	"github.com/clewhq/clew/internal/answer/research"
	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/ingest"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/llm/minilm"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/models/connections"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/read/outside"
	"github.com/clewhq/clew/internal/retrieve/nearest"
	"github.com/clewhq/clew/internal/summarize"
	"github.com/clewhq/clew/internal/summarize/study"
)

// Params configure an Opener. All but Pace and Watch are required.
type Params struct {
	Ledger  *ledger.Ledger
	Given   config.Config    // the environment settings
	Costs   *costs.Service   // counts the usage of models
	Prompts []prompts.Prompt // of all roles
	Random  io.Reader
	Log     *slog.Logger
	Pace    time.Duration // between two words of the built-in mode; 0 writes them at once
	Watch   llm.Watch     // observes calls
	Agent   string        // how the program identifies itself to a web search
}

// An Opener opens Sets one after the other.
type Opener struct {
	Params

	mu       sync.Mutex
	local    llm.Embedder  // on this machine, once used: all Sets share its memory
	limiters *llm.Limiters // of the last Set
	most     int           // maximum of concurrent calls to a server that limiters allow
}

// NewOpener returns an Opener.
func NewOpener(p Params) *Opener { return &Opener{Params: p} }

// Used names the settings and models in use.
type Used struct {
	Config     config.Config // including connected models
	Connected  connections.Connected
	Trials     map[string]answer.Trial // of grading, see Opener.Trials
	WordsAlone error                   // why the default embedding model can't be used; nil if it is used, or not wanted

	page   []connections.Role // current roles whose model was connected
	lacked *lacked            // the connected embedding model, if this process can't use it
}

// Used returns the settings and models in use when some models are connected, with the given settings, which are those
// of the environment and of the page.
func (o *Opener) Used(connected connections.Connected, given config.Config) Used {
	u := Used{Connected: connected, lacked: lackedOf(connected, given)}
	u.Config, u.page = connected.Apply(given)
	if u.lacked == nil && !u.Config.Embed.Given() {
		if u.WordsAlone = o.Local(); u.WordsAlone == nil {
			u.Config.Embed.Provider = config.Builtin
		}
	}
	return u
}

// EmbeddingModel returns the name of the embedding model, or "".
func (u Used) EmbeddingModel() string {
	if u.lacked != nil {
		return u.lacked.model
	}
	return embeddingModel(u.Config.Embed)
}

func embeddingModel(e config.Endpoint) string {
	if e.Provider == config.Builtin {
		return minilm.Name
	}
	return e.Name
}

// BuiltIn stands for the built-in mode in place of the name of a model.
const BuiltIn = "built-in"

// A Set is the settings in use with a model for each role, or with its substitute.
type Set struct {
	Used
	Prompts    *prompts.Book
	Embedder   llm.Embedder    // nil if there is none
	Reranker   llm.Reranker    // nil if there is no cross-encoder
	Web        *outside.Search // nil if the web is not searched
	Extractor  extract.Extractor
	Summariser summarize.Summariser

	free     bool                          // the embedder is on this machine
	chats    map[connections.Role]llm.Chat // of each role except that of vectors; empty in the built-in mode
	ledger   *ledger.Ledger
	costs    *costs.Service
	limiters *llm.Limiters
	log      *slog.Logger
	pace     time.Duration
	watch    llm.Watch
}

// Open returns the Set for the settings and models in use. It calls no model.
func (o *Opener) Open(ctx context.Context, u Used) (*Set, error) {
	fences, err := o.fences(ctx, u.Config)
	if err != nil {
		return nil, err
	}
	m := &Set{
		Used: u, Prompts: prompts.New(o.Ledger, fences, o.Prompts...), free: u.Config.Embed.Provider == config.Builtin,
		ledger: o.Ledger, costs: o.Costs, limiters: o.limits(u.Config.Model.Concurrency), log: o.Log, pace: o.Pace, watch: o.Watch,
	}
	if m.Embedder, err = o.embedder(m); err != nil {
		return nil, err
	}
	if m.Reranker, err = o.reranker(u.Config); err != nil {
		return nil, err
	}
	if u.Config.WebSearch != "" {
		if m.Web, err = outside.NewSearch(u.Config.WebSearch, o.Agent); err != nil {
			return nil, err
		}
	}
	if !u.Config.Model.Enabled() {
		m.Extractor, m.Summariser = extract.Local(new(builtin.Miner).Mine, builtin.Reader), builtin.Summarising(o.Pace)
		return m, nil
	}
	if m.chats, err = m.connect(u.Config.Model); err != nil {
		return nil, err
	}
	m.Extractor = extract.New(extract.Params{Chat: m.chats[connections.Extract], Fitness: m.fitness(connections.Extract, llm.Mode(u.Config.ExtractMode)), Prompts: m.Prompts,
		Names: extract.Names{Find: new(builtin.Miner).Mine, Reader: builtin.Reader}})
	m.Summariser = summarize.ModelSummariser(m.chats[connections.Summary], m.Prompts)
	return m, nil
}

// fences returns the fences of prompts. Without a model they are only looked at. Their
// key is drawn once and kept in the ledger: recorded answers are found by the prompts'
// words.
func (o *Opener) fences(ctx context.Context, cfg config.Config) (prompts.Fences, error) {
	if !cfg.Model.Enabled() {
		return prompts.NewFences([]byte("example")), nil
	}
	key, err := o.Ledger.Secret(ctx, domain.Installation, "fence_key", o.Random)
	return prompts.NewFences([]byte(key)), err
}

// limits returns the limiters of calls to servers. Sets with the same limits share them.
func (o *Opener) limits(most int) *llm.Limiters {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.limiters == nil || o.most != most {
		o.limiters, o.most = llm.NewLimiters(most), most
	}
	return o.limiters
}

// embedder returns the embedding model of m, or nil if there is none. What is not on this machine is counted.
func (o *Opener) embedder(m *Set) (llm.Embedder, error) {
	switch e := m.Config.Embed; {
	case m.lacked != nil:
		return m.lacked, nil
	case !e.Enabled():
		return nil, nil
	case m.free:
		local, err := o.builtIn()
		if err != nil {
			return nil, err
		}
		return llm.WatchedEmbedder(llm.LoggedEmbedder(local, o.Log), config.Builtin, o.Watch), nil
	default:
		reached, err := reachEmbedder(e, m.connected(connections.Embed), m.Config.Model.Timeout)
		if err != nil {
			return nil, err
		}
		tried := llm.RetryEmbedder(llm.LimitEmbedder(reached, limiterOf(m.limiters, e)), llm.Backoff{Jitter: rand.Float64})
		return llm.MeteredEmbedder(llm.WatchedEmbedder(llm.LoggedEmbedder(tried, o.Log), e.Provider, o.Watch), o.Costs), nil
	}
}

// reranker returns the cross-encoder, or nil if there is none.
func (o *Opener) reranker(cfg config.Config) (llm.Reranker, error) {
	if cfg.Order.BaseURL == "" {
		return nil, nil
	}
	reached, err := reachReranker(cfg.Order, cfg.Model.Timeout)
	if err != nil {
		return nil, err
	}
	return llm.SteadyReranker(reached, llm.Backoff{Jitter: rand.Float64}, o.Costs), nil
}

// builtIn returns the embedding model on this machine.
func (o *Opener) builtIn() (llm.Embedder, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.local == nil {
		e, err := minilm.New(o.Given.MiniLMFolder())
		if err != nil {
			return nil, err
		}
		o.local = e
	}
	return o.local, nil
}

// connected reports whether the model of a role was connected, so that errors lead to
// the page and not to a setting.
func (u Used) connected(r connections.Role) bool { return slices.Contains(u.page, r) }

// connect returns the models of the roles. Answers are recorded outside the retries, so
// that none is paid for twice, and counted between the two, so that only what is paid
// for is.
func (m *Set) connect(of config.Model) (map[connections.Role]llm.Chat, error) {
	chats := map[connections.Role]llm.Chat{}
	for _, role := range connections.Roles() {
		if role == connections.Embed || role == connections.Describe && !of.Describe.Given() {
			continue
		}
		e, server := config.Endpoint{}, connections.Answer
		if role != connections.Answer {
			e = role.Endpoint(config.Config{Model: of})
		}
		if e.Elsewhere() {
			server = role
		}
		reached := of.For(e)
		chat, err := langchain.NewChat(connection(reached, server, m.connected(server), of.Timeout))
		if err != nil {
			return nil, err
		}
		tried := llm.Retry(llm.Limit(llm.Bound(chat, of.MaxTokens), limiterOf(m.limiters, reached)), llm.Backoff{Jitter: rand.Float64})
		chats[role] = llm.Record(llm.Metered(llm.Watched(llm.Logged(tried, m.log), reached.Provider, m.watch), m.costs), m.costs)
	}
	return chats, nil
}

// fitness returns the probe that finds out how to ask the model of a role. Changes are logged.
func (m *Set) fitness(r connections.Role, mode llm.Mode) *llm.Fitness {
	return fitness(m.chats[r], mode, m.log)
}

func fitness(chat llm.Chat, mode llm.Mode, log *slog.Logger) *llm.Fitness {
	return llm.NewFitness(chat, mode, func(sentence string) { log.Warn(sentence) })
}

// Reader returns the name of the model that reads documents, or BuiltIn.
func (m *Set) Reader() string { return cmp.Or(m.name(connections.Extract), BuiltIn) }

// Enabled reports whether a chat model is configured.
func (m *Set) Enabled() bool { return len(m.chats) > 0 }

// Embeds reports whether there is an embedding model.
func (m *Set) Embeds() bool { return m.Embedder != nil }

// Name returns the name of the model of answers, or "" in the built-in mode.
func (m *Set) Name() string { return m.name(connections.Answer) }

func (m *Set) name(r connections.Role) string {
	if m.chats[r] == nil {
		return ""
	}
	return m.chats[r].Model()
}

// Names lists the models that may cost something.
func (m *Set) Names() []string {
	var names []string
	for _, chat := range m.chats {
		names = append(names, chat.Model())
	}
	if m.paysEmbedder() {
		names = append(names, m.Embedder.Model())
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (m *Set) paysEmbedder() bool { return m.Embedder != nil && !m.free }

// Choices lists the models that can answer in place of the configured one: none in the built-in mode.
func (m *Set) Choices() []string {
	if !m.Enabled() {
		return nil
	}
	return []string{m.Name(), BuiltIn}
}

// PromptChat returns the model that a prompt's role asks.
func (m *Set) PromptChat(role string) llm.Chat {
	switch role {
	case extract.PromptRole, ingest.RoleFields:
		return m.chats[connections.Extract]
	case answer.RoleGrade, answer.RoleSupport, answer.RoleGradeMany, answer.RoleRerank, proposals.PromptRole:
		return m.chats[connections.Grade]
	case ingest.RoleDescribe:
		return m.chats[connections.Describe]
	case answer.RoleRewrite, answer.RoleCondense, answer.RoleDecompose, answer.RoleStep:
		return m.chats[connections.Rewrite]
	}
	return m.chats[connections.Answer]
}

// Proposer returns the proposer of schemas, or nil in the built-in mode.
func (m *Set) Proposer() *schemas.Model {
	if !m.Enabled() {
		return nil
	}
	return &schemas.Model{Chat: m.chats[connections.Extract], Fitness: m.fitness(connections.Extract, llm.ModeAuto), Prompts: m.Prompts}
}

// Judge returns the judge of whether two entities are the same, or nil if none is asked.
func (m *Set) Judge() *proposals.Judge {
	if !m.Enabled() || m.Config.AskAbout <= 0 {
		return nil
	}
	return &proposals.Judge{Chat: m.chats[connections.Grade], Fitness: m.fitness(connections.Grade, llm.ModeAuto), Prompts: m.Prompts, Most: m.Config.AskAbout}
}

// Loads returns the load of each server of models.
func (m *Set) Loads() []llm.Load { return m.limiters.Loads() }

// Library is the data that the built-in mode looks at.
type Library struct {
	Graph graphstore.Reader
	Words answer.Words
	Texts builtin.Texts
}

// answering returns the roles of answers by a model, which is the one in use if "", or
// BuiltIn, with the prompts of a book.
func (m *Set) answering(l Library, model string, book *prompts.Book) (answer.Roles, error) {
	switch model {
	case "":
		return m.roles(m.chats, l.Texts, book)
	case BuiltIn:
		return builtin.Answering(l.Graph, m.Ranker(), l.Words, l.Texts, m.pace), nil
	}
	other := m.Config.Model
	other.Name, other.Grade, other.Rewrite = model, config.Endpoint{}, config.Endpoint{}
	chats, err := m.connect(other)
	if err != nil {
		return answer.Roles{}, err
	}
	return m.roles(chats, l.Texts, book)
}

// roles gives each role its model, and reckons with tables by rule. The first question finds out how a model takes
// structured answers.
func (m *Set) roles(chats map[connections.Role]llm.Chat, texts builtin.Texts, book *prompts.Book) (answer.Roles, error) {
	model := func(r connections.Role) answer.Model {
		return answer.Model{Chat: chats[r], Fitness: fitness(chats[r], llm.ModeAuto, m.log)}
	}
	roles, err := answer.ModelRoles(answer.ModelParams{Answer: model(connections.Answer), Grade: model(connections.Grade), Rewrite: model(connections.Rewrite), Prompts: book})
	roles.Tables = builtin.Tables(texts)
	return roles, err
}

// researcher returns the roles that plan research and sum it up.
func (m *Set) researcher(l Library) research.Role {
	if !m.Enabled() {
		return builtin.Researching(l.Graph)
	}
	return research.ModelRole(m.chats[connections.Answer], m.Prompts)
}

// StudyMaker returns the finder of items of study sets.
func (m *Set) StudyMaker() study.Maker {
	if !m.Enabled() {
		return builtin.Studying()
	}
	return study.ModelMaker(m.chats[connections.Summary], m.Prompts)
}

// Ranker returns the ranker of sentences, by vectors if there is an embedding model.
func (m *Set) Ranker() nearest.Ranker {
	if m.Embedder == nil {
		return nearest.Ranker{}
	}
	return nearest.Ranker{Embedder: llm.RecordEmbedder(m.Embedder, m.ledger), Store: m.ledger}
}

// Intents returns the classifier of questions.
func (m *Set) Intents() intent.Reader {
	r := m.Ranker()
	return intent.Reader{Embedder: r.Embedder, Store: r.Store}
}

// Ingest returns how a document's passages are embedded. Their sentences follow in the
// background.
func (m *Set) Ingest() ingest.Embedding {
	if m.Embedder == nil {
		return ingest.Embedding{}
	}
	return ingest.Embedding{Embedder: m.Embedder, Text: func(d domain.Document, c domain.Chunk) string {
		return nearest.PassageText(d.Title, c.Text)
	}}
}

// Describing returns the describer of pictures, or nil if no vision model is set.
func (m *Set) Describing() ingest.Describing {
	return ingest.Describing{Chat: m.chats[connections.Describe], Most: m.Config.DescribePictures}
}

// Filling returns the model that fills in fields, which is the one that reads documents.
func (m *Set) Filling() ingest.Filling {
	chat := m.chats[connections.Extract]
	if chat == nil {
		return ingest.Filling{}
	}
	return ingest.Filling{Chat: chat, Fitness: m.fitness(connections.Extract, llm.Mode(m.Config.ExtractMode))}
}

// Projection returns whose vectors the search index gets.
func (m *Set) Projection() projection.Embedding {
	if m.Embedder == nil {
		return projection.Embedding{}
	}
	return projection.Embedding{Model: m.Embedder.Model()}
}

// EmbedsAtOnce returns how many calls of the embedding model are made at a time in the
// background.
func (m *Set) EmbedsAtOnce() int {
	if m.free {
		return runtime.GOMAXPROCS(0)
	}
	return m.Config.Model.Concurrency
}
