package telemetry

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/clewhq/clew/internal/domain"
)

// The outcomes of sending spans.
const sent, lost = "sent", "lost"

// remembered is how many runs' callers are kept. A run whose caller is forgotten, or is another process, begins a trace.
const remembered = 4096

// spans makes spans and sends them.
type spans struct {
	tracer   trace.Tracer
	provider interface {
		ForceFlush(ctx context.Context) error
		Shutdown(ctx context.Context) error
	}
	receiver *receiver // may be nil

	mu      sync.Mutex
	callers map[domain.RunID]trace.SpanContext
	order   []domain.RunID // of callers, oldest first
}

// nothing is the provider of no spans.
type nothing struct{}

func (nothing) ForceFlush(context.Context) error { return nil }
func (nothing) Shutdown(context.Context) error   { return nil }

const scope = "github.com/clewhq/clew"

func newSpans(p Params, exported *prometheus.CounterVec) *spans {
	s := &spans{tracer: noop.NewTracerProvider().Tracer(scope), provider: nothing{}, callers: map[domain.RunID]trace.SpanContext{}}
	if p.Endpoint == "" {
		return s
	}
	s.receiver = &receiver{url: p.Endpoint + "/v1/traces", headers: p.Headers, now: p.Now, exported: exported, log: p.Log, client: &http.Client{Timeout: exportTimeout, CheckRedirect: stay}}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(otlptrace.NewUnstarted(s.receiver)),
		sdktrace.WithResource(resource.NewSchemaless(serviceName.String("clew"), serviceVersion.String(p.Version))),
	)
	s.tracer, s.provider = provider.Tracer(scope), provider
	return s
}

// stay follows no redirect: the headers are meant for one server.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// keep remembers the span in which a run was queued.
func (s *spans) keep(id domain.RunID, of trace.SpanContext) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.order) == remembered {
		delete(s.callers, s.order[0])
		s.order = s.order[1:]
	}
	s.callers[id], s.order = of, append(s.order, id)
}

// after returns a context for the span of a run, below the one in which it was queued.
func (s *spans) after(ctx context.Context, id domain.RunID) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of, ok := s.callers[id]; ok {
		return trace.ContextWithSpanContext(ctx, of)
	}
	return ctx
}

// A receiver takes spans over HTTP. Spans that it does not take are lost, and counted: the program does not wait for it.
//
// It is an otlptrace.Client. That of otlptracehttp would bring gRPC into the program, which sends nothing by it.
type receiver struct {
	url      string
	headers  map[string]string
	client   *http.Client
	now      domain.Clock
	log      *slog.Logger
	exported *prometheus.CounterVec

	mu   sync.Mutex
	last Delivery
}

// A Delivery is the outcome of the last attempt to send spans.
type Delivery struct {
	At      time.Time // zero if none has been sent
	Problem string    // a sentence; "" if they arrived
}

var _ otlptrace.Client = (*receiver)(nil)

// Start implements otlptrace.Client.
func (*receiver) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (*receiver) Stop(context.Context) error { return nil }

// UploadTraces implements otlptrace.Client. It reports errors itself and returns none.
func (r *receiver) UploadTraces(ctx context.Context, of []*tracepb.ResourceSpans) error {
	n := 0
	for _, one := range of {
		for _, in := range one.GetScopeSpans() {
			n += len(in.GetSpans())
		}
	}
	err := r.post(ctx, of)
	d, outcome := Delivery{At: r.now()}, sent
	if err != nil {
		d.Problem, outcome = domain.InWords(err), lost
	}
	r.mu.Lock()
	before := r.last
	r.last = d
	r.mu.Unlock()
	if d.Problem != before.Problem && err != nil {
		r.log.WarnContext(ctx, "traces do not arrive", "err", err)
	}
	r.exported.WithLabelValues(outcome).Add(float64(n))
	return nil
}

// post sends spans. TracesData has the form of the request that the protocol names.
func (r *receiver) post(ctx context.Context, of []*tracepb.ResourceSpans) error {
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: of})
	if err != nil {
		return fmt.Errorf("write spans: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("send spans: %w", err)
	}
	for name, value := range r.headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	answer, err := r.client.Do(request)
	if err != nil {
		return domain.Because(domain.Unavailable, err, "The receiver of traces does not answer. Start it, or correct OTEL_EXPORTER_OTLP_ENDPOINT.")
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, mostAnswer)) // so that the connection is reused
	if answer.StatusCode != http.StatusOK {
		return domain.Errorf(domain.Unavailable, "The receiver of traces answers %s. Check OTEL_EXPORTER_OTLP_ENDPOINT, which should not end with /v1/traces, and OTEL_EXPORTER_OTLP_HEADERS.", answer.Status)
	}
	return nil
}

// mostAnswer is the most bytes of an answer that are read.
const mostAnswer = 64 << 10

// Traces reports whether spans are sent, and how that went the last time.
func (t *Telemetry) Traces() (last Delivery, on bool) {
	r := t.spans.receiver
	if r == nil {
		return Delivery{}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last, true
}

// Try sends a span, with those that wait, and returns how that went.
func (t *Telemetry) Try(ctx context.Context) Delivery {
	_, span := t.start(ctx, "doctor", trace.SpanKindInternal)
	span.End()
	if err := t.spans.provider.ForceFlush(ctx); err != nil {
		return Delivery{At: t.Now(), Problem: "The receiver of traces does not answer in time."}
	}
	last, _ := t.Traces()
	return last
}
