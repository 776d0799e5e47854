package document

import (
	"context"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// possibleReaders returns the accounts and groups that documents can be limited to.
func (h *Handler) possibleReaders(ctx context.Context, w domain.WorkspaceID) ([]partial.ReaderChoice, error) {
	all, err := h.Library.MayRead(ctx, w)
	choices := make([]partial.ReaderChoice, len(all))
	for i, r := range all {
		choices[i] = partial.ReaderChoice{Value: r.String()}
		if r.Kind == ledger.ReaderGroup {
			choices[i].Group = r.Name
		}
	}
	return choices, err
}

// ReadersChanged returns to the page of a document, or to the list if whoever changed its readers is none of them.
func (h *Handler) ReadersChanged(c echo.Context, _ documents.Changed) error {
	id := domain.DocumentID(c.Param("id"))
	_, err := h.Ledger.Document(c.Request().Context(), request.Workspace(c), id)
	if domain.KindOf(err) == domain.NotFound {
		return respond.SeeOther(c, link.With(link.Documents, "done", "limited-away"))
	}
	return respond.After(c, err, link.Document(id)+"#readers")
}

// limit changes who may read chosen documents, as a form says.
func (h *Handler) limit(ctx context.Context, w domain.WorkspaceID, q ledger.DocumentQuery, form url.Values) error {
	if form.Get("who") == "everybody" {
		_, err := h.Library.SetReaders(ctx, w, q, false, nil)
		return err
	}
	readers, err := h.Library.ReadersNamed(ctx, w, form["to"])
	if err != nil {
		return err
	}
	_, err = h.Library.SetReaders(ctx, w, q, true, readers)
	return err
}

// Limited serves the list of documents that not every member may read.
func (h *Handler) Limited(c echo.Context) error {
	all, err := documents.Limited.Do(h.Library, c.Request().Context(), struct{}{})
	if err != nil {
		return err
	}
	app, err := h.Frame.App(c, layout.Documents, lang.T(c.Request().Context(), "Limited documents"))
	if err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.LimitedPage(page.LimitedProps{App: app, All: all}))
}
