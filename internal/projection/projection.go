// Package projection brings the graph and the search index to what the ledger
// holds. Both are folds of what each chunk contributes: whatever the order in
// which documents came and went, what remains folds to the same graph.
//
// What looks across documents is worked out here and nowhere else: which label
// a name without one joins, which form of a name is shown, and where a
// document's title stands in the text of other documents.
package projection

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Ledger is what a projector reads, and where it notes which words stand in
// which texts. See the methods of ledger.Ledger.
type Ledger interface {
	Head(ctx context.Context, ws domain.WorkspaceID) (int64, error)
	Changes(ctx context.Context, ws domain.WorkspaceID, after int64, limit int) ([]ledger.Change, error)
	TitlesOf(ctx context.Context, ws domain.WorkspaceID, documents []domain.DocumentID) ([]ledger.TitleRow, error)
	TitlesByKey(ctx context.Context, ws domain.WorkspaceID, keys []string) ([]ledger.TitleRow, error)
	TitlesIn(ctx context.Context, ws domain.WorkspaceID, words []ledger.Words) ([]ledger.TitleRow, error)
	IndexTitles(ctx context.Context, ws domain.WorkspaceID, forms func(ledger.TitleRow) []ledger.TitleForm) error
	Chunks(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) ([]domain.Chunk, error)
	Contributions(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) ([]ledger.Contribution, error)
	Passages(ctx context.Context, ws domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error)
	ChunksHolding(ctx context.Context, ws domain.WorkspaceID, words []ledger.Words) ([]domain.ChunkID, error)
	IndexChunks(ctx context.Context, ws domain.WorkspaceID, words func(text string) []ledger.Words) error
	Mentions(ctx context.Context, ws domain.WorkspaceID, keys []string) ([]ledger.MentionRow, error)
	Statements(ctx context.Context, ws domain.WorkspaceID, keys []string) ([]ledger.StatementRow, error)
	StatementsBetween(ctx context.Context, ws domain.WorkspaceID, ends []ledger.Ends) ([]ledger.StatementRow, error)
	Curations(ctx context.Context, ws domain.WorkspaceID, last int64) ([]ledger.Curation, error)
	CuratedKeys(ctx context.Context, ws domain.WorkspaceID) (map[domain.EntityID]string, error)
	ChangedBefore(ctx context.Context, ws domain.WorkspaceID, documents []domain.DocumentID, last int64) ([]domain.DocumentID, error)
	Embeddings(ctx context.Context, model string, hashes []string) (map[string][]float32, error)
}

var _ Ledger = (*ledger.Ledger)(nil)

// Params are what a projector works with. All but Embedding are required.
type Params struct {
	Ledger    Ledger
	Graph     graphstore.Store
	Vectors   vectorstore.Index
	Log       *slog.Logger
	Key       func(name string) string        // normal form of a name, the one that the ledger uses
	Sentences func(text string) []domain.Span // splits a chunk's text
	Embedding Embedding
}

// Embedding says which recorded vectors points get: those of Model under the
// hash (domain.Hash) of ChunkText or SentenceText.
// Without a model points have no vectors.
type Embedding struct {
	Model string
}

// Projector brings both stores up to date. It is safe for concurrent use, and
// several processes may have one each over the same stores.
type Projector struct {
	Params

	tallied int // from how many links on a key's tally is kept

	mu    sync.Mutex
	turns map[domain.WorkspaceID]chan struct{}
}

// tallied is from how many links on a key's tally is kept in the graph. Keys
// with fewer are quickly folded from all that is said of them.
const tallied = 8

// New returns a projector.
func New(p Params) *Projector {
	return &Projector{Params: p, tallied: tallied, turns: map[domain.WorkspaceID]chan struct{}{}}
}

// Progress is how far the stores of a workspace are: each has taken in all
// changes up to and with its number.
type Progress struct {
	Head    int64 // the ledger's last change
	Graph   int64
	Vectors int64
}

// Behind says how far both stores are.
func (p *Projector) Behind(ctx context.Context, ws domain.WorkspaceID) (Progress, error) {
	var at Progress
	var err error
	// The head is read last: a store is never ahead of what is shown.
	if at.Graph, err = p.Graph.Cursor(ctx, ws); err != nil {
		return at, err
	}
	if at.Vectors, err = p.Vectors.Cursor(ctx, ws); err != nil {
		return at, err
	}
	at.Head, err = p.Ledger.Head(ctx, ws)
	return at, err
}

// Apply brings both stores to the ledger's head. Within this process one call
// at a time works on a workspace; the others wait and mostly find nothing left
// to do. What another process does at the same time is noticed by the stores'
// cursors, and the work is done again from there.
func (p *Projector) Apply(ctx context.Context, ws domain.WorkspaceID) error {
	done, err := p.turn(ctx, ws)
	if err != nil {
		return err
	}
	defer done()
	for {
		more, err := p.step(ctx, ws)
		switch {
		case domain.KindOf(err) == domain.Conflict && ctx.Err() == nil:
			p.Log.DebugContext(ctx, "another process is projecting", "workspace", ws)
		case err != nil:
			return fmt.Errorf("project workspace %s: %w", ws, err)
		case !more:
			return nil
		}
	}
}

// Rebuild empties both stores and fills them again from the ledger. Until it
// is done, readers find a part only.
func (p *Projector) Rebuild(ctx context.Context, ws domain.WorkspaceID) error {
	done, err := p.turn(ctx, ws)
	if err != nil {
		return err
	}
	err = p.reset(ctx, ws)
	done()
	if err != nil {
		return err
	}
	return p.Apply(ctx, ws)
}

func (p *Projector) reset(ctx context.Context, ws domain.WorkspaceID) error {
	if err := p.Graph.Reset(ctx, ws); err != nil {
		return err
	}
	return p.Vectors.Reset(ctx, ws)
}

// turn waits until no other call of this process works on ws, and returns what
// ends the turn.
func (p *Projector) turn(ctx context.Context, ws domain.WorkspaceID) (func(), error) {
	p.mu.Lock()
	turn := p.turns[ws]
	if turn == nil {
		turn = make(chan struct{}, 1)
		p.turns[ws] = turn
	}
	p.mu.Unlock()
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
