package projection

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection/fold"
	"github.com/clewhq/clew/internal/projection/titles"
)

// readAdditions finds the keys that the changed documents only add to, and
// reads what they add. The sources of these keys need not be read again: what is
// new is added to the tally in the graph and to the links, see ADR 13.
//
// A document only adds to a key if it was not linked to the key's entities
// before, does not have the key as its title, and no curator names the key. What a
// deleted document said is subtracted by its notes, unless the key was its title. If
// that changes the best label, mentions without a label move to another entity, and
// all sources are read; so they are if a label goes.
func (r *reader) readAdditions(ctx context.Context) error {
	u, candidates, titled := r.u, map[string][]domain.Entity{}, map[string]bool{}
	for _, t := range u.titles {
		titled[t.Key] = true
	}
	for _, key := range u.keys {
		if len(u.before[key]) > 0 && !u.linked[key] && !titled[key] && !u.log.Curates(key) {
			candidates[key] = u.before[key]
		}
	}
	if u.additions = u.talliesOf(candidates); len(u.additions) == 0 {
		return nil
	}
	u.addMentions(func(key string) bool { return u.additions[key] != nil })
	if err := r.addTitleMentions(ctx); err != nil {
		return err
	}
	for key, t := range u.additions {
		best, labels := t.Best(), t.EntityLabels()
		for _, gone := range u.minus[key] {
			t.Subtract(gone)
		}
		t.Add(*u.sourcesOf(key))
		now := t.EntityLabels()
		if t.Best() != best || slices.ContainsFunc(labels, func(l string) bool { return !slices.Contains(now, l) }) {
			delete(u.additions, key)
			delete(u.sources, key)
		}
	}
	return nil
}

// addMentions adds the documents' mentions of the keys that are wanted.
func (u *update) addMentions(wanted func(key string) bool) {
	for _, d := range u.documents {
		for key, said := range d.said {
			if wanted(key) {
				u.addMentionsOf(key, said.Mentions)
				delete(d.said, key)
			}
		}
	}
}

// addMentionsOf adds mentions to the sources of a key, which may take them over.
func (u *update) addMentionsOf(key string, mentions []ledger.MentionRow) {
	s := u.sourcesOf(key)
	if len(s.Mentions) == 0 {
		s.Mentions = slices.Clip(mentions)
	} else {
		s.Mentions = append(s.Mentions, mentions...)
	}
}

// addTitleMentions adds where the documents contain titles with these keys.
func (r *reader) addTitleMentions(ctx context.Context) error {
	added := slices.DeleteFunc(slices.Clone(r.u.others), func(t titles.Title) bool { return r.u.additions[t.Key] == nil })
	_, present, err := r.titleChunks(ctx, added)
	r.u.matchDocuments(titles.NewMatcher(present))
	return err
}

// talliesOf returns the tallies of keys, given with their entities. A key has none
// if its tally is about other entities.
func (u *update) talliesOf(byKey map[string][]domain.Entity) map[string]*fold.Tally {
	found := map[string]*fold.Tally{}
	for key, entities := range byKey {
		if t := u.tallyOf(key, entities); t != nil {
			found[key] = t
		}
	}
	return found
}

// tallyOf returns the tally of a key, which is stored with one of its entities,
// or nil if it does not fit them.
func (u *update) tallyOf(key string, entities []domain.Entity) *fold.Tally {
	var t *fold.Tally
	labels := make([]string, len(entities))
	for i, e := range entities {
		labels[i] = e.Label
		if e.ID != domain.NewEntityID(u.Workspace, e.Label, key) {
			return nil // made by a curator
		}
		if tally := u.tallies[e.ID]; tally != "" {
			t = fold.DecodeTally(tally)
		}
	}
	slices.Sort(labels)
	if t == nil || !slices.Equal(labels, t.EntityLabels()) {
		return nil
	}
	return t
}

// readSources reads the sources of all other keys.
func (r *reader) readSources(ctx context.Context) error {
	u := r.u
	keys := slices.DeleteFunc(slices.Clone(u.keys), func(key string) bool { return u.additions[key] != nil })
	u.findFresh(keys)
	u.addMentions(func(key string) bool { return u.fresh[key] })
	for i := range u.documents {
		u.documents[i].said = nil
	}
	return r.readKeys(ctx, keys)
}

// findFresh finds the keys that only the changed documents mention, so that the
// ledger need not be asked who else does: it would tell of all the documents that
// the graph does not have yet, too. They are all keys for an empty graph, and those
// without an entity unless a curator took it away.
func (u *update) findFresh(keys []string) {
	u.fresh = map[string]bool{}
	for _, key := range keys {
		if u.empty || !u.curating && len(u.before[key]) == 0 && !u.log.Curates(key) {
			u.fresh[key] = true
		}
	}
}

