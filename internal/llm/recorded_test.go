package llm_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

// TestOnlyRecordedCallsNobody asks for what is recorded and for what is not, also
// while somebody else asks for the same.
func TestOnlyRecordedCallsNobody(t *testing.T) {
	t.Parallel()
	c, calls := failing()
	recorded := llm.Record(c, &store{})
	only := llm.OnlyRecorded(t.Context())
	for _, fresh := range []bool{false, true} {
		r := question()
		r.Fresh = fresh
		_, err := recorded.Complete(only, r)
		if fault, ok := errors.AsType[*llm.Error](err); !ok || fault.Fault != llm.NotRecorded || domain.Temporary(err) || *calls != 0 {
			t.Errorf("got %v after %d calls", err, *calls)
		}
	}
	if _, err := recorded.Complete(t.Context(), question()); err != nil {
		t.Fatal(err)
	}
	if got, err := recorded.Complete(only, question()); err != nil || !got.Recorded || *calls != 1 {
		t.Errorf("%+v, %v, %d calls", got, err, *calls)
	}
}

// TestModesAreFoundInTheRecord asks in the mode that was found before, and
// without a record in the last one, which is not kept.
func TestModesAreFoundInTheRecord(t *testing.T) {
	t.Parallel()
	kept := &store{}
	chat := llm.Record(chat(func(_ context.Context, r llm.Request) (llm.Response, error) {
		return llm.Response{ToolCalls: []llm.ToolCall{{Name: r.ForceTool, Arguments: `{"city":"Paris"}`}}}, nil
	}), kept)
	mode := func(ctx context.Context, f *llm.Fitness) (found llm.Mode) {
		t.Helper()
		if err := f.Ask(ctx, nil, func(m llm.Mode) error { found = m; return nil }); err != nil {
			t.Error(err)
		}
		return found
	}
	only := llm.OnlyRecorded(t.Context())
	f := llm.NewFitness(chat, llm.ModeAuto, nil)
	got := []llm.Mode{mode(only, f), mode(t.Context(), f), mode(only, llm.NewFitness(chat, llm.ModeAuto, nil))}
	if diff := cmp.Diff([]llm.Mode{llm.ModePrompt, llm.ModeTool, llm.ModeTool}, got); diff != "" {
		t.Errorf("modes (-want +got)\n%s", diff)
	}
}

type embedder struct{ calls int }

func (*embedder) Model() string { return "small" }

func (e *embedder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	e.calls++
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = []float32{float32(len(text))}
	}
	return out, nil
}

func TestVectorsAreRecorded(t *testing.T) {
	t.Parallel()
	e := &embedder{}
	r := llm.RecordEmbedder(e, &llmtest.Shelf{})
	only := llm.OnlyRecorded(t.Context())
	if _, err := r.Embed(only, []string{"one"}); err == nil || e.calls != 0 {
		t.Errorf("error %v after %d calls", err, e.calls)
	}
	for _, ctx := range []context.Context{t.Context(), t.Context(), only} {
		got, err := r.Embed(ctx, []string{"three", "one", "three"})
		if diff := cmp.Diff([][]float32{{5}, {3}, {5}}, got); diff != "" || err != nil || e.calls != 1 {
			t.Errorf("%d calls, error %v (-want +got)\n%s", e.calls, err, diff)
		}
	}
}
