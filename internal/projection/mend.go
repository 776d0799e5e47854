package projection

import (
	"context"
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/vectorstore"
)

// mend brings an index that stands elsewhere than the graph to where the
// graph is: after a crash between the two, or when its file was thrown away.
// Documents that changed since are written anew; entities and relations are
// compared with the graph's.
func (p *Projector) mend(ctx context.Context, ws domain.WorkspaceID, at Progress) error {
	p.Log.InfoContext(ctx, "comparing the search index with the graph", "workspace", ws, "index", at.Vectors, "graph", at.Graph)
	d := &delta{}
	changes, err := p.Ledger.Changes(ctx, ws, at.Vectors, 0)
	if err != nil {
		return err
	}
	titles, err := p.Ledger.Titles(ctx, ws)
	if err != nil {
		return err
	}
	if d.documents, d.gone, err = p.changed(ctx, ws, changes, titles); err != nil {
		return err
	}
	if err := p.readGraph(ctx, ws, d); err != nil {
		return err
	}
	if err := p.findStale(ctx, ws, d); err != nil {
		return err
	}
	now, err := p.Graph.Cursor(ctx, ws)
	if err != nil {
		return err
	}
	if now != at.Graph {
		return domain.Errorf(domain.Conflict, "The graph moved from change %d to %d while the search index was compared with it.", at.Graph, now)
	}
	batch, err := p.vectorBatch(ctx, d, at.Vectors, at.Graph)
	if err != nil {
		return err
	}
	return p.Vectors.Apply(ctx, ws, batch)
}

// readGraph reads all entities and relations of the graph into d.
func (p *Projector) readGraph(ctx context.Context, ws domain.WorkspaceID, d *delta) error {
	entities, _, err := p.Graph.Entities(ctx, ws, graphstore.EntityQuery{Order: graphstore.ByName})
	if err != nil {
		return err
	}
	for _, e := range entities {
		d.entities = append(d.entities, graphstore.Entity{Entity: e})
	}
	adjacency, err := p.Graph.Adjacency(ctx, ws)
	if err != nil {
		return err
	}
	for _, r := range adjacency.Relations {
		source, target := adjacency.Entities[r.Source], adjacency.Entities[r.Target]
		id := domain.NewRelationID(source.ID, r.Type, target.ID)
		d.relations = append(d.relations, relation{
			Relation: domain.Relation{ID: id, Source: source.ID, Target: target.ID, Type: r.Type},
			source:   source.Name, target: target.Name,
		})
	}
	return nil
}

// findStale lists in d what the index holds and the graph doesn't.
func (p *Projector) findStale(ctx context.Context, ws domain.WorkspaceID, d *delta) error {
	entities, err := p.Vectors.IDs(ctx, ws, vectorstore.Entities)
	if err != nil {
		return err
	}
	relations, err := p.Vectors.IDs(ctx, ws, vectorstore.Relations)
	if err != nil {
		return err
	}
	staleEntities, staleRelations := setOf[domain.EntityID](entities), setOf[domain.RelationID](relations)
	for _, e := range d.entities {
		delete(staleEntities, e.ID)
	}
	for _, r := range d.relations {
		delete(staleRelations, r.ID)
	}
	d.deleteEntities = slices.Sorted(maps.Keys(staleEntities))
	for _, id := range slices.Sorted(maps.Keys(staleRelations)) {
		d.deleteRelations = append(d.deleteRelations, graphstore.RelationRef{ID: id})
	}
	return nil
}

func setOf[ID ~string](ids []string) map[ID]bool {
	set := make(map[ID]bool, len(ids))
	for _, id := range ids {
		set[ID(id)] = true
	}
	return set
}
