package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/extract"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// chunkTask is the extraction of one chunk.
type chunkTask struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Document  domain.DocumentID  `json:"document"`
	Schema    int64              `json:"schema,omitempty"`
	Prompts   int                `json:"prompts,omitempty"`
	Chunk     domain.ChunkID     `json:"chunk"`
	Before    domain.ChunkID     `json:"before,omitempty"` // the previous chunk, which is context
	Ordinal   int                `json:"ordinal"`
	Of        int                `json:"of"`
}

// embedAtOnce is the number of chunks in a batchTask.
const embedAtOnce = 16

// batchTask is the embedding of some chunks.
type batchTask struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Document  domain.DocumentID  `json:"document"`
	Chunks    []domain.ChunkID   `json:"chunks"`
}

// extract mines one chunk and records its contribution. A chunk that the model
// can't read is skipped.
func (n nodes) extract(ctx *stategraph.Context, t chunkTask) (u update, err error) {
	n.pauses.Begin(string(t.Document))
	defer func() { n.pauses.End(ctx, string(t.Document), err) }()
	request, err := n.request(ctx, t)
	if err != nil {
		return update{}, err
	}
	found, by, err := n.mine(ctx, t, request)
	if err != nil {
		return n.skip(ctx, t, err)
	}
	if found.Cost.Calls > 0 {
		ctx.Emit(domain.EventUsage, found.Cost.Usage())
	}
	c := ledger.Contribution{
		Chunk: t.Chunk, Document: t.Document, Reader: n.Extractor.Reader(request.Guide), Graph: found.Graph, Schema: by, Dropped: found.Dropped,
	}
	if !request.Guide.Schema.Empty() || len(found.Mined.Left) > 0 {
		mined, err := json.Marshal(found.Mined)
		if err != nil {
			return update{}, fmt.Errorf("encode what was mined: %w", err)
		}
		c.Mined = string(mined)
	}
	if err := n.Ledger.RecordContribution(ctx, t.Workspace, c); err != nil {
		return update{}, err
	}
	m := Mined{Chunk: t.Chunk, Ordinal: t.Ordinal, Entities: len(found.Graph.Nodes), Relations: len(found.Graph.Relationships)}
	if err := n.addProgress(ctx, t, m); err != nil {
		return update{}, err
	}
	notes := make([]string, len(found.Warnings))
	for i, note := range found.Warnings {
		notes[i] = fmt.Sprintf("Chunk %d of %d: %s", t.Ordinal+1, t.Of, note)
	}
	return state.Merge(mined.Put(m), warnings.Add(notes...)), nil
}

// mine extracts from a chunk. If it is enough, the guide is applied to what an
// earlier run mined. It returns the number of the schema by which it was mined too.
func (n nodes) mine(ctx context.Context, t chunkTask, r extract.Request) (extract.Result, int64, error) {
	kept, by, err := n.kept(ctx, t)
	if err != nil {
		return extract.Result{}, 0, err
	}
	if extract.Needs(n.Extractor, r.Guide, kept, r.Chunk.Text).Need == extract.NoNeed {
		return r.Guide.Conform(kept.Mined), by, nil
	}
	found, err := n.Extractor.Extract(ctx, r)
	return found, t.Schema, err
}

// kept returns what an earlier run mined from a chunk, and by which schema. The
// zero Kept needs extraction.
func (n nodes) kept(ctx context.Context, t chunkTask) (extract.Kept, int64, error) {
	found, ok, err := n.Ledger.MinedIn(ctx, t.Workspace, t.Chunk)
	if err != nil || !ok {
		return extract.Kept{}, 0, err
	}
	k := extract.Kept{Reader: found.Reader}
	if err := json.Unmarshal([]byte(found.Mined), &k.Mined); err != nil {
		return k, 0, fmt.Errorf("decode what was mined: %w", err)
	}
	k.Guide, err = n.guide(ctx, t.Workspace, found.Schema, 0) // its prompt is in the name of the reader
	return k, found.Schema, err
}

// request reads the extractor's input.
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
	if r.Guide, err = n.guide(ctx, t.Workspace, t.Schema, t.Prompts); err != nil {
		return extract.Request{}, err
	}
	if len(found) > 1 {
		r.Before = extract.Context(found[1].Text)
	}
	return r, nil
}

// skip records a failure as the chunk's problem. It returns the failure instead
// when the run is being stopped, every chunk would fail alike, or a retry may
// succeed.
func (n nodes) skip(ctx *stategraph.Context, t chunkTask, failure error) (update, error) {
	if ctx.Err() != nil || failsEveryChunk(failure) {
		return update{}, failure
	}
	if domain.Temporary(failure) {
		if last, err := n.isLastAttempt(ctx, t, failure); err != nil || !last {
			return update{}, errors.Join(failure, err)
		}
	}
	m := Mined{Chunk: t.Chunk, Ordinal: t.Ordinal, Problem: domain.InWords(failure)}
	if err := n.addProgress(ctx, t, m); err != nil {
		return update{}, err
	}
	return mined.Put(m), nil
}

// isLastAttempt reports whether to give up on a chunk after a temporary failure:
// the model can be reached, has failed on every attempt, and has read other
// chunks.
func (n nodes) isLastAttempt(ctx *stategraph.Context, t chunkTask, failure error) (bool, error) {
	if domain.Away(failure) || ctx.Attempt() < n.Retry.policy().Attempts {
		return false, nil
	}
	doc, err := n.Ledger.Document(ctx, t.Workspace, t.Document)
	return doc.ChunksDone > 0, err
}

// failsEveryChunk reports whether a failure has nothing to do with the chunk: a
// refused key, a full disk, a cap.
func failsEveryChunk(err error) bool {
	kind := domain.KindOf(err)
	return kind == domain.Forbidden || kind == domain.Exhausted || kind == domain.Capped
}

// addProgress adds a chunk to the document's figures and emits them.
func (n nodes) addProgress(ctx *stategraph.Context, t chunkTask, m Mined) error {
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

// embed makes the vectors that a batch lacks.
func (n nodes) embed(ctx *stategraph.Context, t batchTask) (u update, err error) {
	n.pauses.Begin(string(t.Document))
	defer func() { n.pauses.End(ctx, string(t.Document), err) }()
	doc, err := n.Ledger.Document(ctx, t.Workspace, t.Document)
	if err != nil {
		return update{}, err
	}
	found, err := n.Ledger.Passages(ctx, t.Workspace, t.Chunks)
	if err != nil {
		return update{}, err
	}
	var texts []string
	for _, p := range found {
		texts = append(texts, n.Embedding.Texts(doc, p.Chunk)...)
	}
	made, err := llm.EmbedMissing(llm.WithOwner(ctx, domain.CallOwner{Document: t.Document}), n.Ledger, n.Embedding.Embedder, texts)
	return embedded.Add(made), err
}
