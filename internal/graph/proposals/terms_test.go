package proposals_test

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/testkit"
)

// TestTermsAreNotProposed reads two licences that define a term with a letter more in
// the second, and two letters that spell a name in two ways: the queue has the name only.
func TestTermsAreNotProposed(t *testing.T) {
	t.Parallel()
	a := open(t)
	a.Read(t, "licence.txt", "Otto Marl says that a Combined Undertaking is an undertaking that is combined.")
	a.Read(t, "terms.txt", "Nadia Corvel says that all Combined Undertakings are undertakings, combined or not.")
	a.Read(t, "a.txt", "Edda Lanternfield met Otto Marl. Edda Lanternfield left.")
	a.Read(t, "b.txt", "Nadia Corvel wrote to Edda Lanternfeild.")
	found, err := a.Proposals.Compare(t.Context(), w)
	testkit.Must(t, err)
	if found.Terms != 1 {
		t.Errorf("%d pairs of terms were left out, want one", found.Terms)
	}
	compare(t, a)
	said := strings.Join(graph(t, a), "; ")
	if len(waiting(t, a)) != 1 || !strings.Contains(said, "Combined Undertakings [") || !strings.Contains(said, "= Edda Lanternf") {
		t.Errorf("the graph and the queue are %s", said)
	}
}
