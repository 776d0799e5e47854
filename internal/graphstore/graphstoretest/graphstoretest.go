// Package graphstoretest is the conformance suite of graph stores.
package graphstoretest

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// Run tests the stores returned by open. Each must be empty in the test's Workspaces, and open must clean it up. Two
// writers race the given number of times.
func Run(t *testing.T, races int64, open func(t *testing.T) graphstore.Store) {
	for _, topic := range []struct {
		name string
		test func(*testing.T, *bench)
	}{
		{"cursor", testCursor},
		{"conflict", testConflict},
		{"tokens", testTokens},
		{"owner", testOwner},
		{"reset", testReset},
		{"workspaces", testWorkspaces},
		{"cancel", testCancel},
		{"document delete", testDocumentDelete},
		{"document replace", testDocumentReplace},
		{"many", testMany},
		{"chunks", testChunks},
		{"near", testNear},
		{"spelt", testSpelt},
		{"entity", testEntity},
		{"entity replace", testEntityReplace},
		{"entity growth", testEntityGrowth},
		{"notes", testNotes},
		{"entity delete", testEntityDelete},
		{"entity list", testEntityList},
		{"entity search", testEntitySearch},
		{"by key", testByKey},
		{"named", testNamed},
		{"around", testAround},
		{"stated", testStated},
		{"relations", testRelations},
		{"relation replace", testRelationReplace},
		{"periods of relations", testPeriods},
		{"relation ends", testRelationEnds},
		{"links", testLinks},
		{"unlisted", testUnlisted},
		{"in document", testInDocument},
		{"adjacency", testAdjacency},
		{"adjacent", testAdjacent},
		{"concurrency", testConcurrency},
		{"race", testRace},
	} {
		t.Run(topic.name, func(t *testing.T) {
			t.Parallel()
			topic.test(t, &bench{T: t, Store: open(t), ws: Workspaces(t)[0], races: races})
		})
	}
}

// Workspaces returns the workspaces of a test. They are unique to it, so that
// tests can share a server.
func Workspaces(t *testing.T) [2]domain.WorkspaceID {
	return [2]domain.WorkspaceID{domain.WorkspaceID(t.Name()), domain.WorkspaceID(t.Name() + " other")}
}

// bench is a store under test, with helpers for calls that must not fail.
type bench struct {
	*testing.T
	graphstore.Store
	ws    domain.WorkspaceID
	races int64
}

// apply applies b as the next change.
func (s *bench) apply(b graphstore.Batch) {
	s.Helper()
	b.After = must(s.Cursor(s.Context(), s.ws))(s)
	b.Cursor = b.After + 1
	if err := s.Apply(s.Context(), s.ws, b); err != nil {
		s.Fatal(err)
	}
}

// other returns the same store for another workspace.
func (s *bench) other() *bench { return &bench{T: s.T, Store: s.Store, ws: Workspaces(s.T)[1]} }

// same fails unless got equals want; nil and empty are equal.
func same[V any](s *bench, what string, got, want V) {
	s.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		s.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
}

// must returns the value, or fails the test on an error.
func must[V any](v V, err error) func(*bench) V {
	return func(s *bench) V {
		s.Helper()
		if err != nil {
			s.Fatal(err)
		}
		return v
	}
}

// document returns a document with chunks of ten characters each.
func document(id domain.DocumentID, chunks ...domain.ChunkID) graphstore.Document {
	d := graphstore.Document{ID: id, Name: string(id) + ".txt", Title: "Title of " + string(id)}
	for i, c := range chunks {
		d.Chunks = append(d.Chunks, graphstore.Chunk{ID: c, Ordinal: i, Page: 1, Span: domain.Span{Start: 10 * i, End: 10*i + 10}})
	}
	return d
}

// entity returns an entity whose id is its name.
func entity(name string, links ...graphstore.Link) graphstore.Entity {
	e := graphstore.Entity{Links: links}
	e.Entity = domain.Entity{ID: domain.EntityID(name), Label: "Thing", Key: "key " + name, Name: name, Chunks: len(links)}
	for _, l := range links {
		e.Mentions += len(l.Spans)
	}
	return e
}

// mention returns a link with one span.
func mention(d domain.DocumentID, c domain.ChunkID, start int) graphstore.Link {
	return graphstore.Link{Chunk: c, Document: d, Kind: graphstore.LinkMention, Spans: []domain.Span{{Start: start, End: start + 3}}}
}

// relation returns a relation with one piece of evidence per chunk.
func relation(source, kind, target string, chunks ...domain.ChunkID) domain.Relation {
	r := domain.Relation{
		ID:     domain.NewRelationID(domain.EntityID(source), kind, domain.EntityID(target)),
		Source: domain.EntityID(source), Type: kind, Target: domain.EntityID(target),
	}
	for i, c := range chunks {
		r.Evidence = append(r.Evidence, domain.Evidence{Chunk: c, Document: "d", Spans: []domain.Span{{Start: i, End: i + 5}}})
	}
	return r
}

func entityNames(list []domain.Entity) []string {
	var names []string
	for _, e := range list {
		names = append(names, e.Name)
	}
	return names
}

// names returns the names of the entities that q selects.
func (s *bench) names(ctx context.Context, q graphstore.EntityQuery) []string {
	s.Helper()
	list, _, err := s.Entities(ctx, s.ws, q)
	if err != nil {
		s.Fatal(err)
	}
	return entityNames(list)
}
