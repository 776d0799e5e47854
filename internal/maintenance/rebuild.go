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

// RebuildState is what the nodes of a rebuild share.
type RebuildState struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Stores    projection.Stores  `json:"stores"`
	Model     string             `json:"model"`     // that the vectors are to come from; "" when nothing embeds
	Beside    bool               `json:"beside"`    // the index holds vectors of another model, and the new one is built beside it
	Made      int                `json:"made"`      // vectors that were not recorded
	Dimension int                `json:"dimension"` // of the new vectors, once the build has begun
	Emptied   bool               `json:"emptied"`
}

// The labels of the edges out of the filling.
const (
	sameModel    = "same model"
	anotherModel = "another model"
)

type (
	rebuildUpdate = state.Update[RebuildState]
	rebuildRoute  = stategraph.Route[RebuildState]
)

func (u *Service) rebuildKind() run.Kind {
	k := u.kind(RebuildKind, "Stores filled anew", func(ctx context.Context, a *run.Attempt, o Order) error {
		_, err := run.Graph(ctx, a, u.rebuild, RebuildState{Workspace: a.Workspace, Stores: o.Stores, Model: o.Model})
		return err
	})
	k.Topology = u.rebuild.Topology()
	return k
}

// rebuilder are the nodes of a rebuild.
type rebuilder struct {
	*Service
	beside, emptied state.ReplaceField[RebuildState, bool]
	made            state.SumField[RebuildState, int]
	dimension       state.ReplaceField[RebuildState, int]
}

// rebuildGraph is start → embed → empty → fill → end, and after a change of the
// embedding model on from fill through build and switch. No node calls a model
// but embed, and that only for chunks whose vectors are not recorded.
func rebuildGraph(u *Service) (*stategraph.Graph[RebuildState], error) {
	schema := state.NewSchema[RebuildState](1)
	r := rebuilder{
		Service: u,
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
	return compile(u, b)
}

func compile[S any](u *Service, b *stategraph.Builder[S]) (*stategraph.Graph[S], error) {
	return b.Compile(stategraph.WithCheckpointer(u.Threads), stategraph.WithCodec(u.Codec))
}

// empty takes the stores back to the beginning, but for an index that answers
// until another one is built.
func (r rebuilder) empty(ctx *stategraph.Context, s RebuildState) (rebuildUpdate, error) {
	stores := s.Stores
	stores.Vectors = stores.Vectors && !s.Beside
	return r.emptied.Set(true), r.Projector.Reset(ctx, s.Workspace, stores)
}

func (r rebuilder) refill(ctx *stategraph.Context, s RebuildState) (rebuildUpdate, error) {
	return rebuildUpdate{}, r.fill(ctx, r.Projector, s.Workspace)
}

// glance is how often a long projection tells how far it is.
const glance = 500 * time.Millisecond

// fill brings the stores of p to the ledger's head and tells how far they are.
func (u *Service) fill(ctx *stategraph.Context, p *projection.Projector, ws domain.WorkspaceID) error {
	done := make(chan error, 1)
	go func() { done <- p.Apply(ctx, ws) }()
	tick := time.NewTicker(glance)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			if err == nil {
				tell(ctx, p, ws)
			}
			return err
		case <-tick.C:
			tell(ctx, p, ws)
		}
	}
}

// tell emits how many changes both stores include.
func tell(ctx *stategraph.Context, p *projection.Projector, ws domain.WorkspaceID) {
	at, err := p.Behind(ctx, ws)
	if err != nil {
		return // the work itself reports what is wrong
	}
	ctx.Emit(domain.EventProgress, domain.Progress{Done: int(min(at.Graph, at.Vectors)), Total: int(at.Head)})
}
