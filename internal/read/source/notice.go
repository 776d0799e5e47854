package source

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/read/folder"
)

// How sources that are looked at at once are noticed.
const (
	mostNoticed = 50              // by a process; the others are checked every atOnceRest
	calm        = time.Second     // without changes, before a look
	deafRest    = 5 * time.Minute // between looks if the system does not report changes
	busyRest    = time.Second     // between checks whether a look has ended
)

// Notices are the sources whose changes a process notices. The zero value notices none.
type Notices struct {
	open    map[noticed]context.CancelFunc
	working sync.WaitGroup
}

// A noticed is a source at an address.
type noticed struct {
	workspace domain.WorkspaceID
	id        string
	address   string
}

// Keep has the sources noticed, until ctx ends, that are followed at once by now, and others no more.
func (n *Notices) Keep(ctx context.Context, s *Service) error {
	all, err := s.Ledger.SourcesWithRhythm(ctx, AtOnce, mostNoticed)
	if err != nil {
		return err
	}
	open := map[noticed]context.CancelFunc{}
	for _, src := range all {
		key := noticed{src.Workspace, src.ID, src.Address}
		if stop, is := n.open[key]; is {
			open[key] = stop
			delete(n.open, key)
			continue
		}
		noticing, stop := context.WithCancel(ctx)
		open[key] = stop
		n.working.Go(func() { s.notice(noticing, src) })
	}
	for _, stop := range n.open {
		stop()
	}
	n.open = open
	return nil
}

// Wait waits until nothing is noticed any more, after the context of Keep has ended.
func (n *Notices) Wait() { n.working.Wait() }

// notice has a source looked at when something changes there, until ctx ends.
func (s *Service) notice(ctx context.Context, src ledger.Source) {
	kind, is := s.Kinds[src.Kind].(Noticer)
	if !is {
		return
	}
	bell, err := folder.NewBell()
	rest := atOnceRest
	if err != nil {
		rest = deafRest
		s.Log.WarnContext(ctx, "the system reports no changes: a source is looked at now and then", "id", src.ID, "err", err)
	}
	defer bell.Close()
	for rung := true; ctx.Err() == nil; rung = bell.Wait(ctx, calm, rest) {
		if err := kind.Listen(Place{Address: src.Address, Rules: src.Rules}, bell); err != nil { // the next look reports it
			s.Log.DebugContext(ctx, "changes of a source are not noticed", "id", src.ID, "err", err)
		}
		if !rung && bell.Hears() {
			continue
		}
		if err := s.changedAt(ctx, src, s.Now().Add(-calm)); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "a source that has changed is looked at later", "id", src.ID, "err", err)
		}
	}
}

// changedAt looks at a source in which something changed at a time, unless a look has begun since. It waits for the end
// of a look that began earlier.
func (s *Service) changedAt(ctx context.Context, src ledger.Source, at time.Time) error {
	ctx = domain.WithReader(domain.WithWorkspace(ctx, src.Workspace), "")
	for {
		since, err := s.Ledger.Looks(ctx, src.Workspace, src.ID, at, 1)
		if err != nil || len(since) > 0 {
			return err
		}
		_, err = s.Ledger.ChangeSource(ctx, src.Workspace, src.ID, func(_ *sql.Tx, now *ledger.Source) error {
			if now.Looking != "" {
				return errTaken
			}
			if now.PausedAt.IsZero() {
				now.NextAt = s.Now()
			}
			return nil
		})
		if err == nil {
			return s.Due(ctx)
		}
		if !errors.Is(err, errTaken) {
			return err
		}
		if err := domain.Sleep(ctx, busyRest); err != nil {
			return err
		}
	}
}
