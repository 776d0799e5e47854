package sqlite

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// deleteEntities deletes all rows before the first words, see putEntities.
func (b *batch) deleteEntities(ids []domain.EntityID) {
	var gone []int64
	for _, id := range ids {
		num := b.findEntity(id).num
		if num == 0 {
			continue
		}
		b.Exec(`DELETE FROM links WHERE workspace = ? AND entity = ?`, b.Num, num)
		b.Exec(`DELETE FROM relations WHERE workspace = ? AND source = ?`, b.Num, string(id))
		b.Exec(`DELETE FROM relations WHERE workspace = ? AND target = ?`, b.Num, string(id))
		b.deleteKeys(num)
		b.Exec(`DELETE FROM entities WHERE num = ?`, num)
		gone = append(gone, num)
	}
	for _, num := range gone {
		b.Exec(`DELETE FROM entity_words WHERE rowid = ?`, num)
	}
}

// putEntities writes all rows before the first words: a row's statement sets a
// savepoint, at which SQLite's full-text search flushes its buffer. Interleaved,
// it would flush at every entity.
func (b *batch) putEntities(list []graphstore.Entity) {
	changed := map[int64]string{} // by row number
	for _, e := range list {
		if num, words := b.putEntity(e); words != "" {
			changed[num] = words
		}
	}
	for _, num := range slices.Sorted(maps.Keys(changed)) {
		b.Exec(`INSERT OR REPLACE INTO entity_words (rowid, words) VALUES (?, ?)`, num, changed[num])
	}
}

// putEntity writes only what differs from the stored entity, because an entity
// mentioned all over a library gains one link at a time. It returns the words that
// are to be written.
func (b *batch) putEntity(e graphstore.Entity) (num int64, changed string) {
	old := b.findEntity(e.ID)
	switch num = old.num; {
	case num == 0:
		num = b.insertEntity(e)
		b.putKeys(num, e)
		b.addLinks(num, e.Links)
	case e.Grown:
		b.updateEntity(old, e)
		b.addLinks(num, e.Links)
	default:
		b.updateEntity(old, e)
		b.putLinks(num, e.Links)
	}
	if words := wordsOf(e.Entity); words != old.words {
		return num, words
	}
	return num, ""
}

// wordsOf returns the text that finds an entity.
func wordsOf(e domain.Entity) string {
	return e.Name + "\n" + strings.Join(e.Aliases, "\n")
}

// row is a stored entity's row.
type row struct {
	num            int64 // 0 for none
	words          string
	key, aliasKeys string
}

func (b *batch) findEntity(id domain.EntityID) (r row) {
	b.Each(func(rows *sql.Rows) error {
		var e domain.Entity
		var aliases []byte
		if err := rows.Scan(&r.num, &e.Name, &aliases, &r.key, &r.aliasKeys); err != nil {
			return err
		}
		err := json.Unmarshal(aliases, &e.Aliases)
		r.words = wordsOf(e)
		return err
	}, `SELECT num, name, aliases, key, alias_keys FROM entities WHERE workspace = ? AND id = ?`, b.Num, string(id))
	return r
}

func (b *batch) insertEntity(e graphstore.Entity) int64 {
	var num int64
	b.Each(func(rows *sql.Rows) error { return rows.Scan(&num) }, `INSERT INTO entities
		(workspace, id, label, key, name, aliases, alias_keys, properties, mentions, chunks, documents, tally)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING num`,
		b.Num, string(e.ID), e.Label, e.Key, e.Name, b.json(e.Aliases), strings.Join(e.AliasKeys, "\n"), b.json(e.Properties),
		e.Mentions, e.Chunks, e.Documents, e.Tally)
	return num
}

func (b *batch) updateEntity(old row, e graphstore.Entity) {
	aliasKeys := strings.Join(e.AliasKeys, "\n")
	b.Exec(`UPDATE entities SET label = ?, key = ?, name = ?, aliases = ?, alias_keys = ?, properties = ?,
		mentions = ?, chunks = ?, documents = ?, tally = ? WHERE num = ?`,
		e.Label, e.Key, e.Name, b.json(e.Aliases), aliasKeys, b.json(e.Properties),
		e.Mentions, e.Chunks, e.Documents, e.Tally, old.num)
	if e.Key != old.key || aliasKeys != old.aliasKeys {
		b.deleteKeys(old.num)
		b.putKeys(old.num, e)
	}
}

func (b *batch) putKeys(num int64, e graphstore.Entity) {
	for _, key := range append([]string{e.Key}, e.AliasKeys...) {
		b.Exec(`INSERT OR IGNORE INTO entity_keys (workspace, key, entity) VALUES (?, ?, ?)`, b.Num, key, num)
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
func (b *batch) putLinks(entity int64, links []graphstore.Link) {
	have := b.linksOf(entity)
	for _, l := range links {
		chunk := b.chunk(l.Chunk)
		if chunk == 0 {
			continue
		}
		want := link{kind: l.Kind, spans: encodeSpans(l.Spans)}
		old, ok := have[chunk]
		delete(have, chunk)
		if ok && old.kind == want.kind && bytes.Equal(old.spans, want.spans) {
			continue
		}
		b.putLink(entity, chunk, want)
	}
	for _, chunk := range slices.Sorted(maps.Keys(have)) {
		b.Exec(`DELETE FROM links WHERE workspace = ? AND entity = ? AND chunk = ?`, b.Num, entity, chunk)
	}
}

// addLinks adds links to an entity.
func (b *batch) addLinks(entity int64, links []graphstore.Link) {
	for _, l := range links {
		if chunk := b.chunk(l.Chunk); chunk != 0 {
			b.putLink(entity, chunk, link{kind: l.Kind, spans: encodeSpans(l.Spans)})
		}
	}
}

func (b *batch) putLink(entity, chunk int64, l link) {
	b.Exec(`INSERT OR REPLACE INTO links (workspace, entity, chunk, kind, spans) VALUES (?, ?, ?, ?, ?)`,
		b.Num, entity, chunk, int(l.kind), l.spans)
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
	b.Exec(`INSERT OR REPLACE INTO relations (workspace, id, source, type, target, strength, evidence, properties)
		SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
		WHERE EXISTS (SELECT 1 FROM entities WHERE workspace = ?1 AND id = ?3) AND EXISTS (SELECT 1 FROM entities WHERE workspace = ?1 AND id = ?5)`,
		b.Num, string(r.ID), string(r.Source), r.Type, string(r.Target), len(r.Evidence), b.json(r.Evidence), b.json(r.Properties))
}

func (b *batch) json(v any) string {
	text, err := json.Marshal(v)
	b.Fail(err)
	return string(text)
}
