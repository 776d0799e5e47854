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
// published as soon as they are put.
type fakeLedger struct {
	mu        sync.Mutex
	documents map[domain.DocumentID]fakeDocument
	changes   []ledger.Change
	log       []ledger.Curation
	names     map[domain.EntityID]string // of the log's entries
	vectors   map[string][]float32
	onRead    func()                                   // called before each read of mentions, without the lock
	words     map[domain.ChunkID][]ledger.Words        // of indexed texts
	forms     map[domain.DocumentID][]ledger.TitleForm // of indexed titles
}

type fakeDocument struct {
	title  string
	chunks []domain.Chunk
	graphs []domain.GraphDocument // one per chunk
}

func newFakeLedger() *fakeLedger {
	return &fakeLedger{
		documents: map[domain.DocumentID]fakeDocument{}, vectors: map[string][]float32{}, names: map[domain.EntityID]string{},
		words: map[domain.ChunkID][]ledger.Words{}, forms: map[domain.DocumentID][]ledger.TitleForm{},
	}
}

func key(name string) string {
	return strings.TrimPrefix(domain.OneLine(strings.ToLower(name)), "the ")
}

func (l *fakeLedger) put(id domain.DocumentID, d fakeDocument) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(id)
	l.documents[id] = d
	l.changes = append(l.changes, ledger.Change{Seq: l.next(), Document: id})
}

// forget deletes the index of a document.
func (l *fakeLedger) forget(id domain.DocumentID) {
	delete(l.forms, id)
	for _, c := range l.documents[id].chunks {
		delete(l.words, c.ID)
	}
}

func (l *fakeLedger) next() int64 {
	if len(l.changes) == 0 {
		return 1
	}
	return l.changes[len(l.changes)-1].Seq + 1
}

// curate appends to the log.
func (l *fakeLedger) curate(c ledger.Curation) ledger.Curation {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.Seq = l.next()
	l.log = append(l.log, c)
	l.changes = append(l.changes, ledger.Change{Seq: c.Seq})
	return c
}

func (l *fakeLedger) delete(id domain.DocumentID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(id)
	delete(l.documents, id)
	l.changes = append(l.changes, ledger.Change{Seq: l.next(), Document: id, Deleted: true})
}

// fresh returns an empty database without foreign keys, so that rows can be
// written in any order.
func (l *fakeLedger) fresh() *fakeLedger {
	fresh := newFakeLedger()
	fresh.vectors, fresh.log, fresh.names = l.vectors, l.log, l.names
	for _, c := range l.log {
		fresh.changes = append(fresh.changes, ledger.Change{Seq: c.Seq})
	}
	for _, id := range l.ids() {
		fresh.put(id, l.documents[id])
	}
	return fresh
}

func (l *fakeLedger) ids() []domain.DocumentID { return slices.Sorted(maps.Keys(l.documents)) }

func (l *fakeLedger) Head(context.Context, domain.WorkspaceID) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.next() - 1, nil
}

func (l *fakeLedger) Changes(_ context.Context, _ domain.WorkspaceID, after int64, limit int) ([]ledger.Change, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rest := l.changes
	for len(rest) > 0 && rest[0].Seq <= after {
		rest = rest[1:]
	}
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
		rows = append(rows, ledger.TitleRow{Document: id, Title: l.documents[id].title, Stated: l.documents[id].title, Name: string(id) + ".txt"})
	}
	return rows, nil
}

func (l *fakeLedger) TitlesOf(_ context.Context, _ domain.WorkspaceID, documents []domain.DocumentID) ([]ledger.TitleRow, error) {
	return l.titles(func(row ledger.TitleRow) bool { return slices.Contains(documents, row.Document) })
}

func (l *fakeLedger) TitlesByKey(_ context.Context, _ domain.WorkspaceID, keys []string) ([]ledger.TitleRow, error) {
	return l.titlesWith(func(f ledger.TitleForm) bool { return slices.Contains(keys, f.Key) })
}

func (l *fakeLedger) TitlesIn(_ context.Context, _ domain.WorkspaceID, words []ledger.Words) ([]ledger.TitleRow, error) {
	return l.titlesWith(func(f ledger.TitleForm) bool { return slices.Contains(words, f.Words) })
}

// titlesWith returns the titles with a matching form and the titles that are
// not indexed.
func (l *fakeLedger) titlesWith(is func(ledger.TitleForm) bool) ([]ledger.TitleRow, error) {
	return l.titles(func(row ledger.TitleRow) bool {
		forms, indexed := l.forms[row.Document]
		return !indexed || slices.ContainsFunc(forms, is)
	})
}

func (l *fakeLedger) titles(wanted func(ledger.TitleRow) bool) ([]ledger.TitleRow, error) {
	rows, err := l.Titles(context.Background(), ws)
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(rows, func(row ledger.TitleRow) bool { return !wanted(row) }), err
}

func (l *fakeLedger) IndexTitles(_ context.Context, _ domain.WorkspaceID, forms func(ledger.TitleRow) []ledger.TitleForm) error {
	rows, err := l.Titles(context.Background(), ws)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, row := range rows {
		l.forms[row.Document] = forms(row)
	}
	return err
}

