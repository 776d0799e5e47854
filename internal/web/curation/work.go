package curation

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/worklist"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Limits of one work list.
const (
	maxRows    = 20
	maxChoices = 9 // labels with a key
)

// description holds the page's sentences about a work list.
type description struct{ tab, title, lede, empty string }

var descriptions = map[worklist.Name]description{
	worklist.Unlabelled: {"Without a label", "Without a label",
		"What is it: a person, a place, a work? The most mentioned names come first, names that only titles of documents have last.", "Every entity has a label."},
	worklist.Contradictions: {"Contradictions", "Contradictions",
		"Two values where one is right. A false relation can be hidden; two things under one name can be split.", "No entity has two values for what it has one of."},
	worklist.Weak: {"One weak sentence", "Relations with one weak sentence",
		"One passage states them, in words that leave doubt, far apart, or between names without a label. The least sure come first.", "Every relation is stated clearly, or by several passages."},
	worklist.Orphans: {"Without relations", "Without relations",
		"No sentence connects them with another entity. Some are no names at all: hide them.", "Every entity has a relation."},
	worklist.Once: {"One document", "Names that one document has",
		"Among them are misspelt names and second names of entities that are known already.", "Every entity is mentioned in several documents."},
}

// tabs lists the work lists with their counts. While the graph is away there are
// none to count.
func (h *Handler) tabs(ctx context.Context, w domain.WorkspaceID, pairs int) ([]page.WorkTab, error) {
	lists, err := h.lists(ctx, w)
	if err != nil {
		return nil, err
	}
	return tabsOf(lists, pairs), nil
}

func tabsOf(lists *worklist.Lists, pairs int) []page.WorkTab {
	tabs := []page.WorkTab{{Title: "Perhaps the same", Count: pairs}}
	for _, name := range worklist.Names() {
		tabs = append(tabs, page.WorkTab{List: string(name), Title: descriptions[name].tab, Count: lists.Count(name)})
	}
	return tabs
}

// lists returns the work lists, by the graph and by what schemas say an entity has
// one of.
func (h *Handler) lists(ctx context.Context, w domain.WorkspaceID) (*worklist.Lists, error) {
	lists, err := h.Lists.Get(ctx, w)
	if err != nil {
		return nil, err
	}
	set, err := h.Schemas.InForce(ctx, w)
	return lists.By(set), err
}

// work serves a work list.
func (h *Handler) work(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	work := link.Work{List: c.QueryParam("list"), Label: c.QueryParam("label"), Document: domain.DocumentID(c.QueryParam("doc")), Offset: request.Offset(c)}
	said, known := descriptions[worklist.Name(work.List)]
	if !known {
		return domain.Errorf(domain.NotFound, "There is no work list %q. Choose one on the page of the review.", work.List)
	}
	app, err := h.app(c, said.title)
	if err != nil {
		return err
	}
	lists, err := h.lists(ctx, w)
	if err != nil {
		return err
	}
	p := page.WorkProps{App: app, Work: work, Title: said.title, Lede: said.lede, Empty: said.empty}
	p.Lists = tabsOf(lists, app.Review)
	items, total := lists.Page(worklist.Name(work.List), worklist.Filter{Label: work.Label, Document: work.Document}, work.Offset, maxRows)
	p.Pager = page.Pager{Offset: work.Offset, Limit: maxRows, Total: total}
	for _, l := range lists.Labels(worklist.Name(work.List)) {
		p.Labels = append(p.Labels, page.LabelCount{Label: l.Label, Count: l.Count})
	}
	if p.Rows, err = h.rows(ctx, w, items); err != nil {
		return err
	}
	if p.Choices, err = h.choices(ctx, w); err != nil {
		return err
	}
	if work.Document != "" {
		doc, err := h.Ledger.Document(ctx, w, work.Document)
		if err != nil {
			return err
		}
		p.Document = doc.Name
	}
	return respond.HTML(c, http.StatusOK, page.WorkPage(p))
}

// choices returns the labels to give: those of the library's schema, then the most
// frequent.
func (h *Handler) choices(ctx context.Context, w domain.WorkspaceID) ([]string, error) {
	inForce, err := h.Schemas.Latest(ctx, w, schemas.Scope{})
	if err != nil {
		return nil, err
	}
	labels, err := h.Graph.Labels(ctx, w)
	if err != nil {
		return nil, err
	}
	var choices []string
	add := func(label string) {
		if label != domain.UnknownLabel && len(choices) < maxChoices && !slices.Contains(choices, label) {
			choices = append(choices, label)
		}
	}
	for _, l := range inForce.Guide.Schema.Labels {
		add(schemas.ItemName(schemas.Labels, l.Name))
	}
	for _, l := range labels {
		add(l.Label)
	}
	return choices, nil
}

