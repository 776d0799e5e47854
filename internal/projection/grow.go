package projection

import (
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
)

// A key grows when the documents that speak of it anew are new to it: none of
// them was tied to its entities before, none bears it as its title, and no
// curator speaks of it. Then all that has been said of it stays as it was, and
// what is said now comes in addition: to its tally, which is kept in the graph,
// and to the links. So a name that every document has costs no more than
// another. Should it change which label is the best, what has no label moves
// from one entity to another, and all is read again.

// readGrowth finds the keys that grow and what they grow by.
func (w *work) readGrowth() error {
	before := map[string][]graphstore.Entity{}
	titles := map[string]bool{}
	for _, t := range w.titles {
		titles[t.key] = true
	}
	for _, key := range w.keys {
		if len(w.before[key]) > 0 && !w.tied[key] && !titles[key] && !w.history.curated(key) {
			before[key] = w.before[key]
		}
	}
	var err error
	if w.growing, err = w.tallies(before); err != nil || len(w.growing) == 0 {
		return err
	}
	w.readNewMentions()
	if err := w.findNewOccurrences(); err != nil {
		return err
	}
	for key, t := range w.growing {
		best := t.best()
		if t.add(w.sources[key]); t.best() != best {
			delete(w.growing, key)
			delete(w.sources, key)
		}
	}
	return nil
}

// readNewMentions reads where the documents mention growing keys.
func (w *work) readNewMentions() {
	chunks := map[domain.ChunkID]domain.Chunk{}
	for _, d := range w.documents {
		for _, c := range d.Chunks {
			chunks[c.ID] = c
		}
	}
	for _, c := range w.given {
		at, ok := chunks[c.Chunk]
		if !ok {
			continue
		}
		for _, n := range c.Graph.Nodes {
			key := w.Key(n.Name)
			if _, grows := w.growing[key]; !grows {
				continue
			}
			s := w.sources[key]
			s.mentions = append(s.mentions, ledger.MentionRow{
				Key: key, Label: n.Label, Name: n.Name, Aliases: n.Aliases, Properties: n.Properties,
				Chunk: c.Chunk, Document: at.Document, Ordinal: at.Ordinal, Spans: n.Spans,
			})
			w.sources[key] = s
		}
	}
}

// findNewOccurrences finds where the documents hold titles, of documents that
// the graph holds, with growing keys.
func (w *work) findNewOccurrences() error {
	titles := slices.DeleteFunc(slices.Clone(w.others), func(t title) bool {
		_, grows := w.growing[t.key]
		return !grows
	})
	stand, err := w.readTitled(titles)
	var held []title
	for i, t := range titles {
		if len(stand[i].chunks) > 0 {
			held = append(held, t)
		}
	}
	m := newMatcher(held)
	for _, d := range w.documents {
		for _, c := range d.Chunks {
			w.occur(m, c)
		}
	}
	return err
}
