// Package projection brings the graph and the search index to the state of the ledger. Both are folds
// over the contributions of all chunks: the same documents give the same graph, in whatever order they
// came and went.
//
// Everything that depends on several documents is computed here and nowhere else: the label of a name
// without one, the form of a name that is shown, and where a document's title occurs in the texts of
// other documents.
//
// A reader reads what changed and everything needed to fold it into an update, a set of plain values;
// the update computes a batch, which the graph applies. The index follows from documents alone.
// Package titles finds titles in texts, package fold computes entities and applies the curation log.
package projection

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/lease"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Ledger is the part of ledger.Ledger that a projector uses. Tests replace it by
// one in memory that can fail or change at any read.
type Ledger interface {
	Head(ctx context.Context, ws domain.WorkspaceID) (int64, error)
	Changes(ctx context.Context, ws domain.WorkspaceID, after int64, limit int) ([]ledger.Change, error)
	TitlesOf(ctx context.Context, ws domain.WorkspaceID, documents []domain.DocumentID) ([]ledger.TitleRow, error)
	TitlesByKey(ctx context.Context, ws domain.WorkspaceID, keys []string) ([]ledger.TitleRow, error)
	TitlesIn(ctx context.Context, ws domain.WorkspaceID, words []ledger.Words) ([]ledger.TitleRow, error)
	IndexTitles(ctx context.Context, ws domain.WorkspaceID, forms func(ledger.TitleRow) []ledger.TitleForm) error
	ChunksOf(ctx context.Context, ws domain.WorkspaceID, ids []domain.DocumentID) (map[domain.DocumentID][]domain.Chunk, error)
	ContributionsOf(ctx context.Context, ws domain.WorkspaceID, ids []domain.DocumentID) (map[domain.DocumentID][]ledger.Contribution, error)
	Passages(ctx context.Context, ws domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error)
	ChunksHolding(ctx context.Context, ws domain.WorkspaceID, words []ledger.Words) ([]domain.ChunkID, error)
	IndexChunks(ctx context.Context, ws domain.WorkspaceID, words func(text string) []ledger.Words) error
	Mentions(ctx context.Context, ws domain.WorkspaceID, keys []string) ([]ledger.MentionRow, error)
	Statements(ctx context.Context, ws domain.WorkspaceID, keys []string) ([]ledger.StatementRow, error)
	StatementsBetween(ctx context.Context, ws domain.WorkspaceID, ends []ledger.Ends) ([]ledger.StatementRow, error)
	Curations(ctx context.Context, ws domain.WorkspaceID, last int64) ([]ledger.Curation, error)
	CuratedKeys(ctx context.Context, ws domain.WorkspaceID) (ledger.CuratedKeys, error)
	ChangedBefore(ctx context.Context, ws domain.WorkspaceID, documents []domain.DocumentID, last int64) ([]domain.DocumentID, error)
	Embeddings(ctx context.Context, model string, dimension int, hashes []string) (map[string][]float32, error)
}

// Params configure a projector. All but Embedding, Leases, GraphVectors and After are required.
type Params struct {
	Ledger    Ledger
	Graph     graphstore.Store
	Vectors   vectorstore.Index
	Log       *slog.Logger
	Key       func(name string) string        // normal form of a name, the same as the ledger's
	Sentences func(text string) []domain.Span // splits a chunk's text
	Embedding Embedding
	Leases    Leases // of the stores; if nil, no other projector may write to them

	// GraphVectors, unless nil, gets the vectors of chunks.
	GraphVectors graphstore.VectorStore

	// After, unless nil, updates what other stores keep about a workspace.
	After func(ctx context.Context, ws domain.WorkspaceID) error
}

// Leases gives one projector at a time the stores of a workspace, as package lease does.
type Leases interface {
	Hold(ctx context.Context, ws domain.WorkspaceID, work func(ctx context.Context, token int64) error) error
}

// Embedding selects the recorded vectors that points get: those of Model under
// the hash (domain.Hash) of nearest.PassageText or nearest.SentenceText, of the dimension that the
// index has already. Without a model points have no vectors.
type Embedding struct {
	Model     string
	Dimension int // of the vectors in an empty index; 0 for the one recorded last
}

// Projector brings both stores up to date. It is safe for concurrent use, and
// several processes may have one each over the same stores.
type Projector struct {
	Params

	tallied int // the minimum number of links for a key's tally to be stored
	chunks  int // number of chunks of changed documents after which an update takes no more documents
}

// tallied is the least number of links of a key whose tally is stored in the
// graph. Keys with fewer are quickly folded from all their sources.
const tallied = 8

// chunksAtOnce bounds the memory of an update: documents have one chunk or thousands.
const chunksAtOnce = 8_000

