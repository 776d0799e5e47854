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
			at, err := t.admit(b.Token)
			if err != nil {
				return err
			}
			if emptying = at.emptying; emptying {
				return nil
			}
			if at.cursor == b.Cursor && at.after == b.After && at.token == b.Token {
				return nil // its acknowledgement was lost
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
		// A reset was interrupted.
		if err := s.empty(ctx, w, b.Token); err != nil {
			return fmt.Errorf("apply to graph: %w", err)
		}
	}
}

// MaxChanges implements graphstore.Writer. The server holds a transaction in
// its heap: 512 MB is too small for 4,000 small documents but enough for 1,000.
func (s *Store) MaxChanges() int { return 500 }

// workspaceState is the state of a workspace's node.
type workspaceState struct {
	cursor   int64
	version  int64 // incremented by every transaction that writes
	emptying bool  // the workspace is being emptied
	token    int64 // the highest seen
	after    int64 // the cursor before the last batch
	owner    string
}

// lock makes the transaction the only one that writes to its workspace, or that
// excludes writers, until it ends. Writing takes the lock; reads after that see
// everything written before.
func (t *tx) lock() (workspaceState, error) {
	err := t.exec(steady+`MERGE (w:__Workspace__ {id: $workspace})
		ON CREATE SET w.workspace_id = $workspace, w.cursor = 0, w.version = 0 SET w.lock = true`, nil)
	if err != nil {
		return workspaceState{}, err
	}
	var at workspaceState
	err = t.each(func(r row) {
		at = workspaceState{cursor: r.int64(), version: r.int64(), emptying: r.bool(), token: r.int64(), after: r.int64(), owner: r.text()}
	}, steady+`MATCH (w:__Workspace__ {id: $workspace})
		RETURN w.cursor, w.version, coalesce(w.emptying, false), coalesce(w.token, 0), coalesce(w.after, 0), coalesce(w.owner, '')`, nil)
	return at, err
}

// admit locks the workspace for a writer. The error is Conflict for a token lower than one seen before. A workspace
// without an owner becomes the writer's.
func (t *tx) admit(token int64) (workspaceState, error) {
	at, err := t.lock()
	if err != nil {
		return at, err
	}
	if t.store.owners.Differ(t.workspace, at.owner) {
		return at, t.store.foreign()
	}
	if at.token > token {
		return at, domain.Errorf(domain.Conflict, "The graph was changed under a later lease: another process is bringing it up to date.")
	}
	if owner := t.store.owners.Of(t.workspace); owner != at.owner && owner != "" {
		err = t.exec(`MATCH (w:__Workspace__ {id: $workspace}) SET w.owner = $owner`, params{"owner": owner})
	}
	return at, err
}

type batch struct{ *tx }

func (b *batch) apply(in graphstore.Batch) error {
	for _, part := range []func(graphstore.Batch) error{
		b.deleteDocuments, b.deleteEntities, b.deleteRelations, b.putDocuments, b.putEntities, b.putRelations,
	} {
		if err := part(in); err != nil {
			return err
		}
	}
	return b.exec(steady+`MATCH (w:__Workspace__ {id: $workspace}) SET w.cursor = $cursor, w.after = $after, w.token = $token, w.version = w.version + 1`,
		params{"cursor": in.Cursor, "after": in.After, "token": in.Token})
}

func (b *batch) deleteDocuments(in graphstore.Batch) error {
	return unwind(b.tx, in.DeleteDocuments, `UNWIND $rows AS id
		MATCH (d:Document {workspace_id: $workspace, id: id})
		OPTIONAL MATCH (d)<-[:FROM_DOCUMENT]-(c:Chunk)
		DETACH DELETE c, d`)
}

func (b *batch) deleteEntities(in graphstore.Batch) error {
	return unwind(b.tx, in.DeleteEntities, `UNWIND $rows AS id
		MATCH (e:`+anyEntity+` {workspace_id: $workspace, id: id})
		DETACH DELETE e`)
}

// Reset implements graphstore.Writer. It marks the workspace first and then
// removes the graph in transactions of bounded size. After a crash the next
// Apply or Reset continues the removal; see Apply.
func (s *Store) Reset(ctx context.Context, w domain.WorkspaceID, token int64) error {
	err := s.writeIn(ctx, w, func(t *tx) error {
		if _, err := t.admit(token); err != nil {
			return err
		}
		return t.exec(`MATCH (w:__Workspace__ {id: $workspace}) SET w.cursor = 0, w.token = $token, w.version = w.version + 1, w.emptying = true REMOVE w.vectors_model`, params{"token": token})
	})
	if err == nil {
		err = s.empty(ctx, w, token)
	}
	if err != nil {
		return fmt.Errorf("reset graph: %w", err)
	}
	return nil
}

// removals delete part of a workspace. Relationships come first, because a node
// may have any number of them.
var removals = []string{
	removeLinks, ofUnlisted(removeLinks),
	`MATCH (n:Chunk) WHERE n.workspace_id = $workspace AND n.id IS NOT NULL
		WITH n LIMIT $rows DETACH DELETE n RETURN count(*)`,
	`MATCH (n:Document) WHERE n.workspace_id = $workspace AND n.id IS NOT NULL
		WITH n LIMIT $rows DETACH DELETE n RETURN count(*)`,
	removeEntities, ofUnlisted(removeEntities),
}

const (
	removeLinks = `MATCH (n:__Entity__) WHERE n.workspace_id = $workspace AND n.id IS NOT NULL
		MATCH (n)-[r]->() WITH r LIMIT $rows DELETE r RETURN count(*)`
	removeEntities = `MATCH (n:__Entity__) WHERE n.workspace_id = $workspace AND n.id IS NOT NULL
		WITH n LIMIT $rows DETACH DELETE n RETURN count(*)`
)

// empty finishes the removal of a workspace's data.
func (s *Store) empty(ctx context.Context, w domain.WorkspaceID, token int64) error {
	for _, removal := range removals {
		for done := false; !done; {
			err := s.writeIn(ctx, w, func(t *tx) error {
				at, err := t.admit(token)
				if err != nil {
					return err
				}
				if done = !at.emptying; done {
					return nil // another process has finished it
				}
				return t.each(func(r row) { done = r.int() < 10*t.rows }, removal, params{"rows": 10 * t.rows})
			})
			if err != nil {
				return err
			}
		}
	}
	return s.writeIn(ctx, w, func(t *tx) error {
		if at, err := t.admit(token); err != nil || !at.emptying {
			return err
		}
		return t.exec(`MATCH (w:__Workspace__ {id: $workspace}) REMOVE w.emptying SET w.version = w.version + 1`, nil)
	})
}
