package main

import "testing"

func TestOwnMemory(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ limit, parsers, want int64 }{{1000, 100, 800}, {1000, 4000, 500}} {
		if got := ownMemory(tt.limit, tt.parsers); got != tt.want {
			t.Errorf("of %d beside %d: %d, want %d", tt.limit, tt.parsers, got, tt.want)
		}
	}
}