// readKeys reads the sources of keys.
func (r *reader) readKeys(ctx context.Context, keys []string) error {
	found, err := r.readForms(ctx, keys)
	if err != nil {
		return err
	}
	if err := r.readTitleMentions(ctx, found); err != nil {
		return err
	}
	return r.dropAbsent(ctx, keys)
}

// readForms reads the mentions and titles of keys, and returns the titles of
// documents in the graph.
func (r *reader) readForms(ctx context.Context, keys []string) ([]titles.Title, error) {
	known := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return r.u.fresh[key] })
	mentions, err := r.Ledger.Mentions(ctx, r.u.Workspace, known)
	if err != nil {
		return nil, err
	}
	for len(mentions) > 0 { // they are sorted by key
		n := 1
		for n < len(mentions) && mentions[n].Key == mentions[0].Key {
			n++
		}
		r.u.addMentionsOf(mentions[0].Key, mentions[:n])
		mentions = mentions[n:]
	}
	if err := r.readMade(ctx, keys); err != nil {
		return nil, err
	}
	all, err := r.titlesOf(ctx, keys)
	if err != nil {
		return nil, err
	}
	stand, present, err := r.titleChunks(ctx, all)
	for i, t := range present {
		s := r.u.sourcesOf(t.Key)
		s.Titles = append(s.Titles, stand[i])
	}
	return present, err
}

// titlesOf returns the titles that have one of keys.
func (r *reader) titlesOf(ctx context.Context, keys []string) ([]titles.Title, error) {
	all := slices.Clone(r.u.titles)
	if !r.u.empty {
		rows, err := r.Ledger.TitlesByKey(ctx, r.u.Workspace, keys)
		if err != nil {
			return nil, err
		}
		all = append(all, r.unchanged(rows)...)
	}
	return slices.DeleteFunc(all, func(t titles.Title) bool {
		_, ok := slices.BinarySearch(keys, t.Key)
		return !ok
	}), nil
}

// titleChunks reads the chunks under titles that the graph has after the
// update. It returns the titles that have any, in both forms.
func (r *reader) titleChunks(ctx context.Context, all []titles.Title) (stand []fold.Title, present []titles.Title, err error) {
	chunks := lists.Pairs(r.u.documents, func(d document) (domain.DocumentID, []fold.Place) { return d.Document, placesOf(d.chunks) })
	var places []fold.Place
	var others []domain.DocumentID
	for _, t := range all {
		if _, ok := chunks[t.Document]; !ok {
			chunks[t.Document] = nil
			others = append(others, t.Document)
		}
	}
	for some := range slices.Chunk(others, documentsAtOnce) {
		of, err := r.Ledger.ChunksOf(ctx, r.u.Workspace, some)
		if err != nil {
			return nil, nil, err
		}
		for _, id := range some {
			chunks[id] = placesOf(of[id])
			places = append(places, chunks[id]...)
		}
	}
	inGraph, err := r.inGraph(ctx, places)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range all {
		under := slices.DeleteFunc(slices.Clone(chunks[t.Document]), func(p fold.Place) bool { return !inGraph(p.Chunk) })
		if len(under) > 0 {
			stand, present = append(stand, fold.Title{Form: t.Form, Chunks: under}), append(present, t)
		}
	}
	return stand, present, nil
}

func placesOf(chunks []domain.Chunk) []fold.Place {
	return lists.Map(chunks, fold.PlaceOf)
}

// textsAtOnce is the number of texts in memory while titles are searched for.
const textsAtOnce = 200

// readTitleMentions searches for titles in the texts of other documents: in the
// changed ones, and in all chunks that may contain one according to the ledger.
func (r *reader) readTitleMentions(ctx context.Context, all []titles.Title) error {
	m := titles.NewMatcher(all)
	if m.Empty() {
		return nil
	}
	r.u.matchDocuments(m)
	if r.u.empty {
		return nil // the graph has no others
	}
	var words []ledger.Words
	for _, t := range all {
		if word := titles.FormWords(t.Form); word != 0 {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	chunks, err := r.Ledger.ChunksHolding(ctx, r.u.Workspace, slices.Compact(words))
	if err != nil {
		return err
	}
	for some := range slices.Chunk(chunks, textsAtOnce) {
		passages, err := r.Ledger.Passages(ctx, r.u.Workspace, some)
		if err != nil {
			return err
		}
		for _, p := range passages {
			if !r.u.changed[p.Document] {
				r.u.match(m, p.Chunk)
			}
		}
	}
	return nil
}

// dropAbsent removes what chunks say that the graph does not have after the
// update.
func (r *reader) dropAbsent(ctx context.Context, keys []string) error {
	var places []fold.Place
	for _, key := range keys {
		places = append(places, r.u.sourcesOf(key).Places()...)
	}
	inGraph, err := r.inGraph(ctx, places)
	if err != nil {
		return err
	}
	for _, key := range keys {
		r.u.sourcesOf(key).Keep(inGraph)
	}
	return nil
}
