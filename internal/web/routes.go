package web

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/auth/signon"
	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/library/studies"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/researches"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/read/source"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/web/account"
	"github.com/clewhq/clew/internal/web/api"
	"github.com/clewhq/clew/internal/web/bearer"
	"github.com/clewhq/clew/internal/web/conversation"
	"github.com/clewhq/clew/internal/web/document"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/graph"
	"github.com/clewhq/clew/internal/web/mcp"
	"github.com/clewhq/clew/internal/web/middleware"
	"github.com/clewhq/clew/internal/web/openai"
	"github.com/clewhq/clew/internal/web/respond"
	runpage "github.com/clewhq/clew/internal/web/run"
	"github.com/clewhq/clew/internal/web/setting"
	"github.com/clewhq/clew/internal/webhooks"
	"github.com/clewhq/clew/internal/workspaces"
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

// maxList is the maximum size in bytes of a file with values of fields.
const maxList = 8 << 20

// maxPaste is the maximum size in bytes of text that is pasted. A form is in memory
// several times while it is read, a file is not.
const maxPaste = 16 << 20

// pace lets 100 MB arrive over the slowest lines, and ends a request that stops
// arriving.
var pace = middleware.Pace{Pause: 30 * time.Second, Rate: 8 << 10}

// routes registers all routes. Static files and the probes are public; everything else but the sign-in page is behind Guard.
func (s *Server) routes(e *echo.Echo, p Params, h handlers) {
	e.Pre(mounted(p.BasePath), inWorkspace(p.Workspaces))
	all := probes(e, p)
	all.trail = newRecorder(p.Trail, p.Operations)
	if p.Metrics != nil {
		all.with(bearer.Guard(p.Auth, s.rates, p.Recheck), forMetrics).get("/metrics", echo.WrapHandler(p.Metrics))
	}

	rest := s.programs(all, p, h.reports)
	site := all.with(middleware.SameOrigin(), middleware.Compress, frame.Speak)
	if p.Loopback {
		site = site.with(middleware.LocalHost(p.Auth.Required))
	}
	var known []Page
	site.pages = &known
	in := site.with(h.account.Guard, h.account.FirstDay, offered(e, &known))
	pages(areas{
		site: site, in: in.with(middleware.FormKey(p.Questions.IDs)), // forms drawn by a stream don't need it: its script sends none twice
		streams: in.with(s.streams.Limit(func(c echo.Context) string { return frame.Session(c).ID }), h.account.WhileSignedIn),
	}, p, h)
	in.get(link.Reference, h.account.Reference(sync.OnceValue(rest.Reference)))
}

// probes registers what every request passes, static files and the probes.
func probes(e *echo.Echo, p Params) group {
	e.Use(middleware.Log(p.Log, p.Now), middleware.Watched(p.Watch), middleware.Recover, middleware.Client(p.Proxies, p.PublicURL), middleware.Headers,
		middleware.Body(pace), middleware.Query(questions.MaxQuestion))
	all := group{echo: e}
	all.get("/static/*", echo.WrapHandler(static.Handler()))
	alive := echo.WrapHandler(http.HandlerFunc(Alive))
	all.get(link.Alive, alive)
	all.get("/livez", alive)
	all.get("/readyz", echo.WrapHandler(Ready(p.Probed)))
	return all
}

// forMetrics passes requests of tokens that may read figures.
func forMetrics(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := auth.Allow(c.Request().Context(), operation.Metrics); err != nil {
			return err
		}
		return next(c)
	}
}

// Alive answers that the process serves.
func Alive(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") }

// Ready returns the handler that reports whether a process can do its work.
func Ready(p Probed) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := p.Ready(r.Context()); err != nil {
			http.Error(w, domain.InWords(err), http.StatusServiceUnavailable)
			return
		}
		Alive(w, r)
	}
}

// ofBrowsers is why programs can't send some forms.
const ofBrowsers = "It is about a person's browser. Programs have tokens."

// areas are groups of pages: for everybody, for those who are signed in, and streams for these.
type areas struct{ site, in, streams group }

