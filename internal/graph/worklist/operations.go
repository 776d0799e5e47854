package worklist

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/prose"
)

// A Desk makes work lists.
type Desk struct {
	Graph   graphstore.Reader
	Texts   explore.Texts
	Schemas *schemas.Service
	Kept    *graphstore.Cache[*Lists]
}

// keptUnused is how long lists, which hold the graph, are kept after their last use.
const keptUnused = time.Minute

// NewCache returns a cache for the lists of up to most workspaces.
func NewCache(store graphstore.Whole, most int) *graphstore.Cache[*Lists] {
	return graphstore.NewCache(store, most, keptUnused, New)
}

type wanted struct {
	List     string `json:"list" arg:"[NAME]" doc:"unlabelled, contradictions, weak, orphans or once (default how many each has)"`
	Label    string `json:"label" doc:"list only entities with this label"`
	Document string `json:"document" doc:"list only entities that the document with this id mentions"`
	Limit    int    `json:"limit" default:"50" doc:"list at most this many; 0 lists all"`
	Offset   int    `json:"offset" doc:"skip this many at the beginning"`
}

// Entry is an entity that wants a person's eye.
type Entry struct {
	List      Name            `json:"list"`
	Entity    domain.EntityID `json:"entity"`
	Name      string          `json:"name"`
	Label     string          `json:"label"`
	Mentions  int             `json:"mentions"`
	Documents int             `json:"documents"`
	Property  string          `json:"property,omitempty"` // with contradicting values
	Values    []string        `json:"values,omitempty"`   // of the property
	Sure      float64         `json:"sure,omitempty"`     // confidence of a weak relation, from 0 to 1
	Relations []Relation      `json:"relations,omitempty"`

	Of     domain.Entity   `json:"-"`
	Quotes []explore.Quote `json:"-"` // see Desk.Quote
	item   Item
	edges  []graphstore.Edge // of item
}

// Relation is one for which an entity is listed.
type Relation struct {
	ID     domain.RelationID `json:"id"`
	Type   string            `json:"type"`
	Target string            `json:"target"` // its name
}

// Successors returns the ids of two relations that contradict each other if one may have taken the place of the other: they
// begin at different times, and do not tell what was done once.
func (e Entry) Successors() (earlier, later domain.RelationID, ok bool) {
	if e.List != Contradictions || len(e.edges) != 2 || domain.Done(e.edges[0].Type) {
		return "", "", false
	}
	a, b := e.edges[0].Relation, e.edges[1].Relation
	if a.Begins().First() > b.Begins().First() {
		a, b = b, a
	}
	return a.ID, b.ID, b.Begins().Known() && a.Begins() != b.Begins()
}

// settled reports whether the graph no longer contains the reason for an entry. Whether an entity has gained a relation
// or another document is left to the next list.
func (e Entry) settled() bool {
	switch e.List {
	case Unlabelled:
		return e.Label != domain.UnknownLabel
	case Weak:
		return len(e.edges) == 0 || len(e.edges[0].Evidence) > 1
	case Contradictions:
		return len(e.Values) < 2 && len(e.edges) < 2
	case Orphans, Once:
	}
	return false
}

// what describes an entry in a few words.
func (e Entry) what() string {
	if len(e.Values) > 0 {
		return e.Property + " " + strings.Join(e.Values, " or ")
	}
	return strings.Join(lists.Map(e.Relations, func(r Relation) string { return r.Type + " " + r.Target }), ", ")
}

// Work is a part of a list, or how many entries each list has.
type Work struct {
	Entries []Entry
	Counts  map[Name]int
}

// Array returns the entries, or the counts by list.
func (w Work) Array() any {
	if w.Counts != nil {
		return w.Counts
	}
	return w.Entries
}

// Operations returns the operations on work lists.
func Operations() []operation.Operation[Desk] {
	return []operation.Operation[Desk]{operation.Op[Desk, wanted, Work]{
		Name: "entities worklist", Short: "List entities that need a person's attention", Scope: operation.Read, Routes: []string{"GET /worklist"}, Example: "  clew entities worklist unlabelled --json --limit 0",
		JSON: " of the entries, and without LIST an object with their numbers",
		Long: `List the entities of a work list, or without NAME how many each list has:

  unlabelled      without a label, most mentioned first
  contradictions  with two values for what an entity has one of, such as a birth year,
                  or of what a schema says so
  weak            with a relation that one passage states, and not surely
  orphans         without a relation
  once            mentioned in one document`,
		Do: Desk.work,
		Text: func(out io.Writer, w Work) error {
			if w.Counts != nil {
				return operation.Table("", "", func(n Name) []any { return []any{n, w.Counts[n]} })(out, Names())
			}
			return operation.Table("ID\tLABEL\tNAME\tMENTIONS\tDOCUMENTS\tWHAT", "", func(e Entry) []any {
				return []any{e.Entity, e.Label, e.Name, e.Mentions, e.Documents, e.what()}
			})(out, w.Entries)
		},
	}}
}

// atOnce is how many entries are looked up in the graph in one go.
const atOnce = 500

func (d Desk) work(ctx context.Context, in wanted) (Work, error) {
	list := Name(in.List)
	if list != "" && !slices.Contains(Names(), list) {
		return Work{}, domain.Errorf(domain.Invalid, "There is no work list %q. The lists are %q.", list, Names())
	}
	all, _, err := d.Lists(ctx)
	if err != nil {
		return Work{}, err
	}
	if list == "" {
		return Work{Counts: lists.Pairs(Names(), func(n Name) (Name, int) { return n, all.Count(n) })}, nil
	}
	entries, _, err := d.Page(ctx, list, Filter{Label: in.Label, Document: domain.DocumentID(in.Document)}, in.Offset, in.Limit)
	return Work{Entries: entries}, err
}

