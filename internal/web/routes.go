package web

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/web/account"
	"github.com/clewhq/clew/internal/web/api"
	"github.com/clewhq/clew/internal/web/bearer"
	"github.com/clewhq/clew/internal/web/conversation"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/graph"
	"github.com/clewhq/clew/internal/web/mcp"
	"github.com/clewhq/clew/internal/web/middleware"
	"github.com/clewhq/clew/internal/web/openai"
	runpage "github.com/clewhq/clew/internal/web/run"
	"github.com/clewhq/clew/internal/web/setting"
	"github.com/clewhq/clew/internal/webhooks"
	"github.com/clewhq/clew/static"
	"github.com/clewhq/clew/views/link"
)

// maxSignIn is the maximum size in bytes of the form to sign in, which anybody
// can send: a name, a password and an address, escaped.
const maxSignIn = 8 << 10

// maxForm is the maximum size in bytes of a form without files.
const maxForm = 1 << 20

// maxQuestions is the maximum size in bytes of a form with a file of questions.
const maxQuestions = 8 << 20

// maxPaste is the maximum size in bytes of text that is pasted. A form is in memory
// several times while it is read, a file is not.
const maxPaste = 16 << 20

// pace lets 100 MB arrive over the slowest lines, and ends a request that stops
// arriving.
var pace = middleware.Pace{Pause: 30 * time.Second, Rate: 8 << 10}

