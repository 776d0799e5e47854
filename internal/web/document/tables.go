package document

import (
	"fmt"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/page"
)

// Tables serves the tables of a document, or one as CSV.
func (h *Handler) Tables(c echo.Context) error {
	in := documents.OfTables{One: documents.One{Name: c.Param("id")}}
	if of := c.QueryParam("table"); of != "" {
		var err error
		if in.Number, err = strconv.Atoi(of); err != nil || in.Number < 1 {
			return domain.Errorf(domain.NotFound, "%q is not the number of a table.", domain.Cut(of, 20))
		}
	}
	found, err := h.Library.TablesOf(c.Request().Context(), in)
	if err != nil {
		return err
	}
	if in.Number > 0 {
		content, err := found.Tables[0].CSV()
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(path.Base(found.Document.Name), path.Ext(found.Document.Name))
		c.Response().Header().Set(echo.HeaderContentDisposition, mime.FormatMediaType("attachment", map[string]string{"filename": fmt.Sprintf("%s-%d.csv", name, in.Number)}))
		return c.Blob(http.StatusOK, "text/csv; charset=utf-8", content)
	}
	app, err := h.Frame.App(c, layout.Documents, "Tables")
	if err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.TablesPage(page.TablesProps{App: app, Tables: found}))
}
