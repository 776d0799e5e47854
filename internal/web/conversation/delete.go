package conversation

import (
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

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
	branches := 0
	for _, a := range answers {
		if a.Branch != "" {
			branches++
		}
	}
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
