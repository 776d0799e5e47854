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
	names := map[string]namesakes{}
	f := folder{workspace: w.workspace, key: w.Key}
	for _, key := range w.keys {
		entities := f.entities(key, w.sources[key])
		names[key] = namesakesOf(entities, bestLabel(w.sources[key].mentions))
		d.entities = append(d.entities, entities...)
	}
	d.deleteEntities = w.vanished(d.entities)
	if err := w.foldRelations(d, names); err != nil {
		return nil, err
	}
	return d, nil
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

// foldRelations folds the statements that a changed document makes or made,
// and those about names whose entities are others now or are called otherwise.
func (w *work) foldRelations(d *delta, names map[string]namesakes) error {
	restless := map[string]bool{}
	for _, key := range w.keys {
		restless[key] = w.restless(key, names[key])
	}
	old, touched, err := w.relationsBefore(restless)
	if err != nil {
		return err
	}
	for _, row := range w.rows {
		if w.changed[row.Document] || restless[row.SourceKey] || restless[row.TargetKey] {
			touched[statementOf(row)] = true
		}
	}
	rows := slices.DeleteFunc(slices.Clone(w.rows), func(row ledger.StatementRow) bool { return !touched[statementOf(row)] })
	if err := w.nameOthers(names, rows); err != nil {
		return err
	}
	d.relations = relations(rows, names)
	for _, r := range d.relations {
		delete(old, r.ID)
	}
	d.deleteRelations = slices.Sorted(maps.Keys(old))
	return nil
}

// restless reports whether a name stands for other entities than before, or
// for the same under other names. Where one name has several entities, what
// has no label may have moved from one to the other.
func (w *work) restless(key string, now namesakes) bool {
	before := w.before[key]
	if len(before) != 1 || len(now.byLabel) != 1 {
		return true
	}
	e, ok := now.byLabel[before[0].Label]
	return !ok || e.Name != before[0].Name
}

// relationsBefore are the graph's relations that may go, and the statements
// that they folded from: those of restless names, and those that an old
// version of a changed document states.
func (w *work) relationsBefore(restless map[string]bool) (map[domain.RelationID]bool, map[statement]bool, error) {
	old, touched := map[domain.RelationID]bool{}, map[statement]bool{}
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
				old[e.ID] = true
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

// nameOthers adds to names the ends of rows that the changes do not touch, as
// the graph has them.
func (w *work) nameOthers(names map[string]namesakes, rows []ledger.StatementRow) error {
	others := map[string]bool{}
	for _, row := range rows {
		for _, key := range []string{row.SourceKey, row.TargetKey} {
			if _, ok := names[key]; !ok {
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
