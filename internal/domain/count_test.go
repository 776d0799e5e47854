package domain

import "testing"

func TestPercentile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ n, percent, want int }{
		{0, 50, 0}, {1, 0, 1}, {1, 50, 1}, {1, 100, 1}, {2, 50, 1}, {2, 51, 2}, {3, 50, 2}, {4, 50, 2}, {19, 95, 19}, {20, 95, 19}, {100, 95, 95}, {101, 95, 96}, {100, 100, 100},
	} {
		var sorted []int
		for i := range tt.n {
			sorted = append(sorted, i+1)
		}
		if got := Percentile(sorted, tt.percent); got != tt.want {
			t.Errorf("of 1 to %d, %d in a hundred: got %d, want %d", tt.n, tt.percent, got, tt.want)
		}
	}
}
