package answer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

// planner is a Decomposer that lists fixed questions and finds what stands in the
// brackets of a passage.
type planner struct {
	ModelOnly

	questions, settled []string
}

func (p *planner) Decompose(context.Context, Asked, Emit) ([]string, error) { return p.questions, nil }

func (p *planner) Settle(_ context.Context, a Asked, passages []domain.Passage, _ Emit) (string, error) {
	p.settled = append(p.settled, a.Question)
	_, found, _ := strings.Cut(passages[0].Text, "(")
	return strings.TrimSuffix(found, ")"), nil
}

const compound = "Where was the architect of the Weir Bridge born?"

// TestAQuestionIsAnsweredInSteps expects each step to search for what the one before
// found, and the answer to be written from the passages of all.
func TestAQuestionIsAnsweredInSteps(t *testing.T) {
	t.Parallel()
	p := &planner{questions: []string{"Who designed the Weir Bridge?", "Where was #1 born?"}}
	s := &script{
		texts: []string{"Weir Bridge was designed by (Ann Lee)", "She was born in (Elsford)", "Swans"}, searches: [][]int{{0, 2}, {1, 2}},
		relevant: func(loop, passage int) domain.Verdict {
			if loop == passage {
				return domain.Relevant
			}
			return domain.Irrelevant
		}, params: Params{Decompose: true, Roles: Roles{Model: p}},
	}
	o, err := s.run(t, Begin{Question: compound, MaxLoops: 1})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"decompose", "retrieve", "grade_documents", "answer_step", "retrieve", "grade_documents", "answer_step", "generate", "check_support"}, o.path); diff != "" {
		t.Errorf("path (-want +got)\n%s", diff)
	}
	if want := []string{"Who designed the Weir Bridge?", "Where was Ann Lee born?"}; !slices.Equal(p.settled, want) || s.queries[0].Text != want[0] || s.queries[1].Text != want[1] {
		t.Errorf("settled %q, searched for %+v", p.settled, s.queries)
	}
	if want := "Where was Ann Lee born?|c1"; !slices.Contains(s.grades, want) {
		t.Errorf("graded %q", s.grades)
	}
	want := []Step{
		{N: 1, Question: "Who designed the Weir Bridge?", Asked: "Who designed the Weir Bridge?", Finding: "Ann Lee", Settled: true},
		{N: 2, Question: "Where was #1 born?", Asked: "Where was Ann Lee born?", From: 1, Finding: "Elsford", Settled: true},
	}
	if diff := cmp.Diff(want, o.Steps); diff != "" {
		t.Errorf("steps (-want +got)\n%s", diff)
	}
	if r := o.Result(); len(r.Citations) != 2 || !r.Answered || o.Question != compound {
		t.Errorf("answered %q from %+v", r.Answer, r.Citations)
	}
}

// TestHalfAChainIsAnsweredFrom has a second step that finds nothing: the third, which
// refers to it, is not searched for.
func TestHalfAChainIsAnsweredFrom(t *testing.T) {
	t.Parallel()
	p := &planner{questions: []string{"Who designed the Weir Bridge?", "Where was #1 born?", "How large is #2?"}}
	s := &script{texts: []string{"Weir Bridge was designed by (Ann Lee)", "Swans"}, searches: [][]int{{0}, {1}}, relevant: func(_, passage int) domain.Verdict {
		return []domain.Verdict{domain.Relevant, domain.Irrelevant}[passage]
	}, params: Params{Decompose: true, Roles: Roles{Model: p}}}
	o, err := s.run(t, Begin{Question: compound, MaxLoops: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"decompose", "retrieve", "grade_documents", "answer_step", "retrieve", "grade_documents", "transform_query", "retrieve", "grade_documents", "answer_step", "generate", "check_support"}
	if diff := cmp.Diff(want, o.path); diff != "" {
		t.Errorf("path (-want +got)\n%s", diff)
	}
	if o.Steps[1].Finding != "" || o.Steps[2].Asked != "" || len(o.Citations) != 1 {
		t.Errorf("steps %+v, citations %+v", o.Steps, o.Citations)
	}
}

// TestStepsEndAtTheCap has the most steps, rewrites and hints that there may be.
func TestStepsEndAtTheCap(t *testing.T) {
	t.Parallel()
	var questions []string
	for i := range 2 * MaxSteps {
		questions = append(questions, fmt.Sprintf("What is number %d of the list of things?", i))
	}
	s := &script{texts: []string{"a"}, searches: [][]int{{0}}, relevant: never, params: Params{Decompose: true, Roles: Roles{Model: &planner{questions: questions}}}}
	o, err := s.run(t, Begin{Question: compound, MaxLoops: 3})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.queries) != MaxSteps+3 || len(o.Steps) != MaxSteps || o.Answered {
		t.Errorf("%d searches for %d steps", len(s.queries), len(o.Steps))
	}
}

func TestSimpleQuestionsStayWhole(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, question string
		questions      []string
		path           string
	}{
		{"few words", "Who built Weir Bridge?", []string{"One?", "Two?"}, "retrieve"},
		{"none", compound, nil, "decompose"},
		{"one", compound, []string{"Where was he born?", " "}, "decompose"},
		{"a first one that refers to another", compound, []string{"Where was #2 born?", "Who?"}, "decompose"},
	} {
		s := &script{texts: []string{"a"}, searches: [][]int{{0}}, relevant: always, params: Params{Decompose: true, Roles: Roles{Model: &planner{questions: tt.questions}}}}
		o, err := s.run(t, Begin{Question: tt.question})
		if err != nil {
			t.Fatal(err)
		}
		if o.path[0] != tt.path || len(o.Steps) != 0 || len(s.queries) != 1 || s.queries[0].Text != tt.question {
			t.Errorf("%s: went %v, steps %+v, searched for %+v", tt.name, o.path, o.Steps, s.queries)
		}
	}
}

func TestFindingsStandInTheirPlaces(t *testing.T) {
	t.Parallel()
	steps := []Step{{N: 1, Finding: "Ann $1 Lee"}, {N: 2}}
	for question, want := range map[string]string{"Where was #1 born?": "Where was Ann $1 Lee born?", "#1 or #1?": "Ann $1 Lee or Ann $1 Lee?", "No reference": "No reference", "Is it #2?": "", "#0 or #3": "", "#99999999999999999999": ""} {
		got, ok := withFindings(question, steps)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q became %q, %v", question, got, ok)
		}
	}
}