func (l *fakeLedger) IndexChunks(_ context.Context, _ domain.WorkspaceID, words func(string) []ledger.Words) error {
	return l.EachChunk(context.Background(), ws, func(p domain.Passage) error {
		l.words[p.ID] = words(p.Text)
		return nil
	})
}

func (l *fakeLedger) ChunksHolding(ctx context.Context, ws domain.WorkspaceID, words []ledger.Words) ([]domain.ChunkID, error) {
	var found []domain.ChunkID
	err := l.EachChunk(ctx, ws, func(p domain.Passage) error {
		held, indexed := l.words[p.ID]
		if !indexed || slices.ContainsFunc(words, func(w ledger.Words) bool {
			return slices.ContainsFunc(held, func(h ledger.Words) bool { return h == w || h.First() == w })
		}) {
			found = append(found, p.ID)
		}
		return nil
	})
	return found, err
}

func (l *fakeLedger) ChunksOf(_ context.Context, _ domain.WorkspaceID, ids []domain.DocumentID) (map[domain.DocumentID][]domain.Chunk, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := map[domain.DocumentID][]domain.Chunk{}
	for _, id := range ids {
		of[id] = l.documents[id].chunks
	}
	return of, nil
}

func (l *fakeLedger) ContributionsOf(_ context.Context, _ domain.WorkspaceID, ids []domain.DocumentID) (map[domain.DocumentID][]ledger.Contribution, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := map[domain.DocumentID][]ledger.Contribution{}
	for _, id := range ids {
		for i, g := range l.documents[id].graphs {
			all[id] = append(all[id], ledger.Contribution{Chunk: l.documents[id].chunks[i].ID, Document: id, Graph: g})
		}
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
		for _, n := range g.Names {
			if slices.Contains(keys, key(n.Name)) {
				rows = append(rows, ledger.MentionRow{Key: key(n.Name), Label: domain.UnknownLabel, Name: n.Name, Aliases: n.Aliases,
					Properties: n.Properties, Chunk: c.ID, Document: c.Document, Ordinal: c.Ordinal, Spans: n.Spans, ByRule: true})
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
					TargetKey: key(target.Name), TargetLabel: target.Label, Properties: r.Properties, Chunk: c.ID, Document: c.Document, Ordinal: c.Ordinal, Spans: r.Spans})
			}
		}
	})
	return rows, nil
}

func (l *fakeLedger) StatementsBetween(ctx context.Context, ws domain.WorkspaceID, ends []ledger.Ends) ([]ledger.StatementRow, error) {
	var keys []string
	for _, e := range ends {
		keys = append(keys, e.Source)
	}
	rows, err := l.Statements(ctx, ws, keys)
	return slices.DeleteFunc(rows, func(row ledger.StatementRow) bool {
		return !slices.Contains(ends, ledger.Ends{Source: row.SourceKey, Target: row.TargetKey})
	}), err
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

func (l *fakeLedger) Curations(_ context.Context, _ domain.WorkspaceID, last int64) ([]ledger.Curation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	log := slices.Clone(l.log)
	return slices.DeleteFunc(log, func(c ledger.Curation) bool { return c.Seq > last }), nil
}

func (l *fakeLedger) CuratedKeys(context.Context, domain.WorkspaceID) (ledger.CuratedKeys, error) {
	held := map[string]bool{}
	l.eachGraph(func(_ domain.Chunk, g domain.GraphDocument) {
		for _, n := range slices.Concat(g.Nodes, g.Names) {
			held[key(n.Name)] = true
		}
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.documents {
		for _, form := range domain.TitleForms(d.title) {
			held[key(form)] = true
		}
	}
	for key := range l.made() {
		held[key] = true
	}
	keys := ledger.CuratedKeys{Held: map[domain.EntityID]string{}, Gone: map[domain.EntityID]string{}}
	for id, key := range l.names {
		if held[key] {
			keys.Held[id] = key
		} else {
			keys.Gone[id] = domain.Hash([]byte(key))
		}
	}
	return keys, nil
}

// made returns the keys of what curators created, without stretches that are
// gone.
func (l *fakeLedger) made() map[string]bool {
	made := map[string]bool{}
	for _, c := range l.log {
		if c.Kind != ledger.CurationCreate {
			continue
		}
		if c.Stretch.Chunk == "" {
			made[key(c.Name)] = true
		}
		for _, chunk := range l.documents[c.Stretch.Document].chunks {
			if words, ok := c.Stretch.In(chunk); ok {
				made[key(cmp.Or(c.Name, words))] = true
			}
		}
	}
	return made
}

func (l *fakeLedger) ChangedBefore(_ context.Context, _ domain.WorkspaceID, documents []domain.DocumentID, last int64) ([]domain.DocumentID, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []domain.DocumentID
	for _, c := range l.changes {
		if c.Seq <= last && slices.Contains(documents, c.Document) {
			found = append(found, c.Document)
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

func (l *fakeLedger) Embeddings(_ context.Context, model string, _ int, hashes []string) (map[string][]float32, error) {
	found := map[string][]float32{}
	for _, h := range hashes {
		if v, ok := l.vectors[model+h]; ok {
			found[h] = v
		}
	}
	return found, nil
}
