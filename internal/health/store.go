package health

import (
	"context"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// Store is one store as it answers.
type Store struct {
	Role    string // what it holds: "Ledger", "Graph", "Search index"
	Name    string
	Can     string // what it can do, in words; may be empty
	Took    time.Duration
	Problem string // a sentence when it does not answer
	At      int64  // the change it has been brought to
	Behind  int64  // how many changes wait for it
	Since   time.Time
	Waiting []string // the first documents whose changes wait, by name
}

// Stores asks every store, at the same time, where it is. The ledger comes
// first: the others follow it.
func (v *Monitor) Stores(ctx context.Context, w domain.WorkspaceID) []Store {
	list := []Store{
		{Role: "Ledger", Name: v.Names.Ledger}, {Role: "Graph", Name: v.Names.Graph}, {Role: "Search index", Name: v.Names.Vectors, Can: v.Can},
	}
	asks := []func(context.Context, domain.WorkspaceID) (int64, error){v.Ledger.Head, v.Graph.Cursor, v.Vectors.Cursor}
	var wait sync.WaitGroup
	for i := range list {
		wait.Go(func() { v.ask(ctx, w, &list[i], asks[i]) })
	}
	wait.Wait()
	if list[0].Problem == "" {
		for i := range list[1:] {
			v.lag(ctx, w, list[0].At, &list[i+1])
		}
	}
	return list
}

func (v *Monitor) ask(ctx context.Context, w domain.WorkspaceID, s *Store, where func(context.Context, domain.WorkspaceID) (int64, error)) {
	ctx, cancel := context.WithTimeout(ctx, v.Patience)
	defer cancel()
	began := v.Now()
	at, err := where(ctx, w)
	s.At, s.Took = at, v.Now().Sub(began)
	switch {
	case err != nil && ctx.Err() != nil:
		s.Problem = "It did not answer within " + v.Patience.String() + "."
	case err != nil:
		s.Problem = domain.InWords(err)
	}
}

// lag says what waits for a store.
func (v *Monitor) lag(ctx context.Context, w domain.WorkspaceID, head int64, s *Store) {
	if s.Problem != "" || s.At >= head {
		return
	}
	s.Behind = head - s.At
	pending, err := v.Ledger.Pending(ctx, w, s.At)
	if err != nil {
		return // the lag is told without its reasons
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
