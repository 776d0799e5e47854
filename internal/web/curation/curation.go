// Package curation serves the forms with which curators change the graph, the review of what may be wrong with it, and
// the list of changes, which it takes back.
package curation

import (
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/graph/worklist"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Handler serves curation. All fields are required.
type Handler struct {
	Frame     frame.Frame
	Graph     graphstore.Reader
	Ledger    *ledger.Ledger
	Curator   *curate.Curator
	Entities  *present.Entities
	Proposals *proposals.Service
	Schemas   *schemas.Service
	Lists     *graphstore.Cache[*worklist.Lists]
	Now       domain.Clock
}

// curator returns the curator for what the form, or the page, was based on.
func (h *Handler) curator(c echo.Context) *curate.Curator {
	seen, _ := strconv.ParseInt(c.FormValue("seen"), 10, 64) // a form without it is based on what is
	return h.Curator.Knowing(seen)
}

// form sends a form that changes the graph, based on what the graph says now.
func (h *Handler) form(c echo.Context, title string, p page.Form) error {
	var err error
	if p.Seen, err = h.seen(c); err != nil {
		return err
	}
	return h.Frame.Form(c, layout.Graph, title, p)
}

// done goes to an address after a change, which can be undone there. If the user can mend err in the form, again shows
// the form with the reason.
func (h *Handler) done(c echo.Context, entry ledger.Curation, err error, to string, again func(c echo.Context, reason string) error) error {
	if reason := problem(err); reason != "" && again != nil {
		return again(c, reason)
	}
	if err != nil {
		return err
	}
	if entry.Seq == 0 {
		return respond.SeeOther(c, to)
	}
	return respond.SeeOther(c, link.Changed(to, entry.Seq))
}

// seen returns the last change of the graph, on which a form is based. A form
// that is shown again is based on what it says then.
func (h *Handler) seen(c echo.Context) (int64, error) {
	return h.Graph.Cursor(c.Request().Context(), request.Workspace(c))
}

// opened returns the page from which a form was opened, which the form's address
// names, or other without one.
func opened(c echo.Context, other string) string { return request.Local(c.FormValue("back"), other) }

func id(c echo.Context) domain.EntityID { return domain.EntityID(c.Param("id")) }

// problem returns the message of an error that the user can fix in the form, or
// "" for any other.
func problem(err error) string {
	if kind := domain.KindOf(err); kind != domain.Invalid && kind != domain.Conflict {
		return ""
	}
	return respond.ProblemOf(err).Message
}

// Undo takes back a change and returns to the page in the form field back. It
// fails with kind NotFound for an unknown change and Conflict for one that is
// already taken back.
func (h *Handler) Undo(c echo.Context) error {
	seq, err := strconv.ParseInt(c.Param("seq"), 10, 64)
	if err != nil {
		return domain.Errorf(domain.NotFound, "There is no such change.")
	}
	entry, err := h.Curator.Undo(c.Request().Context(), request.Workspace(c), frame.User(c), seq)
	if err != nil {
		return err
	}
	back, err := h.still(c, request.Local(c.FormValue("back"), link.Changes))
	if err != nil {
		return err
	}
	return respond.SeeOther(c, link.Changed(back, entry.Seq))
}

// still returns an address, or the nearest one if it is of an entity that the
// change took out of the graph.
func (h *Handler) still(c echo.Context, address string) (string, error) {
	rest, of := strings.CutPrefix(address, link.Entity(""))
	gone := domain.EntityID(rest)
	if !of || strings.ContainsAny(rest, "/?#") {
		return address, nil
	}
	ctx, w := c.Request().Context(), request.Workspace(c)
	if _, err := h.Graph.Entity(ctx, w, gone); domain.KindOf(err) != domain.NotFound {
		return address, err
	}
	now, err := h.Curator.Successor(ctx, w, gone)
	if err != nil || now == gone {
		return link.Entities, err
	}
	if _, err := h.Graph.Entity(ctx, w, now); domain.KindOf(err) != domain.NotFound {
		return link.Entity(now), err
	}
	return link.Entities, nil
}

// Hide deletes an entity from the graph and returns to the page in the form field
// back, or shows the list of entities.
func (h *Handler) Hide(c echo.Context) error {
	entry, err := h.Curator.Hide(c.Request().Context(), request.Workspace(c), frame.User(c), id(c))
	return h.done(c, entry, err, opened(c, link.Entities), nil)
}
