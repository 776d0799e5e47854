package config

import (
	"net"
	"net/url"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// Monitoring configures how the program is watched.
type Monitoring struct {
	Metrics     string `env:"METRICS" envDefault:"off" group:"Monitoring" help:"Where metrics for Prometheus are served: off, token (at /metrics of the pages, for tokens with the scope metrics) or listener (at /metrics on METRICS_ADDR, for whoever reaches it)."`
	MetricsAddr string `env:"METRICS_ADDR" envDefault:"127.0.0.1:9464" group:"Monitoring" help:"Address and port of the listener of METRICS, which has /livez and /readyz too. It asks for no token, so let only your Prometheus reach it. Each process on a machine needs its own."`
	Endpoint    string `env:"OTEL_EXPORTER_OTLP_ENDPOINT" group:"Monitoring" help:"Address of an OpenTelemetry receiver that takes OTLP over HTTP, for example http://127.0.0.1:4318. Each request, run, step, call of a model and read of a store becomes a span, with ids and figures, but without words of documents. Empty: none."`
	Headers     string `env:"OTEL_EXPORTER_OTLP_HEADERS" secret:"true" group:"Monitoring" help:"Headers sent to the receiver, separated by commas, for example authorization=Bearer%20SECRET."`
}

// The places of METRICS.
const (
	MetricsOff      = "off"
	MetricsToken    = "token"
	MetricsListener = "listener"
)

// Watched reports whether figures or traces are wanted.
func (m Monitoring) Watched() bool { return m.Metrics != MetricsOff || m.Endpoint != "" }

// Receiver returns the address of the receiver of traces without a slash at its end.
func (m Monitoring) Receiver() string { return strings.TrimSuffix(m.Endpoint, "/") }

// HeaderMap returns the headers for the receiver, and false if they can't be read.
func (m Monitoring) HeaderMap() (map[string]string, bool) {
	headers := map[string]string{}
	for pair := range strings.SplitSeq(m.Headers, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || name == "" || err != nil || strings.ContainsAny(name+value, "\r\n") {
			return nil, false
		}
		headers[name] = value
	}
	return headers, true
}

func (m Monitoring) check() (problems []error) {
	if !oneOf(m.Metrics, MetricsOff, MetricsToken, MetricsListener) {
		problems = append(problems, domain.Errorf(domain.Invalid, "METRICS is %q, but should be off, token or listener.", m.Metrics))
	}
	if _, _, err := net.SplitHostPort(m.MetricsAddr); err != nil {
		problems = append(problems, domain.Errorf(domain.Invalid, "METRICS_ADDR is %q, but should be an address with a port, for example 127.0.0.1:9464.", m.MetricsAddr))
	}
	u, err := url.Parse(m.Endpoint)
	if m.Endpoint != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "") {
		problems = append(problems, domain.Errorf(domain.Invalid, "OTEL_EXPORTER_OTLP_ENDPOINT should be an address such as http://127.0.0.1:4318. Names and passwords go into OTEL_EXPORTER_OTLP_HEADERS."))
	}
	if _, ok := m.HeaderMap(); !ok {
		problems = append(problems, domain.Errorf(domain.Invalid, "OTEL_EXPORTER_OTLP_HEADERS should be names with values, separated by commas, for example authorization=Bearer%%20SECRET."))
	}
	return problems
}
