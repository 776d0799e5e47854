package maintenance

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/vectorstore"
)

// rounds limits how often the stores are compared while they change.
const rounds = 4

// moment is a version of a workspace: while it stays the same, so do the ledger and the stores.
type moment struct {
	projection.Progress
	reading int // published documents that are being read again
}

// still reports whether the stores can be compared: both are up to date with the ledger, and no document is being read.
func (m moment) still() bool { return m.reading == 0 && m.Graph == m.Head && m.Vectors == m.Head }

func (svc *Service) moment(ctx context.Context, ws domain.WorkspaceID) (m moment, err error) {
	if m.Progress, err = svc.Projector.Behind(ctx, ws); err != nil {
		return m, err
	}
	m.reading, err = countReading(ctx, svc.DB, ws)
	return m, err
}

// compare folds the ledger into empty stores and compares them with the stores in use. While documents change it tries
// again. found was true at one moment; or, if unsure says so, it is what every round found.
func (svc *Service) compare(ctx context.Context, ws domain.WorkspaceID) (found Found, unsure string, err error) {
	fresh, remove, err := svc.EmptyStores(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("make stores to compare with: %w", err)
	}
	defer func() {
		if gone := remove(); err == nil {
			err = gone
		}
	}()
	for round := range rounds {
		if err := fresh.Apply(ctx, ws); err != nil {
			return nil, "", err
		}
		at, err := svc.waitSettled(ctx, ws)
		if err != nil {
			return nil, "", err
		}
		if off := storeLag(at); len(off) > 0 && at.reading == 0 {
			return off, "", nil
		}
		now, sure, err := svc.compareOnce(ctx, ws, fresh)
		if err != nil || sure {
			return now, "", err
		}
		if round > 0 {
			now = now.Both(found)
		}
		found = now
	}
	return found, "Documents were being read during the whole check. Every round found the same; to be certain, run the check again when nothing is being read.", nil
}

// compareOnce compares while nobody projects, and reports whether both sides are of the same moment.
func (svc *Service) compareOnce(ctx context.Context, ws domain.WorkspaceID, fresh *projection.Projector) (found Found, sure bool, err error) {
	err = svc.Projector.Leases.Hold(ctx, ws, func(ctx context.Context, _ int64) (err error) {
		found, sure, err = svc.compareHeld(ctx, ws, fresh)
		return err
	})
	return found, sure, err
}

func (svc *Service) compareHeld(ctx context.Context, ws domain.WorkspaceID, fresh *projection.Projector) (Found, bool, error) {
	before, err := svc.moment(ctx, ws)
	if err != nil {
		return nil, false, err
	}
	if err := fresh.Apply(ctx, ws); err != nil {
		return nil, false, err
	}
	graph, err := CompareGraphs(ctx, ws, fresh.Graph, svc.Projector.Graph)
	if err != nil {
		return nil, false, err
	}
	embedding, err := svc.unembedded(ctx, ws)
	if err != nil {
		return nil, false, err
	}
	vectors, err := CompareVectors(ctx, ws, fresh.Vectors, svc.Projector.Vectors, embedding)
	if err != nil {
		return nil, false, err
	}
	after, err := svc.moment(ctx, ws)
	return graph.Join(vectors), err == nil && before.still() && before == after, err
}

// waitSettled waits up to SettleTimeout for stores that lag behind and documents that are being read again.
func (svc *Service) waitSettled(ctx context.Context, ws domain.WorkspaceID) (moment, error) {
	deadline := time.Now().Add(svc.SettleTimeout)
	for {
		at, err := svc.moment(ctx, ws)
		if err != nil || at.still() || ahead(at) || time.Now().After(deadline) {
			return at, err
		}
		if err := domain.Sleep(ctx, min(100*time.Millisecond, svc.SettleTimeout)); err != nil {
			return at, err
		}
	}
}

func ahead(m moment) bool { return m.Graph > m.Head || m.Vectors > m.Head }

// most limits the count of changes.
const most = 1_000_000

// storeLag returns the stores that are not at the change of the ledger, though nothing is being written.
func storeLag(m moment) Found {
	found := Found{}
	for _, store := range []struct {
		at            int64
		behind, ahead Problem
	}{{m.Graph, GraphBehind, GraphAhead}, {m.Vectors, VectorsBehind, VectorsAhead}} {
		switch {
		case store.at < m.Head:
			found[store.behind] = make([]string, min(m.Head-store.at, most))
		case store.at > m.Head:
			found[store.ahead] = make([]string, min(store.at-m.Head, most))
		}
	}
	return found
}

// Contents is implemented by an index that can list its points completely. Of
// other indexes only the ids are compared.
type Contents interface {
	Contents(ctx context.Context, w domain.WorkspaceID, c vectorstore.Collection, f func(vectorstore.Point) error) error
}

// CompareVectors compares the search index of a workspace, got, with a fresh one. While more is being embedded, words alone
// are compared.
func CompareVectors(ctx context.Context, ws domain.WorkspaceID, want, got vectorstore.Reader, embedding bool) (Found, error) {
	_, completeWant := want.(Contents)
	_, completeGot := got.(Contents)
	found := Found{}
	for _, c := range vectorstore.Collections() {
		var pair [2]map[string]string
		for i, r := range []vectorstore.Reader{want, got} {
			var err error
			if pair[i], err = points(ctx, ws, r, c, completeWant && completeGot, embedding); err != nil {
				return nil, fmt.Errorf("read the %s of an index: %w", c, err)
			}
		}
		compare(found, pair[0], pair[1], PointMissing, PointExtra, PointDiffers)
	}
	return found, nil
}

// points returns descriptions of points by id: a checksum of the words and whether
// there is a vector unless more is being embedded, or "" if the index can't list its points completely.
func points(ctx context.Context, ws domain.WorkspaceID, r vectorstore.Reader, c vectorstore.Collection, complete, embedding bool) (map[string]string, error) {
	all := map[string]string{}
	if !complete {
		ids, err := r.IDs(ctx, ws, c)
		for _, id := range ids {
			all[id] = ""
		}
		return all, err
	}
	err := r.(Contents).Contents(ctx, ws, c, func(p vectorstore.Point) error {
		sum := sha256.New()
		fmt.Fprintf(sum, "%q %q %q %t", p.Document, p.Title, p.Text, p.Vector != nil || embedding)
		all[p.ID] = string(sum.Sum(nil)[:16])
		return nil
	})
	return all, err
}

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
