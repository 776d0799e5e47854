package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// CuratedKeys are the normalised names of the entities in the curation log.
type CuratedKeys struct {
	Held map[domain.EntityID]string // names that a document holds, or that somebody created
	Gone map[domain.EntityID]string // domain.Hash of the other names
}

// CuratedKeys returns the names of the entities in the curation log.
func (l *Ledger) CuratedKeys(ctx context.Context, ws domain.WorkspaceID) (CuratedKeys, error) {
	keys := CuratedKeys{Held: map[domain.EntityID]string{}, Gone: map[domain.EntityID]string{}}
	err := sqlio.Each(ctx, l.reader, func(rows *sql.Rows) error {
		var id domain.EntityID
		var key, hash string
		err := rows.Scan(&id, &key, &hash)
		if key != "" {
			keys.Held[id] = key
		} else {
			keys.Gone[id] = hash
		}
		return err
	}, `SELECT entity_id, entity_key, key_hash FROM curated_entities WHERE workspace_id = ? AND (entity_key <> '' OR key_hash <> '')`, ws)
	return keys, l.wrap("read curated names", err)
}

func curatedKeys(ctx context.Context, q querier, query string, args ...any) (map[domain.EntityID]string, error) {
	keys := map[domain.EntityID]string{}
	err := sqlio.Each(ctx, q, func(rows *sql.Rows) error {
		var id domain.EntityID
		var key string
		err := rows.Scan(&id, &key)
		keys[id] = key
		return err
	}, query, args...)
	return keys, err
}

// recallCreated restores the forgotten id without a label of an entity that is
// created: earlier entries may know it by that id.
func recallCreated(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, c Curation, keys map[domain.EntityID]string) error {
	key := keys[c.Entity]
	if c.Kind != CurationCreate || key == "" {
		return nil
	}
	return setKey(ctx, tx, ws, domain.NewEntityID(ws, domain.UnknownLabel, key), key)
}

func saveKeys(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, keys map[domain.EntityID]string) error {
	var rows [][]any
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		if keys[id] != "" {
			rows = append(rows, []any{ws, id, keys[id]})
		}
	}
	return insert(ctx, tx, `INSERT INTO curated_entities (workspace_id, entity_id, entity_key)`, rows,
		`ON CONFLICT (workspace_id, entity_id) DO UPDATE SET entity_key = excluded.entity_key`)
}

// forget replaces the names that no document holds any longer by their hashes.
func (l *Ledger) forget(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID) error {
	lost, err := curatedKeys(ctx, tx, `SELECT c.entity_id, c.entity_key FROM curated_entities c
		WHERE c.workspace_id = ? AND c.entity_key <> '' AND NOT EXISTS
		(SELECT 1 FROM mentions m WHERE m.workspace_id = c.workspace_id AND m.entity_key = c.entity_key)`, ws)
	if err != nil || len(lost) == 0 {
		return err
	}
	titles, err := l.titleKeys(ctx, tx, `SELECT title FROM documents WHERE workspace_id = ?`, ws)
	if err != nil {
		return err
	}
	made, err := l.madeKeys(ctx, tx, ws, "")
	if err != nil {
		return err
	}
	held := titles
	for _, key := range made {
		held[key] = true
	}
	for _, id := range slices.Sorted(maps.Keys(lost)) {
		if !held[lost[id]] {
			_, err := tx.ExecContext(ctx, `UPDATE curated_entities SET entity_key = '', key_hash = ? WHERE workspace_id = ? AND entity_id = ?`,
				domain.Hash([]byte(lost[id])), ws, id)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// recall restores the forgotten names that a document holds.
func (l *Ledger) recall(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID) error {
	forgotten, err := curatedKeys(ctx, tx, `SELECT entity_id, entity_key FROM curated_entities WHERE workspace_id = ? AND entity_key = ''`, ws)
	if err != nil || len(forgotten) == 0 {
		return err
	}
	named, err := l.names(ctx, tx, ws, id)
	if err != nil {
		return err
	}
	for _, entity := range slices.Sorted(maps.Keys(named)) {
		if _, ok := forgotten[entity]; ok {
			if err := setKey(ctx, tx, ws, entity, named[entity]); err != nil {
				return err
			}
		}
	}
	return nil
}

// names returns the keys of the entities that a document names, under every id
// they may have.
func (l *Ledger) names(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID) (map[domain.EntityID]string, error) {
	named := map[domain.EntityID]string{}
	err := sqlio.Each(ctx, tx, func(rows *sql.Rows) error {
		var label, key string
		err := rows.Scan(&label, &key)
		named[domain.NewEntityID(ws, label, key)] = key
		named[domain.NewEntityID(ws, domain.UnknownLabel, key)] = key
		return err
	}, `SELECT DISTINCT m.label, m.entity_key FROM mentions m JOIN chunks c ON c.workspace_id = m.workspace_id AND c.id = m.chunk_id
		WHERE c.workspace_id = ? AND c.document_id = ?`, ws, id)
	if err != nil {
		return nil, err
	}
	titles, err := l.titleKeys(ctx, tx, `SELECT title FROM documents WHERE workspace_id = ? AND id = ?`, ws, id)
	for key := range titles {
		named[domain.NewEntityID(ws, domain.UnknownLabel, key)] = key
	}
	if err != nil {
		return nil, err
	}
	made, err := l.madeKeys(ctx, tx, ws, id)
	for entity, key := range made {
		named[entity], named[domain.NewEntityID(ws, domain.UnknownLabel, key)] = key, key
	}
	return named, err
}

// madeKeys returns the keys of the entities that curators created, of one
// document if there is an id: those without a source, and those of stretches
// that documents still have.
func (l *Ledger) madeKeys(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, of domain.DocumentID) (map[domain.EntityID]string, error) {
	entries, err := sqlio.Collect(ctx, tx, scanCuration, `SELECT `+curationColumns+` FROM curations WHERE workspace_id = ? AND kind = ?`, ws, CurationCreate)
	if err != nil {
		return nil, err
	}
	made, stretches := map[domain.EntityID]string{}, map[domain.ChunkID][]Curation{}
	for _, c := range entries {
		at := c.Stretch
		switch {
		case of != "" && at.Document != of:
		case at.Chunk != "":
			stretches[at.Chunk] = append(stretches[at.Chunk], c)
		default:
			made[c.Entity] = l.key(c.Name)
		}
	}
	chunks, err := collectIn(ctx, tx, scanChunk, `SELECT `+chunkColumns+` FROM chunks c WHERE c.workspace_id = ? AND c.id IN (%s)`, []any{ws}, slices.Sorted(maps.Keys(stretches)))
	for _, chunk := range chunks {
		for _, c := range stretches[chunk.ID] {
			if words, ok := c.Stretch.In(chunk); ok {
				made[c.Entity] = l.key(cmp.Or(c.Name, words))
			}
		}
	}
	return made, err
}

// titleKeys returns the normalised names in the titles that query selects.
func (l *Ledger) titleKeys(ctx context.Context, q querier, query string, args ...any) (map[string]bool, error) {
	keys := map[string]bool{}
	err := sqlio.Each(ctx, q, func(rows *sql.Rows) error {
		var title string
		err := rows.Scan(&title)
		for _, form := range domain.TitleForms(title) {
			keys[l.key(form)] = true
		}
		return err
	}, query, args...)
	return keys, err
}

func setKey(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.EntityID, key string) error {
	_, err := tx.ExecContext(ctx, `UPDATE curated_entities SET entity_key = ? WHERE workspace_id = ? AND entity_id = ?`, key, ws, id)
	return err
}
