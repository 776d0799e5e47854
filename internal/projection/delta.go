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
	fresh     bool     // the graph is empty
	history   *history // the curation log up to the last of the changes

	documents []document
	gone      []domain.DocumentID
	changed   map[domain.DocumentID]bool
	titles    []title // of the documents
	others    []title // of other documents, all among them that stand in the documents' texts

	keys      []string                       // of the names that the changes touch
	before    map[string][]graphstore.Entity // the graph's entities of these keys, without links
	touched   []domain.EntityID              // entities that a decision of a curator is about, or a changed document is tied to
	mentioned []domain.EntityID              // entities that an old version of a changed document mentions
	tied      map[string]bool                // keys of entities that a changed document is tied to
	given     []ledger.Contribution          // of the documents
	stated    []statement                    // that the documents make
	growing   map[string]*tally              // keys of which only new documents speak anew, with what that comes to
	sources   map[string]sources             // by key; of neighbours too, see readNeighbours
}

// delta works out what changes do to a graph that stands at the change after.
func (p *Projector) delta(ctx context.Context, ws domain.WorkspaceID, after int64, changes []ledger.Change) (*delta, error) {
	w := p.newWork(ctx, ws)
	w.fresh = after == 0
	for _, c := range changes {
		if c.Document != "" {
			w.changed[c.Document] = true
		}
	}
	for _, read := range []func() error{
		w.index,
		func() error { return w.readDocuments(changes) },
		func() error { return w.readHistory(after, changes) },
		w.findKeys, w.widen, w.readSources,
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return w.fold()
}

func (p *Projector) newWork(ctx context.Context, ws domain.WorkspaceID) *work {
	return &work{
		Projector: p, ctx: ctx, workspace: ws,
		changed: map[domain.DocumentID]bool{}, before: map[string][]graphstore.Entity{}, sources: map[string]sources{},
		tied: map[string]bool{},
	}
}

func (w *work) readDocuments(changes []ledger.Change) error {
	rows, err := w.Ledger.TitlesOf(w.ctx, w.workspace, slices.Sorted(maps.Keys(w.changed)))
	if err != nil {
		return err
	}
	w.documents, w.gone, err = w.Projector.changed(w.ctx, w.workspace, changes, rows)
	for _, d := range w.documents {
		w.titles = append(w.titles, w.titlesOf(d.TitleRow)...)
	}
	return err
}

// findKeys collects the keys of all names that the changed documents mention,
// are called or hold as titles of others, now or when the graph took them in.
func (w *work) findKeys() error {
	keys := map[string]bool{}
	for _, t := range w.titles {
		keys[t.key] = true
	}
	if err := w.readOthers(); err != nil {
		return err
	}
	all := newMatcher(slices.Concat(w.titles, w.others))
	for _, d := range w.documents {
		contributions, err := w.Ledger.Contributions(w.ctx, w.workspace, d.ID)
		if err != nil {
			return err
		}
		for _, c := range contributions {
			w.note(c, keys)
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

// note adds the keys that a contribution names, and what it states.
func (w *work) note(c ledger.Contribution, keys map[string]bool) {
	named := make([]string, len(c.Graph.Nodes))
	for i, n := range c.Graph.Nodes {
		named[i] = w.Key(n.Name)
		keys[named[i]] = true
	}
	for _, r := range c.Graph.Relationships {
		w.stated = append(w.stated, statement{named[r.Source], r.Type, named[r.Target]})
	}
	if !w.fresh {
		w.given = append(w.given, c)
	}
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
			keys[e.Key], w.tied[e.Key] = true, true
			w.touched = append(w.touched, e.ID)
			if slices.ContainsFunc(e.Links, func(l graphstore.Link) bool { return l.Kind&graphstore.LinkMention != 0 }) {
				w.mentioned = append(w.mentioned, e.ID)
			}
		}
	}
	return nil
}

// widen adds the keys of all that curators have tied to what is touched, and
// reads the graph's entities of the keys.
func (w *work) widen() error {
	keys := map[string]bool{}
	for _, key := range w.keys {
		keys[key] = true
	}
	for {
		w.history.widen(keys, w.touched)
		if err := w.readBefore(slices.Sorted(maps.Keys(keys))); err != nil {
			return err
		}
		for key := range keys {
			for _, e := range w.before[key] {
				w.touched = append(w.touched, e.ID)
			}
		}
		if !w.history.widen(keys, w.touched) {
			w.keys = slices.Sorted(maps.Keys(keys))
			return nil
		}
	}
}

// readBefore reads the graph's entities of keys, as far as that is not done.
func (w *work) readBefore(keys []string) error {
	keys = slices.DeleteFunc(keys, func(key string) bool { _, done := w.before[key]; return done })
	for _, key := range keys {
		w.before[key] = nil
	}
	if w.fresh || len(keys) == 0 {
		return nil
	}
	entities, err := w.Graph.ByKey(w.ctx, w.workspace, keys)
	if err != nil {
		return err
	}
	for _, e := range entities {
		if _, ok := slices.BinarySearch(keys, e.Key); ok { // else an alias has the key
			w.before[e.Key] = append(w.before[e.Key], graphstore.Entity{Entity: e})
		}
	}
	return nil
}

// readSources reads what the ledger says of the keys: of those that grow what
// the documents add, of the others all.
func (w *work) readSources() error {
	if err := w.readGrowth(); err != nil {
		return err
	}
	return w.readEntities(slices.DeleteFunc(slices.Clone(w.keys), func(key string) bool {
		_, grows := w.growing[key]
		return grows
	}))
}

// knownStatements are those of rows that chunks make which the graph will hold.
func (w *work) knownStatements(rows []ledger.StatementRow) ([]ledger.StatementRow, error) {
	places := make([]place, len(rows))
	for i, row := range rows {
		places[i] = statementPlace(row)
	}
	known, err := w.known(places)
	return slices.DeleteFunc(rows, func(row ledger.StatementRow) bool { return !known[row.Chunk] }), err
}

// readEntities reads what folds to the entities of keys.
func (w *work) readEntities(keys []string) error {
	titles, err := w.readNames(keys)
	if err != nil {
		return err
	}
	if err := w.findOccurrences(titles); err != nil {
		return err
	}
	return w.dropUnknown(keys)
}

// readNames reads the mentions of keys and the titles that have one of them,
// and returns those of documents that the graph will hold.
func (w *work) readNames(keys []string) ([]title, error) {
	mentions, err := w.Ledger.Mentions(w.ctx, w.workspace, keys)
	if err != nil {
		return nil, err
	}
	for _, m := range mentions {
		s := w.sources[m.Key]
		s.mentions = append(s.mentions, m)
		w.sources[m.Key] = s
	}
	titles, err := w.titlesOfKeys(keys)
	if err != nil {
		return nil, err
	}
	stand, err := w.readTitled(titles)
	var held []title
	for i, t := range titles {
		if len(stand[i].chunks) > 0 {
			s := w.sources[t.key]
			s.titles = append(s.titles, stand[i])
			w.sources[t.key] = s
			held = append(held, t)
		}
	}
	return held, err
}

// readTitled reads which of the chunks that the graph will hold stand under
// titles.
func (w *work) readTitled(titles []title) ([]titled, error) {
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
	stand := make([]titled, len(titles))
	for i, t := range titles {
		stand[i] = titled{form: t.form, chunks: slices.DeleteFunc(slices.Clone(chunks[t.document]), func(p place) bool { return !known[p.Chunk] })}
	}
	return stand, nil
}