// routes registers all routes. Package link builds their addresses, here with the names of parameters in place of ids.
// Static files and /healthz are public; everything else but the sign-in page is behind Guard.
func (s *Server) routes(e *echo.Echo, p Params, h handlers) { //nolint:funlen // one list, to be read from top to bottom
	e.Use(middleware.Log(p.Log, p.Now), middleware.Recover, middleware.Client(p.Proxies, p.Site), middleware.Headers,
		middleware.Body(pace), middleware.Query(questions.MaxQuestion))
	all := group{echo: e}
	all.get("/static/*", echo.WrapHandler(static.Handler()))
	all.get("/healthz", func(c echo.Context) error { return c.String(http.StatusOK, "ok\n") })

	rest := s.programs(all, p, h.reports)
	site := all.with(middleware.SameOrigin(), middleware.Compress)
	if p.Loopback {
		site = site.with(middleware.LocalHost(p.Auth.Required))
	}
	site.get(link.Login, h.account.Form)
	site.upTo(maxSignIn, link.Login, h.account.SignIn)

	in := site.with(h.account.Guard)
	streams := in.with(s.streams.Limit(func(c echo.Context) string { return frame.Session(c).ID }), h.account.WhileSignedIn)
	in = in.with(middleware.FormKey(p.Questions.IDs)) // forms that a stream draws can do without: its script sends none twice
	in.post(link.Logout, h.account.SignOut)
	in.get(link.Account, h.account.Show)
	in.upTo(maxSignIn, link.Password, h.account.ChangePassword)
	in.post(link.Sessions, h.account.EndMine)
	in.get(link.Reference, h.account.Reference(rest.Reference()))
	in.get(link.Tokens, h.account.Tokens)
	in.post(link.Tokens, frame.Mine(p.Auth, auth.MakeToken, h.account.TokenMade))
	in.post(link.RevokeToken(":id"), frame.Mine(p.Auth, auth.RevokeToken, frame.Done(account.TokenRevoked)))
	in.get(link.Home, h.home.Show)
	in.get(link.Find, h.home.Find)

	in.get(link.Documents, h.document.List)
	in.upload(link.Documents, h.document.Add) // Add limits each file as it reads it
	in.get(link.AddedDocuments, h.document.Added)
	in.get(link.Bill, h.document.AskBill)
	in.upload(link.Bill, h.document.Bill) // as Add does
	in.upTo(min(p.MaxUpload, maxPaste)+maxForm, link.PasteText, h.document.Paste)
	in.post(link.AddFromWeb, h.document.Fetch)
	streams.stream(link.DocumentsEvents, h.document.Events)
	in.post(link.ReadAgain, h.document.AllAgain)
	in.post(link.RetryFailed, h.document.FailedAgain)
	in.post(link.LeaveRereading, h.document.LeaveRest)
	in.post(link.ReadHeld, h.document.ReadHeld)
	in.post(link.PauseReading, h.document.Pause)
	in.post(link.GoOnReading, h.document.GoOn)
	in.post(link.ReadNext(":id"), h.document.Next)
	in.get(link.Chosen, h.document.AskChosen)
	in.post(link.Chosen, h.document.DoChosen)
	in.post(link.Undelete, h.document.Undelete)
	in.post(link.Sample, h.document.LoadSample)
	in.get(link.Document(":id"), h.document.Show)
	in.get(link.Chunks(":id"), h.document.Chunks)
	in.get(link.Cited(":id"), h.document.Cited)
	in.get(link.Original(":id"), h.document.Original)
	in.post(link.RetryDocument(":id"), h.document.Again)
	in.get(link.Chunk(":id"), h.document.Chunk)
	in.post(link.TagDocument(":id"), h.document.Tag)
	in.post(link.RenameDocument(":id"), h.document.Rename)
	in.post(link.GuideDocument(":id"), h.document.Guide)
	in.get(link.AnyVersion, h.document.Version)
	in.post(link.RemoveAnyVersion, h.document.RemoveVersion)
	in.get(link.DeleteDocument(":id"), h.document.AskDelete)
	in.post(link.DeleteDocument(":id"), h.document.Delete)

	in.get(link.Ask, h.conversation.New)
	in.post(link.Ask, h.conversation.Start)
	in.get(link.Themes, h.graph.ListThemes)
	in.get(link.Within, h.conversation.Within)
	in.get(link.CountWithin, h.conversation.CountWithin)
	in.get(link.Conversation(":id"), h.conversation.Show)
	in.get(link.DeleteConversation(":id"), h.conversation.AskDelete)
	in.post(link.DeleteConversation(":id"), h.conversation.Delete)
	in.post(link.RestoreConversation(":id"), h.conversation.Undelete)
	in.post(link.RenameConversation(":id"), h.conversation.Rename)
	in.post(link.PinConversation(":id"), h.conversation.Pin)
	in.get(link.ConversationFile(":id", ":format"), h.conversation.File)
	in.post(link.AskAgain(":id", ":message"), h.conversation.Again)
	in.post(link.Judge(":id", ":message"), h.conversation.Judge)
	in.get(link.AnySource, h.conversation.Source)
	in.get(link.AnswerGraph(":id", ":message"), h.conversation.Picture)
	in.get(link.Methods(":id", ":message"), h.run.Methods)
	in.post(link.Methods(":id", ":message"), h.run.StartMethods)
	in.post(link.Reply(":id", ":message"), h.conversation.Reply)
	in.get(link.AnyFigureSource, h.conversation.FigureSource)
	in.get(link.FigureCSV(":id", ":message", ":figure"), h.conversation.FigureCSV)

	desk := summaries.Desk{Service: p.Summaries, Documents: p.Documents}
	in.get(link.Summaries, h.summary.List)
	in.post(link.Summaries, h.summary.Start)
	in.get(link.NewSummary(), h.summary.New)
	in.get(link.Summary(":id"), h.summary.Show)
	in.post(link.ContinueSummary(":id"), frame.Do(desk, summaries.Continue, frame.Done(conversation.SummaryOpened)))
	in.post(link.SummariseAgain(":id"), frame.Do(desk, summaries.Again, frame.Done(conversation.SummaryOpened)))
	in.get(link.DeleteSummary(":id"), h.summary.AskDelete)
	in.post(link.DeleteSummary(":id"), frame.Do(desk, summaries.Delete, frame.Done(conversation.SummaryDeleted)))

	in.post(link.Names, frame.SetNames)
	in.get(link.Runs, h.run.List)
	in.get(link.Run(":id"), h.run.Show)
	in.get(link.RunFile(":id"), h.run.Export)
	in.get(link.RunPicture(":id", ":format", 0), h.run.Picture)
	in.get(link.Compare, h.run.Compare)
	in.get(link.RunState(":id", 0), h.run.State)
	in.get(link.RunChanges(":id", 0), h.run.Changes)
	streams.stream(link.RunEvents(":id", 0), h.run.Events)
	in.post(link.StopRun(":id"), frame.Do(run.Desk{Queue: p.Queue, Kinds: p.Kinds}, run.Stopping, frame.Done(runpage.Stopped)))
	in.get(link.Fork(":id", 0), h.run.Fork)
	in.post(link.Fork(":id", 0), h.run.StartFork)
	in.get(link.DeleteBranch(":id"), h.run.AskDeleteBranch)
	in.post(link.DeleteBranch(":id"), h.run.DeleteBranch)
	in.get(link.Replay(":id"), h.run.Replay)
	in.post(link.Replay(":id"), h.run.StartReplay)

	in.get(link.Evaluation, h.evaluation.Show)
	in.post(link.Evaluation, h.evaluation.Start)
	in.get(link.KeptQuestions, h.evaluation.Questions)
	in.post(link.KeptQuestions, h.evaluation.Keep)
	in.get(link.NewQuestion, h.evaluation.New)
	in.get(link.QuestionsCSV, h.evaluation.CSV)
	in.upTo(maxQuestions, link.ImportQuestions, h.evaluation.Import)
	in.get(link.KeptQuestion(":id"), h.evaluation.Edit)
	in.post(link.Delete(link.KeptQuestion(":id")), h.evaluation.Drop)
	in.post(link.Restore(link.KeptQuestion(":id")), h.evaluation.Restore)
	in.post(link.QuestionSets, h.evaluation.AddSet)
	in.post(link.QuestionSet(":id"), h.evaluation.RenameSet)
	in.post(link.Delete(link.QuestionSet(":id")), h.evaluation.DropSet)
	in.post(link.Restore(link.QuestionSet(":id")), h.evaluation.RestoreSet)
	in.get(link.OneEvaluation(":id"), h.evaluation.One)
	in.post(link.AnyVerdict, h.evaluation.Judge)
	in.get(link.RepliesCSV(":id"), h.evaluation.RepliesCSV)
	in.post(link.StopEvaluation(":id"), h.evaluation.Stop)
	in.post(link.GoOnEvaluating(":id"), h.evaluation.GoOn)
	in.post(link.Delete(link.OneEvaluation(":id")), h.evaluation.Delete)

	in.get(link.Graph, h.graph.Show)
	in.get(link.GraphData, h.graph.Data)
	in.get(link.GraphFind, h.graph.Find)
	in.get(link.GraphStated, h.graph.Stated)
	in.get(link.GraphExport, h.graph.Export)
	in.get(link.GraphCard+":id", h.graph.Card)

	in.get(link.OldEntities, h.graph.OldEntities)
	again := graph.Changed
	in.get(link.NewEntity, graph.Asked(h.graph.AskEntity))
	in.post(link.NewEntity, frame.Do(p.Curator, curate.Create, again(h.graph.AskEntity, graph.Marked)))
	in.get(link.MergeEntities, h.graph.AskMergeSeveral)
	in.post(link.MergeEntities, frame.Do(p.Curator, curate.Merge, again(h.graph.MergeAgain, graph.Merged)))
	in.get(link.NewRelation, graph.Asked(h.graph.AskNewRelation))
	in.post(link.NewRelation, h.graph.NewRelation)
	in.get(link.Entity(":id"), h.graph.Entity)

	in.get(link.RenameEntity(":id"), graph.Asked(h.graph.AskRename))
	in.post(link.RenameEntity(":id"), h.graph.Rename)
	in.get(link.MergeEntity(":id"), h.graph.AskMerge)
	in.post(link.KeepApart(":id"), frame.Do(p.Curator, curate.Apart, again(nil, graph.Opened)))
	in.get(link.SplitEntity(":id"), graph.Asked(h.graph.AskSplit))
	in.post(link.SplitEntity(":id"), frame.Do(p.Curator, curate.Split, again(h.graph.AskSplit, h.graph.Made)))
	in.get(link.Properties(":id"), graph.Asked(h.graph.AskProperties))
	in.post(link.Properties(":id"), h.graph.Properties)
	in.post(link.HideEntity(":id"), frame.Do(p.Curator, curate.Delete, again(nil, graph.Left)))
	in.get(link.Relation(":id", ":relation"), graph.Asked(h.graph.AskRelation))
	in.post(link.Relation(":id", ":relation"), frame.Do(p.Curator, curate.Retype, again(h.graph.AskRelation, graph.Opened)))
	in.post(link.RelationProperty(":id", ":relation"), h.graph.Properties)
	in.get(link.Changes, h.graph.Changes)
	in.post(link.UndoAnyChange, frame.Do(p.Curator, curate.Undo, again(nil, h.graph.Undone)))
	in.get("/changes", moved("/changes", link.Changes))

	in.get(link.Schema, h.schema.Show)
	in.get(link.SchemaVersions, h.schema.Versions)
	in.get(link.AnySchemaVersion, h.schema.Version)
	in.get(link.SchemaYAML, h.schema.YAML)
	in.get(link.SchemaFile, h.schema.File)

	in.get(link.Review, h.graph.Review)
	in.post(link.ReviewWork, h.graph.Work)
	in.post(link.ReviewLook, h.graph.Look)
	in.post(link.ReviewUndo, h.graph.UndoAll)
	in.post(link.DecidePair(":id"), h.graph.Decide)
	in.post(link.TakeUp(":id"), frame.Do(p.Proposals, proposals.TakeUp, frame.Done(graph.TakenUp)))
	in.get(link.Alike(":pattern"), h.graph.Alike)
	in.post(link.Alike(":pattern"), h.graph.DecideAlike)

	owners := in.with(h.account.Owners)
	owners.post(link.Schema, h.schema.Edit)
	owners.post(link.SchemaYAML, h.schema.UseYAML)
	owners.post(link.RestoreAnySchema, h.schema.Restore)
	owners.get(link.Settings, h.setting.Show)
	owners.post(link.SetSettings, h.setting.Set)
	owners.post(link.UndoSettings, h.setting.Undo)
	owners.post(link.TestModel, h.setting.TestConnection)
	owners.post(link.ConnectModel, h.setting.Connect)
	owners.post(link.TryModel, h.setting.Try)
	owners.post(link.OfferedModels, h.setting.Offered)
	owners.post(link.ForgetModel, h.setting.Forget)
	owners.get(link.Prompts, h.prompt.List)
	owners.get(link.Prompt(":role"), h.prompt.Show)
	owners.post(link.Prompt(":role"), h.prompt.Save)
	owners.post(link.RestorePrompt(":role"), h.prompt.Restore)
	owners.post(link.TryPrompt(":role"), h.prompt.Try)
	owners.get("/prompts", moved("/prompts", link.Prompts))
	owners.get("/prompts/:role", moved("/prompts", link.Prompts))
	owners.get(link.Usage, h.usage.Show)
	owners.get(link.UsageCSV, h.usage.CSV)
	owners.post(link.Caps, h.usage.SetCaps)
	owners.get(link.Prices, h.usage.Prices)
	owners.post(link.Prices, h.usage.SetPrice)
	owners.get(link.Health, h.health.Show)
	owners.post(link.CheckStores, h.health.Check)
	owners.post(link.RebuildStores, h.health.Rebuild)
	owners.post(link.Backup, h.health.Backup)
	owners.get(link.Webhooks, h.webhook.List)
	owners.post(link.Webhooks, frame.Do(p.Webhooks, webhooks.Add, h.webhook.Added))
	owners.get(link.Webhook(":id"), h.webhook.Show)
	owners.post(link.TryWebhook(":id"), frame.Do(p.Webhooks, webhooks.Try, frame.Done(setting.Tried)))
	owners.post(link.Delete(link.Webhook(":id")), frame.Do(p.Webhooks, webhooks.Remove, frame.Done(setting.WebhookRemoved)))
	owners.post(link.SendAgain(":delivery"), frame.Do(p.Webhooks, webhooks.Again, frame.Done(setting.SentAgain)))
	owners.get(link.Accounts, h.account.List)
	owners.post(link.Accounts, h.account.Add)
	owners.get(link.ManageAccount(":name"), h.account.Manage)
	owners.post(link.SetRole(":name"), frame.Do(p.Auth, auth.RoleChange, frame.Done(account.RoleChanged)))
	owners.post(link.SetPassword(":name"), frame.Do(p.Auth, auth.PasswordChange, frame.Done(account.PasswordChanged)))
	owners.post(link.EndSessions(":name"), h.account.EndSessions)
	owners.post(link.RemoveAccount(":name"), frame.Do(p.Auth, auth.Removal, frame.Done(account.Removed)))
}

