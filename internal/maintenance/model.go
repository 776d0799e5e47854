package maintenance

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/clewhq/clew/internal/vectorstore"
)

// model returns the embedding model of the settings, "" if there is none.
func (svc *Service) model() string {
	if svc.Embedder == nil {
		return ""
	}
	return svc.Embedder.Model()
}

// Outgrown returns the embedding model of the index if the settings name another, else "". Until a rebuild, questions are
// answered by words and the graph.
func (svc *Service) Outgrown(ctx context.Context) (string, error) {
	have, err := svc.Vectors.Embedding(ctx)
	if err != nil || svc.Embedder == nil || have.Model == svc.model() {
		return "", err
	}
	return have.Model, nil
}

// embed makes the vectors that are not recorded: of one workspace, or of all when the index is rebuilt for another model.
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

// embedChunks makes the missing vectors of a workspace's chunks, some batches at a time, and reports its progress.
func (svc *Service) embedChunks(ctx *stategraph.Context, ws domain.WorkspaceID) (int, error) {
	stats, err := svc.Projector.Graph.Stats(ctx, ws)
	if err != nil {
		return 0, err
	}
	batches, within := errgroup.WithContext(ctx)
	batches.SetLimit(max(1, svc.AtOnce))
	var mu sync.Mutex
	looked, made := 0, 0
	send := func(chunks int, texts []string) {
		batches.Go(func() error {
			n, err := llm.EmbedMissing(within, svc.Ledger, svc.Embedder, texts)
			mu.Lock()
			defer mu.Unlock()
			looked, made = looked+chunks, made+n
			ctx.Emit(domain.EventProgress, domain.Progress{Done: looked, Total: stats.Chunks})
			return err
		})
	}
	var texts []string
	chunks := 0
	err = svc.Ledger.EachChunk(within, ws, func(p domain.Passage) error {
		texts = append(texts, projection.EmbeddedTexts(p.Title, p.Text, svc.Projector.Sentences)...)
		if chunks++; len(texts) >= llm.EmbedBatch {
			send(chunks, texts)
			chunks, texts = 0, nil
		}
		return within.Err()
	})
	if err == nil && chunks > 0 {
		send(chunks, texts)
	}
	if failed := batches.Wait(); failed != nil { // it is what ended the reading, too
		err = failed
	}
	return made, err
}

// build makes the index of the new model beside the one in use. A test vector gives the dimension.
func (r rebuilder) build(ctx *stategraph.Context, _ RebuildState) (rebuildUpdate, error) {
	vectors, err := r.Embedder.Embed(ctx, []string{"dimension"})
	if err != nil {
		return rebuildUpdate{}, err
	}
	index, err := r.startBuild(ctx, len(vectors[0]))
	if err != nil {
		return rebuildUpdate{}, err
	}
	workspaces, err := r.Ledger.Workspaces(ctx)
	if err != nil {
		return rebuildUpdate{}, err
	}
	for _, ws := range workspaces {
		if err := r.fill(ctx, r.ProjectTo(index), ws); err != nil {
			return rebuildUpdate{}, err
		}
	}
	return r.dimension.Set(len(vectors[0])), nil
}

// startBuild returns the build for the model of the settings: a new one, or that which
// has been startBuild.
func (r rebuilder) startBuild(ctx context.Context, dimension int) (vectorstore.Build, error) {
	return r.Vectors.Build(ctx, vectorstore.Embedding{Model: r.model(), Dimension: dimension})
}

// switchTo puts the new index into use. After a process that was killed right after the switch, nothing is left to do.
func (r rebuilder) switchTo(ctx *stategraph.Context, s RebuildState) (rebuildUpdate, error) {
	outgrown, err := r.Outgrown(ctx)
	if err != nil || outgrown == "" {
		return rebuildUpdate{}, err
	}
	index, err := r.startBuild(ctx, s.Dimension)
	if err != nil {
		return rebuildUpdate{}, err
	}
	workspaces, err := r.Ledger.Workspaces(ctx)
	if err != nil {
		return rebuildUpdate{}, err
	}
	slices.Sort(workspaces) // whoever takes several leases takes them in the same order
	return rebuildUpdate{}, r.holding(ctx, workspaces, index.Switch)
}

// holding does work while nobody projects into the workspaces.
func (svc *Service) holding(ctx context.Context, workspaces []domain.WorkspaceID, work func(context.Context) error) error {
	if len(workspaces) == 0 {
		return work(ctx)
	}
	return svc.Projector.Leases.Hold(ctx, workspaces[0], func(ctx context.Context, _ int64) error {
		return svc.holding(ctx, workspaces[1:], work)
	})
}
