package state

import (
	"encoding/json"
	"fmt"
	"math/rand" //nolint:depguard // testing/quick takes no other
	"reflect"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"pgregory.net/rapid"
)

// writesOnly encodes itself and can't decode itself.
type writesOnly struct{ A int }

func (writesOnly) MarshalJSON() ([]byte, error) { return []byte("1"), nil }

type embedded struct {
	Name string `json:"name"`
}

func TestWhatJSONLosesIsNamed(t *testing.T) {
	t.Parallel()
	number := reflect.TypeFor[int]()
	for _, tt := range []struct {
		lost reflect.Type
		want string
	}{
		{reflect.TypeFor[struct{ a int }](), ".a is not exported"},
		{reflect.TypeFor[struct {
			A int `json:"-"`
		}](), ".A is left out of JSON"},
		{reflect.TypeFor[struct{ A any }](), ".A is an interface"},
		{reflect.TypeFor[struct {
			A map[string][]struct{ B error }
		}](), ".A.B is an interface"},
		{reflect.TypeFor[struct{ A func() }](), ".A is a func"},
		{reflect.TypeFor[struct{ A chan int }](), ".A is a chan"},
		{reflect.TypeFor[struct{ A complex128 }](), ".A is a complex128"},
		{reflect.TypeFor[struct{ A map[float64]int }](), ".A is a map whose keys"},
		{reflect.TypeFor[struct{ A *[]int }](), ".A is a pointer to a slice"},
		{reflect.TypeFor[struct{ A **int }](), ".A is a pointer to a ptr"},
		{reflect.TypeFor[struct {
			embedded
			Name string `json:"name"`
		}](), `.Name has the JSON name "name" of another field`},
		{reflect.TypeFor[struct{ A writesOnly }](), ".A encodes itself and has no method to decode itself"},
		// Put together here because vet refuses one that is written out.
		{reflect.StructOf([]reflect.StructField{
			{Name: "A", Type: number, Tag: `json:"x"`}, {Name: "B", Type: number, Tag: `json:"x"`},
		}), `.B has the JSON name "x" of another field`},
	} {
		if err := SurvivesJSON(tt.lost); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want that it says %q", tt.lost, err, tt.want)
		}
	}
}

func TestWhatJSONKeeps(t *testing.T) {
	t.Parallel()
	type tree struct {
		Children []*tree           `json:"children"`
		ByID     map[int]tree      `json:"by_id"`
		At       time.Time         `json:"at"`
		ByTime   map[time.Time]int `json:"by_time"`
		Raw      json.RawMessage   `json:"raw"`
		Bytes    []byte            `json:"bytes"`
		Took     time.Duration     `json:"took,omitzero"`
		embedded
	}
	for _, kept := range []reflect.Type{reflect.TypeFor[tree](), reflect.TypeFor[struct{}]()} {
		if err := SurvivesJSON(kept); err != nil {
			t.Errorf("%v: %v", kept, err)
		}
	}
}

// drawType draws a type, which JSON may not preserve.
func drawType(t *rapid.T, deep int) reflect.Type {
	plain := []reflect.Type{
		reflect.TypeFor[int](), reflect.TypeFor[string](), reflect.TypeFor[bool](), reflect.TypeFor[float64](), reflect.TypeFor[uint8](),
		reflect.TypeFor[any](), reflect.TypeFor[chan int](), reflect.TypeFor[writesOnly](),
	}
	shape := rapid.IntRange(0, 5).Draw(t, "shape")
	if deep == 0 {
		shape = 0
	}
	switch shape {
	case 1:
		return reflect.SliceOf(drawType(t, deep-1))
	case 2:
		return reflect.PointerTo(drawType(t, deep-1))
	case 3:
		keys := []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[int16](), reflect.TypeFor[float64]()}
		return reflect.MapOf(rapid.SampledFrom(keys).Draw(t, "key"), drawType(t, deep-1))
	case 4:
		return reflect.ArrayOf(2, drawType(t, deep-1))
	case 5:
		var fields []reflect.StructField
		for i := range rapid.IntRange(0, 3).Draw(t, "fields") {
			tag := rapid.SampledFrom([]reflect.StructTag{"", `json:"same"`, `json:"-"`, `json:",omitzero"`}).Draw(t, "tag")
			fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: drawType(t, deep-1), Tag: tag})
		}
		return reflect.StructOf(fields)
	}
	return rapid.SampledFrom(plain).Draw(t, "plain")
}

// Values of a type that survives come back unchanged, and every member written has a
// place.
func TestWhatIsSaidToSurviveDoes(t *testing.T) {
	t.Parallel()
	survived := 0
	rapid.Check(t, func(rt *rapid.T) {
		drawn := drawType(rt, 3)
		if SurvivesJSON(drawn) != nil {
			return
		}
		survived++
		value, ok := quick.Value(drawn, rand.New(rand.NewSource(rapid.Int64().Draw(rt, "seed"))))
		if !ok {
			rt.Fatalf("no value of %v", drawn)
		}
		data, err := json.Marshal(value.Interface())
		if err != nil {
			rt.Fatalf("%v: %v", drawn, err)
		}
		if path := unplacedMember(data, drawn); path != "" {
			rt.Fatalf("%v: %s of %s has no place", drawn, path, data)
		}
		back := reflect.New(drawn)
		if err := json.Unmarshal(data, back.Interface()); err != nil || !reflect.DeepEqual(value.Interface(), back.Elem().Interface()) {
			rt.Fatalf("%v: %#v came back as %#v by %s (%v)", drawn, value, back.Elem(), data, err)
		}
	})
	if survived == 0 {
		t.Error("no type survived")
	}
}

func TestTheFirstMemberWithoutAPlaceIsNamed(t *testing.T) {
	t.Parallel()
	type inner struct {
		A int `json:"a"`
	}
	type outer struct {
		inner
		ByName map[string]*inner `json:"by_name"`
		Pair   [2]inner          `json:"pair"`
		At     time.Time         `json:"at"`
	}
	for data, want := range map[string]string{
		`{"a":1,"by_name":{"x":{"a":1,"b":2}}}`: ".by_name.x.b",
		`{"pair":[{"a":1},{"c":1}]}`:            ".pair[1].c",
		`{"z":1,"d":1}`:                         ".d",
		`{"a":{"b":1}}`:                         "", // another error tells of it
		`{"pair":{"b":1}}`:                      "",
		`{"by_name":[1]}`:                       "",
		`{"at":{"x":1}}`:                        "", // its own matter
		`{"a":1,"by_name":{"x":{"a":1}},"pair":[{"A":1},{}]}`: "",
		`{`: "",
	} {
		if got := unplacedMember([]byte(data), reflect.TypeFor[outer]()); got != want {
			t.Errorf("%s: %q, want %q", data, got, want)
		}
	}
}
