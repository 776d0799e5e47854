package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGeneratedPagesAreFresh(t *testing.T) {
	t.Parallel()
	pages, err := documentation("../..")
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
