package conversation

import (
	"encoding/json"
	"mime"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// Rename gives a conversation another title.
func (h *Handler) Rename(c echo.Context) error {
	id := domain.ConversationID(c.Param("id"))
	return respond.After(c, h.Ask.Rename(c.Request().Context(), request.Workspace(c), id, c.FormValue("title")), link.Conversation(id))
}

// Pin pins a conversation, or with an empty form unpins it.
func (h *Handler) Pin(c echo.Context) error {
	id := domain.ConversationID(c.Param("id"))
	return respond.After(c, h.Ask.Pin(c.Request().Context(), request.Workspace(c), id, c.FormValue("pinned") != ""), link.Conversation(id))
}

// Again asks a turn again, edited or unchanged, and goes to the new answer. If the question is refused, it shows the form
// with the reason.
func (h *Handler) Again(c echo.Context) error {
	m, err := h.message(c)
	if err != nil {
		return err
	}
	edited := questions.Edited{Workspace: m.Workspace, Message: m.Message, Question: m.Question, Scope: m.Scope, Form: request.FormKey(c)}
	var unclear error
	if c.FormValue("edited") != "" {
		edited.Question = c.FormValue("question")
		edited.Scope, unclear = h.scopeOf(c)
	}
	var b ledger.Answer
	if err = unclear; err == nil {
		b, err = h.Ask.AskAgain(c.Request().Context(), edited)
	}
	kind := domain.KindOf(err)
	if !respond.WantsJSON(c) && (unclear != nil || kind == domain.Invalid || kind == domain.TooLarge || kind == domain.TooMany) {
		problem := respond.Refusal(c, err)
		p := page.AskProps{Conversation: m.Conversation, Edit: partial.EditProps{Problem: problem.Message, Question: shortened(edited.Question)}}
		if p.Edit.Within, err = h.scope(c, edited.Scope); err != nil {
			return err
		}
		return h.show(c, problem.Status, p)
	}
	return respond.After(c, err, link.BranchTurn(m.Conversation, m.Message, b.Branch))
}

// SearchWeb asks the web what the library could not answer, and goes to the new answer.
func (h *Handler) SearchWeb(c echo.Context) error {
	b, err := h.Ask.AskWeb(c.Request().Context(), questions.WebQuestion{
		Workspace: request.Workspace(c), Run: domain.RunID(c.Param("id")), Question: c.FormValue("question"), Form: request.FormKey(c),
	})
	return respond.After(c, err, link.BranchTurn(b.Conversation, b.Message, b.Branch))
}

// ofWeb says that an answer is the web's, and which web search may be asked next.
func (h *Handler) ofWeb(p *partial.TurnProps, a ledger.Answer) {
	p.Web = questions.OfWeb(a)
	if !p.ReadOnly && !p.Web && questions.MayAskWeb(a) && (p.Found == nil || !p.Found.Greets) {
		p.WebSearch = h.Ask.WebSearch
	}
}

// Judge stores a person's judgement of an answer: good=yes or no, with a reason. Without good, it takes the judgement
// back.
func (h *Handler) Judge(c echo.Context) error {
	ctx := c.Request().Context()
	m, err := h.message(c)
	if err != nil {
		return err
	}
	p := partial.TurnProps{Conversation: m.Conversation, Message: m.Message, Branch: domain.BranchID(c.QueryParam("branch")), Run: m.Run}
	if good := c.FormValue("good"); good == "" {
		err = h.Ledger.DeleteFeedback(ctx, m.Workspace, m.Run, domain.PersonOf(ctx))
	} else {
		p.Judged = &partial.JudgedProps{Good: good == "yes", Reason: c.FormValue("reason")}
		err = h.Ask.Judge(ctx, m.Workspace, ledger.Feedback{Run: m.Run, Good: p.Judged.Good, Reason: p.Judged.Reason})
	}
	if err != nil {
		return err
	}
	if respond.Fragment(c) {
		return respond.HTML(c, http.StatusOK, partial.Judged(p))
	}
	return respond.SeeOther(c, link.TurnAt(m.Conversation, m.Message, p.Branch))
}

// File sends a conversation as a file: its line as Markdown, or all of it as JSON.
func (h *Handler) File(c echo.Context) error {
	k, err := h.Ask.Export(c.Request().Context(), request.Workspace(c), domain.ConversationID(c.Param("id")))
	if err != nil {
		return err
	}
	format := c.Param("format")
	var content []byte
	switch format {
	case "md":
		content = []byte(k.Markdown())
	case "json":
		if content, err = json.MarshalIndent(k, "", "  "); err != nil {
			return err
		}
	default:
		return domain.Errorf(domain.NotFound, "A conversation can be exported as md or json, not as %q.", domain.Cut(format, domain.MaxTag))
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, mime.FormatMediaType("attachment", map[string]string{"filename": partial.FigureName(k.Title) + "." + format}))
	return c.Blob(http.StatusOK, map[string]string{"md": "text/markdown; charset=utf-8", "json": "application/json"}[format], content)
}

// AskDelete serves the page that confirms the deletion of a conversation, and lists what goes with it.
func (h *Handler) AskDelete(c echo.Context) error {
	ctx, w, id := c.Request().Context(), request.Workspace(c), domain.ConversationID(c.Param("id"))
	k, err := h.Ledger.Conversation(ctx, w, id)
	if err != nil {
		return err
	}
	answers, err := h.Ledger.Answers(ctx, w, id)
	if err != nil {
		return err
	}
	branches := lists.CountFunc(answers, func(a ledger.Answer) bool { return a.Branch != "" })
	says := lang.F(ctx, "%s with the answers", lang.Count(ctx, len(answers)-branches, "question", "questions"))
	if branches > 0 {
		says += ", " + lang.Count(ctx, branches, "branch", "branches")
	}
	return h.Frame.Deletion(c, layout.Ask, lang.T(ctx, "Delete a conversation"), page.Deletion{
		Thing: "conversation", Title: k.Title, URL: link.DeleteConversation(id), Cancel: link.Conversation(id),
		Says: lang.F(ctx, "%s and the steps of all their runs are removed. The documents stay. You can undo this for %s.", says, lang.Duration(ctx, h.Ask.UndoTime)),
	})
}

// Delete deletes a conversation, which can be undone for a while, and goes to the page for a new one. It fails with kind
// Conflict while a question of it is being answered.
func (h *Handler) Delete(c echo.Context) error {
	id := domain.ConversationID(c.Param("id"))
	return respond.After(c, h.Ask.Delete(c.Request().Context(), request.Workspace(c), id), link.With(link.Ask, "done", "talk", "deleted", string(id)))
}

// Undelete undoes the deletion of a conversation and shows it. It fails with kind Conflict if it is too late.
func (h *Handler) Undelete(c echo.Context) error {
	id := domain.ConversationID(c.Param("id"))
	err := h.Ledger.ShowConversation(c.Request().Context(), request.Workspace(c), id)
	return respond.After(c, err, link.With(link.Conversation(id), "done", "restored"))
}

// deleted offers to undo a deletion while there is time.
func (h *Handler) deleted(c echo.Context, toast *layout.Toast) error {
	id := domain.ConversationID(c.QueryParam("deleted"))
	if id == "" {
		return nil
	}
	until, err := h.Ledger.HiddenUntil(c.Request().Context(), request.Workspace(c), id)
	if left := until.Sub(h.Ask.Now()); err == nil && left > 0 {
		toast.Action, toast.URL, toast.Passes = lang.T(c.Request().Context(), "Undo"), link.RestoreConversation(id), left
	}
	return err
}
