package document

import (
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/link"
)

// Rename gives a document another name. It fails with kind NotFound for an unknown
// document, and Invalid for a name of which nothing is left.
func (h *Handler) Rename(c echo.Context) error {
	id := domain.DocumentID(c.Param("id"))
	if err := h.Library.Rename(c.Request().Context(), request.Workspace(c), id, c.FormValue("name")); err != nil {
		return err
	}
	return respond.SeeOther(c, link.Document(id))
}
