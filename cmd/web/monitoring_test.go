package main

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"

	"github.com/clewhq/clew/internal/domain"
)

// otlp is a receiver of traces.
type otlp struct {
	*httptest.Server

	mu    sync.Mutex
	spans []*tracepb.Span
	wrong []string
}

func newOTLP(t *testing.T) *otlp {
	t.Helper()
	r := &otlp{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		var sent tracepb.TracesData
		if err == nil {
			err = proto.Unmarshal(body, &sent)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if err != nil || q.URL.Path != "/v1/traces" || q.Header.Get("Authorization") != "Bearer of-the-receiver" || q.Header.Get("Content-Type") != "application/x-protobuf" {
			r.wrong = append(r.wrong, q.Method+" "+q.URL.Path)
			return
		}
		for _, one := range sent.GetResourceSpans() {
			for _, in := range one.GetScopeSpans() {
				r.spans = append(r.spans, in.GetSpans()...)
			}
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// settings returns those that send traces to the receiver.
func (r *otlp) settings() []string {
	return []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + r.URL, "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20of-the-receiver"}
}

// ancestors returns the names of a span and those around it, from the inside out.
func (r *otlp) ancestors(s *tracepb.Span) (names []string) {
	for s != nil {
		names = append(names, s.GetName())
		i := slices.IndexFunc(r.spans, func(o *tracepb.Span) bool {
			return string(o.GetSpanId()) == string(s.GetParentSpanId()) && string(o.GetTraceId()) == string(s.GetTraceId())
		})
		if s = nil; i >= 0 {
			s = r.spans[i]
		}
	}
	return names
}

// scraped reads figures as Prometheus does.
func scraped(t *testing.T, address, token string) (int, map[string]*dto.MetricFamily) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	noError(t, err)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(request)
	noError(t, err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return answer.StatusCode, nil
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(answer.Body)
	noError(t, err)
	return answer.StatusCode, families
}

// TestAQuestionIsOneTrace asks over HTTP and looks at the spans and figures of request, run, nodes, model and stores.
func TestAQuestionIsOneTrace(t *testing.T) {
	t.Parallel()
	built(t)
	receiver := newOTLP(t)
	sh := connected(t, drawing(t, 450, nil, nil))
	sh.must(t, "ingest", millFile(t))
	sh.must(t, "prices", "set", "tiny", "--input", "0.15", "--output", "0.60", "--from", "2020-01-01")
	sh.environ = append(sh.environ, append(receiver.settings(), "METRICS=token")...)
	secret := sh.token(t, "--scope", "metrics")
	asking := sh.token(t, "--scope", "ask", "--scope", "read")
	v := sh.serve(t)
	const question = "How much did the uncommonlynamed Weir Mill make?"
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, v.url+"/api/v1/ask", strings.NewReader(`{"question":"`+question+`"}`))
	noError(t, err)
	request.Header.Set("Authorization", "Bearer "+asking)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	noError(t, err)
	body, _ := io.ReadAll(answer.Body)
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("the question was answered with %s: %s", answer.Status, body)
	}
	_, families := scraped(t, v.url+"/metrics", secret)
	everyNamedMetricExists(t, families)
	for name := range families {
		for _, m := range families[name].GetMetric() {
			for _, l := range m.GetLabel() {
				if strings.Contains(l.GetValue(), "uncommonly") || l.GetName() == "workspace" || strings.Contains(l.GetValue(), "mill.txt") {
					t.Errorf("%s has the label %s=%q", name, l.GetName(), l.GetValue())
				}
			}
		}
	}
	for token, want := range map[string]int{"": http.StatusUnauthorized, "clew_nothing": http.StatusUnauthorized, asking: http.StatusForbidden} {
		if got, _ := scraped(t, v.url+"/metrics", token); got != want {
			t.Errorf("with the token %.8q: status %d, want %d", token, got, want)
		}
	}
	noError(t, v.stop()) // which sends what is left
	receiver.mu.Lock()
	defer receiver.mu.Unlock()
	if len(receiver.wrong) > 0 {
		t.Errorf("requests that the receiver does not understand: %q", receiver.wrong)
	}
	checkTrace(t, receiver, question)
}

// checkTrace looks for one whole trace of a question.
func checkTrace(t *testing.T, r *otlp, question string) {
	t.Helper()
	run := []string{"invoke_agent answer", "POST /api/v1/ask"}
	lines := map[string]bool{}
	for _, s := range r.spans {
		lines[strings.Join(r.ancestors(s), " < ")] = true
		if text := s.String(); strings.Contains(text, "uncommonly") || strings.Contains(text, "mill.txt") || strings.Contains(text, "reams") {
			t.Errorf("a span has words of the question %q or of a document: %s", question, text)
		}
	}
	for _, inner := range [][]string{{}, {"retrieve"}, {"grade_documents"}, {"chat tiny", "grade_documents"}, {"chat tiny", "generate/model", "generate"}, {"index Lexical", "retrieve"}} {
		if want := strings.Join(append(inner, run...), " < "); !lines[want] {
			t.Errorf("there is no span %s; there are:\n%s", want, strings.Join(slices.Sorted(maps.Keys(lines)), "\n"))
		}
	}
}

// TestFiguresHaveAListener scrapes a process that serves no pages.
func TestFiguresHaveAListener(t *testing.T) {
	t.Parallel()
	sh := newShell(t, "METRICS=listener", "METRICS_ADDR="+freeAddress(t))
	s, stdout, _ := sh.env()
	cfg, err := s.load("")
	noError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- work(ctx, cfg, s) }()
	at := "http://" + cfg.Monitoring.MetricsAddr
	eventually(t, "the process is ready", func() bool {
		answer, err := http.Get(at + "/readyz")
		if err != nil {
			return false
		}
		answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
	if out, err := sh.run(t, "health", "--metrics"); err != nil || out != "" {
		t.Errorf("health says %q, %v", out, err)
	}
	_, families := scraped(t, at+"/metrics", "")
	for name, want := range map[string]float64{"clew_workers": 1, "clew_queue_depth": 0, "clew_store_up": 1, "clew_store_lag_changes": 0} {
		f := families[name]
		if f == nil || f.GetMetric()[0].GetGauge().GetValue() != want {
			t.Errorf("%s is %v, want %v", name, f, want)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("%v: %s", err, stdout)
	}
	if _, err := sh.run(t, "health", "--metrics"); domain.KindOf(err) != domain.Unavailable {
		t.Errorf("after the end, health says %v", err)
	}
}

// TestFiguresAreOff asks for figures where the settings give none, and for the probes.
func TestFiguresAreOff(t *testing.T) {
	t.Parallel()
	built(t)
	sh := newShell(t)
	secret := sh.token(t, "--scope", "metrics")
	v := sh.serve(t)
	for path, want := range map[string]int{"/metrics": http.StatusNotFound, "/livez": http.StatusOK, "/readyz": http.StatusOK, "/healthz": http.StatusOK} {
		if got, _ := status(t, v.url+path, secret); got != want {
			t.Errorf("%s: status %d, want %d", path, got, want)
		}
	}
}

// TestDoctorSaysWhetherTracesArrive runs it with a receiver, without one and with one that refuses.
func TestDoctorSaysWhetherTracesArrive(t *testing.T) {
	t.Parallel()
	receiver := newOTLP(t)
	refusing := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(refusing.Close)
	for _, tt := range []struct {
		environ []string
		want    string
		wrong   bool
	}{
		{nil, "Monitoring: Traces are off. OTEL_EXPORTER_OTLP_ENDPOINT turns them on.", false},
		{receiver.settings(), "Monitoring: Traces arrive at " + receiver.URL + ".", false},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + refusing.URL}, "Monitoring: Traces do not arrive at " + refusing.URL + ". The receiver of traces answers 404 Not Found.", true},
	} {
		out, err := newShell(t, tt.environ...).run(t, "doctor")
		if !strings.Contains(out, tt.want) || (err != nil) != tt.wrong {
			t.Errorf("error %v, does not print %q:\n%s", err, tt.want, out)
		}
	}
}

// aMetric is the name of one of the program's metrics in an expression.
var aMetric = regexp.MustCompile(`\b(?:clew|gen_ai_client|process|go)_[a-z_]+\b`)

// everyNamedMetricExists compares the dashboard and the alerts with a scrape.
func everyNamedMetricExists(t *testing.T, families map[string]*dto.MetricFamily) {
	t.Helper()
	dashboard, err := os.ReadFile("../../deploy/grafana/clew.json")
	noError(t, err)
	var parsed map[string]any
	noError(t, json.Unmarshal(dashboard, &parsed))
	alerts, err := os.ReadFile("../../deploy/prometheus/alerts.yaml")
	noError(t, err)
	var rules alertRules
	noError(t, yaml.Unmarshal(alerts, &rules))
	named := 0
	for _, text := range []string{string(dashboard), string(alerts)} {
		for _, name := range aMetric.FindAllString(text, -1) {
			base := name
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				if f := families[strings.TrimSuffix(name, suffix)]; f != nil && f.GetType() == dto.MetricType_HISTOGRAM {
					base = strings.TrimSuffix(name, suffix)
				}
			}
			named++
			if families[base] == nil {
				t.Errorf("no scrape has %s", name)
			}
		}
	}
	if named < 30 {
		t.Errorf("dashboard and alerts name %d metrics", named)
	}
}

