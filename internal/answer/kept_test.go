package answer

import (
	"testing"

	checkpoint "github.com/clewhq/clew/internal/checkpoint/sql"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// TestKeptRunsOpen decodes what was kept of runs before there were steps, budgets and
// drafts.
func TestKeptRunsOpen(t *testing.T) {
	t.Parallel()
	const kept = `{"workspace":"default","run":"r1","question":"Who?","user_context":{"history":[{"question":"What?","answer":"It."}],"standalone":"Who built it?"},` +
		`"documents":[{"chunk":"c1","document_id":"d1","page":2,"appearances":[{"loop":0,"method":"words","score":1.5,"grade":"yes","reason":"names her","path":[{"name":"Ann"}],"ms":3}]}],` +
		`"sources":[{"document_id":"d1","document":"a.txt"}],"generation":"Ann. [1]","loop_count":1,"max_loops":3,"min_relevant":1,"query_rewrites":[{"text":"Who made it?","how":"x"}],` +
		`"retrieval":[{"loop":0,"found":["c1"],"methods":[{"name":"words","candidates":1,"ms":2}]}],"retrieval_scores":[{"loop":0,"scores":[1.5]}],"timing_metrics":[{"node":"retrieve","loop":0,"ms":2}],` +
		`"citations":[{"n":1,"document":"a.txt","document_id":"d1","chunk":"c1","page":2,"span":{"start":0,"end":4},"text":"Ann."}],` +
		`"sentences":[{"text":"Ann.","citations":[1],"supported":false,"paragraph":0}],"answered":true,"figures":[]}`
	const task = `{"workspace":"default","question":"Who?","document":{"chunk":"c1","appearances":[{"loop":0,"score":1}]},"candidates":["c1"]}`
	for name, codec := range map[string]state.Codec{"the engine's": state.StandardCodec{}, "the program's": checkpoint.NewCodec()} {
		var s State
		if err := codec.Unmarshal([]byte(kept), &s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s.step() != nil || s.overBudget() || s.searching().Question != "Who built it?" || s.wordings()[1].Text != "Who made it?" || !s.enough() || s.Result().Documents[0].Verdict != domain.Relevant {
			t.Errorf("%s: %+v", name, s)
		}
		var g gradeTask
		if err := codec.Unmarshal([]byte(task), &g); err != nil || g.Low || !(Params{}).affords(t.Context(), g, []GradeRequest{{}}) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
