package builtin_test

import (
	"os"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/answer/answertest"
)

// field returns a file of the folder beside the project.
func field(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("../../../shared/data/field/" + name)
	if os.IsNotExist(err) {
		t.Skip("left out: no ../shared beside the project")
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestFieldAcronymsThatAreSmallWords(t *testing.T) {
	t.Parallel()
	asksOfTheMove(t, field(t, "ac1_WHO.txt"), field(t, "ac2_WHO.txt"))
}

func TestAcronymsThatAreSmallWords(t *testing.T) {
	t.Parallel()
	for _, acronym := range []string{"WHO", "WMO"} {
		asksOfTheMove(t,
			"The World Harbour Organization ("+acronym+") was founded in 1920 in Orsen. The World Harbour Organization inspects piers.",
			"The "+acronym+" moved to Vik in 1955. Its director was Ada Moen.")
	}
}

func asksOfTheMove(t *testing.T, texts ...string) {
	t.Helper()
	r := ask(t, answertest.Of(texts...), "Where did the World Harbour Organization move in 1955?")
	if !strings.Contains(r.Answer, "moved to Vik in 1955.") {
		t.Errorf("answer %q", r.Answer)
	}
}
