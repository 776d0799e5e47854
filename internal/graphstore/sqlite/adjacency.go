package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/database/sqlite/projected"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// Adjacency implements graphstore.Reader.
func (s *Store) Adjacency(ctx context.Context, w domain.WorkspaceID) (*graphstore.Adjacency, error) {
	var a *graphstore.Adjacency
	err := s.file.Read(ctx, w, func(tx *sql.Tx, r projected.Workspace) error {
		l := &adjacencyLoader{ctx: ctx, tx: tx, workspace: r.Num, out: &graphstore.Adjacency{Cursor: r.Cursor}}
		a = l.out
		for _, load := range []func() error{l.entities, l.chunks, l.links, l.relations} {
			if err := load(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read adjacency: %w", err)
	}
	return a, nil
}

// adjacencyLoader reads a workspace's graph and translates row numbers to
// indices.
type adjacencyLoader struct {
	ctx       context.Context
	tx        *sql.Tx
	workspace int64
	out       *graphstore.Adjacency
	entityAt  map[int64]int32
	entityIDs map[domain.EntityID]int32
	chunkAt   map[int64]int32
}

type numberedEntity struct {
	num int64
	graphstore.AdjacentEntity
}

// entities sorts by id in memory, because reading rows in id order would seek
// all over the file.
func (l *adjacencyLoader) entities() error {
	var numbered []numberedEntity
	err := sqlio.Each(l.ctx, l.tx, func(rows *sql.Rows) error {
		var num int64
		var e graphstore.AdjacentEntity
		var aliases string
		var encoded sql.RawBytes
		if err := rows.Scan(&num, &e.ID, &e.Label, &e.Key, &e.Name, &aliases, &encoded, &e.Unlisted); err != nil {
			return err
		}
		if len(encoded) > len(`null`) {
			var properties domain.Properties
			if err := json.Unmarshal(encoded, &properties); err != nil {
				return err
			}
			e.Several = graphstore.Several(properties)
		}
		if aliases != "" {
			e.AliasKeys = strings.Split(aliases, "\n")
		}
		numbered = append(numbered, numberedEntity{num, e})
		return nil
	}, `SELECT num, id, label, key, name, alias_keys, properties, unlisted FROM entities INDEXED BY entities_workspace WHERE workspace = ?`, l.workspace)
	slices.SortFunc(numbered, func(a, b numberedEntity) int { return strings.Compare(string(a.ID), string(b.ID)) })
	l.entityAt = make(map[int64]int32, len(numbered))
	l.entityIDs = make(map[domain.EntityID]int32, len(numbered))
	for at, n := range numbered {
		l.entityAt[n.num], l.entityIDs[n.ID] = int32(at), int32(at)
		l.out.Entities = append(l.out.Entities, n.AdjacentEntity)
	}
	return err
}

func (l *adjacencyLoader) chunks() error {
	l.chunkAt = map[int64]int32{}
	return sqlio.Each(l.ctx, l.tx, func(rows *sql.Rows) error {
		var num int64
		var c graphstore.AdjacentChunk
		if err := rows.Scan(&num, &c.ID, &c.Document); err != nil {
			return err
		}
		l.chunkAt[num] = int32(len(l.out.Chunks))
		l.out.Chunks = append(l.out.Chunks, c)
		return nil
	}, `SELECT num, id, document FROM chunks WHERE workspace = ? ORDER BY document, ordinal, id`, l.workspace)
}

func (l *adjacencyLoader) links() error {
	err := sqlio.Each(l.ctx, l.tx, func(rows *sql.Rows) error {
		var entity, chunk int64
		var kind graphstore.LinkKind
		if err := rows.Scan(&entity, &chunk, &kind); err != nil {
			return err
		}
		l.out.Links = append(l.out.Links, graphstore.AdjacentLink{Chunk: l.chunkAt[chunk], Entity: l.entityAt[entity], Kind: kind})
		return nil
	}, `SELECT entity, chunk, kind FROM links WHERE workspace = ?`, l.workspace)
	slices.SortFunc(l.out.Links, func(a, b graphstore.AdjacentLink) int {
		return cmp.Or(cmp.Compare(a.Chunk, b.Chunk), cmp.Compare(a.Entity, b.Entity))
	})
	return err
}

func (l *adjacencyLoader) relations() error {
	err := sqlio.Each(l.ctx, l.tx, func(rows *sql.Rows) error {
		var source, target domain.EntityID
		var rel graphstore.AdjacentRelation
		var encoded, periods sql.RawBytes
		if err := rows.Scan(&source, &target, &rel.Type, &rel.Evidence, &encoded, &periods); err != nil {
			return err
		}
		if len(encoded) > len(`null`) {
			var properties domain.Properties
			if err := json.Unmarshal(encoded, &properties); err != nil {
				return err
			}
			rel.Confidence = float32(properties.Confidence())
		}
		rel.Periods = string(periods)
		from, ok1 := l.entityIDs[source]
		to, ok2 := l.entityIDs[target]
		if ok1 && ok2 {
			rel.Source, rel.Target = from, to
			l.out.Relations = append(l.out.Relations, rel)
		}
		return nil
	}, `SELECT source, target, type, strength, CASE WHEN strength = 1 THEN properties END, periods FROM relations WHERE workspace = ?`, l.workspace)
	slices.SortFunc(l.out.Relations, func(a, b graphstore.AdjacentRelation) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Target, b.Target), cmp.Compare(a.Type, b.Type))
	})
	return err
}
