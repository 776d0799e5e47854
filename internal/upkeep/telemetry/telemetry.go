// Package telemetry counts and times the program's work, for Prometheus, and traces each request in
// spans, for OpenTelemetry. Its data contains ids, kinds and numbers, never words of documents,
// questions or answers; labels contain no ids.
//
// Each instrumented package declares an interface with the methods it calls; a nil observer disables
// instrumentation.
package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	runtrace "github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Params configures Telemetry. All fields are required but Endpoint and Headers.
type Params struct {
	Version  string
	Endpoint string            // of a receiver of OTLP over HTTP, without /v1/traces; "" sends no spans
	Headers  map[string]string // of each request to it
	Program  Program
	Now      domain.Clock
	Log      *slog.Logger
}

// A Program is asked when figures are read.
type Program interface {
	// Source returns the source of metrics that are read on demand.
	Source() Source
	// Price returns the cost of tokens; 0 for a model without a price.
	Price(ctx context.Context, u domain.Usage) (cost costs.Money, currency string)
	// Workers counts the processes that work on the queue.
	Workers(ctx context.Context) (int, error)
	// FreeDisk returns the free bytes for the data folder, if there is one.
	FreeDisk() (bytes int64, known bool)
}

// Telemetry records what the program does. New returns one.
type Telemetry struct {
	Params

	registry *prometheus.Registry
	figures
	spans *spans
}

var (
	_ run.Watch         = (*Telemetry)(nil)
	_ job.Watch         = (*Telemetry)(nil)
	_ llm.Watch         = (*Telemetry)(nil)
	_ costs.Watch       = (*Telemetry)(nil)
	_ graphstore.Watch  = (*Telemetry)(nil)
	_ vectorstore.Watch = (*Telemetry)(nil)
)

// New returns Telemetry that sends spans if p has an Endpoint. Close must follow.
func New(p Params) *Telemetry {
	t := &Telemetry{Params: p, registry: prometheus.NewRegistry(), figures: newFigures()}
	t.spans = newSpans(p, t.figures.spans)
	t.register()
	return t
}

// Close sends the spans that have ended.
func (t *Telemetry) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), exportTimeout)
	defer cancel()
	return t.spans.provider.Shutdown(ctx)
}

// start begins a span.
func (t *Telemetry) start(ctx context.Context, name string, kind trace.SpanKind, of ...attribute.KeyValue) (context.Context, trace.Span) {
	return t.spans.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(of...)) //nolint:spancheck // the caller ends it
}

// TraceOf returns the id of the trace that ctx belongs to, or "".
func TraceOf(ctx context.Context) string {
	if s := trace.SpanContextFromContext(ctx); s.IsSampled() {
		return s.TraceID().String()
	}
	return ""
}

