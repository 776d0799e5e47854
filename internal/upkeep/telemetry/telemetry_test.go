package telemetry

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/stategraph"
)

func TestErrorsAreToldByTheirKind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want string
	}{
		{nil, ""}, {job.ErrAsleep, ""}, {&stategraph.InterruptedError{}, ""}, {domain.Errorf(domain.NotFound, "There is no letter of Ada's."), domain.NotFound.String()},
		{&llm.Error{Fault: llm.RateLimited}, "rate limited"}, {errors.New("open letter.txt"), domain.Internal.String()},
	} {
		if got := kindOf(tt.err); got != tt.want {
			t.Errorf("%v is of the kind %q, want %q", tt.err, got, tt.want)
		}
	}
}

// TestCallersAreForgotten queues more runs than are remembered.
func TestCallersAreForgotten(t *testing.T) {
	t.Parallel()
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	p := New(Params{Endpoint: receiver.URL, Now: time.Now})
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx, over := p.Request(t.Context(), "POST", "/ask")
	id := func(n int) domain.RunID { return domain.RunID(time.Unix(int64(n), 0).UTC().Format(time.DateTime)) }
	for n := range remembered + 2 {
		p.Added(ctx, job.Run{ID: id(n)})
	}
	over(http.StatusOK, false)
	if len(p.spans.callers) != remembered || TraceOf(p.spans.after(t.Context(), id(0))) != "" || TraceOf(p.spans.after(t.Context(), id(remembered+1))) != TraceOf(ctx) {
		t.Errorf("%d callers are remembered, or not the last ones", len(p.spans.callers))
	}
}

// kept is a store that answers at once, and a model.
type kept struct{ graphstore.Store }

func (kept) Cursor(context.Context, domain.WorkspaceID) (int64, error) { return 1, nil }

func (kept) Stats(context.Context, domain.WorkspaceID) (graphstore.Stats, error) {
	return graphstore.Stats{}, nil
}

func (kept) Model() string { return "small" }

func (kept) Complete(context.Context, llm.Request) (llm.Response, error) { return llm.Response{}, nil }

// once reads a store and calls a model.
func once(ctx context.Context, store graphstore.Store, model llm.Chat) {
	_, _ = store.Stats(ctx, "library")
	_, _ = model.Complete(ctx, llm.Request{})
}

// watched returns a store and a model of which w is told.
func watched(w *Telemetry) (graphstore.Store, llm.Chat) {
	if w == nil {
		return graphstore.Owned{Store: kept{}}, llm.Watched(kept{}, "openai", nil)
	}
	return graphstore.Owned{Store: kept{}, Watch: w}, llm.Watched(kept{}, "openai", w)
}

// TestNothingIsAllocatedWhereNothingWatches reads and calls with telemetry off, and with it on, to see that the count is true.
func TestNothingIsAllocatedWhereNothingWatches(t *testing.T) {
	ctx := t.Context()
	store, model := watched(nil)
	if n := testing.AllocsPerRun(1000, func() { once(ctx, store, model) }); n > 0 {
		t.Errorf("%v allocations with telemetry off, want none", n)
	}
	on := New(Params{Now: time.Now})
	store, model = watched(on)
	if n := testing.AllocsPerRun(1000, func() { once(ctx, store, model) }); n == 0 {
		t.Error("no allocations with figures: nothing was told")
	}
	if err := on.Close(); err != nil {
		t.Error(err)
	}
}

// BenchmarkOff reads a store and calls a model with telemetry off and on.
func BenchmarkOff(b *testing.B) {
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	b.Cleanup(receiver.Close)
	for _, mode := range []struct {
		name string
		with *Telemetry
	}{{"off", nil}, {"figures", New(Params{Now: time.Now})}, {"spans", New(Params{Endpoint: receiver.URL, Now: time.Now})}} {
		b.Run(mode.name, func(b *testing.B) {
			store, model := watched(mode.with)
			b.ReportAllocs()
			for b.Loop() {
				once(b.Context(), store, model)
			}
		})
		if mode.with != nil {
			if err := mode.with.Close(); err != nil {
				b.Error(err)
			}
		}
	}
}

// BenchmarkNode tells of a node with a call of a store, with figures alone and with spans. Where nothing is set, nothing is told.
func BenchmarkNode(b *testing.B) {
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	b.Cleanup(receiver.Close)
	for name, endpoint := range map[string]string{"figures": "", "spans": receiver.URL} {
		b.Run(name, func(b *testing.B) {
			t := New(Params{Endpoint: endpoint, Now: time.Now})
			b.ReportAllocs()
			for b.Loop() {
				ctx, over := t.Node(b.Context(), "answer", "retrieve")
				t.Read(ctx, "index", "Lexical")(nil)
				over(nil)
			}
			if err := t.Close(); err != nil {
				b.Error(err)
			}
		})
	}
}
