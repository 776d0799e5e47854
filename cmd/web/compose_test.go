package main

import (
	"cmp"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/clewhq/clew/internal/config"
)

// composition is the part of the compose file that these tests read.
type composition struct {
	Services map[string]service `yaml:"services"`
	Volumes  map[string]any     `yaml:"volumes"`
	Networks map[string]struct {
		Internal bool `yaml:"internal"`
	} `yaml:"networks"`
}

type service struct {
	Image string `yaml:"image"`
	Build struct {
		Args map[string]string `yaml:"args"`
	} `yaml:"build"`
	Profiles    []string          `yaml:"profiles"`
	Restart     string            `yaml:"restart"`
	Ports       []string          `yaml:"ports"`
	Environment variables         `yaml:"environment"`
	Volumes     []string          `yaml:"volumes"`
	Healthcheck healthcheck       `yaml:"healthcheck"`
	DependsOn   map[string]depend `yaml:"depends_on"`
	Networks    []string          `yaml:"networks"`
	Memory      string            `yaml:"mem_limit"`
	Processes   int               `yaml:"pids_limit"`
	ReadOnly    bool              `yaml:"read_only"`
	Tmpfs       []string          `yaml:"tmpfs"`
	Drops       []string          `yaml:"cap_drop"`
	Adds        []string          `yaml:"cap_add"`
	Security    []string          `yaml:"security_opt"`
	Privileged  bool              `yaml:"privileged"`
}

type healthcheck struct {
	Test []string `yaml:"test"`
}

type depend struct {
	Condition string `yaml:"condition"`
}

// variables may be a mapping or a list of NAME=value.
type variables map[string]string

func (v *variables) UnmarshalYAML(node *yaml.Node) error {
	*v = variables{}
	if node.Kind == yaml.SequenceNode {
		for _, item := range node.Content {
			name, value, _ := strings.Cut(item.Value, "=")
			(*v)[name] = value
		}
		return nil
	}
	return node.Decode((*map[string]string)(v))
}

func composed(t *testing.T) composition {
	t.Helper()
	text, err := os.ReadFile("../../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	var c composition
	if err := yaml.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// starts returns the services that a profile starts.
func (c composition) starts(profile string) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(c.Services)) {
		if p := c.Services[name].Profiles; len(p) == 0 || slices.Contains(p, profile) {
			names = append(names, name)
		}
	}
	return names
}

func known() map[string]bool {
	names := map[string]bool{}
	for _, s := range config.Settings() {
		names[s.Key] = true
	}
	return names
}

func TestTheImageNamesRealSettings(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`\b([A-Z][A-Z0-9_]+)=`).FindAllStringSubmatch(string(text), -1)
	if len(found) < 2 {
		t.Errorf("%d settings were found: is the pattern right?", len(found))
	}
	settings, build := known(), []string{"CGO_ENABLED", "COMMIT", "GOARCH", "GOEXPERIMENT", "GOOS", "VERSION"}
	for _, m := range found {
		if !settings[m[1]] && !slices.Contains(build, m[1]) {
			t.Errorf("the image sets %s, which is no setting", m[1])
		}
	}
}

// TestComposeStartsEachSetOfStores checks, without starting anything, that each
// profile has the right services and that their settings select the intended
// set of stores.
func TestComposeStartsEachSetOfStores(t *testing.T) {
	t.Parallel()
	c := composed(t)
	settings := known()
	for _, program := range []string{"clew", "web", "work"} {
		for name := range c.Services[program].Environment {
			if !settings[name] {
				t.Errorf("%s is given %s, which is no setting", program, name)
			}
		}
		for name := range settings {
			if _, given := c.Services[program].Environment[name]; !given {
				t.Errorf("%s can't be given the setting %s", program, name)
			}
		}
	}
	given := map[string]string{
		"NEO4J_URL": "neo4j://neo4j:7687", "NEO4J_PASSWORD": "at least eight", "QDRANT_URL": "http://qdrant:6334", "QDRANT_API_KEY": "key", "FIRST_PASSWORD": "at least ten",
	}
	for _, profile := range []struct {
		name   string
		starts []string
		set    config.Stores
		given  map[string]string
	}{
		{"", []string{"clew"}, config.Embedded, map[string]string{"FIRST_PASSWORD": "at least ten"}},
		{"servers", []string{"clew", "neo4j", "qdrant"}, config.Servers, given},
		{"fleet", []string{"clew", "neo4j", "postgres", "proxy", "qdrant", "web", "work"}, config.Fleet, with(given, "DATABASE_URL", "postgres://clew:p@postgres/clew")},
	} {
		if starts := c.starts(profile.name); !slices.Equal(starts, profile.starts) {
			t.Errorf("profile %q starts %v, want %v", profile.name, starts, profile.starts)
		}
		var environ []string
		for name, value := range c.Services["clew"].Environment {
			if value != "" { // else it is left out unless it is set
				environ = append(environ, name+"="+interpolated(value, profile.given))
			}
		}
		cfg, err := config.Load(environ)
		if err != nil || cfg.Stores() != profile.set {
			t.Errorf("profile %q has the stores %v, want %v; error %v", profile.name, cfg.Stores(), profile.set, err)
		}
	}
}

