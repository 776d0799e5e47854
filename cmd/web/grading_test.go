package main

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/questions"
)

// labelled returns the labelled passages that tests of a model grade, and whether each helps.
func labelled(t *testing.T) map[string]bool {
	t.Helper()
	file, err := os.ReadFile("../../internal/answer/trial.json")
	noError(t, err)
	var all []struct {
		Passages []struct {
			Helps bool
			Text  string
		}
	}
	noError(t, json.Unmarshal(file, &all))
	helps := map[string]bool{}
	for _, q := range all {
		for _, p := range q.Passages {
			helps[p.Text] = p.Helps
		}
	}
	return helps
}

// grader returns a model that knows which passages help, and says of several in one call what is true of those so many
// places further on.
func grader(t *testing.T, shift int) *llmtest.Server {
	t.Helper()
	helps := labelled(t)
	score := func(text string) string {
		for passage, yes := range helps {
			if strings.Contains(text, passage) && !yes {
				return "no"
			}
		}
		return "yes"
	}
	model := obliging(t)
	model.First(llmtest.Tool("grade_passage"), llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		text := r.Text()
		return llmtest.Call("grade_passage", map[string]any{"binary_score": score(text[strings.LastIndex(text, "\nPassage from"):]), "reason": "It is so."})
	}))
	model.First(llmtest.Tool("grade_passages"), llmtest.Compute(func(r llmtest.Request) llmtest.Reply {
		texts := strings.Split(r.Text(), "\nPassage ")[1:]
		var grades []map[string]any
		for i := range texts {
			grades = append(grades, map[string]any{"passage": i + 1, "binary_score": score(texts[(i+shift)%len(texts)]), "reason": "It is so."})
		}
		return llmtest.Call("grade_passages", map[string]any{"grades": grades})
	}))
	return model
}

// TestPassagesAreGradedTogetherWhereATestFoundThatGood tests models and asks them before and after.
func TestPassagesAreGradedTogetherWhereATestFoundThatGood(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		shift          int
		setting        string
		test           string // what it says
		together, each int    // calls of the question after the test
	}{
		"graded well together":    {0, "auto", "of 36 labelled passages it graded 36 rightly together and 36 one by one", 1, 0},
		"mixed up":                {1, "auto", "Each passage is graded by itself: of 36 labelled passages it graded", 0, 2},
		"together without a test": {1, "together", "It calls tools", 1, 0},
		"each in spite of a test": {0, "each", "It calls tools", 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := grader(t, tt.shift)
			sh := connected(t, model)
			sh.environ = append(sh.environ, "GRADE_MANY="+tt.setting)
			foundryFile, bridgeFile := letters(t)
			sh.must(t, "ingest", foundryFile, bridgeFile)
			sh.must(t, "ask", "Who founded the Carrow Foundry?")
			if n := model.Calls(llmtest.Tool("grade_passages")); n > 0 && tt.setting == "auto" {
				t.Errorf("%d calls graded several before a test", n)
			}
			if out := sh.must(t, "model", "test"); !strings.Contains(out, tt.test) {
				t.Errorf("the test does not say %q:\n%s", tt.test, out)
			}
			together, each := model.Calls(llmtest.Tool("grade_passages")), model.Calls(llmtest.Tool("grade_passage"))
			if tested := strconv.Itoa(together) + " " + strconv.Itoa(each); tt.setting == "auto" && tested != "4 38" {
				t.Errorf("the test and the question took %s calls", tested)
			}
			got := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "Who built the Carrow Foundry?"))
			together, each = model.Calls(llmtest.Tool("grade_passages"))-together, model.Calls(llmtest.Tool("grade_passage"))-each
			if together != tt.together || each != tt.each {
				t.Errorf("graded by %d calls for several and %d for one", together, each)
			}
			_, page := sh.serve(t).get(t, "/runs/"+got.Run)
			if told := strings.Contains(page, "Several passages are graded in one call"); told != (tt.together > 0 && tt.setting == "auto") {
				t.Errorf("the run's page tells why: %t", told)
			}
		})
	}
}

// TestATestThatFailsKeepsNothing: a model that can't be asked for grades is graded one by one.
func TestATestThatFailsKeepsNothing(t *testing.T) {
	t.Parallel()
	model := obliging(t)
	model.First(llmtest.Tool("grade_passages"), llmtest.Fail(400, "no"))
	sh := connected(t, model)
	checks := decoded[llm.Checks](t, sh.must(t, "model", "test", "--json"))
	last := checks[len(checks)-1]
	if last.What != llm.CheckGrading || last.OK || !strings.Contains(last.Sentence, "was not found out") {
		t.Errorf("the last check is %+v", last)
	}
}
