package answer

import (
	"slices"

	"github.com/clewhq/clew/internal/domain"
)

// The longest question and the longest hint of a person, in code points.
const (
	MaxQuestion = 4000
	MaxHint     = 400
)

// MostLoops is the most rewrites that a question may be allowed.
const MostLoops = 20

// An Edit holds a person's changes to a state before a run goes on from it. The zero
// value changes nothing.
type Edit struct {
	Question string                            `json:"question,omitempty"` // understood without the history
	Rewrite  string                            `json:"rewrite,omitempty"`  // the wording of the next search
	MaxLoops *int                              `json:"max_loops,omitempty"`
	Grades   map[domain.ChunkID]domain.Verdict `json:"grades,omitempty"`
	Method   *domain.MethodName                `json:"method,omitempty"`
}

// How a wording came about that a person or a model gave.
const (
	byHand  = "by hand"
	ByModel = "the model's rewording"
)

// Current returns what a person may change, as the state has it. The rewrite is the
// one that the next search uses, or "" if none is known.
func (s State) Current() Edit {
	e := Edit{Question: s.standalone(), Rewrite: s.Wording, MaxLoops: &s.MaxLoops, Method: &s.Method, Grades: map[domain.ChunkID]domain.Verdict{}}
	if s.rewritten() {
		e.Rewrite = s.wording().Text
	}
	for _, d := range s.Documents {
		if v := d.grading().Verdict; v != "" {
			e.Grades[d.Chunk] = v
		}
	}
	return e
}

// rewritten reports whether there is a rewrite that no search has used.
func (s State) rewritten() bool {
	return len(s.QueryRewrites) > 0 && len(s.QueryRewrites) == len(s.Retrieval)
}

// Apply changes the state. Passages that it does not hold are left out.
func (e Edit) Apply(s *State) {
	if e.Question != "" {
		s.Question, s.UserContext.Standalone, s.Steps = e.Question, "", nil
	}
	if e.Rewrite != "" {
		s.reword(e.Rewrite)
	}
	if e.MaxLoops != nil {
		s.MaxLoops = *e.MaxLoops
	}
	if e.Method != nil {
		s.Method = *e.Method
	}
	s.Documents = slices.Clone(s.Documents)
	for i, d := range s.Documents {
		if verdict, ok := e.Grades[d.Chunk]; ok {
			s.Documents[i].Decided = verdict
		}
	}
}

// reword replaces a rewrite that no search has used, or else sets the next one.
func (s *State) reword(text string) {
	if !s.rewritten() {
		s.Wording = text
		return
	}
	s.QueryRewrites = slices.Clone(s.QueryRewrites)
	s.QueryRewrites[len(s.QueryRewrites)-1] = Rewrite{Text: text, How: byHand}
}
