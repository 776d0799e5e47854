// Package conversation serves questions and answers: a conversation with its
// live trace, new questions, and the sources of an answer.
package conversation

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/explore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// maxListed is the most conversations the page lists.
const maxListed = 50

// Handler serves conversations. All fields are required but Ticked.
type Handler struct {
	Frame     frame.Frame
	Ledger    *ledger.Ledger
	Ask       *questions.Service
	Runs      *present.Runs
	Documents *present.Documents
	Sample    *present.Sample
	Explore   *explore.Library
	Ticked    questions.Options // of a new question

	Tree func(m ledger.Message, all []ledger.Branch, shown domain.RunID) []partial.BranchItem // the runs about a message, as asked first
}

// New serves the page for a new conversation, with the query parameter q as the
// question.
func (h *Handler) New(c echo.Context) error {
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
	return h.show(c, http.StatusOK, page.AskProps{Conversation: domain.ConversationID(c.Param("id"))})
}

// Start asks a question and goes to its turn in the conversation. A question that
// is invalid, too long or one too many shows the form again with the reason.
func (h *Handler) Start(c echo.Context) error {
	id := domain.ConversationID(c.FormValue("conversation"))
	question := c.FormValue("question")
	method, err := domain.FindMethod(c.FormValue("method"))
	if err != nil {
		return err
	}
	scope, unclear := h.scopeOf(c)
	options := questions.Options{Review: c.FormValue("review") != "", Hint: c.FormValue("hint") != ""}
	asks := questions.Question{
		Workspace: request.Workspace(c), Conversation: id, Text: question, Method: method, Scope: scope, Options: options,
	}
	if waits, err := h.waits(c, asks); err != nil {
		return err
	} else if waits && unclear == nil {
		return respond.SeeOther(c, link.QuestionWhenRead(question))
	}
	var m ledger.Message
	if err = unclear; err == nil {
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
	if err != nil {
		return err
	}
	return respond.SeeOther(c, link.Turn(m.Conversation, m.ID))
}

// waits reports whether a form's first question, asked in the plain way, is better
// asked later: there are documents, and none is read.
func (h *Handler) waits(c echo.Context, q questions.Question) (bool, error) {
	plain := q.Conversation == "" && q.Method == "" && q.Scope.All() && q.Options == questions.Options{}
	if !plain || c.FormValue("now") != "" || respond.WantsJSON(c) || strings.TrimSpace(q.Text) == "" || domain.Runes(q.Text) > questions.MaxQuestion {
		return false, nil
	}
	counts, err := h.Frame.Documents(c.Request().Context(), q.Workspace)
	return counts.Unread() > 0 && counts.Unread() == counts.All(), err
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
	shown := partial.SourceProps{Conversation: m.Conversation, Message: m.ID, Branch: domain.BranchID(c.QueryParam("branch"))}
	source, err := h.source(ctx, w, shown, m.Citations, c.Param("n"))
	return h.sendSource(c, source, err)
}

// message returns the message in the request's path, with the answer of the branch
// that the parameter branch names. It fails with kind NotFound if the message belongs
// to another conversation, or the branch to another message.
func (h *Handler) message(c echo.Context) (ledger.Message, error) {
	m, err := h.Ledger.Message(c.Request().Context(), request.Workspace(c), domain.MessageID(c.Param("message")))
	if err == nil && m.Conversation != domain.ConversationID(c.Param("id")) {
		err = domain.Errorf(domain.NotFound, "The conversation has no such answer.")
	}
	id := domain.BranchID(c.QueryParam("branch"))
	if err != nil || id == "" {
		return m, err
	}
	b, err := h.Ledger.Branch(c.Request().Context(), request.Workspace(c), id)
	if err == nil && b.Message != m.ID {
		err = domain.Errorf(domain.NotFound, "The answer has no such branch.")
	}
	return m.AnsweredBy(b), err
}

// Picture serves a small picture of the part of the graph that an answer's
// evidence came from; nothing if there is none, or the graph is unavailable.
func (h *Handler) Picture(c echo.Context) error {
	m, err := h.message(c)
	if err != nil {
		return err
	}
	g, err := h.Explore.Get(c.Request().Context(), request.Workspace(c))
	if domain.KindOf(err) == domain.Unavailable {
		return c.NoContent(http.StatusOK)
	}
	if err != nil {
		return err
	}
	cited := present.Cited(m)
	run, err := h.Runs.View(c.Request().Context(), request.Workspace(c), questions.Kind, m.Run)
	if err != nil {
		return err
	}
	ways, from := present.Ways(run, cited)
	part := g.Related(explore.Filter{Passages: append(cited, from...)}, present.PictureNodes, slices.Concat(ways...)...)
	label := "Where the evidence came from"
	if len(ways) > 0 {
		label += ", with the ways that the search went"
	}
	p := present.Picture(part, "", link.GraphOfAnswer(m.ID), label)
	if p == nil {
		return c.NoContent(http.StatusOK)
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
	doc, err := h.Ledger.Document(ctx, w, p.Citation.DocumentID)
	if domain.KindOf(err) == domain.NotFound {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	p.Title, p.Pages = doc.Title, doc.Pages
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
	title := "Ask"
	if p.Conversation != "" {
		conversation, err := h.Ledger.Conversation(ctx, w, p.Conversation)
		if err != nil {
			return err
		}
		title = conversation.Title
		if err := h.turns(c, w, &p); err != nil {
			return err
		}
	} else {
		p.Suggestions = h.Sample.Suggestions(ctx, w)
	}
	if c.Request().Method == http.MethodGet { // otherwise the options are as they were sent
		p.Review, p.Hint = h.Ticked.Review, h.Ticked.Hint
	}
	app, counts, err := h.Frame.Counted(c, layout.Ask, title)
	if err != nil {
		return err
	}
	p.App, p.Reading = app, counts.Documents.Unread()
	p.App.Fills = true
	p.MaxQuestion, p.Now = questions.MaxQuestion, h.Runs.Now()
	if p.Conversations, err = h.list(ctx, w); err != nil {
		return err
	}
	return respond.HTML(c, status, page.AskPage(p))
}

// turns adds the questions of a conversation and the graph of the last run.
func (h *Handler) turns(c echo.Context, w domain.WorkspaceID, p *page.AskProps) error {
	ctx := c.Request().Context()
	messages, err := h.Ledger.Messages(ctx, w, p.Conversation)
	if err != nil {
		return err
	}
	of, err := h.branches(c, messages)
	if err != nil {
		return err
	}
	runs := make([]domain.RunID, len(messages))
	for i, m := range messages {
		runs[i] = m.Run
	}
	events, err := h.Runs.Hub.EventsOf(ctx, w, runs)
	if err != nil {
		return err
	}
	names, err := h.names(ctx, w, messages)
	if err != nil {
		return err
	}
	for i, m := range messages {
		folded := h.Runs.Fold(questions.Kind, m.Run, events[m.Run])
		turn := present.Turn(m, folded, h.Runs.Now())
		turn.Branch, turn.Branches = of[m.ID].shown, of[m.ID].items
		turn.Cost, turn.Within = h.Runs.Cost(folded), partial.Scope(m.Scope, names)
		if p.Source != nil && p.Source.Message == m.ID {
			turn.Open, turn.OpenFigure = p.Source.Citation.N, p.Source.Figure
		}
		if turn.Branch != "" {
			turn.Asks = nil
		} else if turn.Asks, err = h.asked(c, m, folded); err != nil {
			return err
		}
		if turn.Asks != nil && m.ID == domain.MessageID(c.Param("message")) {
			turn.Asks.Problem = p.Refused
		}
		p.Turns = append(p.Turns, turn)
		if i < len(messages)-1 {
			continue
		}
		drawn, err := h.Runs.TraceOf(ctx, w, questions.Kind, folded)
		if err != nil {
			return err
		}
		p.Trace = &drawn
		if p.Problem == "" {
			p.Within = turn.Within
		}
		p.Turns[i].After = drawn.After
	}
	return h.quote(ctx, w, p.Turns)
}

// quote adds the texts of the passages that were found instead of answers.
func (h *Handler) quote(ctx context.Context, w domain.WorkspaceID, turns []partial.TurnProps) error {
	var misses []*partial.MissProps
	for _, t := range turns {
		misses = append(misses, t.Miss)
	}
	ids := present.Chunks(misses...)
	if len(ids) == 0 {
		return nil
	}
	passages, err := h.Ledger.Passages(ctx, w, ids)
	for _, t := range turns {
		present.Quote(t.Miss, t.Question, passages)
	}
	return err
}

// list returns the latest conversations with the state of their last question.
func (h *Handler) list(ctx context.Context, w domain.WorkspaceID) ([]page.ConversationItem, error) {
	recent, err := h.Ledger.RecentConversations(ctx, w, ledger.ConversationQuery{Limit: maxListed})
	items := make([]page.ConversationItem, len(recent))
	for i, k := range recent {
		items[i] = page.ConversationItem{ID: k.ID, Title: k.Title, UpdatedAt: k.UpdatedAt, State: stateOf(k)}
	}
	return items, err
}

// stateOf returns the remark beside a conversation's title, or "" for none.
func stateOf(k ledger.RecentConversation) string {
	switch k.Status {
	case ledger.MessageWaiting, ledger.MessageAnswering:
		return "answering"
	case ledger.MessageAsking:
		return "waits for you"
	case ledger.MessageStopped:
		return "stopped"
	case ledger.MessageFailed:
		return "failed"
	case ledger.MessageDone:
		if !k.Found {
			return "nothing found"
		}
	}
	return ""
}
