package neo4j

import (
	"context"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// Apply implements graphstore.Writer.
func (s *Store) Apply(ctx context.Context, w domain.WorkspaceID, b graphstore.Batch) error {
	for {
		emptying := false
		err := s.writeIn(ctx, w, func(t *tx) error {
			at, err := t.lock()
			if err != nil || at.cursor >= b.Cursor {
				return err
			}
			if emptying = at.emptying; emptying {
				return nil
			}
			if at.cursor != b.After {
				return domain.Errorf(domain.Conflict, "The graph is at change %d, not at %d: another process is bringing it up to date.", at.cursor, b.After)
			}
			return (&batch{tx: t}).apply(b)
		})
		if err != nil {
			return fmt.Errorf("apply to graph: %w", err)
		}
		if !emptying {
			return nil
		}
		// A reset was cut short, or is at work in another process.
		if err := s.empty(ctx, w); err != nil {
			return fmt.Errorf("apply to graph: %w", err)
		}
	}
}

// MaxChanges implements graphstore.Writer. A transaction is held in the server's
// heap: with 512 MB of it 4,000 small documents do not fit, 1,000 do.
func (s *Store) MaxChanges() int { return 500 }

// standing is where a workspace stands.
type standing struct {
	cursor   int64
	version  int64 // one more with every transaction that writes
	emptying bool  // what is there is being removed
}

// lock makes the transaction the only one of its workspace that writes, or
// that wants nobody to write, until its end. A lock is taken by writing; what
// another one has written before is read after that.
func (t *tx) lock() (standing, error) {
	err := t.exec(`MERGE (w:__Workspace__ {id: $workspace})
		ON CREATE SET w.workspace_id = $workspace, w.cursor = 0, w.version = 0 SET w.lock = true`, nil)
	if err != nil {
		return standing{}, err
	}
	var at standing
	err = t.each(func(r row) { at = standing{cursor: r.int64(), version: r.int64(), emptying: r.bool()} },
		`MATCH (w:__Workspace__ {id: $workspace}) RETURN w.cursor, w.version, coalesce(w.emptying, false)`, nil)
	return at, err
}

// batch writes the parts of one batch.
type batch struct{ *tx }

func (b *batch) apply(in graphstore.Batch) error {
	for _, part := range []func(graphstore.Batch) error{
		b.deleteDocuments, b.deleteEntities, b.deleteRelations, b.putDocuments, b.putEntities, b.putRelations,
	} {
		if err := part(in); err != nil {
			return err
		}
	}
	return b.exec(`MATCH (w:__Workspace__ {id: $workspace}) SET w.cursor = $cursor, w.version = w.version + 1`, params{"cursor": in.Cursor})
}

func (b *batch) deleteDocuments(in graphstore.Batch) error {
	return unwind(b.tx, in.DeleteDocuments, `UNWIND $rows AS id
		MATCH (d:Document {workspace_id: $workspace, id: id})
		OPTIONAL MATCH (d)<-[:FROM_DOCUMENT]-(c:Chunk)
		DETACH DELETE c, d`)
}

func (b *batch) deleteEntities(in graphstore.Batch) error {
	return unwind(b.tx, in.DeleteEntities, `UNWIND $rows AS id
		MATCH (e:__Entity__ {workspace_id: $workspace, id: id})
		DETACH DELETE e`)
}
