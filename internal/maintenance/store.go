package maintenance

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// A StoreState is the state of one store.
type StoreState struct {
	Role    string // what it holds: "Ledger", "Graph", "Search index"
	Name    string
	Can     string // what it can do; may be empty
	Took    time.Duration
	Problem string // a sentence if it does not answer
	Foreign bool   // it belongs to another library
	At      int64  // the change that it is at
	Behind  int64  // number of changes that it lacks
	Since   time.Time
	Waiting []string // names of the first documents whose changes it lacks
}

// Stores returns the state of the ledger, then of the stores that follow it. It asks all of them concurrently.
func (v *Monitor) Stores(ctx context.Context, w domain.WorkspaceID) []StoreState {
	list := []StoreState{
		{Role: "Ledger", Name: v.Names.Ledger}, {Role: "Graph", Name: v.Names.Graph}, {Role: "Search index", Name: v.Names.Vectors},
	}
	asks := []func(context.Context, domain.WorkspaceID) (int64, error){v.Ledger.Head, v.Graph.Cursor, v.Vectors.Cursor}
	var wait sync.WaitGroup
	for i := range list {
		wait.Go(func() { v.ask(ctx, w, &list[i], asks[i]) })
	}
	if v.Can != nil {
		wait.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, v.StoreTimeout)
			defer cancel()
			can := v.Can(ctx, w)
			list[2].Can = can
		})
	}
	wait.Wait()
	if list[0].Problem == "" {
		for i := range list[1:] {
			v.lag(ctx, w, list[0].At, &list[i+1])
		}
	}
	return list
}

func (v *Monitor) ask(ctx context.Context, w domain.WorkspaceID, s *StoreState, where func(context.Context, domain.WorkspaceID) (int64, error)) {
	ctx, cancel := context.WithTimeout(ctx, v.StoreTimeout)
	defer cancel()
	began := v.Now()
	at, err := where(ctx, w)
	s.At, s.Took = at, v.Now().Sub(began)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		s.Problem = "It did not answer within " + v.StoreTimeout.String() + "."
	case err != nil:
		s.Problem, s.Foreign = domain.InWords(err), errors.Is(err, domain.ErrForeign)
	}
}

// lag adds the changes that a store lacks.
func (v *Monitor) lag(ctx context.Context, w domain.WorkspaceID, head int64, s *StoreState) {
	if s.Problem != "" || s.At >= head {
		return
	}
	s.Behind = head - s.At
	pending, err := v.Ledger.Pending(ctx, w, s.At)
	if err != nil {
		return // the lag is shown without its reasons
	}
	s.Since = pending.Since
	for _, id := range pending.Documents {
		name := "a deleted document"
		if d, err := v.Ledger.Document(ctx, w, id); err == nil {
			name = d.Name
		}
		s.Waiting = append(s.Waiting, name)
	}
}
