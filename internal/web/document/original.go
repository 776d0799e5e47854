package document

import (
	"mime"
	"net/http"
	"path"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/web/request"
)

// originalPolicy is the Content-Security-Policy of an original file: it runs nothing, loads nothing and has an opaque
// origin.
const originalPolicy = "sandbox; default-src 'none'; frame-ancestors 'none'"

// Original sends the file of a document as it was added: to be viewed, or, with the parameter save or where a browser may not show
// its format (pages of HTML among them), to be kept. It answers requests for ranges, and with 304 who has the file already. It fails with kind NotFound for an
// unknown document.
func (h *Handler) Original(c echo.Context) error {
	doc, file, err := h.Library.Original(c.Request().Context(), request.Workspace(c), domain.DocumentID(c.Param("id")))
	if err != nil {
		return err
	}
	defer file.Close()
	kind, how := parse.Of(doc.Format).Shown, "inline"
	if kind == "" || c.QueryParam("save") != "" {
		kind, how = "application/octet-stream", "attachment"
	}
	header := c.Response().Header()
	header.Set("Content-Type", kind)
	header.Set("Content-Disposition", mime.FormatMediaType(how, map[string]string{"filename": path.Base(doc.Name)}))
	header.Set("Content-Security-Policy", originalPolicy)
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "private, no-cache")
	header.Set("ETag", `"`+doc.Hash+`"`)
	http.ServeContent(c.Response(), c.Request(), "", doc.CreatedAt, file)
	return nil
}
