package sql_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	checkpoint "github.com/clewhq/clew/internal/checkpoint/sql"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// level encodes itself as text.
type level int

func (l level) MarshalText() ([]byte, error) { return []byte(strings.Repeat("+", int(l))), nil }

func (l *level) UnmarshalText(text []byte) error {
	*l = level(len(text))
	return nil
}

type inner struct {
	Name  string `json:"name"`
	Level level  `json:"level,omitempty"`
}

// Base is embedded, so its members become those of the outer object.
type Base struct {
	ID int64 `json:"id"`
}

// everything has a field of each kind that occurs in states.
type everything struct {
	Base
	Text     string             `json:"text"`
	Omitted  string             `json:"omitted,omitempty"`
	Zero     time.Time          `json:"zero,omitzero"`
	Large    int64              `json:"large"`
	Unsigned uint64             `json:"unsigned"`
	Float    float64            `json:"float"`
	Single   float32            `json:"single"`
	At       time.Time          `json:"at"`
	Took     time.Duration      `json:"took"`
	Raw      json.RawMessage    `json:"raw"`
	Bytes    []byte             `json:"bytes"`
	Array    [3]byte            `json:"array"`
	List     []inner            `json:"list"`
	Pointer  *inner             `json:"pointer"`
	Absent   *inner             `json:"absent,omitempty"`
	Names    map[string]int     `json:"names"`
	Levels   map[level]string   `json:"levels"`
	Numbers  map[int]bool       `json:"numbers,omitempty"`
	Nested   map[string][]inner `json:"nested"`
	Quoted   int                `json:"quoted,string"`
	Untagged bool
}

// values are known to be encoded wrongly by some codecs.
func values() map[string]everything {
	raw := json.RawMessage("null") // what encoding/json reads for an absent one
	return map[string]everything{
		"zero":                 {Raw: raw},
		"unicode":              {Raw: raw, Text: "naïve, Ω, 日本語, 👩‍👩‍👧, e\u0301, \u2028\u2029, <b>&amp;</b>, \x00\x1f\"\\/"},
		"nil and empty":        {Raw: raw, List: []inner{}, Names: map[string]int{}, Bytes: []byte{}},
		"large integers":       {Raw: raw, Large: math.MinInt64, Unsigned: math.MaxUint64, Base: Base{math.MaxInt64}},
		"floats":               {Raw: raw, Float: math.SmallestNonzeroFloat64, Single: math.MaxFloat32},
		"negative zero":        {Raw: raw, Float: math.Copysign(0, -1)},
		"a large float":        {Raw: raw, Float: 1e21, Single: 1e-7},
		"time":                 {Raw: raw, At: time.Date(2026, 2, 28, 23, 59, 59, 123456789, time.FixedZone("", -3*3600-1800)), Took: -time.Hour},
		"raw":                  {Raw: json.RawMessage(`{"b":[1,2.50,"x"],"a":null}`)},
		"bytes":                {Raw: raw, Bytes: []byte{0, 255, 10}, Array: [3]byte{1, 2, 3}},
		"lists":                {Raw: raw, List: []inner{{}, {Name: "a", Level: 3}}, Pointer: &inner{Name: "p"}},
		"maps":                 {Raw: raw, Names: map[string]int{"b": 1, "a": 2, "": 3}, Levels: map[level]string{2: "two"}, Numbers: map[int]bool{-1: true}},
		"an empty list in one": {Raw: raw, Nested: map[string][]inner{"none": nil, "empty": {}, "one": {{Name: "x"}}}, Quoted: -7, Untagged: true},
	}
}

