package llm_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

// meter keeps what it is told, and refuses when it is full.
type meter struct {
	full    error
	allowed []llm.Call
	spent   []llm.Call
}

func (m *meter) Allow(_ context.Context, c llm.Call) error {
	m.allowed = append(m.allowed, c)
	return m.full
}

func (m *meter) Spent(_ context.Context, c llm.Call) error {
	m.spent = append(m.spent, c)
	return nil
}

func TestMetered(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Say("yes").Using(30, 2).Keeping(20))
	chat, err := langchain.NewChat(langchain.Config{Provider: langchain.OpenAI, BaseURL: s.URL, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	var m meter
	c := llm.Record(llm.Metered(chat, &m), &store{})
	ctx := llm.WithOwner(llm.WithOwner(t.Context(), domain.CallOwner{Workspace: "w", Run: "r"}), domain.CallOwner{Document: "other"})
	r := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Is it?"}}, Prompt: "extract-tool/3", Owner: domain.CallOwner{Document: "d"}}
	for range 2 { // the second is answered from the record, and neither counted nor asked about
		if _, err := c.Complete(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	owner := domain.CallOwner{Workspace: "w", Document: "d", Run: "r"}
	want := []llm.Call{{Owner: owner, Role: "extract", Usage: domain.Usage{Model: "m", Input: 30, Cached: 20, Output: 2}}}
	if diff := cmp.Diff(want, m.spent); diff != "" || len(m.allowed) != 1 || m.allowed[0].Owner != owner {
		t.Errorf("allowed %+v, spent (-want +got):\n%s", m.allowed, diff)
	}

	m.full = errors.New("full")
	if _, err := c.Complete(ctx, r); err != nil {
		t.Errorf("a recorded answer costs nothing, and yet: %v", err)
	}
	r.Prompt = "grade/1"
	if _, err := c.Complete(ctx, r); !errors.Is(err, m.full) || s.Calls(llmtest.Any) != 1 || len(m.spent) != 1 {
		t.Errorf("error %v, %d calls, %d counted", err, s.Calls(llmtest.Any), len(m.spent))
	}
	m.full = nil
	s.First(llmtest.Any, llmtest.Fail(400, "no"))
	if _, err := c.Complete(ctx, r); err == nil || len(m.spent) != 1 {
		t.Errorf("a call that failed is counted: error %v, %d counted", err, len(m.spent))
	}
}

// books is a store that counts.
type books struct {
	store
	counted []llm.Call
}

func (b *books) SaveCounted(ctx context.Context, key string, owner domain.CallOwner, answer []byte, spent llm.Call) error {
	b.counted = append(b.counted, spent)
	return b.SaveModelCall(ctx, key, owner, answer)
}

// TestWhatIsRecordedIsCountedInTheSameWrite stops the caller as soon as the model
// has answered.
func TestWhatIsRecordedIsCountedInTheSameWrite(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	answers := chat(func(context.Context, llm.Request) (llm.Response, error) {
		stop()
		return llm.Response{Text: "yes", Usage: llm.Usage{Input: 30, Output: 2}}, nil
	})
	var m meter
	var b books
	c := llm.Record(llm.Metered(answers, &m), &b)
	if _, err := c.Complete(ctx, llm.Request{Prompt: "grade/1"}); err != nil {
		t.Fatal(err)
	}
	want := []llm.Call{{Role: "grade", Usage: domain.Usage{Model: answers.Model(), Input: 30, Output: 2}}}
	if diff := cmp.Diff(want, b.counted); diff != "" || len(m.spent) != 0 || len(b.kept) != 1 {
		t.Errorf("%d recorded, %d counted apart, counted (-want +got):\n%s", len(b.kept), len(m.spent), diff)
	}
}

func TestMeteredEmbedder(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	e, err := langchain.NewEmbedder(langchain.Config{Provider: langchain.OpenAI, BaseURL: s.URL, Model: "v", Batch: 2})
	if err != nil {
		t.Fatal(err)
	}
	var m meter
	texts := []string{"one", "two", "three"}
	ctx := llm.WithOwner(t.Context(), domain.CallOwner{Workspace: "w"})
	if _, err := llm.MeteredEmbedder(e, &m).Embed(ctx, texts); err != nil {
		t.Fatal(err)
	}
	silent := strings.Repeat("four", 5) // 20 characters: 5 tokens and one
	if _, err := llm.MeteredEmbedder(llmtest.Embedder{Name: "own"}, &m).Embed(ctx, []string{silent}); err != nil {
		t.Fatal(err)
	}
	want := []llm.Call{
		{Owner: domain.CallOwner{Workspace: "w"}, Role: "embed", Usage: domain.Usage{Model: "v", Embedded: 2}}, // the server counts one a batch
		{Owner: domain.CallOwner{Workspace: "w"}, Role: "embed", Usage: domain.Usage{Model: "own", Embedded: 6}},
	}
	if diff := cmp.Diff(want, m.spent); diff != "" {
		t.Errorf("spent (-want +got):\n%s", diff)
	}
	m.full = errors.New("full")
	if _, err := llm.MeteredEmbedder(e, &m).Embed(ctx, slices.Clone(texts)); !errors.Is(err, m.full) || len(m.spent) != 2 {
		t.Errorf("error %v, %d counted", err, len(m.spent))
	}
}