// programs registers what programs use with a token, and returns the API. It needs no protection against other sites: these have no token.
func (s *Server) programs(all group, p Params, reports *report.Runs) *api.API {
	all = all.with(s.whileOpen)
	described := all.with(middleware.Compress)
	programs := described.with(bearer.Guard(p.Auth))
	rest := api.New(p.Operations, p.Version)
	asker := questions.Asker{Service: p.Questions, Reports: reports}
	answers := api.NewStreams(rest, asker)
	plain := all.with(bearer.Guard(p.Auth), middleware.Limit(maxForm))
	live := plain.with(s.streams.Limit(nobody))
	live.add(http.MethodPost, api.Root+api.AskStream, answers.Ask)
	live.add(http.MethodGet, api.Root+api.RunEvents, answers.Events)
	described.get(api.Root+"/openapi.json", rest.Document)
	described.get(api.Root+"/openapi.yaml", rest.DocumentYAML)
	described.get(api.Root+"/openapi-3.0.json", rest.OldDocument)
	programs.get(api.Root+"/me", api.Me)
	models := mcp.New(p.Operations, asker, p.Version)
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		plain.add(method, mcp.Path, models.Handler())
	}
	chats := &openai.Service{Asker: asker, Now: p.Now}
	plain.add(http.MethodGet, openai.Root+"/models", chats.Models)
	plain.add(http.MethodPost, openai.Root+"/chat/completions", chats.Complete)
	plain.add(http.MethodPost, openai.DifyPath, chats.Retrieve)
	all.get("/.well-known/oauth-protected-resource"+mcp.Path, mcp.Metadata)
	repeats := api.Repeats(p.Ledger.AccountStore)
	rest.Routes(func(method, path string, files bool, h echo.HandlerFunc) {
		limit := int64(maxForm)
		if files {
			limit = p.MaxUpload + maxForm
		}
		programs.with(middleware.Limit(limit), repeats).add(method, path, h)
	})
	return rest
}

