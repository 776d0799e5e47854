package qdrant_test

import (
	gocmp "cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit/long"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/qdrant"
	"github.com/clewhq/clew/internal/vectorstore/qdrant/qdranttest"
)

// turns lets through one request of several stores at a time, in an order that
// the test chooses.
type turns struct {
	server *qdranttest.Double

	mu      sync.Mutex
	waiting []*turn
}

// turn is a request that waits to be carried out.
type turn struct {
	who     int
	request proto.Message
	run     func() // carries it out
	over    chan struct{}
}

// call queues a request. When its context ends first, the request stays under
// way: a server may carry it out later.
func (q *turns) call(ctx context.Context, who int, method string, request, answer proto.Message) error {
	var err error
	var got any
	request = proto.Clone(request)
	t := &turn{who: who, request: request, over: make(chan struct{})}
	t.run = func() {
		got, err = q.server.Serve(context.WithoutCancel(ctx), method, request)
		close(t.over)
	}
	if who == nobody {
		t.run()
	} else {
		q.mu.Lock()
		q.waiting = append(q.waiting, t)
		q.mu.Unlock()
	}
	select {
	case <-t.over:
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
	if err == nil {
		proto.Merge(answer, got.(proto.Message)) //nolint:forcetypeassert // gRPC's
	}
	return err
}

// nobody is a store whose requests need no turn.
const nobody = -1

// next waits until nothing moves, and returns the requests that wait in an order
// that does not depend on chance.
func (q *turns) next() []*turn {
	synctest.Wait()
	q.mu.Lock()
	defer q.mu.Unlock()
	slices.SortStableFunc(q.waiting, func(a, b *turn) int {
		return gocmp.Or(gocmp.Compare(a.who, b.who), gocmp.Compare(fmt.Sprintf("%T", a.request), fmt.Sprintf("%T", b.request)), gocmp.Compare(collection(a.request), collection(b.request)))
	})
	return slices.Clone(q.waiting)
}

func collection(m proto.Message) string {
	if m, ok := m.(interface{ GetCollectionName() string }); ok {
		return m.GetCollectionName()
	}
	return ""
}

func (q *turns) let(t *turn) {
	q.mu.Lock()
	q.waiting = slices.DeleteFunc(q.waiting, func(w *turn) bool { return w == t })
	q.mu.Unlock()
	t.run()
	synctest.Wait()
}

// The library of the race: what the ledger's changes after 5 do. A document's
// title is the change that wrote it.
var changes = map[int64]domain.DocumentID{6: "replaced", 7: "passing", 8: "replaced again", deleted: "passing", last: "added"}

// The change that deletes a document again, and the last one.
const deleted, last = 9, 10

// state is the library after a change: documents with the change that wrote each.
func state(at int64) map[domain.DocumentID]int64 {
	all := map[domain.DocumentID]int64{"untouched": 5, "replaced": 5, "replaced again": 5}
	for c := int64(6); c <= at; c++ {
		all[changes[c]] = c
	}
	if at >= deleted {
		delete(all, "passing")
	}
	return all
}

// batchOf brings an index from one change to another.
func batchOf(token, after, cursor int64) vectorstore.Batch {
	b := vectorstore.Batch{Token: token, After: after, Cursor: cursor}
	for id, wrote := range state(cursor) {
		if wrote > after || after == 0 {
			b.DeleteDocuments = append(b.DeleteDocuments, id)
			for n := range 2 {
				for _, c := range vectorstore.Collections() {
					b.Upsert = append(b.Upsert, vectorstore.Point{
						Ref: vectorstore.Ref{Collection: c, ID: fmt.Sprintf("%s %d", id, n*int(wrote))}, Document: id, Title: fmt.Sprint(wrote),
					})
				}
			}
		}
	}
	if after < deleted && cursor >= deleted {
		b.DeleteDocuments = append(b.DeleteDocuments, "passing")
	}
	slices.Sort(b.DeleteDocuments)
	slices.SortFunc(b.Upsert, func(a, b vectorstore.Point) int { return gocmp.Compare(a.ID, b.ID) })
	return b
}

// contents lists the points of a server, with the change that wrote each.
func contents(d *qdranttest.Double) []string {
	var all []string
	for collection, points := range d.Payloads() {
		if strings.Contains(collection, "_cursors_") {
			continue
		}
		for _, p := range points {
			all = append(all, fmt.Sprintf("%s: %s by %s", collection, p["id"].GetStringValue(), p["title"].GetStringValue()))
		}
	}
	slices.Sort(all)
	return all
}

// A process writes to an index.
type process func(ctx context.Context, s *qdrant.Store) error

// applies is a process that brings the index from change 5 to another.
func applies(token, cursor int64) process {
	return func(ctx context.Context, s *qdrant.Store) error { return s.Apply(ctx, ws, batchOf(token, 5, cursor)) }
}

// fillsAgain is a process that resets the index and fills it.
func fillsAgain(token, cursor int64) process {
	return func(ctx context.Context, s *qdrant.Store) error {
		if err := s.Reset(ctx, ws, token); err != nil {
			return err
		}
		if err := s.Apply(ctx, ws, batchOf(token, 0, 6)); err != nil {
			return err
		}
		return s.Apply(ctx, ws, batchOf(token, 6, cursor))
	}
}

// goesOn is a process that brings the index from wherever it is to a change.
func goesOn(token, cursor int64) process {
	return func(ctx context.Context, s *qdrant.Store) error {
		at, err := s.Cursor(ctx, ws)
		if err != nil {
			return err
		}
		return s.Apply(ctx, ws, batchOf(token, at, cursor))
	}
}

// begins is a process that fills an index that may not exist.
func begins(token, cursor int64) process {
	return func(ctx context.Context, s *qdrant.Store) error { return s.Apply(ctx, ws, batchOf(token, 0, cursor)) }
}

// contest has two processes write at once to an index that is at change from. pick
// chooses, for as long as both have one, whose request comes next.
func contest(t *testing.T, processes [2]process, from, furthest int64, pick func(step int) int) (errs [2]error, difference string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		q := &turns{server: qdranttest.New()}
		free := q.store(t, nobody)
		if from > 0 {
			apply(t, free, batchOf(0, 0, from))
		}
		var wg sync.WaitGroup
		for i, p := range processes {
			s := q.store(t, i)
			wg.Go(func() { errs[i] = p(t.Context(), s) })
		}
		for step := 0; ; step++ {
			waiting := q.next()
			if len(waiting) == 0 {
				break
			}
			next := waiting[0]
			if at := slices.IndexFunc(waiting, func(w *turn) bool { return w.who != next.who }); at > 0 && pick(step) == 1 {
				next = waiting[at]
			}
			q.let(next)
		}
		wg.Wait()
		difference = q.finish(t, free, furthest) + q.finish(t, free, last)
	})
	return errs, difference
}

