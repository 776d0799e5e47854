package document

import (
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/link"
)

// Pause pauses the waiting documents, and returns to the list.
func (h *Handler) Pause(c echo.Context) error {
	_, err := h.Library.Pause(c.Request().Context(), request.Workspace(c))
	return respond.After(c, err, link.With(link.Documents, "done", "paused"))
}

// GoOn resumes paused documents, and returns to the list.
func (h *Handler) GoOn(c echo.Context) error {
	_, err := h.Library.GoOn(c.Request().Context(), request.Workspace(c))
	return respond.After(c, err, link.With(link.Documents, "done", "going"))
}

// Next moves a waiting document to the front, and returns to the list. It fails with kind NotFound for an unknown
// document.
func (h *Handler) Next(c echo.Context) error {
	err := h.Library.ReadNext(c.Request().Context(), request.Workspace(c), domain.DocumentID(c.Param("id")))
	return respond.After(c, err, link.With(link.Documents, "done", "next"))
}
