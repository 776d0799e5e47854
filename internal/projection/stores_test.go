package projection_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/database/postgres"
	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/graphstore/neo4j"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/qdrant"
)

// stored is a library over one set of stores.
type stored struct {
	testing.TB
	ws      domain.WorkspaceID
	db      *sqlite.DB
	ledger  *ledger.Ledger
	graph   graphstore.Store
	vectors vectorstore.Store
	*projection.Projector
}

func embeddedSet(t testing.TB) *stored {
	l := openLibrary(t)
	return &stored{TB: t, ws: ws, db: l.db, ledger: l.ledger, graph: l.graph, vectors: l.vectors}
}

func neo4jSet(t testing.TB) *stored {
	s, at := embeddedSet(t), servers.Neo4j(t)
	graph, err := neo4j.Open(t.Context(), neo4j.Options{URL: at.URL, User: at.User, Password: at.Password, Database: at.Database})
	s.check(err)
	t.Cleanup(func() { s.check(graph.Close()) })
	s.graph, s.ws = graph, domain.WorkspaceID(t.Name())
	return s
}

func postgresSet(t testing.TB) *stored {
	s, db := embeddedSet(t), servers.Postgres(t)
	s.ledger = ledger.Open(db.Writer, db.Reader, time.Now, ledger.WithKey(prose.Key), ledger.WithExplain(postgres.Explain))
	return s
}

// qdrantSet keeps its vectors on the server named by QDRANT_URL (and
// QDRANT_API_KEY), in a workspace that only the test uses and that is emptied
// again.
func qdrantSet(t testing.TB) *stored {
	url := os.Getenv("QDRANT_URL")
	if url == "" {
		t.Skip("skipped: QDRANT_URL is not set")
	}
	s := embeddedSet(t)
	vectors, err := qdrant.Open(t.Context(), qdrant.Options{
		URL: url, APIKey: os.Getenv("QDRANT_API_KEY"), Prefix: "test-projection", Now: time.Now, Random: rand.Uint64, Log: slog.New(slog.DiscardHandler),
		RetryFor: qdrant.RetryFor{Read: 20 * time.Second, Write: time.Minute},
	})
	s.check(err)
	t.Cleanup(func() { s.check(vectors.Close()) })
	s.vectors, s.ws = vectors, domain.WorkspaceID(t.Name())
	s.check(vectors.Reset(t.Context(), s.ws, 0))
	t.Cleanup(func() { s.check(vectors.Reset(context.WithoutCancel(t.Context()), s.ws, 0)) })
	return s
}

// TestStoresMatchARebuild adds, rereads, deletes and curates documents at
// random, among them ones that mention each other's titles and one that bridges
// two names, and compares each set of stores with a rebuild from the remaining
// documents and decisions.
func TestStoresMatchARebuild(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	for name, set := range map[string]struct {
		open  func(testing.TB) *stored
		seeds uint64
	}{"embedded": {embeddedSet, 6}, "Neo4j": {neo4jSet, 2}, "Postgres": {postgresSet, 2}, "Qdrant": {qdrantSet, 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range set.seeds {
				t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
					s := set.open(t)
					s.Projector = projection.New(projection.Params{
						Ledger: s.ledger, Graph: s.graph, Vectors: s.vectors, Log: slog.New(slog.DiscardHandler), Key: prose.Key, Sentences: prose.Sentences,
					})
					s.KeepTallies(1 + int(seed%3))
					s.HoldChunks(1 + int(seed%5))
					s.live(rand.New(rand.NewPCG(seed, 1)))
				})
			}
		})
	}
}

