package partial_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/partial"
)

func TestStagesOfADocumentAreTheNodesOfTheIngestGraph(t *testing.T) {
	t.Parallel()
	var want []string
	for _, n := range testkit.Open(t, testkit.Options{Idle: true}).Ingest.Topology().Nodes {
		want = append(want, n.Name)
	}
	got := partial.StageNodes()
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
