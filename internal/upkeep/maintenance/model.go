package maintenance

import (
	"context"
	"fmt"
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

// model returns the embedding model of the settings, or "" if there is none.
func (svc *Service) model() string {
	if svc.Embedder == nil {
		return ""
	}
	return svc.Embedder.Model()
}

// Outgrown describes why the index has to be rebuilt, in a sentence: its vectors are of another model than that of the
// settings, or of another dimension than this makes by now. It returns "" if it needn't be. Until a rebuild, questions
// are answered by words and the graph.
func (svc *Service) Outgrown(ctx context.Context) (string, error) {
	have, err := svc.Vectors.Embedding(ctx)
	if err != nil || svc.Embedder == nil || have.Model == "" {
		return "", err
	}
	if have.Model != svc.model() {
		return fmt.Sprintf("The search index holds vectors of the model %s, and the embedding model is %s.", have.Model, svc.model()), nil
	}
	makes, err := svc.Ledger.Dimension(ctx, svc.model())
	if err != nil || makes == 0 || makes == have.Dimension {
		return "", err
	}
	return fmt.Sprintf("The search index holds vectors of %d numbers, but the embedding model %s now makes %d.", have.Dimension, svc.model(), makes), nil
}

// measure asks the model for a vector, which tells the dimension that it makes now, unless it does not answer and vectors
// are kept: then they are used.
func (svc *Service) measure(ctx context.Context) error {
	_, err := svc.embedOne(ctx)
	if err != nil && domain.Temporary(err) {
		if kept, failed := svc.Ledger.Dimension(ctx, svc.model()); failed == nil && kept > 0 {
			return nil
		}
	}
	return err
}

// embedOne embeds a word, stores its vector and returns its dimension.
func (svc *Service) embedOne(ctx context.Context) (int, error) {
	const word = "dimension"
	vectors, err := svc.Embedder.Embed(ctx, []string{word})
	if err == nil {
		err = llm.CheckVectors(vectors, 1)
	}
	if err != nil {
		return 0, err
	}
	return len(vectors[0]), svc.Ledger.SaveEmbeddings(ctx, svc.model(), map[string][]float32{domain.Hash([]byte(word)): vectors[0]})
}

// embed makes the vectors that are not recorded: of one workspace, or of all when the index is rebuilt for another model.
func (r rebuilder) embed(ctx *stategraph.Context, s RebuildState) (rebuildUpdate, error) {
	if s.Model != r.model() {
		return rebuildUpdate{}, domain.Errorf(domain.Invalid,
			"The rebuild was requested with the embedding model %q, but the server runs with %q. Restart the server with the new settings, then rebuild.", s.Model, r.model())
	}
	if r.Embedder == nil || !s.Stores.Vectors {
		return rebuildUpdate{}, nil
	}
	if err := r.measure(ctx); err != nil {
		return rebuildUpdate{}, err
	}
	outgrown, err := r.Outgrown(ctx)
	if err != nil {
		return rebuildUpdate{}, err
	}
	workspaces := []domain.WorkspaceID{s.Workspace}
	if outgrown != "" {
		if workspaces, err = r.Ledger.WorkspaceIDs(ctx); err != nil {
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
	batches.SetLimit(svc.AtOnce)
	var mu sync.Mutex
	looked, made, sentences := 0, 0, 0
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
		all := projection.EmbeddedTexts(p.Title, p.Text, svc.Projector.Sentences)
		if sentences += len(all) - 1; svc.apart(sentences) {
			all = all[:1] // the passage
		}
		texts = append(texts, all...)
		if chunks++; len(texts) >= llm.EmbedBatch {
			send(chunks, texts)
			chunks, texts = 0, nil
		}
		return within.Err()
	})
	if err == nil && chunks > 0 {
		send(chunks, texts)
	}
	if failed := batches.Wait(); failed != nil { // its error ended the reading, too
		err = failed
	}
	return made, err
}

// build makes the index of the new vectors beside the one in use.
func (r rebuilder) build(ctx *stategraph.Context, _ RebuildState) (rebuildUpdate, error) {
	dimension, err := r.Ledger.Dimension(ctx, r.model())
	if err == nil && dimension == 0 {
		dimension, err = r.embedOne(ctx)
	}
	if err != nil {
		return rebuildUpdate{}, err
	}
	index, err := r.startBuild(ctx, dimension)
	if err != nil {
		return rebuildUpdate{}, err
	}
	workspaces, err := r.Ledger.WorkspaceIDs(ctx)
	if err != nil {
		return rebuildUpdate{}, err
	}
	for _, ws := range workspaces {
		if err := r.fill(ctx, r.ProjectTo(index), ws); err != nil {
			return rebuildUpdate{}, err
		}
	}
	return r.dimension.Set(dimension), nil
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
	workspaces, err := r.Ledger.WorkspaceIDs(ctx)
	if err != nil {
		return rebuildUpdate{}, err
	}
	slices.Sort(workspaces) // several leases are always taken in the same order
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
