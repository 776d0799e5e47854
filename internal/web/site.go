// Package web serves Clew's pages over HTTP. It turns requests into calls of the use cases and their
// results into pages; the rules are in the use cases.
package web

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/auth/signon"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/graph/themes"
	"github.com/clewhq/clew/internal/graph/worklist"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/library/studies"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/library/timeline"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/prompts/tryout"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/questions/researches"
	"github.com/clewhq/clew/internal/questions/suggest"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/read/source"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/lease"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/internal/settings"
	"github.com/clewhq/clew/internal/upkeep/backup"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/internal/upkeep/retention"
	"github.com/clewhq/clew/internal/web/account"
	"github.com/clewhq/clew/internal/web/conversation"
	"github.com/clewhq/clew/internal/web/document"
	evaluationpage "github.com/clewhq/clew/internal/web/evaluation"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/graph"
	"github.com/clewhq/clew/internal/web/middleware"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/respond"
	runpage "github.com/clewhq/clew/internal/web/run"
	schemapage "github.com/clewhq/clew/internal/web/schema"
	"github.com/clewhq/clew/internal/web/setting"
	"github.com/clewhq/clew/internal/webhooks"
	"github.com/clewhq/clew/internal/workspaces"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// maxFiles is the most files one form may add.
const maxFiles = 200

// maxHeader is the maximum size in bytes of a request's address and headers. The
// server answers larger ones with status 431.
const maxHeader = 128 << 10

// Params are the parts of a Server. All are required but Neo4j, Browser, Model, MaxLoops, Proxies, PublicURL, Watch and
// Metrics.
type Params struct {
	Ledger      *ledger.Ledger
	Process     lease.Process // this one
	Wire        sqlio.Wire    // to other processes; may be nil
	News        *sqlio.News   // about writes by other processes; may be nil
	Graph       graphstore.Reader
	Neo4j       bool   // the graph is in Neo4j
	Browser     string // address of Neo4j Browser; "" if there is none
	Queue       *job.Queue
	Hub         *trace.Hub
	Auth        *auth.Auth
	SignOn      *signon.Service
	Documents   *documents.Service
	Crawl       *crawl.Service
	Questions   *questions.Service
	Suggest     *suggest.Service
	Evaluation  *evaluation.Service
	Prices      *costs.Book
	Curator     *curate.Curator
	Schemas     *schemas.Service
	Proposals   *proposals.Service
	Trial       *schemas.Trials
	Themes      *themes.Service
	Lists       worklist.Desk
	Summaries   *summaries.Service
	Studies     *studies.Service
	Researches  *researches.Service
	Prompts     *prompts.Book
	Tryout      *tryout.Service
	Kinds       run.Kinds
	RunFiles    *run.Files
	Costs       *costs.Service
	Model       string                         // name of the chat model; "" in the built-in mode
	Unembedded  func(ctx context.Context) bool // the search index has no vectors from the embedding model
	Vectors     document.Vectors
	Health      *maintenance.Monitor
	Probed      Probed
	Watch       middleware.Watch // observes requests; may be nil
	Metrics     http.Handler     // serves metrics; nil if tokens get none
	Maintenance setting.Upkeep
	Backup      func(ctx context.Context, w io.Writer, workspace string) error // writes one workspace, or all if ""
	Importer    backup.Importer                                                // adds workspaces of backups
	Models      setting.Models
	Settings    *settings.Overview
	Webhooks    *webhooks.Service
	Sources     *source.Service
	Workspaces  *workspaces.Service
	Operations  []operation.Row[struct{}]
	Version     string
	Trail       *audit.Trail
	Audit       audit.Desk
	Retention   retention.Keeper
	MaxUpload   int64 // bytes
	MaxLoops    int
	PublicURL   string            // address of the pages, for links outside them; "" takes it from the request
	BasePath    string            // prefix of the site's addresses, such as /clew; may be ""
	TokenRate   int               // requests per minute for a token; 0 means no limit
	Ticked      questions.Options // for a new question
	Loopback    bool              // only this machine can reach the listener
	Proxies     []netip.Prefix    // proxies trusted to report the client
	Recheck     time.Duration     // how often a stream checks whether its session has ended
	Now         domain.Clock
	Log         *slog.Logger
}