// nobody names no session: a program may follow as many runs as the server serves streams.
func nobody(echo.Context) string { return "" }

// whileOpen ends requests that wait for answers when the server stops.
func (s *Server) whileOpen(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		ctx, end := context.WithCancel(r.Context())
		defer end()
		c.SetRequest(r.WithContext(ctx))
		go func() {
			select {
			case <-s.closing:
				end()
			case <-ctx.Done():
			}
		}()
		return next(c)
	}
}

// moved redirects the addresses below one to the same below another.
func moved(from, to string) echo.HandlerFunc {
	return func(c echo.Context) error {
		at := *c.Request().URL
		at.Path, at.RawPath = to+strings.TrimPrefix(at.Path, from), ""
		return c.Redirect(http.StatusPermanentRedirect, at.RequestURI())
	}
}

// group registers routes with the same middleware. echo's own groups answer an
// unsupported method with 404 instead of 405.
type group struct {
	echo       *echo.Echo
	middleware []echo.MiddlewareFunc
}

// with returns a group with additional middleware.
func (g group) with(m ...echo.MiddlewareFunc) group {
	return group{g.echo, slices.Concat(g.middleware, m)}
}

// get registers a page for GET and HEAD.
func (g group) get(path string, h echo.HandlerFunc) {
	g.add(http.MethodGet, path, h)
	g.add(http.MethodHead, path, h)
}

// stream registers a response that stays open, for GET only.
func (g group) stream(path string, h echo.HandlerFunc) { g.add(http.MethodGet, path, h) }

// post registers the handler of a form of at most maxForm bytes.
func (g group) post(path string, h echo.HandlerFunc) { g.upTo(maxForm, path, h) }

// upTo registers the handler of a form of at most so many bytes.
func (g group) upTo(bytes int64, path string, h echo.HandlerFunc) {
	g.with(middleware.Form(bytes)).upload(path, h)
}

// upload registers the handler of a form that limits the files in it itself.
func (g group) upload(path string, h echo.HandlerFunc) { g.add(http.MethodPost, path, h) }

// add registers a handler for an address of package link, of which the query does not count.
func (g group) add(method, address string, h echo.HandlerFunc) {
	path, _, _ := strings.Cut(address, "?")
	g.echo.Add(method, path, h, g.middleware...)
}