func (s *stored) live(r *rand.Rand) {
	curated := 0
	for range 45 {
		switch n := r.IntN(10); {
		case n < 4:
			s.add(r)
		case n < 6:
			if id, ok := s.any(r); ok {
				_, err := s.ledger.DeleteDocument(s.Context(), s.ws, id)
				s.check(err)
			}
		case n < 8:
			if s.curate(r) {
				curated++
			}
		default:
			s.check(s.Apply(s.Context(), s.ws))
		}
	}
	s.add(r) // so that the result is not empty
	s.check(s.Apply(s.Context(), s.ws))
	got := s.snapshot()
	s.check(s.Reset(s.Context(), s.ws, projection.Stores{Graph: true, Vectors: true}))
	s.check(s.Apply(s.Context(), s.ws))
	if d := diff(s.snapshot(), got); d != "" {
		s.Errorf("differs from a rebuild (-rebuilt +this):\n%s", d)
	}
	if len(got.Entities) == 0 || curated == 0 {
		s.Errorf("%d entities, %d decisions: the test proves nothing", len(got.Entities), curated)
	}
}

func (s *stored) check(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// add publishes one of a few documents in one of two versions.
func (s *stored) add(r *rand.Rand) {
	titles := []string{"Harbour of Velm", "Agnes Lovibond", "Mercury (planet)", "Mercury (metal)", "Carrow Foundry", "notes"}
	n, version := r.IntN(len(titles)), r.IntN(2)
	id := domain.NewDocumentID(s.ws, titles[n])
	words := []string{"Agnes Lovibond", "Mrs Lovibond", "Harbour of Velm", "Mercury", "Carrow Foundry", "CARROW FOUNDRY"}
	_, _, err := s.ledger.AddDocument(s.Context(), domain.Document{Workspace: s.ws, ID: id, Name: titles[n] + ".txt", Title: titles[n], Status: domain.DocumentReady})
	s.check(err)
	var chunks []domain.Chunk
	var graphs []domain.GraphDocument
	at := 0
	for i := range 2 {
		text := fmt.Sprintf("Part %d of version %d.", i, version)
		graph := domain.GraphDocument{}
		for j := range 3 {
			name := words[(n*7+i*3+j*(version+1))%len(words)]
			start := at + domain.Runes(text) + 1
			text += " " + name + " came."
			label := []string{"Person", "Place", domain.UnknownLabel}[(n+i+j+version)%3]
			node := domain.GraphNode{Name: name, Label: label, Spans: []domain.Span{{Start: start, End: start + domain.Runes(name)}}}
			if n == 5 && name == "Agnes Lovibond" { // the bridge between two names
				node.Aliases = []string{"Mrs Lovibond"}
			}
			if j > 0 && n == 4 { // a model listed no more than one
				graph.Names = append(graph.Names, node)
				continue
			}
			graph.Nodes = append(graph.Nodes, node)
		}
		graph.Relationships = []domain.GraphRelationship{
			{Source: 0, Target: 1, Type: "KNOWS", Spans: []domain.Span{{Start: at, End: at + domain.Runes(text)}}},
			{Source: 1, Target: 2, Type: "NEAR", Spans: []domain.Span{{Start: at, End: at + domain.Runes(text)}}},
		}
		if len(graph.Nodes) < 3 {
			graph.Relationships = nil
		}
		chunks = append(chunks, domain.Chunk{
			ID: domain.NewChunkID(id, domain.Hash([]byte(text)), 0), Document: id, Ordinal: i, Text: text, Span: domain.Span{Start: at, End: at + domain.Runes(text)},
		})
		graphs = append(graphs, graph)
		at += domain.Runes(text) + 2
	}
	s.check(s.ledger.SaveChunks(s.Context(), s.ws, id, chunks))
	for i, c := range chunks {
		s.check(s.ledger.RecordContribution(s.Context(), s.ws, ledger.Contribution{Chunk: c.ID, Document: id, Reader: "test", Graph: graphs[i]}))
	}
	_, err = s.ledger.Publish(s.Context(), s.ws, id)
	s.check(err)
}

func (s *stored) any(r *rand.Rand) (domain.DocumentID, bool) {
	documents, _, err := s.ledger.Documents(s.Context(), s.ws, ledger.DocumentQuery{})
	s.check(err)
	if len(documents) == 0 {
		return "", false
	}
	slices.SortFunc(documents, func(a, b domain.Document) int { return cmp.Compare(a.ID, b.ID) })
	return documents[r.IntN(len(documents))].ID, true
}

// curate makes or undoes a decision about entities of the graph, and reports
// whether there was anything to decide.
func (s *stored) curate(r *rand.Rand) bool {
	entities, _, err := s.graph.Entities(s.Context(), s.ws, graphstore.EntityQuery{Order: graphstore.ByName})
	s.check(err)
	if len(entities) < 2 {
		return false
	}
	one, other := entities[r.IntN(len(entities))], entities[r.IntN(len(entities))]
	c := ledger.Curation{Operation: ledger.Operation{Entity: one.ID}}
	switch r.IntN(7) {
	case 0, 1:
		c.Kind, c.Others = ledger.CurationMerge, []domain.EntityID{other.ID}
	case 2:
		c.Kind, c.Forms = ledger.CurationSplit, []string{domain.Hash([]byte(one.Name))}
	case 3:
		c.Kind, c.Name = ledger.CurationRename, "The one"
	case 4:
		c.Kind = ledger.CurationHide
	case 5:
		edges, err := s.graph.Relations(s.Context(), s.ws, one.ID, 1)
		s.check(err)
		if len(edges) == 0 {
			return false
		}
		c.Kind, c.Entity, c.Target, c.Relation, c.Type = ledger.CurationRetype, edges[0].Source, edges[0].Target, edges[0].ID, "FAR"
	default:
		return s.undo(r)
	}
	_, err = s.ledger.Curate(s.Context(), s.ws, c, map[domain.EntityID]string{one.ID: one.Key, other.ID: other.Key})
	s.check(err)
	return true
}

func (s *stored) undo(r *rand.Rand) bool {
	log, err := s.ledger.Curations(s.Context(), s.ws, 1<<40)
	s.check(err)
	undone := ledger.Undone(log)
	log = slices.DeleteFunc(log, func(c ledger.Curation) bool { return undone[c.Seq] })
	if len(log) == 0 {
		return false
	}
	_, err = s.ledger.Curate(s.Context(), s.ws, ledger.Curation{Kind: ledger.CurationUndo, Undoes: log[r.IntN(len(log))].Seq}, nil)
	s.check(err)
	return true
}

// content is everything that a set of stores has of a workspace.
type content struct {
	Stats     graphstore.Stats
	Entities  []graphstore.Entity
	Relations map[domain.RelationID]domain.Relation
	Chunks    []graphstore.AdjacentChunk
	Points    map[vectorstore.Collection][]string
	Found     map[string][]string
}

func (s *stored) snapshot() content {
	s.Helper()
	ctx := s.Context()
	stats, err := s.graph.Stats(ctx, s.ws)
	s.check(err)
	list, _, err := s.graph.Entities(ctx, s.ws, graphstore.EntityQuery{Order: graphstore.ByName})
	s.check(err)
	adjacency, err := s.graph.Adjacency(ctx, s.ws)
	s.check(err)
	list = append(list, unlisted(s, s.graph, s.ws, adjacency)...)
	all := content{
		Stats: stats, Chunks: adjacency.Chunks, Relations: map[domain.RelationID]domain.Relation{},
		Points: map[vectorstore.Collection][]string{}, Found: map[string][]string{},
	}
	for _, e := range list {
		links, err := s.graph.Links(ctx, s.ws, e.ID, 0)
		s.check(err)
		all.Entities = append(all.Entities, graphstore.Entity{Entity: e, Links: links})
		edges, err := s.graph.Relations(ctx, s.ws, e.ID, 0)
		s.check(err)
		for _, edge := range edges {
			all.Relations[edge.ID] = edge.Relation
		}
	}
	for _, c := range vectorstore.Collections() {
		all.Points[c], err = s.vectors.IDs(ctx, s.ws, c)
		s.check(err)
		for word := range strings.FieldsSeq("Agnes Mrs Lovibond Velm Mercury planet Foundry knows far one version") {
			hits, err := s.vectors.Lexical(ctx, s.ws, vectorstore.LexicalQuery{Collection: c, Text: word, Limit: 100})
			s.check(err)
			for _, h := range hits {
				all.Found[string(c)+" "+word] = append(all.Found[string(c)+" "+word], h.ID)
			}
			slices.Sort(all.Found[string(c)+" "+word])
		}
	}
	return all
}
