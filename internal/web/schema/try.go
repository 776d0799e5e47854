package schema

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// try shows what the draft makes of a few chunks, and what putting it in force
// would cost.
func (h *Handler) try(c echo.Context, of schemas.Scope, d draft) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	draft := schemas.Draft{Scope: of, Guide: d.guide}
	chosen, err := h.Trial.Saying(ctx, w, draft, d.form.Words)
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
	run := page.DryRun{
		Of: t.Of, Model: h.Trial.Extractor.Asks(), Calls: t.Cost.Calls, Tokens: t.Cost.Tokens.Input + t.Cost.Tokens.Output, Took: t.Took, Bill: billOf(bill),
	}
	if t.Money != nil {
		run.Cost = t.Money.String()
	}
	for _, c := range t.Chunks {
		run.Chunks = append(run.Chunks, dryChunk(c))
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
		v, err := h.Schemas.Save(ctx, w, schemas.Draft{Scope: of, Base: d.base, Who: frame.User(c), Note: d.form.Note, Guide: d.guide})
		if err != nil {
			return h.settled(c, of, d, v, err)
		}
	}
	if _, err := h.Trial.Apply(ctx, w); err != nil {
		return err
	}
	return respond.SeeOther(c, link.With(link.Documents, "done", "schema"))
}

// allow shows the draft with what the button's item lacks. Where that asks no
// model, the dry run is repeated, so that the item is seen to come back.
func (h *Handler) allow(c echo.Context, of schemas.Scope, d draft) error {
	typed := d.form
	d.allow(present.Allowed(c.FormValue("do")))
	d.form = formOf(d.guide)
	d.form.Base, d.form.Note, d.form.Words = typed.Base, typed.Note, typed.Words
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
func (d *draft) allow(item domain.Dropped) {
	g, said := schemas.Allow(d.guide, item)
	if said == "" {
		d.begun = "The draft allows this already, or lacks the label or type that it belongs to."
		return
	}
	d.guide, d.begun = g, "The draft allows "+said+". Nothing is saved yet."
}

func dryChunk(c schemas.Tried) page.DryChunk {
	out := page.DryChunk{
		Document: c.Document, Name: c.Name, Number: c.Chunk.Ordinal + 1, Passage: passage(c.Chunk, c.Draft.Graph),
		Now: drySide(c.Now, c.Chunk, "Graph of this chunk now"), Draft: drySide(c.Draft, c.Chunk, "Graph of this chunk with the draft"), Problem: c.Problem,
		Asked: asked(c.Need),
	}
	out.Now.Version, out.Draft.Version = "no schema", "draft"
	if c.Now.Schema > 0 {
		out.Now.Version = fmt.Sprintf("version %d", c.Now.Schema)
	}
	return out
}

// passage cuts a chunk at the mentions of a graph.
func passage(c domain.Chunk, g domain.GraphDocument) []page.DryPiece {
	var spans []domain.Span
	for _, n := range g.Nodes {
		spans = append(spans, n.Spans...)
	}
	slices.SortFunc(spans, func(a, b domain.Span) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	var out []page.DryPiece
	at := 0
	for _, s := range spans {
		s = s.Shift(-c.Span.Start)
		if s.Start < at {
			continue
		}
		out = append(out, page.DryPiece{Text: domain.Span{Start: at, End: s.Start}.Slice(c.Text)}, page.DryPiece{Text: s.Slice(c.Text), Marked: true})
		at = s.End
	}
	return append(out, page.DryPiece{Text: domain.Span{Start: at, End: domain.Runes(c.Text)}.Slice(c.Text)})
}

func drySide(s schemas.Side, c domain.Chunk, label string) page.DrySide {
	side := page.DrySide{Entities: len(s.Graph.Nodes), Picture: picture(s.Graph, label)}
	for _, n := range s.Graph.Nodes {
		if n.Label == domain.UnknownLabel {
			side.Unsorted++
			side.Names = append(side.Names, n.Name)
			continue
		}
		side.Names = append(side.Names, n.Name+" ("+n.Label+")")
	}
	for _, r := range s.Graph.Relationships {
		side.Relations = append(side.Relations, s.Graph.Nodes[r.Source].Name+" "+r.Type+" "+s.Graph.Nodes[r.Target].Name)
	}
	for _, d := range s.Dropped {
		side.Dropped = append(side.Dropped, present.Dropped(d, c.Document))
	}
	return side
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

// asked says why a chunk was asked for.
func asked(a extract.Again) string {
	if a.Need == extract.NoNeed || a.Need == extract.NeedNew {
		return ""
	}
	return "The model was asked, because the chunk " + because(a.Need, a.About) + "."
}

// because says in words why a chunk has to be asked for.
func because(n extract.Need, about []string) string {
	const most = 5
	list := strings.Join(about[:min(most, len(about))], ", ")
	if len(about) > most {
		list += " and others"
	}
	switch n {
	case extract.NeedTold:
		return "would be read by other instructions, examples or settings"
	case extract.NeedGone:
		return "holds something that no longer fits: " + list
	case extract.NeedWords:
		return "says a word of what is new: " + list
	case extract.NeedMore:
		return "holds something of which more is asked: " + list
	}
	return "was not read by this model yet"
}

func billOf(b schemas.Bill) page.ReadingBill {
	out := page.ReadingBill{
		Chunks: b.Chunks, Of: b.Of, Documents: b.Documents, Asked: b.Asked, Applied: b.Applied, Calls: b.Calls,
		FromTokens: b.Tokens.From, ToTokens: b.Tokens.To, FromSeconds: b.Seconds.From, ToSeconds: b.Seconds.To, Busy: b.Busy, Money: moneyOf(b.Money),
	}
	if b.Calls == 0 {
		return out
	}
	for _, why := range b.Why {
		out.Why = append(out.Why, fmt.Sprintf("%d: it %s", why.Chunks, because(why.Need, why.About)))
	}
	return out
}

// moneyOf writes an estimate, "" for none.
func moneyOf(m *costs.MoneyRange) string {
	if m == nil {
		return ""
	}
	return m.String()
}