type alertRules struct {
	Groups []struct {
		Name  string
		Rules []struct {
			Alert, Expr, For string
			Labels           map[string]string
			Annotations      map[string]string
		}
	}
}

// TestEachAlertHasASectionInTheRunbook compares the alerts with docs/runbook.md.
func TestEachAlertHasASectionInTheRunbook(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deploy/prometheus/alerts.yaml")
	noError(t, err)
	var rules alertRules
	noError(t, yaml.Unmarshal(text, &rules))
	book, err := os.ReadFile("../../docs/runbook.md")
	noError(t, err)
	sections := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^## (Clew\w+)$`).FindAllStringSubmatch(string(book), -1) {
		sections[m[1]] = true
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			if !sections[r.Alert] || !strings.HasSuffix(r.Annotations["runbook"], "docs/runbook.md#"+strings.ToLower(r.Alert)) || r.Expr == "" || r.Labels["severity"] == "" || r.Annotations["summary"] == "" {
				t.Errorf("%s lacks a section, an expression, a severity, a summary or the link to its section", r.Alert)
			}
			delete(sections, r.Alert)
		}
	}
	if len(sections) > 0 {
		t.Errorf("no alert has the sections %v", slices.Sorted(maps.Keys(sections)))
	}
}

// TestLogsSayForWhom reads the line of a failed request and of a run.
func TestLogsSayForWhom(t *testing.T) {
	t.Parallel()
	sh := newShell(t, "LOG_LEVEL=debug")
	s, _, stderr := sh.env()
	cfg, err := s.load("")
	noError(t, err)
	log := s.output(cfg).log
	ctx := domain.WithWorkspace(domain.WithPerson(t.Context(), "ada"), "w1")
	log.InfoContext(ctx, "one")
	log.With("workspace", "w2").InfoContext(ctx, "two", "person", "bo")
	for _, want := range []string{"msg=one person=ada workspace=w1\n", "msg=two workspace=w2 person=bo\n"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("no line ends with %q:\n%s", want, stderr)
		}
	}
}

// token makes a token and returns its secret.
func (sh shell) token(t *testing.T, flags ...string) string {
	t.Helper()
	secret, _, _ := strings.Cut(sh.must(t, append([]string{"token", "create", "monitoring" + url.PathEscape(strings.Join(flags, ""))}, flags...)...), "\n")
	return secret
}

// status returns how an address answers a token.
func status(t *testing.T, address, token string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	noError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(request)
	noError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	noError(t, err)
	return answer.StatusCode, string(body)
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for limit := time.Now().Add(hangs); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("it never came that %s", what)
		}
	}
}
