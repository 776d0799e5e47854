package main

import (
	"os"
	"regexp"
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
		"../../docker-compose.yml": `(?m)^ {6}([A-Z][A-Z_]+):`,
		"../../Dockerfile":         `\b([A-Z][A-Z_]+)=`,
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
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
