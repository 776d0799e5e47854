package curation

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/curate"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// AskRename serves the form for an entity's name and label. It fails with kind
// NotFound for an unknown entity.
func (h *Handler) AskRename(c echo.Context) error {
	e, err := h.Curator.Entity(c.Request().Context(), request.Workspace(c), id(c))
	if err != nil {
		return err
	}
	return h.renameForm(c, http.StatusOK, page.RenameProps{Entity: e, Name: e.Name, Label: e.Label})
}

func (h *Handler) renameForm(c echo.Context, status int, p page.RenameProps) error {
	app, err := h.Frame.App(c, layout.Graph, "Rename "+p.Entity.Name)
	if err != nil {
		return err
	}
	labels, err := h.Graph.Labels(c.Request().Context(), request.Workspace(c))
	if err != nil {
		return err
	}
	if p.Seen, err = h.seen(c); err != nil {
		return err
	}
	p.Back = opened(c, "")
	p.App, p.MaxName, p.Labels = app, curate.MaxName, labelsOf(labels)
	return respond.HTML(c, status, page.RenamePage(p))
}

// labelsOf returns the labels of counts.
func labelsOf(counts []graphstore.LabelCount) []string {
	labels := make([]string, len(counts))
	for i, l := range counts {
		labels[i] = l.Label
	}
	return labels
}

// Rename changes an entity's name and label if the form holds others. Invalid
// ones show the form again with the reason.
func (h *Handler) Rename(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	e, err := h.Curator.Entity(ctx, w, id(c))
	if err != nil {
		return err
	}
	name, label := c.FormValue("name"), c.FormValue("label")
	entry, err := h.rename(c, e, name, label)
	if reason := problem(err); reason != "" {
		return h.renameForm(c, http.StatusUnprocessableEntity, page.RenameProps{Entity: e, Name: name, Label: label, Problem: reason})
	}
	if err != nil {
		return err
	}
	if entry.Seq == 0 {
		return respond.SeeOther(c, opened(c, link.Entity(e.ID)))
	}
	return respond.SeeOther(c, link.Changed(opened(c, link.Entity(e.ID)), entry.Seq))
}

func (h *Handler) rename(c echo.Context, e domain.Entity, name, label string) (entry ledger.Curation, err error) {
	ctx, w, who := c.Request().Context(), request.Workspace(c), frame.User(c)
	if label != e.Label {
		if entry, err = h.curator(c).Relabel(ctx, w, who, e.ID, label); err != nil {
			return entry, err
		}
	}
	if name != e.Name {
		return h.curator(c).Rename(ctx, w, who, e.ID, name)
	}
	return entry, nil
}
