package projection

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection/fold"
	"github.com/clewhq/clew/internal/projection/titles"
)

// reader reads from the ledger and the graph what an update needs.
type reader struct {
	Params
	u *update
}

// readChanges reads the changed documents, or as many as fit, and the curation log.
func (r *reader) readChanges(ctx context.Context, changes []ledger.Change) error {
	if err := r.indexWords(ctx); err != nil {
		return err
	}
	ids := documentsOf(slices.DeleteFunc(slices.Clone(changes), func(c ledger.Change) bool { return c.Vectors }))
	rows, err := r.Ledger.TitlesOf(ctx, r.u.Workspace, ids)
	if err != nil {
		return err
	}
	published := titlesByDocument(rows)
	for some := range slices.Chunk(ids, documentsAtOnce) {
		if len(r.u.present) >= r.u.most {
			break
		}
		chunks, err := r.Ledger.ChunksOf(ctx, r.u.Workspace, some)
		if err != nil {
			return err
		}
		for _, id := range some {
			if len(r.u.present) < r.u.most {
				r.u.change(id, published, chunks[id])
			}
		}
	}
	changes = r.u.upTo(changes)
	if len(r.u.changed) > 0 && !r.u.empty {
		if r.u.earlier, err = r.Ledger.ChangedBefore(ctx, r.u.Workspace, slices.Sorted(maps.Keys(r.u.changed)), r.u.after); err != nil {
			return err
		}
	}
	return r.readLog(ctx, changes)
}

// indexWords has the ledger index the words of new texts and titles. The fold
// does not depend on it: a text that is not indexed is searched for every title.
func (r *reader) indexWords(ctx context.Context) error {
	if r.u.empty {
		return nil // no words are looked up
	}
	err := r.Ledger.IndexTitles(ctx, r.u.Workspace, func(row ledger.TitleRow) []ledger.TitleForm {
		var forms []ledger.TitleForm
		for _, t := range titles.Of(row, r.Key) {
			forms = append(forms, ledger.TitleForm{Key: t.Key, Words: titles.FormWords(t.Form)})
		}
		return forms
	})
	if err != nil {
		return err
	}
	return r.Ledger.IndexChunks(ctx, r.u.Workspace, titles.TextWords)
}

// change records a changed document, with its chunks if it is among the published ones.
func (u *update) change(id domain.DocumentID, published map[domain.DocumentID]ledger.TitleRow, chunks []domain.Chunk) {
	u.changed[id] = true
	title, ok := published[id]
	if !ok {
		u.deleted = append(u.deleted, id)
		return
	}
	u.documents = append(u.documents, document{TitleRow: title, chunks: chunks})
	u.titles = append(u.titles, titles.Of(title, u.Key)...)
	for _, c := range chunks {
		u.present[c.ID] = true
	}
}

// readLog reads the curation log up to the last change, and finds the entities
// that new entries are about.
func (r *reader) readLog(ctx context.Context, changes []ledger.Change) error {
	entries, err := r.Ledger.Curations(ctx, r.u.Workspace, r.u.cursor)
	if err != nil {
		return err
	}
	var keys ledger.CuratedKeys
	if len(entries) > 0 {
		if keys, err = r.Ledger.CuratedKeys(ctx, r.u.Workspace); err != nil {
			return err
		}
	}
	r.u.log = fold.NewCurationLog(entries, keys)
	for _, c := range changes {
		if c.Document == "" {
			r.u.curating = true
			r.u.touched = append(r.u.touched, r.u.log.Subjects(c.Seq)...)
		}
	}
	if r.u.empty {
		return nil
	}
	r.u.touched = append(r.u.touched, r.u.log.MadeFrom(r.u.changed)...)
	if len(r.u.earlier) > 0 { // what it said about families with a hidden entity is not in the graph
		r.u.touched = append(r.u.touched, r.u.log.Hidden()...)
	}
	return nil
}

// readNames collects the keys of all names that the changed documents mention,
// have as their title, or contain as titles of others, now or in the graph, and
// all keys that curators tied to them.
func (r *reader) readNames(ctx context.Context) error {
	keys := lists.SetOf(r.u.titles, func(t titles.Title) string { return t.Key })
	if err := r.readOtherTitles(ctx); err != nil {
		return err
	}
	all := titles.NewMatcher(slices.Concat(r.u.titles, r.u.others))
	var of map[domain.DocumentID][]ledger.Contribution
	for i, d := range r.u.documents {
		if i%documentsAtOnce == 0 {
			var err error
			if of, err = r.contributionsOf(ctx, r.u.documents[i:min(i+documentsAtOnce, len(r.u.documents))]); err != nil {
				return err
			}
		}
		contributions := of[d.Document]
		said := r.u.saidIn(d, contributions)
		if r.u.empty { // every name is new
			for key, s := range said {
				r.u.addMentionsOf(key, s.Mentions)
			}
		} else {
			r.u.documents[i].said = said
		}
		var err error
		if r.u.documents[i].notes, err = r.u.note(said, contributions); err != nil {
			return err
		}
		for _, c := range contributions {
			r.u.contribute(c, keys)
		}
		for _, c := range d.chunks {
			for key := range all.Find(c) {
				keys[key] = true
			}
		}
	}
	if err := r.readLinked(ctx, keys); err != nil {
		return err
	}
	return r.widen(ctx, keys)
}