// Probed reports whether a process can do its work.
type Probed interface {
	// Ready returns nil, or the reason why it is not ready.
	Ready(ctx context.Context) error
}

type handlers struct {
	account      *account.Handler
	home         *document.Home
	document     *document.Handler
	conversation *conversation.Handler
	run          *runpage.Handler
	graph        *graph.Handler
	summary      *conversation.Summaries
	research     *conversation.Researches
	study        *conversation.Studies
	schema       *schemapage.Handler
	setting      *setting.Handler
	prompt       *setting.Prompts
	webhook      *setting.Webhooks
	source       *setting.Sources
	audit        *setting.Audit
	workspaces   *setting.Workspaces
	health       *setting.Health
	usage        *setting.Usage
	evaluation   *evaluationpage.Handler
	reports      *report.Runs
}

func (s *Server) handlers(p Params, pageFrame frame.Frame) handlers {
	loop := report.Loop{Node: answer.NodeTransform, Max: p.MaxLoops}
	loops := map[string]report.Loop{questions.Kind: loop, questions.BranchKind: loop, evaluation.Kind: loop}
	runs := &report.Runs{Queue: p.Queue, Hub: p.Hub, Kinds: p.Kinds, Loops: loops, Costs: p.Costs, Ledger: p.Ledger, Graph: p.Graph, Now: p.Now}
	texts := &present.Documents{Ledger: p.Ledger, Graph: p.Graph}
	graphs := explore.Reader{Graph: p.Graph, Texts: p.Ledger, Library: p.Themes.Graphs}
	samples := &present.Sample{Ledger: p.Ledger, Files: sample.Files(), Try: sample.Try()}
	limits := partial.UploadProps{MaxBytes: p.MaxUpload, MaxFiles: maxFiles, Accept: strings.Join(parse.Extensions(), ","), Kinds: parse.Kinds()}

	h := handlers{reports: runs}
	h.usage = &setting.Usage{Frame: pageFrame, Costs: p.Costs, Ledger: p.Ledger, Queue: p.Queue, Runs: runs, Models: p.Settings.Models, Now: p.Now}
	h.evaluation = &evaluationpage.Handler{Frame: pageFrame, Evaluation: p.Evaluation, Ledger: p.Ledger, Queue: p.Queue}
	h.account = &account.Handler{Frame: pageFrame, Auth: p.Auth, SignOn: p.SignOn, Workspaces: p.Workspaces, Now: p.Now, Recheck: p.Recheck}
	h.account.Settings, h.account.Loopback = p.Settings, p.Loopback
	h.document = &document.Handler{
		Frame: pageFrame, Ledger: p.Ledger, Graph: p.Graph, Queue: p.Queue, Library: p.Documents, Sample: samples.Files, Runs: runs, Reader: texts, Explore: graphs, Curator: p.Curator, Schemas: p.Schemas, Suggest: p.Suggest, Timelines: timeline.Desk{Ledger: p.Ledger, Scopes: p.Questions},
		Vectors: p.Vectors, News: p.News, Limits: limits, Trail: p.Trail, Now: p.Now, Log: p.Log, Closing: s.open.Done(),
	}
	h.home = &document.Home{Frame: pageFrame, Ledger: p.Ledger, Graph: p.Graph, Ask: p.Questions, Runs: runs, Sample: samples, Suggest: p.Suggest, Upload: limits, Now: p.Now, List: h.document}
	h.conversation = &conversation.Handler{Frame: pageFrame, Ledger: p.Ledger, Ask: p.Questions, Runs: runs, Documents: texts, Sample: samples, Suggest: p.Suggest, Explore: graphs, Ticked: p.Ticked, Items: runpage.BranchItems}
	h.graph = &graph.Handler{
		Frame: pageFrame, Themes: p.Themes, Graph: p.Graph, Ledger: p.Ledger, Reader: graphs,
		Curator: p.Curator, Proposals: p.Proposals, Schemas: p.Schemas,
		Lists: p.Lists, Runs: runs, Neo4j: p.Neo4j, Browser: p.Browser, Now: p.Now,
	}
	h.summary = &conversation.Summaries{Frame: pageFrame, Ledger: p.Ledger, Digest: p.Summaries, Runs: runs}
	h.study = &conversation.Studies{Frame: pageFrame, Desk: studies.Desk{Service: p.Studies, Documents: p.Documents}, Suggest: p.Suggest, Runs: runs}
	h.research = &conversation.Researches{Frame: pageFrame, Desk: researches.Desk{Service: p.Researches}, Runs: runs}
	h.run = &runpage.Handler{
		Frame: pageFrame, Runs: runs, Access: p.Auth, Ledger: p.Ledger, Files: p.RunFiles, Closing: s.open.Done(), Ask: p.Questions,
		Compares: &questions.Comparisons{Ledger: p.Ledger, Queue: p.Queue, Hub: p.Hub, Kinds: p.Kinds, Prices: p.Prices, Now: p.Now},
		Parts:    map[string]runpage.Part{questions.Kind: h.conversation, summaries.Kind: h.summary, researches.Kind: h.research, studies.Kind: h.study, questions.BranchKind: h.conversation},
	}
	h.schema = &schemapage.Handler{Frame: pageFrame, Ledger: p.Ledger, Schemas: p.Schemas, Graph: p.Graph, Trial: p.Trial}
	h.setting = &setting.Handler{Frame: pageFrame, Overview: p.Settings, Models: p.Models, Library: p.Documents, Unembedded: p.Unembedded}
	h.workspaces = &setting.Workspaces{Frame: pageFrame, Service: p.Workspaces, Importer: p.Importer}
	h.source = &setting.Sources{Frame: pageFrame, Service: p.Sources, Now: p.Now}
	h.webhook = &setting.Webhooks{Frame: pageFrame, Service: p.Webhooks, Now: p.Now}
	h.prompt = &setting.Prompts{Frame: pageFrame, Prompts: p.Prompts, Tryout: p.Tryout}
	h.audit = &setting.Audit{Frame: pageFrame, Desk: p.Audit, Keep: p.Retention}
	h.health = &setting.Health{Frame: pageFrame, Vitals: p.Health, Upkeep: p.Maintenance, Runs: runs, Write: p.Backup, Now: p.Now, Log: p.Log}
	return h
}

