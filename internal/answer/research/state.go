package research

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// The limits of research.
const (
	MaxRounds    = 3
	MaxQuestions = 20
)

// State is the state of the graph.
type State struct {
	Begin    answer.Begin      `json:"begin"`            // of each answer, without its question
	Question string            `json:"question"`         // to be researched
	Rounds   int               `json:"rounds"`           // maximum
	Most     int               `json:"most"`             // maximum of questions in total
	Tokens   int64             `json:"tokens,omitempty"` // budget for the whole; 0 means no limit
	Review   bool              `json:"review,omitempty"` // a person edits the plan
	Planned  []Question        `json:"planned"`          // given at the start if the order has a plan
	Findings []Finding         `json:"findings"`
	Round    int               `json:"round"` // rounds so far
	Spent    int64             `json:"spent,omitempty"`
	Overview []domain.Sentence `json:"overview,omitempty"`
	Notes    []string          `json:"notes,omitempty"` // what the report lacks, and why
}

// A Question is one question of a plan.
type Question = domain.PlannedQuestion

// A Finding is what an answer has found: its sentences with support, without remarks.
type Finding struct {
	N         int               `json:"n"` // of the question
	Sentences []domain.Sentence `json:"sentences"`
	Citations []domain.Citation `json:"citations"`
	Dropped   int               `json:"dropped,omitempty"` // sentences without support
	Beside    int               `json:"beside,omitempty"`  // sentences that do not bear on the question
}

type fields struct {
	planned  state.ReplaceField[State, []Question]
	findings state.UpsertField[State, Finding]
	round    state.SumField[State, int]
	spent    state.SumField[State, int64]
	overview state.ReplaceField[State, []domain.Sentence]
	notes    state.AppendField[State, string]
	schema   *state.Schema[State]
}

// schemaVersion must change when a field changes its name or meaning.
const schemaVersion = 1

func newFields() fields {
	sc := state.NewSchema[State](schemaVersion)
	return fields{
		planned:  state.Replace(sc, "planned", func(s *State) *[]Question { return &s.Planned }),
		findings: state.Upsert(sc, "findings", func(s *State) *[]Finding { return &s.Findings }, func(f Finding) int { return f.N }),
		round:    state.Sum(sc, "round", func(s *State) *int { return &s.Round }),
		spent:    state.Sum(sc, "spent", func(s *State) *int64 { return &s.Spent }),
		overview: state.Replace(sc, "overview", func(s *State) *[]domain.Sentence { return &s.Overview }),
		notes:    state.Append(sc, "notes", func(s *State) *[]string { return &s.Notes }),
		schema:   sc,
	}
}

// asking is a question that is sent to be answered.
type asking struct {
	N     int          `json:"n"`
	Begin answer.Begin `json:"begin"`
}

func (a asking) start() answer.State { return answer.Start(a.Begin) }

// over reports whether the budget is used up.
func (s State) over() bool { return s.Tokens > 0 && s.Spent >= s.Tokens }

// open returns the questions without a finding.
func (s State) open() []Question {
	return slices.DeleteFunc(slices.Clone(s.Planned), func(q Question) bool {
		return slices.ContainsFunc(s.Findings, func(f Finding) bool { return f.N == q.N })
	})
}

// task returns what a role works on.
func (s State) task() Task {
	b := s.Begin
	t := Task{Asked: answer.Asked{Workspace: b.Workspace, Run: b.Run, Salt: b.Salt, Prompts: b.Prompts, Question: s.Question}, Planned: s.Planned}
	t.Findings = inOrder(s.Findings)
	return t
}

// inOrder returns findings by the numbers of their questions.
func inOrder(all []Finding) []Finding {
	return slices.SortedFunc(slices.Values(all), func(a, b Finding) int { return cmp.Compare(a.N, b.N) })
}

// A Report is what was found, as sentences whose paragraph is the number of their question, or 0 in the overview.
type Report struct {
	Sentences []domain.Sentence
	Citations []domain.Citation
	Came      map[int]domain.Came // of questions, by their numbers
}

// Report puts the findings together. A sentence that was quoted for an earlier question is not repeated.
func (s State) Report() Report {
	r := Report{Sentences: slices.Clone(s.Overview), Came: map[int]domain.Came{}}
	said := map[string]bool{}
	for _, f := range inOrder(s.Findings) {
		came := domain.CameNothing
		if len(f.Sentences) > 0 {
			came = domain.CameAbove
		}
		for _, sentence := range f.Sentences {
			if said[sentence.Text] {
				continue
			}
			said[sentence.Text] = true
			came = domain.CameAnswered
			sentence.Paragraph = f.N
			sentence.Citations = r.cite(f, sentence.Citations)
			r.Sentences = append(r.Sentences, sentence)
		}
		r.Came[f.N] = came
	}
	return r
}

// cite adds citations of a finding that the report does not have yet, and returns their numbers in it.
func (r *Report) cite(f Finding, numbers []int) []int {
	out := []int{}
	for _, c := range f.Citations {
		if !slices.Contains(numbers, c.N) {
			continue
		}
		at := slices.IndexFunc(r.Citations, func(x domain.Citation) bool {
			return x.DocumentID == c.DocumentID && x.Span == c.Span && x.Version == c.Version
		})
		if at < 0 {
			at = len(r.Citations)
			c.N = at + 1
			r.Citations = append(r.Citations, c)
		}
		if !slices.Contains(out, at+1) {
			out = append(out, at+1)
		}
	}
	return out
}

// quotes returns the words of numbered citations.
func (r Report) quotes(numbers []int) (out []string) {
	for _, n := range numbers {
		if n > 0 && n <= len(r.Citations) {
			out = append(out, r.Citations[n-1].Text)
		}
	}
	return out
}

// SoFar returns a state with what updates of the nodes have planned and found.
func SoFar(updates ...json.RawMessage) (s State, err error) {
	for _, u := range updates {
		var part struct {
			Planned  []Question `json:"planned"`
			Findings []Finding  `json:"findings"`
		}
		if err := json.Unmarshal(u, &part); err != nil {
			return s, err
		}
		if len(part.Planned) > 0 {
			s.Planned = part.Planned
		}
		s.Findings = append(s.Findings, part.Findings...)
	}
	return s, nil
}

// Plan parses a plan edited by a person, one question per line. Questions that were in before keep their round and topic.
func Plan(lines []string, before []Question) (plan []Question) {
	for _, line := range lines {
		text := domain.OneLine(line)
		if text == "" || slices.ContainsFunc(plan, func(q Question) bool { return strings.EqualFold(q.Text, text) }) {
			continue
		}
		q := Question{Text: text}
		if at := slices.IndexFunc(before, func(b Question) bool { return b.Text == text }); at >= 0 {
			q = before[at]
		}
		q.N = len(plan) + 1
		plan = append(plan, q)
	}
	return plan
}
