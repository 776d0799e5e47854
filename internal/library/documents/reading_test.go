package documents_test

import (
	"testing"
	"time"

	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
)

func TestReadingSaysHowLongItTakes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reading     ledger.Reading
		least, most time.Duration
		says        string
	}{
		{ledger.Reading{Documents: 3}, 0, 0, ""},
		{ledger.Reading{Documents: 1, Running: 1, Passages: 700, Read: 100, CutBytes: 700, Rate: 2, Slowest: 2, Fastest: 2}, 5 * time.Minute, 5 * time.Minute,
			"100 of 700 passages read, 2.0 a second. About 5 min left."},
		{ledger.Reading{Documents: 3, Running: 2, Passages: 1200, Read: 0, CutBytes: 1200, UncutBytes: 1200, Rate: 12, Slowest: 4, Fastest: 8}, 125 * time.Second, 375 * time.Second,
			"0 of more than 1,200 passages read, 12 a second. About 2 to 6 min left."},
		{ledger.Reading{Documents: 1, Running: 1, Passages: 10, Read: 4, CutBytes: 10, Rate: 2, Slowest: 2, Fastest: 2}, 3 * time.Second, 3 * time.Second,
			"4 of 10 passages read, 2.0 a second. A few seconds left."},
		{ledger.Reading{Documents: 1, Running: 1, Passages: 100, Read: 20, CutBytes: 10, Rate: 2, Slowest: 2, Fastest: 2}, 40 * time.Second, 40 * time.Second,
			"20 of 100 passages read, 2.0 a second. Less than a minute left."},
		{ledger.Reading{Documents: 2, Running: 1, Passages: 10}, 0, 0, "0 of 10 passages read."},
	} {
		r := documents.Progress{Reading: tt.reading}
		least, most, known := r.Left()
		if least != tt.least || most != tt.most || known != (tt.most > 0) {
			t.Errorf("%+v: %v to %v, %v", tt.reading, least, most, known)
		}
		if r.String() != tt.says {
			t.Errorf("says %q, want %q", r, tt.says)
		}
	}
}
