package partial_test

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/partial"
)

// TestARowCountsEntitiesOnceTheyAreInTheGraph says nothing of entities before: a name that many chunks found is one entity.
func TestARowCountsEntitiesOnceTheyAreInTheGraph(t *testing.T) {
	t.Parallel()
	for status, want := range map[domain.DocumentStatus]string{
		domain.DocumentWaiting: "", domain.DocumentWorking: "207 names so far", domain.DocumentStopped: "", domain.DocumentFailed: "", domain.DocumentReady: "207 entities",
	} {
		var b strings.Builder
		if err := partial.DocumentRow(partial.DocumentRowProps{Document: domain.Document{Status: status, Entities: 207}}).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "207"); got != (want != "") || !strings.Contains(b.String(), want) {
			t.Errorf("a document that is %s: %s, want %q", status, b.String(), want)
		}
	}
}

// TestALibraryWithoutItsGraphIsNotCounted checks that only documents are counted while the graph is away.
func TestALibraryWithoutItsGraphIsNotCounted(t *testing.T) {
	t.Parallel()
	for away, want := range map[bool]string{false: "14 documents, 3 passages, 2 entities, 1 relation", true: "14 documents"} {
		if got := (partial.CountsProps{Documents: 14, Passages: 3, Entities: 2, Relations: 1, Away: away}).Holds(t.Context()); got != want {
			t.Errorf("away: %v: %q, want %q", away, got, want)
		}
	}
}
