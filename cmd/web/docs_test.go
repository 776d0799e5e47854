package main

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/config"
)

func TestGeneratedPagesAreFresh(t *testing.T) {
	t.Parallel()
	pages, err := documentation()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range pages {
		got, err := os.ReadFile("../../" + path)
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s is stale: run make docs (-want +got)\n%s", path, diff)
		}
	}
}

// TestDeploymentNamesRealSettings reads the names that the compose file and
// the image give settings by.
func TestDeploymentNamesRealSettings(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, s := range config.Settings() {
		known[s.Key] = true
	}
	for path, pattern := range map[string]string{
		"../../docker-compose.yml": `(?m)^ {6}([A-Z][A-Z0-9_]+):`,
		"../../Dockerfile":         `\b([A-Z][A-Z0-9_]+)=`,
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if clew, ok := composed(string(text))["clew"]; ok { // the other services have settings of their own
			text = []byte(clew)
		}
		found := regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1)
		if len(found) < 2 {
			t.Errorf("%s names %d settings: is the pattern right?", path, len(found))
		}
		for _, m := range found {
			if !known[m[1]] && m[1] != "CGO_ENABLED" {
				t.Errorf("%s sets %s, which is no setting", path, m[1])
			}
		}
	}
}

// composed are the services of a compose file, each with its lines.
func composed(text string) map[string]string {
	_, text, _ = strings.Cut(text, "\nservices:\n")
	text, _, _ = strings.Cut(text, "\nvolumes:\n")
	services, name := map[string]string{}, ""
	head := regexp.MustCompile(`^ {2}([a-z0-9]+):\s*$`)
	for line := range strings.Lines(text) {
		if m := head.FindStringSubmatch(line); m != nil {
			name = m[1]
		} else {
			services[name] += line
		}
	}
	return services
}

// TestComposedStores reads what holds for every store that compose starts: it
// starts only when asked for, asks for a password, says when it is
// ready, keeps its data and is reached by nobody outside.
func TestComposedStores(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	services := composed(string(text))
	if len(services) < 2 || services["clew"] == "" {
		t.Fatalf("found the services %v", slices.Sorted(maps.Keys(services)))
	}
	delete(services, "clew")
	delete(services, "work") // the program too
	for name, lines := range services {
		for _, want := range []string{"profiles: [", "image: ", "restart: unless-stopped", "healthcheck:", "test: [", "- " + name + ":/"} {
			if !strings.Contains(lines, "    "+want) {
				t.Errorf("%s has no %q", name, want)
			}
		}
		if strings.Contains(lines, "ports:") {
			t.Errorf("%s publishes a port", name)
		}
		if setting := regexp.MustCompile(`(?i)(password|auth|api_?key)`); !setting.MatchString(lines) {
			t.Errorf("%s has no password", name)
		}
	}
}