// Lists returns the work lists, from the graph and from the schemas' limits on values. While a large graph keeps
// changing, they may be out of date, which behind reports.
func (d Desk) Lists(ctx context.Context) (lists *Lists, behind bool, err error) {
	lists, behind, err = d.Kept.Recent(ctx, domain.WorkspaceOf(ctx))
	if err != nil {
		return nil, false, err
	}
	set, err := d.Schemas.InForce(ctx, domain.WorkspaceOf(ctx))
	return lists.By(set), behind, err
}

// Page returns one page of the entries of a list that pass a filter, with what the graph contains about them, and how
// many pass. It leaves out what was settled since the list was made.
func (d Desk) Page(ctx context.Context, list Name, f Filter, offset, limit int) ([]Entry, int, error) {
	lists, _, err := d.Lists(ctx)
	if err != nil {
		return nil, 0, err
	}
	items, total := lists.Page(list, f, offset, limit)
	var entries []Entry
	for part := range slices.Chunk(items, atOnce) {
		some, err := d.entries(ctx, list, part)
		if err != nil {
			return nil, 0, err
		}
		entries = append(entries, some...)
	}
	return entries, total, nil
}

func (d Desk) entries(ctx context.Context, list Name, items []Item) ([]Entry, error) {
	var ids []domain.EntityID
	var refs []graphstore.RelationRef
	for _, it := range items {
		ids, refs = append(ids, it.Entity), append(refs, it.Relations...)
	}
	named, err := d.Graph.Named(ctx, domain.WorkspaceOf(ctx), ids)
	if err != nil {
		return nil, err
	}
	stated, err := d.Graph.Stated(ctx, domain.WorkspaceOf(ctx), refs)
	if err != nil {
		return nil, err
	}
	entities, edges := map[domain.EntityID]domain.Entity{}, map[domain.RelationID]graphstore.Edge{}
	for _, e := range graphstore.Listed(named) {
		entities[e.ID] = e
	}
	for _, e := range stated {
		edges[e.ID] = e
	}
	var entries []Entry
	for _, it := range items {
		e, there := entities[it.Entity]
		if !there {
			continue // changed since the list was made
		}
		entry := Entry{List: list, Entity: it.Entity, Name: e.Name, Label: e.Label, Mentions: e.Mentions, Documents: e.Documents, Property: it.Property, Sure: it.Sure, Of: e, item: it}
		for _, p := range e.Properties {
			if it.Property != "" && p.Key == it.Property {
				entry.Values = append(entry.Values, p.Value)
			}
		}
		for _, r := range it.Relations {
			if edge, there := edges[r.ID]; there {
				entry.Relations = append(entry.Relations, Relation{r.ID, edge.Type, edge.To.Name})
				entry.edges = append(entry.edges, edge)
			}
		}
		if !entry.settled() {
			entries = append(entries, entry)
		}
	}
	return entries, nil
}

// Quote adds the sentences of entries: those that state the relations, or each value of the property, or else the first
// that names the entity.
func (d Desk) Quote(ctx context.Context, entries []Entry) error {
	var chunks []domain.ChunkID
	for _, e := range entries {
		for _, edge := range e.edges {
			chunks = append(chunks, first(edge).Chunk)
		}
		if len(e.edges) == 0 {
			chunks = append(append(chunks, e.item.Chunk), e.item.Chunks...)
		}
	}
	passages, err := d.Texts.Passages(ctx, domain.WorkspaceOf(ctx), chunks)
	if err != nil {
		return err
	}
	text := lists.By(passages, func(p domain.Passage) domain.ChunkID { return p.ID })
	for i := range entries {
		entries[i].quote(text)
	}
	return nil
}

// first returns the first passage that states a relation. It is zero for one that
// a curator added without a source.
func first(e graphstore.Edge) domain.Evidence {
	if len(e.Evidence) == 0 {
		return domain.Evidence{}
	}
	return e.Evidence[0]
}

func (e *Entry) quote(text map[domain.ChunkID]domain.Passage) {
	add := func(chunk domain.ChunkID, at domain.Span, marked ...domain.Entity) {
		if p, there := text[chunk]; there {
			e.Quotes = append(e.Quotes, explore.SentenceOf(p, at, marked...))
		}
	}
	for _, edge := range e.edges {
		at := domain.Span{}
		if spans := first(edge).Spans; len(spans) > 0 {
			at = spans[0]
		}
		add(first(edge).Chunk, at, edge.From, edge.To)
	}
	for _, value := range e.Values {
		for _, id := range e.item.Chunks {
			if at, said := saying(text[id], value); said {
				add(id, at, e.Of)
				break
			}
		}
	}
	if len(e.edges)+len(e.Quotes) == 0 {
		add(e.item.Chunk, domain.Span{}, e.Of)
	}
}

// saying returns the sentence of a passage that states a value, as a span of the document.
func saying(p domain.Passage, value string) (domain.Span, bool) {
	for _, s := range prose.Sentences(p.Text) {
		if value != "" && strings.Contains(strings.ToLower(s.Slice(p.Text)), strings.ToLower(value)) {
			return s.Shift(p.Span.Start), true
		}
	}
	return domain.Span{}, false
}