// pages registers the pages, and names the operations that each shows or carries out. Package link builds their addresses,
// here with the names of parameters in place of ids.
func pages(to areas, p Params, h handlers) { //nolint:funlen // one list, to be read from top to bottom
	site, in, streams := to.site, to.in, to.streams
	in.role, streams.role = domain.Reader, domain.Reader
	contributors, curators, admins, owners := in.from(domain.Contributor), in.from(domain.Curator), in.from(domain.Admin), in.from(domain.Owner)
	site.get(link.Login, h.account.Form)
	browser := in.alone(ofBrowsers)
	site.alone(ofBrowsers).upTo(maxSignIn, link.Login, h.account.SignIn)
	door := site.alone(ofBrowsers)
	door.get(link.Code, h.account.CodeForm)
	door.upTo(maxSignIn, link.Code, h.account.Code)
	door.get(link.Join(":secret"), h.account.Invited)
	door.upTo(maxSignIn, link.Join(":secret"), h.account.Join)
	door.get(link.Reset(":secret"), h.account.ResetForm)
	door.upTo(maxSignIn, link.Reset(":secret"), h.account.Reset)
	door.get(link.Setup, h.account.Setup)
	door.upTo(maxSignIn, link.Setup, h.account.SetUp)
	site.alone("It keeps the first page from asking. Programs are not asked.").post(link.Alone, h.account.StayAlone)
	browser.post(link.Logout, h.account.SignOut)
	in.get(link.SecondStep, h.account.Codes)
	browser.post(link.SecondStep, h.account.BeginCodes)
	browser.post(link.ConfirmStep, h.account.ConfirmCodes)
	browser.post(link.StopStep, h.account.StopCodes)
	in.get(link.Account, h.account.Show)
	browser.upTo(maxSignIn, link.Password, h.account.ChangePassword)
	browser.post(link.Sessions, h.account.EndMine)
	in.form(link.Language, account.Language(p.Auth))
	site.get(link.SignOn, h.account.BeginSignOn)
	site.get(link.SignOnCallback, h.account.FinishSignOn)
	site.get(link.SignedOut, h.account.SignedOut)
	browser.post(link.SignOnLink, h.account.Link)
	browser.post(link.SignOnUnlink, h.account.UnlinkMine)
	in.get(link.Tokens, h.account.Tokens, "token list", "token show")
	in.form(link.Tokens, frame.Mine(p.Auth, auth.MakeToken, h.account.TokenMade))
	in.form(link.RevokeToken(":id"), frame.Mine(p.Auth, auth.RevokeToken, frame.Done(account.TokenRevoked)))
	in.get(link.Home, h.home.Show, "suggest")
	in.get(link.Find, h.home.Find)

	in.get(link.Documents, h.document.List, "documents list", "documents reading")
	contributors.upload(link.Documents, h.document.Add, "ingest") // Add limits each file as it reads it
	in.get(link.AddedDocuments, h.document.Added)
	in.get(link.Bill, h.document.AskBill)
	in.upload(link.Bill, h.document.Bill, "documents estimate", "documents preview") // like Add
	contributors.upTo(min(p.MaxUpload, maxPaste)+maxForm, link.PasteText, h.document.Paste, "ingest")
	contributors.form(link.AddFromWeb, frame.Do(crawl.Desk{Service: p.Crawl, Schemas: p.Schemas, Documents: p.Documents}, crawl.Fetch, frame.Done(document.Fetched)))
	streams.stream(link.DocumentsEvents, h.document.Events)
	contributors.post(link.ReadAgain, h.document.AllAgain, "model again")
	contributors.post(link.RetryFailed, h.document.FailedAgain, "documents retry")
	contributors.post(link.LeaveRereading, h.document.LeaveRest, "documents retry")
	contributors.post(link.ReadHeld, h.document.ReadHeld, "documents go-on")
	contributors.post(link.PauseReading, h.document.Pause, "documents pause")
	contributors.post(link.GoOnReading, h.document.GoOn, "documents go-on")
	contributors.post(link.ReadNext(":id"), h.document.Next, "documents first")
	in.get(link.Chosen, h.document.AskChosen)
	contributors.post(link.Chosen, h.document.DoChosen, "documents delete", "documents tag", "documents set", "documents retry", "documents first", "documents pause", "documents go-on", "documents stop", "documents limit", "documents unlimit")
	curators.alone("Programs delete for good: clew asks first, and a program can ask for the question.").post(link.Undelete, h.document.Undelete)
	contributors.post(link.Sample, h.document.LoadSample, "ingest")
	in.get(link.Document(":id"), h.document.Show, "documents show", "documents text", "documents versions list", "documents dropped", "documents guided", "documents readers")
	in.get(link.Chunks(":id"), h.document.Chunks, "documents passages")
	in.get(link.Tables(":id"), h.document.Tables, "documents tables")
	in.get(link.Pictures(":id"), h.document.Pictures, "documents pictures")
	in.get(link.AnyPictureFile, h.document.Picture)
	in.get(link.Cited(":id"), h.document.Cited)
	in.get(link.Original(":id"), h.document.Original, "documents original")
	contributors.post(link.RetryDocument(":id"), h.document.Again, "documents retry")
	in.get(link.Chunk(":id"), h.document.Chunk, "documents passage")
	contributors.post(link.TagDocument(":id"), h.document.Tag, "documents tag")
	contributors.post(link.RenameDocument(":id"), h.document.Rename, "documents rename")
	admins.get(link.LimitedDocuments, h.document.Limited, "documents limited")
	contributors.form(link.LimitDocument(":id"), frame.Do(p.Documents, documents.Limit, frame.Done(h.document.ReadersChanged)))
	contributors.form(link.UnlimitDocument(":id"), frame.Do(p.Documents, documents.Unlimit, frame.Done(h.document.ReadersChanged)))
	contributors.post(link.GuideDocument(":id"), h.document.Guide, "documents schema")
	in.get(link.AnyVersion, h.document.Version, "documents versions diff")
	curators.post(link.RemoveAnyVersion, h.document.RemoveVersion, "documents versions remove")
	curators.get(link.DeleteDocument(":id"), h.document.AskDelete)
	curators.post(link.DeleteDocument(":id"), h.document.Delete, "documents delete")

	in.get(link.Ask, h.conversation.New, "conversations list")
	in.post(link.Ask, h.conversation.Start, "ask", "search", "entities count")
	in.get(link.Themes, h.graph.ListThemes, "themes")
	in.get(link.Timeline, h.document.Timeline, "timeline")
	in.get(link.Within, h.conversation.Within)
	in.get(link.CountWithin, h.conversation.CountWithin)
	in.get(link.Conversation(":id"), h.conversation.Show, "conversations show", "run answer", "run branches")
	in.get(link.DeleteConversation(":id"), h.conversation.AskDelete)
	in.post(link.DeleteConversation(":id"), h.conversation.Delete, "conversations delete")
	in.post(link.RestoreConversation(":id"), h.conversation.Undelete, "conversations restore")
	in.post(link.RenameConversation(":id"), h.conversation.Rename, "conversations rename")
	in.post(link.PinConversation(":id"), h.conversation.Pin, "conversations pin", "conversations unpin")
	in.form(link.ShareConversation(":id"), frame.Back(p.Questions, questions.Share, link.With(link.Conversation(":id"), "done", "shared")))
	in.form(link.ShareAnswer(":id"), frame.Back(p.Questions, questions.ShareAnswer, link.With(link.Conversations, "done", "answer-shared")+"#shared"))
	in.form(link.UnshareConversation(":id"), frame.Back(p.Questions, questions.Unshare, link.With(link.Conversation(":id"), "done", "unshared")))
	in.post(link.CopyConversation(":id"), h.conversation.Copy, "conversations copy", "ask")
	in.get(link.Conversations, h.conversation.All, "conversations list", "conversations shared", "conversations folders list")
	in.form(link.MoveConversations, frame.Back(p.Questions, questions.Move, link.Conversations))
	admins.form(link.ClearConversations, frame.Back(p.Questions, questions.Clear, link.With(link.Conversations, "done", "cleared")), "conversations makers")
	in.form(link.Folders, frame.Do(p.Questions, questions.AddFolder, h.conversation.FolderMade))
	in.form(link.RenameFolder(":id"), frame.Do(p.Questions, questions.RenameFolder, h.conversation.FolderMade))
	in.form(link.DeleteFolder(":id"), frame.Back(p.Questions, questions.DeleteFolder, link.Conversations))
	in.get(link.ConversationFile(":id", ":format"), h.conversation.File)
	in.post(link.AskAgain(":id", ":message"), h.conversation.Again, "ask")
	in.post(link.SearchWeb(":id"), h.conversation.SearchWeb, "run web")
	in.post(link.Judge(":id", ":message"), h.conversation.Judge, "conversations judge")
	in.get(link.AnySource, h.conversation.Source)
	in.get(link.AnswerGraph(":id", ":message"), h.conversation.Picture)
	in.get(link.Methods(":id", ":message"), h.run.Methods, "run methods last")
	in.post(link.Methods(":id", ":message"), h.run.StartMethods, "run methods")
	in.post(link.Reply(":id", ":message"), h.conversation.Reply, "run continue")
	in.get(link.AnyFigureSource, h.conversation.FigureSource)
	in.get(link.FigureCSV(":id", ":message", ":figure"), h.conversation.FigureCSV)

	in.get(link.Researches, h.research.List, "research list", "research estimate")
	in.post(link.Researches, h.research.Start, "research")
	in.get(link.Research(":id"), h.research.Show, "research show")
	in.get(link.ResearchFile(":id", ":format"), h.research.File, "research export")
	in.post(link.ContinueResearch(":id"), h.research.Continue, "research continue")
	in.get(link.Delete(link.Research(":id")), h.research.AskDelete)
	in.form(link.Delete(link.Research(":id")), frame.Back(researches.Desk{Service: p.Researches}, researches.Delete, link.With(link.Researches, "done", "research")))

	sets := studies.Desk{Service: p.Studies, Documents: p.Documents}
	in.get(link.Study, h.study.List, "study list")
	contributors.post(link.Study, h.study.Start, "study")
	in.get(link.StudySet(":id"), h.study.Show, "study show")
	in.get(link.StudyFile(":id", ":format"), h.study.File, "study export")
	contributors.form(link.StudyAgain(":id"), frame.Do(sets, studies.Again, frame.Done(conversation.StudyOpened)))
	contributors.form(link.RemoveItem(":id", ":item"), frame.Do(sets, studies.Remove, frame.Done(conversation.StudyOpened)))
	contributors.form(link.RestoreItem(":id", ":item"), frame.Do(sets, studies.Restore, frame.Done(conversation.StudyOpened)))
	contributors.get(link.Delete(link.StudySet(":id")), h.study.AskDelete)
	contributors.form(link.Delete(link.StudySet(":id")), frame.Back(sets, studies.Delete, link.With(link.Study, "done", "study")))

	desk := summaries.Desk{Service: p.Summaries, Documents: p.Documents}
	in.get(link.Summaries, h.summary.List, "summaries list")
	contributors.post(link.Summaries, h.summary.Start, "summarize")
	contributors.get(link.NewSummary(), h.summary.New)
	in.get(link.Summary(":id"), h.summary.Show, "summaries show")
	contributors.form(link.ContinueSummary(":id"), frame.Do(desk, summaries.Continue, frame.Done(conversation.SummaryOpened)))
	contributors.form(link.SummariseAgain(":id"), frame.Do(desk, summaries.Again, frame.Done(conversation.SummaryOpened)))
	contributors.get(link.DeleteSummary(":id"), h.summary.AskDelete)
	contributors.form(link.DeleteSummary(":id"), frame.Back(desk, summaries.Delete, link.With(link.Summaries, "done", "summary")))

	browser.post(link.Names, frame.SetNames)
	in.get(link.Runs, h.run.List, "run list")
	in.get(link.Run(":id"), h.run.Show, "run show")
	in.get(link.RunFile(":id"), h.run.Export, "run export")
	in.get(link.RunPicture(":id", ":format", 0), h.run.Picture)
	in.get(link.Compare, h.run.Compare, "run compare")
	in.get(link.RunState(":id", 0), h.run.State, "run state")
	in.get(link.RunChanges(":id", 0), h.run.Changes)
	streams.stream(link.RunEvents(":id", 0), h.run.Events)
	in.form(link.StopRun(":id"), frame.Do(run.Desk{Queue: p.Queue, Kinds: p.Kinds, Access: p.Auth}, run.Stopping, frame.Done(runpage.Stopped)))
	in.get(link.Fork(":id", 0), h.run.Fork)
	in.post(link.Fork(":id", 0), h.run.StartFork, "run fork")
	in.get(link.DeleteBranch(":id"), h.run.AskDeleteBranch)
	in.post(link.DeleteBranch(":id"), h.run.DeleteBranch, "run delete")
	in.get(link.Replay(":id"), h.run.Replay, "run replayed")
	in.post(link.Replay(":id"), h.run.StartReplay, "run replay")

	in.get(link.Evaluation, h.evaluation.Show, "eval questions history", "eval questions compare")
	curators.post(link.Evaluation, h.evaluation.Start, "eval questions run")
	in.get(link.KeptQuestions, h.evaluation.Questions, "eval questions list", "eval questions sets", "conversations feedback")
	curators.post(link.KeptQuestions, h.evaluation.Keep, "eval questions add", "eval questions change")
	curators.get(link.NewQuestion, h.evaluation.New)
	in.get(link.QuestionsCSV, h.evaluation.CSV, "eval questions export")
	curators.upTo(maxQuestions, link.ImportQuestions, h.evaluation.Import, "eval questions import")
	curators.get(link.KeptQuestion(":id"), h.evaluation.Edit)
	curators.post(link.Delete(link.KeptQuestion(":id")), h.evaluation.Drop, "eval questions delete")
	curators.post(link.Restore(link.KeptQuestion(":id")), h.evaluation.Restore, "eval questions restore")
	curators.post(link.QuestionSets, h.evaluation.AddSet, "eval questions sets add")
	curators.post(link.QuestionSet(":id"), h.evaluation.RenameSet, "eval questions sets rename")
	curators.post(link.Delete(link.QuestionSet(":id")), h.evaluation.DropSet, "eval questions sets delete")
	curators.post(link.Restore(link.QuestionSet(":id")), h.evaluation.RestoreSet, "eval questions sets restore")
	in.get(link.OneEvaluation(":id"), h.evaluation.One, "eval questions show")
	curators.post(link.AnyVerdict, h.evaluation.Judge, "eval questions verdict")
	in.get(link.RepliesCSV(":id"), h.evaluation.RepliesCSV)
	curators.post(link.StopEvaluation(":id"), h.evaluation.Stop, "eval questions stop")
	curators.post(link.GoOnEvaluating(":id"), h.evaluation.GoOn, "eval questions go-on")
	curators.post(link.Delete(link.OneEvaluation(":id")), h.evaluation.Delete, "eval questions remove")

	in.get(link.Graph, h.graph.Show, "entities list", "entities near", "entities path")
	in.get(link.GraphData, h.graph.Data)
	in.get(link.GraphFind, h.graph.Find)
	in.get(link.GraphStated, h.graph.Stated)
	in.get(link.GraphExport, h.graph.Export, "entities export")
	in.get(link.GraphCard+":id", h.graph.Card)

	in.get(link.OldEntities, h.graph.OldEntities)
	again := graph.Changed
	curators.get(link.NewEntity, graph.Asked(h.graph.AskEntity))
	curators.form(link.NewEntity, frame.Do(p.Curator, curate.Create, again(h.graph.AskEntity, graph.Marked)))
	curators.get(link.MergeEntities, h.graph.AskMergeSeveral)
	curators.form(link.MergeEntities, frame.Do(p.Curator, curate.Merge, again(h.graph.MergeAgain, graph.Merged)))
	curators.get(link.NewRelation, graph.Asked(h.graph.AskNewRelation))
	curators.post(link.NewRelation, h.graph.NewRelation, "entities relate")
	in.get(link.Entity(":id"), h.graph.Entity, "entities show")

	curators.get(link.RenameEntity(":id"), graph.Asked(h.graph.AskRename))
	curators.post(link.RenameEntity(":id"), h.graph.Rename, "entities rename", "entities relabel")
	curators.get(link.MergeEntity(":id"), h.graph.AskMerge)
	curators.form(link.KeepApart(":id"), frame.Do(p.Curator, curate.Apart, again(nil, graph.Opened)))
	curators.get(link.SplitEntity(":id"), graph.Asked(h.graph.AskSplit))
	curators.form(link.SplitEntity(":id"), frame.Do(p.Curator, curate.Split, again(h.graph.AskSplit, h.graph.Made)))
	curators.get(link.Properties(":id"), graph.Asked(h.graph.AskProperties))
	curators.post(link.Properties(":id"), h.graph.Properties, "entities set", "entities unset")
	curators.form(link.HideEntity(":id"), frame.Do(p.Curator, curate.Delete, again(nil, graph.Left)))
	curators.get(link.Relation(":id", ":relation"), graph.Asked(h.graph.AskRelation))
	curators.form(link.Relation(":id", ":relation"), frame.Do(p.Curator, curate.Retype, again(h.graph.AskRelation, graph.Opened)))
	curators.post(link.RelationProperty(":id", ":relation"), h.graph.Properties, "entities set", "entities unset")
	in.get(link.Changes, h.graph.Changes, "changes list")
	curators.form(link.UndoAnyChange, frame.Do(p.Curator, curate.Undo, again(nil, h.graph.Undone)))
	in.get("/changes", moved("/changes", link.Changes))

	in.get(link.Fields, h.document.Fields, "fields list", "fields properties")
	curators.form(link.Fields, frame.Do(documents.Tagger{Service: p.Documents, Curator: p.Curator}, documents.DefineField, h.document.FieldChanged))
	in.form(link.Columns, frame.Mine(documents.Tagger{Service: p.Documents, Curator: p.Curator}, documents.ChooseColumns, frame.Done(document.ColumnsChosen)))
	contributors.upTo(2*maxList+maxForm, link.ImportValues, h.document.ImportValues, "fields import", "fields preview")
	in.get(link.ExportValues, h.document.ExportValues, "fields export")
	curators.post(link.Field(":id"), h.document.AlterField, "fields change")
	curators.form(link.Delete(link.Field(":id")), frame.Do(documents.Tagger{Service: p.Documents, Curator: p.Curator}, documents.DeleteField, h.document.FieldChanged))
	contributors.post(link.SetFields(":id"), h.document.SetFields, "documents set")

	in.get(link.Sources, h.source.List, "source list")
	admins.post(link.Sources, h.source.Add, "source add")
	admins.get(link.NewSource, h.source.New)
	admins.post(link.NewSource, h.source.Preview, "source preview")
	in.get(link.Followed(":id"), h.source.Show, "source show")
	admins.post(link.Followed(":id"), h.source.Alter, "source edit")
	contributors.form(link.LookAt(":id"), frame.Do(p.Sources, source.LookNow, h.source.Looked))
	admins.form(link.PauseSource(":id"), frame.Do(p.Sources, source.Pause, h.source.Changed))
	admins.form(link.ResumeSource(":id"), frame.Do(p.Sources, source.Resume, h.source.Changed))
	admins.form(link.UnlockSource(":id"), frame.Do(p.Sources, source.Unlock, h.source.Changed))
	curators.form(link.SettleSource(":id"), frame.Do(p.Sources, source.Decide, h.source.Decided))
	admins.form(link.Delete(link.Followed(":id")), frame.Do(p.Sources, source.Remove, frame.Done(h.source.Removed)))

	in.get(link.Schema, h.schema.Show, "schema show", "schema fields", "schema scopes", "schema templates")
	in.get(link.SchemaVersions, h.schema.Versions, "schema list", "schema diff")
	in.get(link.AnySchemaVersion, h.schema.Version, "schema diff")
	in.get(link.SchemaYAML, h.schema.YAML)
	in.get(link.SchemaFile, h.schema.File, "schema export")

	in.get(link.Review, h.graph.Review, "entities proposals", "entities worklist")
	curators.post(link.ReviewWork, h.graph.Work, "entities delete", "entities relabel", "entities set", "entities succeed")
	curators.post(link.ReviewLook, h.graph.Look, "entities resolve")
	curators.post(link.ReviewUndo, h.graph.UndoAll, "changes undo")
	curators.post(link.DecidePair(":id"), h.graph.Decide, "entities accept", "entities reject", "entities never", "entities later")
	curators.form(link.TakeUp(":id"), frame.Back(p.Proposals, proposals.TakeUp, link.Pair(":id")))
	in.get(link.Alike(":pattern"), h.graph.Alike)
	curators.post(link.Alike(":pattern"), h.graph.DecideAlike, "entities accept", "entities reject", "entities never", "entities later")

	curators.post(link.Schema, h.schema.Edit, "schema set", "schema use", "schema clear", "schema propose", "schema try", "schema allow", "schema apply")
	curators.post(link.SchemaYAML, h.schema.UseYAML, "schema try") // it only makes a draft
	curators.post(link.RestoreAnySchema, h.schema.Restore, "schema restore")
	owners.get(link.Settings, h.setting.Show, "settings", "model list")
	owners.post(link.SetSettings, h.setting.Set, "settings set", "settings reset")
	owners.post(link.UndoSettings, h.setting.Undo, "settings undo")
	owners.post(link.TestModel, h.setting.TestConnection, "model test")
	owners.post(link.ConnectModel, h.setting.Connect, "model connect")
	owners.post(link.TryModel, h.setting.Try, "model test")
	owners.post(link.OfferedModels, h.setting.Offered, "model offered")
	owners.post(link.ForgetModel, h.setting.Forget, "model forget")
	curators.get(link.Prompts, h.prompt.List, "prompts list")
	curators.get(link.Prompt(":role"), h.prompt.Show, "prompts show", "prompts versions", "prompts diff")
	curators.post(link.Prompt(":role"), h.prompt.Save, "prompts set")
	curators.post(link.RestorePrompt(":role"), h.prompt.Restore, "prompts reset")
	curators.post(link.TryPrompt(":role"), h.prompt.Try, "prompts try")
	curators.get("/prompts", moved("/prompts", link.Prompts))
	curators.get("/prompts/:role", moved("/prompts", link.Prompts))
	admins.get(link.Usage, h.usage.Show, "usage", "usage runs", "usage workspaces")
	admins.get(link.UsageCSV, h.usage.CSV)
	admins.post(link.Caps, h.usage.SetCaps, "usage caps")
	admins.get(link.Prices, h.usage.Prices, "prices")
	owners.post(link.Prices, h.usage.SetPrice, "prices set")
	admins.get(link.Audit, h.audit.Show, "audit list", "retention")
	admins.get(link.AuditExport, h.audit.Export, "audit export")
	owners.get(link.Health, h.health.Show, "doctor", "fsck last")
	owners.post(link.CheckStores, h.health.Check, "fsck")
	owners.post(link.RebuildStores, h.health.Rebuild, "rebuild")
	owners.post(link.Backup, h.health.Backup, "backup")
	admins.get(link.Webhooks, h.webhook.List, "webhook list")
	admins.form(link.Webhooks, frame.Do(p.Webhooks, webhooks.Add, h.webhook.Added))
	admins.get(link.Webhook(":id"), h.webhook.Show, "webhook deliveries")
	admins.form(link.TryWebhook(":id"), frame.Back(p.Webhooks, webhooks.Try, link.With(link.Webhook(":id"), "done", "told")))
	admins.form(link.Delete(link.Webhook(":id")), frame.Back(p.Webhooks, webhooks.Remove, link.With(link.Webhooks, "done", "unhooked")))
	admins.form(link.SendAgain(":delivery"), frame.Do(p.Webhooks, webhooks.Again, frame.Done(setting.SentAgain)))
	owners.get(link.SignOnSettings, h.account.SignOns, "sign-on show", "sign-on list", "sign-on roles")
	owners.form(link.SignOnSettings, frame.Do(p.SignOn, signon.Linking, h.account.Linked))
	owners.form(link.SignOnUnlinkOf, frame.Back(p.SignOn, signon.Unlinking, link.With(link.SignOnSettings, "done", "unlinked")))
	in.get(link.Workspaces, h.workspaces.List, "workspace list")
	owners.form(link.Workspaces, frame.Do(p.Workspaces, workspaces.Add, h.workspaces.Added))
	owners.upTo(p.MaxUpload+maxForm, link.ImportWorkspace, h.workspaces.Import, "restore")
	owners.form(link.WorkspaceOf(":name"), frame.Do(p.Workspaces, workspaces.Rename, h.workspaces.Renamed))
	owners.form(link.ArchiveWorkspace(":name"), frame.Do(p.Workspaces, workspaces.Archive, frame.Done(h.workspaces.Archived)))
	owners.form(link.Delete(link.WorkspaceOf(":name")), frame.Do(p.Workspaces, workspaces.Delete, frame.Done(h.workspaces.Deleted)))
	owners.form(link.Restore(link.WorkspaceOf(":name")), frame.Back(p.Workspaces, workspaces.Restore, link.Workspaces))
	admins.get(link.People, h.account.People, "member list")
	admins.form(link.People, frame.Do(p.Auth, auth.AddMember, h.account.MemberAdded))
	admins.form(link.MemberRole(":name"), frame.Do(p.Auth, auth.ChangeMember, frame.Done(account.MemberChanged)))
	admins.form(link.Delete(link.Member(":name")), frame.Do(p.Auth, auth.RemoveMember, frame.Done(h.account.MemberRemoved)))
	admins.form(link.Restore(link.Member(":name")), frame.Back(p.Auth, auth.RestoreMember, link.With(link.People, "done", "member-back")))
	owners.get(link.Accounts, h.account.List, "user list")
	owners.post(link.Accounts, h.account.Add, "user add")
	owners.get(link.ManageAccount(":name"), h.account.Manage)
	owners.form(link.SetRole(":name"), frame.Do(p.Auth, auth.RoleChange, frame.Done(account.RoleChanged)))
	owners.form(link.SetPassword(":name"), frame.Back(p.Auth, auth.PasswordChange, link.With(link.ManageAccount(":name"), "done", "password")))
	admins.post(link.EndSessions(":name"), h.account.EndSessions, "user sign-out")
	admins.form(link.MakeReset(":name"), frame.Do(p.Auth, auth.Reset, frame.Done(h.account.ResetMade)))
	owners.form(link.StopCodes(":name"), frame.Back(p.Auth, auth.TOTPOff, link.With(link.ManageAccount(":name"), "done", "codes-off")))
	admins.get(link.Invitations, h.account.Invitations, "invitation list")
	admins.form(link.Invitations, frame.Do(p.Auth, auth.MakeInvitation, h.account.InvitationMade))
	admins.form(link.RevokeInvitation(":id"), frame.Back(p.Auth, auth.RevokeInvitation, link.With(link.Invitations, "done", "uninvited")))
	owners.form(link.RemoveAccount(":name"), frame.Back(p.Auth, auth.Removal, link.With(link.Accounts, "done", "removed")))
	owners.post(link.SetGroups(":name"), h.account.SetGroups, "user groups")
}

