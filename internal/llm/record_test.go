package llm_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// store keeps model calls in memory.
type store struct {
	mu     sync.Mutex
	kept   map[string][]byte
	owners []domain.CallOwner
	fails  error
}

func (s *store) ModelCall(_ context.Context, key string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept[key], s.fails
}

func (s *store) SaveModelCall(_ context.Context, key string, owner domain.CallOwner, answer []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[string][]byte{}
	}
	s.kept[key] = answer
	s.owners = append(s.owners, owner)
	return nil
}

func question() llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Where?"}}, Prompt: "generate/1"}
}

func TestRecordReplays(t *testing.T) {
	t.Parallel()
	c, calls := failing()
	kept := &store{}
	recorded := llm.Record(c, kept)
	r := question()
	r.Owner = domain.CallOwner{Workspace: "default", Document: "d1"}
	first, err := recorded.Complete(t.Context(), r)
	if err != nil || first.Recorded {
		t.Fatalf("%+v, %v", first, err)
	}
	seen := ""
	r.OnText, r.Owner = func(s string) { seen += s }, domain.CallOwner{Run: "r2"}
	again, err := recorded.Complete(t.Context(), r)
	if err != nil || !again.Recorded || again.Text != "done" || seen != "done" || *calls != 1 {
		t.Errorf("%+v, %v, seen %q, %d calls", again, err, seen, *calls)
	}
	if again.Usage != first.Usage {
		t.Errorf("usage %v, was %v", again.Usage, first.Usage)
	}
	if !slices.Equal(kept.owners, []domain.CallOwner{{Workspace: "default", Document: "d1"}}) {
		t.Errorf("owners %v", kept.owners)
	}
}

func TestKeyDependsOnAllThatChangesAnAnswer(t *testing.T) {
	t.Parallel()
	keys := map[string]string{}
	for name, change := range map[string]func(*llm.Request){
		"nothing":     func(*llm.Request) {},
		"text":        func(r *llm.Request) { r.Messages[0].Text = "Who?" },
		"role":        func(r *llm.Request) { r.Messages[0].Role = llm.System },
		"prompt":      func(r *llm.Request) { r.Prompt = "generate/2" },
		"salt":        func(r *llm.Request) { r.Salt = "again" },
		"tool":        func(r *llm.Request) { r.Tools = []llm.Tool{{Name: "f", Parameters: []byte("{}")}} },
		"force":       func(r *llm.Request) { r.ForceTool = "f" },
		"schema":      func(r *llm.Request) { r.Schema = &llm.Schema{Name: "f", Schema: []byte("{}")} },
		"temperature": func(r *llm.Request) { r.Temperature = 1 },
		"tokens":      func(r *llm.Request) { r.MaxTokens = 1 },
		"workspace":   func(r *llm.Request) { r.Owner.Workspace = "other" },
	} {
		r := question()
		change(&r)
		key, err := llm.Key("test", r)
		if err != nil || len(key) != 64 {
			t.Fatalf("key %q, %v", key, err)
		}
		if other, ok := keys[key]; ok {
			t.Errorf("%s and %s have the same key", name, other)
		}
		keys[key] = name
	}
	other, err := llm.Key("another model", question())
	if _, ok := keys[other]; ok || err != nil {
		t.Errorf("another model has the same key as %s, %v", keys[other], err)
	}
	same := question()
	same.Owner, same.OnText = domain.CallOwner{Workspace: domain.DefaultWorkspace, Run: "r"}, func(string) {}
	if key, _ := llm.Key("test", same); keys[key] != "nothing" {
		t.Errorf("the owner changes the key; known keys: %v", slices.Sorted(maps.Values(keys)))
	}
}

func TestRecordSendsEqualRequestsOnce(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	recorded := llm.Record(chat(func(context.Context, llm.Request) (llm.Response, error) {
		entered <- struct{}{} // a second call would block here
		<-leave
		return llm.Response{Text: "once"}, nil
	}), &store{})
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			if got, err := recorded.Complete(t.Context(), question()); err != nil || got.Text != "once" {
				t.Errorf("%q, %v", got.Text, err)
			}
		})
	}
	<-entered
	close(leave)
	all.Wait()
}

func TestRecordOutlivesTheFirstCaller(t *testing.T) {
	t.Parallel()
	entered := make(chan struct{}, 2)
	started := make(chan struct{}, 1)
	recorded := llm.Record(chat(func(ctx context.Context, _ llm.Request) (llm.Response, error) {
		entered <- struct{}{}
		if ctx.Value(second{}) != nil {
			return llm.Response{Text: "here"}, nil
		}
		<-ctx.Done()
		return llm.Response{}, llm.Stopped(ctx.Err())
	}), &store{})
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := recorded.Complete(ctx, question()); !errors.Is(err, context.Canceled) {
			t.Errorf("the cancelled caller got %v", err)
		}
	})
	<-entered
	all.Go(func() {
		started <- struct{}{}
		got, err := recorded.Complete(context.WithValue(t.Context(), second{}, true), question())
		if err != nil || got.Text != "here" {
			t.Errorf("the other caller got %q, %v", got.Text, err)
		}
	})
	<-started
	cancel()
	all.Wait()
}

type second struct{}

func TestRecordKeepsNoFailures(t *testing.T) {
	t.Parallel()
	c, calls := failing(fault(llm.ServerFailed, 0))
	kept := &store{}
	recorded := llm.Record(c, kept)
	if _, err := recorded.Complete(t.Context(), question()); err == nil {
		t.Fatal("the failure was hidden")
	}
	if got, err := recorded.Complete(t.Context(), question()); err != nil || got.Recorded || *calls != 2 {
		t.Errorf("%+v, %v, %d calls", got, err, *calls)
	}
	kept.fails = errors.New("disk")
	if _, err := recorded.Complete(t.Context(), question()); !errors.Is(err, kept.fails) {
		t.Errorf("a store that fails: %v", err)
	}
}

func TestProbeBypassesTheRecord(t *testing.T) {
	t.Parallel()
	c, calls := failing()
	kept := &store{}
	recorded := llm.Record(c, kept)
	llm.Probe(t.Context(), recorded, nil)
	first := *calls
	llm.Probe(t.Context(), recorded, nil)
	if *calls != 2*first || first == 0 || len(kept.kept) != 0 {
		t.Errorf("%d calls, then %d; %d recorded", first, *calls, len(kept.kept))
	}
}
