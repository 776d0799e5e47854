package maintenance

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/clewhq/clew/internal/vectorstore"
)

// model is the embedding model of the settings, "" when nothing embeds.
func (u *Service) model() string {
	if u.Embedder == nil {
		return ""
	}
	return u.Embedder.Model()
}

// Outgrown is the model whose vectors the index holds, when the settings name
// another: until a rebuild, questions are answered by words and the graph. ""
// when they fit.
func (u *Service) Outgrown(ctx context.Context) (string, error) {
	have, err := u.Vectors.Embedding(ctx)
	if err != nil || u.Embedder == nil || have.Model == u.model() {
		return "", err
	}
	return have.Model, nil
}

// embed makes the vectors that are not recorded: of one workspace, or of all
// when the index has to be built anew for another model.
func (r rebuilder) embed(ctx *stategraph.Context, s RebuildState) (rebuildUpdate, error) {
	if s.Model != r.model() {
		return rebuildUpdate{}, domain.Errorf(domain.Invalid,
			"The rebuild was asked for with the embedding model %q, and the server runs with %q. Start it again with the new settings, then rebuild.", s.Model, r.model())
	}
	if r.Embedder == nil || !s.Stores.Vectors {
		return rebuildUpdate{}, nil
	}
	outgrown, err := r.Outgrown(ctx)
	if err != nil {
		return rebuildUpdate{}, err
	}
	workspaces := []domain.WorkspaceID{s.Workspace}
	if outgrown != "" {
		if workspaces, err = r.Ledger.Workspaces(ctx); err != nil {
			return rebuildUpdate{}, err
		}
	}
	made := 0
	for _, ws := range workspaces {
		n, err := r.embedChunks(ctx, ws)
		if err != nil {
			return rebuildUpdate{}, err
		}
		made += n
	}
	return state.Merge(r.beside.Set(outgrown != ""), r.made.Add(made)), nil
}

// embedChunks makes the vectors that the chunks of a workspace lack, some
// batches at a time, and tells how far it is.
func (u *Service) embedChunks(ctx *stategraph.Context, ws domain.WorkspaceID) (int, error) {
	stats, err := u.Projector.Graph.Stats(ctx, ws)
	if err != nil {
		return 0, err
	}
	batches, within := errgroup.WithContext(ctx)
	batches.SetLimit(max(1, u.AtOnce))
	var mu sync.Mutex
	looked, made := 0, 0
	send := func(texts []string) {
		batches.Go(func() error {
			n, err := llm.EmbedMissing(within, u.Ledger, u.Embedder, texts)
			mu.Lock()
			defer mu.Unlock()
			looked, made = looked+len(texts), made+n
			ctx.Emit(domain.EventProgress, domain.Progress{Done: looked, Total: stats.Chunks})
			return err
		})
	}
	var texts []string
	err = u.Ledger.EachChunk(within, ws, func(p domain.Passage) error {
		if texts = append(texts, projection.ChunkText(p.Title, p.Text)); len(texts) == llm.EmbedBatch {
			send(texts)
			texts = nil
		}
		return within.Err()
	})
	if err == nil && len(texts) > 0 {
		send(texts)
	}
	if failed := batches.Wait(); failed != nil { // it is what ended the reading, too
		err = failed
	}
	return made, err
}

// build makes the index of the new model beside the one that answers. The
// dimension is that of a vector made for the purpose.
func (r rebuilder) build(ctx *stategraph.Context, _ RebuildState) (rebuildUpdate, error) {
	vectors, err := r.Embedder.Embed(ctx, []string{"dimension"})
	if err != nil {
		return rebuildUpdate{}, err
	}
	index, err := r.begun(ctx, len(vectors[0]))
	if err != nil {
		return rebuildUpdate{}, err
	}
	workspaces, err := r.Ledger.Workspaces(ctx)
	if err != nil {
		return rebuildUpdate{}, err
	}
	for _, ws := range workspaces {
		if err := r.fill(ctx, r.Over(index), ws); err != nil {
			return rebuildUpdate{}, err
		}
	}
	return r.dimension.Set(len(vectors[0])), nil
}

// begun is the build for the model of the settings: a new one, or that which
// has been begun.
func (r rebuilder) begun(ctx context.Context, dimension int) (vectorstore.Build, error) {
	return r.Vectors.Build(ctx, vectorstore.Embedding{Model: r.model(), Dimension: dimension})
}

// switchTo makes the build the index that answers. A process that was killed
// right after it finds nothing to switch to any more.
func (r rebuilder) switchTo(ctx *stategraph.Context, s RebuildState) (rebuildUpdate, error) {
	outgrown, err := r.Outgrown(ctx)
	if err != nil || outgrown == "" {
		return rebuildUpdate{}, err
	}
	index, err := r.begun(ctx, s.Dimension)
	if err != nil {
		return rebuildUpdate{}, err
	}
	return rebuildUpdate{}, index.Switch(ctx)
}
