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

func TestHowFarAHeapGrows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		live uint64
		want int
	}{{0, 3100}, {6 << 20, 2033}, {32 << 20, 300}, {60 << 20, 150}, {1 << 30, 150}} {
		if got := percentFor(tt.live); got != tt.want {
			t.Errorf("with %d bytes in use it grows by %d %%, want %d", tt.live, got, tt.want)
		}
	}
}
