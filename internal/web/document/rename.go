package document

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// Rename renames a document. It fails with kind NotFound for an unknown document, and Invalid for a name without usable
// characters.
func (h *Handler) Rename(c echo.Context) error {
	id := domain.DocumentID(c.Param("id"))
	if err := h.Library.Rename(c.Request().Context(), request.Workspace(c), id, c.FormValue("name")); err != nil {
		return err
	}
	return h.changed(c, id)
}

// changed answers a form that changed a document: to htmx with its row of the list, else with its page.
func (h *Handler) changed(c echo.Context, id domain.DocumentID) error {
	if !respond.Fragment(c) {
		return respond.SeeOther(c, link.Document(id))
	}
	if here, err := url.Parse(c.Request().Header.Get("HX-Current-URL")); err == nil && link.Out(c.Request().Context(), here.Path) == link.Document(id) {
		c.Response().Header().Set("HX-Refresh", "true")
		return c.NoContent(http.StatusOK)
	}
	ctx, w := c.Request().Context(), request.Workspace(c)
	doc, err := h.Ledger.Document(ctx, w, id)
	if err != nil {
		return err
	}
	rows, err := h.Rows(ctx, w, []domain.Document{doc})
	if err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, partial.DocumentRow(rows[0]))
}
