package chart

import (
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// State is the state of a chart run.
type State struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Run       domain.RunID       `json:"run,omitempty"`
	Salt      string             `json:"salt,omitempty"`
	Prompts   int                `json:"prompts,omitempty"` // pin of the prompt's text, see prompts.Book
	Question  string             `json:"question"`
	Figure    domain.Figure      `json:"figure"`   // pending until the graph settles it
	Evidence  []domain.ChunkID   `json:"evidence"` // passages, in the order of their numbers

	Counts        []GraphCount   `json:"counts"`
	Specification *Specification `json:"specification,omitempty"` // the last
	Mistakes      []string       `json:"mistakes"`                // of the last
	Attempts      int            `json:"attempts"`
	Chart         *domain.Chart  `json:"chart,omitempty"`
	Problem       string         `json:"problem,omitempty"` // sentence on why there is no chart
}

// Begin is the input of a run.
type Begin struct {
	Workspace domain.WorkspaceID
	Run       domain.RunID
	Salt      string // forces new model calls
	Prompts   int    // pin of the prompt's text, see prompts.Book
	Question  string
	Figure    domain.Figure // with its id, task and paragraph
	Evidence  []domain.ChunkID
}

// Start returns the initial state of a run.
func Start(b Begin) State {
	return State{Workspace: b.Workspace, Run: b.Run, Salt: b.Salt, Prompts: b.Prompts, Question: b.Question, Figure: b.Figure, Evidence: b.Evidence}
}

type fields struct {
	counts        state.ReplaceField[State, []GraphCount]
	specification state.ReplaceField[State, *Specification]
	mistakes      state.ReplaceField[State, []string]
	attempts      state.SumField[State, int]
	chart         state.ReplaceField[State, *domain.Chart]
	problem       state.ReplaceField[State, string]
	figure        state.ReplaceField[State, domain.Figure]
	schema        *state.Schema[State]
}

// schemaVersion changes with the meaning of a field.
const schemaVersion = 1

func newFields() fields {
	sc := state.NewSchema[State](schemaVersion)
	return fields{
		counts:        state.Replace(sc, "counts", func(s *State) *[]GraphCount { return &s.Counts }),
		specification: state.Replace(sc, "specification", func(s *State) **Specification { return &s.Specification }),
		mistakes:      state.Replace(sc, "mistakes", func(s *State) *[]string { return &s.Mistakes }),
		attempts:      state.Sum(sc, "attempts", func(s *State) *int { return &s.Attempts }),
		chart:         state.Replace(sc, "chart", func(s *State) **domain.Chart { return &s.Chart }),
		problem:       state.Replace(sc, "problem", func(s *State) *string { return &s.Problem }),
		figure:        state.Replace(sc, "figure", func(s *State) *domain.Figure { return &s.Figure }),
		schema:        sc,
	}
}
