package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// The statements of Near put the neighbours of a row into one text, a line for each:
// to scan a row costs several times as much as to find it. The cross joins have SQLite
// begin at what is asked for, and the indexes not go through all relations.
const (
	nearNames = `SELECT e.id, e.key, e.name, e.chunks,
			CASE WHEN e.chunks <= ?3 THEN (SELECT group_concat(l.kind || ' ' || c.document || ' ' || c.id, char(10))
				FROM links l CROSS JOIN chunks c ON c.num = l.chunk WHERE l.workspace = ?1 AND l.entity = e.num) END,
			CASE WHEN e.chunks <= ?3 THEN (SELECT group_concat(CASE r.periods WHEN '' THEN o.key ELSE o.key || char(9) || r.type || ' ' || r.periods END, char(10)) FROM (
				SELECT target AS id, type, periods FROM relations INDEXED BY relations_source WHERE workspace = ?1 AND source = e.id
				UNION ALL SELECT source, type, periods FROM relations INDEXED BY relations_target WHERE workspace = ?1 AND target = e.id LIMIT ?3 + 1
			) r CROSS JOIN entities o ON o.workspace = ?1 AND o.id = r.id) END
		FROM json_each(?2) j CROSS JOIN entity_keys k ON k.workspace = ?1 AND k.key = j.value CROSS JOIN entities e ON e.num = k.entity AND e.key = k.key`
	nearChunks = `SELECT c.id, c.document, (SELECT group_concat(l.kind || ' ' || e.chunks || ' ' || e.key || char(9) || replace(e.alias_keys, char(10), char(9)), char(10))
				FROM links l INDEXED BY links_chunk CROSS JOIN entities e ON e.num = l.entity WHERE l.chunk = c.num)
		FROM json_each(?2) j CROSS JOIN chunks c ON c.workspace = ?1 AND c.id = j.value`
)

// Near implements graphstore.Reader.
func (s *Store) Near(ctx context.Context, w domain.WorkspaceID, q graphstore.NearQuery) (graphstore.Near, error) {
	var near graphstore.Near
	err := s.file.Read(ctx, w, func(tx *sql.Tx, r projected.Workspace) (err error) {
		if len(q.Keys) > 0 {
			if near.Names, err = sqlio.Collect(ctx, tx, nearName(q.AsOf), nearNames, r.Num, sqlio.JSON(q.Keys), q.Most); err != nil {
				return err
			}
		}
		if len(q.Chunks) > 0 {
			near.Chunks, err = sqlio.Collect(ctx, tx, scanNearChunk, nearChunks, r.Num, sqlio.JSON(q.Chunks))
		}
		return err
	})
	if err != nil {
		return graphstore.Near{}, fmt.Errorf("read neighbours: %w", err)
	}
	graphstore.SortNear(near)
	return near, nil
}

// nearName returns a function that reads a name with the relations that hold at a time.
func nearName(at domain.Day) func(*sql.Rows) (graphstore.NearName, error) {
	return func(rows *sql.Rows) (graphstore.NearName, error) {
		n, related, err := scanNearName(rows)
		for line := range lines(related) {
			key, stated, _ := strings.Cut(line, "\t")
			kind, periods, _ := strings.Cut(stated, " ")
			if domain.DatingHolds(kind, periods, at) {
				n.Related = append(n.Related, key)
			}
		}
		return n, err
	}
}

func scanNearName(rows *sql.Rows) (graphstore.NearName, string, error) {
	var n graphstore.NearName
	var links, related sql.NullString
	if err := rows.Scan(&n.Entity, &n.Key, &n.Name, &n.Passages, &links, &related); err != nil {
		return n, "", err
	}
	for line := range lines(links.String) {
		kind, rest, _ := strings.Cut(line, " ")
		document, id, _ := strings.Cut(rest, " ")
		n.Links = append(n.Links, graphstore.NearLink{
			AdjacentChunk: graphstore.AdjacentChunk{ID: domain.ChunkID(id), Document: domain.DocumentID(document)}, Kind: linkKind(kind),
		})
	}
	return n, related.String, nil
}

func scanNearChunk(rows *sql.Rows) (graphstore.NearChunk, error) {
	var c graphstore.NearChunk
	var links sql.NullString
	if err := rows.Scan(&c.ID, &c.Document, &links); err != nil {
		return c, err
	}
	for line := range lines(links.String) {
		kind, rest, _ := strings.Cut(line, " ")
		passages, rest, _ := strings.Cut(rest, " ")
		key, aliases, _ := strings.Cut(rest, "\t")
		l := graphstore.NamedLink{Key: key, Kind: linkKind(kind)}
		l.Passages, _ = strconv.Atoi(passages)
		if aliases != "" {
			l.AliasKeys = strings.Split(aliases, "\t")
		}
		c.Links = append(c.Links, l)
	}
	return c, nil
}

// lines yields the lines of a text, none of "".
func lines(text string) func(yield func(string) bool) {
	if text == "" {
		return func(func(string) bool) {}
	}
	return strings.SplitSeq(text, "\n")
}

func linkKind(text string) graphstore.LinkKind {
	kind, _ := strconv.Atoi(text)
	return graphstore.LinkKind(kind)
}

// spelt finds which of the words ?2 are in a name.
const spelt = `SELECT DISTINCT j.value FROM json_each(?2) j WHERE j.value <> '' AND EXISTS (
	SELECT 1 FROM entity_words CROSS JOIN entities e ON e.num = entity_words.rowid WHERE entity_words MATCH '"' || j.value || '"' AND e.workspace = ?1)
	ORDER BY j.value`

// begun lists the keys of names with a word that begins with one of ?2.
const begun = `SELECT e.key || char(10) || e.alias_keys FROM json_each(?2) j CROSS JOIN entity_words CROSS JOIN entities e ON e.num = entity_words.rowid
	WHERE entity_words MATCH '"' || j.value || '"*' AND e.workspace = ?1 LIMIT ?3`

// The letters with which a word begins whose names are read, and the most names that are.
const beginning, mostBegun = 3, 2000

// Spelt implements graphstore.Reader. Where a word is in no name, it reads the names that begin like it, and asks for
// the hundred words that are one letter apart from it near their beginning: each takes as long as reading several names.
func (s *Store) Spelt(ctx context.Context, w domain.WorkspaceID, words []string) ([]string, error) {
	var known []string
	err := s.file.Read(ctx, w, func(tx *sql.Tx, r projected.Workspace) error {
		in := func(statement string, words []string, more ...any) ([]string, error) {
			if len(words) == 0 {
				return nil, nil
			}
			return sqlio.Collect(ctx, tx, sqlio.Column[string], statement, append([]any{r.Num, sqlio.JSON(words)}, more...)...)
		}
		var err error
		if known, err = in(spelt, words); err != nil {
			return err
		}
		var beginnings, others []string
		for _, word := range words {
			if letters := []rune(word); !slices.Contains(known, word) {
				begins := string(letters[:min(beginning, len(letters))])
				beginnings = append(beginnings, begins)
				others = append(others, slices.DeleteFunc(graphstore.OneLetterFrom(word), func(w string) bool { return strings.HasPrefix(w, begins) })...)
			}
		}
		keys, err := in(begun, beginnings, mostBegun)
		if err != nil {
			return err
		}
		known = append(known, strings.Fields(strings.Join(keys, "\n"))...)
		others, err = in(spelt, others)
		known = append(known, others...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look up words: %w", err)
	}
	return graphstore.SpeltAlike(words, known), nil
}
