package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// entityColumns are the columns of a row named e that scanEntity reads.
// Relations are counted on demand: a stored count would have to be updated
// whenever a neighbour changes.
const entityColumns = ownColumns + `, ` + relationCount

// relationCount counts the relations of a row named e. Without INDEXED BY, SQLite scans the whole workspace for the
// incoming ones.
const relationCount = `(SELECT count(*) FROM relations r INDEXED BY relations_source WHERE r.workspace = e.workspace AND r.source = e.id) +
	(SELECT count(*) FROM relations r INDEXED BY relations_target WHERE r.workspace = e.workspace AND r.target = e.id AND r.source <> e.id)`

// ownColumns are the entityColumns that are stored in the row itself.
const ownColumns = `e.id, e.label, e.key, e.name, e.aliases, e.properties, e.mentions, e.chunks, e.documents, e.unlisted`

type scanner interface{ Scan(into ...any) error }

// scanEntity scans entityColumns, then more.
func scanEntity(row scanner, more ...any) (domain.Entity, error) {
	var e domain.Entity
	var aliases, properties []byte
	err := row.Scan(append([]any{&e.ID, &e.Label, &e.Key, &e.Name, &aliases, &properties,
		&e.Mentions, &e.Chunks, &e.Documents, &e.Unlisted, &e.Relations}, more...)...)
	if err != nil {
		return domain.Entity{}, err
	}
	return e, errors.Join(json.Unmarshal(aliases, &e.Aliases), json.Unmarshal(properties, &e.Properties))
}

func scanEntityRow(rows *sql.Rows) (domain.Entity, error) { return scanEntity(rows) }

// Entity implements graphstore.Reader.
func (s *Store) Entity(ctx context.Context, w domain.WorkspaceID, id domain.EntityID) (domain.Entity, error) {
	var e domain.Entity
	err := s.file.Read(ctx, w, func(tx *sql.Tx, r projected.Workspace) (err error) {
		e, err = scanEntity(tx.QueryRowContext(ctx,
			`SELECT `+entityColumns+` FROM entities e WHERE e.workspace = ? AND e.id = ? AND e.unlisted = 0`, r.Num, string(id)))
		return err
	})
	if errors.Is(err, sql.ErrNoRows) {
		return domain.Entity{}, domain.Errorf(domain.NotFound, "There is no entity %q. It may have been deleted with its last document.", id)
	}
	if err != nil {
		return domain.Entity{}, fmt.Errorf("read entity: %w", err)
	}
	return e, nil
}