// failures turns errors into responses.
type failures struct {
	frame  frame.Frame
	health *maintenance.Monitor // nil while nothing is open
	forms  map[string]func(echo.Context, error) error
}

func (f failures) handle(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	for under, fail := range f.forms {
		if strings.HasPrefix(c.Request().URL.Path, under) {
			_ = fail(c, err) // the client may be gone
			return
		}
	}
	if respond.WantsJSON(c) {
		_ = respond.Fail(c, err) // as above
		return
	}
	if !lang.Chosen(c.Request().Context()) { // pages don't have this address
		frame.Spoken(c)
	}
	problem := respond.Refusal(c, err)
	status := problem.Status
	if domain.KindOf(err) == domain.Unavailable && strings.HasSuffix(c.Request().URL.Path, link.Health) {
		status, problem.Message = http.StatusOK, problem.Message+" "+f.stores(c)
	}
	props := page.ErrorProps{
		App: f.frame.Bare(c, lang.T(c.Request().Context(), http.StatusText(problem.Status))), Status: problem.Status, Message: problem.Message,
		ID: c.Response().Header().Get(echo.HeaderXRequestID),
	}
	if problem.Status >= http.StatusInternalServerError && c.Request().Method == http.MethodPost && c.Path() == link.Ask {
		props.Conversation, props.Question = conversation.Asked(c) // so that the question need not be typed again
	}
	_ = respond.HTML(c, status, page.ErrorPage(props)) // as above
}

// stores reports the state of the stores that follow the ledger, for when nobody can sign in to see the health page.
func (f failures) stores(c echo.Context) string {
	if f.health == nil {
		return ""
	}
	var said []string
	for _, s := range f.health.Stores(c.Request().Context(), domain.DefaultWorkspace)[1:] {
		words := "answers."
		if s.Problem != "" {
			words = lang.F(c.Request().Context(), "can't be read. %s", s.Problem)
		}
		said = append(said, s.Role+": "+words)
	}
	return strings.Join(said, " ")
}
