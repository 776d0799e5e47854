package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// The statements of Adjacent begin at what is asked for and put each row into one text,
// like those of Near. A line of an entity ends with its name.
const (
	adjacentFacts = `e.num || char(9) || e.id || char(9) || e.chunks || char(9) || e.documents || char(9)`
	adjacentNames = ` || char(9) || e.label || char(9) || e.name`

	// adjacentEntities counts relations, which costs several times as much as finding the entities.
	adjacentEntities = `SELECT ` + adjacentFacts + ` || (` + relationCount + `)` + adjacentNames + `
		FROM json_each(?2) j CROSS JOIN entities e ON e.workspace = ?1 AND e.id = j.value WHERE e.unlisted = 0`
	adjacentLinked = `SELECT ` + adjacentFacts + ` || 0` + adjacentNames + `
		FROM json_each(?2) j CROSS JOIN entities e ON e.num = j.value WHERE e.workspace = ?1 AND e.unlisted = 0`
	adjacentRelations = `SELECT j.value,
			(SELECT group_concat(strength || ' ' || target || ' ' || type || ' ' || periods, char(10)) FROM (
				SELECT strength, target, type, periods FROM relations INDEXED BY relations_source WHERE workspace = ?1 AND source = j.value ORDER BY strength DESC, id LIMIT ?3) r),
			(SELECT group_concat(strength || ' ' || source || ' ' || type || ' ' || periods, char(10)) FROM (
				SELECT strength, source, type, periods FROM relations INDEXED BY relations_target WHERE workspace = ?1 AND target = j.value ORDER BY strength DESC, id LIMIT ?3) r)
		FROM json_each(?2) j`
	adjacentChunks = `SELECT c.id, c.document, (SELECT group_concat(l.kind || ' ' || l.entity, char(10)) FROM links l INDEXED BY links_chunk WHERE l.chunk = c.num)
		FROM chunks c WHERE c.num IN (
			SELECT l.chunk FROM json_each(?2) j CROSS JOIN entities e ON e.workspace = ?1 AND e.id = j.value AND e.chunks <= ?3 AND e.unlisted = 0
				CROSS JOIN links l ON l.workspace = ?1 AND l.entity = e.num
			UNION SELECT c.num FROM json_each(?4) j CROSS JOIN chunks c ON c.workspace = ?1 AND c.id = j.value
			UNION SELECT c.num FROM json_each(?5) j CROSS JOIN chunks c ON c.workspace = ?1 AND c.document = j.value)
		ORDER BY c.document, c.ordinal, c.id`
)

// Adjacent implements graphstore.Reader.
func (s *Store) Adjacent(ctx context.Context, w domain.WorkspaceID, q graphstore.AdjacentQuery) (*graphstore.Adjacency, error) {
	var a *graphstore.Adjacency
	err := s.file.Read(ctx, w, func(tx *sql.Tx, r projected.Workspace) error {
		l := adjacentLoader{ctx: ctx, tx: tx, workspace: r.Num, ids: map[string]domain.EntityID{}}
		if err := l.load(q); err != nil {
			return err
		}
		a = l.part.Adjacency()
		a.Cursor = r.Cursor
		if !q.Counted {
			return nil
		}
		stats, err := s.count(ctx, tx, w, r)
		a.All = stats.Chunks
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read a part of the graph: %w", err)
	}
	return a, nil
}

// adjacentLoader reads a part of a workspace's graph.
type adjacentLoader struct {
	ctx       context.Context
	tx        *sql.Tx
	workspace int64
	part      graphstore.Part
	ids       map[string]domain.EntityID // by row number
}

// numberedLink is a link of a chunk to the entity with a row number.
type numberedLink struct {
	chunk  domain.ChunkID
	entity string
	kind   graphstore.LinkKind
}

func (l *adjacentLoader) load(q graphstore.AdjacentQuery) error {
	ids := q.Entities
	if q.Relations > 0 && len(ids) > 0 {
		ends, err := l.relations(ids, q.Relations)
		if err != nil {
			return err
		}
		ids = append(ends, ids...)
	}
	if err := l.entities(adjacentEntities, ids); err != nil {
		return err
	}
	links, err := l.chunks(q)
	if err != nil {
		return err
	}
	var others []json.Number
	for _, link := range links {
		if _, read := l.ids[link.entity]; !read {
			l.ids[link.entity] = "" // the entity is unlisted
			others = append(others, json.Number(link.entity))
		}
	}
	if err := l.entities(adjacentLinked, others); err != nil {
		return err
	}
	for _, link := range links {
		l.part.Link(link.chunk, l.ids[link.entity], link.kind)
	}
	return nil
}

// relations reads the relations of entities and returns the other ends.
func (l *adjacentLoader) relations(of []domain.EntityID, most int) (ends []domain.EntityID, err error) {
	err = sqlio.Each(l.ctx, l.tx, func(rows *sql.Rows) error {
		var id domain.EntityID
		var from, to sql.NullString
		if err := rows.Scan(&id, &from, &to); err != nil {
			return err
		}
		for i, text := range []string{from.String, to.String} {
			for line := range lines(text) {
				strength, rest, _ := strings.Cut(line, " ")
				other, rest, _ := strings.Cut(rest, " ")
				kind, periods, _ := strings.Cut(rest, " ")
				n, _ := strconv.ParseInt(strength, 10, 32)
				end := domain.EntityID(other)
				ends = append(ends, end)
				r := graphstore.AdjacentRelation{Type: kind, Evidence: int32(n), Periods: periods}
				if i == 0 {
					l.part.Relate(id, end, r)
				} else {
					l.part.Relate(end, id, r)
				}
			}
		}
		return nil
	}, adjacentRelations, l.workspace, sqlio.JSON(of), most)
	return ends, err
}

// entities reads entities by id or number.
func (l *adjacentLoader) entities(statement string, which any) error {
	return sqlio.Each(l.ctx, l.tx, func(rows *sql.Rows) error {
		var line string
		if err := rows.Scan(&line); err != nil {
			return err
		}
		f := strings.SplitN(line, "\t", 7)
		e := graphstore.AdjacentEntity{ID: domain.EntityID(f[1]), Label: f[5], Name: f[6]}
		for i, into := range []*int32{&e.Passages, &e.Documents, &e.Relations} {
			n, _ := strconv.ParseInt(f[2+i], 10, 32)
			*into = int32(n)
		}
		l.ids[f[0]] = e.ID
		l.part.Add(e)
		return nil
	}, statement, l.workspace, sqlio.JSON(which))
}

// chunks reads chunks and returns their links.
func (l *adjacentLoader) chunks(q graphstore.AdjacentQuery) (links []numberedLink, err error) {
	if q.Passages == 0 && len(q.Chunks)+len(q.Documents) == 0 {
		return nil, nil
	}
	err = sqlio.Each(l.ctx, l.tx, func(rows *sql.Rows) error {
		var c graphstore.AdjacentChunk
		var linked sql.NullString
		if err := rows.Scan(&c.ID, &c.Document, &linked); err != nil {
			return err
		}
		l.part.AddChunk(c)
		for line := range lines(linked.String) {
			kind, num, _ := strings.Cut(line, " ")
			links = append(links, numberedLink{c.ID, num, linkKind(kind)})
		}
		return nil
	}, adjacentChunks, l.workspace, sqlio.JSON(q.Entities), q.Passages, sqlio.JSON(q.Chunks), sqlio.JSON(q.Documents))
	return links, err
}
