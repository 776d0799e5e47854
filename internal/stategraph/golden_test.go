package stategraph

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/google/go-cmp/cmp"
)

// rewrite is a flag to rewrite the golden thread of this version. Those of earlier
// versions stay.
var rewrite = flag.Bool("update", false, "write testdata/thread_v3.json")

// The state has had three versions: version 1 called the word "note", and version 2
// called high "top".
func versioned(k *kit) *kit {
	rename := func(from, to string) func(map[string]json.RawMessage) error {
		return func(members map[string]json.RawMessage) error {
			if value, ok := members[from]; ok {
				members[to] = value
				delete(members, from)
			}
			return nil
		}
	}
	k.fields.schema.Upcast(1, rename("note", "word"))
	k.fields.schema.Upcast(2, rename("top", "high"))
	return k
}

// everything builds a graph whose thread holds every kind of record: payloads, a
// waiting join, and a subgraph that asks beside finished tasks.
func everything(t testing.TB, store Checkpointer) *Graph[board] {
	in := versioned(newKitOf(t, 3))
	in.logs("before")
	in.Node("ask", func(ctx *Context, _ board) (update, error) {
		answer, err := Interrupt[string](ctx, "?")
		return state.Merge(in.log.Add(answer), in.high.Raise(7)), err
	}, MayInterrupt())
	in.path(Start, "before", "ask", End)

	k := versioned(newKitOf(t, 3))
	k.logs("a", "b", "last")
	task := Task(k.Builder, "work", func(_ *Context, n int) (update, error) {
		return state.Merge(k.total.Add(float64(n)), k.cards.Put(card{"1", "one"})), nil
	})
	Subgraph(k.Builder, "sub", in.compile(AsSubgraph()), func(s board) board { return board{High: s.High} },
		func(_, last board) update { return state.Merge(k.log.Add(last.Log...), k.high.Raise(last.High)) })
	k.Node("first", func(*Context, board) (update, error) { return state.Merge(k.word.Set("said"), k.high.Raise(3)), nil })
	k.path(Start, "first", "a")
	k.Edge("first", "b")
	k.Branch("b", "each", func(*Context, board) (route, error) {
		return Choose[board]("sub").And(Fan(task.Send(1), task.Send(2))), nil
	}, Case{"each", "work"}, Case{"sub", "sub"})
	k.Join("last", "a", "sub")
	k.path("work", End)
	k.path("last", End)
	return k.compile(WithCheckpointer(store))
}

// A thread stored by each version can be resumed.
func TestThreadsOfEveryVersionAreGoneOnWith(t *testing.T) {
	t.Parallel()
	want := board{
		Word: "said", Log: []string{"a", "b", "before", "yes", "last"}, Cards: []card{{"1", "one"}}, High: 7, Total: 3,
	}
	for _, version := range []string{"thread_v2.json", "thread_v3.json"} {
		store := newMortal()
		store.threads["t"] = golden(t, version)
		g := everything(t, store)
		questions, err := g.Questions(t.Context(), "t")
		if err != nil || len(questions) != 1 {
			t.Fatalf("%s: it asks %v, %v", version, questions, err)
		}
		s, err := g.Resume(t.Context(), "t", Answer(questions[0].ID, "yes"))
		if diff := cmp.Diff(want, s); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", version, err, diff)
		}
		history, err := g.History(t.Context(), "t", 9)
		if err != nil || len(history) != 5 || history[4].State.Word != "" || history[3].State.High != 3 {
			t.Errorf("%s: history %+v, %v", version, history, err)
		}
	}
}

// The stored form does not change by accident: a change needs a golden thread of the
// old form, and code to read it.
func TestThreadsAreWrittenAsEver(t *testing.T) {
	t.Parallel()
	store := newMortal()
	clock := &stillClock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	_, err := everything(t, store).Run(t.Context(), board{}, Thread("t"), Time(clock), MaxConcurrency(1))
	ids(t, err)
	if *rewrite {
		data, err := json.MarshalIndent(store.threads["t"], "", " ")
		if err == nil {
			err = os.WriteFile(filepath.Join("testdata", "thread_v3.json"), append(data, '\n'), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(lines(golden(t, "thread_v3.json")), lines(store.threads["t"])); diff != "" {
		t.Errorf("records (-as ever +now)\n%s", diff)
	}
}

// lines renders records.
func lines(records []Record) []string {
	var out []string
	for _, r := range records {
		data, _ := json.Marshal(r)
		out = append(out, string(data)+" "+string(r.Data))
	}
	return out
}

func golden(t *testing.T, name string) (records []Record) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err == nil {
		err = json.Unmarshal(data, &records)
	}
	if err != nil {
		t.Fatal(err)
	}
	return records
}
