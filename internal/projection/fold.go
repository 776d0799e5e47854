package projection

import (
	"cmp"
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
)

// fold makes the delta of what was read.
func (w *work) fold() (*delta, error) {
	d := &delta{gone: w.gone, documents: w.documents}
	names, err := w.foldKeys(d)
	if err != nil {
		return nil, err
	}
	rows, old, err := w.touchedStatements(names)
	if err != nil {
		return nil, err
	}
	c, err := w.curate(rows)
	if err != nil {
		return nil, err
	}
	shown := c.entities()
	d.entities = append(d.entities, w.own(c, shown)...)
	d.deleteEntities = w.vanished(d.entities)
	if err := w.nameOthers(names, rows); err != nil {
		return nil, err
	}
	d.relations = c.relations(names, shown)
	for _, r := range d.relations {
		delete(old, r.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(old)) {
		d.deleteRelations = append(d.deleteRelations, graphstore.RelationRef{ID: id, Source: old[id].Source, Target: old[id].Target})
	}
	return d, nil
}

// foldKeys folds the keys that curators do not speak of to entities of d, and
// returns what they are called.
func (w *work) foldKeys(d *delta) (map[string]namesakes, error) {
	names := map[string]namesakes{}
	f := folder{workspace: w.workspace, key: w.Key}
	for _, key := range w.keys {
		if w.history.curated(key) {
			continue
		}
		t, grows := w.growing[key]
		if !grows {
			t = newTally()
			t.add(w.sources[key])
		}
		entities := f.entities(key, t, w.sources[key])
		if grows {
			addTo(entities, w.before[key])
		}
		if err := w.keep(t, entities); err != nil {
			return nil, err
		}
		names[key] = namesakesOf(entities, t.best())
		d.entities = append(d.entities, entities...)
	}
	return names, nil
}

// addTo adds what stands of entities in the graph to them.
func addTo(entities, before []graphstore.Entity) {
	for i := range entities {
		e := &entities[i]
		e.Grown = true
		for _, b := range before {
			if b.ID == e.ID {
				e.Mentions, e.Chunks, e.Documents = e.Mentions+b.Mentions, e.Chunks+b.Chunks, e.Documents+b.Documents
			}
		}
	}
}

// keep notes the tally of a key that has many links with the entity of its best
// label.
func (w *work) keep(t *tally, entities []graphstore.Entity) error {
	links := 0
	for _, e := range entities {
		links += e.Chunks
	}
	for i := range entities {
		if links >= w.tallied && entities[i].Label == t.best() {
			var err error
			entities[i].Tally, err = t.encode()
			return err
		}
	}
	return nil
}

// curate applies the curation log to what it speaks of: the curated among the
// keys and among their neighbours in rows. The statements of rows are claims
// of the result, whether or not the log speaks of their ends.
func (w *work) curate(rows []ledger.StatementRow) (*curated, error) {
	c, err := w.uncurated(rows)
	if err != nil {
		return nil, err
	}
	for _, entry := range w.history.concerning(c.all()) {
		c.apply(entry)
	}
	return c, nil
}

// uncurated is what curate applies the log to.
func (w *work) uncurated(rows []ledger.StatementRow) (*curated, error) {
	c := newCurated(w.workspace, w.Key)
	neighbours, err := w.readNeighbours(rows)
	if err != nil {
		return nil, err
	}
	for _, key := range append(neighbours, w.keys...) {
		if w.history.curated(key) {
			c.add(key, w.sources[key])
		}
	}
	for _, row := range rows {
		c.claims = append(c.claims, &claim{
			StatementRow: row, kind: row.Type,
			source: c.ends[endRef{row.SourceKey, row.SourceLabel, row.Chunk}],
			target: c.ends[endRef{row.TargetKey, row.TargetLabel, row.Chunk}],
		})
	}
	return c, nil
}

// readNeighbours reads what the curated entities fold from that rows name and
// that are not folded anew: which of them an end is depends on the log.
func (w *work) readNeighbours(rows []ledger.StatementRow) ([]string, error) {
	keys := map[string]bool{}
	for _, row := range rows {
		for _, key := range []string{row.SourceKey, row.TargetKey} {
			if _, own := slices.BinarySearch(w.keys, key); !own && w.history.curated(key) {
				keys[key] = true
			}
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	for w.history.widen(keys, nil) {
		continue
	}
	sorted := slices.DeleteFunc(slices.Sorted(maps.Keys(keys)), func(key string) bool {
		_, own := slices.BinarySearch(w.keys, key)
		return own
	})
	if err := w.readBefore(slices.Clone(sorted)); err != nil {
		return nil, err
	}
	return sorted, w.readEntities(sorted)
}

// own are the entities of c that are folded anew, by id.
func (w *work) own(c *curated, shown map[domain.EntityID]graphstore.Entity) []graphstore.Entity {
	var own []graphstore.Entity
	for _, id := range slices.Sorted(maps.Keys(shown)) {
		if _, ok := slices.BinarySearch(w.keys, c.groups[id].facts[0].key); ok {
			own = append(own, shown[id])
		}
	}
	return own
}

func namesakesOf(entities []graphstore.Entity, best string) namesakes {
	n := namesakes{byLabel: map[string]domain.Entity{}}
	for _, e := range entities {
		n.byLabel[e.Label] = e.Entity
	}
	n.best = n.byLabel[best]
	return n
}

// vanished are the entities of before that are not among entities.
func (w *work) vanished(entities []graphstore.Entity) []domain.EntityID {
	stay := map[domain.EntityID]bool{}
	for _, e := range entities {
		stay[e.ID] = true
	}
	var gone []domain.EntityID
	for _, key := range w.keys {
		for _, e := range w.before[key] {
			if !stay[e.ID] {
				gone = append(gone, e.ID)
			}
		}
	}
	return gone
}

// statement is what the statements of one fact have in common: the keys of
// its ends and its type. All of them fold anew together.
type statement struct{ source, kind, target string }

func statementOf(row ledger.StatementRow) statement {
	return statement{row.SourceKey, row.Type, row.TargetKey}
}

// touchedStatements are the statements to fold: those that a changed document
// makes or made, and those about names whose entities are others now or are
// called otherwise. old are the relations that the graph has of them.
func (w *work) touchedStatements(names map[string]namesakes) (rows []ledger.StatementRow, old map[domain.RelationID]domain.Relation, err error) {
	restless := map[string]bool{}
	for _, key := range w.keys {
		restless[key] = w.restless(key, names[key])
	}
	old, touched, err := w.relationsBefore(restless)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range w.stated {
		touched[s] = true
	}
	rows, err = w.readTouched(restless, touched)
	return rows, old, err
}

// readTouched reads the statements about restless names and the touched ones.
func (w *work) readTouched(restless map[string]bool, touched map[statement]bool) ([]ledger.StatementRow, error) {
	var keys []string
	for key, is := range restless {
		if is {
			keys = append(keys, key)
		}
	}
	rows, err := w.Ledger.Statements(w.ctx, w.workspace, keys)
	if err != nil {
		return nil, err
	}
	between := map[ledger.Ends]bool{}
	for s := range touched {
		if !restless[s.source] && !restless[s.target] {
			between[ledger.Ends{Source: s.source, Target: s.target}] = true
		}
	}
	others, err := w.Ledger.StatementsBetween(w.ctx, w.workspace, slices.Collect(maps.Keys(between)))
	if err != nil {
		return nil, err
	}
	for _, row := range others {
		if touched[statementOf(row)] {
			rows = append(rows, row)
		}
	}
	return w.knownStatements(rows)
}

// restless reports whether a name stands for other entities than before, or
// for the same under other names. Where one name has several entities, what
// has no label may have moved from one to the other, unless the name has only
// grown. What curators speak of is always taken to be restless.
func (w *work) restless(key string, now namesakes) bool {
	if w.history.curated(key) {
		return true
	}
	before := w.before[key]
	if len(before) != len(now.byLabel) {
		return true
	}
	if _, grows := w.growing[key]; len(before) != 1 && !grows {
		return true
	}
	return slices.ContainsFunc(before, func(b graphstore.Entity) bool {
		e, ok := now.byLabel[b.Label]
		return !ok || e.Name != b.Name
	})
}

// relationsBefore are the graph's relations that may go, and the statements
// that they folded from: those of restless names, and those that an old
// version of a changed document states.
func (w *work) relationsBefore(restless map[string]bool) (map[domain.RelationID]domain.Relation, map[statement]bool, error) {
	old, touched := map[domain.RelationID]domain.Relation{}, map[statement]bool{}
	ids := slices.Clone(w.mentioned)
	for _, key := range w.keys {
		for _, e := range w.before[key] {
			if restless[key] {
				ids = append(ids, e.ID)
			}
		}
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		edges, err := w.Graph.Relations(w.ctx, w.workspace, id, 0)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range edges {
			if restless[e.From.Key] || restless[e.To.Key] || w.states(e.Relation) {
				old[e.ID] = e.Relation
				touched[statement{e.From.Key, e.Type, e.To.Key}] = true
			}
		}
	}
	return old, touched, nil
}

// states reports whether a changed document stated r.
func (w *work) states(r domain.Relation) bool {
	return slices.ContainsFunc(r.Evidence, func(e domain.Evidence) bool { return w.changed[e.Document] })
}

// nameOthers adds to names the ends of rows that neither the changes touch nor
// curators speak of, as the graph has them.
func (w *work) nameOthers(names map[string]namesakes, rows []ledger.StatementRow) error {
	others := map[string]bool{}
	for _, row := range rows {
		for _, key := range []string{row.SourceKey, row.TargetKey} {
			if _, ok := names[key]; !ok && !w.history.curated(key) {
				others[key] = true
			}
		}
	}
	if len(others) == 0 {
		return nil
	}
	entities, err := w.Graph.ByKey(w.ctx, w.workspace, slices.Sorted(maps.Keys(others)))
	if err != nil {
		return err
	}
	byKey := map[string][]graphstore.Entity{}
	for _, e := range entities {
		if others[e.Key] {
			byKey[e.Key] = append(byKey[e.Key], graphstore.Entity{Entity: e})
		}
	}
	best, err := w.bestLabels(byKey)
	for key, namesakes := range byKey {
		names[key] = namesakesOf(namesakes, best[key])
	}
	return err
}

// bestLabels are the labels that names without one join. Only names with
// several entities need a look into the ledger.
func (w *work) bestLabels(byKey map[string][]graphstore.Entity) (map[string]string, error) {
	best := map[string]string{}
	var unclear []string
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		if len(byKey[key]) > 1 {
			unclear = append(unclear, key)
		} else {
			best[key] = byKey[key][0].Label
		}
	}
	tallies, err := w.tallies(byKey)
	if err != nil {
		return nil, err
	}
	unclear = slices.DeleteFunc(unclear, func(key string) bool {
		t := tallies[key]
		if t != nil {
			best[key] = t.best()
		}
		return t != nil
	})
	if len(unclear) == 0 {
		return best, nil
	}
	mentions, err := w.Ledger.Mentions(w.ctx, w.workspace, unclear)
	if err != nil {
		return nil, err
	}
	places := make([]place, len(mentions))
	for i, m := range mentions {
		places[i] = mentionPlace(m)
	}
	known, err := w.known(places)
	if err != nil {
		return nil, err
	}
	mentions = slices.DeleteFunc(mentions, func(m ledger.MentionRow) bool { return !known[m.Chunk] })
	slices.SortStableFunc(mentions, func(a, b ledger.MentionRow) int { return cmp.Compare(a.Key, b.Key) })
	for _, key := range unclear {
		of := slices.DeleteFunc(slices.Clone(mentions), func(m ledger.MentionRow) bool { return m.Key != key })
		best[key] = bestLabel(of)
	}
	return best, nil
}
