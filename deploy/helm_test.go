// Package deploy tests the files with which Clew is hosted and watched. It is a module of its own, because Helm and Prometheus
// are large.
package deploy

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	strict "sigs.k8s.io/yaml"

	"github.com/clewhq/clew/internal/config"
)

type values = map[string]any

// least is what an installation has to say.
func least() values {
	return values{
		"databaseURL": "postgres://clew@postgres/clew", "neo4jURL": "neo4j://neo4j:7687", "qdrantURL": "http://qdrant:6334",
		"secrets": values{"SECRET_KEY": strings.Repeat("k", 32), "FIRST_PASSWORD": "correct horse battery", "NEO4J_PASSWORD": "at least eight"},
	}
}

// installed is what Kubernetes is given.
type installed struct {
	deployments map[string]apps.Deployment // by part
	services    []core.Service
	secrets     []core.Secret
	budgets     []policy.PodDisruptionBudget
	ingresses   []networking.Ingress
}

// rendered renders the chart as helm template does, and reads what comes of it by Kubernetes' own types.
func rendered(t *testing.T, given values) (in installed, err error) {
	t.Helper()
	chart, err := loader.Load("helm/clew")
	if err != nil {
		t.Fatal(err)
	}
	all, err := chartutil.ToRenderValues(chart, given, chartutil.ReleaseOptions{Name: "docs", Namespace: "team", IsInstall: true}, chartutil.DefaultCapabilities)
	if err != nil {
		return in, err
	}
	files, err := engine.Render(chart, all)
	if err != nil {
		return in, err
	}
	in.deployments = map[string]apps.Deployment{}
	for name, text := range files {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		for _, document := range documents(t, text) {
			in.add(t, name, document)
		}
	}
	return in, nil
}

func documents(t *testing.T, text string) (list [][]byte) {
	t.Helper()
	each := yaml.NewDocumentDecoder(io.NopCloser(strings.NewReader(text)))
	defer each.Close()
	for {
		b := make([]byte, 1<<20)
		n, err := each.Read(b)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(string(b[:n])) != "" {
			list = append(list, b[:n])
		}
	}
}

func (in *installed) add(t *testing.T, file string, document []byte) {
	t.Helper()
	var kind meta.TypeMeta
	if err := strict.Unmarshal(document, &kind); err != nil {
		t.Fatalf("%s: %v\n%s", file, err, document)
	}
	switch kind.APIVersion + " " + kind.Kind {
	case "apps/v1 Deployment":
		d := read[apps.Deployment](t, document)
		in.deployments[d.Spec.Template.Labels["app.kubernetes.io/component"]] = d
	case "v1 Service":
		in.services = append(in.services, read[core.Service](t, document))
	case "v1 Secret":
		in.secrets = append(in.secrets, read[core.Secret](t, document))
	case "policy/v1 PodDisruptionBudget":
		in.budgets = append(in.budgets, read[policy.PodDisruptionBudget](t, document))
	case "networking.k8s.io/v1 Ingress":
		in.ingresses = append(in.ingresses, read[networking.Ingress](t, document))
	default:
		t.Errorf("%s makes a %s of %s", file, kind.Kind, kind.APIVersion)
	}
}

// read reads a document that may have no field that Kubernetes doesn't know.
func read[T any](t *testing.T, document []byte) (v T) {
	t.Helper()
	if err := strict.UnmarshalStrict(document, &v); err != nil {
		t.Fatalf("%v\n%s", err, document)
	}
	return v
}

