// Package conversation serves questions and answers: a conversation with its live trace, new
// questions, and the sources of an answer; and summaries, which are made by a run in the same way.
package conversation

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/suggest"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// maxListed is the most conversations the page lists.
const maxListed = 50

// suggested is how many questions the page of a new conversation suggests.
const suggested = 4

// Handler serves conversations. All fields are required but Ticked.
type Handler struct {
	Frame     frame.Frame
	Ledger    *ledger.Ledger
	Ask       *questions.Service
	Runs      *report.Runs
	Documents *present.Documents
	Sample    *present.Sample
	Suggest   *suggest.Service
	Explore   explore.Reader
	Items     func(ctx context.Context, m ledger.Answer, all []ledger.Answer, shown domain.RunID) []partial.BranchItem // the runs about a message, original first
	Ticked    questions.Options                                                                                        // for a new question

}

// New serves the page for a new conversation, with the query parameter q as the
// question.
func (h *Handler) New(c echo.Context) error {
	if searches(c) {
		return h.found(c, "")
	}
	scope, err := h.Ask.Scope(c.Request().Context(), request.Workspace(c), c.QueryParams()["within"])
	if err != nil {
		return err
	}
	p := page.AskProps{Question: c.QueryParam("q")}
	p.Waits = p.Question != "" && c.QueryParam("when") == "read"
	if p.Within, err = h.scope(c, scope); err != nil {
		return err
	}
	return h.show(c, http.StatusOK, p)
}

// Show serves a conversation. It fails with kind NotFound for an unknown one.
func (h *Handler) Show(c echo.Context) error {
	if searches(c) {
		return h.found(c, domain.ConversationID(c.Param("id")))
	}
	if newest := c.QueryParam("newest"); newest != "" && respond.Fragment(c) {
		return h.newer(c, domain.RunID(newest))
	}
	return h.show(c, http.StatusOK, page.AskProps{Conversation: domain.ConversationID(c.Param("id"))})
}

// newer tells a page whether its conversation has continued elsewhere since its newest run.
func (h *Handler) newer(c echo.Context, known domain.RunID) error {
	id := domain.ConversationID(c.Param("id"))
	tree, err := h.tree(c, id)
	if err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.Newer(page.AskProps{Conversation: id, Newest: known, Behind: newestOf(tree) != known}))
}

// newestOf returns the last run of the line that a conversation opens with.
func newestOf(t *questions.Tree) domain.RunID {
	line := t.Line("")
	if len(line) == 0 {
		return ""
	}
	return line[len(line)-1].Run
}

// Start asks a question and goes to its turn in the conversation. If the question is refused, it shows the form again
// with the reason.
func (h *Handler) Start(c echo.Context) error {
	id := domain.ConversationID(c.FormValue("conversation"))
	question := c.FormValue("question")
	method, err := domain.FindMethod(c.FormValue("method"))
	if err != nil {
		return err
	}
	scope, unclear := h.scopeOf(c)
	options, wrong := optionsOf(c)
	asks := questions.Question{
		Workspace: request.Workspace(c), Conversation: id, Text: question, Method: method, Scope: scope, Follows: domain.RunID(c.FormValue("follows")), Options: options, Form: request.FormKey(c),
	}
	if waits, err := h.waits(c, asks); err != nil {
		return err
	} else if waits && unclear == nil && wrong == nil {
		return respond.SeeOther(c, link.QuestionWhenRead(question))
	}
	var m ledger.Answer
	if err = cmp.Or(unclear, wrong); err == nil {
		m, err = h.Ask.Start(c.Request().Context(), asks)
	}
	kind := domain.KindOf(err)
	if !respond.WantsJSON(c) && (unclear != nil || kind == domain.Invalid || kind == domain.TooLarge || kind == domain.TooMany) {
		problem := respond.Refusal(c, err)
		p := page.AskProps{Conversation: id, Question: shortened(question), Problem: problem.Message, Review: options.Review, Hint: options.Hint}
		if p.Within, err = h.scope(c, scope); err != nil {
			return err
		}
		return h.show(c, problem.Status, p)
	}
	return respond.After(c, err, link.Turn(m.Conversation, m.Message))
}

