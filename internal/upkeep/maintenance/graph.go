package maintenance

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// CompareGraphs compares the graph of a workspace, got, with a fresh one.
func CompareGraphs(ctx context.Context, ws domain.WorkspaceID, want, got graphstore.Reader) (Found, error) {
	var pair [2]snapshot
	for i, r := range []graphstore.Reader{want, got} {
		var err error
		if pair[i], err = snapshotOf(ctx, ws, r); err != nil {
			return nil, fmt.Errorf("read a graph: %w", err)
		}
	}
	should, is := pair[0], pair[1]
	found := Found{}
	compare(found, should.entities, is.entities, EntityMissing, EntityExtra, EntityDiffers)
	compare(found, should.relations, is.relations, RelationMissing, RelationExtra, RelationDiffers)
	compare(found, should.links, is.links, LinkMissing, LinkExtra, LinkDiffers)
	compare(found, should.chunks, is.chunks, ChunkMissing, ChunkExtra, ChunkExtra)
	if should.nodes != is.nodes {
		found.add(NodesDiffer, "")
	}
	return found, nil
}

// snapshot is a graph in a form that can be compared: descriptions by id.
type snapshot struct {
	entities, relations, links, chunks map[string]string
	nodes                              [2]int // number of documents and chunks
}

func snapshotOf(ctx context.Context, ws domain.WorkspaceID, r graphstore.Reader) (snapshot, error) {
	p := snapshot{entities: map[string]string{}, relations: map[string]string{}, links: map[string]string{}, chunks: map[string]string{}}
	entities, _, err := r.Entities(ctx, ws, graphstore.EntityQuery{Order: graphstore.ByName})
	if err != nil {
		return p, err
	}
	a, err := r.Adjacency(ctx, ws)
	if err != nil {
		return p, err
	}
	var unlisted []domain.EntityID
	for _, e := range a.Entities {
		if e.Unlisted {
			unlisted = append(unlisted, e.ID)
		}
	}
	others, err := r.Named(ctx, ws, unlisted)
	if err != nil {
		return p, err
	}
	for _, e := range slices.Concat(entities, others) {
		b, err := json.Marshal(e)
		if err != nil {
			return p, err
		}
		p.entities[string(e.ID)] = string(b)
	}
	for _, c := range a.Chunks {
		p.chunks[string(c.ID)] = string(c.Document)
	}
	for _, l := range a.Links {
		p.links[string(a.Chunks[l.Chunk].ID)+" "+string(a.Entities[l.Entity].ID)] = fmt.Sprint(l.Kind)
	}
	for _, l := range a.Relations {
		id := domain.NewRelationID(a.Entities[l.Source].ID, l.Type, a.Entities[l.Target].ID)
		p.relations[string(id)] = fmt.Sprint(l.Evidence)
	}
	stats, err := r.Stats(ctx, ws)
	p.nodes = [2]int{stats.Documents, stats.Chunks}
	return p, err
}

// compare adds the differences between two maps of descriptions.
func compare(found Found, want, got map[string]string, missing, extra, differs Problem) {
	for id, w := range want {
		switch g, ok := got[id]; {
		case !ok:
			found.add(missing, id)
		case g != w:
			found.add(differs, id)
		}
	}
	for id := range got {
		if _, ok := want[id]; !ok {
			found.add(extra, id)
		}
	}
}