// TestAComposedWorkerIsAskedWhetherItLives: it has no pages, so it needs the listener that its health check asks.
func TestAComposedWorkerIsAskedWhetherItLives(t *testing.T) {
	t.Parallel()
	c := composed(t)
	s := c.Services["work"]
	if !slices.Equal(s.Healthcheck.Test, []string{"CMD", "/clew", "health", "--metrics"}) || s.Environment["METRICS"] != config.MetricsListener {
		t.Errorf("it is asked by %q with METRICS=%q", s.Healthcheck.Test, s.Environment["METRICS"])
	}
	for name, s := range c.Services {
		if version := s.Build.Args["VERSION"]; strings.HasPrefix(s.Image, "clew") && (version != "${CLEW_VERSION:-dev}" || s.Image != "clew:"+version) {
			t.Errorf("%s runs %s, which says that it is %q", name, s.Image, version)
		}
		if len(s.Healthcheck.Test) < 2 {
			t.Errorf("%s has no health check", name)
		}
	}
}

func with(settings map[string]string, name, value string) map[string]string {
	all := maps.Clone(settings)
	all[name] = value
	return all
}

var variable = regexp.MustCompile(`\$\{([A-Z0-9_]+)(?::[-?]([^}]*))?\}`)

// interpolated expands a value like compose: ${NAME:-default}.
func interpolated(value string, given map[string]string) string {
	return variable.ReplaceAllStringFunc(value, func(reference string) string {
		m := variable.FindStringSubmatch(reference)
		return cmp.Or(given[m[1]], m[2])
	})
}

// TestEachProgramHasTheDataFolder: the built-in embedding model and the key file of connections are there, and uploads are written to it
// on their way to FILES_URL.
func TestEachProgramHasTheDataFolder(t *testing.T) {
	t.Parallel()
	for name, s := range composed(t).Services {
		if want := "clew:" + s.Environment["DATA_DIR"]; strings.HasPrefix(s.Image, "clew:") && !slices.Contains(s.Volumes, want) {
			t.Errorf("%s mounts %v, want %s", name, s.Volumes, want)
		}
	}
}

// TestComposedStores checks every store in the compose file: it starts only on
// request, requires a password, reports when it is ready, keeps its data, and
// is unreachable from outside.
func TestComposedStores(t *testing.T) {
	t.Parallel()
	c := composed(t)
	for _, name := range []string{"neo4j", "qdrant", "postgres"} {
		s := c.Services[name]
		if len(s.Profiles) == 0 || s.Restart != "unless-stopped" || len(s.Ports) > 0 {
			t.Errorf("%s has the profiles %v, restart %q, ports %v", name, s.Profiles, s.Restart, s.Ports)
		}
		if _, tag, ok := strings.Cut(s.Image, ":"); !ok || tag == "latest" {
			t.Errorf("%s has no version: %q", name, s.Image)
		}
		if len(s.Healthcheck.Test) < 2 {
			t.Errorf("%s does not say when it is ready", name)
		}
		if len(s.Volumes) != 1 || !strings.HasPrefix(s.Volumes[0], name+":/") {
			t.Errorf("%s keeps its data in %v", name, s.Volumes)
		}
		if _, declared := c.Volumes[name]; !declared {
			t.Errorf("the volume of %s is not declared", name)
		}
		secret := regexp.MustCompile(`PASSWORD|AUTH|API_KEY`)
		if !slices.ContainsFunc(slices.Collect(maps.Keys(s.Environment)), secret.MatchString) {
			t.Errorf("%s has no password", name)
		}
	}
	for _, program := range []string{"clew", "web", "work"} {
		s := c.Services[program]
		for _, store := range c.starts("servers")[1:] {
			if s.DependsOn[store].Condition != "service_healthy" {
				t.Errorf("%s does not wait for %s", program, store)
			}
		}
	}
}

// TestComposedServicesAreConfined checks what every service of the compose file may
// use: memory, processes, privileges, files, networks.
func TestComposedServicesAreConfined(t *testing.T) {
	t.Parallel()
	c := composed(t)
	if !c.Networks["stores"].Internal {
		t.Error("the network of the stores leads outside")
	}
	limit := regexp.MustCompile(`^\$\{[A-Z0-9]+_MEMORY:-\d+g\}$`)
	for name, s := range c.Services {
		networks, readOnly, adds := []string{"stores"}, true, []string(nil)
		switch name {
		case "clew", "web", "work":
			networks = []string{"default", "stores"}
		case "proxy":
			networks, adds = []string{"default"}, []string{"NET_BIND_SERVICE"}
		case "neo4j", "postgres":
			adds = []string{"CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"}
		}
		if name == "neo4j" || name == "qdrant" { // write beside their data
			readOnly = false
		}
		if !slices.Equal(s.Networks, networks) {
			t.Errorf("%s is in the networks %v, want %v", name, s.Networks, networks)
		}
		if (len(s.Ports) > 0) != (name == "clew" || name == "proxy") { // what publishes a port can't be scaled
			t.Errorf("%s publishes %v", name, s.Ports)
		}
		for _, p := range s.Ports {
			if !strings.HasPrefix(interpolated(p, nil), "127.0.0.1:") {
				t.Errorf("%s publishes %s to everybody", name, p)
			}
		}
		if !limit.MatchString(s.Memory) || s.Processes < 1 {
			t.Errorf("%s may use memory %q, %d processes", name, s.Memory, s.Processes)
		}
		if !slices.Equal(s.Drops, []string{"ALL"}) || !slices.Equal(s.Adds, adds) || !slices.Equal(s.Security, []string{"no-new-privileges:true"}) || s.Privileged {
			t.Errorf("%s drops %v, adds %v, security %v, privileged %t", name, s.Drops, s.Adds, s.Security, s.Privileged)
		}
		if s.ReadOnly != readOnly || readOnly && !slices.Contains(s.Tmpfs, "/tmp") {
			t.Errorf("%s: read only %t, want %t; in memory %v", name, s.ReadOnly, readOnly, s.Tmpfs)
		}
	}
}
