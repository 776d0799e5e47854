package neo4j

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// The kinds of rows of near.
const (
	nearNameRows = iota
	nearChunkRows
	nearLinkRows
)

// nearNames reads the neighbours of names; unlisted ones have no relations.
const nearNames = `UNWIND $keys AS key MATCH (e:__Entity__ {workspace_id: $workspace, __key: key.start}) WHERE e.key = key.whole
	WITH e, CASE WHEN e.chunks <= $most THEN COLLECT { MATCH (e)-[l:FROM_CHUNK]->(c:Chunk) RETURN [c.id, c.document_id, l.kind] } ELSE [] END AS links,
		CASE WHEN e.chunks <= $most THEN COLLECT { MATCH (e)-[r]-(o:__Entity__) RETURN [o.key, r.type, r.periods] LIMIT $most + 1 } ELSE [] END AS related
	RETURN 0 AS what, collect([e.id, e.key, e.name, e.chunks, links, related]) AS rows`

// nearChunks reads chunks by their positions in $chunks, and then what is linked to them: an entity is read once and comes once, with the
// positions of its chunks.
const nearChunks = `UNWIND range(0, size($chunks) - 1) AS i MATCH (c:Chunk {workspace_id: $workspace, id: $chunks[i]}) RETURN 1 AS what, collect([i, c.document_id]) AS rows
	UNION ALL
	UNWIND range(0, size($chunks) - 1) AS i MATCH (c:Chunk {workspace_id: $workspace, id: $chunks[i]}) MATCH (c)<-[l:FROM_CHUNK]-(e)
	WITH e, collect([i, l.kind]) AS at RETURN 2 AS what, collect([e.key, e.alias_keys, e.chunks, at]) AS rows`

// near reads both in one round trip.
var near = strings.Join(append(ofBoth(nearNames), nearChunks), " UNION ALL ")

// Near implements graphstore.Reader.
func (s *Store) Near(ctx context.Context, w domain.WorkspaceID, q graphstore.NearQuery) (graphstore.Near, error) {
	var found graphstore.Near
	var at []int // index in found.Chunks, by the position in q.Chunks
	begin := func() { found, at = graphstore.Near{}, make([]int, len(q.Chunks)) }
	err := s.query(ctx, w, begin, func(r row) {
		what := r.int()
		r.each(func(r row) {
			switch what {
			case nearNameRows:
				found.Names = append(found.Names, r.nearName(q.AsOf))
			case nearChunkRows:
				i := r.int()
				at[i] = len(found.Chunks)
				found.Chunks = append(found.Chunks, graphstore.NearChunk{AdjacentChunk: graphstore.AdjacentChunk{ID: q.Chunks[i], Document: domain.DocumentID(r.text())}})
			case nearLinkRows:
				l := graphstore.NamedLink{Key: r.text(), AliasKeys: r.texts(), Passages: r.int()}
				r.each(func(r row) {
					c := &found.Chunks[at[r.int()]]
					l.Kind = graphstore.LinkKind(r.int())
					c.Links = append(c.Links, l)
				})
			}
		})
	}, near, params{"keys": keyRows(q.Keys), "chunks": q.Chunks, "most": q.Most})
	if err != nil {
		return graphstore.Near{}, fmt.Errorf("read neighbours: %w", err)
	}
	graphstore.SortNear(found)
	return found, nil
}

func (r row) nearName(at domain.Day) graphstore.NearName {
	n := graphstore.NearName{Entity: domain.EntityID(r.text()), Key: r.text(), Name: r.text(), Passages: r.int()}
	r.each(func(l row) {
		n.Links = append(n.Links, graphstore.NearLink{
			AdjacentChunk: graphstore.AdjacentChunk{ID: domain.ChunkID(l.text()), Document: domain.DocumentID(l.text())}, Kind: graphstore.LinkKind(l.int()),
		})
	})
	r.each(func(o row) {
		if key, kind, dating := o.text(), o.text(), o.text(); domain.DatingHolds(kind, dating, at) {
			n.Related = append(n.Related, key)
		}
	})
	return n
}

// alike is the most entities that are read for a word that is in no name as it is spelt.
const alike = 200

// Spelt implements graphstore.Reader.
func (s *Store) Spelt(ctx context.Context, w domain.WorkspaceID, words []string) ([]string, error) {
	var queries []string
	for _, word := range words {
		if word != "" && strings.IndexFunc(word, special) < 0 {
			queries = append(queries, "+"+workspaceToken(w)+" +("+word+"^9 "+word+"~1)")
		}
	}
	var found []string
	err := s.readIn(ctx, w, func(t *tx) error {
		found = nil
		for _, statement := range ofBoth(`UNWIND $queries AS query CALL db.index.fulltext.queryNodes('entity_words', query, {limit: $alike}) YIELD node AS e
			WITH DISTINCT e WHERE e.workspace_id = $workspace RETURN e.key, e.alias_keys`) {
			err := t.each(func(r row) { found = append(append(found, r.text()), r.texts()...) }, statement, params{"queries": queries, "alike": alike})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look up words: %w", err)
	}
	return graphstore.SpeltAlike(words, strings.Fields(strings.Join(found, " "))), nil
}

// special reports whether a rune may mean something in a query of the index.
func special(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }
