package questions_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/testkit"
)

func TestChangesAreParsedFieldByField(t *testing.T) {
	t.Parallel()
	c, err := questions.ParseChanges(map[string]string{
		"question": " Who \n else? ", "rewrite": "bells", "max_loops": "5", "method": "words", "model": "tiny",
		"grade.c1": "relevant", "grade.c2": "irrelevant", "prompt.write": "3", "draft.grade": "text",
	})
	testkit.Must(t, err)
	want := questions.Changes{
		Edit: answer.Edit{
			Question: "Who else?", Rewrite: "bells", MaxLoops: new(5), Method: new(domain.MethodWords),
			Grades: map[domain.ChunkID]domain.Verdict{"c1": domain.Relevant, "c2": domain.Irrelevant},
		}, Model: "tiny", Prompts: map[string]int{"write": 3}, Drafts: map[string]string{"grade": "text"},
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	_, err = questions.ParseChanges(map[string]string{"max_loops": "many", "method": "magic", "grade.c1": "perhaps", "prompt.write": "x", "colour": "red"})
	problems, ok := errors.AsType[questions.Problems](err)
	if !ok || domain.KindOf(err) != domain.Invalid {
		t.Fatalf("error %v", err)
	}
	for field, says := range map[string]string{
		"max_loops": `"many" is not a number`, "method": "Choose words", "grade.c1": "Write relevant or irrelevant", "prompt.write": "not a version number",
		"colour": "There is no such field", "question": "",
	} {
		if got := problems.Of(field); !strings.Contains(got, says) || says == "" && got != "" {
			t.Errorf("%s: %q, want %q", field, got, says)
		}
		if says != "" && !strings.Contains(err.Error(), field+": ") {
			t.Errorf("the error does not name %s: %v", field, err)
		}
	}
}

// TestOnlyWhatStillMattersCanBeChanged looks at each field before and after each
// node of an answer.
func TestOnlyWhatStillMattersCanBeChanged(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	a.Questions.Models = []string{"tiny"}
	m := a.Answered(t, "", both)
	fields := []string{"question", "rewrite", "max_loops", "method", "model", "grade.c1", "prompt.condense", "prompt.grade", "prompt.write", "draft.support", "prompt.extract"}
	open := map[int][]string{}
	ahead := map[int][]string{}
	steps := []int{0, 1, 2, after(t, a, m.Run, answer.NodeGenerate), after(t, a, m.Run, answer.NodeSupport)}
	for _, step := range steps {
		p, err := a.Questions.At(t.Context(), testkit.Workspace, m.Run, step)
		testkit.Must(t, err)
		ahead[step] = a.Questions.Ahead(p)
		for _, f := range fields {
			why := a.Questions.Closed(p, f)
			if why == "" {
				open[step] = append(open[step], f)
			} else if !strings.HasSuffix(why, ".") {
				t.Errorf("step %d, %s: %q is no sentence", step, f, why)
			}
		}
	}
	loop := []string{"question", "rewrite", "max_loops", "method", "model"}
	want := map[int][]string{
		0: append(loop[:5:5], "prompt.condense", "prompt.grade", "prompt.write", "draft.support"),
		1: append(loop[:5:5], "prompt.grade", "prompt.write", "draft.support"),
		2: append(loop[:5:5], "grade.c1", "prompt.grade", "prompt.write", "draft.support"),
		// Checking follows, and nothing else.
		steps[3]: {"question", "model", "draft.support"},
	}
	if diff := cmp.Diff(want, open); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"retrieve", "grade_documents", "transform_query", "generate", "check_support", "regenerate"}, ahead[2]); diff != "" {
		t.Errorf("after the grading: -want +got\n%s", diff)
	}
	a.Questions.Models = nil
	p, err := a.Questions.At(t.Context(), testkit.Workspace, m.Run, 2)
	testkit.Must(t, err)
	for _, field := range []string{"model", "prompt.write", "draft.write"} {
		if why := a.Questions.Closed(p, field); !strings.Contains(why, "No model is configured") {
			t.Errorf("%s in the built-in mode: %q", field, why)
		}
	}
}

func TestChangesThatCannotBeMadeAreRefused(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	a.Questions.Models = []string{"tiny"}
	m := a.Answered(t, "", both)
	grade := after(t, a, m.Run, answer.NodeGrade)
	chunk := string(found(t, a, m.Run, grade, "school.txt"))
	for _, tt := range []struct {
		name, field, value string
		step               int
		says               string
	}{
		{"too few loops", "max_loops", "-1", grade, "between 0"},
		{"too many loops", "max_loops", "21", grade, "and 20"},
		{"a long question", "question", strings.Repeat("ä", 4001), grade, "4001 characters"},
		{"a long rewrite", "rewrite", strings.Repeat("ä", 401), grade, "401 characters"},
		{"an unknown passage", "grade.c9", "relevant", grade, "No passage with this id"},
		{"a grade after writing", "grade." + chunk, "irrelevant", after(t, a, m.Run, answer.NodeGenerate), "already been written"},
		{"no such version", "prompt.write", "7", grade, "no version 7"},
		{"no such role", "prompt.magic", "1", grade, "no role"},
		{"a broken draft", "draft.write", "{{", grade, ""},
		{"as it is", "grade." + chunk, "relevant", grade, "Nothing has been changed"},
		{"nothing", "question", both, grade, "Nothing has been changed"},
	} {
		c, err := questions.ParseChanges(map[string]string{tt.field: tt.value})
		testkit.Must(t, err)
		_, err = a.Questions.Vary(t.Context(), questions.Variation{Workspace: testkit.Workspace, Parent: m.Run, Step: tt.step, Purpose: questions.Fork, Changes: c})
		problems, ok := errors.AsType[questions.Problems](err)
		if !ok || domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if !strings.Contains(tt.says, "Nothing") && problems.Of(tt.field) == "" {
			t.Errorf("%s: the field is not named: %v", tt.name, problems)
		}
	}
	if all, err := a.Ledger.BranchesOf(t.Context(), testkit.Workspace, m.Message); err != nil || len(all) != 0 {
		t.Errorf("branches %+v, error %v", all, err)
	}
}

// TestABranchIsAnsweredByAnotherModelAndPrompts looks at what the graph of such a
// branch is made with.
func TestABranchIsAnsweredByAnotherModelAndPrompts(t *testing.T) {
	t.Parallel()
	a := open(t, testkit.Options{})
	a.Questions.Models = []string{"tiny"}
	m := a.Answered(t, "", both)
	role := answer.RoleWrite
	now, err := a.Prompts.Current(t.Context(), testkit.Workspace, role)
	testkit.Must(t, err)
	first, err := a.Prompts.Save(t.Context(), testkit.Workspace, domain.PromptVersion{Role: role, Text: edited(now.Text, "First.")}, 0)
	testkit.Must(t, err)
	_, err = a.Prompts.Save(t.Context(), testkit.Workspace, domain.PromptVersion{Role: role, Text: edited(now.Text, "Second.")}, first.Number)
	testkit.Must(t, err)
	draft, err := a.Prompts.Current(t.Context(), testkit.Workspace, answer.RoleSupport)
	testkit.Must(t, err)
	var model, writes, supports string
	a.Questions.GraphBy = func(s evaluation.Setting, book *prompts.Book) (stategraph.Runnable[answer.State], error) {
		model = s.Model
		writes, err = book.Edited(t.Context(), testkit.Workspace, role, 99)
		testkit.Must(t, err)
		supports, err = book.Edited(t.Context(), testkit.Workspace, answer.RoleSupport, 99)
		return a.Answer, err
	}
	b := runs(t, a, questions.Variation{Parent: m.Run, Step: 2, Purpose: questions.Fork, Changes: questions.Changes{
		Model: "huge", Prompts: map[string]int{role: first.Number}, Drafts: map[string]string{answer.RoleSupport: edited(draft.Text, "Draft.")},
	}})
	if b.Status != ledger.MessageDone || model != "huge" || !strings.Contains(writes, "First.") || !strings.Contains(supports, "Draft.") {
		t.Errorf("the branch is %s; made with %q, %q and %q", b.Status, model, writes, supports)
	}
	if title := questions.BranchTitle(b); title != "Model huge, other prompts" {
		t.Errorf("it is called %q", title)
	}
}

// edited returns the text of a prompt with more instructions.
func edited(text, more string) string {
	return strings.Replace(text, `{{define "system"}}`, `{{define "system"}}`+more+" ", 1)
}
