package schema

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// try shows what the draft makes of a few chunks, and what putting it in force
// would cost.
func (h *Handler) try(c echo.Context, of schemas.Scope, d draft) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	draft := schemas.Draft{Scope: of, Guide: d.guide}
	chosen, err := h.Trial.Saying(ctx, w, draft, d.form.Fields["words"])
	if err == nil {
		var run page.DryRun
		if run, err = h.dryRun(ctx, w, draft, chosen); err == nil {
			run.Open = d.open
			d.tried = &run
			return h.again(c, http.StatusOK, of, d)
		}
	}
	switch domain.KindOf(err) {
	case domain.Invalid, domain.NotFound, domain.Unavailable, domain.Capped:
		d.said = domain.InWords(err)
		return h.again(c, http.StatusUnprocessableEntity, of, d)
	}
	return err
}

func (h *Handler) dryRun(ctx context.Context, w domain.WorkspaceID, d schemas.Draft, chosen []domain.ChunkID) (page.DryRun, error) {
	t, err := h.Trial.Run(ctx, w, d, chosen)
	if err != nil {
		return page.DryRun{}, err
	}
	bill, err := h.Trial.Bill(ctx, w, d)
	if err != nil {
		return page.DryRun{}, err
	}
	run := page.DryRun{Trial: t, Bill: bill, Model: h.Trial.Extractor.Asks()}
	for _, c := range t.Chunks {
		chunk := page.DryChunk{Tried: c, Before: picture(c.Now.Graph, lang.T(ctx, "Graph of this chunk now")), After: picture(c.Draft.Graph, lang.T(ctx, "Graph of this chunk with the draft"))}
		for _, d := range c.Draft.Dropped {
			chunk.Lost = append(chunk.Lost, present.Dropped(ctx, d, c.Chunk.Document))
		}
		run.Chunks = append(run.Chunks, chunk)
	}
	return run, nil
}

// saveAndRead saves the draft and has read again what it changes. A draft that is
// in force already is not saved once more.
func (h *Handler) saveAndRead(c echo.Context, of schemas.Scope, d draft) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	latest, err := h.Schemas.Latest(ctx, w, of)
	if err != nil {
		return err
	}
	if latest.Guide.Hash() != d.guide.Hash() {
		v, err := h.Schemas.Save(ctx, w, schemas.Draft{Scope: of, Base: d.base, Who: frame.User(c), Note: d.form.Fields["note"], Guide: d.guide})
		if err != nil {
			return h.settled(c, of, d, v, err)
		}
	}
	_, err = h.Trial.Apply(ctx, w)
	return respond.After(c, err, link.With(link.Documents, "done", "schema"))
}

// allow shows the draft with what the button's item lacks. Where that asks no
// model, the dry run is repeated, so that the item is seen to come back.
func (h *Handler) allow(c echo.Context, of schemas.Scope, d draft) error {
	typed := d.form.Fields
	d.allow(c.Request().Context(), present.Allowed(c.FormValue("do")))
	d.form = formOf(d.guide)
	d.form.Fields["note"], d.form.Fields["words"] = typed["note"], typed["words"]
	if h.Trial.Extractor.Asks() {
		return h.again(c, http.StatusOK, of, d)
	}
	d.open = chunkOf(c.FormValue("do"))
	return h.try(c, of, d)
}

// chunkOf returns the place of the chunk in which a button stands: "allow@2.label.Person".
func chunkOf(do string) int {
	verb, _, _ := strings.Cut(do, ".")
	_, at, _ := strings.Cut(verb, "@")
	n, _ := strconv.Atoi(at) // the first chunk for none
	return n
}

// allow adds to the draft what a dropped item lacks.
func (d *draft) allow(ctx context.Context, item domain.Dropped) {
	g, said := schemas.Allow(d.guide, item)
	if said == "" {
		d.begun = lang.T(ctx, "The draft already allows this, or lacks the label or type it belongs to.")
		return
	}
	d.guide, d.begun = g, lang.F(ctx, "The draft allows %s. Nothing is saved yet.", said)
}

// picture returns a small picture of a chunk's graph.
func picture(g domain.GraphDocument, label string) *partial.GraphPictureProps {
	a := &graphstore.Adjacency{}
	for i, n := range g.Nodes {
		a.Entities = append(a.Entities, graphstore.AdjacentEntity{ID: domain.EntityID(fmt.Sprintf("%06d", i)), Name: n.Name, Label: n.Label})
	}
	for _, r := range g.Relationships {
		a.Relations = append(a.Relations, graphstore.AdjacentRelation{Source: int32(r.Source), Target: int32(r.Target), Type: r.Type, Evidence: int32(len(r.Spans))})
	}
	return present.Picture(explore.New(a).Part(explore.Filter{}, present.PictureNodes), "", "", label)
}
