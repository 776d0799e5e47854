package source

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	known := map[string]ledger.SourceItem{"same": {Name: "same", Stamp: "1"}, "changed": {Name: "changed", Stamp: "1"}, "asked": {Name: "asked", Stamp: "1"}}
	open, same := Compare(known, []Item{{Name: "same", Stamp: "1"}, {Name: "changed", Stamp: "2"}, {Name: "asked"}, {Name: "new", Stamp: "1"}})
	var names []string
	for _, t := range open {
		names = append(names, t.Name+" "+t.Was.Stamp)
	}
	if diff := cmp.Diff([]string{"changed 1", "asked 1", "new "}, names); diff != "" || !slices.Equal(same, []string{"same"}) {
		t.Errorf("same %v (-want +got):\n%s", same, diff)
	}
}

func TestRhythms(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 5, 6, 0, 0, time.UTC)
	for _, tt := range []struct {
		given, kept string
		next        time.Time
	}{
		{"never", "", time.Time{}},
		{"", "", time.Time{}},
		{"90m", "90m", now.Add(90 * time.Minute)},
		{"24h0m", "24h", now.Add(24 * time.Hour)},
		{" Daily 4:00", "daily 04:00", time.Date(2026, 3, 5, 4, 0, 0, 0, time.UTC)},
		{"daily 05:30", "daily 05:30", time.Date(2026, 3, 4, 5, 30, 0, 0, time.UTC)},
	} {
		kept, err := checkRhythm(tt.given)
		if err != nil || kept != tt.kept || !next(kept, now).Equal(tt.next) {
			t.Errorf("%q: %q, next %v, error %v", tt.given, kept, next(kept, now), err)
		}
	}
	for _, wrong := range []string{"1m", "1000h", "often", "daily", "daily 25:00", "-5m"} {
		if kept, err := checkRhythm(wrong); domain.KindOf(err) != domain.Invalid {
			t.Errorf("%q: %q, %v", wrong, kept, err)
		}
	}
}
