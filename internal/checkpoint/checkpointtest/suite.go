// Package checkpointtest tests checkpointers against their contract.
package checkpointtest

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/stategraph"
)

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// suite is one test with an empty checkpointer.
type suite struct {
	*testing.T
	stategraph.Checkpointer
	clock *clock
}

// Run tests the contract of stategraph.Checkpointer. It calls open for each
// subtest, for an empty checkpointer that reads the given clock.
func Run(t *testing.T, open func(t *testing.T, now func() time.Time) stategraph.Checkpointer) {
	t.Helper()
	for name, test := range map[string]func(*suite){
		"one writer":           oneWriter,
		"take over":            takeOver,
		"load":                 load,
		"long threads":         long,
		"all or none":          allOrNone,
		"threads are separate": separate,
		"prune":                prune,
		"concurrent writers":   concurrent,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &clock{now: began}
			test(&suite{t, open(t, c.read), c})
		})
	}
}

// Records returns all that Load yields, with copies of the data.
func Records(read iter.Seq2[stategraph.Record, error]) (all []stategraph.Record, err error) {
	for r, err := range read {
		if err != nil {
			return nil, err
		}
		r.Data = bytes.Clone(r.Data)
		all = append(all, r)
	}
	return all, nil
}

func (s *suite) acquire(thread string) int64 {
	s.Helper()
	token, err := s.Acquire(s.Context(), thread)
	if err != nil {
		s.Fatalf("acquire %s: %v", thread, err)
	}
	return token
}

func (s *suite) write(thread string, token int64, records ...stategraph.Record) {
	s.Helper()
	if err := s.Append(s.Context(), thread, token, records); err != nil {
		s.Fatalf("append to %s: %v", thread, err)
	}
}

func (s *suite) wants(err, want error, what string) {
	s.Helper()
	if !errors.Is(err, want) {
		s.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func (s *suite) holds(thread, scope string, from, to int, want ...stategraph.Record) {
	s.Helper()
	got, err := Records(s.Load(s.Context(), thread, scope, from, to))
	if err != nil {
		s.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(time.Time.Equal), cmp.Comparer(sameData)); diff != "" {
		s.Errorf("%s %q from %d to %d (-want +got):\n%s", thread, scope, from, to, diff)
	}
}

func sameData(a, b []byte) bool { return string(a) == string(b) }

func record(kind stategraph.RecordKind, step int, data string) stategraph.Record {
	return stategraph.Record{Kind: kind, Step: step, Version: 3, At: began.Add(time.Duration(step) * time.Microsecond), Data: []byte(data)}
}

func in(scope string, r stategraph.Record) stategraph.Record { r.Scope = scope; return r }

func about(id string, r stategraph.Record) stategraph.Record { r.ID, r.Task = id, 7; return r }

func oneWriter(s *suite) {
	first, second := s.acquire("t"), s.acquire("t")
	if first == second {
		s.Fatal("both writers have the same token")
	}
	if first != 1 {
		s.Errorf("the token of a new thread is %d, want 1", first)
	}
	snapshot := record(stategraph.RecordSnapshot, 0, "{}")
	s.wants(s.Append(s.Context(), "t", first, []stategraph.Record{snapshot}), stategraph.ErrThreadTaken, "append by the first")
	s.wants(s.Append(s.Context(), "t", first, []stategraph.Record{snapshot, snapshot}), stategraph.ErrThreadTaken, "append of two by the first")
	s.write("t", second, snapshot)
	s.holds("t", "", 0, 0, snapshot)
	s.acquire("t")
	s.wants(s.Append(s.Context(), "t", second, []stategraph.Record{snapshot}), stategraph.ErrThreadTaken, "append by the second")
	s.wants(s.Append(s.Context(), "unknown", 1, []stategraph.Record{snapshot}), stategraph.ErrThreadTaken, "append to no thread")
}

// takeOver acquires a thread while another writer appends to it: nothing that
// one writes appears afterwards.
func takeOver(s *suite) {
	first := s.acquire("t")
	s.write("t", first, record(stategraph.RecordSnapshot, 0, "{}"))
	begun, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			one, two := record(stategraph.RecordWrite, 1, "one"), record(stategraph.RecordWrite, 1, "two")
			if err := s.Append(s.Context(), "t", first, []stategraph.Record{one, two}[:1+i%2]); err != nil {
				s.wants(err, stategraph.ErrThreadTaken, "append by the writer that lost it")
				return
			}
			if i == 3 {
				close(begun)
			}
		}
	}()
	<-begun
	s.acquire("t")
	count := func() int {
		all, err := Records(s.Load(s.Context(), "t", "", 1, 1))
		if err != nil {
			s.Fatal(err)
		}
		return len(all)
	}
	then := count()
	<-done
	if now := count(); now != then || now < 5 {
		s.Errorf("%d records when it was taken over, %d later", then, now)
	}
}

