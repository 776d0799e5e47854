package sample

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"github.com/clewhq/clew/internal/domain/lists"
)

//go:embed questions.json
var questions []byte

// Question is a question about the library with its known answer. Only the
// field Question may reach the code under test.
type Question struct {
	Question string `json:"question"`
	// Answer is the shortest correct answer, quoted from the last evidence.
	Answer string `json:"answer"`
	// Hops is the number of facts to combine: 1 or 2, or 0 for an unanswerable question.
	Hops int `json:"hops"`
	// Start is the subject of a two-hop question, and Bridge the name that both
	// facts share and the question omits.
	Start  string `json:"start"`
	Bridge string `json:"bridge"`
	// Sources are the required files in the order of the hops. Without any one
	// of them, the question has no answer.
	Sources []string `json:"sources"`
	// Evidence contains the sentence of each hop that must be cited.
	Evidence     []Evidence `json:"evidence"`
	Unanswerable bool       `json:"unanswerable"`
	// Suggested questions are returned by Try.
	Suggested bool `json:"try"`
}

// Evidence is a sentence of a document without markup and line breaks.
type Evidence struct {
	File     string `json:"file"`
	Sentence string `json:"sentence"`
}

// Questions returns all questions in a fixed order: two hops, one hop,
// unanswerable. It panics if the embedded questions.json is broken.
func Questions() []Question {
	var out []Question
	if err := json.Unmarshal(questions, &out); err != nil {
		panic(fmt.Sprintf("sample: the program was built with broken questions: %v", err))
	}
	return out
}

// Try returns the four questions that new users are offered, the last of which
// is unanswerable.
func Try() []Question {
	return lists.Filter(Questions(), func(q Question) bool { return q.Suggested })
}
