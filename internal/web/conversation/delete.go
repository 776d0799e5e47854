package conversation

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// AskDelete serves the page that asks whether to delete a conversation, and says what goes with it.
func (h *Handler) AskDelete(c echo.Context) error {
	ctx, w, id := c.Request().Context(), request.Workspace(c), domain.ConversationID(c.Param("id"))
	k, err := h.Ledger.Conversation(ctx, w, id)
	if err != nil {
		return err
	}
	messages, err := h.Ledger.Messages(ctx, w, id)
	if err != nil {
		return err
	}
	ids := make([]domain.MessageID, len(messages))
	for i, m := range messages {
		ids[i] = m.ID
	}
	branches, err := h.Ledger.BranchesOf(ctx, w, ids...)
	if err != nil {
		return err
	}
	app, err := h.Frame.App(c, layout.Ask, "Delete a conversation")
	if err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.DeleteConversationPage(page.DeleteConversationProps{
		App: app, ID: k.ID, Title: k.Title, Questions: len(messages), Branches: len(branches), Undo: h.Ask.UndoTime,
	}))
}

// Delete deletes a conversation, which can be undone for a while, and goes to the page for a new one. It fails with kind
// Conflict while a question of it is being answered.
func (h *Handler) Delete(c echo.Context) error {
	id := domain.ConversationID(c.Param("id"))
	if err := h.Ask.Delete(c.Request().Context(), request.Workspace(c), id); err != nil {
		return err
	}
	return respond.SeeOther(c, link.With(link.Ask, "done", "talk", "deleted", string(id)))
}

// Undelete takes the deletion of a conversation back and shows it. It fails with kind Conflict when the time for that is
// over.
func (h *Handler) Undelete(c echo.Context) error {
	id := domain.ConversationID(c.Param("id"))
	if err := h.Ledger.ShowConversation(c.Request().Context(), request.Workspace(c), id); err != nil {
		return err
	}
	return respond.SeeOther(c, link.With(link.Conversation(id), "done", "restored"))
}

// deleted lets a deletion be undone while there is time.
func (h *Handler) deleted(c echo.Context, toast *layout.Toast) error {
	id := domain.ConversationID(c.QueryParam("deleted"))
	if id == "" {
		return nil
	}
	until, err := h.Ledger.HiddenUntil(c.Request().Context(), request.Workspace(c), id)
	if left := until.Sub(h.Ask.Now()); err == nil && left > 0 {
		toast.Action, toast.URL, toast.Passes = "Undo", link.RestoreConversation(id), left
	}
	return err
}
