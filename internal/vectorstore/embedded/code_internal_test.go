package embedded

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/vectorstore"
)

// TestBoundsHold draws vectors of any length, among them constant ones and ones
// far from unit length.
func TestBoundsHold(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 70).Draw(t, "dim")
		size := rapid.SampledFrom([]float32{1e-3, 1, 1e3}).Draw(t, "size")
		number := rapid.Custom(func(t *rapid.T) float32 { return size * rapid.Float32Range(-1, 1).Draw(t, "x") })
		v, q := rapid.SliceOfN(number, dim, dim).Draw(t, "v"), unit(rapid.SliceOfN(rapid.Float32Range(-1, 1), dim, dim).Draw(t, "q"))
		words := make([]uint64, codeWords(dim))
		c := encode(v, words)
		least, most := newQuery(q).bounds(&c, words)
		if got := float64(dot(q, v)); got < least || got > most {
			t.Fatalf("got %g, want a value between %g and %g", got, least, most)
		}
	})
}

// TestScanMissesNothing compares the scan with scoring every vector; many of
// them are close together or equal.
func TestScanMissesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dim, n := rapid.IntRange(1, 20).Draw(t, "dim"), rapid.IntRange(1, 60).Draw(t, "n")
		number := rapid.SampledFrom([]float32{-1, -0.5, 0, 0.499, 0.5, 0.501, 1})
		f := &flat{at: map[int64]int{}}
		for i := range n {
			f.put(int64(i), string(rune('A'+i)), "", encodeVector(rapid.SliceOfN(number, dim, dim).Draw(t, "v")))
		}
		if n > 3 {
			f.remove(int64(rapid.IntRange(0, n-1).Draw(t, "gone")))
		}
		q, k := unit(rapid.SliceOfN(number, dim, dim).Draw(t, "q")), rapid.IntRange(1, 10).Draw(t, "k")
		var want []vectorstore.Hit
		for i := range f.nums {
			want = append(want, vectorstore.Hit{ID: f.ids[i], Score: float64(dot(q, f.vector(i)))})
		}
		slices.SortFunc(want, compareHits)
		want = want[:min(k, len(want))]
		got, err := f.search(q, k, nil)
		if err != nil || len(got) != len(want) {
			t.Fatalf("got %v (%v), want %v", got, err, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
	})
}