// programs registers what programs use with a token, and returns the API. It needs no protection against other sites: these have no token.
func (s *Server) programs(all group, p Params, reports *report.Runs) *api.API {
	all = all.with(s.whileOpen)
	described := all.with(middleware.Compress)
	guard := bearer.Guard(p.Auth, s.rates, p.Recheck)
	programs := described.with(guard)
	rest := api.New(p.Operations, p.Version, p.BasePath)
	asker := questions.Asker{Service: p.Questions, Reports: reports}
	answers := api.NewStreams(rest, asker, p.Documents)
	plain := all.with(guard, middleware.Limit(maxForm))
	live := plain.with(s.streams.Limit(nobody))
	live.add(http.MethodPost, api.Root+api.AskStream, answers.Ask)
	live.add(http.MethodGet, api.Root+api.RunEvents, answers.Events)
	live.add(http.MethodGet, api.Root+api.DocumentEvents, answers.Document)
	described.get(api.Root+"/openapi.json", rest.Document)
	described.get(api.Root+"/openapi.yaml", rest.DocumentYAML)
	described.get(api.Root+"/openapi-3.0.json", rest.OldDocument)
	models := mcp.New(p.Operations, asker, p.Version)
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		plain.add(method, mcp.Path, models.Handler())
	}
	chats := &openai.Service{Asker: asker, Now: p.Now}
	plain.add(http.MethodGet, openai.Root+"/models", chats.Models)
	plain.add(http.MethodGet, openai.Root+"/models/*", chats.Model)
	plain.add(http.MethodPost, openai.Root+"/chat/completions", chats.Complete)
	plain.add(http.MethodPost, openai.DifyPath, chats.Retrieve)
	all.get("/.well-known/oauth-protected-resource"+mcp.Path, mcp.Metadata)
	repeats := api.Repeats(p.Ledger.AccountStore, p.Process, cmp.Or[sqlio.Wire](p.Wire, sqlio.Unwired{}), p.Now)
	rest.Routes(func(method, path string, files bool, h echo.HandlerFunc) {
		limit := int64(maxForm)
		if files {
			limit = p.MaxUpload + maxForm
		}
		programs.with(middleware.Limit(limit), repeats).add(method, path, h)
	})
	return rest
}

