package projection

import (
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// portion is how many texts are in memory at a time while one is looked for.
const portion = 200

// findOccurrences looks for titles in the text of other documents: in the
// changed ones, and wherever else the ledger can't rule out that one stands.
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
	if w.fresh {
		return nil // the graph holds no others
	}
	var words []ledger.Words
	for _, t := range titles {
		if word := wordsOfTitle(t.form); word != 0 {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	chunks, err := w.Ledger.ChunksHolding(w.ctx, w.workspace, slices.Compact(words))
	if err != nil {
		return err
	}
	for part := range slices.Chunk(chunks, portion) {
		passages, err := w.Ledger.Passages(w.ctx, w.workspace, part)
		if err != nil {
			return err
		}
		for _, p := range passages {
			if !w.changed[p.Document] {
				w.occur(m, p.Chunk)
			}
		}
	}
	return nil
}

func (w *work) occur(m *matcher, c domain.Chunk) {
	for key, spans := range m.find(c) {
		s := w.sources[key]
		s.found = append(s.found, occurrence{placeOf(c), spans})
		w.sources[key] = s
	}
}
