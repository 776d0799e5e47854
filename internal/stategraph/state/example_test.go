package state_test

import (
	"encoding/json"
	"fmt"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// State is the state of the examples.
type State struct {
	Question string   `json:"question"`
	Found    []string `json:"found"`
	Grades   []Grade  `json:"grades"`
	Loops    int      `json:"loops"`
	Best     int      `json:"best"`
}

type Grade struct {
	Document string `json:"document"`
	Good     bool   `json:"good"`
}

var (
	schema   = state.NewSchema[State](1)
	question = state.Replace(schema, "question", func(s *State) *string { return &s.Question })
	found    = state.Append(schema, "found", func(s *State) *[]string { return &s.Found })
	grades   = state.Upsert(schema, "grades", func(s *State) *[]Grade { return &s.Grades }, func(g Grade) string { return g.Document })
	loops    = state.Sum(schema, "loops", func(s *State) *int { return &s.Loops })
	best     = state.Max(schema, "best", func(s *State) *int { return &s.Best })
)

func ExampleUpdate() {
	u := state.Merge(question.Set("bees"), found.Add("a", "b"), loops.Add(1))
	shown, _ := json.Marshal(u)
	fmt.Println(string(shown))

	stored, _ := u.Append(nil, state.StandardCodec{})
	again, err := schema.DecodeUpdate(state.StandardCodec{}, stored, schema.Version())
	if err != nil {
		fmt.Println(err)
	}
	s, _ := schema.Apply(State{Found: []string{"0"}}, again)
	fmt.Println(s.Question, s.Found, s.Loops)
	// Output:
	// {"question":"bees","found":["a","b"],"loops":1}
	// bees [0 a b] 1
}

func ExampleSchema_DecodeUpdate() {
	_, err := schema.DecodeUpdate(state.StandardCodec{}, []byte("\"grades\"\n[{\"document\":\"a\",\"mark\":3}]"), schema.Version())
	fmt.Println(err)
	// Output: decode update: grades[0].mark: unknown field
}

func ExampleUpsert() {
	s, _ := schema.Apply(State{},
		grades.Put(Grade{"a", false}, Grade{"b", false}),
		grades.Put(Grade{"a", true}))
	fmt.Println(s.Grades)
	// Output: [{a true} {b false}]
}

func ExampleMax() {
	s, _ := schema.Apply(State{}, best.Raise(3), best.Raise(2))
	fmt.Println(s.Best)
	// Output: 3
}
