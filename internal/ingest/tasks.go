package ingest

import (
	"context"
	"errors"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/extract"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// chunkTask asks for the extraction of one chunk.
type chunkTask struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Document  domain.DocumentID  `json:"document"`
	Chunk     domain.ChunkID     `json:"chunk"`
	Before    domain.ChunkID     `json:"before,omitempty"` // the chunk before it, shown as context
	Ordinal   int                `json:"ordinal"`
	Of        int                `json:"of"`
}

// batchTask asks for the vectors of some chunks.
type batchTask struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Document  domain.DocumentID  `json:"document"`
	Chunks    []domain.ChunkID   `json:"chunks"`
}

// tailRunes is how much of the chunk before is shown to the extractor as
// context.
const tailRunes = 200

// extract mines one chunk and records what it contributes. What the model
// can't do for this chunk becomes a problem of the chunk; the document goes on.
func (n nodes) extract(ctx *stategraph.Context, t chunkTask) (update, error) {
	request, err := n.request(ctx, t)
	if err != nil {
		return update{}, err
	}
	graph, notes, err := n.Extractor.Extract(ctx, request)
	if err != nil {
		return n.skip(ctx, t, request.Chunk, err)
	}
	if err := n.Ledger.RecordContribution(ctx, t.Workspace, n.contribution(t, request.Chunk, graph)); err != nil {
		return update{}, err
	}
	m := Mined{Chunk: request.Chunk.ID, Ordinal: t.Ordinal, Entities: len(graph.Nodes), Relations: len(graph.Relationships)}
	if err := n.count(ctx, t, m); err != nil {
		return update{}, err
	}
	for i, note := range notes {
		notes[i] = fmt.Sprintf("Chunk %d of %d: %s", t.Ordinal+1, t.Of, note)
	}
	return state.Merge(mined.Put(m), warnings.Add(notes...)), nil
}

// request reads what the extractor has to see.
func (n nodes) request(ctx context.Context, t chunkTask) (extract.Request, error) {
	doc, err := n.Ledger.Document(ctx, t.Workspace, t.Document)
	if err != nil {
		return extract.Request{}, err
	}
	found, err := n.Ledger.Passages(ctx, t.Workspace, []domain.ChunkID{t.Chunk, t.Before})
	if err != nil {
		return extract.Request{}, err
	}
	if len(found) == 0 || found[0].ID != t.Chunk {
		return extract.Request{}, domain.Errorf(domain.Conflict, "The document changed while it was being read: read it again.")
	}
	r := extract.Request{Document: doc, Title: doc.Title, Chunk: found[0].Chunk}
	if len(found) > 1 {
		r.Before = tail(found[1].Text)
	}
	return r, nil
}

// skip turns a failure of the extractor into a problem of the chunk, unless
// the call may still succeed, every other chunk would meet the same failure,
// or the run is being stopped. A model that is not away and fails on this
// chunk each time, while it could read others, will not read it.
func (n nodes) skip(ctx *stategraph.Context, t chunkTask, c domain.Chunk, err error) (update, error) {
	if ctx.Err() != nil || everywhere(err) {
		return update{}, err
	}
	if domain.Temporary(err) {
		if hopeless, read := n.hopeless(ctx, t, err); read != nil || !hopeless {
			return update{}, errors.Join(err, read)
		}
	}
	m := Mined{Chunk: c.ID, Ordinal: t.Ordinal, Problem: domain.InWords(err)}
	if err := n.count(ctx, t, m); err != nil {
		return update{}, err
	}
	return mined.Put(m), nil
}

// hopeless reports whether a temporary failure is the last that a node may
// wait for, and due to its chunk.
func (n nodes) hopeless(ctx *stategraph.Context, t chunkTask, err error) (bool, error) {
	if domain.Away(err) || ctx.Attempt() < n.Retry.policy().Attempts {
		return false, nil
	}
	doc, read := n.Ledger.Document(ctx, t.Workspace, t.Document)
	return doc.ChunksDone > 0, read
}

// everywhere reports whether a failure says nothing about the chunk: the key is
// refused, or the disk is full.
func everywhere(err error) bool {
	kind := domain.KindOf(err)
	return kind == domain.Forbidden || kind == domain.Exhausted
}

// count moves the document's own figures and tells the watchers.
func (n nodes) count(ctx *stategraph.Context, t chunkTask, m Mined) error {
	doc, err := n.Ledger.UpdateDocument(ctx, t.Workspace, t.Document, func(d *domain.Document) {
		d.ChunksDone = min(d.ChunksDone+1, t.Of)
		d.Entities += m.Entities
		d.Relations += m.Relations
	})
	if err != nil {
		return err
	}
	ctx.Emit(domain.EventProgress, domain.Progress{Done: doc.ChunksDone, Total: t.Of, Entities: doc.Entities, Relations: doc.Relations})
	return nil
}

// embed makes the vectors of a batch that are not stored yet.
func (n nodes) embed(ctx *stategraph.Context, t batchTask) (update, error) {
	doc, err := n.Ledger.Document(ctx, t.Workspace, t.Document)
	if err != nil {
		return update{}, err
	}
	found, err := n.Ledger.Passages(ctx, t.Workspace, t.Chunks)
	if err != nil {
		return update{}, err
	}
	texts := make([]string, len(found))
	for i, p := range found {
		texts[i] = n.Embedding.Text(doc, p.Chunk)
	}
	made, err := llm.EmbedMissing(ctx, n.Ledger, n.Embedding.Embedder, texts)
	return embedded.Add(made), err
}

// tail is the end of a text, from a word's start.
func tail(text string) string {
	length := domain.Runes(text)
	if length <= tailRunes {
		return text
	}
	cut := domain.Span{Start: length - tailRunes, End: length}.Slice(text)
	for i, r := range cut {
		if r == ' ' || r == '\n' {
			return cut[i+1:]
		}
	}
	return cut
}
