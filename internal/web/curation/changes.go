package curation

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Changes serves the curators' changes, newest first.
func (h *Handler) Changes(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	app, err := h.Frame.App(c, layout.Review, "Changes")
	if err != nil {
		return err
	}
	if app.Toast, err = present.Changed(c, h.Curator, link.Changes); err != nil {
		return err
	}
	which := curate.Which{Who: c.QueryParam("who"), Kind: ledger.CurationKind(c.QueryParam("kind"))}
	lines, total, err := h.Curator.Changes(ctx, w, which, request.Offset(c), request.PageSize)
	if err != nil {
		return err
	}
	p := page.ChangesProps{
		App: app, Pager: page.Pager{Offset: request.Offset(c), Limit: request.PageSize, Total: total}, Who: which.Who, Kind: string(which.Kind),
	}
	if p.Lists, err = h.tabs(ctx, w, app.Review); err != nil && domain.KindOf(err) != domain.Unavailable {
		return err
	}
	if p.Curators, err = h.Curator.Curators(ctx, w); err != nil {
		return err
	}
	for _, k := range curate.Kinds() {
		p.Kinds = append(p.Kinds, page.Choice{Value: string(k), Words: curate.KindInWords(k)})
	}
	for _, l := range lines {
		p.Items = append(p.Items, page.ChangeItem{
			Seq: l.Seq, At: l.At, Who: l.Who, Text: l.Text, Undone: l.Undone, Inert: l.Inert, Entity: entityOf(l),
		})
	}
	return respond.HTML(c, http.StatusOK, page.ChangesPage(p))
}

// entityOf returns the entity a line links to, or "" when it is hidden or gone.
func entityOf(l curate.Line) domain.EntityID {
	switch {
	case l.Kind == ledger.CurationHide || l.Entity.Name == "":
		return ""
	case l.Kind == ledger.CurationSplit && !l.Undone && !l.Inert:
		return domain.NewSplitID(l.Operation.Entity, l.Seq)
	}
	return l.Entity.ID
}