// TestItReadsWhatEncodingJSONWritesAndTheOtherWayRound compares the codec with the
// forms of encoding/json, which old threads have and upcasters get.
func TestItReadsWhatEncodingJSONWritesAndTheOtherWayRound(t *testing.T) {
	t.Parallel()
	c := checkpoint.NewCodec()
	for name, v := range values() {
		standard, err := json.Marshal(v)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ours, err := c.Marshal(v)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if strings.ContainsRune(string(ours), '\n') {
			t.Errorf("%s: the data is more than one line: %q", name, ours)
		}
		for from, data := range map[string][]byte{"encoding/json": standard, "codec": ours} {
			var here, there everything
			if err := c.Unmarshal(data, &here); err != nil {
				t.Errorf("%s: read what %s wrote: %v", name, from, err)
			}
			if err := json.Unmarshal(data, &there); err != nil {
				t.Errorf("%s: encoding/json reads what %s wrote: %v", name, from, err)
			}
			if diff := cmp.Diff(there, here); diff != "" {
				t.Errorf("%s, written by %s (-encoding/json +codec)\n%s", name, from, diff)
			}
		}
		if diff := cmp.Diff(members(t, standard), members(t, ours)); diff != "" {
			t.Errorf("%s: what is written (-encoding/json +codec)\n%s", name, diff)
		}
	}
}

// members returns the members of an object, without the differences that are allowed.
func members(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAnyTextComesBackAsEncodingJSONBringsIt(t *testing.T) {
	t.Parallel()
	c := checkpoint.NewCodec()
	rapid.Check(t, func(t *rapid.T) {
		v := []string{rapid.String().Draw(t, "text"), string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))}
		var want, got []string
		standard, err := json.Marshal(v)
		if err != nil || json.Unmarshal(standard, &want) != nil {
			t.Fatal(err)
		}
		data, err := c.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-encoding/json +codec)\n%s", diff)
		}
	})
}

func TestDataThatIsNotTheTypesIsRefused(t *testing.T) {
	t.Parallel()
	c := checkpoint.NewCodec()
	for what, data := range map[string]string{
		"an unknown member":           `{"text":"a","colour":"red"}`,
		"one further in":              `{"list":[{"name":"a","colour":"red"}]}`,
		"a member that comes twice":   `{"text":"a","text":"b"}`,
		"a name in other letters":     `{"TEXT":"a"}`,
		"another type":                `{"text":1}`,
		"a number that is too large":  `{"large":9223372036854775808}`,
		"a number with a fraction":    `{"large":1.5}`,
		"an array that is too short":  `{"array":[1,2]}`,
		"something behind the object": `{"text":"a"} {}`,
		"half an object":              `{"text":"a"`,
		"nothing":                     ``,
	} {
		var v everything
		if err := c.Unmarshal([]byte(data), &v); err == nil {
			t.Errorf("%s is taken: %s", what, data)
		}
	}
	for what, v := range map[string]any{"not a number": math.NaN(), "infinity": math.Inf(1)} {
		if data, err := c.Marshal(v); err == nil {
			t.Errorf("%s is written as %s", what, data)
		}
	}
}

// TestAGraphsStateTakesIt checks that Compile accepts the type above.
func TestAGraphsStateTakesIt(t *testing.T) {
	t.Parallel()
	b := stategraph.New("g", state.NewSchema[everything](1))
	b.Node("n", func(*stategraph.Context, everything) (state.Update[everything], error) {
		return state.Update[everything]{}, nil
	})
	b.Edge(stategraph.Start, "n")
	b.Edge("n", stategraph.End)
	if _, err := b.Compile(stategraph.WithCodec(checkpoint.NewCodec())); err != nil {
		t.Error(err)
	}
}

func BenchmarkAThousandMessages(b *testing.B) {
	type list struct {
		Notes []string `json:"notes"`
	}
	var v list
	for i := range 1000 {
		v.Notes = append(v.Notes, strings.Repeat(string(rune('a'+i%26)), 190+i%20))
	}
	c := checkpoint.NewCodec()
	data, err := c.Marshal(v)
	if err != nil {
		b.Fatal(err)
	}
	for name, unmarshal := range map[string]func([]byte, any) error{"codec": c.Unmarshal, "encoding/json": json.Unmarshal} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				var got list
				if err := unmarshal(data, &got); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
