package projection

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/vectorstore"
)

// What is read and written at once while an index is mended. The rest of a
// library is never in memory with it, but for the graph's adjacency, which is
// small beside the texts and vectors.
const (
	pieceOf   = 2_000   // points, or deletions
	pieceText = 4 << 20 // bytes of points' texts
	pageOf    = 1_000   // changes or entities
)

// mend brings an index that stands elsewhere than the graph to where the
// graph is: after a crash between the two, or when its file was thrown away.
// Documents that changed since are written anew, and so are all entities and
// relations; what the graph doesn't have is deleted. It is done piece by piece,
// and the cursor moves after the last: one that was cut off is done again.
func (p *Projector) mend(ctx context.Context, ws domain.WorkspaceID, at Progress) error {
	p.Log.InfoContext(ctx, "comparing the search index with the graph", "workspace", ws, "index", at.Vectors, "graph", at.Graph)
	held, err := p.Graph.Stats(ctx, ws)
	if err != nil {
		return err
	}
	m := &mending{Projector: p, workspace: ws, at: at, tell: watcher(ctx)}
	m.total = int(at.Graph-at.Vectors) + held.Entities + held.Relations
	return p.Vectors.Fill(ctx, ws, at.Vectors, at.Graph, func(write func(vectorstore.Batch) error) error {
		m.write = write
		for _, part := range []func(context.Context) error{m.documents, m.entities, m.readAdjacency, m.relations, m.flush, m.sweep, m.unmoved} {
			if err := part(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// mending is an index on its way to where the graph is.
type mending struct {
	*Projector
	workspace domain.WorkspaceID
	at        Progress
	adjacency *graphstore.Adjacency
	write     func(vectorstore.Batch) error

	// The piece that is being gathered.
	deleted []domain.DocumentID
	points  []point
	bytes   int

	tell        func(done, total int)
	done, total int // changes, entities and relations
}

// documents writes the documents that changed since the index was complete.
func (m *mending) documents(ctx context.Context) error {
	seen := map[domain.DocumentID]bool{"": true}
	for after := m.at.Vectors; after < m.at.Graph; {
		changes, err := m.Ledger.Changes(ctx, m.workspace, after, pageOf)
		if err != nil {
			return err
		}
		if len(changes) == 0 {
			return nil
		}
		if err := m.changes(ctx, changes, seen); err != nil {
			return err
		}
		after = changes[len(changes)-1].Seq
	}
	return nil
}

// changes writes the documents of some changes that have not been seen yet. A
// document that is gone from the ledger is deleted.
func (m *mending) changes(ctx context.Context, changes []ledger.Change, seen map[domain.DocumentID]bool) error {
	var ids []domain.DocumentID
	for _, c := range changes {
		if !seen[c.Document] {
			seen[c.Document] = true
			ids = append(ids, c.Document)
		}
	}
	rows, err := m.Ledger.TitlesOf(ctx, m.workspace, ids)
	if err != nil {
		return err
	}
	titles := make(map[domain.DocumentID]ledger.TitleRow, len(rows))
	for _, row := range rows {
		titles[row.Document] = row
	}
	for _, id := range ids {
		m.deleted = append(m.deleted, id)
		if title, ok := titles[id]; ok {
			if err := m.document(ctx, title); err != nil {
				return err
			}
		}
		if err := m.flushIfLarge(ctx); err != nil {
			return err
		}
	}
	m.did(len(changes))
	return nil
}

// document gathers the points of a document, chunk by chunk: one alone may
// fill several pieces.
func (m *mending) document(ctx context.Context, title ledger.TitleRow) error {
	chunks, err := m.Ledger.Chunks(ctx, m.workspace, title.Document)
	if err != nil {
		return err
	}
	for i := range chunks {
		if err := m.add(ctx, m.documentPoints([]document{{TitleRow: title, ID: title.Document, Chunks: chunks[i : i+1]}})...); err != nil {
			return err
		}
	}
	return nil
}

// entities writes the graph's entities.
func (m *mending) entities(ctx context.Context) error {
	for offset := 0; ; offset += pageOf {
		page, _, err := m.Graph.Entities(ctx, m.workspace, graphstore.EntityQuery{Order: graphstore.ByName, Limit: pageOf, Offset: offset})
		if err != nil {
			return err
		}
		for _, e := range page {
			if err := m.add(ctx, entityPoint(e)); err != nil {
				return err
			}
		}
		m.did(len(page))
		if len(page) < pageOf {
			return nil
		}
	}
}

func (m *mending) readAdjacency(ctx context.Context) (err error) {
	m.adjacency, err = m.Graph.Adjacency(ctx, m.workspace)
	return err
}

// relations writes the graph's relations.
func (m *mending) relations(ctx context.Context) error {
	for i, r := range m.adjacency.Relations {
		source, target := m.adjacency.Entities[r.Source], m.adjacency.Entities[r.Target]
		held := relation{Relation: domain.Relation{ID: m.relationID(r), Type: r.Type}, source: source.Name, target: target.Name}
		if err := m.add(ctx, held.point()); err != nil {
			return err
		}
		if i%pageOf == pageOf-1 {
			m.did(pageOf)
		}
	}
	m.did(len(m.adjacency.Relations) % pageOf)
	return nil
}

func (m *mending) relationID(r graphstore.AdjacentRelation) domain.RelationID {
	return domain.NewRelationID(m.adjacency.Entities[r.Source].ID, r.Type, m.adjacency.Entities[r.Target].ID)
}

// add gathers points, and writes those there are when they are a piece.
func (m *mending) add(ctx context.Context, points ...point) error {
	m.points = append(m.points, points...)
	for _, pt := range points {
		m.bytes += len(pt.Title) + len(pt.Text)
	}
	return m.flushIfLarge(ctx)
}

func (m *mending) flushIfLarge(ctx context.Context) error {
	if max(len(m.points), len(m.deleted)) < pieceOf && m.bytes < pieceText {
		return nil
	}
	return m.flush(ctx)
}

// flush writes the piece that was gathered.
func (m *mending) flush(ctx context.Context) error {
	points, err := m.embed(ctx, m.points)
	if err != nil {
		return fmt.Errorf("read vectors: %w", err)
	}
	if err := m.write(vectorstore.Batch{DeleteDocuments: m.deleted, Upsert: points}); err != nil {
		return err
	}
	m.deleted, m.points, m.bytes = nil, nil, 0
	return nil
}

// sweep deletes what the graph doesn't have: what changed since the index was
// complete, and what others wrote before they were cut off. That is why it
// comes last.
func (m *mending) sweep(ctx context.Context) error {
	for _, c := range vectorstore.Collections() {
		ids, err := m.Vectors.IDs(ctx, m.workspace, c)
		if err != nil {
			return err
		}
		held := m.held(c)
		stale := slices.DeleteFunc(ids, func(id string) bool {
			if c == vectorstore.Sentences {
				id, _, _ = strings.Cut(id, "#")
			}
			_, ok := slices.BinarySearch(held, id)
			return ok
		})
		for some := range slices.Chunk(stale, pieceOf) {
			var refs []vectorstore.Ref
			for _, id := range some {
				refs = append(refs, vectorstore.Ref{Collection: c, ID: id})
			}
			if err := m.write(vectorstore.Batch{Delete: refs}); err != nil {
				return err
			}
		}
	}
	return nil
}

// held is what the graph has of a collection, by id; of sentences, their
// chunks.
func (m *mending) held(c vectorstore.Collection) []string {
	var ids []string
	switch c {
	case vectorstore.Chunks, vectorstore.Sentences:
		for _, chunk := range m.adjacency.Chunks {
			ids = append(ids, string(chunk.ID))
		}
	case vectorstore.Entities:
		for _, e := range m.adjacency.Entities {
			ids = append(ids, string(e.ID))
		}
	case vectorstore.Relations:
		for _, r := range m.adjacency.Relations {
			ids = append(ids, string(m.relationID(r)))
		}
	}
	slices.Sort(ids)
	return ids
}

// unmoved reports a graph that changed while it was read.
func (m *mending) unmoved(ctx context.Context) error {
	now, err := m.Graph.Cursor(ctx, m.workspace)
	if err == nil && now != m.at.Graph {
		return domain.Errorf(domain.Conflict, "The graph moved from change %d to %d while the search index was compared with it.", m.at.Graph, now)
	}
	return err
}

// did tells that so many more changes, entities or relations are done.
func (m *mending) did(n int) {
	m.done = min(m.done+n, m.total)
	m.tell(m.done, m.total)
}
