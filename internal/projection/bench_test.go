package projection_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/graphstore/sqlite"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/vectorstore"
)

const ws domain.WorkspaceID = "main"

// memoryVectors is a vector store in memory.
type memoryVectors struct {
	vectorstore.Store // nil: methods that the projector must not call panic
	cursor            int64
	points            map[vectorstore.Ref]vectorstore.Point
	fail              error  // of the next Apply
	model             string // embedding model of the vectors
}

func newMemoryVectors() *memoryVectors {
	return &memoryVectors{points: map[vectorstore.Ref]vectorstore.Point{}}
}

func (v *memoryVectors) Cursor(context.Context, domain.WorkspaceID) (int64, error) {
	return v.cursor, nil
}

func (v *memoryVectors) Embedding(context.Context) (vectorstore.Embedding, error) {
	return vectorstore.Embedding{Model: v.model}, nil
}

func (v *memoryVectors) Apply(_ context.Context, _ domain.WorkspaceID, b vectorstore.Batch) error {
	if err := v.fail; err != nil {
		v.fail = nil
		return err
	}
	if b.After != v.cursor {
		return domain.Errorf(domain.Conflict, "at %d, not %d", v.cursor, b.After)
	}
	v.cursor = b.Cursor
	maps.DeleteFunc(v.points, func(_ vectorstore.Ref, p vectorstore.Point) bool {
		return slices.Contains(b.DeleteDocuments, p.Document)
	})
	for _, p := range b.Upsert {
		v.points[p.Ref] = p
	}
	return nil
}

func (v *memoryVectors) Reset(context.Context, domain.WorkspaceID, int64) error {
	v.cursor = 0
	clear(v.points)
	return nil
}

// sentences splits a text after full stops.
func sentences(text string) []domain.Span {
	var spans []domain.Span
	at := 0
	for part := range strings.SplitAfterSeq(text, ". ") {
		n := domain.Runes(part)
		spans = append(spans, domain.Span{Start: at, End: at + n})
		at += n
	}
	return spans
}

// bench is a ledger with both stores and a projector.
type bench struct {
	testing.TB
	ledger  *fakeLedger
	graph   graphstore.Store
	vectors *memoryVectors
	*projection.Projector
}

func newBench(t testing.TB, dir string) *bench {
	t.Helper()
	graph, err := sqlite.Open(t.Context(), filepath.Join(dir, "graph.db"))
	if err != nil {
		t.Fatal(err)
	}
	return benchOn(t, graph)
}

func benchOn(t testing.TB, graph graphstore.Store) *bench {
	b := &bench{TB: t, ledger: newFakeLedger(), graph: graph, vectors: newMemoryVectors()}
	b.Projector = b.projector(b.ledger)
	return b
}

func (b *bench) projector(l projection.Ledger) *projection.Projector {
	return projection.New(projection.Params{
		Ledger: l, Graph: b.graph, Vectors: b.vectors, Log: slog.New(slog.DiscardHandler), Key: key, Sentences: sentences,
		Embedding: projection.Embedding{Model: "m"},
	})
}

func (b *bench) close() {
	if err := b.graph.Close(); err != nil {
		b.Error(err)
	}
}

func start(t *testing.T) *bench {
	t.Helper()
	b := newBench(t, t.TempDir())
	t.Cleanup(b.close)
	return b
}

func (b *bench) apply() {
	b.Helper()
	if err := b.Apply(b.Context(), ws); err != nil {
		b.Fatal(err)
	}
}

// everything is the comparable content of both stores.
type everything struct {
	Stats     graphstore.Stats
	Entities  []graphstore.Entity
	AliasKeys map[domain.EntityID][]string
	Relations map[domain.RelationID]domain.Relation
	Chunks    []graphstore.AdjacentChunk
	Points    map[vectorstore.Ref]vectorstore.Point
	Tallies   map[domain.EntityID]string
	Notes     map[domain.DocumentID][]byte
}

// unlisted returns the unlisted entities of a graph, none of which may have a relation.
func unlisted(t testing.TB, g graphstore.Reader, ws domain.WorkspaceID, a *graphstore.Adjacency) []domain.Entity {
	t.Helper()
	var ids []domain.EntityID
	for _, e := range a.Entities {
		if e.Unlisted {
			ids = append(ids, e.ID)
		}
	}
	for _, r := range a.Relations {
		if a.Entities[r.Source].Unlisted || a.Entities[r.Target].Unlisted {
			t.Errorf("a relation of an unlisted entity: %+v", r)
		}
	}
	list, err := g.Named(t.Context(), ws, ids)
	if err != nil || len(list) != len(ids) {
		t.Errorf("%d unlisted entities, named %d, error %v", len(ids), len(list), err)
	}
	return list
}