// finish brings an index to a change, if it is not there, and compares it with one
// that nobody disturbed.
func (q *turns) finish(t *testing.T, s *qdrant.Store, change int64) string {
	t.Helper()
	at, err := s.Cursor(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	if at < change {
		apply(t, s, batchOf(9, at, change))
	}
	undisturbed := &turns{server: qdranttest.New()}
	apply(t, undisturbed.store(t, nobody), batchOf(0, 0, change))
	return cmp.Diff(contents(undisturbed.server), contents(q.server))
}

// store returns the store of a process, whose opening needs no turn.
func (q *turns) store(t *testing.T, who int) *qdrant.Store {
	t.Helper()
	opened := false
	s := open(t, options("http://127.0.0.1:1").Through(func(ctx context.Context, method string, request, answer any, _ *grpc.ClientConn, _ grpc.UnaryInvoker, _ ...grpc.CallOption) error {
		as := who
		if !opened {
			as = nobody
		}
		return q.call(ctx, as, method, request.(proto.Message), answer.(proto.Message)) //nolint:forcetypeassert // gRPC's
	}))
	opened = true
	return s
}

// TestTwoProcessesAtOnce interleaves the requests of two processes: each is
// interrupted once, or the first twice, after every number of requests, and then
// at random.
func TestTwoProcessesAtOnce(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	const longest = 16 // requests of a batch
	for name, race := range map[string]struct {
		one, other     process
		from, furthest int64
	}{
		"the second goes further":           {applies(1, 7), applies(1, 8), 5, 8},
		"the first goes further":            {applies(1, 8), applies(1, 7), 5, 8},
		"the first writes what is deleted":  {applies(1, 8), applies(1, 9), 5, 9},
		"the second writes what is deleted": {applies(1, 9), applies(1, 8), 5, 9},
		"both go as far":                    {applies(1, 7), applies(1, 7), 5, 7},
		"the second has a later lease":      {applies(1, 8), applies(2, 7), 5, 8},
		"the second goes on from the first": {applies(1, 7), goesOn(2, 9), 5, 9},
		"the second fills it again":         {applies(1, 8), fillsAgain(2, 9), 5, 9},
		"neither finds an index":            {begins(1, 7), begins(1, 8), 0, 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad, races := 0, 0
			check := func(order string, pick func(step int) int) {
				t.Helper()
				races++
				errs, difference := contest(t, [2]process{race.one, race.other}, race.from, race.furthest, pick)
				won := slices.Index(errs[:], nil)
				if won >= 0 && errs[1-won] != nil && domain.KindOf(errs[1-won]) != domain.Conflict {
					won = -1
				}
				if difference != "" || won < 0 {
					bad++
					t.Errorf("%s: errors %v, -undisturbed +got\n%s", order, errs, difference)
				}
			}
			for first := range longest {
				for second := 0; second < 2*longest; second += long.Or(8, 1) {
					check(fmt.Sprintf("%d requests, then %d", first, second), func(step int) int {
						if step < first || step >= first+second {
							return 0
						}
						return 1
					})
				}
			}
			for seed := range long.Or[uint64](10, 500) {
				r := rand.New(rand.NewPCG(seed, 1))
				check(fmt.Sprint("seed ", seed), func(int) int { return r.IntN(2) })
			}
			t.Logf("%d of %d races ended with a difference", bad, races)
		})
	}
}

