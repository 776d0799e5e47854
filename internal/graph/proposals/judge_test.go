package proposals_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/proposals"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit"
)

// judging is a model that gives the same verdict on everything.
type judging struct {
	verdict string
	calls   atomic.Int32
	last    atomic.Value // the last message
}

func (j *judging) Model() string { return "judge-7" }

func (j *judging) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	j.calls.Add(1)
	j.last.Store(r.Messages[len(r.Messages)-1].Text)
	return llm.Response{Text: "Well. " + `{"verdict": "` + j.verdict + `", "because": "Lanternfield was there"}`, Usage: llm.Usage{Input: 90, Output: 5}, Model: "judge-7"}, nil
}

// judged reads two texts with Edda Lanternfield, once misspelt, and compares them with a
// judge.
func judged(t *testing.T, verdict string) (*testkit.App, *judging) {
	t.Helper()
	a, model := open(t), &judging{verdict: verdict}
	a.Proposals.Judge = &proposals.Judge{Chat: model, Fitness: llm.NewFitness(model, llm.ModePrompt, nil), Prompts: a.Prompts, Most: 10}
	a.Read(t, "a.txt", "Edda Lanternfield met Otto Marl. Edda Lanternfield left.")
	a.Read(t, "b.txt", "Nadia Corvel wrote to Edda Lanternfeild.")
	compare(t, a)
	return a, model
}

// changes returns what the log says in words.
func changes(t *testing.T, a *testkit.App) string {
	t.Helper()
	list, _, err := a.Curator.Changes(t.Context(), w, curate.Which{}, 0, 10)
	testkit.Must(t, err)
	return fmt.Sprint(list)
}

func TestAModelBreaksTies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		verdict          string
		merged, proposed int
		words            string
	}{
		{"same", 1, 0, "The model judge-7 takes the two for one."},
		{"different", 0, 1, "The model judge-7 takes the two for different things."},
		{"unsure", 0, 1, "The model judge-7 was asked and is not sure."},
		{"perhaps", 0, 1, "The model judge-7 was asked and is not sure."},
	} {
		t.Run(c.verdict, func(t *testing.T) {
			t.Parallel()
			a, model := judged(t, c.verdict)
			all, _, err := a.Ledger.Proposals(t.Context(), w, ledger.ProposalQuery{Decided: true})
			testkit.Must(t, err)
			merged, open := len(all), waiting(t, a)
			if merged != c.merged || len(open) != c.proposed || model.calls.Load() != 1 {
				t.Fatalf("%d merged, %d proposed, %d calls, want %d, %d and 1; the log: %s", merged, len(open), model.calls.Load(), c.merged, c.proposed, changes(t, a))
			}
			if all = append(all, open...); c.words != "" && !strings.Contains(fmt.Sprint(all[0].Evidence), c.words) {
				t.Errorf("the reasons are %v, want %q", all[0].Evidence, c.words)
			}
			if asked := model.last.Load().(string); !strings.Contains(asked, "Edda Lanternfield met") || !strings.Contains(asked, "Nadia Corvel") {
				t.Errorf("the model was shown %s", asked)
			}
			compare(t, a)
			if model.calls.Load() != 1 {
				t.Errorf("the model was asked %d times, want once", model.calls.Load())
			}
		})
	}
}

// TestAVerdictIsCountedAndKeptWithoutWords checks the usage of the run and what
// is recorded.
func TestAVerdictIsCountedAndKeptWithoutWords(t *testing.T) {
	t.Parallel()
	a, _ := judged(t, "same")
	runs, err := a.Queue.List(t.Context(), w, job.Query{Kind: proposals.Kind, Limit: 1})
	testkit.Must(t, err)
	events, err := a.Ledger.Events(t.Context(), w, runs[0].ID, 0)
	testkit.Must(t, err)
	usage := 0
	for _, e := range events {
		if strings.Contains(string(e.JSON), `"`+domain.EventUsage+`"`) && strings.Contains(string(e.JSON), "90") {
			usage++
		}
	}
	if usage != 1 {
		t.Errorf("%d events count the call, want 1", usage)
	}
	var recorded string
	testkit.Must(t, a.DB.Reader.QueryRowContext(t.Context(), `SELECT GROUP_CONCAT(response) FROM model_calls`).Scan(&recorded))
	if !strings.Contains(recorded, `"same"`) || strings.Contains(recorded, "Lanternfield") {
		t.Errorf("recorded: %s", recorded)
	}
}

// TestAVetoIsStrongerThanAModel checks that what names tell apart is left to a
// person, whatever a model says.
func TestAVetoIsStrongerThanAModel(t *testing.T) {
	t.Parallel()
	a, model := open(t), &judging{verdict: "same"}
	a.Proposals.Judge = &proposals.Judge{Chat: model, Fitness: llm.NewFitness(model, llm.ModePrompt, nil), Prompts: a.Prompts, Most: 10}
	read(t, a, "a.txt", "c.txt") // Ada Lovelace, and a Lovelace
	compare(t, a)
	if open := waiting(t, a); len(open) != 1 || model.calls.Load() != 1 || open[0].Score < 0.9 {
		t.Errorf("the proposals are %+v after %d calls, want one with the model's word", open, model.calls.Load())
	}
}

// meaning embeds two names alike, and any other in a direction of its own.
type meaning struct{ texts atomic.Int32 }

func (*meaning) Model() string { return "embed-7" }

func (m *meaning) Embed(_ context.Context, texts []string) ([][]float32, error) {
	m.texts.Add(int32(len(texts)))
	all := make([][]float32, len(texts))
	for i, text := range texts {
		all[i] = make([]float32, 256)
		sum := 0
		for _, r := range text {
			sum = sum*31 + int(r)
		}
		if strings.Contains(text, "Lantern") {
			sum = 7
		}
		all[i][(sum%256+256)%256] = 1
	}
	return all, nil
}

func TestNamesOfOneMeaningAreProposed(t *testing.T) {
	t.Parallel()
	a, m := open(t), &meaning{}
	a.Proposals.Embedder = m
	a.Read(t, "a.txt", "Ada Marl crossed the Lantern Bridge. The Lantern Bridge fell.")
	a.Read(t, "b.txt", "Pont Lanterne is old.")
	compare(t, a)
	open := waiting(t, a)
	if len(open) != 1 || open[0].Pattern != "same meaning" || !strings.Contains(fmt.Sprint(open[0].Evidence), "embeddings") {
		t.Errorf("the proposals are %+v", open)
	}
	before := m.texts.Load()
	compare(t, a)
	if before == 0 || m.texts.Load() != before {
		t.Errorf("%d names were embedded, and %d more the second time", before, m.texts.Load()-before)
	}
}