func TestTheChartInstallsAFleet(t *testing.T) {
	t.Parallel()
	in, err := rendered(t, least())
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]bool{"PGPASSWORD": true} // of the Postgres driver
	for _, s := range config.Settings() {
		settings[s.Key] = true
	}
	for part, args := range map[string][]string{"web": {"serve", "--no-work"}, "work": {"work"}} {
		d, found := in.deployments[part]
		if !found || *d.Spec.Replicas != 2 {
			t.Fatalf("%s: %+v", part, d.Spec)
		}
		for name, value := range d.Spec.Selector.MatchLabels {
			if d.Spec.Template.Labels[name] != value {
				t.Errorf("%s selects %s=%s, and its pods have %v", part, name, value, d.Spec.Template.Labels)
			}
		}
		pod := d.Spec.Template.Spec
		c := pod.Containers[0]
		if !slices.Equal(c.Args, args) {
			t.Errorf("%s runs %v", part, c.Args)
		}
		if c.LivenessProbe == nil || (part == "web") != (c.ReadinessProbe != nil) {
			t.Errorf("%s is probed with %v and %v", part, c.LivenessProbe, c.ReadinessProbe)
		}
		if s := c.StartupProbe; s == nil || s.PeriodSeconds*s.FailureThreshold < 300 {
			t.Errorf("%s is killed while stores are migrated: %+v", part, s)
		}
		if !*pod.SecurityContext.RunAsNonRoot || *c.SecurityContext.AllowPrivilegeEscalation || !*c.SecurityContext.ReadOnlyRootFilesystem || *pod.AutomountServiceAccountToken {
			t.Errorf("%s may do more than it needs: %+v, %+v", part, pod.SecurityContext, c.SecurityContext)
		}
		if c.Resources.Limits.Memory().IsZero() || *pod.TerminationGracePeriodSeconds < 25 {
			t.Errorf("%s has the limits %v and %d s to end", part, c.Resources.Limits, *pod.TerminationGracePeriodSeconds)
		}
		for _, v := range c.Env {
			if !settings[v.Name] || strings.Contains(v.Value, "correct horse") {
				t.Errorf("%s is given %s=%s", part, v.Name, v.Value)
			}
		}
		if len(c.EnvFrom) != 1 || c.EnvFrom[0].SecretRef.Name != in.secrets[0].Name {
			t.Errorf("%s has the secrets %v", part, c.EnvFrom)
		}
	}
	for name := range in.secrets[0].StringData {
		if !settings[name] {
			t.Errorf("the secret has %s, which is no setting", name)
		}
	}
	for _, b := range in.budgets {
		if b.Spec.MinAvailable.IntValue() != 1 || in.deployments[b.Spec.Selector.MatchLabels["app.kubernetes.io/component"]].Name != b.Name {
			t.Errorf("a budget %+v", b.Spec)
		}
	}
	if len(in.budgets) != 2 || len(in.services) != 1 || len(in.ingresses) != 0 {
		t.Errorf("%d budgets, %d services, %d ingresses", len(in.budgets), len(in.services), len(in.ingresses))
	}
}

func TestTheChartBehindAnIngress(t *testing.T) {
	t.Parallel()
	given := least()
	given["existingSecret"], given["secrets"] = "ours", nil
	given["settings"] = values{"LLM_PROVIDER": "openai", "MAX_LOOPS": 2}
	given["ingress"] = values{"enabled": true, "host": "docs.example.org", "path": "/clew", "tlsSecret": "docs-tls", "className": "nginx"}
	in, err := rendered(t, given)
	if err != nil {
		t.Fatal(err)
	}
	if len(in.secrets) != 0 || len(in.ingresses) != 1 {
		t.Fatalf("%d secrets, %d ingresses", len(in.secrets), len(in.ingresses))
	}
	rule := in.ingresses[0].Spec.Rules[0]
	if to := rule.HTTP.Paths[0]; rule.Host != "docs.example.org" || to.Path != "/clew" || to.Backend.Service.Name != in.services[0].Name || in.ingresses[0].Spec.TLS[0].SecretName != "docs-tls" {
		t.Errorf("the ingress is %+v", in.ingresses[0].Spec)
	}
	env := map[string]string{}
	for _, v := range in.deployments["web"].Spec.Template.Spec.Containers[0].Env {
		env[v.Name] = v.Value
	}
	if env["BASE_PATH"] != "/clew" || env["PUBLIC_URL"] != "https://docs.example.org" || env["LLM_PROVIDER"] != "openai" || env["MAX_LOOPS"] != "2" {
		t.Errorf("the settings are %v", env)
	}
	if from := in.deployments["work"].Spec.Template.Spec.Containers[0].EnvFrom[0].SecretRef.Name; from != "ours" {
		t.Errorf("the secrets come from %s", from)
	}
}

func TestTheChartSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"databaseURL", "neo4jURL", "qdrantURL"} {
		given := least()
		delete(given, name)
		if _, err := rendered(t, given); err == nil || !strings.Contains(err.Error(), "Set "+name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
	given := least()
	given["secrets"] = values{}
	if _, err := rendered(t, given); err == nil || !strings.Contains(err.Error(), "SECRET_KEY") {
		t.Errorf("without a key: %v", err)
	}
}
