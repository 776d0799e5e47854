package maintenance

import (
	"context"
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/fsck"
	"github.com/clewhq/clew/internal/projection"
)

// rounds is how often the stores are compared while they change.
const rounds = 4

// moment is a state of a workspace; as long as it stays, so do the stores and
// what they are made from.
type moment struct {
	projection.Progress
	reading int // published documents that are being read again
}

// still reports whether the stores can be compared: both have taken in what
// the ledger holds, and nothing of it is half-written.
func (m moment) still() bool { return m.reading == 0 && m.Graph == m.Head && m.Vectors == m.Head }

func (u *Service) moment(ctx context.Context, ws domain.WorkspaceID) (m moment, err error) {
	if m.Progress, err = u.Projector.Behind(ctx, ws); err != nil {
		return m, err
	}
	m.reading, err = fsck.Reading(ctx, u.DB, ws)
	return m, err
}

// compare folds the ledger into fresh stores and compares them with those in
// use. While documents come and go it tries again: what it reports held at one
// moment, or was seen in every round, and then it says why that is all.
func (u *Service) compare(ctx context.Context, ws domain.WorkspaceID) (found fsck.Found, unsure string, err error) {
	fresh, remove, err := u.Fresh(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("make stores to compare with: %w", err)
	}
	defer func() {
		if gone := remove(); err == nil {
			err = gone
		}
	}()
	for round := range rounds {
		if err := fresh.Apply(ctx, ws); err != nil {
			return nil, "", err
		}
		at, err := u.settle(ctx, ws)
		if err != nil {
			return nil, "", err
		}
		if off := displaced(at); len(off) > 0 && at.reading == 0 {
			return off, "", nil
		}
		now, sure, err := u.compareOnce(ctx, ws, fresh)
		if err != nil || sure {
			return now, "", err
		}
		if round > 0 {
			now = now.Both(found)
		}
		found = now
	}
	return found, "Documents were being read all the time. What is listed was off in every look; run the check again when the library is quiet to be certain.", nil
}

// compareOnce compares while nobody of this process projects, and reports
// whether both sides were of one moment.
func (u *Service) compareOnce(ctx context.Context, ws domain.WorkspaceID, fresh *projection.Projector) (fsck.Found, bool, error) {
	unlock, err := u.Projector.Lock(ctx, ws)
	if err != nil {
		return nil, false, err
	}
	defer unlock()
	before, err := u.moment(ctx, ws)
	if err != nil {
		return nil, false, err
	}
	if err := fresh.Apply(ctx, ws); err != nil {
		return nil, false, err
	}
	graph, err := fsck.CompareGraphs(ctx, ws, fresh.Graph, u.Projector.Graph)
	if err != nil {
		return nil, false, err
	}
	vectors, err := fsck.CompareVectors(ctx, ws, fresh.Vectors, u.Projector.Vectors)
	if err != nil {
		return nil, false, err
	}
	after, err := u.moment(ctx, ws)
	return graph.Join(vectors), err == nil && before.still() && before == after, err
}

// settle waits as long as Patience for stores that lag behind and documents
// that are being read again.
func (u *Service) settle(ctx context.Context, ws domain.WorkspaceID) (moment, error) {
	deadline := time.Now().Add(u.Patience)
	for {
		at, err := u.moment(ctx, ws)
		if err != nil || at.still() || displacedAhead(at) || time.Now().After(deadline) {
			return at, err
		}
		select {
		case <-ctx.Done():
			return at, ctx.Err()
		case <-time.After(min(100*time.Millisecond, u.Patience)):
		}
	}
}

func displacedAhead(m moment) bool { return m.Graph > m.Head || m.Vectors > m.Head }

// most is how many changes are counted one by one.
const most = 1_000_000

// displaced are the stores that stand elsewhere than the ledger though nobody
// moves them.
func displaced(m moment) fsck.Found {
	found := fsck.Found{}
	for _, store := range []struct {
		at            int64
		behind, ahead fsck.Problem
	}{{m.Graph, fsck.GraphBehind, fsck.GraphAhead}, {m.Vectors, fsck.VectorsBehind, fsck.VectorsAhead}} {
		switch {
		case store.at < m.Head:
			found[store.behind] = make([]string, min(m.Head-store.at, most))
		case store.at > m.Head:
			found[store.ahead] = make([]string, min(store.at-m.Head, most))
		}
	}
	return found
}