// Entities implements graphstore.Reader.
func (s *Store) Entities(ctx context.Context, w domain.WorkspaceID, q graphstore.EntityQuery) ([]domain.Entity, int, error) {
	var total int
	var found []domain.Entity
	err := s.file.Read(ctx, w, func(tx *sql.Tx, r projected.Workspace) error {
		where, args := entityFilter(r, q)
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM entities `+where, args...).Scan(&total); err != nil {
			return err
		}
		order := entityOrder(q.Order)
		limit := q.Limit
		if limit <= 0 {
			limit = -1
		}
		// Select the page first, so that relations are counted only for its rows.
		var err error
		found, err = sqlio.Collect(ctx, tx, scanEntityRow,
			`SELECT `+entityColumns+` FROM entities e WHERE e.num IN (SELECT num FROM entities `+where+order+` LIMIT ? OFFSET ?) `+order,
			append(args, limit, q.Offset)...)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list entities: %w", err)
	}
	return found, total, nil
}

func entityOrder(o graphstore.EntityOrder) string {
	if o == graphstore.ByName {
		return ` ORDER BY name, id`
	}
	return ` ORDER BY mentions DESC, name, id`
}

// entityFilter returns the condition of an entity query and its arguments.
func entityFilter(r projected.Workspace, q graphstore.EntityQuery) (string, []any) {
	where, args := `WHERE workspace = ? AND unlisted = 0`, []any{r.Num}
	if len(q.Labels) > 0 {
		where += ` AND label IN (?` + strings.Repeat(`, ?`, len(q.Labels)-1) + `)`
		for _, label := range q.Labels {
			args = append(args, label)
		}
	}
	switch match := prefixes(q.Text); {
	case match != "":
		where, args = where+` AND num IN (SELECT rowid FROM entity_words WHERE entity_words MATCH ?)`, append(args, match)
	case strings.TrimSpace(q.Text) != "": // punctuation alone matches nothing
		where += ` AND FALSE`
	}
	return where, args
}

// prefixes returns a full-text query for the words of text as prefixes, as many
// as count, or "" if it has none. SQLite takes seconds for thousands.
func prefixes(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	})
	words = words[:min(len(words), graphstore.MaxWords)]
	for i, word := range words {
		words[i] = `"` + word + `"*`
	}
	return strings.Join(words, " AND ")
}

// ByKey implements graphstore.Reader.
func (s *Store) ByKey(ctx context.Context, w domain.WorkspaceID, keys []string) ([]domain.Entity, error) {
	return list(ctx, s, w, "find entities by key", scanEntityRow, `SELECT `+ownColumns+`, 0 FROM entities e WHERE e.num IN (
			SELECT k.entity FROM entity_keys k WHERE k.workspace = ? AND k.key IN (SELECT value FROM json_each(?)))
		ORDER BY e.key, e.mentions DESC, e.id`, sqlio.JSON(keys))
}

// Named implements graphstore.Reader.
func (s *Store) Named(ctx context.Context, w domain.WorkspaceID, ids []domain.EntityID) ([]domain.Entity, error) {
	return list(ctx, s, w, "read entities", scanEntityRow,
		`SELECT `+ownColumns+`, 0 FROM entities e WHERE e.workspace = ? AND e.id IN (SELECT value FROM json_each(?)) ORDER BY e.id`, sqlio.JSON(ids))
}

// Keyed implements graphstore.Writer.
func (s *Store) Keyed(ctx context.Context, w domain.WorkspaceID, keys []string) ([]graphstore.Entity, error) {
	return list(ctx, s, w, "read entities by key", func(rows *sql.Rows) (e graphstore.Entity, err error) {
		e.Entity, err = scanEntity(rows, &e.Tally)
		return e, err
	}, `SELECT `+ownColumns+`, 0, e.tally FROM entity_keys k JOIN entities e ON e.num = k.entity AND e.key = k.key
		WHERE k.workspace = ? AND k.key IN (SELECT value FROM json_each(?)) ORDER BY e.key, e.mentions DESC, e.id`, sqlio.JSON(keys))
}

// Notes implements graphstore.Writer.
func (s *Store) Notes(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID) (map[domain.DocumentID][]byte, error) {
	return pairs[domain.DocumentID, []byte](ctx, s, w, "read notes",
		`SELECT document, notes FROM notes WHERE workspace = ? AND document IN (SELECT value FROM json_each(?)) AND notes <> x''`, sqlio.JSON(documents))
}

// Labels implements graphstore.Reader.
func (s *Store) Labels(ctx context.Context, w domain.WorkspaceID) ([]graphstore.LabelCount, error) {
	return list(ctx, s, w, "count labels", func(rows *sql.Rows) (c graphstore.LabelCount, err error) {
		err = rows.Scan(&c.Label, &c.Count)
		return c, err
	}, `SELECT label, COUNT(*) FROM entities WHERE workspace = ? AND unlisted = 0 GROUP BY label ORDER BY COUNT(*) DESC, label`)
}

// Types implements graphstore.Reader.
func (s *Store) Types(ctx context.Context, w domain.WorkspaceID) ([]graphstore.TypeCount, error) {
	return list(ctx, s, w, "count types", func(rows *sql.Rows) (c graphstore.TypeCount, err error) {
		err = rows.Scan(&c.Type, &c.Count)
		return c, err
	}, `SELECT type, COUNT(*) FROM relations WHERE workspace = ? GROUP BY type ORDER BY COUNT(*) DESC, type`)
}

// list returns the rows of a query whose first argument is the workspace, as scan reads them.
func list[T any](ctx context.Context, s *Store, w domain.WorkspaceID, op string, scan func(*sql.Rows) (T, error), query string, args ...any) (found []T, err error) {
	err = s.file.Read(ctx, w, func(tx *sql.Tx, r projected.Workspace) (err error) {
		found, err = sqlio.Collect(ctx, tx, scan, query, slices.Insert(args, 0, any(r.Num))...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	return found, nil
}

// pairs is list of a query with two columns, a key and its value.
func pairs[K comparable, V any](ctx context.Context, s *Store, w domain.WorkspaceID, op, query string, args ...any) (map[K]V, error) {
	by := map[K]V{}
	_, err := list(ctx, s, w, op, func(rows *sql.Rows) (v V, err error) {
		var k K
		err = rows.Scan(&k, &v)
		by[k] = v
		return v, err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return by, nil
}
