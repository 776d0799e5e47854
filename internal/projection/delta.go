package projection

import (
	"context"
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
)

// work is the folding of one batch of changes. It reads the ledger as it is
// now, which may be later than the changes. What chunks say that neither the
// graph nor this batch holds is left out: it belongs to a later change, and
// would otherwise never be taken back if that change is a deletion.
type work struct {
	*Projector
	ctx       context.Context
	workspace domain.WorkspaceID
	fresh     bool // the graph is empty

	documents []document
	gone      []domain.DocumentID
	changed   map[domain.DocumentID]bool
	published int     // how many documents are
	titles    []title // of all published documents

	keys      []string                       // of the names that the changes touch
	before    map[string][]graphstore.Entity // the graph's entities of these keys, without links
	mentioned []domain.EntityID              // entities that an old version of a changed document mentions
	sources   map[string]sources
	rows      []ledger.StatementRow // that touch keys
}

// delta works out what changes do to the graph.
func (p *Projector) delta(ctx context.Context, ws domain.WorkspaceID, fresh bool, changes []ledger.Change) (*delta, error) {
	w := &work{
		Projector: p, ctx: ctx, workspace: ws, fresh: fresh,
		changed: map[domain.DocumentID]bool{}, before: map[string][]graphstore.Entity{}, sources: map[string]sources{},
	}
	for _, c := range changes {
		w.changed[c.Document] = true
	}
	for _, read := range []func() error{
		func() error { return w.readDocuments(changes) },
		w.findKeys, w.readBefore, w.readSources, w.dropUnknown,
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return w.fold()
}

func (w *work) readDocuments(changes []ledger.Change) error {
	rows, err := w.Ledger.Titles(w.ctx, w.workspace)
	if err != nil {
		return err
	}
	w.documents, w.gone, err = w.Projector.changed(w.ctx, w.workspace, changes, rows)
	if err != nil {
		return err
	}
	w.published = len(rows)
	for _, row := range rows {
		w.titles = append(w.titles, w.titlesOf(row)...)
	}
	return nil
}

// findKeys collects the keys of all names that the changed documents mention,
// are called or hold as titles of others, now or when the graph took them in.
func (w *work) findKeys() error {
	keys := map[string]bool{}
	for _, t := range w.titles {
		if w.changed[t.document] {
			keys[t.key] = true
		}
	}
	all := newMatcher(w.titles)
	for _, d := range w.documents {
		contributions, err := w.Ledger.Contributions(w.ctx, w.workspace, d.ID)
		if err != nil {
			return err
		}
		for _, c := range contributions {
			for _, n := range c.Graph.Nodes {
				keys[w.Key(n.Name)] = true
			}
		}
		for _, c := range d.Chunks {
			for key := range all.find(c) {
				keys[key] = true
			}
		}
	}
	if err := w.findKeysBefore(keys); err != nil {
		return err
	}
	w.keys = slices.Sorted(maps.Keys(keys))
	return nil
}

func (w *work) findKeysBefore(keys map[string]bool) error {
	if w.fresh {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(w.changed)) {
		entities, err := w.Graph.InDocument(w.ctx, w.workspace, id)
		if err != nil {
			return err
		}
		for _, e := range entities {
			keys[e.Key] = true
			if slices.ContainsFunc(e.Links, func(l graphstore.Link) bool { return l.Kind&graphstore.LinkMention != 0 }) {
				w.mentioned = append(w.mentioned, e.ID)
			}
		}
	}
	return nil
}

func (w *work) readBefore() error {
	if w.fresh {
		return nil
	}
	entities, err := w.Graph.ByKey(w.ctx, w.workspace, w.keys)
	if err != nil {
		return err
	}
	for _, e := range entities {
		if _, ok := slices.BinarySearch(w.keys, e.Key); ok { // else an alias has the key
			w.before[e.Key] = append(w.before[e.Key], graphstore.Entity{Entity: e})
		}
	}
	return nil
}

// readSources reads all that the ledger says of the keys.
func (w *work) readSources() error {
	mentions, err := w.Ledger.Mentions(w.ctx, w.workspace, w.keys)
	if err != nil {
		return err
	}
	for _, m := range mentions {
		s := w.sources[m.Key]
		s.mentions = append(s.mentions, m)
		w.sources[m.Key] = s
	}
	if w.rows, err = w.Ledger.Statements(w.ctx, w.workspace, w.keys); err != nil {
		return err
	}
	titles := slices.DeleteFunc(slices.Clone(w.titles), func(t title) bool {
		_, ok := slices.BinarySearch(w.keys, t.key)
		return !ok
	})
	if titles, err = w.readTitled(titles); err != nil {
		return err
	}
	return w.findOccurrences(titles)
}

// readTitled reads which chunks stand under titles and returns the titles of
// documents that the graph will hold.
func (w *work) readTitled(titles []title) ([]title, error) {
	chunks := map[domain.DocumentID][]place{}
	for _, d := range w.documents {
		chunks[d.ID] = placesOf(d.Chunks)
	}
	var places []place
	for _, t := range titles {
		if _, ok := chunks[t.document]; ok {
			continue
		}
		of, err := w.Ledger.Chunks(w.ctx, w.workspace, t.document)
		if err != nil {
			return nil, err
		}
		chunks[t.document] = placesOf(of)
		places = append(places, chunks[t.document]...)
	}
	known, err := w.known(places)
	if err != nil {
		return nil, err
	}
	var held []title
	for _, t := range titles {
		of := titled{form: t.form, chunks: slices.DeleteFunc(slices.Clone(chunks[t.document]), func(p place) bool { return !known[p.Chunk] })}
		if len(of.chunks) == 0 {
			continue
		}
		s := w.sources[t.key]
		s.titles = append(s.titles, of)
		w.sources[t.key] = s
		held = append(held, t)
	}
	return held, nil
}
