// Package race lets tests check whether the race detector is worth its cost in them: it triples the
// cost of a test, and finds a race only where goroutines meet. Skipped tests run again without it.
package race

import (
	"strings"
	"sync"
	"testing"

	"github.com/clewhq/clew/internal/testkit/long"
)

// Skip skips a test that computes alone and for long.
func Skip(t *testing.T) {
	t.Helper()
	if enabled {
		t.Skip("left to the run without the race detector")
	}
}

// wanted holds the names of the tests that called Want.
var wanted sync.Map

// Want keeps t from being skipped by SkipUnwanted.
func Want(t *testing.T) { wanted.Store(t.Name(), true) }

// SkipUnwanted is for helpers that most tests of a package start with: it skips a test that did not call Want, unless all
// are to run at length.
func SkipUnwanted(t *testing.T) {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	if _, ok := wanted.Load(name); !ok && !long.Enabled() {
		Skip(t)
	}
}
