package neo4j

import (
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
)

// putEntities writes only what differs from the stored entities, because an
// entity mentioned all over a library gains one link at a time.
func (b *batch) putEntities(in graphstore.Batch) error {
	for entities := in.Entities; len(entities) > 0; {
		n := min(b.rows, len(entities))
		if err := b.putSome(entities[:n]); err != nil {
			return err
		}
		entities = entities[n:]
	}
	return nil
}

func (b *batch) putSome(entities []graphstore.Entity) error {
	have, err := b.stored(entities)
	if err != nil {
		return err
	}
	var nodes, unlisted, relabelled, came, went []fields
	var changes, unlistedChanges linkChanges
	for _, e := range entities {
		old := have[e.ID]
		label := labelToken(e.Label)
		if old.token != "" && !old.unlisted && (old.token != label || e.Unlisted) {
			relabelled = append(relabelled, fields{"id": e.ID, "label": old.token})
		}
		switch {
		case old.token == "" || old.unlisted == e.Unlisted:
		case e.Unlisted:
			went = append(went, fields{"id": e.ID})
		default:
			came = append(came, fields{"id": e.ID})
		}
		row := fields{"id": e.ID, "label": label, "fields": b.entityFields(e)}
		if e.Unlisted {
			unlisted = append(unlisted, row)
			unlistedChanges.add(e, old.links)
		} else {
			nodes = append(nodes, row)
			changes.add(e, old.links)
		}
	}
	for _, part := range []struct {
		rows      []fields
		statement string
	}{
		{relabelled, `UNWIND $rows AS row MATCH (e:__Entity__ {workspace_id: $workspace, id: row.id}) REMOVE e:$(row.label)`},
		{came, `UNWIND $rows AS row MATCH (e:__Unlisted__ {workspace_id: $workspace, id: row.id}) REMOVE e:__Unlisted__ SET e:__Entity__`},
		{went, `UNWIND $rows AS row MATCH (e:__Entity__ {workspace_id: $workspace, id: row.id}) REMOVE e:__Entity__ SET e:__Unlisted__`},
		{nodes, `UNWIND $rows AS row MERGE (e:__Entity__ {workspace_id: $workspace, id: row.id}) SET e = row.fields SET e:$(row.label)`},
		{unlisted, `UNWIND $rows AS row MERGE (e:__Unlisted__ {workspace_id: $workspace, id: row.id}) SET e = row.fields`},
	} {
		if err := unwind(b.tx, part.rows, part.statement); err != nil {
			return err
		}
	}
	if err := changes.write(b.tx, "__Entity__"); err != nil {
		return err
	}
	return unlistedChanges.write(b.tx, "__Unlisted__")
}

func (b *batch) entityFields(e graphstore.Entity) fields {
	f := shown(e.Properties)
	maps.Copy(f, fields{
		"workspace_id": b.workspace, "id": e.ID, "label": e.Label, "key": e.Key, "name": e.Name,
		"aliases": e.Aliases, "alias_keys": e.AliasKeys, "properties": toJSON(e.Properties),
		"mentions": e.Mentions, "chunks": e.Chunks, "documents": e.Documents,
		"words": wordsOf(b.workspace, e.Entity, e.AliasKeys), "__key": indexed(e.Key),
	})
	if e.Tally != "" {
		f["__tally"] = e.Tally // no document property starts with __
	}
	return f
}

// maxIndexed is how many code points of a key are in its index, which takes up to 8 KB.
const maxIndexed = 1000

// indexed returns the index entry of a key.
func indexed(key string) string { return domain.Span{End: maxIndexed}.Slice(key) }

// storedEntity is an entity as stored in the graph.
type storedEntity struct {
	token    string // its second label, if it is listed
	unlisted bool
	links    map[domain.ChunkID]storedLink
}

// storedLink is a stored link without its ends.
type storedLink struct {
	kind  graphstore.LinkKind
	spans []domain.Span
}

// stored returns the stored entities, without links for those that only grow.
func (b *batch) stored(entities []graphstore.Entity) (map[domain.EntityID]storedEntity, error) {
	rows := lists.Map(entities, func(e graphstore.Entity) fields { return fields{"id": e.ID, "links": !e.Grown} })
	have := map[domain.EntityID]storedEntity{}
	note := func(r row) {
		id := domain.EntityID(r.text())
		old := storedEntity{token: labelToken(r.text()), links: map[domain.ChunkID]storedLink{}}
		old.unlisted = r.bool()
		r.each(func(l row) {
			old.links[domain.ChunkID(l.text())] = storedLink{kind: graphstore.LinkKind(l.int()), spans: l.spans()}
		})
		have[id] = old
	}
	err := unwindEach(b.tx, rows, note, `UNWIND $rows AS row
		MATCH (e:`+anyEntity+` {workspace_id: $workspace, id: row.id})
		RETURN e.id, e.label, e:__Unlisted__, CASE WHEN row.links THEN COLLECT { MATCH (e)-[l:FROM_CHUNK]->(c:Chunk) RETURN [c.id, l.kind, l.spans] } ELSE [] END`)
	return have, err
}

// linkChanges turn the stored links into a batch's.
type linkChanges struct{ create, change, remove []fields }

// linksAtOnce is the most links of a row, whose entity is sought once for all of them.
const linksAtOnce = 20

func (c *linkChanges) add(e graphstore.Entity, have map[domain.ChunkID]storedLink) {
	var create []fields
	for _, l := range e.Links {
		r := fields{"chunk": l.Chunk, "kind": int(l.Kind), "spans": spanList(l.Spans)}
		old, ok := have[l.Chunk]
		delete(have, l.Chunk)
		switch {
		case !ok:
			create = append(create, r)
		case old.kind != l.Kind || !slices.Equal(old.spans, l.Spans):
			r["entity"] = e.ID
			c.change = append(c.change, r)
		}
	}
	for some := range slices.Chunk(create, linksAtOnce) {
		c.create = append(c.create, fields{"entity": e.ID, "links": some})
	}
	for _, chunk := range slices.Sorted(maps.Keys(have)) {
		c.remove = append(c.remove, fields{"entity": e.ID, "chunk": chunk})
	}
}

// write writes the changes, all of entities with a label.
func (c *linkChanges) write(t *tx, label string) error {
	for _, part := range []struct {
		rows      []fields
		statement string
	}{
		{c.remove, `UNWIND $rows AS row
			MATCH (e:` + label + ` {workspace_id: $workspace, id: row.entity})
			MATCH (c:Chunk {workspace_id: $workspace, id: row.chunk})
			MATCH (e)-[l:FROM_CHUNK]->(c) DELETE l`},
		{c.change, `UNWIND $rows AS row
			MATCH (e:` + label + ` {workspace_id: $workspace, id: row.entity})
			MATCH (c:Chunk {workspace_id: $workspace, id: row.chunk})
			MATCH (e)-[l:FROM_CHUNK]->(c) SET l.kind = row.kind, l.spans = row.spans`},
		{c.create, `UNWIND $rows AS row
			MATCH (e:` + label + ` {workspace_id: $workspace, id: row.entity})
			UNWIND row.links AS link
			MATCH (c:Chunk {workspace_id: $workspace, id: link.chunk})
			CREATE (e)-[:FROM_CHUNK {kind: link.kind, spans: link.spans}]->(c)`},
	} {
		if err := unwind(t, part.rows, part.statement); err != nil {
			return err
		}
	}
	return nil
}
