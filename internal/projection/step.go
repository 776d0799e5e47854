package projection

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// step brings the stores one batch further and reports whether there may be
// more to do. The index follows the graph.
func (p *Projector) step(ctx context.Context, ws domain.WorkspaceID) (more bool, err error) {
	at, err := p.Behind(ctx, ws)
	if err != nil {
		return false, err
	}
	switch {
	case at.Graph > at.Head || at.Vectors > at.Head:
		p.Log.WarnContext(ctx, "the stores are of another ledger and are filled again", "workspace", ws, "head", at.Head)
		return true, p.reset(ctx, ws)
	case at.Vectors < at.Graph:
		return true, p.updateIndex(ctx, ws, at)
	case at.Graph < at.Head:
		return true, p.updateGraph(ctx, ws, at)
	}
	return false, nil
}

// updateGraph folds the next changes into the graph.
func (p *Projector) updateGraph(ctx context.Context, ws domain.WorkspaceID, at Progress) error {
	changes, err := p.Ledger.Changes(ctx, ws, at.Graph, p.Graph.MaxChanges())
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		return missingChanges(at.Head, at.Graph)
	}
	d, err := p.delta(ctx, ws, at.Graph, changes)
	if err != nil {
		return err
	}
	return p.Graph.Apply(ctx, ws, d.graphBatch(at.Graph, changes[len(changes)-1].Seq))
}

func missingChanges(head, after int64) error {
	return domain.Errorf(domain.Invalid, "The ledger counts %d changes and holds none after number %d. Restore it from a backup.", head, after)
}

// delta is what some changes do to the graph.
type delta struct {
	gone      []domain.DocumentID // of the changed documents
	documents []document          // the others
	entities  []graphstore.Entity
	relations []domain.Relation

	deleteEntities  []domain.EntityID
	deleteRelations []graphstore.RelationRef
}

func (d *delta) graphBatch(after, cursor int64) graphstore.Batch {
	b := graphstore.Batch{
		After: after, Cursor: cursor,
		DeleteDocuments: d.gone, DeleteEntities: d.deleteEntities, DeleteRelations: d.deleteRelations,
		Entities: d.entities, Relations: d.relations,
	}
	for _, doc := range d.documents {
		b.Documents = append(b.Documents, doc.node())
	}
	return b
}