func (r *reader) contributionsOf(ctx context.Context, documents []document) (map[domain.DocumentID][]ledger.Contribution, error) {
	ids := lists.Map(documents, func(d document) domain.DocumentID { return d.Document })
	return r.Ledger.ContributionsOf(ctx, r.u.Workspace, ids)
}

// readOtherTitles reads the titles of other documents that may occur in the
// texts of the changed ones.
func (r *reader) readOtherTitles(ctx context.Context) error {
	if r.u.empty {
		return nil
	}
	rows, err := r.Ledger.TitlesIn(ctx, r.u.Workspace, r.u.titleWords())
	r.u.others = r.unchanged(rows)
	return err
}

// unchanged returns the titles of the documents that have not changed, each
// once.
func (r *reader) unchanged(rows []ledger.TitleRow) []titles.Title {
	slices.SortFunc(rows, func(a, b ledger.TitleRow) int { return cmp.Compare(a.Document, b.Document) })
	rows = slices.CompactFunc(rows, func(a, b ledger.TitleRow) bool { return a.Document == b.Document })
	var all []titles.Title
	for _, row := range rows {
		if !r.u.changed[row.Document] {
			all = append(all, titles.Of(row, r.Key)...)
		}
	}
	return all
}

// readLinked reads the graph's entities that are linked to changed documents. Only those that changed before are in the graph.
func (r *reader) readLinked(ctx context.Context, keys map[string]bool) error {
	if len(r.u.earlier) == 0 {
		return nil
	}
	if err := r.readNotes(ctx); err != nil {
		return err
	}
	linked, err := r.Graph.Linked(ctx, r.u.Workspace, r.u.earlier)
	if err != nil {
		return err
	}
	for _, id := range r.u.earlier {
		for _, e := range linked[id] {
			r.u.link(id, e, keys)
		}
	}
	return nil
}

// widen adds the keys of all entities that curators tied to touched ones, and
// reads the graph's entities of the keys.
func (r *reader) widen(ctx context.Context, keys map[string]bool) error {
	u := r.u
	for {
		u.log.Widen(keys, u.touched)
		if err := r.readBefore(ctx, slices.Sorted(maps.Keys(keys))); err != nil {
			return err
		}
		for key := range keys {
			for _, e := range u.before[key] {
				u.touched = append(u.touched, e.ID)
			}
		}
		if !u.log.Widen(keys, u.touched) {
			u.keys = slices.Sorted(maps.Keys(keys))
			return nil
		}
	}
}

// readBefore reads the graph's entities of keys that were not read yet.
func (r *reader) readBefore(ctx context.Context, keys []string) error {
	keys = slices.DeleteFunc(keys, func(key string) bool { _, done := r.u.before[key]; return done })
	for _, key := range keys {
		r.u.before[key] = nil
	}
	if r.u.empty || len(keys) == 0 {
		return nil
	}
	byKey, err := r.entitiesByKey(ctx, keys)
	maps.Copy(r.u.before, byKey)
	return err
}

// entitiesByKey reads the graph's entities of keys, and keeps their tallies.
func (r *reader) entitiesByKey(ctx context.Context, keys []string) (map[string][]domain.Entity, error) {
	entities, err := r.Graph.Keyed(ctx, r.u.Workspace, keys)
	byKey := map[string][]domain.Entity{}
	for _, e := range entities {
		byKey[e.Key] = append(byKey[e.Key], e.Entity)
		if e.Tally != "" {
			r.u.tallies[e.ID] = e.Tally
		}
	}
	return byKey, err
}

// inGraph reports which of the chunks at places the graph has after the update. It asks for each once.
func (r *reader) inGraph(ctx context.Context, places []fold.Place) (func(domain.ChunkID) bool, error) {
	present := r.u.present
	has := func(id domain.ChunkID) bool { return present[id] }
	var ask []domain.ChunkID
	for _, p := range places {
		if _, known := present[p.Chunk]; !known && !r.u.empty && !r.u.changed[p.Document] {
			present[p.Chunk] = false
			ask = append(ask, p.Chunk)
		}
	}
	if len(ask) == 0 {
		return has, nil
	}
	chunks, err := r.Graph.Chunks(ctx, r.u.Workspace, graphstore.ChunkQuery{IDs: ask})
	for _, c := range chunks {
		present[c.ID] = true
	}
	return has, err
}