// optionsOf returns the options of a submitted question, whose fields have the names that programs use. It fails with kind
// Invalid for what is no number.
func optionsOf(c echo.Context) (questions.Options, error) {
	var in questions.Asking
	err := operation.Fill(&in, func(f operation.Field) []string {
		if value := c.FormValue(f.Name); value != "" {
			return []string{value}
		}
		return nil
	})
	return in.Options(), err
}

// askOptions returns the options of a question as they were submitted, with their bounds.
func askOptions(c echo.Context) page.AskOptions {
	p := page.AskOptions{
		MostLoops: strconv.Itoa(answer.MostLoops), MostPassages: strconv.Itoa(questions.MaxPassages),
		LeastBudget: strconv.Itoa(questions.MinBudget), MostBudget: strconv.Itoa(questions.MaxBudget),
	}
	if c.Request().Method == http.MethodPost {
		p.MaxLoops, p.Passages, p.Budget, p.Rerank = c.FormValue("max_loops"), c.FormValue("passages"), c.FormValue("budget"), c.FormValue("rerank")
		p.ContextOnly = c.FormValue("context_only") != ""
	}
	return p
}

// waits reports whether a form's first question, asked in the plain way, is better
// asked later: there are documents, and none is read.
func (h *Handler) waits(c echo.Context, q questions.Question) (bool, error) {
	plain := q.Conversation == "" && q.Method == "" && q.Scope.All() && q.None()
	if !plain || c.FormValue("now") != "" || respond.WantsJSON(c) || strings.TrimSpace(q.Text) == "" || domain.Runes(q.Text) > questions.MaxQuestion {
		return false, nil
	}
	return h.Ledger.AllUnread(c.Request().Context(), q.Workspace)
}

// shortened returns as much of a refused question as the form shows again.
func shortened(question string) string {
	return domain.Span{End: questions.MaxQuestion}.Slice(question)
}

// Asked returns the conversation and the question of a submitted form, so that
// an error page can offer them again.
func Asked(c echo.Context) (domain.ConversationID, string) {
	return domain.ConversationID(c.FormValue("conversation")), shortened(c.FormValue("question"))
}

// Source serves the source of one citation: as a fragment for htmx, else on the
// page of the conversation. It fails with kind NotFound for an unknown
// citation.
func (h *Handler) Source(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	m, err := h.message(c)
	if err != nil {
		return err
	}
	shown := partial.SourceProps{Conversation: m.Conversation, Message: m.Message, Branch: domain.BranchID(c.QueryParam("branch"))}
	source, err := h.source(ctx, w, shown, m.Citations, c.Param("n"))
	return h.sendSource(c, source, err)
}

// message returns the message in the request's path, with the answer of the branch
// that the parameter branch names. It fails with kind NotFound if the message belongs
// to another conversation, or the branch to another message.
func (h *Handler) message(c echo.Context) (ledger.Answer, error) {
	id, branch := domain.MessageID(c.Param("message")), domain.BranchID(c.QueryParam("branch"))
	if c.Request().Method == http.MethodGet && !respond.Fragment(c) { // the whole conversation will be shown
		return h.messageShown(c, id, branch)
	}
	m, err := h.Ledger.Message(c.Request().Context(), request.Workspace(c), id)
	if err == nil && m.Conversation != domain.ConversationID(c.Param("id")) {
		err = noAnswer()
	}
	if err != nil || branch == "" {
		return m, err
	}
	b, err := h.Ledger.Branch(c.Request().Context(), request.Workspace(c), branch)
	if err == nil && b.Message != m.Message {
		err = noBranch()
	}
	return b, err
}

// messageShown is message from the conversation's tree.
func (h *Handler) messageShown(c echo.Context, id domain.MessageID, branch domain.BranchID) (ledger.Answer, error) {
	tree, err := h.tree(c, domain.ConversationID(c.Param("id")))
	if err != nil {
		return ledger.Answer{}, err
	}
	if tree.Run(id, "") == "" {
		return ledger.Answer{}, noAnswer()
	}
	run := tree.Run(id, branch)
	for _, t := range tree.Line(run) {
		if t.Message == id && t.Run == run {
			return t.Answer, nil
		}
	}
	return ledger.Answer{}, noBranch()
}

