package neo4j

import (
	"context"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
)

var _ graphstore.VectorStore = (*Store)(nil)

// vectorIndex is the name of the vector index, which other programs ask for.
const vectorIndex = "chunk_embedding"

// Vectors implements graphstore.VectorStore.
func (s *Store) Vectors(ctx context.Context, w domain.WorkspaceID) (graphstore.Vectors, error) {
	var v graphstore.Vectors
	err := s.readIn(ctx, w, func(t *tx) error {
		return t.each(func(r row) { v = graphstore.Vectors{Cursor: r.int64(), Model: r.text(), Dimension: r.int()} },
			`MATCH (w:__Workspace__ {id: $workspace}) RETURN w.vectors_cursor, w.vectors_model, w.vectors_dimension`, nil)
	})
	if err != nil {
		return v, fmt.Errorf("read the graph's vectors: %w", err)
	}
	return v, nil
}

// PutVectors implements graphstore.VectorStore.
func (s *Store) PutVectors(ctx context.Context, w domain.WorkspaceID, v graphstore.Vectors) error {
	err := s.putVectors(ctx, w, v)
	if err != nil {
		return fmt.Errorf("write vectors to the graph: %w", err)
	}
	return nil
}

func (s *Store) putVectors(ctx context.Context, w domain.WorkspaceID, v graphstore.Vectors) error {
	old, err := s.Vectors(ctx, w)
	if err != nil {
		return err
	}
	if old.Model != v.Model || old.Dimension != v.Dimension {
		if err := s.dropVectors(ctx, w, v.Token); err != nil {
			return err
		}
		if err := s.indexVectors(ctx, v.Dimension); err != nil {
			return err
		}
	}
	rows := lists.Map(v.Chunks, func(c graphstore.ChunkVector) fields { return fields{"id": c.Chunk, "vector": c.Vector} })
	return s.writeIn(ctx, w, func(t *tx) error {
		if _, err := t.admit(v.Token); err != nil {
			return err
		}
		err := unwind(t, rows, `UNWIND $rows AS row
			MATCH (c:Chunk {workspace_id: $workspace, id: row.id})
			CALL db.create.setNodeVectorProperty(c, 'embedding', row.vector)`)
		if err != nil {
			return err
		}
		return t.exec(`MATCH (w:__Workspace__ {id: $workspace}) SET w.vectors_cursor = $cursor, w.vectors_model = $model, w.vectors_dimension = $dimension`,
			params{"cursor": v.Cursor, "model": v.Model, "dimension": v.Dimension})
	})
}

// dropVectors removes the vectors of a workspace, in transactions of bounded size.
func (s *Store) dropVectors(ctx context.Context, w domain.WorkspaceID, token int64) error {
	for done := false; !done; {
		err := s.writeIn(ctx, w, func(t *tx) error {
			if _, err := t.admit(token); err != nil {
				return err
			}
			return t.each(func(r row) { done = r.int() < t.rows }, `MATCH (c:Chunk) WHERE c.workspace_id = $workspace AND c.id IS NOT NULL AND c.embedding IS NOT NULL
				WITH c LIMIT $rows REMOVE c.embedding RETURN count(*)`, params{"rows": t.rows})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// indexVectors makes the vector index one for vectors of a dimension. All workspaces
// share it, as they share the embedding model.
func (s *Store) indexVectors(ctx context.Context, dimension int) error {
	has := 0
	err := s.read(ctx, func(t *tx) error {
		return t.each(func(r row) { has = r.int() },
			`SHOW VECTOR INDEXES YIELD name, options WHERE name = $name RETURN options.indexConfig["vector.dimensions"]`, params{"name": vectorIndex})
	})
	if err != nil || has == dimension {
		return err
	}
	for _, statement := range []string{
		`DROP INDEX ` + vectorIndex + ` IF EXISTS`,
		fmt.Sprintf("CREATE VECTOR INDEX %s IF NOT EXISTS FOR (c:Chunk) ON (c.embedding) OPTIONS {indexConfig: {`vector.dimensions`: %d, `vector.similarity_function`: 'cosine'}}", vectorIndex, dimension),
	} {
		// The server requires schema changes in separate transactions.
		if err := s.write(ctx, func(t *tx) error { return t.exec(statement, nil) }); err != nil && !alreadyThere(err) {
			return err
		}
	}
	return nil
}
