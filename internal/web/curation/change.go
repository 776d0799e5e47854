package curation

import (
	"cmp"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// AskRename serves the form for an entity's name and label. It fails with kind
// NotFound for an unknown entity.
func (h *Handler) AskRename(c echo.Context) error { return h.renameForm(c, "") }

func (h *Handler) renameForm(c echo.Context, reason string) error {
	e, err := h.Curator.Entity(c.Request().Context(), request.Workspace(c), id(c))
	if err != nil {
		return err
	}
	name, text := e.Name, e.Label
	if reason != "" {
		name, text = c.FormValue("name"), c.FormValue("label")
	}
	label, err := h.label(c, text)
	if err != nil {
		return err
	}
	back := opened(c, "")
	return h.form(c, "Rename "+e.Name, page.Form{
		Crumbs: page.EntityCrumbs(e), Title: "Name and label", Problem: reason, URL: link.With(link.RenameEntity(e.ID), "back", back), Submit: "Save", ID: "save",
		Cancel: cmp.Or(back, link.Entity(e.ID)), Below: page.RenameNotes(),
		Fields: []page.Field{{Name: "name", Label: "Name", Value: name, Most: curate.MaxName, Focus: true}, label},
	})
}

// Rename changes an entity's name and label if the form holds others. Invalid
// ones show the form again with the reason.
func (h *Handler) Rename(c echo.Context) error {
	ctx, w, who := c.Request().Context(), request.Workspace(c), frame.User(c)
	e, err := h.Curator.Entity(ctx, w, id(c))
	if err != nil {
		return err
	}
	var entry ledger.Curation
	if label := c.FormValue("label"); label != e.Label {
		entry, err = h.curator(c).Relabel(ctx, w, who, e.ID, label)
	}
	if name := c.FormValue("name"); err == nil && name != e.Name {
		entry, err = h.curator(c).Rename(ctx, w, who, e.ID, name)
	}
	return h.done(c, entry, err, opened(c, link.Entity(e.ID)), h.renameForm)
}

// AskProperties serves the form for an entity's properties.
func (h *Handler) AskProperties(c echo.Context) error { return h.propertiesForm(c, "") }

func (h *Handler) propertiesForm(c echo.Context, reason string) error {
	e, err := h.Curator.Entity(c.Request().Context(), request.Workspace(c), id(c))
	if err != nil {
		return err
	}
	here := link.With(link.Properties(e.ID), "back", opened(c, ""))
	p := page.Form{Crumbs: page.EntityCrumbs(e), Title: "Properties of “" + e.Name + "”", Problem: reason}
	if p.App.Toast, err = present.Changed(c, h.Curator, here); err != nil {
		return err
	}
	edit, err := h.edit(c, here, e.Label, e.Properties, reason)
	if err != nil {
		return err
	}
	p.Below = page.EntityProperties(edit, opened(c, link.Entity(e.ID)))
	return h.form(c, "Properties of "+e.Name, p)
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
	return h.property(c, curate.Subject{Entity: id(c)}, link.With(link.Properties(id(c)), "back", opened(c, "")), h.propertiesForm)
}

// RelationProperty changes or removes a property of a relation.
func (h *Handler) RelationProperty(c echo.Context) error {
	relation := domain.RelationID(c.Param("relation"))
	return h.property(c, curate.Subject{Entity: id(c), Relation: relation}, link.Relation(id(c), relation), h.relationForm)
}

// property carries out the form of one property. Of a key with several values,
// only the one in the form is replaced or removed.
func (h *Handler) property(c echo.Context, on curate.Subject, to string, again func(echo.Context, string) error) error {
	ctx, w, who, key, was := c.Request().Context(), request.Workspace(c), frame.User(c), c.FormValue("key"), c.FormValue("was")
	var entry ledger.Curation
	var err error
	if c.FormValue("remove") != "" {
		entry, err = h.curator(c).Unset(ctx, w, who, on, key, was)
	} else {
		entry, err = h.curator(c).Set(ctx, w, who, on, key, was, c.FormValue("value"))
	}
	if !h.both(c, id(c)) {
		again = nil // the error says what became of the entity
	}
	return h.done(c, entry, err, to, again)
}

// AskSplit serves the form to split an entity.
func (h *Handler) AskSplit(c echo.Context) error { return h.splitForm(c, "") }

func (h *Handler) splitForm(c echo.Context, reason string) error {
	p, err := h.said(c.Request().Context(), request.Workspace(c), id(c))
	if err != nil {
		return err
	}
	e, back := p.Entity, opened(c, "")
	return h.form(c, "Split "+e.Name, page.Form{
		Crumbs: page.EntityCrumbs(e), Title: "Take a part out of “" + e.Name + "”", About: page.SplitAbout(), Problem: reason,
		URL: link.With(link.SplitEntity(e.ID), "back", back), Submit: "Take out", ID: "do-split", Cancel: cmp.Or(back, link.Entity(e.ID)),
		Fields: []page.Field{
			{Shown: page.SplitParts(p)},
			{Name: "name", Label: "Name of the new entity", Most: curate.MaxName, Optional: true, Placeholder: "as its passages write it"},
		},
	})
}

// Split moves the chosen passages and spellings to a new entity and goes to it.
// An invalid choice shows the form again with the reason.
func (h *Handler) Split(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return domain.Because(domain.Invalid, err, "The form could not be read.")
	}
	chunks := make([]domain.ChunkID, len(form["chunk"]))
	for i, chunk := range form["chunk"] {
		chunks[i] = domain.ChunkID(chunk)
	}
	ctx, w := c.Request().Context(), request.Workspace(c)
	entry, err := h.curator(c).Split(ctx, w, frame.User(c), id(c), chunks, form["form"], c.FormValue("name"))
	if err != nil {
		return h.done(c, entry, err, "", h.splitForm)
	}
	made := domain.NewSplitID(id(c), entry.Seq)
	if _, err := h.Graph.Entity(ctx, w, made); domain.KindOf(err) == domain.NotFound {
		return respond.SeeOther(c, link.Changed(link.Entity(id(c)), entry.Seq)) // the split has no effect
	}
	return h.done(c, entry, nil, opened(c, link.Entity(made)), nil)
}

