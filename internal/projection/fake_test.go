package projection_test

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection"
)

var _ projection.Ledger = (*fakeLedger)(nil)

// fakeLedger is a ledger of one workspace in memory. Its documents are
// published from the moment they are put.
type fakeLedger struct {
	mu        sync.Mutex
	documents map[domain.DocumentID]fakeDocument
	changes   []ledger.Change
	vectors   map[string][]float32
	onRead    func() // called before each reading of mentions, without the lock
}

type fakeDocument struct {
	title  string
	chunks []domain.Chunk
	graphs []domain.GraphDocument // one a chunk
}

func newFakeLedger() *fakeLedger {
	return &fakeLedger{documents: map[domain.DocumentID]fakeDocument{}, vectors: map[string][]float32{}}
}

// key is a simple normal form.
func key(name string) string {
	return strings.TrimPrefix(strings.Join(strings.Fields(strings.ToLower(name)), " "), "the ")
}

func (l *fakeLedger) put(id domain.DocumentID, d fakeDocument) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.documents[id] = d
	l.changes = append(l.changes, ledger.Change{Seq: int64(len(l.changes) + 1), Document: id})
}

func (l *fakeLedger) delete(id domain.DocumentID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.documents, id)
	l.changes = append(l.changes, ledger.Change{Seq: int64(len(l.changes) + 1), Document: id, Deleted: true})
}

// fresh is a ledger to which the documents of l were added in one go.
func (l *fakeLedger) fresh() *fakeLedger {
	fresh := newFakeLedger()
	fresh.vectors = l.vectors
	for _, id := range l.ids() {
		fresh.put(id, l.documents[id])
	}
	return fresh
}

func (l *fakeLedger) ids() []domain.DocumentID { return slices.Sorted(maps.Keys(l.documents)) }

func (l *fakeLedger) Head(context.Context, domain.WorkspaceID) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int64(len(l.changes)), nil
}

func (l *fakeLedger) Changes(_ context.Context, _ domain.WorkspaceID, after int64, limit int) ([]ledger.Change, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rest := l.changes[min(after, int64(len(l.changes))):]
	if limit > 0 {
		rest = rest[:min(limit, len(rest))]
	}
	return slices.Clone(rest), nil
}

func (l *fakeLedger) Titles(context.Context, domain.WorkspaceID) ([]ledger.TitleRow, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var rows []ledger.TitleRow
	for _, id := range l.ids() {
		rows = append(rows, ledger.TitleRow{Document: id, Title: l.documents[id].title, Name: string(id) + ".txt"})
	}
	return rows, nil
}

func (l *fakeLedger) Chunks(_ context.Context, _ domain.WorkspaceID, id domain.DocumentID) ([]domain.Chunk, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.documents[id].chunks, nil
}

func (l *fakeLedger) Contributions(_ context.Context, _ domain.WorkspaceID, id domain.DocumentID) ([]ledger.Contribution, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []ledger.Contribution
	for i, g := range l.documents[id].graphs {
		all = append(all, ledger.Contribution{Chunk: l.documents[id].chunks[i].ID, Document: id, Graph: g})
	}
	return all, nil
}

func (l *fakeLedger) EachChunk(_ context.Context, _ domain.WorkspaceID, f func(domain.Passage) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range l.ids() {
		for _, c := range l.documents[id].chunks {
			if err := f(domain.Passage{Chunk: c, Title: l.documents[id].title}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *fakeLedger) Passages(ctx context.Context, ws domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error) {
	byID := map[domain.ChunkID]domain.Passage{}
	err := l.EachChunk(ctx, ws, func(p domain.Passage) error { byID[p.ID] = p; return nil })
	var found []domain.Passage
	for _, id := range ids {
		if p, ok := byID[id]; ok {
			found = append(found, p)
		}
	}
	return found, err
}

func (l *fakeLedger) Mentions(_ context.Context, _ domain.WorkspaceID, keys []string) ([]ledger.MentionRow, error) {
	if l.onRead != nil {
		l.onRead()
	}
	var rows []ledger.MentionRow
	l.eachGraph(func(c domain.Chunk, g domain.GraphDocument) {
		for _, n := range g.Nodes {
			if slices.Contains(keys, key(n.Name)) {
				rows = append(rows, ledger.MentionRow{Key: key(n.Name), Label: n.Label, Name: n.Name, Aliases: n.Aliases,
					Properties: n.Properties, Chunk: c.ID, Document: c.Document, Ordinal: c.Ordinal, Spans: n.Spans})
			}
		}
	})
	slices.SortStableFunc(rows, func(a, b ledger.MentionRow) int { return cmp.Compare(a.Key, b.Key) })
	return rows, nil
}

func (l *fakeLedger) Statements(_ context.Context, _ domain.WorkspaceID, keys []string) ([]ledger.StatementRow, error) {
	var rows []ledger.StatementRow
	l.eachGraph(func(c domain.Chunk, g domain.GraphDocument) {
		for _, r := range g.Relationships {
			source, target := g.Nodes[r.Source], g.Nodes[r.Target]
			if slices.Contains(keys, key(source.Name)) || slices.Contains(keys, key(target.Name)) {
				rows = append(rows, ledger.StatementRow{SourceKey: key(source.Name), SourceLabel: source.Label, Type: r.Type,
					TargetKey: key(target.Name), TargetLabel: target.Label, Chunk: c.ID, Document: c.Document, Ordinal: c.Ordinal, Spans: r.Spans})
			}
		}
	})
	return rows, nil
}

func (l *fakeLedger) eachGraph(f func(domain.Chunk, domain.GraphDocument)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range l.ids() {
		d := l.documents[id]
		for i, c := range d.chunks {
			f(c, d.graphs[i])
		}
	}
}

func (l *fakeLedger) Embeddings(_ context.Context, model string, hashes []string) (map[string][]float32, error) {
	found := map[string][]float32{}
	for _, h := range hashes {
		if v, ok := l.vectors[model+h]; ok {
			found[h] = v
		}
	}
	return found, nil
}
