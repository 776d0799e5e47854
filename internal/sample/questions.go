package sample

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed questions.json
var questions []byte

// Question is a question about the library together with what is known about
// its answer. Only the Question field may reach anything that answers.
type Question struct {
	Question string `json:"question"`
	// Answer is the shortest right answer, in the words of the last evidence.
	Answer string `json:"answer"`
	// Hops is the number of facts that have to be joined: 1 or 2, or 0 when
	// the question is unanswerable.
	Hops int `json:"hops"`
	// Start is the name in a two-hop question that the first fact is about,
	// and Bridge the name both facts share and the question leaves out.
	Start  string `json:"start"`
	Bridge string `json:"bridge"`
	// Sources are the names of the files needed, in the order of the hops. If
	// any one is missing from the library, the question has no answer.
	Sources []string `json:"sources"`
	// Evidence holds one sentence a hop, in order, each of which has to be cited.
	Evidence []Evidence `json:"evidence"`
	// Unanswerable says that the library does not hold the answer.
	Unanswerable bool `json:"unanswerable"`
	// Suggested says that the question is one of those Try returns.
	Suggested bool `json:"try"`
}

// Evidence is a sentence of a document, as its plain text has it: markup is
// gone and a line break reads as a space.
type Evidence struct {
	File     string `json:"file"`
	Sentence string `json:"sentence"`
}

// Questions returns every question in a fixed order: those of two hops, those
// of one, and the unanswerable. It panics only if the program was built with a
// broken questions.json, which the tests rule out.
func Questions() []Question {
	var out []Question
	if err := json.Unmarshal(questions, &out); err != nil {
		panic(fmt.Sprintf("sample: the program was built with broken questions: %v", err))
	}
	return out
}

// Try returns the four questions that a first visitor is offered. The last one
// is unanswerable; for the others, the number of Sources is the number of
// documents that the answer draws on.
func Try() []Question {
	var out []Question
	for _, q := range Questions() {
		if q.Suggested {
			out = append(out, q)
		}
	}
	return out
}
