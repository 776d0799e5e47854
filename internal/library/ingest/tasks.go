package ingest

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// windowTask is the extraction of neighbouring chunks that share a request.
type windowTask struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Document  domain.DocumentID  `json:"document"`
	Schema    int64              `json:"schema,omitempty"`
	Prompts   int                `json:"prompts,omitempty"`
	Chunks    []domain.ChunkID   `json:"chunks"`
	Before    domain.ChunkID     `json:"before,omitempty"` // the chunk before them, as context
	First     int                `json:"first"`            // ordinal of the first
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

// extract mines a window and records the contribution of each of its chunks. A
// chunk that the model can't read is skipped.
func (n nodes) extract(ctx *stategraph.Context, t windowTask) (u update, err error) {
	n.pauses.Begin(string(t.Document))
	defer func() { n.pauses.End(ctx, string(t.Document), err) }()
	request, err := n.request(ctx, t)
	if err != nil {
		return update{}, err
	}
	found := n.mine(ctx, t, request)
	for _, o := range found { // before anything is counted: the window may be retried
		if err := n.skippable(ctx, t, o.err); err != nil {
			return update{}, err
		}
	}
	var done []Mined
	var notes []string
	for _, o := range found {
		done = append(done, o.mined())
		for _, note := range o.found.Warnings {
			notes = append(notes, fmt.Sprintf("Chunk %d of %d: %s", o.chunk.Ordinal+1, t.Of, note))
		}
	}
	if err := n.record(ctx, t, request.Guide, found, done); err != nil {
		return update{}, err
	}
	return state.Merge(mined.Put(done...), warnings.Add(notes...)), nil
}

// outcome is the result of mining a chunk.
type outcome struct {
	chunk  domain.Chunk
	found  extract.Result
	schema int64 // number of the schema it was mined with
	err    error
}

// mined sums up the outcome.
func (o outcome) mined() Mined {
	m := Mined{Chunk: o.chunk.ID, Ordinal: o.chunk.Ordinal, Entities: len(o.found.Graph.Nodes), Relations: len(o.found.Graph.Relationships)}
	if o.err != nil {
		m.Problem = domain.InWords(o.err)
	}
	return m
}

// record records the contributions of the chunks that were mined, and adds them all
// to the document's figures.
func (n nodes) record(ctx *stategraph.Context, t windowTask, g extract.Guide, found []outcome, done []Mined) error {
	var all []ledger.Contribution
	for _, o := range found {
		if o.err != nil {
			continue
		}
		c, err := contribution(o, g, n.Extractor.Reader(g))
		if err != nil {
			return err
		}
		all = append(all, c)
	}
	return n.addProgress(ctx, t, done, func(tx *sql.Tx) error { return n.Ledger.RecordContributionTx(ctx, tx, t.Workspace, all...) })
}

// contribution converts an outcome for the ledger.
func contribution(o outcome, g extract.Guide, reader string) (ledger.Contribution, error) {
	c := ledger.Contribution{
		Chunk: o.chunk.ID, Document: o.chunk.Document, Reader: reader, Graph: o.found.Graph, Schema: o.schema, Dropped: o.found.Dropped,
	}
	if g.Schema.Empty() && len(o.found.Mined.Left) == 0 {
		return c, nil
	}
	mined, err := json.Marshal(o.found.Mined)
	if err != nil {
		return c, fmt.Errorf("encode what was mined: %w", err)
	}
	c.Mined = string(mined)
	return c, nil
}

// mine extracts from the chunks of a window. If an earlier run's results suffice for a chunk, it applies the guide to
// them; it asks for the remaining neighbours together.
func (n nodes) mine(ctx *stategraph.Context, t windowTask, r extract.Request) []outcome {
	var list []outcome
	var asked []domain.Chunk
	before := r.Before
	ask := func(next string) {
		if len(asked) > 0 {
			part := r
			part.Chunks, part.Before = asked, before
			list = append(list, n.ask(ctx, t, part)...)
		}
		asked, before = nil, next
	}
	stored, unread := n.Ledger.MinedIn(ctx, t.Workspace, t.Chunks...)
	for _, c := range r.Chunks {
		kept, by, err := n.kept(ctx, t.Workspace, stored[c.ID])
		err = cmp.Or(unread, err)
		if err == nil && extract.Needs(n.Extractor, r.Guide, kept, c.Text).Need != extract.NoNeed {
			asked = append(asked, c)
			continue
		}
		ask(extract.Context(c.Text))
		o := outcome{chunk: c, schema: by, err: err}
		if err == nil {
			o.found = r.Guide.Conform(kept.Mined)
		}
		list = append(list, o)
	}
	ask("")
	return list
}

