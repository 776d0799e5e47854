package projection

import (
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// known are the chunks, among those of places and of the changed documents,
// that the graph will hold after this batch.
func (w *work) known(places []place) (map[domain.ChunkID]bool, error) {
	chunks := map[domain.ChunkID]bool{}
	for _, d := range w.documents {
		for _, c := range d.Chunks {
			chunks[c.ID] = true
		}
	}
	if w.fresh {
		return chunks, nil
	}
	var ask []domain.ChunkID
	for _, p := range places {
		if !w.changed[p.Document] {
			ask = append(ask, p.Chunk)
		}
	}
	slices.Sort(ask)
	held, err := w.Graph.Held(w.ctx, w.workspace, slices.Compact(ask))
	if err != nil {
		return nil, err
	}
	for _, id := range held {
		chunks[id] = true
	}
	return chunks, nil
}

// dropUnknown removes what chunks say of keys that the graph will not hold.
func (w *work) dropUnknown(keys []string) error {
	var places []place
	for _, key := range keys {
		for _, m := range w.sources[key].mentions {
			places = append(places, mentionPlace(m))
		}
		for _, o := range w.sources[key].found {
			places = append(places, o.place)
		}
	}
	known, err := w.known(places)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if s, ok := w.sources[key]; ok {
			w.sources[key] = s.only(known)
		}
	}
	return nil
}

func mentionPlace(m ledger.MentionRow) place     { return place{m.Document, m.Ordinal, m.Chunk} }
func statementPlace(s ledger.StatementRow) place { return place{s.Document, s.Ordinal, s.Chunk} }

// only is s without what other chunks than known ones say.
func (s sources) only(known map[domain.ChunkID]bool) sources {
	s.mentions = slices.DeleteFunc(s.mentions, func(m ledger.MentionRow) bool { return !known[m.Chunk] })
	s.found = slices.DeleteFunc(s.found, func(o occurrence) bool { return !known[o.Chunk] })
	return s
}
