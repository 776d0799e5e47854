package ingest

import (
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/resolve"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// parse reads the stored file and keeps its text.
func (n nodes) parse(ctx *stategraph.Context, s State) (update, error) {
	doc, err := n.enter(ctx, s, "parse")
	if err != nil {
		return update{}, err
	}
	data, err := n.Files.Read(ctx, s.Workspace, doc.Hash)
	if err != nil {
		return update{}, fmt.Errorf("read %s: %w", doc.Name, err)
	}
	text, err := n.Parser.Parse(ctx, doc.Name, doc.Format, data)
	if err != nil {
		return update{}, err
	}
	if err := n.Ledger.SaveText(ctx, s.Workspace, s.Document, text); err != nil {
		return update{}, err
	}
	length := domain.Runes(text.Content)
	_, err = n.Ledger.UpdateDocument(ctx, s.Workspace, s.Document, func(d *domain.Document) {
		d.Pages, d.Chars = len(text.Pages), length
		if text.Title != "" {
			d.Title = text.Title
		}
	})
	return state.Merge(pages.Set(len(text.Pages)), chars.Set(length), warnings.Add(text.Warnings...)), err
}

// split cuts the text into chunks.
func (n nodes) split(ctx *stategraph.Context, s State) (update, error) {
	if _, err := n.enter(ctx, s, "split"); err != nil {
		return update{}, err
	}
	text, err := n.Ledger.Text(ctx, s.Workspace, s.Document)
	if err != nil {
		return update{}, err
	}
	cut := n.Split(s.Document, text)
	if err := n.Ledger.SaveChunks(ctx, s.Workspace, s.Document, cut); err != nil {
		return update{}, err
	}
	recorded, err := n.recorded(ctx, s, cut)
	if err != nil {
		return update{}, err
	}
	_, err = n.Ledger.UpdateDocument(ctx, s.Workspace, s.Document, func(d *domain.Document) {
		d.Chunks, d.ChunksDone, d.Stage = len(cut), len(recorded), "extract"
		d.Entities, d.Relations = 0, 0
		for _, m := range recorded {
			d.Entities += m.Entities
			d.Relations += m.Relations
		}
	})
	ids := make([]domain.ChunkID, len(cut))
	for i, c := range cut {
		ids[i] = c.ID
	}
	return state.Merge(chunks.Set(ids), mined.Put(recorded...)), err
}

// recorded lists the chunks that this extractor has mined before.
func (n nodes) recorded(ctx *stategraph.Context, s State, cut []domain.Chunk) ([]Mined, error) {
	kept, err := n.Ledger.Contributions(ctx, s.Workspace, s.Document)
	if err != nil {
		return nil, err
	}
	ordinal := make(map[domain.ChunkID]int, len(cut))
	for _, c := range cut {
		ordinal[c.ID] = c.Ordinal
	}
	var list []Mined
	for _, c := range kept {
		at, ok := ordinal[c.Chunk]
		if ok && c.Reader == n.Extractor.Reader() {
			list = append(list, Mined{Chunk: c.Chunk, Ordinal: at, Entities: len(c.Graph.Nodes), Relations: len(c.Graph.Relationships), Recorded: true})
		}
	}
	return list, nil
}

// fan sends each chunk that still has to be mined, and batches of chunks to
// embed.
func (n nodes) fan(mine stategraph.Target[State, chunkTask], vectors stategraph.Target[State, batchTask]) func(*stategraph.Context, State) (stategraph.Route[State], error) {
	return func(_ *stategraph.Context, s State) (stategraph.Route[State], error) {
		if len(s.Chunks) == 0 {
			return stategraph.Choose[State](noText), nil
		}
		done := make(map[domain.ChunkID]bool, len(s.Mined))
		for _, m := range s.Mined {
			done[m.Chunk] = true
		}
		var sends []stategraph.Send[State]
		var before domain.ChunkID
		for i, id := range s.Chunks {
			if !done[id] {
				sends = append(sends, mine.Send(chunkTask{s.Workspace, s.Document, id, before, i, len(s.Chunks)}))
			}
			before = id
		}
		if n.Embedding.Embedder != nil {
			for batch := range slices.Chunk(s.Chunks, llm.EmbedBatch) {
				sends = append(sends, vectors.Send(batchTask{s.Workspace, s.Document, batch}))
			}
		}
		if len(sends) == 0 {
			return stategraph.Choose[State](nothingNew), nil
		}
		return stategraph.Fan(sends...), nil
	}
}

// resolve gives every entity of the document one name.
func (n nodes) resolve(ctx *stategraph.Context, s State) (update, error) {
	if _, err := n.enter(ctx, s, "resolve"); err != nil {
		return update{}, err
	}
	kept, err := n.Ledger.Contributions(ctx, s.Workspace, s.Document)
	if err != nil {
		return update{}, err
	}
	graphs := make([]domain.GraphDocument, len(kept))
	for i, c := range kept {
		graphs[i] = c.Graph
	}
	named, count := resolve.WithinDocument(graphs, n.Key)
	if count > 0 {
		for i, c := range kept {
			c.Graph = named[i]
			if err := n.Ledger.RecordContribution(ctx, s.Workspace, c); err != nil {
				return update{}, err
			}
		}
	}
	names, edges := n.distinct(named)
	return state.Merge(merged.Set(count), entities.Set(names), relations.Set(edges)), nil
}

// distinct counts the entities and relations of a document.
func (n nodes) distinct(graphs []domain.GraphDocument) (names, edges int) {
	type end struct{ label, key string }
	type edge struct {
		from end
		kind string
		to   end
	}
	seenEnds, seenEdges := map[end]bool{}, map[edge]bool{}
	for _, g := range graphs {
		at := make([]end, len(g.Nodes))
		for i, node := range g.Nodes {
			at[i] = end{node.Label, n.Key(node.Name)}
			seenEnds[at[i]] = true
		}
		for _, r := range g.Relationships {
			seenEdges[edge{at[r.Source], r.Type, at[r.Target]}] = true
		}
	}
	return len(seenEnds), len(seenEdges)
}

// project publishes the document and brings graph and vectors up to date.
func (n nodes) project(ctx *stategraph.Context, s State) (update, error) {
	if _, err := n.enter(ctx, s, "project"); err != nil {
		return update{}, err
	}
	if _, err := n.Ledger.Publish(ctx, s.Workspace, s.Document); err != nil {
		return update{}, err
	}
	return update{}, n.Projector.Apply(ctx, s.Workspace)
}

// report settles the document: ready, or honestly empty.
func (n nodes) report(ctx *stategraph.Context, s State) (update, error) {
	var own []string
	done := 0
	for _, m := range s.Mined {
		if m.Problem != "" {
			own = append(own, fmt.Sprintf("Chunk %d of %d was left out: %s", m.Ordinal+1, len(s.Chunks), m.Problem))
		} else {
			done++
		}
	}
	if len(s.Chunks) > 0 && s.Entities == 0 && len(own) == 0 {
		own = append(own, "Nothing was extracted: the text names no person, place or thing that could be recognised. Its passages can still be found by their words.")
	}
	all := append(append([]string{}, s.Warnings...), own...)
	_, err := n.Ledger.UpdateDocument(ctx, s.Workspace, s.Document, func(d *domain.Document) {
		d.Status, d.Stage, d.Problem = domain.DocumentReady, "", ""
		if s.Entities == 0 {
			d.Status = domain.DocumentEmpty
		}
		d.Entities, d.Relations, d.Warnings, d.Reader = s.Entities, s.Relations, all, n.Extractor.Reader()
		d.Chunks, d.ChunksDone = len(s.Chunks), done
	})
	return warnings.Add(own...), err
}

// enter marks the stage a document has reached and reads it.
func (n nodes) enter(ctx *stategraph.Context, s State, stage string) (domain.Document, error) {
	return n.Ledger.UpdateDocument(ctx, s.Workspace, s.Document, func(d *domain.Document) {
		d.Status, d.Stage, d.Problem = domain.DocumentWorking, stage, ""
	})
}

// Contribution as the ledger keeps it, for one mined chunk.
func (n nodes) contribution(t chunkTask, c domain.Chunk, g domain.GraphDocument) ledger.Contribution {
	return ledger.Contribution{Chunk: c.ID, Document: t.Document, Reader: n.Extractor.Reader(), Graph: g}
}
