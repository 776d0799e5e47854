package deploy

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
)

// metrics parses an expression as Prometheus does, and returns the metrics that it names.
func metrics(t *testing.T, where, expression string) (names []string) {
	t.Helper()
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expression)
	if err != nil {
		t.Errorf("%s: %v\n%s", where, err, expression)
		return nil
	}
	parser.Inspect(parsed, func(n parser.Node, _ []parser.Node) error {
		if v, ok := n.(*parser.VectorSelector); ok {
			names = append(names, v.Name)
		}
		return nil
	})
	return names
}

// known reports whether a metric is of the program, or of Prometheus and its libraries.
func known(name string) bool {
	for _, of := range []string{"clew_", "gen_ai_client_", "process_", "go_"} {
		if strings.HasPrefix(name, of) {
			return true
		}
	}
	return name == "up"
}

func TestAlertsAreQueriesOfPrometheus(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("prometheus/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	rules := read[struct {
		Groups []struct {
			Name  string `json:"name"`
			Rules []struct {
				Alert       string            `json:"alert"`
				Expr        string            `json:"expr"`
				For         string            `json:"for"`
				Labels      map[string]string `json:"labels"`
				Annotations map[string]string `json:"annotations"`
			} `json:"rules"`
		} `json:"groups"`
	}](t, text)
	alerts := 0
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			alerts++
			names := metrics(t, r.Alert, r.Expr)
			if len(names) == 0 {
				t.Errorf("%s names no metric", r.Alert)
			}
			for _, name := range names {
				if !known(name) {
					t.Errorf("%s names %q", r.Alert, name)
				}
			}
		}
	}
	if alerts == 0 {
		t.Error("there are no alerts")
	}
}

// inGrafana fills in what Grafana does.
var inGrafana = strings.NewReplacer("$__rate_interval", "5m", "$__range", "1h", "$__interval", "1m")

func TestPanelsAreQueriesOfPrometheus(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("grafana/clew.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title       string
			Datasource  struct{ Type, UID string }
			Targets     []struct{ Expr string }
			FieldConfig struct {
				Defaults struct{ Unit string }
			}
		}
		Templating struct {
			List []struct{ Name, Type, Query string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	if l := board.Templating.List; len(l) != 1 || l[0].Name != "datasource" || l[0].Type != "datasource" || l[0].Query != "prometheus" {
		t.Errorf("the variables are %+v", l)
	}
	if len(board.Panels) == 0 {
		t.Error("there are no panels")
	}
	for _, p := range board.Panels {
		if p.Datasource.Type != "prometheus" || p.Datasource.UID != "${datasource}" || p.FieldConfig.Defaults.Unit == "" || len(p.Targets) == 0 {
			t.Errorf("%s lacks the source of data, a unit or a query", p.Title)
		}
		for _, to := range p.Targets {
			for _, name := range metrics(t, p.Title, inGrafana.Replace(to.Expr)) {
				if !known(name) {
					t.Errorf("%s names %q", p.Title, name)
				}
			}
		}
	}
}
