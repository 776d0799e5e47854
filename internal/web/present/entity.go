package present

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

// Limits of one entity page.
const (
	maxRelations = 200
	maxPassages  = 30
	maxLinks     = 50_000
)

// Entities collects entities with their evidence. All fields but Browser are
// required.
type Entities struct {
	Graph   graphstore.Reader
	Ledger  *ledger.Ledger
	Browser string // address of Neo4j Browser
}

// A Describer describes a curator's change in a sentence without its full stop.
// The error is NotFound for an unknown one.
type Describer interface {
	Describe(ctx context.Context, w domain.WorkspaceID, seq int64) (text string, undone bool, err error)
}

// Changed returns the message about the curator's change that led to a page, as
// its address says, with a button to undo it that leads back to the page at back.
func Changed(c echo.Context, curator Describer, back string) (layout.Toast, error) {
	seq := int64(request.Int(c, "change"))
	if seq == 0 {
		return layout.Toast{}, nil
	}
	return ChangeToast(c.Request().Context(), request.Workspace(c), curator, seq, back)
}

// ChangeToast returns the message about a change. It is empty for an unknown one.
func ChangeToast(ctx context.Context, w domain.WorkspaceID, curator Describer, seq int64, back string) (layout.Toast, error) {
	text, undone, err := curator.Describe(ctx, w, seq)
	switch {
	case domain.KindOf(err) == domain.NotFound:
		return layout.Toast{}, nil
	case err != nil:
		return layout.Toast{}, err
	case undone:
		return layout.Toast{Text: text + "."}, nil
	}
	return layout.Toast{Text: text + ".", Action: "Undo", URL: link.UndoChange(seq), Back: back}, nil
}

// Sentences cuts a passage to the sentences with its marks.
func Sentences(p page.PassageItem) page.PassageItem {
	out := p
	out.Text, out.Marks = "", nil
	last := -1
	for i, s := range prose.Sentences(p.Text) {
		var marks []domain.Span
		for _, m := range p.Marks {
			if s.Overlaps(m) {
				marks = append(marks, domain.Span{Start: max(m.Start, s.Start), End: min(m.End, s.End)})
			}
		}
		if len(marks) == 0 {
			continue
		}
		if last >= 0 {
			out.Text = strings.TrimRight(out.Text, " \r\n\t") + " "
		}
		if last >= 0 && i > last+1 {
			out.Text += "… "
		}
		at := domain.Runes(out.Text)
		for _, m := range marks {
			out.Marks = append(out.Marks, m.Shift(at-s.Start))
		}
		out.Text, last = out.Text+s.Slice(p.Text), i
	}
	if last < 0 {
		return p
	}
	return out
}

// Props returns an entity with its relations and passages, without the page
// frame. It fails with kind NotFound for an unknown entity.
func (p *Entities) Props(ctx context.Context, w domain.WorkspaceID, id domain.EntityID) (page.EntityProps, error) {
	e, err := p.Graph.Entity(ctx, w, id)
	if err != nil {
		return page.EntityProps{}, err
	}
	props := page.EntityProps{Entity: e}
	if p.Browser != "" {
		props.Neo4j = link.Neo4jBrowser(p.Browser, w, e.ID)
	}
	if props.Out, props.In, err = p.relations(ctx, w, e.ID); err != nil {
		return props, err
	}
	return props, p.passages(ctx, w, e, &props)
}

// Brief returns an entity with some of its sentences, and without relations.
func (p *Entities) Brief(ctx context.Context, w domain.WorkspaceID, id domain.EntityID) (page.EntityProps, error) {
	const few = 2
	e, err := p.Graph.Entity(ctx, w, id)
	if err != nil {
		return page.EntityProps{}, err
	}
	links, err := p.Graph.Links(ctx, w, id, 3*few)
	if err != nil {
		return page.EntityProps{}, err
	}
	var ids []domain.ChunkID
	spans := map[domain.ChunkID][]domain.Span{}
	for _, l := range links {
		if len(l.Spans) > 0 && len(ids) < few {
			ids, spans[l.Chunk] = append(ids, l.Chunk), l.Spans
		}
	}
	found, err := p.Ledger.Passages(ctx, w, ids)
	props := page.EntityProps{Entity: e}
	for _, f := range found {
		props.Passages = append(props.Passages, Sentences(passageItem(f, spans[f.ID])))
	}
	return props, err
}

// relations returns an entity's relations by direction.
func (p *Entities) relations(ctx context.Context, w domain.WorkspaceID, id domain.EntityID) (out, in []page.RelationRow, err error) {
	edges, err := p.Graph.Relations(ctx, w, id, maxRelations)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range edges {
		other := e.To
		if e.Source != id {
			other = e.From
		}
		row := RelationRow(e, id, other)
		if e.Source == id {
			out = append(out, row)
		} else {
			in = append(in, row)
		}
	}
	return out, in, nil
}

// RelationRow returns a relation as a row in the list of the entity of, with
// other at the far end.
func RelationRow(e graphstore.Edge, of domain.EntityID, other domain.Entity) page.RelationRow {
	row := page.RelationRow{ID: e.ID, Entity: of, Type: e.Type, Other: EntityItem(other), ByHand: len(e.Evidence) == 0}
	for _, ev := range e.Evidence {
		row.Evidence += len(ev.Spans)
		if row.URL == "" && len(ev.Spans) > 0 {
			row.URL = link.Passage(ev.Document, ev.Spans[0])
		}
	}
	return row
}

