package projection

import (
	"context"
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection/fold"
)

// readStatements reads the statements to fold: those that a changed document
// makes or made, and those about stale keys. It also reads the relations that
// the graph has of them.
func (r *reader) readStatements(ctx context.Context) error {
	stale := r.u.stale()
	stated, err := r.readRelations(ctx, stale)
	if err != nil {
		return err
	}
	if err := r.readStatedBefore(ctx, stated); err != nil {
		return err
	}
	maps.Copy(stated, r.u.stated)
	rows, err := r.Ledger.Statements(ctx, r.u.Workspace, slices.Collect(maps.Keys(stale)))
	if err != nil {
		return err
	}
	between := map[ledger.Ends]bool{}
	for s := range stated {
		if !stale[s.Source] && !stale[s.Target] {
			between[ledger.Ends{Source: s.Source, Target: s.Target}] = true
		}
	}
	others, err := r.Ledger.StatementsBetween(ctx, r.u.Workspace, slices.Collect(maps.Keys(between)))
	if err != nil {
		return err
	}
	for _, row := range others {
		if stated[statement{row.SourceKey, row.Type, row.TargetKey}] {
			rows = append(rows, row)
		}
	}
	r.u.statements, err = r.statementsInGraph(ctx, rows)
	return err
}

// entitiesAtOnce is the number of entities whose relations are in memory at
// once.
const entitiesAtOnce = 200

// readRelations reads the graph's relations that may go, and returns the
// statements that they were folded from: those of stale keys, and those that an
// old version of a changed document made.
func (r *reader) readRelations(ctx context.Context, stale map[string]bool) (map[statement]bool, error) {
	relations, stated := map[domain.RelationID]domain.Relation{}, map[statement]bool{}
	ids := slices.Clone(r.u.mentioned)
	for key := range stale {
		for _, e := range r.u.before[key] {
			ids = append(ids, e.ID)
		}
	}
	slices.Sort(ids)
	for some := range slices.Chunk(slices.Compact(ids), entitiesAtOnce) {
		edges, err := r.Graph.Around(ctx, r.u.Workspace, some, 0)
		if err != nil {
			return nil, err
		}
		for _, e := range edges {
			if stale[e.From.Key] || stale[e.To.Key] || r.u.stating(e.Relation) {
				relations[e.ID] = e.Relation
				stated[statement{e.From.Key, e.Type, e.To.Key}] = true
			}
		}
	}
	r.u.relations = relations
	return stated, nil
}

// stating reports whether a changed document stated a relation.
func (u *update) stating(rel domain.Relation) bool {
	return slices.ContainsFunc(rel.Evidence, func(e domain.Evidence) bool { return u.changed[e.Document] })
}

// statementsInGraph returns the statements of chunks that the graph has after
// the update.
func (r *reader) statementsInGraph(ctx context.Context, rows []ledger.StatementRow) ([]ledger.StatementRow, error) {
	places := make([]fold.Place, len(rows))
	for i, row := range rows {
		places[i] = fold.Place{Document: row.Document, Ordinal: row.Ordinal, Chunk: row.Chunk}
	}
	inGraph, err := r.inGraph(ctx, places)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(rows, func(row ledger.StatementRow) bool { return !inGraph(row.Chunk) }), nil
}

// readNeighbours reads what the ends of the statements stand for that are not
// among the update's keys. Which entity a curated end is depends on the log, so
// that its sources are read; any other is looked up in the graph.
func (r *reader) readNeighbours(ctx context.Context) error {
	curated, others := map[string]bool{}, map[string]bool{}
	for _, row := range r.u.statements {
		for _, key := range []string{row.SourceKey, row.TargetKey} {
			switch {
			case r.u.affects(key):
			case r.u.log.Curates(key):
				curated[key] = true
			default:
				others[key] = true
			}
		}
	}
	if err := r.readCurated(ctx, curated); err != nil {
		return err
	}
	return r.readOthers(ctx, slices.Sorted(maps.Keys(others)))
}

// readCurated reads the sources of curated keys with their families.
func (r *reader) readCurated(ctx context.Context, keys map[string]bool) error {
	if len(keys) == 0 {
		return nil
	}
	for r.u.log.Widen(keys, nil) {
		continue
	}
	r.u.neighbours = slices.DeleteFunc(slices.Sorted(maps.Keys(keys)), r.u.affects)
	return r.readKeys(ctx, r.u.neighbours)
}

// readOthers looks up the entities of keys in the graph.
func (r *reader) readOthers(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	byKey, err := r.entitiesByKey(ctx, keys)
	if err != nil {
		return err
	}
	best, err := r.bestLabels(ctx, byKey)
	for key, entities := range byKey {
		r.u.names[key] = fold.NewNamesakes(entities, best[key])
	}
	return err
}

// bestLabels returns the labels that mentions without one belong to. Only keys
// with several entities have to be looked up: by their tallies, or else by
// their mentions.
func (r *reader) bestLabels(ctx context.Context, byKey map[string][]domain.Entity) (map[string]string, error) {
	best, several := map[string]string{}, map[string][]domain.Entity{}
	for key, entities := range byKey {
		if len(entities) > 1 {
			several[key] = entities
		} else {
			best[key] = entities[0].Label
		}
	}
	for key, t := range r.u.talliesOf(several) {
		best[key] = t.Best()
		delete(several, key)
	}
	if len(several) == 0 {
		return best, nil
	}
	mentions, err := r.Ledger.Mentions(ctx, r.u.Workspace, slices.Sorted(maps.Keys(several)))
	if err != nil {
		return nil, err
	}
	of := map[string]*fold.Sources{}
	for key := range several {
		of[key] = &fold.Sources{}
	}
	var places []fold.Place
	for _, m := range mentions {
		of[m.Key].Mentions = append(of[m.Key].Mentions, m)
		places = append(places, fold.MentionPlace(m))
	}
	inGraph, err := r.inGraph(ctx, places)
	for key, s := range of {
		s.Keep(inGraph)
		best[key] = fold.BestLabel(s.Mentions)
	}
	return best, err
}
