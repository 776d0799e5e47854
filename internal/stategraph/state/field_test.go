package state

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestRules(t *testing.T) {
	t.Parallel()
	f := newFields()
	one, two, three := card{"1", "one"}, card{"2", "two"}, card{"3", "three"}
	tests := []struct {
		name    string
		from    board
		updates []update
		want    board
	}{
		{"nothing changes nothing", board{Word: "a"}, []update{{}}, board{Word: "a"}},
		{"replace takes the last", board{Word: "a"}, []update{f.word.Set("b"), f.word.Set("c")}, board{Word: "c"}},
		{"replace takes zero", board{Word: "a"}, []update{f.word.Set("")}, board{}},
		{"replace takes lists whole", board{Ints: []int{1}}, []update{f.ints.Set([]int{2, 3})}, board{Ints: []int{2, 3}}},
		{"append keeps order", board{Log: []string{"a"}}, []update{f.log.Add("b", "c"), f.log.Add("a")}, board{Log: []string{"a", "b", "c", "a"}}},
		{"append of nothing", board{}, []update{f.log.Add()}, board{}},
		{"upsert appends new keys", board{Cards: []card{one}}, []update{f.cards.Put(two)}, board{Cards: []card{one, two}}},
		{"upsert keeps the position", board{Cards: []card{one, two}}, []update{f.cards.Put(card{"1", "uno"}, three)}, board{Cards: []card{{"1", "uno"}, two, three}}},
		{"upsert of one key twice", board{}, []update{f.cards.Put(one, card{"1", "uno"})}, board{Cards: []card{{"1", "uno"}}}},
		{"upsert replaces the first of a doubled key", board{Cards: []card{one, one}}, []update{f.cards.Put(card{"1", "uno"})}, board{Cards: []card{{"1", "uno"}, one}}},
		{"max raises", board{High: 3}, []update{f.high.Raise(5), f.high.Raise(4)}, board{High: 5}},
		{"max starts from what is there", board{}, []update{f.high.Raise(-1)}, board{}},
		{"sum adds", board{Total: 1}, []update{f.total.Add(2), f.total.Add(-0.5)}, board{Total: 2.5}},
		{"an update of several fields", board{}, []update{Merge(f.word.Set("a"), f.high.Raise(1), f.log.Add("x"))}, board{Word: "a", High: 1, Log: []string{"x"}}},
		{"the later write of one update wins", board{}, []update{Merge(f.word.Set("a"), f.word.Set("b"))}, board{Word: "b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before, _ := json.Marshal(tt.from)
			got, err := f.schema.Apply(tt.from, tt.updates...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Apply (-want +got):\n%s", diff)
			}
			if after, _ := json.Marshal(tt.from); string(after) != string(before) {
				t.Errorf("Apply changed the state it was given from %s to %s", before, after)
			}
		})
	}
}

func TestApplyRefusesAFieldOfAnotherSchema(t *testing.T) {
	t.Parallel()
	_, err := newFields().schema.Apply(board{}, newFields().word.Set("x"))
	wantText(t, err, `"word"`, "another schema")
}