// AskRelation serves the form for one relation of an entity. It fails with kind
// NotFound for an unknown relation.
func (h *Handler) AskRelation(c echo.Context) error { return h.relationForm(c, "") }

func (h *Handler) relationForm(c echo.Context, reason string) error {
	edge, err := h.Curator.Relation(c.Request().Context(), request.Workspace(c), id(c), domain.RelationID(c.Param("relation")))
	if err != nil {
		return err
	}
	entity, back := link.Entity(id(c)), opened(c, "")
	p := page.Form{
		Crumbs: []page.Crumb{{Text: "Entities", URL: link.Entities}, {Text: "back to the entity", URL: entity}}, Title: "How they are connected", Problem: reason,
		URL: link.With(link.Relation(id(c), edge.ID), "back", back), Submit: "Save", ID: "save", Secondary: page.DeleteRelation(), Cancel: cmp.Or(back, entity),
		Fields: []page.Field{
			{Shown: page.RelationEnd(edge.From.Name)},
			{Name: "type", Label: "Type of the relation", Value: format.Words(edge.Type), Focus: true},
			{Shown: page.RelationEnd(edge.To.Name)},
		},
	}
	if len(edge.Evidence) == 0 {
		p.About = page.RelationAbout()
	}
	if p.App.Toast, err = present.Changed(c, h.Curator, link.Relation(id(c), edge.ID)); err != nil {
		return err
	}
	edit, err := h.edit(c, link.RelationProperty(id(c), edge.ID), edge.Type, edge.Properties, reason)
	if err != nil {
		return err
	}
	p.Below = page.RelationProperties(edit)
	return h.form(c, "A relation of "+edge.From.Name, p)
}

// Relation hides a relation or changes its type, as the form says. An invalid
// type shows the form again with the reason.
func (h *Handler) Relation(c echo.Context) error {
	ctx, w, who, relation, back := c.Request().Context(), request.Workspace(c), frame.User(c), domain.RelationID(c.Param("relation")), opened(c, link.Entity(id(c)))
	if c.FormValue("hide") != "" {
		made, err := h.curator(c).HideRelation(ctx, w, who, id(c), relation)
		return h.done(c, made, err, back, nil)
	}
	made, err := h.curator(c).Retype(ctx, w, who, id(c), relation, c.FormValue("type"))
	return h.done(c, made, err, back, h.relationForm)
}
