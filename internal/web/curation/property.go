package curation

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/curate"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// AskProperties serves the form for an entity's properties.
func (h *Handler) AskProperties(c echo.Context) error { return h.propertiesForm(c, http.StatusOK, "") }

func (h *Handler) propertiesForm(c echo.Context, status int, reason string) error {
	e, err := h.Curator.Entity(c.Request().Context(), request.Workspace(c), id(c))
	if err != nil {
		return err
	}
	app, err := h.Frame.App(c, layout.Graph, "Properties of "+e.Name)
	if err != nil {
		return err
	}
	if app.Toast, err = present.Changed(c, h.Curator, link.With(link.Properties(e.ID), "back", opened(c, ""))); err != nil {
		return err
	}
	p := page.PropertiesProps{App: app, Entity: e, Back: opened(c, link.Entity(e.ID)), Problem: reason}
	if p.Edit, err = h.edit(c, link.With(link.Properties(e.ID), "back", opened(c, "")), e.Label, e.Properties, reason); err != nil {
		return err
	}
	return respond.HTML(c, status, page.PropertiesPage(p))
}

// edit returns the forms for the properties of an entity with a label, or of a
// relation of a type. After a refusal the field for a new one holds what was
// typed.
func (h *Handler) edit(c echo.Context, url, of string, have domain.Properties, reason string) (page.PropertyEdit, error) {
	p := page.PropertyEdit{URL: url, Properties: have, MaxValue: curate.MaxValue}
	if reason != "" && c.FormValue("was") == "" {
		p.Key, p.Value = c.FormValue("key"), c.FormValue("value")
	}
	var err error
	if p.Declared, err = h.Curator.Declared(c.Request().Context(), request.Workspace(c), of); err != nil {
		return p, err
	}
	p.Seen, err = h.seen(c)
	return p, err
}

// Properties changes or removes a property of an entity, as the form says. An
// invalid one shows the form again with the reason.
func (h *Handler) Properties(c echo.Context) error {
	entry, err := h.change(c, curate.Subject{Entity: id(c)})
	if reason := problem(err); reason != "" && h.both(c, id(c)) {
		return h.propertiesForm(c, http.StatusUnprocessableEntity, reason)
	}
	if err != nil {
		return err
	}
	return respond.SeeOther(c, link.Changed(link.With(link.Properties(id(c)), "back", opened(c, "")), entry.Seq))
}

// RelationProperty changes or removes a property of a relation.
func (h *Handler) RelationProperty(c echo.Context) error {
	relation := domain.RelationID(c.Param("relation"))
	entry, err := h.change(c, curate.Subject{Entity: id(c), Relation: relation})
	if reason := problem(err); reason != "" && h.both(c, id(c)) {
		return h.relationForm(c, http.StatusUnprocessableEntity, reason)
	}
	if err != nil {
		return err
	}
	return respond.SeeOther(c, link.Changed(link.Relation(id(c), relation), entry.Seq))
}

// change carries out the form of one property. Of a key with several values,
// only the one in the form is replaced or removed.
func (h *Handler) change(c echo.Context, on curate.Subject) (ledger.Curation, error) {
	ctx, w, who, key, was := c.Request().Context(), request.Workspace(c), frame.User(c), c.FormValue("key"), c.FormValue("was")
	if c.FormValue("remove") != "" {
		return h.curator(c).Unset(ctx, w, who, on, key, was)
	}
	return h.curator(c).Set(ctx, w, who, on, key, was, c.FormValue("value"))
}
