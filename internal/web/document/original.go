package document

import (
	"mime"
	"net/http"
	"path"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/request"
)

// viewable are the formats whose files a browser may show, with the content type under which they are sent. Files of any other
// format, pages of HTML among them, are only downloaded.
var viewable = map[domain.Format]string{
	domain.FormatPDF: "application/pdf", domain.FormatText: "text/plain; charset=utf-8", domain.FormatMarkdown: "text/plain; charset=utf-8",
	domain.FormatTable: "text/plain; charset=utf-8", domain.FormatTranscript: "text/plain; charset=utf-8", domain.FormatCode: "text/plain; charset=utf-8",
}

// originalPolicy is the Content-Security-Policy of a file as it was added: it runs nothing, loads nothing and has an origin of its own.
const originalPolicy = "sandbox; default-src 'none'; frame-ancestors 'none'"

// Original sends the file of a document as it was added: to be viewed, or with the parameter save, or where the format is not
// viewable, to be kept. It answers requests for ranges, and with 304 who has the file already. It fails with kind NotFound for an
// unknown document.
func (h *Handler) Original(c echo.Context) error {
	doc, file, err := h.Library.Original(c.Request().Context(), request.Workspace(c), domain.DocumentID(c.Param("id")))
	if err != nil {
		return err
	}
	defer file.Close()
	kind, how := viewable[doc.Format], "inline"
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