// EntityItem returns the link to an entity.
func EntityItem(e domain.Entity) partial.EntityItem {
	return partial.EntityItem{ID: e.ID, Label: e.Label, Name: e.Name}
}

// passages fills in the passages that mention an entity, and the documents they
// come from.
func (p *Entities) passages(ctx context.Context, w domain.WorkspaceID, e domain.Entity, props *page.EntityProps) error {
	links, err := p.Graph.Links(ctx, w, e.ID, maxLinks)
	if err != nil {
		return err
	}
	links = slices.DeleteFunc(links, func(l graphstore.Link) bool { return len(l.Spans) == 0 })
	shown := links[:min(len(links), maxPassages)]
	ids := make([]domain.ChunkID, len(shown))
	spans := map[domain.ChunkID][]domain.Span{}
	for i, l := range shown {
		ids[i] = l.Chunk
		spans[l.Chunk] = l.Spans
	}
	found, err := p.Ledger.Passages(ctx, w, ids)
	if err != nil {
		return err
	}
	names := map[domain.DocumentID]string{}
	for _, f := range found {
		names[f.Document] = f.Name
		props.Passages = append(props.Passages, passageItem(f, spans[f.ID]))
	}
	props.More = len(links) - len(shown)
	if err := p.name(ctx, w, links[len(shown):], names); err != nil {
		return err
	}
	props.Sources = sources(links, names)
	return nil
}

// name looks up the names of documents that none of the shown passages comes
// from.
func (p *Entities) name(ctx context.Context, w domain.WorkspaceID, links []graphstore.Link, names map[domain.DocumentID]string) error {
	var ids []domain.ChunkID
	for i, l := range links {
		if names[l.Document] == "" && (i == 0 || l.Document != links[i-1].Document) {
			ids = append(ids, l.Chunk)
		}
	}
	found, err := p.Ledger.Passages(ctx, w, ids)
	for _, f := range found {
		names[f.Document] = f.Name
	}
	return err
}

// passageItem returns a passage with its mentions marked.
func passageItem(f domain.Passage, spans []domain.Span) page.PassageItem {
	marks := make([]domain.Span, len(spans))
	for i, s := range spans {
		marks[i] = s.Shift(-f.Span.Start)
	}
	return page.PassageItem{Chunk: f.ID, Document: f.Document, Name: f.Name, Page: f.PageOf(spans[0]), Place: f.Place(spans[0]), Text: f.Text, Marks: marks, URL: link.Passage(f.Document, spans[0])}
}

// maxTogether is how many passages are shown of those that mention two entities.
const maxTogether = 8

// Together returns the sentences of passages that mention both entities, of the first
// passages, and how many there are.
func (p *Entities) Together(ctx context.Context, w domain.WorkspaceID, a, b domain.EntityID) ([]page.PassageItem, int, error) {
	spans := map[domain.ChunkID][]domain.Span{}
	of, err := p.Graph.Links(ctx, w, a, maxLinks)
	if err != nil {
		return nil, 0, err
	}
	for _, l := range of {
		if len(l.Spans) > 0 {
			spans[l.Chunk] = l.Spans
		}
	}
	if of, err = p.Graph.Links(ctx, w, b, maxLinks); err != nil {
		return nil, 0, err
	}
	var both []domain.ChunkID
	for _, l := range of {
		if spans[l.Chunk] == nil || len(l.Spans) == 0 {
			continue
		}
		both = append(both, l.Chunk)
		marks := slices.Concat(spans[l.Chunk], l.Spans)
		slices.SortFunc(marks, func(x, y domain.Span) int { return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.End, y.End)) })
		spans[l.Chunk] = marks
	}
	found, err := p.Ledger.Passages(ctx, w, both[:min(len(both), maxTogether)])
	var items []page.PassageItem
	for _, f := range found {
		items = append(items, Sentences(passageItem(f, spans[f.ID])))
	}
	return items, len(both), err
}

// Companions lists the names that passages mention together with an entity more often
// than by chance.
func Companions(g *explore.Graph, id domain.EntityID) []page.CompanionItem {
	var out []page.CompanionItem
	for _, c := range g.Companions(id) {
		out = append(out, page.CompanionItem{EntityItem: partial.EntityItem{ID: c.ID, Label: c.Label, Name: c.Name}, Together: c.Together})
	}
	return out
}

// sources counts an entity's mentions by document, most first.
func sources(links []graphstore.Link, names map[domain.DocumentID]string) []page.SourceItem {
	var items []page.SourceItem
	at := map[domain.DocumentID]int{}
	for _, l := range links {
		i, ok := at[l.Document]
		if !ok {
			i = len(items)
			at[l.Document] = i
			items = append(items, page.SourceItem{ID: l.Document, Name: cmp.Or(names[l.Document], string(l.Document))})
		}
		items[i].Count += len(l.Spans)
	}
	slices.SortStableFunc(items, func(a, b page.SourceItem) int { return b.Count - a.Count })
	return items
}
