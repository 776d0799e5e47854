package projection

import (
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// findOccurrences looks for titles in the text of other documents: in all
// texts when one of the titles is new, or the graph can't say where it was
// found because a curator has hidden it; else in the changed documents and
// where the graph says that they were found before.
func (w *work) findOccurrences(titles []title) error {
	m := newMatcher(titles)
	if m.empty() {
		return nil
	}
	for _, d := range w.documents {
		for _, c := range d.Chunks {
			w.occur(m, c)
		}
	}
	if w.published == len(w.documents) {
		return nil // there are no others
	}
	isNew := func(t title) bool {
		return searchable(t.form) && (w.changed[t.document] || w.history.wasHidden(t.key))
	}
	if slices.ContainsFunc(titles, isNew) {
		return w.Ledger.EachChunk(w.ctx, w.workspace, func(p domain.Passage) error {
			if !w.changed[p.Document] {
				w.occur(m, p.Chunk)
			}
			return nil
		})
	}
	return w.findAgain(m, titles)
}

func (w *work) occur(m *matcher, c domain.Chunk) {
	for key, spans := range m.find(c) {
		s := w.sources[key]
		s.found = append(s.found, occurrence{placeOf(c), spans})
		w.sources[key] = s
	}
}

// findAgain looks for titles where they were found before.
func (w *work) findAgain(m *matcher, titles []title) error {
	var chunks []domain.ChunkID
	for _, id := range w.holders(titles) {
		links, err := w.Graph.Links(w.ctx, w.workspace, id, 0)
		if err != nil {
			return err
		}
		for _, l := range links {
			if l.Kind&graphstore.LinkTitled != 0 && !w.changed[l.Document] {
				chunks = append(chunks, l.Chunk)
			}
		}
	}
	slices.Sort(chunks)
	passages, err := w.Ledger.Passages(w.ctx, w.workspace, slices.Compact(chunks))
	if err != nil {
		return err
	}
	for _, p := range passages {
		w.occur(m, p.Chunk)
	}
	return nil
}

// holders are the graph's entities that hold where titles were found.
func (w *work) holders(titles []title) []domain.EntityID {
	var ids []domain.EntityID
	for _, t := range titles {
		for _, key := range w.history.relatives(t.key) {
			for _, e := range w.before[key] {
				ids = append(ids, e.ID)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
