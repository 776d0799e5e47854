package evaluation_test

import (
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/testkit"
)

// TestEvaluationsAreOperated: a program keeps questions, changes one, asks them, and judges a reply.
func TestEvaluationsAreOperated(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	ctx := domain.WithWorkspace(t.Context(), testkit.Workspace)
	try := func(name string, given map[string][]string) (any, error) {
		t.Helper()
		for _, o := range evaluation.Operations() {
			if row := o.Row(); row.Name == "eval questions "+name {
				in := reflect.New(row.In).Interface()
				testkit.Must(t, operation.Fill(in, func(f operation.Field) []string { return given[f.Name] }))
				if file := given["file"]; file != nil {
					reflect.ValueOf(in).Elem().FieldByName("File").Set(reflect.ValueOf(operation.File{Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(file[0])), nil }}))
				}
				return row.Do(ctx, a.Evaluation, in)
			}
		}
		t.Fatalf("no operation %s", name)
		return nil, nil
	}
	do := func(name string, given map[string][]string) any {
		t.Helper()
		out, err := try(name, given)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return out
	}
	if got := do("add", map[string][]string{"question": {"Who cast bells?"}, "answers": {"Carrow"}}); got != (evaluation.Taken{Added: 1}) {
		t.Errorf("added: %+v", got)
	}
	if got := do("import", map[string][]string{"file": {"question,answers\nWho cast bells?,Foundry\nWho taught?,Osgood\n"}}); got != (evaluation.Taken{Added: 1, Changed: 1}) {
		t.Errorf("imported: %+v", got)
	}
	kept := do("list", nil).(evaluation.Listing).Questions
	id := string(kept[1].ID)
	do("change", map[string][]string{"id": {id}, "question": {"Who taught arithmetic?"}, "sources": {"school.txt"}})
	if got := do("list", nil).(evaluation.Listing).Questions[1]; got.Text != "Who taught arithmetic?" || len(got.Answers) != 1 || len(got.Sources) != 1 {
		t.Errorf("changed: %+v", got)
	}
	do("change", map[string][]string{"id": {id}, "refuse": {"true"}})
	if got := do("list", nil).(evaluation.Listing).Questions[1]; !got.ToRefuse() {
		t.Errorf("to be refused: %+v", got)
	}
	do("delete", map[string][]string{"questions": {id}})
	if got := do("list", nil).(evaluation.Listing).Questions; len(got) != 1 {
		t.Errorf("after a deletion: %+v", got)
	}
	do("restore", map[string][]string{"questions": {id}})
	if got := do("list", nil).(evaluation.Listing).Questions; len(got) != 2 || string(got[1].ID) != id {
		t.Errorf("restored: %+v", got)
	}
	if _, err := try("change", map[string][]string{"id": {"q0"}}); domain.KindOf(err) != domain.NotFound {
		t.Errorf("no such question: %v", err)
	}
	set := do("sets add", map[string][]string{"name": {"Bells"}}).(evaluation.Set)
	do("sets rename", map[string][]string{"set": {"bells"}, "name": {"Chimes"}})
	do("sets delete", map[string][]string{"set": {"Chimes"}})
	do("sets restore", map[string][]string{"set": {string(set.ID)}})
	if sets := do("sets", nil).([]evaluation.Set); len(sets) != 2 || sets[1].Name != "Chimes" {
		t.Errorf("sets: %+v", sets)
	}
	begun := do("run", map[string][]string{"max_loops": {"0"}}).(evaluation.Evaluation)
	if begun.At() != "/evaluation/runs/"+string(begun.ID) || begun.Setting.MaxLoops != 0 {
		t.Errorf("begun: %+v at %q", begun, begun.At())
	}
	one := map[string][]string{"evaluation": {string(begun.ID)}}
	do("stop", one)
	if got := do("show", one).(evaluation.Evaluation); got.At() != "" || len(got.Score.Replies) != 2 {
		t.Errorf("stopped: %+v", got)
	}
	if got := do("history", nil).([]evaluation.Evaluation); len(got) != 1 {
		t.Errorf("history: %+v", got)
	}
	do("remove", map[string][]string{"evaluations": {string(begun.ID)}})
	if _, err := try("show", one); domain.KindOf(err) != domain.NotFound {
		t.Errorf("removed: %v", err)
	}
	do("delete", map[string][]string{"questions": {id}})
	if left := do("list", nil).(evaluation.Listing).Questions; len(left) != 1 {
		t.Errorf("left: %+v", left)
	}
}
