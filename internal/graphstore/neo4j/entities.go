package neo4j

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
)

// entityColumns are the columns of a node named %[1]s that entity reads.
// Relations are the relationships besides links; the server keeps both counts
// per node.
const entityColumns = ownColumns + `, COUNT { (%[1]s)--() } - COUNT { (%[1]s)-[:FROM_CHUNK]->() }`

// ownColumns are the entityColumns that are properties of the node.
const ownColumns = `%[1]s.id, %[1]s.label, %[1]s.key, %[1]s.name, %[1]s.aliases, %[1]s.properties,
	%[1]s.mentions, %[1]s.chunks, %[1]s.documents, %[1]s:__Unlisted__`

// columns are the entityColumns of node e; bare are the same with 0 relations.
var (
	columns = columnsOf("e")
	bare    = bareOf("e")
)

func columnsOf(node string) string { return fmt.Sprintf(entityColumns, node) }

// bareOf returns the columns of a node with 0 relations.
func bareOf(node string) string { return fmt.Sprintf(ownColumns+`, 0 AS %[1]s_relations`, node) }

func (r row) entity() (domain.Entity, error) {
	e := domain.Entity{
		ID: domain.EntityID(r.text()), Label: r.text(), Key: r.text(), Name: r.text(), Aliases: r.texts(),
	}
	err := r.decode(&e.Properties)
	e.Mentions, e.Chunks, e.Documents, e.Unlisted, e.Relations = r.int(), r.int(), r.int(), r.bool(), r.int()
	return e, err
}

// entities runs a statement that returns entityColumns.
func (s *Store) entities(ctx context.Context, w domain.WorkspaceID, statement string, p params) ([]domain.Entity, error) {
	var list []domain.Entity
	var damaged error
	err := s.query(ctx, w, func() { list, damaged = nil, nil }, func(r row) {
		e, err := r.entity()
		damaged = cmp.Or(damaged, err)
		list = append(list, e)
	}, statement, p)
	return list, cmp.Or(err, damaged)
}

// Entity implements graphstore.Reader.
func (s *Store) Entity(ctx context.Context, w domain.WorkspaceID, id domain.EntityID) (domain.Entity, error) {
	found, err := s.entities(ctx, w, `MATCH (e:__Entity__ {workspace_id: $workspace, id: $id}) RETURN `+columns, params{"id": id})
	if err != nil {
		return domain.Entity{}, fmt.Errorf("read entity: %w", err)
	}
	if len(found) == 0 {
		return domain.Entity{}, domain.Errorf(domain.NotFound, "There is no entity %q. It may have been deleted with its last document.", id)
	}
	return found[0], nil
}

// Entities implements graphstore.Reader.
func (s *Store) Entities(ctx context.Context, w domain.WorkspaceID, q graphstore.EntityQuery) ([]domain.Entity, int, error) {
	selected, p, none := selection(w, q)
	if none {
		return nil, 0, nil
	}
	var total int
	var found []domain.Entity
	err := s.query(ctx, w, func() {}, func(r row) { total = r.int() }, selected+` RETURN count(e)`, p)
	if err == nil {
		// Select the page first, so that relations are counted only for its rows.
		order := entityOrder(q.Order)
		found, err = s.entities(ctx, w, selected+` WITH e `+order+` SKIP $skip `+limitOf(q.Limit)+` RETURN `+columns+order, p)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("list entities: %w", err)
	}
	return found, total, nil
}

// selection returns the start of a statement that finds the entities of a
// query, and its parameters. It reports none if nothing can match.
func selection(w domain.WorkspaceID, q graphstore.EntityQuery) (statement string, p params, none bool) {
	p = params{"skip": max(q.Offset, 0), "limit": q.Limit, "labels": q.Labels}
	statement = `MATCH (e:__Entity__) WHERE e.workspace_id = $workspace AND e.mentions IS NOT NULL`
	if strings.TrimSpace(q.Text) != "" {
		words := words(q.Text)
		if len(words) == 0 { // punctuation alone matches nothing
			return "", nil, true
		}
		p["words"] = wordQuery(w, words)
		statement = `CALL db.index.fulltext.queryNodes('entity_words', $words) YIELD node AS e WITH e WHERE e.workspace_id = $workspace`
	}
	if len(q.Labels) > 0 {
		statement += ` AND e.label IN $labels`
	}
	return statement, p, false
}

func entityOrder(o graphstore.EntityOrder) string {
	if o == graphstore.ByName {
		return ` ORDER BY e.name, e.id`
	}
	return ` ORDER BY e.mentions DESC, e.name, e.id`
}

