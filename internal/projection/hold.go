package projection

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// Hold waits until nobody in this process is projecting a workspace and keeps
// it so until release is called, for who compares the stores.
func (p *Projector) Hold(ctx context.Context, ws domain.WorkspaceID) (release func(), err error) {
	return p.turn(ctx, ws)
}

// Stores says which of the two stores is meant.
type Stores struct{ Graph, Vectors bool }

// Empty takes stores of a workspace back to the beginning. Apply fills them
// again; until it is done, readers find a part only.
func (p *Projector) Empty(ctx context.Context, ws domain.WorkspaceID, s Stores) error {
	done, err := p.turn(ctx, ws)
	if err != nil {
		return err
	}
	defer done()
	if s.Graph {
		if err := p.Graph.Reset(ctx, ws); err != nil {
			return err
		}
	}
	if s.Vectors {
		return p.Vectors.Reset(ctx, ws)
	}
	return nil
}
