package domain_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"testing/iotest"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// TestIDsSortByTheirSecond draws ids as time goes on: those of a later second come after all earlier ones, and no two are equal.
func TestIDsSortByTheirSecond(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	ids := domain.IDs{Random: rand.NewChaCha8([32]byte{}), Now: func() time.Time { return now }}
	seen := map[domain.RunID]bool{}
	var last domain.RunID
	for range 300 {
		var greatest domain.RunID
		for range 3 {
			id, err := ids.Run()
			if err != nil {
				t.Fatal(err)
			}
			if seen[id] || id <= last {
				t.Fatalf("%s was drawn after %s", id, last)
			}
			seen[id] = true
			greatest = max(greatest, id)
		}
		last, now = greatest, now.Add(time.Second)
	}
}

func TestIDsNeedRandomness(t *testing.T) {
	t.Parallel()
	broken := errors.New("no entropy")
	if id, err := (domain.IDs{Random: iotest.ErrReader(broken), Now: time.Now}).Run(); !errors.Is(err, broken) || id != "" {
		t.Errorf("%q, %v", id, err)
	}
}
