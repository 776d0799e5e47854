package maintenance

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// RebuildState is the state of a rebuild.
type RebuildState struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Stores    projection.Stores  `json:"stores"`
	Taking    bool               `json:"taking"`    // take over stores that belong to another library
	Model     string             `json:"model"`     // of the vectors; "" if there is none
	Beside    bool               `json:"beside"`    // the index has vectors of another model, so a new one is built
	Made      int                `json:"made"`      // number of new vectors
	Dimension int                `json:"dimension"` // of the new vectors, once the build has begun
	Emptied   bool               `json:"emptied"`
}

// The labels of the edges after filling.
const (
	sameModel    = "same model"
	anotherModel = "another model"
)

type (
	rebuildUpdate = state.Update[RebuildState]
	rebuildRoute  = stategraph.Route[RebuildState]
)

func (svc *Service) rebuildKind() run.Kind {
	k := svc.kind(RebuildKind, "Rebuild of the stores", func(ctx context.Context, a *run.Attempt, o Order) error {
		_, err := run.Graph(ctx, a, svc.rebuild, RebuildState{Workspace: a.Workspace, Stores: o.Stores, Taking: o.Taking, Model: o.Model})
		return err
	})
	k.Topology, k.WaitsForServers = svc.rebuild.Topology(), true
	return k
}

// rebuilder has the nodes of a rebuild.
type rebuilder struct {
	*Service
	beside, emptied state.ReplaceField[RebuildState, bool]
	made            state.SumField[RebuildState, int]
	dimension       state.ReplaceField[RebuildState, int]
}

// rebuildGraph returns start → embed → empty → fill → end. After a change of the embedding model it goes from fill on through
// build and switch. Only embed calls a model, for chunks without recorded vectors.
func rebuildGraph(svc *Service) (stategraph.Runnable[RebuildState], error) {
	schema := state.NewSchema[RebuildState](1)
	r := rebuilder{
		Service: svc,
		beside:  state.Replace(schema, "beside", func(s *RebuildState) *bool { return &s.Beside }),
		emptied: state.Replace(schema, "emptied", func(s *RebuildState) *bool { return &s.Emptied }),
		made:    state.Sum(schema, "made", func(s *RebuildState) *int { return &s.Made }),

		dimension: state.Replace(schema, "dimension", func(s *RebuildState) *int { return &s.Dimension }),
	}
	reads, writes := stategraph.Reads, stategraph.Writes
	b := stategraph.New("rebuild", schema)
	b.Node("embed", r.embed, reads(), writes(r.beside, r.made))
	b.Node("empty", r.empty, reads(r.beside), writes(r.emptied))
	b.Node("fill", r.refill, reads(), writes())
	b.Node("build", r.build, reads(), writes(r.dimension))
	b.Node("switch", r.switchTo, reads(r.dimension), writes())
	b.Edge(stategraph.Start, "embed")
	b.Edge("embed", "empty")
	b.Edge("empty", "fill")
	b.Branch("fill", "model", func(_ *stategraph.Context, s RebuildState) (rebuildRoute, error) {
		if s.Beside {
			return stategraph.Choose[RebuildState](anotherModel), nil
		}
		return stategraph.Choose[RebuildState](sameModel), nil
	}, stategraph.Case{Label: sameModel, Target: stategraph.End}, stategraph.Case{Label: anotherModel, Target: "build"})
	b.Edge("build", "switch")
	b.Edge("switch", stategraph.End)
	return compile(svc, b)
}

func compile[S any](svc *Service, b *stategraph.Builder[S]) (stategraph.Runnable[S], error) {
	return b.Compile(stategraph.WithCheckpointer(svc.Threads), stategraph.WithCodec(svc.Codec))
}

// empty empties the stores, except an index that is in use until another one is built, and forgets what was made from a graph
// that may have been damaged.
func (r rebuilder) empty(ctx *stategraph.Context, s RebuildState) (rebuildUpdate, error) {
	if s.Taking {
		if err := r.takeOver(ctx, s); err != nil {
			return rebuildUpdate{}, err
		}
	}
	stores := s.Stores
	stores.Vectors = stores.Vectors && !s.Beside
	if err := r.Ledger.DropDivisions(ctx, s.Workspace); err != nil {
		return rebuildUpdate{}, err
	}
	return r.emptied.Set(true), r.Projector.Reset(ctx, s.Workspace, stores)
}

// takeOver claims the stores, which empties those that belong to another library.
func (r rebuilder) takeOver(ctx context.Context, s RebuildState) error {
	owner, err := r.Identity(ctx, s.Workspace)
	if err != nil {
		return err
	}
	if s.Stores.Graph {
		if err := r.Projector.Graph.Claim(ctx, s.Workspace, owner, true); err != nil {
			return err
		}
	}
	if s.Stores.Vectors {
		return r.Vectors.Claim(ctx, s.Workspace, owner, true)
	}
	return nil
}

func (r rebuilder) refill(ctx *stategraph.Context, s RebuildState) (rebuildUpdate, error) {
	return rebuildUpdate{}, r.fill(ctx, r.Projector, s.Workspace)
}

// progressInterval is the interval of progress reports.
const progressInterval = 500 * time.Millisecond

// fill brings the stores of p up to date with the ledger and reports the progress.
func (svc *Service) fill(ctx *stategraph.Context, p *projection.Projector, ws domain.WorkspaceID) error {
	done := make(chan error, 1)
	go func() { done <- p.Apply(ctx, ws) }()
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			if err == nil {
				emitProgress(ctx, p, ws)
			}
			return err
		case <-tick.C:
			emitProgress(ctx, p, ws)
		}
	}
}

// emitProgress reports how many changes both stores include.
func emitProgress(ctx *stategraph.Context, p *projection.Projector, ws domain.WorkspaceID) {
	at, err := p.Behind(ctx, ws)
	if err != nil {
		return // the work reports its own problems
	}
	ctx.Emit(domain.EventProgress, domain.Progress{Done: int(min(at.Graph, at.Vectors)), Total: int(at.Head)})
}
