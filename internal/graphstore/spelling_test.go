package graphstore

import (
	"slices"
	"testing"
)

func TestOneLetterApart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"aldus", "aldous", true}, {"aldous", "aldus", true}, {"alduos", "aldous", true}, {"aldoos", "aldous", true}, {"aldou", "aldous", true},
		{"aldous", "aldous", false}, {"oldous", "aldous", false}, {"ald", "aldous", false}, {"alduso", "aldous", false}, {"", "a", false},
	} {
		if got := OneLetterApart(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %t, want %t", c.a, c.b, got, c.want)
		}
	}
}

// TestOneLetterFrom: what is one letter apart is among them, in any alphabet.
func TestOneLetterFrom(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{{"aldus", "aldous"}, {"aldoous", "aldous"}, {"alduos", "aldous"}, {"aldoos", "aldous"}, {"aldou", "aldous"}, {"karshlom", "karsholm"}, {"мосвка", "москва"}, {"мосва", "москва"}} {
		if all := OneLetterFrom(c[0]); !slices.Contains(all, c[1]) || !slices.Contains(all, c[0]) || len(all) > 2000 {
			t.Errorf("%q is not among the %d from %q", c[1], len(all), c[0])
		}
	}
	if all := OneLetterFrom(""); len(all) != 1 {
		t.Errorf("from nothing %q", all)
	}
}
