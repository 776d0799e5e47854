package web

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/middleware"
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

// routes registers all routes. Static files and /healthz are public; everything
// else but the sign-in page is behind Guard.
func (s *Site) routes(p Params, h handlers) { //nolint:funlen // one list, to be read from top to bottom
	s.echo.Use(middleware.Log(p.Log, p.Now), middleware.Recover, middleware.Client(p.Proxies), middleware.Headers,
		middleware.Body(pace), middleware.Query(questions.MaxQuestion))
	all := group{echo: s.echo}
	all.get("/static/*", echo.WrapHandler(static.Handler()))
	all.get("/healthz", func(c echo.Context) error { return c.String(http.StatusOK, "ok\n") })

	site := all.with(middleware.SameOrigin(), middleware.Compress)
	if p.Loopback {
		site = site.with(middleware.LocalHost(p.Auth.Required))
	}
	small := middleware.Form(maxForm)
	site.get(link.Login, h.account.Form)
	site.post(link.Login, h.account.SignIn, middleware.Form(maxSignIn))

	in := site.with(h.account.Guard)
	streams := in.with(s.streams.Limit(func(c echo.Context) string { return frame.Session(c).ID }), h.account.WhileSignedIn)
	in = in.with(middleware.FormKey(p.Questions.IDs)) // forms that a stream draws can do without: its script sends none twice
	in.post(link.Logout, h.account.SignOut, small)
	in.get(link.Account, h.account.Show)
	in.post(link.Password, h.account.ChangePassword, middleware.Form(maxSignIn))
	in.post(link.Sessions, h.account.EndMine, small)
	in.get(link.Home, h.home.Show)
	in.get(link.Find, h.home.Find)

	in.get(link.Documents, h.document.List)
	in.post(link.Documents, h.document.Add) // Add limits each file as it reads it
	in.get(link.AddedDocuments, h.document.Added)
	in.get(link.Bill, h.document.AskBill)
	in.post(link.Bill, h.document.Bill) // as Add does
	in.post(link.PasteText, h.document.Paste, middleware.Form(min(p.MaxUpload, maxPaste)+maxForm))
	in.post(link.AddFromWeb, h.document.Fetch, small)
	streams.stream(link.DocumentsEvents, h.document.Events)
	in.post(link.ReadAgain, h.document.AllAgain, small)
	in.post(link.RetryFailed, h.document.FailedAgain, small)
	in.post(link.LeaveRereading, h.document.LeaveRest, small)
	in.post(link.ReadHeld, h.document.ReadHeld, small)
	in.post(link.PauseReading, h.document.Pause, small)
	in.post(link.GoOnReading, h.document.GoOn, small)
	in.post("/documents/:id/next", h.document.Next, small)
	in.get(link.Chosen, h.document.AskChosen)
	in.post(link.Chosen, h.document.DoChosen, small)
	in.post(link.Undelete, h.document.Undelete, small)
	in.post(link.Sample, h.document.LoadSample, small)
	in.get("/documents/:id", h.document.Show)
	in.get("/documents/:id/chunks", h.document.Chunks)
	in.get("/documents/:id/cited", h.document.Cited)
	in.get("/documents/:id/original", h.document.Original)
	in.post("/documents/:id/again", h.document.Again, small)
	in.get("/chunks/:id", h.document.Chunk)
	in.post("/documents/:id/tags", h.document.Tag, small)
	in.post("/documents/:id/rename", h.document.Rename, small)
	in.post("/documents/:id/schema", h.document.Guide, small)
	in.get("/documents/:id/versions/:n", h.document.Version)
	in.post("/documents/:id/versions/:n/remove", h.document.RemoveVersion, small)
	in.get("/documents/:id/delete", h.document.AskDelete)
	in.post("/documents/:id/delete", h.document.Delete, small)

	in.get(link.Ask, h.conversation.New)
	in.post(link.Ask, h.conversation.Start, small)
	in.get(link.Themes, h.graph.ListThemes)
	in.get(link.Within, h.conversation.Within)
	in.get(link.CountWithin, h.conversation.CountWithin)
	in.get("/ask/:id", h.conversation.Show)
	in.get("/ask/:id/delete", h.conversation.AskDelete)
	in.post("/ask/:id/delete", h.conversation.Delete, small)
	in.post("/ask/:id/restore", h.conversation.Undelete, small)
	in.post("/ask/:id/rename", h.conversation.Rename, small)
	in.post("/ask/:id/pin", h.conversation.Pin, small)
	in.get("/ask/:id/file/:format", h.conversation.File)
	in.post("/ask/:id/again/:message", h.conversation.Again, small)
	in.post("/ask/:id/judge/:message", h.conversation.Judge, small)
	in.get("/ask/:id/source/:message/:n", h.conversation.Source)
	in.get("/ask/:id/graph/:message", h.conversation.Picture)
	in.get("/ask/:id/methods/:message", h.run.Methods)
	in.post("/ask/:id/methods/:message", h.run.StartMethods, small)
	in.post("/ask/:id/reply/:message", h.conversation.Reply, small)
	in.get("/ask/:id/figures/:message/:figure/source/:n", h.conversation.FigureSource)
	in.get("/ask/:id/figures/:message/:figure/table.csv", h.conversation.FigureCSV)

	in.get(link.Summaries, h.summary.List)
	in.post(link.Summaries, h.summary.Start, small)
	in.get("/summaries/new", h.summary.New)
	in.get("/summaries/:id", h.summary.Show)
	in.post("/summaries/:id/continue", h.summary.Continue, small)
	in.post("/summaries/:id/again", h.summary.Again, small)
	in.get("/summaries/:id/delete", h.summary.AskDelete)
	in.post("/summaries/:id/delete", h.summary.Delete, small)

	in.post(link.Names, frame.SetNames, small)
	in.get(link.Runs, h.run.List)
	in.get("/runs/:id", h.run.Show)
	in.get("/runs/:id/file", h.run.Export)
	in.get("/runs/:id/graph/:format", h.run.Picture)
	in.get(link.Compare, h.run.Compare)
	in.get("/runs/:id/state.json", h.run.State)
	in.get("/runs/:id/changes", h.run.Changes)
	streams.stream("/runs/:id/events", h.run.Events)
	in.post("/runs/:id/stop", h.run.Stop, small)
	in.get("/runs/:id/fork", h.run.Fork)
	in.post("/runs/:id/fork", h.run.StartFork, small)
	in.get("/branches/:id/delete", h.run.AskDeleteBranch)
	in.post("/branches/:id/delete", h.run.DeleteBranch, small)
	in.get("/runs/:id/replay", h.run.Replay)
	in.post("/runs/:id/replay", h.run.StartReplay, small)

	in.get(link.Evaluation, h.evaluation.Show)
	in.post(link.Evaluation, h.evaluation.Start, small)
	in.get(link.KeptQuestions, h.evaluation.Questions)
	in.post(link.KeptQuestions, h.evaluation.Keep, small)
	in.get(link.NewQuestion, h.evaluation.New)
	in.get(link.QuestionsCSV, h.evaluation.CSV)
	in.post(link.ImportQuestions, h.evaluation.Import, middleware.Form(maxQuestions))
	in.get("/evaluation/questions/:id", h.evaluation.Edit)
	in.post("/evaluation/questions/:id/delete", h.evaluation.Drop, small)
	in.post("/evaluation/questions/:id/restore", h.evaluation.Restore, small)
	in.post(link.QuestionSets, h.evaluation.AddSet, small)
	in.post("/evaluation/sets/:id", h.evaluation.RenameSet, small)
	in.post("/evaluation/sets/:id/delete", h.evaluation.DropSet, small)
	in.post("/evaluation/sets/:id/restore", h.evaluation.RestoreSet, small)
	in.get("/evaluation/:id", h.evaluation.One)
	in.post("/evaluation/:id/questions/:n/verdict", h.evaluation.Judge, small)
	in.get("/evaluation/:id/replies.csv", h.evaluation.RepliesCSV)
	in.post("/evaluation/:id/stop", h.evaluation.Stop, small)
	in.post("/evaluation/:id/go-on", h.evaluation.GoOn, small)
	in.post("/evaluation/:id/delete", h.evaluation.Delete, small)

	in.get(link.Graph, h.graph.Show)
	in.get(link.GraphData, h.graph.Data)
	in.get(link.GraphFind, h.graph.Find)
	in.get(link.GraphStated, h.graph.Stated)
	in.get(link.GraphExport, h.graph.Export)
	in.get("/graph/card/:id", h.graph.Card)

	in.get("/entities", h.graph.OldEntities)
	in.get(link.NewEntity, h.curation.AskEntity)
	in.post(link.NewEntity, h.curation.Entity, small)
	in.get(link.MergeEntities, h.curation.AskMergeSeveral)
	in.post(link.MergeEntities, h.curation.MergeSeveral, small)
	in.get(link.NewRelation, h.curation.AskNewRelation)
	in.post(link.NewRelation, h.curation.NewRelation, small)
	in.get("/entities/:id", h.graph.Entity)

	in.get("/entities/:id/rename", h.curation.AskRename)
	in.post("/entities/:id/rename", h.curation.Rename, small)
	in.get("/entities/:id/merge", h.curation.AskMerge)
	in.post("/entities/:id/merge", h.curation.Merge, small)
	in.post("/entities/:id/apart", h.curation.Apart, small)
	in.get("/entities/:id/split", h.curation.AskSplit)
	in.post("/entities/:id/split", h.curation.Split, small)
	in.get("/entities/:id/properties", h.curation.AskProperties)
	in.post("/entities/:id/properties", h.curation.Properties, small)
	in.post("/entities/:id/hide", h.curation.Hide, small)
	in.get("/entities/:id/relations/:relation", h.curation.AskRelation)
	in.post("/entities/:id/relations/:relation", h.curation.Relation, small)
	in.post("/entities/:id/relations/:relation/properties", h.curation.RelationProperty, small)
	in.get(link.Changes, h.curation.Changes)
	in.post("/review/changes/:seq/undo", h.curation.Undo, small)
	in.get("/changes", moved("/changes", link.Changes))

	in.get(link.Schema, h.schema.Show)
	in.get(link.SchemaVersions, h.schema.Versions)
	in.get("/schema/versions/:number", h.schema.Version)
	in.get(link.SchemaYAML, h.schema.YAML)
	in.get(link.SchemaFile, h.schema.File)

	in.get(link.Review, h.curation.Review)
	in.post(link.ReviewWork, h.curation.Work, small)
	in.post(link.ReviewLook, h.curation.Look, small)
	in.post(link.ReviewUndo, h.curation.UndoAll, small)
	in.post("/review/pairs/:id", h.curation.Decide, small)
	in.post("/review/pairs/:id/again", h.curation.TakeUp, small)
	in.get("/review/alike/:pattern", h.curation.Alike)
	in.post("/review/alike/:pattern", h.curation.DecideAlike, small)

	owners := in.with(h.account.Owners)
	owners.post(link.Schema, h.schema.Edit, small)
	owners.post(link.SchemaYAML, h.schema.UseYAML, small)
	owners.post("/schema/versions/:number/restore", h.schema.Restore, small)
	owners.get(link.Settings, h.setting.Show)
	owners.post(link.SetSettings, h.setting.Set, small)
	owners.post(link.UndoSettings, h.setting.Undo, small)
	owners.post(link.TestModel, h.setting.TestConnection, small)
	owners.post(link.ConnectModel, h.setting.Connect, small)
	owners.post(link.TryModel, h.setting.Try, small)
	owners.post(link.OfferedModels, h.setting.Offered, small)
	owners.post(link.ForgetModel, h.setting.Forget, small)
	owners.get(link.Prompts, h.prompt.List)
	owners.get("/settings/prompts/:role", h.prompt.Show)
	owners.post("/settings/prompts/:role", h.prompt.Save, small)
	owners.post("/settings/prompts/:role/restore", h.prompt.Restore, small)
	owners.post("/settings/prompts/:role/try", h.prompt.Try, small)
	owners.get("/prompts", moved("/prompts", link.Prompts))
	owners.get("/prompts/:role", moved("/prompts", link.Prompts))
	owners.get(link.Usage, h.usage.Show)
	owners.get(link.UsageCSV, h.usage.CSV)
	owners.post(link.Caps, h.usage.SetCaps, small)
	owners.get(link.Prices, h.usage.Prices)
	owners.post(link.Prices, h.usage.SetPrice, small)
	owners.get(link.Health, h.health.Show)
	owners.post(link.CheckStores, h.health.Check, small)
	owners.post(link.RebuildStores, h.health.Rebuild, small)
	owners.post(link.Backup, h.health.Backup, small)
	owners.get(link.Accounts, h.account.List)
	owners.post(link.Accounts, h.account.Add, small)
	owners.get("/accounts/:name", h.account.Manage)
	owners.post("/accounts/:name/role", h.account.SetRole, small)
	owners.post("/accounts/:name/password", h.account.SetPassword, small)
	owners.post("/accounts/:name/sessions", h.account.EndSessions, small)
	owners.post("/accounts/:name/remove", h.account.Remove, small)
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
	g.echo.GET(path, h, g.middleware...)
	g.echo.HEAD(path, h, g.middleware...)
}

// stream registers a response that stays open, for GET only.
func (g group) stream(path string, h echo.HandlerFunc) { g.echo.GET(path, h, g.middleware...) }

// post registers the handler of a form.
func (g group) post(path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) {
	g.echo.POST(path, h, slices.Concat(g.middleware, m)...)
}
