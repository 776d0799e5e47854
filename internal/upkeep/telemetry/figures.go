package telemetry

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
)

// Bounds of histograms: for what the program does itself, and those of the GenAI conventions.
var (
	quick  = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
	slow   = []float64{.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 300, 1200}
	genai  = []float64{.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	tokens = prometheus.ExponentialBuckets(1, 4, 14)
	loops  = []float64{0, 1, 2, 3, 5, 10, 20}
)

// figures are the metrics counted as events happen.
type figures struct {
	requests, runs, nodes, reads, calls, first, usage *prometheus.HistogramVec
	loops                                             prometheus.Histogram
	ended, retries, tokens, cost, grades, caps, spans *prometheus.CounterVec
	refused                                           prometheus.Counter
}

func newFigures() figures {
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	const operation, provider, model = "gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model"
	return figures{
		requests: histogram(requestSeconds, "Duration of requests, without streams.", quick, "route", "code"),
		runs:     histogram(runSeconds, "Duration of runs that ended, from their first attempt.", slow, "graph"),
		nodes:    histogram(nodeSeconds, "Duration of the calls of nodes.", slow, "graph", "node"),
		reads:    histogram(storeSeconds, "Duration of reads of the graph and the search index.", quick, "store", "operation"),
		calls:    histogram(operationLength, "Duration of calls of models, retries included.", genai, operation, provider, model, "error_type"),
		first:    histogram(firstChunk, "Time until the first words of a streamed answer.", genai, operation, provider, model),
		usage:    histogram(tokenUsage, "Tokens of calls of models.", tokens, operation, provider, model, "gen_ai_token_type"),
		loops:    prometheus.NewHistogram(prometheus.HistogramOpts{Name: loopsOfAnswer, Help: "Rewrites of a question until its answer.", Buckets: loops}),
		ended:    counter(runsEnded, "Runs that ended.", "graph", "status"),
		retries:  counter(nodeRetries, "Attempts of nodes that failed and were followed by another.", "graph", "node"),
		tokens:   counter(modelTokens, "Tokens that models used; cached ones are among those of the input.", "role", "model", "direction"),
		cost:     counter(modelCost, "Cost of models that have a price.", "currency"),
		grades:   counter(gradesGiven, "Grades of passages.", "verdict"),
		caps:     counter(capPauses, "Attempts of runs that a cap on costs has stopped.", "scope"),
		spans:    counter(spansExported, "Spans that were sent, by whether the receiver took them.", "outcome"),
		refused:  prometheus.NewCounter(prometheus.CounterOpts{Name: refusals, Help: "Questions that the library does not answer."}),
	}
}

// register puts all figures together. Those with few values are there from the start, at 0.
func (t *Telemetry) register() {
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: buildInfo, Help: "Always 1.", ConstLabels: prometheus.Labels{"version": t.Version}})
	build.Set(1)
	t.registry.MustRegister(build, t.requests, t.runs, t.nodes, t.reads, t.calls, t.first, t.usage, t.loops, t.ended, t.retries, t.tokens, t.cost,
		t.grades, t.caps, t.figures.spans, t.refused, scrape{t}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, scope := range costs.Scopes() {
		t.caps.WithLabelValues(string(scope))
	}
	for _, verdict := range []string{"yes", "no", "ungraded"} {
		t.grades.WithLabelValues(verdict)
	}
	for _, outcome := range []string{sent, lost} {
		t.figures.spans.WithLabelValues(outcome)
	}
}

// Handler answers with all figures in the format that Prometheus reads.
func (t *Telemetry) Handler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: mostScrapes})
}

// mostScrapes limits the scrapes at a time: each asks the stores of all workspaces.
const mostScrapes = 2

// A Source holds what is read when figures are collected: the ledger, the stores that follow it, and the queue.
type Source struct {
	Ledger interface {
		WorkspaceIDs(ctx context.Context) ([]domain.WorkspaceID, error)
		Head(ctx context.Context, w domain.WorkspaceID) (int64, error)
	}
	Stores map[string]Cursor // by their names in labels
	Queue  Queue
	Kinds  []string // of runs
}

// A Cursor returns the change of the ledger that a store is at.
type Cursor interface {
	Cursor(ctx context.Context, w domain.WorkspaceID) (int64, error)
}

// A Queue counts what waits for a worker, by kind.
type Queue interface {
	Depths(ctx context.Context) (map[string]job.Depth, error)
}

// scrape is the collector of figures that are read on demand.
type scrape struct{ t *Telemetry }

// gauge returns the description of a figure.
func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

var (
	upGauge      = gauge(storeUp, "Whether a store answers.", "store")
	lagGauge     = gauge(storeLag, "Changes of the ledger that a store lacks, in the workspace where it lacks most.", "store")
	depthGauge   = gauge(queueDepth, "Runs that wait for a worker.", "kind")
	ageGauge     = gauge(queueAge, "Age of the oldest run that waits for a worker.", "kind")
	workersGauge = gauge(workersAlive, "Processes that work on the queue.")
	freeGauge    = gauge(diskFree, "Free bytes for the data folder.")
)

// Describe implements prometheus.Collector.
func (scrape) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{upGauge, lagGauge, depthGauge, ageGauge, workersGauge, freeGauge} {
		to <- d
	}
}

// Collect implements prometheus.Collector. What does not answer in time has no figure, but for the one that says so.
func (s scrape) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	tell := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	from := s.t.Program.Source()
	from.stores(ctx, tell)
	if depths, err := from.Queue.Depths(ctx); err == nil {
		for _, kind := range from.Kinds {
			age := time.Duration(0)
			if d := depths[kind]; d.Waiting > 0 {
				age = max(0, s.t.Now().Sub(d.Oldest))
			}
			tell(depthGauge, float64(depths[kind].Waiting), kind)
			tell(ageGauge, age.Seconds(), kind)
		}
	}
	if n, err := s.t.Program.Workers(ctx); err == nil {
		tell(workersGauge, float64(n))
	}
	if free, known := s.t.Program.FreeDisk(); known {
		tell(freeGauge, float64(free))
	}
}

// stores reports which stores answer, and how far they are behind. One that does not answer is not asked again.
func (from Source) stores(ctx context.Context, tell func(d *prometheus.Desc, v float64, labels ...string)) {
	workspaces, err := from.Ledger.WorkspaceIDs(ctx)
	up := map[string]bool{"ledger": err == nil}
	lag := map[string]int64{}
	for name := range from.Stores {
		up[name] = true
	}
	for _, w := range workspaces {
		head, err := from.Ledger.Head(ctx, w)
		if err != nil {
			up["ledger"] = false
			break
		}
		for name, store := range from.Stores {
			if !up[name] {
				continue
			}
			at, err := store.Cursor(ctx, w)
			up[name], lag[name] = err == nil, max(lag[name], head-at)
		}
	}
	for name, answers := range up {
		value := 0.0
		if answers {
			value = 1
		}
		tell(upGauge, value, name)
		if _, follows := from.Stores[name]; follows && answers {
			tell(lagGauge, float64(lag[name]), name)
		}
	}
}
