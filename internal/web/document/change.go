package document

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
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

// Tag replaces a document's tags with those in the form. It returns NotFound if there is no such document and Invalid
// if a tag is malformed. The change can be undone.
func (h *Handler) Tag(c echo.Context) error {
	tags, err := domain.ParseTags(c.FormValue("tags"))
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	doc, listed, err := h.Library.Known(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	remove := slices.DeleteFunc(listed.Tags, func(tag string) bool { return slices.Contains(tags, tag) })
	entry, err := h.Curator.Tag(ctx, ledger.DocumentQuery{IDs: []domain.DocumentID{doc.ID}}, tags, remove)
	if err != nil {
		return err
	}
	if entry.Seq > 0 && !respond.Fragment(c) {
		return respond.SeeOther(c, link.Changed(link.Document(doc.ID), entry.Seq))
	}
	return h.changed(c, doc.ID)
}

// tags returns all tags with the number of their documents.
func (h *Handler) tags(ctx context.Context, w domain.WorkspaceID) ([]page.TagCount, error) {
	all, err := h.Ledger.Tags(ctx, w)
	return lists.Map(all, func(t ledger.TagCount) page.TagCount { return page.TagCount(t) }), err
}

// choices lists the schemas to choose from for documents.
func (h *Handler) choices(ctx context.Context, w domain.WorkspaceID) ([]partial.SchemaChoice, error) {
	all, err := h.Schemas.Choices(ctx, w)
	choices := make([]partial.SchemaChoice, len(all))
	for i, c := range all {
		choices[i] = partial.SchemaChoice{Name: c.Name, Title: c.Name}
		if c.Title != "" {
			choices[i].Title = lang.F(ctx, "%s (template)", c.Title)
		}
	}
	return choices, err
}

// Guide chooses the schema that guides a document's next readings.
// It fails with kind NotFound for an unknown document or schema.
func (h *Handler) Guide(c echo.Context) error {
	schema, err := h.chosen(c, c.FormValue(schemaField))
	if err != nil {
		return err
	}
	id := domain.DocumentID(c.Param("id"))
	return respond.After(c, h.Library.Choose(c.Request().Context(), request.Workspace(c), id, schema), link.Document(id))
}

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

// limit changes who may read chosen documents, by a form.
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
	return respond.Show(c, err, http.StatusOK, page.LimitedPage(page.LimitedProps{App: app, All: all}))
}
