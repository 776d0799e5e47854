package sqlite

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
)

// deleteRelationsOf deletes the relations ?1 of the entity ?2. Without a subquery SQLite
// goes through all relations of the workspace: it does not delete rows of a table
// without row ids by an index.
const deleteRelationsOf = `DELETE FROM relations WHERE workspace = ?1 AND id IN (
	SELECT id FROM relations WHERE workspace = ?1 AND source = ?2 UNION ALL SELECT id FROM relations WHERE workspace = ?1 AND target = ?2)`

// deleteEntities deletes all rows before the first words, see putEntities.
func (b *batch) deleteEntities(ids []domain.EntityID) {
	var gone []int64
	stored := b.findEntities(ids)
	for _, id := range ids {
		num := stored[id].num
		if num == 0 {
			continue
		}
		b.Exec(`DELETE FROM links WHERE workspace = ? AND entity = ?`, b.Num, num)
		b.Exec(deleteRelationsOf, b.Num, string(id))
		b.deleteKeys(num)
		b.Exec(`DELETE FROM entities WHERE num = ?`, num)
		gone = append(gone, num)
	}
	for _, num := range gone {
		b.Exec(`DELETE FROM entity_words WHERE rowid = ?`, num)
	}
}

// entitiesAtOnce is how many stored entities are looked up together.
const entitiesAtOnce = 256

// putEntities writes all rows before the first words: a row's statement sets a
// savepoint, at which SQLite's full-text search flushes its buffer. Interleaved,
// it would flush at every entity.
func (b *batch) putEntities(list []graphstore.Entity) {
	w := b.entityWriter()
	for part := range slices.Chunk(list, entitiesAtOnce) {
		w.putAll(part)
	}
	for _, num := range slices.Sorted(maps.Keys(w.changed)) {
		b.Exec(`INSERT OR REPLACE INTO entity_words (rowid, words) VALUES (?, ?)`, num, w.changed[num])
	}
}

// entityWriter writes entities, many rows with a statement.
type entityWriter struct {
	*batch
	last                  int64 // highest row number
	stored                map[domain.EntityID]row
	entities, keys, links *projected.Rows  // to be added
	changed               map[int64]string // words to be written, by row number
}

func (b *batch) entityWriter() *entityWriter {
	w := &entityWriter{
		batch: b, changed: map[int64]string{},
		// A failure ends the batch, so there is no need to be able to undo single statements.
		entities: b.Rows(`INSERT OR FAIL INTO entities
			(num, workspace, id, label, key, name, aliases, alias_keys, properties, mentions, chunks, documents, tally, unlisted)`, 14),
		keys:  b.Rows(`INSERT OR IGNORE INTO entity_keys (workspace, key, entity)`, 3),
		links: b.Rows(`INSERT OR REPLACE INTO links (workspace, entity, chunk, kind, spans)`, 5),
	}
	b.Each(func(rows *sql.Rows) error { return rows.Scan(&w.last) }, `SELECT coalesce(max(num), 0) FROM entities`)
	return w
}

func (w *entityWriter) putAll(list []graphstore.Entity) {
	w.stored = w.findEntities(lists.Map(list, func(e graphstore.Entity) domain.EntityID { return e.ID }))
	for _, e := range list {
		w.put(e)
	}
	w.flush()
}

func (w *entityWriter) flush() {
	w.entities.Flush()
	w.keys.Flush()
	w.links.Flush()
}

// put writes only what differs from the stored entity, because an entity mentioned
// all over a library gains one link at a time.
func (w *entityWriter) put(e graphstore.Entity) {
	old, known := w.stored[e.ID]
	words := wordsOf(e.Entity)
	switch {
	case !known:
		w.last++
		old.num = w.last
		w.insert(old.num, e)
		w.addLinks(old.num, e.Links)
	case e.Grown:
		w.update(old, e)
		w.addLinks(old.num, e.Links)
	default:
		w.update(old, e)
		w.putLinks(old.num, e.Links)
	}
	if words != old.words {
		w.changed[old.num] = words
	}
}

// wordsOf returns the text that finds an entity.
func wordsOf(e domain.Entity) string {
	return e.Name + "\n" + strings.Join(e.Aliases, "\n")
}

// row is a stored entity's row.
type row struct {
	num            int64 // 0 if there is none
	words          string
	key, aliasKeys string
}