// ask extracts from chunks in one request. If its answer can't be used, it asks for
// each half alone.
func (n nodes) ask(ctx *stategraph.Context, t windowTask, r extract.Request) []outcome {
	found, err := n.Extractor.Extract(ctx, r)
	if len(found) > 0 && found[0].Cost.Calls > 0 {
		ctx.Emit(domain.EventUsage, found[0].Cost.Usage())
	}
	half := len(r.Chunks) / 2
	if err != nil && half > 0 && n.skippable(ctx, t, err) == nil {
		left, right := r, r
		left.Chunks, right.Chunks = r.Chunks[:half], r.Chunks[half:]
		right.Before = extract.Context(r.Chunks[half-1].Text)
		return append(n.ask(ctx, t, left), n.ask(ctx, t, right)...)
	}
	list := make([]outcome, len(r.Chunks))
	for i, c := range r.Chunks {
		list[i] = outcome{chunk: c, schema: t.Schema, err: err}
		if err == nil {
			list[i].found = found[i]
		}
	}
	return list
}

// kept returns the results of an earlier run for a chunk, if any, and the schema it used. The zero Kept needs
// extraction.
func (n nodes) kept(ctx context.Context, w domain.WorkspaceID, found ledger.MinedChunk) (k extract.Kept, schema int64, err error) {
	if found.Chunk == "" {
		return k, 0, nil
	}
	k.Reader = found.Reader
	if err := json.Unmarshal([]byte(found.Mined), &k.Mined); err != nil {
		return k, 0, fmt.Errorf("decode what was mined: %w", err)
	}
	k.Guide, err = n.guide(ctx, w, found.Schema, 0) // its prompt is in the reader's name
	return k, found.Schema, err
}

// request reads the extractor's input.
func (n nodes) request(ctx context.Context, t windowTask) (extract.Request, error) {
	doc, title, found, err := n.Ledger.Window(ctx, t.Workspace, t.Document, append(slices.Clone(t.Chunks), t.Before))
	if err != nil {
		return extract.Request{}, err
	}
	r := extract.Request{Document: doc, Title: title}
	if before, ok := found[t.Before]; ok {
		r.Before = extract.Context(before.Text)
	}
	for _, id := range t.Chunks {
		if c, ok := found[id]; ok {
			r.Chunks = append(r.Chunks, c)
		}
	}
	if len(t.Chunks) == 0 || len(r.Chunks) < len(t.Chunks) {
		return extract.Request{}, domain.Errorf(domain.Conflict, "The document changed while it was being read. Read it again.")
	}
	r.Guide, err = n.guide(ctx, t.Workspace, t.Schema, t.Prompts)
	return r, err
}

// skippable returns nil if a chunk with this failure, or none, may be recorded. It
// returns the failure when the run is being stopped, every chunk would fail alike, or
// a retry may succeed.
func (n nodes) skippable(ctx *stategraph.Context, t windowTask, failure error) error {
	if failure == nil {
		return nil
	}
	if ctx.Err() != nil || failsEveryChunk(failure) {
		return failure
	}
	if domain.Temporary(failure) {
		if last, err := n.isLastAttempt(ctx, t, failure); err != nil || !last {
			return errors.Join(failure, err)
		}
	}
	return nil
}

// isLastAttempt reports whether to give up on a chunk after a temporary failure:
// the model can be reached, has failed on every attempt, and has read other
// chunks.
func (n nodes) isLastAttempt(ctx *stategraph.Context, t windowTask, failure error) (bool, error) {
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

// addProgress adds chunks to the document's counts, together with more's writes, and emits the counts.
func (n nodes) addProgress(ctx *stategraph.Context, t windowTask, done []Mined, more func(*sql.Tx) error) error {
	doc, err := n.Ledger.UpdateDocument(ctx, t.Workspace, t.Document, func(d *domain.Document) {
		if d.ChunksDone = min(d.ChunksDone+len(done), t.Of); d.ChunksDone == t.Of {
			d.Stage = "resolve"
		}
		for _, m := range done {
			d.Entities += m.Entities
			d.Relations += m.Relations
		}
	}, more)
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
	texts := lists.Map(found, func(p domain.Passage) string { return n.Embedding.Text(doc, p.Chunk) })
	made, err := llm.EmbedMissing(llm.WithOwner(ctx, domain.CallOwner{Document: doc.Becomes()}), n.Ledger, n.Embedding.Embedder, texts)
	return embedded.Add(made), err
}