func load(s *suite) {
	s.holds("unknown", "", 9, 9)
	token := s.acquire("t")
	s.holds("t", "", 9, 9)
	zero, one, two := record(stategraph.RecordSnapshot, 0, "zero"), record(stategraph.RecordPlan, 1, "one"), record(stategraph.RecordPlan, 2, "two")
	inner := in("2:sub/", record(stategraph.RecordSnapshot, 0, "inner"))
	asks := about("q", in("2:sub/", record(stategraph.RecordInterrupt, 1, "asks")))
	snap, three := record(stategraph.RecordSnapshot, 2, "snap"), record(stategraph.RecordPlan, 3, "three")
	write, end := record(stategraph.RecordWrite, 3, "write"), stategraph.Record{Kind: stategraph.RecordEnd, Step: 3, At: began}
	s.write("t", token, zero)
	s.write("t", token, one, inner)
	s.write("t", token, two, asks, snap, three, write, end)
	s.holds("t", "", 9, 9, snap, three, write, end)
	s.holds("t", "", 2, 9, snap, three, write, end)
	s.holds("t", "", 9, 0, snap)
	s.holds("t", "", 1, 1, zero, one)
	s.holds("t", "", 0, 0, zero)
	s.holds("t", "", 1, 2, zero, one, two, snap)
	s.holds("t", "2:sub/", 9, 9, inner, asks)
	s.holds("t", "2:", 9, 9)
	answered := about("q", in("2:sub/", record(stategraph.RecordAnswer, 1, "answered")))
	s.write("t", token, answered)
	got, err := s.Questions(s.Context(), "t")
	if diff := cmp.Diff([]stategraph.Record{asks, answered}, got, cmp.Comparer(time.Time.Equal)); err != nil || diff != "" {
		s.Errorf("questions (-want +got), %v:\n%s", err, diff)
	}
}

// long writes hundreds of small records and a large one, alone and several at
// once, alternating between a graph and its subgraph, with an occasional snapshot
// and question, and reads them at every step.
func long(s *suite) {
	token := s.acquire("t")
	var all, waiting []stategraph.Record
	note := func(r stategraph.Record) { all, waiting = append(all, r), append(waiting, r) }
	note(record(stategraph.RecordSnapshot, 0, "began"))
	note(in("sub", record(stategraph.RecordSnapshot, 0, "began")))
	const last = 120
	for step := 1; step <= last; step++ {
		note(record(stategraph.RecordPlan, step, fmt.Sprintf("plan %d\n\x00", step)))
		for task := range step % 4 {
			w := record(stategraph.RecordWrite, step, strings.Repeat("w", (step*task)%90))
			w.Task = task
			note(w)
			note(in("sub", w))
		}
		switch step % 40 {
		case 17:
			note(about(fmt.Sprint(step), record(stategraph.RecordInterrupt, step, "asks")))
		case 29:
			note(record(stategraph.RecordWrite, step, strings.Repeat("large", 5000)))
		case 39:
			note(record(stategraph.RecordSnapshot, step, "snapshot"))
			note(in("sub", record(stategraph.RecordWrite, step-2, "of an earlier step")))
		}
		if step%3 == 0 || step == last {
			s.write("t", token, waiting...)
			waiting = nil
		} else if len(waiting) > 1 {
			s.write("t", token, waiting[0])
			waiting = waiting[1:]
		}
	}
	for step := 0; step <= last; step++ {
		s.holds("t", "", step, step, expected(all, "", step, step)...)
		s.holds("t", "sub", last, step, expected(all, "sub", last, step)...)
	}
	s.holds("t", "", 0, last, expected(all, "", 0, last)...)
}

// expected returns the records Load yields once all are written.
func expected(all []stategraph.Record, scope string, from, to int) (found []stategraph.Record) {
	for _, r := range all {
		switch {
		case r.Scope != scope:
		case r.Kind == stategraph.RecordSnapshot && r.Step <= from:
			found = []stategraph.Record{r}
		case r.Step <= to && len(found) > 0:
			found = append(found, r)
		}
	}
	return found
}

