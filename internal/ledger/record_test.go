package ledger_test

import (
	"database/sql"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

func embeddings(t *testing.T, b Bench) {
	ctx := t.Context()
	vectors := map[string][]float32{
		"h1": {0.5, -1, float32(math.Pi)}, "h2": {math.MaxFloat32, math.SmallestNonzeroFloat32, 0}, "h3": {1, 2, 3},
	}
	must(t, b.Ledger.SaveEmbeddings(ctx, "m", map[string][]float32{"h1": {9, 9, 9}}))
	must(t, b.Ledger.SaveEmbeddings(ctx, "m", vectors))
	must(t, b.Ledger.SaveEmbeddings(ctx, "other", map[string][]float32{"h1": {1}}))
	for _, dimension := range []int{0, 3} {
		got, err := b.Ledger.Embeddings(ctx, "m", dimension, []string{"h3", "h1", "h2", "h1", "unknown"})
		must(t, err)
		if diff := cmp.Diff(vectors, got); diff != "" {
			t.Errorf("dimension %d (-want +got)\n%s", dimension, diff)
		}
	}
	dimensions(t, b)

	many, hashes := map[string][]float32{}, []string(nil)
	for i := range 1200 { // more than one batch
		hash := fmt.Sprint("n", i)
		many[hash], hashes = []float32{float32(i)}, append(hashes, hash)
	}
	must(t, b.Ledger.SaveEmbeddings(ctx, "m", many))
	got, err := b.Ledger.Embeddings(ctx, "m", 0, hashes)
	must(t, err)
	if diff := cmp.Diff(many, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got, err = b.Ledger.Embeddings(ctx, "m", 0, nil); err != nil || len(got) != 0 {
		t.Errorf("no ids: got %v, error %v", got, err)
	}
}

// dimensions saves vectors of a model that comes to make others.
func dimensions(t *testing.T, b Bench) {
	t.Helper()
	ctx := t.Context()
	before, after := map[string][]float32{"a": {1, 2}, "b": {3, 4}}, map[string][]float32{"a": {1, 2, 3, 4}}
	must(t, b.Ledger.SaveEmbeddings(ctx, "grows", before))
	must(t, b.Ledger.SaveEmbeddings(ctx, "grows", after))
	if d, err := b.Ledger.Dimension(ctx, "grows"); d != 4 || err != nil {
		t.Errorf("got dimension %d, error %v", d, err)
	}
	if d, err := b.Ledger.Dimension(ctx, "unknown"); d != 0 || err != nil {
		t.Errorf("of an unknown model: got dimension %d, error %v", d, err)
	}
	for dimension, want := range map[int]map[string][]float32{0: after, 2: before, 4: after, 3: {}} {
		got, err := b.Ledger.Embeddings(ctx, "grows", dimension, []string{"a", "b"})
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("dimension %d (-want +got)\n%s", dimension, diff)
		}
	}
	for _, wrong := range []map[string][]float32{{"a": {1}, "b": {1, 2}}, {"a": {}}} {
		if err := b.Ledger.SaveEmbeddings(ctx, "grows", wrong); err == nil {
			t.Errorf("saved %v", wrong)
		}
	}
}

func modelCalls(t *testing.T, b Bench) {
	ctx := t.Context()
	if got, err := b.Ledger.ModelCall(ctx, "k"); got != nil || err != nil {
		t.Errorf("before any call: got %s, error %v", got, err)
	}
	want := []byte(`{"text":"über","tool_calls":[{"id":"c","name":"grade","arguments":"{\"x\":1}"}],"usage":{"input":3}}`)
	must(t, b.Ledger.SaveModelCall(ctx, "k", domain.CallOwner{}, answer("earlier")))
	must(t, b.Ledger.SaveModelCall(ctx, "k", domain.CallOwner{}, want))
	got, err := b.Ledger.ModelCall(ctx, "k")
	must(t, err)
	if string(got) != string(want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

// countedCalls records answers with what they used. What has read a document that is
// gone is not recorded, but was paid for.
func countedCalls(t *testing.T, b Bench) {
	ctx := t.Context()
	there, gone := domain.CallOwner{Workspace: ws}, domain.CallOwner{Workspace: ws, Document: "gone"}
	for key, owner := range map[string]domain.CallOwner{"there": there, "gone": gone} {
		must(t, b.Ledger.SaveCountedCall(ctx, key, owner, answer("Ada"), ws, ledger.Usage{Day: "2026-11-01", Calls: 1, Role: "grade", Usage: domain.Usage{Model: "big", Input: 7}}))
	}
	kept, err := b.Ledger.ModelCall(ctx, "there")
	must(t, err)
	lost, err := b.Ledger.ModelCall(ctx, "gone")
	must(t, err)
	if string(kept) != string(answer("Ada")) || lost != nil {
		t.Errorf("recorded %s, and %s of a document that is gone", kept, lost)
	}
	used, err := b.Ledger.Usage(ctx, ws, ledger.UsageQuery{})
	must(t, err)
	if diff := cmp.Diff([]ledger.Usage{{Day: "2026-11-01", Calls: 2, Usage: domain.Usage{Model: "big", Input: 14}}}, used); diff != "" {
		t.Errorf("counted (-want +got)\n%s", diff)
	}
}

// gatheredCalls keeps calls on a tab until a transaction takes them along: whole, once,
// and not when it fails.
func gatheredCalls(t *testing.T, b Bench) {
	ctx, tab := b.Ledger.WithTab(t.Context())
	counted := func(key string, document domain.DocumentID) {
		t.Helper()
		owner := domain.CallOwner{Workspace: ws, Document: document}
		must(t, b.Ledger.SaveCountedCall(ctx, key, owner, answer(key), ws, ledger.Usage{Day: "2026-11-01", Calls: 1, Usage: domain.Usage{Model: "big", Input: 7}}))
	}
	holds := func(when string, calls int, keys ...string) {
		t.Helper()
		for _, key := range keys {
			if got, err := b.Ledger.ModelCall(t.Context(), key); err != nil || string(got) != string(answer(key)) {
				t.Errorf("%s: %s is answered by %q, error %v", when, key, got, err)
			}
		}
		used, err := b.Ledger.Usage(t.Context(), ws, ledger.UsageQuery{Together: true})
		must(t, err)
		if n := len(used); n > 1 || n == 1 && used[0].Calls != calls || n == 0 && calls > 0 {
			t.Errorf("%s: counted %+v, want %d calls", when, used, calls)
		}
	}
	counted("a", "")
	counted("b", "")
	holds("on the tab", 0, "a", "b")
	write := func(k domain.ConversationID, number int, then error) (int, error) {
		taken := tab.Take(number)
		begin := ledger.Conversation{ID: k, Workspace: ws, CreatedAt: b.Clock.Now(), UpdatedAt: b.Clock.Now()}
		return taken.N, b.Ledger.AddAnswerTx(ctx, &begin, ledger.Answer{Message: domain.MessageID(k), Workspace: ws, Conversation: k, Run: domain.RunID(k)}, func(tx *sql.Tx) error {
			_, err := b.Ledger.AddEventsTx(ctx, tx, ws, domain.RunID(k), nil, taken)
			return errors.Join(err, then)
		})
	}
	failed := errors.New("the other write failed")
	if _, err := write("k1", 1, failed); !errors.Is(err, failed) {
		t.Errorf("got error %v", err)
	}
	holds("after a failure", 0, "a", "b")
	n, err := write("k2", 1, nil) // tried again
	must(t, err)
	_, err = write("k3", 2, nil) // another one, before the first is known to be written
	must(t, err)
	tab.Wrote(n)
	holds("written", 2, "a", "b")
	counted("c", "")
	counted("d", "gone")
	must(t, tab.Close(t.Context()))
	holds("closed", 4, "a", "b", "c")
	must(t, tab.Close(t.Context()))
	holds("closed twice", 4, "c")
	if lost, err := b.Ledger.ModelCall(t.Context(), "d"); lost != nil || err != nil {
		t.Errorf("recorded %s of a document that is gone, error %v", lost, err)
	}
}

// answer returns a recorded model answer.
func answer(text string) []byte { return []byte(`{"text":"` + text + `"}`) }

// run adds a run to the queue.
func (b Bench) run(t *testing.T, id domain.RunID, kind, subject string) {
	t.Helper()
	must(t, b.Queue.Add(t.Context(), ws, id, kind, subject, ""))
}

// event appends one event with the given JSON.
func (b Bench) event(t *testing.T, run domain.RunID, seq int, json string) {
	t.Helper()
	must(t, b.Ledger.AppendEvents(t.Context(), ws, run, []ledger.EventRow{{Seq: seq, At: b.Clock.Now(), JSON: []byte(json)}}))
}

func events(t *testing.T, b Bench) {
	ctx := t.Context()
	b.run(t, "r1", "answer", "m1")
	rows := []ledger.EventRow{
		{Seq: 1, At: b.Clock.Now(), JSON: []byte(`{"kind":"run start"}`)},
		{Seq: 2, At: b.Clock.Now().Add(time.Millisecond), JSON: []byte(`{"kind":"日本"}`)},
		{Seq: 3, At: b.Clock.Now().Add(time.Second), JSON: []byte(`{}`)},
	}
	must(t, b.Ledger.AppendEvents(ctx, ws, "r1", rows[:2]))
	must(t, b.Ledger.AppendEvents(ctx, ws, "r1", rows[2:]))
	for after := range 4 {
		got, err := b.Ledger.Events(ctx, ws, "r1", after)
		must(t, err)
		if diff := cmp.Diff(append([]ledger.EventRow(nil), rows[after:]...), got); diff != "" {
			t.Errorf("after %d: -want +got\n%s", after, diff)
		}
	}
	if got, err := b.Ledger.Events(ctx, "another", "r1", 0); err != nil || len(got) != 0 {
		t.Errorf("another workspace: got %d events, error %v", len(got), err)
	}
	wantKind(t, b.Ledger.AppendEvents(ctx, ws, "r1", rows[2:]), domain.Conflict)
	wantKind(t, b.Ledger.AppendEvents(ctx, ws, "gone", rows), domain.NotFound)
	wantKind(t, b.Ledger.AppendEvents(ctx, "another", "r1", rows), domain.NotFound)
}

// eventsAdded checks that added events are numbered after the run's last one,
// and rolled back with the transaction.
func eventsAdded(t *testing.T, b Bench) {
	ctx := t.Context()
	b.run(t, "r1", "answer", "m1")
	undone := errors.New("undone")
	add := func(run domain.RunID, after error) error {
		return sqlio.InTx(ctx, b.Writer, func(tx *sql.Tx) error {
			rows := []ledger.EventRow{{At: b.Clock.Now(), JSON: []byte(`{"n":1}`)}, {At: b.Clock.Now(), JSON: []byte(`{"n":2}`)}}
			if _, err := b.Ledger.AddEventsTx(ctx, tx, ws, run, rows, ledger.Calls{}); err != nil {
				return err
			}
			return after
		})
	}
	must(t, add("r1", nil))
	if err := add("r1", undone); !errors.Is(err, undone) {
		t.Errorf("got error %v, want the transaction rolled back", err)
	}
	must(t, add("r1", nil))
	got, err := b.Ledger.Events(ctx, ws, "r1", 0)
	must(t, err)
	if len(got) != 4 || got[3].Seq != 4 || string(got[3].JSON) != `{"n":2}` {
		t.Errorf("got events %v, want four, numbered without gaps", got)
	}
	wantKind(t, add("gone", nil), domain.NotFound)
}