// documentsAtOnce is of how many documents texts are read by one statement.
const documentsAtOnce = 16

// New returns a projector.
func New(p Params) *Projector {
	if p.Leases == nil {
		p.Leases = new(lease.Local)
	}
	return &Projector{Params: p, tallied: tallied, chunks: chunksAtOnce}
}

// Progress is the last change that each store of a workspace includes.
type Progress struct {
	Head    int64 // the ledger's last change
	Graph   int64
	Vectors int64
}

// Behind returns the progress of both stores.
func (p *Projector) Behind(ctx context.Context, ws domain.WorkspaceID) (at Progress, err error) {
	// The head is read last, so that no store appears to be ahead of it.
	if at.Graph, err = p.Graph.Cursor(ctx, ws); err != nil {
		return at, err
	}
	if at.Vectors, err = p.Vectors.Cursor(ctx, ws); err != nil {
		return at, err
	}
	at.Head, err = p.Ledger.Head(ctx, ws)
	return at, err
}

// Apply brings both stores to where the ledger's head is when Apply begins, or
// further: it doesn't go on for as long as others publish. One projector at a time
// works on a workspace; the others wait, and mostly find nothing left to do. If the
// lease is lost or a store's cursor has moved, the work is done again from there.
func (p *Projector) Apply(ctx context.Context, ws domain.WorkspaceID) error {
	err := p.hold(ctx, ws, func(ctx context.Context, token int64) error { return p.catchUp(ctx, ws, token) })
	if err == nil && p.After != nil {
		err = p.After(ctx, ws)
	}
	if err != nil {
		return fmt.Errorf("project workspace %s: %w", ws, err)
	}
	return nil
}

// hold does work under the workspace's lease, and again when it was overtaken.
func (p *Projector) hold(ctx context.Context, ws domain.WorkspaceID, work func(ctx context.Context, token int64) error) error {
	ctx = domain.WithReader(ctx, "") // the stores have all documents, regardless of who may read them
	for overtaken := 0; ; overtaken++ {
		err := p.Leases.Hold(ctx, ws, work)
		if domain.KindOf(err) != domain.Conflict || ctx.Err() != nil {
			return err
		}
		p.Log.DebugContext(ctx, "another process is projecting", "workspace", ws, "err", err)
		// once is usual: a store may have emptied itself
		if err := domain.Sleep(ctx, min(time.Duration(overtaken)*10*time.Millisecond, time.Second)); err != nil {
			return err
		}
	}
}

// catchUp brings both stores to the ledger's head of now under one lease. It need not
// ask again where they are: a store that is elsewhere refuses the next batch.
func (p *Projector) catchUp(ctx context.Context, ws domain.WorkspaceID, token int64) error {
	at, err := p.Behind(ctx, ws)
	for head := at.Head; err == nil && (at.Graph != at.Vectors || at.Graph < head || at.Graph > at.Head); {
		at, err = p.step(ctx, ws, at, token)
	}
	if err == nil && p.GraphVectors != nil {
		err = p.embedGraph(ctx, ws, token)
	}
	return err
}

// step brings the stores one batch further, and returns where they are then. The index
// follows the graph.
func (p *Projector) step(ctx context.Context, ws domain.WorkspaceID, at Progress, token int64) (_ Progress, err error) {
	switch {
	case at.Graph > at.Head || at.Vectors > at.Head:
		p.Log.WarnContext(ctx, "the stores are of another ledger and are filled again", "workspace", ws, "head", at.Head)
		if err := p.reset(ctx, ws, Stores{Graph: true, Vectors: true}, token); err != nil {
			return at, err
		}
		return p.Behind(ctx, ws)
	case at.Vectors < at.Graph:
		at.Vectors, err = p.updateIndex(ctx, ws, at, token)
	default:
		at.Graph, err = p.updateGraph(ctx, ws, at, token)
	}
	at.Head = max(at.Head, at.Graph, at.Vectors) // they may have moved on
	return at, err
}

// Stores selects stores.
type Stores struct{ Graph, Vectors bool }

// Reset empties stores of a workspace. Apply fills them again; until then
// readers find only a part.
func (p *Projector) Reset(ctx context.Context, ws domain.WorkspaceID, s Stores) error {
	return p.hold(ctx, ws, func(ctx context.Context, token int64) error { return p.reset(ctx, ws, s, token) })
}

func (p *Projector) reset(ctx context.Context, ws domain.WorkspaceID, s Stores, token int64) error {
	if s.Graph {
		if err := p.Graph.Reset(ctx, ws, token); err != nil {
			return err
		}
	}
	if s.Vectors {
		return p.Vectors.Reset(ctx, ws, token)
	}
	return nil
}
