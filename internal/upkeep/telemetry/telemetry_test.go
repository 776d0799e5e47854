package telemetry

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
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