// nobody is the session of programs: they may follow as many runs as the server serves streams.
func nobody(echo.Context) string { return "" }

// whileOpen ends requests that wait for answers when the server stops.
func (s *Server) whileOpen(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		ctx, end := context.WithCancel(r.Context())
		defer end()
		defer context.AfterFunc(s.open, end)()
		c.SetRequest(r.WithContext(ctx))
		return next(c)
	}
}

// errorForms returns the handler of errors below the paths that programs use. Unknown addresses are answered in the
// same way, and therefore paths decide and not routes. No path is below another.
func errorForms() map[string]func(echo.Context, error) error {
	return map[string]func(echo.Context, error) error{api.Root + "/": api.Fail, openai.Root + "/": openai.Fail, openai.DifyPath: respond.Fail, mcp.Path: respond.Fail, "/metrics": respond.Fail}
}

// moved redirects the addresses below one to the same below another.
func moved(from, to string) echo.HandlerFunc {
	return func(c echo.Context) error {
		at := *c.Request().URL
		at.Path, at.RawPath = to+strings.TrimPrefix(at.Path, from), ""
		return c.Redirect(http.StatusPermanentRedirect, link.At(c.Request().Context(), at.RequestURI()))
	}
}

// A group registers routes with the same middleware. echo's own groups answer an
// unsupported method with 404 instead of 405.
type group struct {
	echo       *echo.Echo
	pages      *[]Page // registered so far; nil keeps none
	middleware []echo.MiddlewareFunc
	why        string      // why its forms carry out no operation
	role       domain.Role // the lowest one admitted; "" if nobody has to sign in
	trail      *recorder   // nil records nothing
}