// limitOf returns the clause that applies $limit, or "" if there is no limit.
func limitOf(limit int) string {
	if limit <= 0 {
		return ""
	}
	return ` LIMIT $limit`
}

// maxKeys bounds the keys of one lookup; the index accepts 1,024.
const maxKeys = 500

// byKey reads the entities with one of keys, listed or not, in one round trip.
var byKey = strings.Join(ofBoth(`CALL db.index.fulltext.queryNodes('entity_words', $query) YIELD node AS e
	WITH e WHERE e.workspace_id = $workspace AND (e.key IN $keys OR any(k IN e.alias_keys WHERE k IN $keys)) RETURN `+bare), " UNION ALL ")

// ByKey implements graphstore.Reader.
func (s *Store) ByKey(ctx context.Context, w domain.WorkspaceID, keys []string) ([]domain.Entity, error) {
	keys = slices.Compact(slices.Sorted(slices.Values(keys)))
	var found []domain.Entity
	for part := range slices.Chunk(keys, maxKeys) {
		some, err := s.entities(ctx, w, byKey, params{"query": keyQuery(w, part), "keys": part})
		if err != nil {
			return nil, fmt.Errorf("find entities by key: %w", err)
		}
		found = append(found, some...)
	}
	slices.SortFunc(found, byKeyOrder)
	return slices.CompactFunc(found, func(a, b domain.Entity) bool { return a.ID == b.ID }), nil
}

// Named implements graphstore.Reader.
func (s *Store) Named(ctx context.Context, w domain.WorkspaceID, ids []domain.EntityID) ([]domain.Entity, error) {
	found, err := s.entities(ctx, w, `UNWIND $ids AS id MATCH (e:`+anyEntity+` {workspace_id: $workspace, id: id}) WITH DISTINCT e RETURN `+bare, params{"ids": ids})
	if err != nil {
		return nil, fmt.Errorf("read entities: %w", err)
	}
	slices.SortFunc(found, func(a, b domain.Entity) int { return cmp.Compare(a.ID, b.ID) })
	return found, nil
}

// Keyed implements graphstore.Writer.
func (s *Store) Keyed(ctx context.Context, w domain.WorkspaceID, keys []string) ([]graphstore.Entity, error) {
	var found []graphstore.Entity
	var damaged error
	err := queryEach(ctx, s, w, keyRows(slices.Compact(slices.Sorted(slices.Values(keys)))), func() { found, damaged = nil, nil }, func(r row) {
		e, err := r.entity()
		damaged = cmp.Or(damaged, err)
		found = append(found, graphstore.Entity{Entity: e, Tally: r.text()})
	}, `UNWIND $rows AS key MATCH (e:`+anyEntity+` {workspace_id: $workspace, __key: key.start}) WHERE e.key = key.whole RETURN `+bare+`, e.__tally`)
	if err = cmp.Or(err, damaged); err != nil {
		return nil, fmt.Errorf("read entities by key: %w", err)
	}
	slices.SortFunc(found, func(a, b graphstore.Entity) int { return byKeyOrder(a.Entity, b.Entity) })
	return found, nil
}

// keyRows returns keys with their entries in the index.
func keyRows(keys []string) []fields {
	return lists.Map(keys, func(key string) fields { return fields{"start": indexed(key), "whole": key} })
}

func byKeyOrder(a, b domain.Entity) int {
	return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(b.Mentions, a.Mentions), cmp.Compare(a.ID, b.ID))
}

// Notes implements graphstore.Writer.
func (s *Store) Notes(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID) (map[domain.DocumentID][]byte, error) {
	found := map[domain.DocumentID][]byte{}
	err := queryEach(ctx, s, w, documents, func() { clear(found) }, func(r row) { found[domain.DocumentID(r.text())] = r.bytes() },
		`UNWIND $rows AS id MATCH (d:Document {workspace_id: $workspace, id: id}) WHERE d.__notes IS NOT NULL RETURN d.id, d.__notes`)
	if err != nil {
		return nil, fmt.Errorf("read notes: %w", err)
	}
	return found, nil
}

// anyEntity is the labels of entities, listed or not, for statements that seek nodes by id.
const anyEntity = `__Entity__|__Unlisted__`

// ofBoth returns a statement about entities, and the same about unlisted ones. These have another label, so that
// statements about the entities of a graph, here and in Neo4j's tools, do not find them.
func ofBoth(statement string) []string { return []string{statement, ofUnlisted(statement)} }

func ofUnlisted(statement string) string {
	return strings.NewReplacer("__Entity__", "__Unlisted__", "entity_words", "unlisted_words").Replace(statement)
}