func noAnswer() error { return domain.Errorf(domain.NotFound, "The conversation has no such answer.") }
func noBranch() error { return domain.Errorf(domain.NotFound, "The answer has no such branch.") }

// treeKey is the key of the conversation's tree in the request's context.
const treeKey = "tree"

// tree returns the turns of the request's conversation, read once.
func (h *Handler) tree(c echo.Context, id domain.ConversationID) (*questions.Tree, error) {
	if t, ok := c.Get(treeKey).(*questions.Tree); ok {
		return t, nil
	}
	t, err := h.Ask.Tree(c.Request().Context(), request.Workspace(c), id)
	if err == nil {
		c.Set(treeKey, t)
	}
	return t, err
}

// Picture serves a small picture of the part of the graph behind an answer's evidence, or explains why there is none.
func (h *Handler) Picture(c echo.Context) error {
	m, err := h.message(c)
	if err != nil {
		return err
	}
	cited := present.Cited(m)
	run, err := h.Runs.View(c.Request().Context(), request.Workspace(c), questions.Kind, m.Run)
	if err != nil {
		return err
	}
	ways, from := present.Ways(run, cited)
	part, err := h.Explore.Related(c.Request().Context(), explore.Filter{Passages: append(cited, from...)}, present.PictureNodes, slices.Concat(ways...)...)
	if domain.KindOf(err) == domain.Unavailable {
		return respond.HTML(c, http.StatusOK, partial.NoPicture(lang.T(c.Request().Context(), "The graph can’t be reached right now.")))
	}
	if err != nil {
		return err
	}
	label := lang.T(c.Request().Context(), "Where the evidence came from")
	if len(ways) > 0 {
		label += lang.T(c.Request().Context(), ", with the ways that the search went")
	}
	p := present.Picture(part, "", link.GraphOfAnswer(m.Message), label)
	if p == nil {
		return respond.HTML(c, http.StatusOK, partial.NoPicture(lang.T(c.Request().Context(), "The graph connects nothing that these sources mention.")))
	}
	present.Light(p, ways)
	return respond.HTML(c, http.StatusOK, partial.GraphPicture(*p))
}

// sendSource sends a source as a fragment or on the whole page.
func (h *Handler) sendSource(c echo.Context, source partial.SourceProps, err error) error {
	if err != nil {
		return err
	}
	if respond.Fragment(c) {
		found, err := h.Documents.Pictures(c.Request().Context(), request.Workspace(c), []domain.Citation{source.Citation})
		if err != nil {
			return err
		}
		source.Pictures = found[0]
		return respond.HTML(c, http.StatusOK, partial.Source(source))
	}
	return h.show(c, http.StatusOK, page.AskProps{Conversation: source.Conversation, Source: &source})
}

// source fills in the document that citation n points into. It leaves the text
// empty if the document was deleted.
func (h *Handler) source(ctx context.Context, w domain.WorkspaceID, p partial.SourceProps, citations []domain.Citation, n string) (partial.SourceProps, error) {
	found := false
	for _, c := range citations {
		p.Numbers = append(p.Numbers, c.N)
		if strconv.Itoa(c.N) == n {
			p.Citation, found = c, true
		}
	}
	if !found {
		return p, domain.Errorf(domain.NotFound, "The answer has no source %q.", n)
	}
	if p.Citation.OfWeb() {
		return p, nil
	}
	doc, err := h.Ledger.Document(ctx, w, p.Citation.DocumentID)
	if domain.KindOf(err) == domain.NotFound {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	p.About, p.Pages = doc, doc.Pages
	if p.Earlier() {
		p.Pages = 0
		if p.Text, err = h.Ledger.VersionText(ctx, w, doc.ID, p.Citation.Version); domain.KindOf(err) == domain.NotFound {
			err = nil
		}
		return p, err
	}
	var all []partial.EntityItem
	if p.Text, p.Mentions, all, err = h.Documents.Read(ctx, w, doc.ID); err != nil {
		return p, err
	}
	p.Entities = citedEntities(p, all)
	return p, nil
}

// citedEntities returns the entities mentioned in the cited text.
func citedEntities(p partial.SourceProps, all []partial.EntityItem) []partial.EntityItem {
	here := map[string]bool{}
	for _, m := range p.Mentions {
		if m.Span.Overlaps(p.Citation.Span) {
			here[m.Href] = true
		}
	}
	var items []partial.EntityItem
	for _, e := range all {
		if here[link.Entity(e.ID)] {
			e.Count = 0
			items = append(items, e)
		}
	}
	return items
}

// show completes the page and sends it.
func (h *Handler) show(c echo.Context, status int, p page.AskProps) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	title := lang.T(ctx, "Ask")
	if p.Conversation != "" {
		conversation, err := h.Ledger.Conversation(ctx, w, p.Conversation)
		if err != nil {
			return err
		}
		if conversation.AnswerOf != "" && conversation.Own(ctx) {
			to, err := h.Ask.Original(ctx, conversation)
			return respond.After(c, err, to)
		}
		title, p.MayShare = conversation.Title, conversation.Shareable(ctx)
		if err := h.shared(c, conversation, &p); err != nil {
			return err
		}
		if err := h.turns(c, w, &p); err != nil {
			return err
		}
	} else {
		p.Suggestions = h.Sample.Suggestions(ctx, w)
		if p.Sample = len(p.Suggestions) > 0; !p.Sample {
			p.Suggestions = present.Suggested(ctx, h.Suggest, w, suggested)
		}
	}
	if c.Request().Method == http.MethodGet { // if not, the options are those that were sent
		p.Review, p.Hint = h.Ticked.Review, h.Ticked.Hint
	}
	p.Chosen = askOptions(c)
	app, counts, err := h.Frame.Counted(c, layout.Ask, title)
	if err != nil {
		return err
	}
	p.App, p.Reading = app, counts.Documents.Unread()
	if err := h.deleted(c, &p.App.Toast); err != nil {
		return err
	}
	p.App.Fills = true
	p.MaxQuestion = questions.MaxQuestion
	err = h.list(c, &p)
	return respond.Show(c, err, status, page.AskPage(p))
}

// asksIn adds what a run asks the reader of a turn, and what they typed and was refused.
func (h *Handler) asksIn(c echo.Context, turn *partial.TurnProps, a ledger.Answer, v *trace.View, p page.AskProps) (err error) {
	turn.Asks = nil
	if turn.Branch == "" && !turn.ReadOnly {
		if turn.Asks, err = h.asked(c, a, v); err != nil {
			return err
		}
	}
	if a.Message == domain.MessageID(c.Param("message")) {
		turn.Edit = p.Edit
		if turn.Asks != nil {
			turn.Asks.Problem = p.Refused
		}
	}
	return nil
}

// turns adds the questions of the line that the request asks for, and the graph of one
// of their runs.
func (h *Handler) turns(c echo.Context, w domain.WorkspaceID, p *page.AskProps) error {
	ctx := c.Request().Context()
	tree, err := h.tree(c, p.Conversation)
	if err != nil {
		return err
	}
	p.Newest = newestOf(tree)
	chosen := tree.Run(domain.MessageID(cmp.Or(c.Param("message"), c.QueryParam("turn"))), domain.BranchID(c.QueryParam("branch")))
	line := tree.Line(chosen)
	if len(line) == 0 {
		return nil
	}
	if c.Param("message") != "" || chosen == "" {
		chosen = line[len(line)-1].Run
	}
	b, err := h.beside(ctx, w, line)
	if err != nil {
		return err
	}
	for _, t := range line {
		folded := h.Runs.Fold(questions.Kind, t.Run, b.events[t.Run])
		turn := present.Turn(t.Answer, folded, report.FoundFor(t.Answer, folded), h.Runs.Now())
		turn.Branch, turn.Branches, turn.MaxQuestion = t.Branch, h.answers(ctx, tree, t), questions.MaxQuestion
		turn.Cost, turn.Within, turn.ReadOnly = h.Runs.Cost(ctx, folded), partial.Scope(ctx, t.Scope, b.names), p.Shared != nil && !p.Shared.Own
		turn.MayShare = p.MayShare
		h.ofWeb(&turn, t.Answer)
		if said, ok := b.said[t.Run]; ok {
			turn.Judged = &partial.JudgedProps{Good: said.Good, Reason: said.Reason}
		}
		if p.Source != nil && p.Source.Message == t.Message {
			turn.Open, turn.OpenFigure = p.Source.Citation.N, p.Source.Figure
		}
		if err := h.asksIn(c, &turn, t.Answer, folded, *p); err != nil {
			return err
		}
		if turn.Traced = t.Run == chosen; turn.Traced {
			drawn, err := h.Runs.TraceOf(ctx, w, questions.Kind, folded)
			if err != nil {
				return err
			}
			p.Trace, turn.After = &drawn, drawn.After
		}
		p.Turns = append(p.Turns, turn)
	}
	if p.Problem == "" {
		p.Within = p.Turns[len(p.Turns)-1].Within
	}
	if err := h.picture(ctx, w, p); err != nil {
		return err
	}
	return h.quote(ctx, w, p.Turns, chosen)
}

