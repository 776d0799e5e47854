package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/upkeep/telemetry"
	"github.com/clewhq/clew/internal/web"
)

// openTelemetry opens the receivers of figures and traces, if the settings want them.
func (a *app) openTelemetry() {
	m := a.given.Monitoring
	if !m.Watched() {
		return
	}
	headers, _ := m.HeaderMap() // checked with the settings
	a.telemetry = telemetry.New(telemetry.Params{
		Version: version, Endpoint: m.Receiver(), Headers: headers, Program: a, Now: a.env.now, Log: a.log})
	a.closers = append(a.closers, a.telemetry.Close)
}

// Price implements telemetry.Program.
func (a *app) Price(ctx context.Context, u domain.Usage) (costs.Money, string) {
	t, err := a.costs.Prices.Table(ctx)
	if err != nil {
		return 0, ""
	}
	cost, _ := t.Cost(u, costs.DayOf(a.env.now()))
	return cost, t.Currency
}

// current returns the app in use.
func (b *base) current(otherwise *app) *app {
	if b.running == nil {
		return otherwise
	}
	return b.running.used.Load()
}

// Source implements telemetry.Program.
func (a *app) Source() telemetry.Source {
	a = a.current(a)
	return telemetry.Source{
		Ledger: a.ledger, Stores: map[string]telemetry.Cursor{"graph": a.whole.Store, "index": a.vectors.Store}, Queue: a.queue, Kinds: a.kinds().Names(""),
	}
}

// Workers implements telemetry.Program.
func (a *app) Workers(ctx context.Context) (int, error) {
	alive, err := a.queue.LiveProcesses(ctx, a.process.Gone, workerSilence)
	return len(alive), err
}

// FreeDisk implements telemetry.Program.
func (a *app) FreeDisk() (bytes int64, known bool) {
	if a.cfg.Stores() == config.Fleet {
		return 0, false
	}
	return freeSpace(a.cfg.Data)
}

// workerSilence is how long a process that works on the queue may be silent before it no longer counts.
const workerSilence = time.Minute

// queueOptions returns the options of the queue, which announces new runs.
func (a *app) queueOptions() []job.Option {
	options := []job.Option{job.WithExplain(a.db.explain), job.WithWire(a.wire)}
	if a.telemetry != nil {
		options = append(options, job.WithWatch(a.telemetry))
	}
	return options
}

// addTelemetry lets the site report its requests, and sets the place of the figures.
func (a *app) addTelemetry(p *web.Params) {
	p.Probed = a
	if a.telemetry == nil {
		return
	}
	p.Watch = a.telemetry
	if a.given.Monitoring.Metrics == config.MetricsToken {
		p.Metrics = a.telemetry.Handler()
	}
}

// readyTimeout limits how long the ledger may take to answer a probe.
const readyTimeout = 2 * time.Second

// Ready implements web.Probed. A process is not ready before it works on the queue, unless it serves pages, when it is stopping, and
// while the ledger does not answer. It works without a store that follows the ledger.
func (a *app) Ready(ctx context.Context) error {
	switch r := a.running; {
	case r == nil:
	case r.ctx.Err() != nil:
		return domain.Errorf(domain.Unavailable, "The process is stopping.")
	case r.server == nil && !r.began.Load():
		return domain.Errorf(domain.Unavailable, "The stores are being brought up to date.")
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	if _, err := a.ledger.WorkspaceIDs(ctx); err != nil {
		return domain.Because(domain.Unavailable, err, "The ledger does not answer.")
	}
	return nil
}

// monitoring says in two sentences where figures are and whether traces arrive.
func (a *app) monitoring() []string {
	m := a.given.Monitoring
	figures := map[string]string{
		config.MetricsOff:      "Metrics are off. METRICS=token or METRICS=listener turns them on.",
		config.MetricsToken:    "Metrics are at /metrics, for tokens with the scope metrics.",
		config.MetricsListener: fmt.Sprintf("Metrics are at http://%s/metrics.", m.MetricsAddr),
	}
	said := []string{figures[m.Metrics]}
	if a.telemetry == nil {
		return append(said, tracesOff)
	}
	last, on := a.telemetry.Traces()
	switch {
	case !on:
		return append(said, tracesOff)
	case last.At.IsZero():
		return append(said, fmt.Sprintf("Traces go to %s. None has been sent yet.", m.Receiver()))
	}
	return append(said, arrived(m.Receiver(), last))
}

const tracesOff = "Traces are off. OTEL_EXPORTER_OTLP_ENDPOINT turns them on."

func arrived(at string, d telemetry.Delivery) string {
	if d.Problem != "" {
		return fmt.Sprintf("Traces do not arrive at %s. %s", at, d.Problem)
	}
	return fmt.Sprintf("Traces arrive at %s.", at)
}

// reportMonitoring reports the same after sending a span.
func (a *app) reportMonitoring(ctx context.Context, c *checkup) {
	say := c.says
	if a.telemetry != nil {
		if _, on := a.telemetry.Traces(); on && a.telemetry.Try(ctx).Problem != "" {
			say = c.complains
		}
	}
	said := a.monitoring()
	c.says("Monitoring", "%s", said[0])
	say("Monitoring", "%s", said[1])
}

// serveFigures serves figures and probes on a listener of their own, if the settings want one and unless it does already.
func (r *running) serveFigures() error {
	if r.figures != nil {
		return nil
	}
	to := http.NewServeMux()
	r.figures = &http.Server{Handler: to, ReadHeaderTimeout: readyTimeout, WriteTimeout: time.Minute, MaxHeaderBytes: 1 << 14}
	if r.given.Monitoring.Metrics != config.MetricsListener {
		return nil
	}
	listener, err := listen(r.ctx, "METRICS_ADDR", r.given.Monitoring.MetricsAddr)
	if err != nil {
		return err
	}
	to.HandleFunc("GET /metrics", func(w http.ResponseWriter, request *http.Request) {
		if a := r.used.Load(); a != nil {
			a.telemetry.Handler().ServeHTTP(w, request)
			return
		}
		http.Error(w, domain.InWords(r.Ready(request.Context())), http.StatusServiceUnavailable)
	})
	to.HandleFunc("GET /livez", web.Alive)
	to.Handle("GET /readyz", web.Ready(r))
	go func() {
		if err := r.figures.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			r.failed <- err
		}
	}()
	return nil
}
