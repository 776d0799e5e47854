package upkeep

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/stategraph"
)

// RebuildState is what the nodes of a rebuild share.
type RebuildState struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Stores    projection.Stores  `json:"stores"`
	Emptied   bool               `json:"emptied"`
}

// rebuildGraph is start → empty → fill → end. No node calls a model: vectors
// come from the ledger.
func rebuildGraph(u *Upkeep) (*stategraph.Graph[RebuildState], error) {
	schema := stategraph.NewSchema[RebuildState](1)
	emptied := stategraph.Replace(schema, "emptied", func(s *RebuildState) *bool { return &s.Emptied })
	b := stategraph.New("rebuild", schema)
	b.Node("empty", func(ctx *stategraph.Context, s RebuildState) (stategraph.Update[RebuildState], error) {
		return emptied.Set(true), u.Projector.Empty(ctx, s.Workspace, s.Stores)
	})
	b.Node("fill", func(ctx *stategraph.Context, s RebuildState) (stategraph.Update[RebuildState], error) {
		return stategraph.Update[RebuildState]{}, u.fill(ctx, s.Workspace)
	})
	b.Edge(stategraph.Start, "empty")
	b.Edge("empty", "fill")
	b.Edge("fill", stategraph.End)
	return compile(u, b)
}

func compile[S any](u *Upkeep, b *stategraph.Builder[S]) (*stategraph.Graph[S], error) {
	return b.Compile(stategraph.WithCheckpointer(u.Threads), stategraph.WithCodec(u.Codec))
}

// glance is how often a long projection tells how far it is.
const glance = 500 * time.Millisecond

// fill brings the stores to the ledger's head and tells how far they are.
func (u *Upkeep) fill(ctx *stategraph.Context, ws domain.WorkspaceID) error {
	done := make(chan error, 1)
	applying, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { done <- u.Projector.Apply(applying, ws) }()
	tick := time.NewTicker(glance)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			if err == nil {
				u.tell(ctx, ws)
			}
			return err
		case <-tick.C:
			u.tell(ctx, ws)
		}
	}
}

// tell emits how many changes both stores have taken in.
func (u *Upkeep) tell(ctx *stategraph.Context, ws domain.WorkspaceID) {
	at, err := u.Projector.Behind(ctx, ws)
	if err != nil {
		return // the work itself reports what is wrong
	}
	ctx.Emit(domain.EventProgress, domain.Progress{Done: int(min(at.Graph, at.Vectors)), Total: int(at.Head)})
}