func TestUpdateIsData(t *testing.T) {
	t.Parallel()
	f := newFields()
	tests := []struct {
		name string
		u    update
		want string
	}{
		{"nothing", update{}, `{}`},
		{"a value", f.word.Set("a"), `{"word":"a"}`},
		{"fields in the order of the schema", Merge(f.total.Add(1.5), f.word.Set("a")), `{"word":"a","total":1.5}`},
		{"writes to one field are one", Merge(f.log.Add("a"), f.log.Add("b"), f.total.Add(1), f.total.Add(2), f.high.Raise(3), f.high.Raise(2)), `{"log":["a","b"],"high":3,"total":3}`},
		{"the later value", Merge(f.word.Set("a"), f.word.Set("b")), `{"word":"b"}`},
		{"elements of a keyed list", f.cards.Put(card{"1", "one"}), `{"cards":[{"id":"1","text":"one"}]}`},
		{"an empty list that was set", f.ints.Set([]int{}), `{"ints":[]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			data, err := json.Marshal(tt.u)
			if err != nil {
				t.Fatal(err)
			}
			if string(data) != tt.want {
				t.Errorf("encoded as %s, want %s", data, tt.want)
			}
			back, err := decode(f.schema, data)
			if err != nil {
				t.Fatal(err)
			}
			again, _ := json.Marshal(back)
			if string(again) != tt.want {
				t.Errorf("decoded and encoded again as %s, want %s", again, tt.want)
			}
		})
	}
}

func TestUpdateThatJSONCannotHold(t *testing.T) {
	t.Parallel()
	nan := func() float64 { var zero float64; return zero / zero }()
	_, err := json.Marshal(newFields().total.Add(nan))
	wantText(t, err, `"total"`)
}

func TestDecodeNamesThePath(t *testing.T) {
	t.Parallel()
	f := newFields()
	tests := []struct{ name, data, want string }{
		{"unknown field", `{"colour":1}`, "colour: unknown field"},
		{"the first of several unknown fields", `{"word":"a","z":1,"b":1}`, "b: unknown field"},
		{"unknown member of an element", `{"cards":[{"id":"1"},{"id":"2","size":3}]}`, "cards[1].size: unknown field"},
		{"wrong type", `{"high":"tall"}`, "high: json: cannot unmarshal string"},
		{"wrong type in a list", `{"log":["a",1]}`, "log: json: cannot unmarshal number"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u, err := decode(f.schema, []byte(tt.data))
			wantText(t, err, tt.want)
			if !u.IsZero() {
				t.Error("an update was returned beside the error")
			}
		})
	}
}

func TestDecodeLooksIntoMapsAndEmbeddedStructs(t *testing.T) {
	t.Parallel()
	type inner struct {
		A int `json:"a"`
	}
	type outer struct {
		inner
		ByName map[string]*inner `json:"by_name"`
		Pair   [2]inner          `json:"pair"`
	}
	type whole struct {
		Outer outer `json:"outer"`
	}
	sc := NewSchema[whole](1)
	Replace(sc, "outer", func(s *whole) *outer { return &s.Outer })
	for data, want := range map[string]string{
		`{"outer":{"a":1,"by_name":{"x":{"a":1,"b":2}}}}`: "outer.by_name.x.b: unknown field",
		`{"outer":{"pair":[{"a":1},{"c":1}]}}`:            "outer.pair[1].c: unknown field",
		`{"outer":{"d":1}}`:                               "outer.d: unknown field",
	} {
		_, err := decode(sc, []byte(data))
		wantText(t, err, want)
	}
	if _, err := decode(sc, []byte(`{"outer":{"a":1,"by_name":{"x":{"a":1}},"pair":[{"a":1},{}]}}`)); err != nil {
		t.Errorf("Decode of what fits: %v", err)
	}
}

// drawUpdate draws an update of any number of writes to any fields.
func drawUpdate(t *rapid.T, f fields) update {
	word := rapid.StringMatching(`[a-c]{0,2}`)
	number := rapid.IntRange(-5, 5)
	writes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) update {
		switch rapid.IntRange(0, 5).Draw(t, "field") {
		case 0:
			return f.word.Set(word.Draw(t, "word"))
		case 1:
			return f.ints.Set(rapid.SliceOfN(number, 1, 3).Draw(t, "ints"))
		case 2:
			return f.log.Add(rapid.SliceOfN(word, 0, 3).Draw(t, "log")...)
		case 3:
			return f.cards.Put(card{word.Draw(t, "id"), word.Draw(t, "text")})
		case 4:
			return f.high.Raise(number.Draw(t, "high"))
		}
		return f.total.Add(float64(number.Draw(t, "total")))
	}), 0, 6).Draw(t, "writes")
	return Merge(writes...)
}

func TestUpdatesSurviveJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := newFields()
		start, err := f.schema.Apply(board{}, drawUpdate(t, f))
		if err != nil {
			t.Fatal(err)
		}
		u := drawUpdate(t, f)
		data, err := json.Marshal(u)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := decode(f.schema, data)
		if err != nil {
			t.Fatal(err)
		}
		direct, _ := f.schema.Apply(start, u)
		replayed, _ := f.schema.Apply(start, decoded)
		if diff := cmp.Diff(direct, replayed); diff != "" {
			t.Fatalf("an update does something else after its trip through %s (-direct +replayed):\n%s", data, diff)
		}
	})
}

func TestMergedUpdatesDoWhatTheyDoInTurn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := newFields()
		us := []update{drawUpdate(t, f), drawUpdate(t, f), drawUpdate(t, f)}
		merged, _ := f.schema.Apply(board{}, Merge(us...))
		inTurn, _ := f.schema.Apply(board{}, us...)
		if diff := cmp.Diff(inTurn, merged); diff != "" {
			t.Fatalf("Merge (-in turn +merged):\n%s", diff)
		}
	})
}

// A snapshot never changes, whatever is merged later and whatever is appended to its
// lists.
func TestSnapshotsAreNeverWrittenTo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := newFields()
		m := f.schema.Merger(board{Log: make([]string, 1, 8), Cards: make([]card, 1, 8), Ints: make([]int, 1, 8)})
		var shown []board
		var want []string
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			for range rapid.IntRange(1, 3).Draw(t, "updates") {
				if err := m.Merge(drawUpdate(t, f)); err != nil {
					t.Fatal(err)
				}
			}
			s := m.Snapshot()
			data, _ := json.Marshal(s)
			shown, want = append(shown, s), append(want, string(data))
			_ = append(s.Log, "mine")
			_ = append(s.Cards, card{"mine", "mine"})
			_ = append(s.Ints, -99)
		}
		for i, s := range shown {
			if data, _ := json.Marshal(s); string(data) != want[i] {
				t.Fatalf("snapshot %d was %s and became %s", i, want[i], data)
			}
		}
	})
}

// Not parallel: allocations are counted over the whole process.
func TestUpsertStaysFastAsTheListGrows(t *testing.T) {
	f := newFields()
	m := f.schema.Merger(board{})
	for i := range 3000 {
		if err := m.Merge(f.cards.Put(card{ID: string(rune(i))})); err != nil {
			t.Fatal(err)
		}
	}
	put := f.cards.Put(card{ID: string(rune(7)), Text: "new"})
	allocations := testing.AllocsPerRun(100, func() { _ = m.Merge(put) })
	if allocations > 1 {
		t.Errorf("a write to a key that is there takes %v allocations, want none but the first copy", allocations)
	}
	if got := slices.IndexFunc(m.Snapshot().Cards, func(c card) bool { return c.Text == "new" }); got != 7 {
		t.Errorf("the element is at %d, want it to keep its position 7", got)
	}
}