// Request records a request to a route of the site, and then the status of its answer. A stream counts as a request
// without a duration, since it lasts as long as somebody watches.
func (t *Telemetry) Request(ctx context.Context, method, route string) (context.Context, func(status int, stream bool)) {
	if !slices.Contains(methods, method) {
		method = "_OTHER"
	}
	began := t.Now()
	ctx, span := t.start(ctx, method+" "+route, trace.SpanKindServer, httpMethod.String(method), httpRoute.String(route))
	return ctx, func(status int, stream bool) {
		if !stream {
			t.requests.WithLabelValues(route, strconv.Itoa(status)).Observe(t.Now().Sub(began).Seconds())
		}
		span.SetAttributes(httpStatus.Int(status))
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// methods are the HTTP methods that are reported by name.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}

// Added implements job.Watch. If this process carries out the run, its span follows that of ctx.
func (t *Telemetry) Added(ctx context.Context, r job.Run) {
	if of := trace.SpanFromContext(ctx); of.IsRecording() {
		of.SetAttributes(clewRun.String(string(r.ID)))
		t.spans.keep(r.ID, of.SpanContext())
	}
}

// Run implements run.Watch.
func (t *Telemetry) Run(ctx context.Context, graph string, r job.Run) (context.Context, func(error)) {
	ctx, span := t.start(t.spans.after(ctx, r.ID), operationAgent+" "+graph, trace.SpanKindInternal,
		genaiOperation.String(operationAgent), genaiAgent.String(graph), clewRun.String(string(r.ID)), clewWorkspace.String(string(r.Workspace)), clewAttempt.Int(r.Attempt))
	return ctx, func(err error) {
		if capped, ok := errors.AsType[*costs.CapError](err); ok {
			t.caps.WithLabelValues(string(capped.Scope)).Inc()
		}
		end(span, err)
	}
}

// Node implements run.Watch.
func (t *Telemetry) Node(ctx context.Context, graph, node string) (context.Context, func(error)) {
	began := t.Now()
	ctx, span := t.start(ctx, node, trace.SpanKindInternal, clewNode.String(node), genaiAgent.String(graph))
	return ctx, func(err error) {
		t.nodes.WithLabelValues(graph, node).Observe(t.Now().Sub(began).Seconds())
		end(span, err)
	}
}

// Settled implements run.Watch.
func (t *Telemetry) Settled(graph string, r job.Run, events []runtrace.Event) {
	t.ended.WithLabelValues(graph, string(r.Status)).Inc()
	if !r.StartedAt.IsZero() && r.FinishedAt.After(r.StartedAt) {
		t.runs.WithLabelValues(graph).Observe(r.FinishedAt.Sub(r.StartedAt).Seconds())
	}
	var seen answered
	for _, e := range events {
		if e.Kind == string(stategraph.NodeRetry) {
			t.retries.WithLabelValues(graph, runtrace.Name(e.Path[min(1, len(e.Path)):], e.Node)).Inc()
		}
		seen.add(e)
	}
	if graph != answer.Name || r.Status != job.Done {
		return
	}
	t.loops.Observe(float64(seen.loops))
	if seen.wrote && !seen.answered {
		t.refused.Inc()
	}
	for verdict, n := range seen.grades {
		t.grades.WithLabelValues(verdict).Add(float64(n))
	}
}

// answered is the outcome of an answer, from the events of its run.
type answered struct {
	loops           int
	wrote, answered bool
	grades          map[string]int
}

func (a *answered) add(e runtrace.Event) {
	switch {
	case e.Kind == string(stategraph.NodeEnd):
		if e.Node == answer.NodeTransform {
			a.loops++
		}
		var wrote struct {
			Answered *bool `json:"answered"`
		}
		if json.Unmarshal(e.Update, &wrote) == nil && wrote.Answered != nil {
			a.wrote, a.answered = true, *wrote.Answered
		}
	case e.Custom == domain.EventGrade:
		var g domain.Grading
		if json.Unmarshal(e.Payload, &g) == nil {
			if a.grades == nil {
				a.grades = map[string]int{}
			}
			a.grades[verdictOf(g)]++
		}
	}
}

func verdictOf(g domain.Grading) string {
	switch g.Verdict {
	case domain.Relevant:
		return "yes"
	case domain.Irrelevant:
		return "no"
	}
	return "ungraded"
}

// Call implements llm.Watch.
func (t *Telemetry) Call(ctx context.Context, c llm.Calling) (within context.Context, first func(), over func(llm.Response, error)) {
	began, waits := t.Now(), true
	ctx, span := t.start(ctx, c.Operation+" "+c.Model, trace.SpanKindClient,
		genaiOperation.String(c.Operation), genaiProvider.String(c.Provider), genaiRequestModel.String(c.Model), clewRole.String(c.Role))
	first = func() {
		if waits {
			waits = false
			t.first.WithLabelValues(c.Operation, c.Provider, c.Model).Observe(t.Now().Sub(began).Seconds())
		}
	}
	return ctx, first, func(r llm.Response, err error) {
		t.calls.WithLabelValues(c.Operation, c.Provider, c.Model, kindOf(err)).Observe(t.Now().Sub(began).Seconds())
		if r.Usage.Input > 0 || r.Usage.Output > 0 {
			t.usage.WithLabelValues(c.Operation, c.Provider, c.Model, "input").Observe(float64(r.Usage.Input))
			t.usage.WithLabelValues(c.Operation, c.Provider, c.Model, "output").Observe(float64(r.Usage.Output))
			span.SetAttributes(genaiInputTokens.Int(r.Usage.Input), genaiOutputTokens.Int(r.Usage.Output))
		}
		if r.Model != "" {
			span.SetAttributes(genaiAnswerModel.String(r.Model))
		}
		if r.Stop != "" {
			span.SetAttributes(genaiFinish.StringSlice([]string{r.Stop}))
		}
		end(span, err)
	}
}

// Spent implements costs.Watch.
func (t *Telemetry) Spent(ctx context.Context, c llm.Call) {
	for direction, n := range map[string]int{"input": c.Usage.Input, "cached": c.Usage.Cached, "output": c.Usage.Output, "embedded": c.Usage.Embedded} {
		if n > 0 {
			t.tokens.WithLabelValues(c.Role, c.Usage.Model, direction).Add(float64(n))
		}
	}
	if cost, currency := t.Program.Price(ctx, c.Usage); cost > 0 {
		t.cost.WithLabelValues(currency).Add(float64(cost) / millionths)
	}
}

// millionths of a currency are the unit of costs.Money.
const millionths = 1e6

// Read implements graphstore.Watch and vectorstore.Watch.
func (t *Telemetry) Read(ctx context.Context, store, read string) (over func(error)) {
	began := t.Now()
	_, span := t.start(ctx, store+" "+read, trace.SpanKindClient, genaiOperation.String(operationRetrieve), genaiDataSource.String(store))
	return func(err error) {
		t.reads.WithLabelValues(store, read).Observe(t.Now().Sub(began).Seconds())
		end(span, err)
	}
}

// end ends a span. An error is reported by its kind, because its sentence may name a document.
func end(span trace.Span, err error) {
	if kind := kindOf(err); kind != "" {
		span.SetStatus(codes.Error, kind)
		span.SetAttributes(errorType.String(kind))
	}
	span.End()
}

// kindOf returns the kind of an error, or "" for nil and for a run that waits for a person.
func kindOf(err error) string {
	if _, asks := errors.AsType[*stategraph.InterruptedError](err); err == nil || asks || errors.Is(err, job.ErrAsleep) {
		return ""
	}
	if fault, ok := errors.AsType[*llm.Error](err); ok {
		return string(fault.Fault)
	}
	if errors.Is(err, context.Canceled) {
		return "canceled"
	}
	return domain.KindOf(err).String()
}

// exportTimeout limits how long spans are being sent, and scrapeTimeout how long the stores are asked for figures.
const exportTimeout, scrapeTimeout = 5 * time.Second, 5 * time.Second