// picture adds the pictures that stand by what the turns, and the open source, cite.
func (h *Handler) picture(ctx context.Context, w domain.WorkspaceID, p *page.AskProps) error {
	cited := lists.Map(p.Turns, func(t partial.TurnProps) []domain.Citation { return t.Citations })
	if p.Source != nil {
		cited = append(cited, []domain.Citation{p.Source.Citation})
	}
	found, err := h.Documents.Pictures(ctx, w, cited...)
	for i := range p.Turns {
		p.Turns[i].Pictures = found[i]
	}
	if p.Source != nil {
		p.Source.Pictures = found[len(p.Turns)]
	}
	return err
}

// besides holds rows read at once for all turns of a line.
type besides struct {
	events map[domain.RunID][]trace.Event
	names  map[domain.DocumentID]string
	said   map[domain.RunID]ledger.Feedback
}

func (h *Handler) beside(ctx context.Context, w domain.WorkspaceID, line []questions.Turn) (b besides, err error) {
	runs, messages := make([]domain.RunID, len(line)), make([]ledger.Answer, len(line))
	var answered []domain.RunID
	for i, t := range line {
		runs[i], messages[i] = t.Run, t.Answer
		if t.Status.Over() {
			answered = append(answered, t.Run)
		}
	}
	if b.events, err = h.Runs.Hub.EventsOf(ctx, w, runs); err != nil {
		return b, err
	}
	if b.names, err = h.names(ctx, w, messages); err != nil {
		return b, err
	}
	b.said, err = h.Ledger.FeedbackOf(ctx, w, domain.PersonOf(ctx), answered...)
	return b, err
}

// answers returns the answers to a turn to switch between, or none if there is only one.
func (h *Handler) answers(ctx context.Context, tree *questions.Tree, t questions.Turn) []partial.BranchItem {
	if len(t.Branches) == 0 {
		return nil
	}
	items := h.Items(ctx, t.Asked, t.Branches, t.Run)
	for i := range items {
		items[i].Later = tree.Later(items[i].Run)
	}
	return items
}

// quote adds the texts of the passages that were found for questions that no model answered. traced is the run whose
// quotation is shown in place.
func (h *Handler) quote(ctx context.Context, w domain.WorkspaceID, turns []partial.TurnProps, traced domain.RunID) error {
	found := lists.Map(turns, func(t partial.TurnProps) *outline.Found { return t.Found })
	sources, err := report.ReadSources(ctx, h.Ledger, w, found...)
	if err != nil {
		return err
	}
	for _, t := range turns {
		sources.Excerpts(ctx, t.Found, t.Question, t.Citations)
		present.Nearby(ctx, h.Suggest, w, t.Found)
		if t.Run == traced && t.Found != nil && t.Found.InPlace != nil {
			h.Documents.Mention(ctx, w, t.Found.InPlace)
		}
	}
	return nil
}

// maxFind is how much of a search of conversations counts, in code points.
const maxFind = 200