// with returns a group with additional middleware.
func (g group) with(m ...echo.MiddlewareFunc) group {
	g.middleware = slices.Concat(g.middleware, m)
	return g
}

// from returns a group that refuses roles below one.
func (g group) from(role domain.Role) group {
	g = g.with(atLeast(role))
	g.role = role
	return g
}

// alone returns a group of forms that carry out no operation, for a reason.
func (g group) alone(why string) group {
	g.why = why
	return g
}

// get registers a page for GET and HEAD, with the operations that it shows.
func (g group) get(path string, h echo.HandlerFunc, shows ...string) {
	g.add(http.MethodGet, path, h, shows...)
	g.pages = nil
	g.add(http.MethodHead, path, h)
}

// stream registers a response that stays open, for GET only.
func (g group) stream(path string, h echo.HandlerFunc) { g.add(http.MethodGet, path, h) }

// form registers the handler of a form that carries out an operation, and names others that it shows.
func (g group) form(path string, f frame.Form, also ...string) {
	g.post(path, f.Handle, slices.Concat([]string{f.Operation}, also)...)
}

// post registers the handler of a form of at most maxForm bytes.
func (g group) post(path string, h echo.HandlerFunc, does ...string) {
	g.upTo(maxForm, path, h, does...)
}

// upTo registers the handler of a form with a limit on its size.
func (g group) upTo(bytes int64, path string, h echo.HandlerFunc, does ...string) {
	g.with(middleware.Form(bytes)).upload(path, h, does...)
}

// upload registers the handler of a form that limits the files in it itself.
func (g group) upload(path string, h echo.HandlerFunc, does ...string) {
	g.add(http.MethodPost, path, h, does...)
}

// add registers a handler for an address of package link, of which the query does not count.
func (g group) add(method, address string, h echo.HandlerFunc, operations ...string) {
	path, _, _ := strings.Cut(address, "?")
	middleware := g.middleware
	if g.trail != nil {
		middleware = append([]echo.MiddlewareFunc{g.trail.route(method, operations)}, middleware...)
	}
	g.echo.Add(method, path, h, middleware...)
	if g.pages != nil {
		*g.pages = append(*g.pages, Page{method, path, operations, g.why, g.role})
	}
}
