package projection

import (
	"context"
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/vectorstore"
)

// step brings the stores one batch of changes further and reports whether
// there may be more to do.
//
// The graph goes first. While both stores stand at the same change they take
// the same batch; an index that stands elsewhere is compared with the graph
// once that is up to date.
func (p *Projector) step(ctx context.Context, ws domain.WorkspaceID) (more bool, err error) {
	at, err := p.Behind(ctx, ws)
	if err != nil {
		return false, err
	}
	if at.Graph > at.Head || at.Vectors > at.Head {
		p.Log.WarnContext(ctx, "the stores are of another ledger and are filled again", "workspace", ws, "head", at.Head)
		return true, p.reset(ctx, ws)
	}
	switch {
	case at.Graph < at.Head:
		return true, p.advance(ctx, ws, at)
	case at.Vectors != at.Graph:
		return true, p.mend(ctx, ws, at)
	}
	return false, nil
}

// advance folds the next changes into the graph, and into the index when it
// stands where the graph does.
func (p *Projector) advance(ctx context.Context, ws domain.WorkspaceID, at Progress) error {
	changes, err := p.Ledger.Changes(ctx, ws, at.Graph, p.Graph.MaxChanges())
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		return domain.Errorf(domain.Invalid, "The ledger counts %d changes and holds none after number %d. Restore it from a backup.", at.Head, at.Graph)
	}
	cursor := changes[len(changes)-1].Seq
	d, err := p.delta(ctx, ws, at.Graph, changes)
	if err != nil {
		return err
	}
	if err := p.Graph.Apply(ctx, ws, d.graphBatch(at.Graph, cursor)); err != nil {
		return err
	}
	if at.Vectors != at.Graph {
		return nil
	}
	ctx, cancel := linger(ctx)
	defer cancel()
	batch, err := p.vectorBatch(ctx, d, at.Vectors, cursor)
	if err != nil {
		return err
	}
	return p.Vectors.Apply(ctx, ws, batch)
}

// tail is how long the index may go on after a stop. Were it given up at once,
// the whole index would have to be compared with the graph, see mend.
const tail = 700 * time.Millisecond

// linger is a context that ends a while after ctx does.
func linger(ctx context.Context) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(tail, cancel) })
	return late, func() {
		stop()
		cancel()
	}
}

// delta is what some changes do to the graph.
type delta struct {
	gone      []domain.DocumentID // of the changed documents
	documents []document          // the others
	entities  []graphstore.Entity
	relations []relation

	deleteEntities  []domain.EntityID
	deleteRelations []graphstore.RelationRef
}

func (d *delta) graphBatch(after, cursor int64) graphstore.Batch {
	b := graphstore.Batch{
		After: after, Cursor: cursor,
		DeleteDocuments: d.gone, DeleteEntities: d.deleteEntities, DeleteRelations: d.deleteRelations,
		Entities: d.entities,
	}
	for _, doc := range d.documents {
		b.Documents = append(b.Documents, doc.node())
	}
	for _, r := range d.relations {
		b.Relations = append(b.Relations, r.Relation)
	}
	return b
}

func (p *Projector) vectorBatch(ctx context.Context, d *delta, after, cursor int64) (vectorstore.Batch, error) {
	b := vectorstore.Batch{After: after, Cursor: cursor, DeleteDocuments: d.gone}
	for _, doc := range d.documents {
		b.DeleteDocuments = append(b.DeleteDocuments, doc.ID)
	}
	for _, id := range d.deleteEntities {
		b.Delete = append(b.Delete, vectorstore.Ref{Collection: vectorstore.Entities, ID: string(id)})
	}
	for _, r := range d.deleteRelations {
		b.Delete = append(b.Delete, vectorstore.Ref{Collection: vectorstore.Relations, ID: string(r.ID)})
	}
	points := p.documentPoints(d.documents)
	for _, e := range d.entities {
		points = append(points, entityPoint(e.Entity))
	}
	for _, r := range d.relations {
		points = append(points, r.point())
	}
	var err error
	b.Upsert, err = p.embed(ctx, points)
	if err != nil {
		return b, fmt.Errorf("read vectors: %w", err)
	}
	return b, nil
}
