package document

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
	"github.com/clewhq/clew/views/worddiff"
)

// namedAs maps values of the form field named. By default a file becomes a separate document.
var namedAs = map[string]documents.Named{"next": documents.Next, "skip": documents.Skip}

// versions returns the versions of a document.
func versions(d documents.Page) partial.VersionsProps {
	p := partial.VersionsProps{Document: d.Document}
	for _, v := range d.Earlier {
		p.Earlier = append(p.Earlier, partial.VersionItem{Number: v.Number, Name: v.Name, Size: v.Size, Chunks: v.Chunks, Since: v.Since, Until: v.Until})
	}
	return p
}

// version returns the document and the version in the request's path.
func (h *Handler) version(c echo.Context) (domain.Document, int, error) {
	doc, err := h.Ledger.Document(c.Request().Context(), request.Workspace(c), domain.DocumentID(c.Param("id")))
	if err != nil {
		return doc, 0, err
	}
	n, err := strconv.Atoi(c.Param("n"))
	if err != nil || n < 1 {
		return doc, 0, domain.Errorf(domain.NotFound, "The document has no such version.")
	}
	return doc, n - 1, nil
}

// Version serves the page of an earlier version of a document, compared with the current one, or redirects to the current
// one if asked for.
func (h *Handler) Version(c echo.Context) error {
	ctx := c.Request().Context()
	doc, n, err := h.version(c)
	if err != nil {
		return err
	}
	if n == doc.Version {
		return respond.SeeOther(c, link.Document(doc.ID))
	}
	before, after, err := h.Library.Before(ctx, doc, n)
	if err != nil {
		return err
	}
	p := page.VersionProps{Document: doc, Number: n}
	if p.App, err = h.Frame.App(c, layout.Documents, lang.F(ctx, "Version %s of %s", strconv.Itoa(n+1), doc.Name)); err != nil {
		return err
	}
	p.Changes, p.Same = worddiff.Passages(before.Content, after.Content)
	return respond.HTML(c, http.StatusOK, page.VersionPage(p))
}

// RemoveVersion removes an earlier version of a document and returns to its page.
func (h *Handler) RemoveVersion(c echo.Context) error {
	doc, n, err := h.version(c)
	if err != nil {
		return err
	}
	return respond.After(c, h.Library.RemoveVersion(c.Request().Context(), request.Workspace(c), doc.ID, n), link.Document(doc.ID))
}