// findEntities returns the rows of the entities that are stored.
func (b *batch) findEntities(ids []domain.EntityID) map[domain.EntityID]row {
	found := make(map[domain.EntityID]row, len(ids))
	b.Each(func(rows *sql.Rows) error {
		var id domain.EntityID
		var r row
		var e domain.Entity
		var aliases []byte
		if err := rows.Scan(&id, &r.num, &e.Name, &aliases, &r.key, &r.aliasKeys); err != nil {
			return err
		}
		err := json.Unmarshal(aliases, &e.Aliases)
		r.words = wordsOf(e)
		found[id] = r
		return err
	}, `SELECT id, num, name, aliases, key, alias_keys FROM entities WHERE workspace = ? AND id IN (SELECT value FROM json_each(?))`, b.Num, b.json(ids))
	return found
}

func (w *entityWriter) insert(num int64, e graphstore.Entity) {
	w.entities.Add(num, w.Num, string(e.ID), e.Label, e.Key, e.Name, w.json(e.Aliases), strings.Join(e.AliasKeys, "\n"), w.json(e.Properties),
		e.Mentions, e.Chunks, e.Documents, e.Tally, e.Unlisted)
	w.addKeys(num, e)
}

func (w *entityWriter) update(old row, e graphstore.Entity) {
	aliasKeys := strings.Join(e.AliasKeys, "\n")
	w.Exec(`UPDATE entities SET label = ?, key = ?, name = ?, aliases = ?, alias_keys = ?, properties = ?,
		mentions = ?, chunks = ?, documents = ?, tally = ?, unlisted = ? WHERE num = ?`,
		e.Label, e.Key, e.Name, w.json(e.Aliases), aliasKeys, w.json(e.Properties),
		e.Mentions, e.Chunks, e.Documents, e.Tally, e.Unlisted, old.num)
	if e.Key != old.key || aliasKeys != old.aliasKeys {
		w.deleteKeys(old.num)
		w.addKeys(old.num, e)
	}
}

func (w *entityWriter) addKeys(num int64, e graphstore.Entity) {
	w.keys.Add(w.Num, e.Key, num)
	for _, key := range e.AliasKeys {
		w.keys.Add(w.Num, key, num)
	}
}

func (b *batch) deleteKeys(num int64) {
	b.Exec(`DELETE FROM entity_keys WHERE (workspace, key, entity) IN (SELECT workspace, key, entity FROM entity_keys WHERE entity = ?)`, num)
}

// link is a stored link without its ends.
type link struct {
	kind  graphstore.LinkKind
	spans []byte
}

// putLinks replaces the links of an entity.
func (w *entityWriter) putLinks(entity int64, links []graphstore.Link) {
	have := w.linksOf(entity)
	for _, l := range links {
		chunk := w.chunk(l.Chunk)
		if chunk == 0 {
			continue
		}
		want := link{kind: l.Kind, spans: encodeSpans(l.Spans)}
		old, ok := have[chunk]
		delete(have, chunk)
		if ok && old.kind == want.kind && bytes.Equal(old.spans, want.spans) {
			continue
		}
		w.addLink(entity, chunk, want)
	}
	for _, chunk := range slices.Sorted(maps.Keys(have)) {
		w.Exec(`DELETE FROM links WHERE workspace = ? AND entity = ? AND chunk = ?`, w.Num, entity, chunk)
	}
}

// addLinks adds links to an entity.
func (w *entityWriter) addLinks(entity int64, links []graphstore.Link) {
	for _, l := range links {
		if chunk := w.chunk(l.Chunk); chunk != 0 {
			w.addLink(entity, chunk, link{kind: l.Kind, spans: encodeSpans(l.Spans)})
		}
	}
}

func (w *entityWriter) addLink(entity, chunk int64, l link) {
	w.links.Add(w.Num, entity, chunk, int(l.kind), l.spans)
}

func (b *batch) linksOf(entity int64) map[int64]link {
	have := map[int64]link{}
	b.Each(func(rows *sql.Rows) error {
		var chunk int64
		var l link
		err := rows.Scan(&chunk, &l.kind, &l.spans)
		have[chunk] = l
		return err
	}, `SELECT chunk, kind, spans FROM links WHERE workspace = ? AND entity = ?`, b.Num, entity)
	return have
}

func (b *batch) putRelation(r domain.Relation) {
	b.Exec(`INSERT OR REPLACE INTO relations (workspace, id, source, type, target, strength, evidence, properties, periods)
		SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
		WHERE EXISTS (SELECT 1 FROM entities WHERE workspace = ?1 AND id = ?3) AND EXISTS (SELECT 1 FROM entities WHERE workspace = ?1 AND id = ?5)`,
		b.Num, string(r.ID), string(r.Source), r.Type, string(r.Target), len(r.Evidence), b.json(r.Evidence), b.json(r.Properties), r.Dating())
}

func (b *batch) json(v any) string {
	text, err := json.Marshal(v)
	b.Fail(err)
	return string(text)
}