func allOrNone(s *suite) {
	token := s.acquire("t")
	s.write("t", token, record(stategraph.RecordSnapshot, 0, "{}"))
	many := make([]stategraph.Record, 500)
	for i := range many {
		many[i] = record(stategraph.RecordWrite, 1, fmt.Sprint(i))
		many[i].Task = i
	}
	s.wants(s.Append(s.Context(), "t", token+1, many), stategraph.ErrThreadTaken, "append with a wrong token")
	s.holds("t", "", 9, 9, record(stategraph.RecordSnapshot, 0, "{}"))
	s.write("t", token, many...)
	s.holds("t", "", 9, 9, append([]stategraph.Record{record(stategraph.RecordSnapshot, 0, "{}")}, many...)...)
}

func separate(s *suite) {
	a, b := s.acquire("a"), s.acquire("b")
	one, other := record(stategraph.RecordSnapshot, 0, "a"), record(stategraph.RecordSnapshot, 0, "b")
	s.write("a", a, one)
	s.write("b", b, other)
	s.write("a", a, about("q", record(stategraph.RecordInterrupt, 1, "a")))
	s.holds("b", "", 9, 9, other)
	if got, err := s.Questions(s.Context(), "b"); err != nil || got != nil {
		s.Errorf("b asks %v, %v", got, err)
	}
	s.wants(s.Delete(s.Context(), "a"), nil, "delete")
	s.holds("a", "", 9, 9)
	s.holds("b", "", 9, 9, other)
	s.wants(s.Append(s.Context(), "a", a, []stategraph.Record{one}), stategraph.ErrThreadTaken, "append to a deleted thread")
	s.wants(s.Delete(s.Context(), "a"), nil, "delete again")
}

func prune(s *suite) {
	begin := func(thread string, records ...stategraph.Record) {
		s.write(thread, s.acquire(thread), append([]stategraph.Record{record(stategraph.RecordSnapshot, 0, "{}")}, records...)...)
	}
	q1, q2 := about("1", record(stategraph.RecordInterrupt, 1, "?")), about("2", record(stategraph.RecordInterrupt, 1, "?"))
	a1 := about("1", record(stategraph.RecordAnswer, 1, "!"))
	begin("old")
	begin("answered", q1, a1)
	begin("waits", q1, q2, a1)
	begin("reopened")
	at := s.acquire("long")
	s.clock.move(time.Hour)
	s.acquire("reopened")
	late := record(stategraph.RecordSnapshot, 0, "{}")
	late.At = s.clock.read()
	s.write("long", at, late)
	begin("young")
	n, err := s.Prune(s.Context(), began.Add(30*time.Minute))
	if n != 2 || err != nil {
		s.Errorf("pruned %d, %v; want 2", n, err)
	}
	for thread, stays := range map[string]bool{"old": false, "answered": false, "waits": true, "reopened": true, "long": true, "young": true} {
		if got, err := Records(s.Load(s.Context(), thread, "", 0, 0)); err != nil || (len(got) > 0) != stays {
			s.Errorf("%s stays: %t, want %t (%v)", thread, len(got) > 0, stays, err)
		}
	}
}

func concurrent(s *suite) {
	token := s.acquire("t")
	s.write("t", token, record(stategraph.RecordSnapshot, 0, "{}"))
	var all sync.WaitGroup
	const writers, each = 8, 20
	for w := range writers {
		all.Go(func() {
			for i := range each {
				r := record(stategraph.RecordWrite, 1, fmt.Sprint(i))
				r.Task = w
				if err := s.Append(s.Context(), "t", token, []stategraph.Record{r}); err != nil {
					s.Error(err)
				}
				if _, err := Records(s.Load(s.Context(), "t", "", 9, 9)); err != nil {
					s.Error(err)
				}
			}
		})
	}
	all.Wait()
	got, err := Records(s.Load(s.Context(), "t", "", 9, 9))
	if err != nil || len(got) != 1+writers*each {
		s.Fatalf("%d records, %v", len(got), err)
	}
	next := [writers]int{}
	for _, r := range got[1:] {
		if string(r.Data) != fmt.Sprint(next[r.Task]) {
			s.Fatalf("writer %d: record %s where %d was written", r.Task, r.Data, next[r.Task])
		}
		next[r.Task]++
	}
}
