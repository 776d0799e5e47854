package report

import (
	"testing"
	"time"
)

func TestPercentilesAreOfTheNearestRank(t *testing.T) {
	t.Parallel()
	var hundred []time.Duration
	for i := range 100 {
		hundred = append(hundred, time.Duration(i+1)*time.Millisecond)
	}
	for _, tt := range []struct {
		of   []time.Duration
		p    int
		want int64
	}{
		{nil, 50, 0}, {hundred[:1], 50, 1}, {hundred[:1], 95, 1}, {hundred[:2], 50, 1}, {hundred[:3], 50, 2}, {hundred, 50, 50}, {hundred, 95, 95}, {hundred, 100, 100},
	} {
		if got := percentile(tt.of, tt.p); got != tt.want {
			t.Errorf("percentile %d of %d times: %d, want %d", tt.p, len(tt.of), got, tt.want)
		}
	}
}