// rows returns entries with their sentences: those that state a relation, or the
// first that names the entity.
func (h *Handler) rows(ctx context.Context, w domain.WorkspaceID, items []worklist.Item) ([]page.WorkRow, error) {
	var ids []domain.EntityID
	var chunks []domain.ChunkID
	var refs []graphstore.RelationRef
	for _, it := range items {
		ids, refs = append(ids, it.Entity), append(refs, it.Relations...)
		if len(it.Relations) == 0 {
			chunks = append(append(chunks, it.Chunk), it.Chunks...)
		}
	}
	named, err := h.named(ctx, w, ids)
	if err != nil {
		return nil, err
	}
	edges, err := h.stated(ctx, w, refs)
	if err != nil {
		return nil, err
	}
	for _, e := range edges {
		chunks = append(chunks, first(e).Chunk)
	}
	passages, err := h.Ledger.Passages(ctx, w, chunks)
	if err != nil {
		return nil, err
	}
	text := map[domain.ChunkID]domain.Passage{}
	for _, p := range passages {
		text[p.ID] = p
	}
	var rows []page.WorkRow
	for _, it := range items {
		e, there := named[it.Entity]
		if !there {
			continue // changed since the list was made
		}
		rows = append(rows, rowOf(it, e, edges, text))
	}
	return rows, nil
}

func (h *Handler) stated(ctx context.Context, w domain.WorkspaceID, refs []graphstore.RelationRef) (map[domain.RelationID]graphstore.Edge, error) {
	edges := map[domain.RelationID]graphstore.Edge{}
	if len(refs) == 0 {
		return edges, nil
	}
	found, err := h.Graph.Stated(ctx, w, refs)
	for _, e := range found {
		edges[e.ID] = e
	}
	return edges, err
}

// first returns the first passage that states a relation. It is zero for one that
// a curator added without a source.
func first(e graphstore.Edge) domain.Evidence {
	if len(e.Evidence) == 0 {
		return domain.Evidence{}
	}
	return e.Evidence[0]
}

func rowOf(it worklist.Item, e domain.Entity, edges map[domain.RelationID]graphstore.Edge, text map[domain.ChunkID]domain.Passage) page.WorkRow {
	row := page.WorkRow{Entity: e, Says: disagreement(e, it.Property)}
	if it.Sure > 0 {
		row.Says = fmt.Sprintf("Read with a confidence of %.2f.", it.Sure)
	}
	var targets []string
	for _, ref := range it.Relations {
		edge, there := edges[ref.ID]
		if !there {
			continue
		}
		row.Relations = append(row.Relations, present.RelationRow(edge, e.ID, edge.To))
		targets = append(targets, edge.To.Name)
		if p, there := text[first(edge).Chunk]; there {
			row.Sentences = append(row.Sentences, present.Sentence(p, first(edge).Spans, edge.From, edge.To))
		}
	}
	if len(targets) > 1 {
		row.Says = format.Words(edges[it.Relations[0].ID].Type) + ": " + strings.Join(targets, " or ") + "?"
	}
	if it.Property != "" {
		row.Sentences = stating(it, e, text)
	}
	if p, there := text[it.Chunk]; there && len(row.Relations)+len(row.Sentences) == 0 {
		row.Sentences = append(row.Sentences, present.Sentence(p, nil, e))
	}
	return row
}

// stating returns a sentence for each value of the property in which an entity
// contradicts itself: the first that says it where the entity is mentioned.
func stating(it worklist.Item, e domain.Entity, text map[domain.ChunkID]domain.Passage) []page.PassageItem {
	var all []page.PassageItem
	for _, p := range e.Properties {
		if p.Key != it.Property {
			continue
		}
		for _, id := range it.Chunks {
			if at, said := saying(text[id], p.Value); said {
				all = append(all, present.Sentence(text[id], []domain.Span{at}, e))
				break
			}
		}
	}
	return all
}

// saying returns the sentence of a passage that says a value, as a span of the
// document.
func saying(p domain.Passage, value string) (domain.Span, bool) {
	for _, s := range prose.Sentences(p.Text) {
		if value != "" && strings.Contains(strings.ToLower(s.Slice(p.Text)), strings.ToLower(value)) {
			return s.Shift(p.Span.Start), true
		}
	}
	return domain.Span{}, false
}

// disagreement says which values a property has.
func disagreement(e domain.Entity, key string) string {
	var values []string
	for _, p := range e.Properties {
		if key != "" && p.Key == key {
			values = append(values, p.Value)
		}
	}
	if len(values) < 2 {
		return ""
	}
	return format.Words(key) + ": " + strings.Join(values, " or ") + "?"
}

// Work carries out a decision about an entry of a work list: it labels or hides
// an entity, or hides a relation.
func (h *Handler) Work(c echo.Context) error {
	ctx, w, who := c.Request().Context(), request.Workspace(c), frame.User(c)
	id := domain.EntityID(c.FormValue("entity"))
	var entry ledger.Curation
	var err error
	switch c.FormValue("do") {
	case "hide":
		entry, err = h.Curator.Hide(ctx, w, who, id)
	case "hide-relation":
		entry, err = h.Curator.HideRelation(ctx, w, who, id, domain.RelationID(c.FormValue("relation")))
	default:
		entry, err = h.Curator.Relabel(ctx, w, who, id, c.FormValue("label"))
	}
	if err != nil {
		return err
	}
	back := request.Local(c.FormValue("back"), link.Review)
	if !respond.Fragment(c) {
		return respond.SeeOther(c, link.ChangedAll(back, []int64{entry.Seq}))
	}
	toast, err := h.toast(ctx, w, []int64{entry.Seq}, back)
	if err != nil {
		return err
	}
	return respond.HTML(c, http.StatusOK, page.Decided(nil, toast))
}