func (b *bench) everything() everything {
	b.Helper()
	ctx := b.Context()
	stats, err := b.graph.Stats(ctx, ws)
	b.check(err)
	list, _, err := b.graph.Entities(ctx, ws, graphstore.EntityQuery{Order: graphstore.ByName})
	b.check(err)
	adjacency, err := b.graph.Adjacency(ctx, ws)
	b.check(err)
	list = append(list, unlisted(b, b.graph, ws, adjacency)...)
	all := everything{
		Stats: stats, Chunks: adjacency.Chunks, AliasKeys: map[domain.EntityID][]string{}, Tallies: map[domain.EntityID]string{},
		Relations: map[domain.RelationID]domain.Relation{}, Points: maps.Clone(b.vectors.points),
	}
	for _, e := range adjacency.Entities {
		all.AliasKeys[e.ID] = e.AliasKeys
	}
	keys := make([]string, len(list))
	for i, e := range list {
		keys[i] = e.Key
	}
	keyed, err := b.graph.Keyed(ctx, ws, keys)
	b.check(err)
	for _, e := range keyed {
		all.Tallies[e.ID] = e.Tally
	}
	all.Notes, err = b.graph.Notes(ctx, ws, b.ledger.ids())
	b.check(err)
	for _, e := range list {
		links, err := b.graph.Links(ctx, ws, e.ID, 0)
		b.check(err)
		all.Entities = append(all.Entities, graphstore.Entity{Entity: e, Links: links})
		edges, err := b.graph.Relations(ctx, ws, e.ID, 0)
		b.check(err)
		for _, edge := range edges {
			all.Relations[edge.ID] = edge.Relation
		}
	}
	return all
}

func (b *bench) check(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// entity returns the entity with a label and the key of a name.
func (b *bench) entity(label, name string) (graphstore.Entity, bool) {
	b.Helper()
	for _, e := range b.everything().Entities {
		if e.Label == label && e.Key == key(name) {
			return e, true
		}
	}
	return graphstore.Entity{}, false
}

func diff(want, got any) string { return cmp.Diff(want, got, cmpopts.EquateEmpty()) }

// text returns a document with one chunk for each text. "[Label:Name]" is a
// node whose name appears in the text; " -TYPE- " between two nodes relates
// them.
func text(id domain.DocumentID, title string, texts ...string) (domain.DocumentID, fakeDocument) {
	d := fakeDocument{title: title}
	at := 0
	for i, marked := range texts {
		c := domain.Chunk{ID: domain.ChunkID(fmt.Sprintf("c-%s-%d", id, i)), Document: id, Ordinal: i}
		graph := domain.GraphDocument{}
		var plain strings.Builder
		for rest := marked; rest != ""; {
			before, after, marked := strings.Cut(rest, "[")
			if kind := strings.Trim(before, " -"); strings.HasPrefix(before, " -") && len(graph.Nodes) > 0 {
				n := len(graph.Nodes)
				graph.Relationships = append(graph.Relationships, domain.GraphRelationship{Source: n - 1, Target: n, Type: kind})
			}
			plain.WriteString(before)
			if !marked {
				break
			}
			node, tail, _ := strings.Cut(after, "]")
			label, name, _ := strings.Cut(node, ":")
			start := at + domain.Runes(plain.String())
			plain.WriteString(name)
			graph.Nodes = append(graph.Nodes, domain.GraphNode{Label: label, Name: name, Spans: []domain.Span{{Start: start, End: start + domain.Runes(name)}}})
			rest = tail
		}
		for r := range graph.Relationships {
			graph.Relationships[r].Spans = []domain.Span{{Start: at, End: at + domain.Runes(plain.String())}}
		}
		c.Text = plain.String()
		c.Span = domain.Span{Start: at, End: at + domain.Runes(c.Text)}
		at = c.Span.End + 2
		d.chunks, d.graphs = append(d.chunks, c), append(d.graphs, graph)
	}
	return id, d
}