// TestADeadProcess has a process die after every number of requests. Its last
// ones come late, after every number of requests of the process that takes over.
func TestADeadProcess(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	const longest = 16
	for dies := range longest {
		for late := 0; late < longest+2; late += long.Or(3, 1) {
			synctest.Test(t, func(t *testing.T) {
				q := &turns{server: qdranttest.New()}
				free := q.store(t, nobody)
				apply(t, free, batchOf(0, 0, 5))
				ctx, kill := context.WithCancel(t.Context())
				dead, heir := q.store(t, 0), q.store(t, 1)
				var wg sync.WaitGroup
				wg.Go(func() { _ = dead.Apply(ctx, ws, batchOf(1, 5, 8)) })
				for range dies {
					if waiting := q.next(); len(waiting) > 0 {
						q.let(waiting[0])
					}
				}
				synctest.Wait()
				kill()
				wg.Wait()
				left := q.next()
				at, err := free.Cursor(t.Context(), ws)
				if err != nil {
					t.Fatal(err)
				}
				if at == 5 {
					wg.Go(func() { err = heir.Apply(t.Context(), ws, batchOf(2, 5, 9)) })
				}
				for step := 0; ; step++ {
					waiting := slices.DeleteFunc(q.next(), func(w *turn) bool { return w.who == 0 && step < late })
					if len(waiting) == 0 && step >= late {
						break
					}
					if len(waiting) > 0 {
						q.let(waiting[0])
					}
				}
				wg.Wait()
				if difference := q.finish(t, free, last); difference != "" || err != nil && domain.KindOf(err) != domain.Conflict {
					t.Errorf("dead after %d requests, %d come late after %d: error %v, -undisturbed +got\n%s", dies, len(left), late, err, difference)
				}
			})
		}
	}
}

// TestAnInterruptedReset has a process die after every number of requests of a
// reset, of an index with a document that no change mentions.
func TestAnInterruptedReset(t *testing.T) {
	t.Parallel()
	for dies := range 8 {
		synctest.Test(t, func(t *testing.T) {
			q := &turns{server: qdranttest.New()}
			free := q.store(t, nobody)
			apply(t, free, vectorstore.Batch{Cursor: 5, Upsert: []vectorstore.Point{point(vectorstore.Chunks, "of another ledger")}})
			ctx, kill := context.WithCancel(t.Context())
			dead := q.store(t, 0)
			var wg sync.WaitGroup
			wg.Go(func() { _ = dead.Reset(ctx, ws, 1) })
			for range dies {
				if waiting := q.next(); len(waiting) > 0 {
					q.let(waiting[0])
				}
			}
			synctest.Wait()
			kill()
			wg.Wait()
			at, err := free.Cursor(t.Context(), ws)
			if err != nil || at != 0 && at != 5 {
				t.Fatalf("the cursor is at %d, %v", at, err)
			}
			if at == 5 {
				return
			}
			if difference := q.finish(t, free, last); difference != "" {
				t.Errorf("dead after %d requests: -undisturbed +got\n%s", dies, difference)
			}
		})
	}
}
