package compare

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
)

func plain(_ []string, update json.RawMessage) (json.RawMessage, error) { return update, nil }

// ends returns the events of tasks of nodes that ended, given as node, super-step,
// task and update.
func ends(list ...trace.Event) []trace.Event {
	for i := range list {
		list[i].Seq, list[i].Path = i+1, append([]string{"g"}, list[i].Path...)
		if list[i].Kind == "" {
			list[i].Kind = string(stategraph.NodeEnd)
		}
	}
	return append(list, trace.Event{Seq: len(list) + 1, Kind: trace.Settled, Label: "done"})
}

func TestCompare(t *testing.T) {
	t.Parallel()
	find := trace.Event{Node: "find", Step: 1, Update: json.RawMessage(`{"found":[{"id":"a","grade":"yes"},{"id":"b"}],"n":1}`)}
	write := trace.Event{Node: "write", Step: 2, Update: json.RawMessage(`{"text":"so"}`)}
	first := trace.Event{Node: "grade", Step: 3, Task: 0, Update: json.RawMessage(`{"g":1}`)}
	second := trace.Event{Node: "grade", Step: 3, Task: 1, Update: json.RawMessage(`{"g":2}`)}
	changed := func(e trace.Event, update string) trace.Event {
		e.Update = json.RawMessage(update)
		return e
	}
	failed := trace.Event{Kind: string(stategraph.NodeFailed), Node: "write", Step: 2, Problem: "Not asked before."}
	same := Node{Name: "find", Mark: Same}
	for name, tt := range map[string]struct {
		before, after []trace.Event
		want          []Node
	}{
		"the same":              {ends(find, write), ends(find, write), []Node{same, {Name: "write", Mark: Same}}},
		"another order":         {ends(find), ends(changed(find, `{"n":1,"found":[{"grade":"yes","id":"a"},{"id":"b"}]}`)), []Node{same}},
		"tasks out of order":    {ends(first, second), ends(second, first), []Node{{Name: "grade", Mark: Same}}},
		"deep inside":           {ends(find), ends(changed(find, `{"found":[{"id":"a","grade":"no"},{"id":"b"}],"n":1}`)), []Node{{Name: "find", Mark: Differs, Difference: diff("found[0].grade", `"yes"`, `"no"`)}}},
		"fewer":                 {ends(find), ends(changed(find, `{"found":[{"id":"a","grade":"yes"}],"n":1}`)), []Node{{Name: "find", Mark: Differs, Difference: diff("found[1]", `{"id":"b"}`, "")}}},
		"a field more":          {ends(find), ends(changed(find, `{"found":[{"id":"a","grade":"yes"},{"id":"b"}],"m":2,"n":1}`)), []Node{{Name: "find", Mark: Differs, Difference: diff("m", "", "2")}}},
		"a task":                {ends(first, second), ends(first, changed(second, `{"g":3}`)), []Node{{Name: "grade", Mark: Differs, Difference: diff("task 2: g", "2", "3")}}},
		"a task less":           {ends(first, second), ends(first), []Node{{Name: "grade", Mark: Differs, Difference: diff("task 2", `{"g":2}`, "")}}},
		"asked something else":  {ends(find, write), ends(find, failed), []Node{same, {Name: "write", Mark: Differs, Problem: "Not asked before."}}},
		"not reached, or only ": {ends(find, write), ends(find, first), []Node{same, {Name: "write", Mark: Missing}, {Name: "grade", Mark: Extra}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Replays(plain, stategraph.Topology{}, tt.before, tt.after)
			if diff := cmp.Diff(tt.want, got.Nodes); diff != "" {
				t.Errorf("nodes (-want +got)\n%s", diff)
			}
			differs := len(tt.want) > 0 && (tt.want[0].Mark != Same || len(tt.want) > 1 && tt.want[1].Mark != Same)
			if got.Same() == differs {
				t.Errorf("the same: %t", got.Same())
			}
		})
	}
}

func diff(path, before, after string) *Difference {
	return &Difference{Path: path, Before: raw(before), After: raw(after)}
}

func raw(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

func TestAReplayThatHasNotEndedIsNotTheSame(t *testing.T) {
	t.Parallel()
	e := trace.Event{Node: "find", Step: 1, Update: json.RawMessage(`{}`)}
	both := ends(e)
	if r := Replays(plain, stategraph.Topology{}, both, both[:1]); r.Same() || r.Ended {
		t.Errorf("%+v", r)
	}
}

// TestADifferenceIsWhereItSays puts a mark anywhere into a value: the difference
// leads to it.
func TestADifferenceIsWhereItSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		before := value(t, 3)
		after, path := marked(t, before)
		got := descend(before, after)
		if got == nil || got.Path != path || string(got.After) != `"mark"` {
			t.Fatalf("from %s to %s: %+v, want it at %q", encoded(before), encoded(after), got, path)
		}
		if d := descend(before, decoded(encoded(before))); d != nil {
			t.Fatalf("%s differs from itself: %+v", encoded(before), d)
		}
	})
}

func value(t *rapid.T, depth int) any {
	kind := rapid.IntRange(0, 2).Draw(t, "kind")
	switch {
	case depth == 0 || kind == 0:
		return float64(rapid.IntRange(0, 9).Draw(t, "number"))
	case kind == 1:
		list := make([]any, rapid.IntRange(0, 3).Draw(t, "items"))
		for i := range list {
			list[i] = value(t, depth-1)
		}
		return list
	}
	object := map[string]any{}
	for _, name := range []string{"a", "b"}[:rapid.IntRange(0, 2).Draw(t, "members")] {
		object[name] = value(t, depth-1)
	}
	return object
}

// marked returns a copy of v with a mark in the place of one of its values.
func marked(t *rapid.T, v any) (any, string) {
	switch v := v.(type) {
	case []any:
		if len(v) > 0 && rapid.Bool().Draw(t, "inside") {
			copied := append([]any{}, v...)
			i := rapid.IntRange(0, len(v)-1).Draw(t, "index")
			inner, path := marked(t, v[i])
			copied[i] = inner
			return copied, "[" + string(rune('0'+i)) + "]" + path
		}
	case map[string]any:
		if inner, ok := v["a"]; ok && rapid.Bool().Draw(t, "inside") {
			inner, path := marked(t, inner)
			copied := map[string]any{}
			maps.Copy(copied, v)
			copied["a"] = inner
			return copied, ".a" + path
		}
	}
	return "mark", ""
}
