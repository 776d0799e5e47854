package neo4j

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// optimisticReads is how often the whole graph is read without a lock before
// writers are excluded.
const optimisticReads = 2

// Adjacency implements graphstore.Reader. Neo4j shows a transaction what others
// commit while it runs, so reads by several statements are consistent only if
// nobody wrote in between. Comparing the workspace's version, read under its
// lock before and after, detects that: when the lock is free, all of a writer's
// changes are visible.
func (s *Store) Adjacency(ctx context.Context, w domain.WorkspaceID) (*graphstore.Adjacency, error) {
	for range optimisticReads {
		before, err := s.state(ctx, w)
		if err != nil {
			return nil, fmt.Errorf("read adjacency: %w", err)
		}
		var a *graphstore.Adjacency
		err = s.readIn(ctx, w, func(t *tx) (err error) {
			a, err = t.adjacency(before)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("read adjacency: %w", err)
		}
		after, err := s.state(ctx, w)
		if err != nil {
			return nil, fmt.Errorf("read adjacency: %w", err)
		}
		if after.version == before.version {
			return a, nil
		}
	}
	var a *graphstore.Adjacency
	err := s.writeIn(ctx, w, func(t *tx) error {
		at, err := t.lock()
		if err == nil {
			a, err = t.adjacency(at)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read adjacency: %w", err)
	}
	return a, nil
}

// state waits for the workspace's writer, if any, and reads the workspace's
// state.
func (s *Store) state(ctx context.Context, w domain.WorkspaceID) (workspaceState, error) {
	var at workspaceState
	err := s.writeIn(ctx, w, func(t *tx) (err error) {
		at, err = t.lock()
		return err
	})
	return at, err
}

// adjacencyLoader reads a workspace's graph and translates ids to indices.
type adjacencyLoader struct {
	*tx
	out      *graphstore.Adjacency
	entityAt map[string]int32
	chunkAt  map[string]int32
}

func (t *tx) adjacency(at workspaceState) (*graphstore.Adjacency, error) {
	l := &adjacencyLoader{tx: t, out: &graphstore.Adjacency{Cursor: at.cursor}, entityAt: map[string]int32{}, chunkAt: map[string]int32{}}
	for _, load := range []func() error{l.chunks, l.entities, l.links, l.relations} {
		if err := load(); err != nil {
			return nil, err
		}
	}
	return l.out, nil
}

// orderedChunk is a chunk with its position in its document.
type orderedChunk struct {
	graphstore.AdjacentChunk
	ordinal int
}

func (l *adjacencyLoader) chunks() error {
	var ordered []orderedChunk
	err := l.each(func(r row) {
		ordered = append(ordered, orderedChunk{graphstore.AdjacentChunk{ID: domain.ChunkID(r.text()), Document: domain.DocumentID(r.text())}, r.int()})
	}, `MATCH (c:Chunk) WHERE c.workspace_id = $workspace AND c.id IS NOT NULL RETURN c.id, c.document_id, c.index`, nil)
	slices.SortFunc(ordered, func(a, b orderedChunk) int {
		return cmp.Or(cmp.Compare(a.Document, b.Document), cmp.Compare(a.ordinal, b.ordinal), cmp.Compare(a.ID, b.ID))
	})
	for i, c := range ordered {
		l.chunkAt[string(c.ID)] = int32(i)
		l.out.Chunks = append(l.out.Chunks, c.AdjacentChunk)
	}
	return err
}

func (l *adjacencyLoader) entities() error {
	for _, statement := range ofBoth(`MATCH (e:__Entity__) WHERE e.workspace_id = $workspace AND e.id IS NOT NULL
		RETURN e.id, e.label, e.key, e.name, e.alias_keys, e.properties, e:__Unlisted__`) {
		if err := l.each(l.entity, statement, nil); err != nil {
			return err
		}
	}
	slices.SortFunc(l.out.Entities, func(a, b graphstore.AdjacentEntity) int { return cmp.Compare(a.ID, b.ID) })
	for i, e := range l.out.Entities {
		l.entityAt[string(e.ID)] = int32(i)
	}
	return nil
}

func (l *adjacencyLoader) entity(r row) {
	e := graphstore.AdjacentEntity{ID: domain.EntityID(r.text()), Label: r.text(), Key: r.text(), Name: r.text(), AliasKeys: r.texts()}
	var properties domain.Properties
	_ = r.decode(&properties) // if another program damaged them, there are none
	e.Several, e.Unlisted = graphstore.Several(properties), r.bool()
	l.out.Entities = append(l.out.Entities, e)
}

// links reads links one entity at a time, because a row per link would cost the
// server and the wire more than the links themselves.
func (l *adjacencyLoader) links() error {
	for _, statement := range ofBoth(`MATCH (e:__Entity__) WHERE e.workspace_id = $workspace AND e.id IS NOT NULL
		MATCH (e)-[l:FROM_CHUNK]->(c:Chunk) RETURN e.id, collect(c.id), collect(l.kind)`) {
		if err := l.each(l.linksOf, statement, nil); err != nil {
			return err
		}
	}
	slices.SortFunc(l.out.Links, func(a, b graphstore.AdjacentLink) int {
		return cmp.Or(cmp.Compare(a.Chunk, b.Chunk), cmp.Compare(a.Entity, b.Entity))
	})
	return nil
}

func (l *adjacencyLoader) linksOf(r row) {
	entity, ok := l.entityAt[r.text()]
	chunks, kinds := r.list(), r.list()
	for i, c := range chunks {
		id, _ := c.(string)
		chunk, held := l.chunkAt[id]
		if ok && held && i < len(kinds) {
			kind, _ := kinds[i].(int64)
			l.out.Links = append(l.out.Links, graphstore.AdjacentLink{Chunk: chunk, Entity: entity, Kind: graphstore.LinkKind(kind)})
		}
	}
}

func (l *adjacencyLoader) relations() error {
	err := l.each(func(r row) {
		source, ok1 := l.entityAt[r.text()]
		target, ok2 := l.entityAt[r.text()]
		stated := graphstore.AdjacentRelation{Source: source, Target: target, Type: r.text(), Evidence: int32(r.int())}
		var properties domain.Properties
		_ = r.decodeAny(&properties) // if another program damaged them, there are none
		stated.Confidence, stated.Periods = float32(properties.Confidence()), r.text()
		if ok1 && ok2 {
			l.out.Relations = append(l.out.Relations, stated)
		}
	}, `MATCH (a:__Entity__) WHERE a.workspace_id = $workspace AND a.id IS NOT NULL
		MATCH (a)-[r]->(b:__Entity__) RETURN a.id, b.id, r.type, r.contributions, CASE r.contributions WHEN 1 THEN r.properties END, r.periods`, nil)
	slices.SortFunc(l.out.Relations, func(a, b graphstore.AdjacentRelation) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Target, b.Target), cmp.Compare(a.Type, b.Type))
	})
	return err
}
