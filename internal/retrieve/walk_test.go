package retrieve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
)

// naive computes personalised PageRank on a full matrix.
func naive(n int, edges []edge, seed []float64, damping float64) []float64 {
	weight, degree := make([][]float64, n), make([]float64, n)
	for i := range weight {
		weight[i] = make([]float64, n)
	}
	for _, e := range edges {
		weight[e.a][e.b] += float64(e.weight)
		weight[e.b][e.a] += float64(e.weight)
		degree[e.a] += float64(e.weight)
		degree[e.b] += float64(e.weight)
	}
	mass := append([]float64(nil), seed...)
	for range 200 {
		next := make([]float64, n)
		for i := range n {
			next[i] = (1 - damping) * seed[i]
			for j := range n {
				if degree[j] > 0 {
					next[i] += damping * weight[i][j] / degree[j] * mass[j]
				}
			}
		}
		mass = next
	}
	return mass
}

func TestWalkIsPageRank(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "nodes")
		b := newMatrixBuilder(n)
		for i := range rapid.IntRange(0, 30).Draw(t, "edges") {
			from, to := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")
			if from != to {
				b.add(int32(from), int32(to), float32(1+i%3))
			}
		}
		w := &walk{make([]float32, n), make([]float32, n), make([]float32, n)}
		for range 3 {
			w.seed[rapid.IntRange(0, n-1).Draw(t, "seed")]++
		}
		seed := make([]float64, n)
		for i, s := range w.seed {
			seed[i] = float64(s) / 3
		}
		m := b.build()
		w.run(&m, 0.5, nil)
		for i, want := range naive(n, b.edges, seed, 0.5) {
			if math.Abs(float64(w.mass[i])-want) > 1e-4 {
				t.Fatalf("mass of node %d is %v, want %v", i, w.mass[i], want)
			}
		}
	})
}

// TestStepAddsInTheOrderOfEdges compares a step, to the last bit, with rows that
// are summed one after the other: in another order passages that are equally good
// would change places.
func TestStepAddsInTheOrderOfEdges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "nodes")
		b := newMatrixBuilder(n)
		for range rapid.IntRange(0, 150).Draw(t, "edges") {
			b.add(int32(rapid.IntRange(0, n-1).Draw(t, "from")), int32(rapid.IntRange(0, n-1).Draw(t, "to")), rapid.Float32Range(0.1, 3).Draw(t, "weight"))
		}
		from, want := make([]float32, n), make([]float32, n)
		degree := make([]float32, n)
		for i := range from {
			from[i] = rapid.Float32Range(0, 1).Draw(t, "mass")
		}
		for _, e := range b.edges {
			degree[e.a] += e.weight
			degree[e.b] += e.weight
		}
		for _, e := range b.edges {
			want[e.a] += e.weight / degree[e.b] * from[e.b]
			want[e.b] += e.weight / degree[e.a] * from[e.a]
		}
		m, got := b.build(), make([]float32, n)
		m.step(from, got, make([]float32, n), 1, 1)
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// TestLargeGraphsAreDivided compares a step in several parts with one of a processor, to
// the last bit.
func TestLargeGraphsAreDivided(t *testing.T) {
	t.Parallel()
	const nodes = 20_000
	random := rand.New(rand.NewPCG(1, 2))
	b := newMatrixBuilder(nodes)
	for range 2 * entriesEach {
		b.add(int32(random.IntN(nodes)), int32(random.IntN(1+random.IntN(nodes))), random.Float32())
	}
	m := b.build()
	parts := m.parts(3)
	if len(parts) != 3 || len(m.parts(1)) != 1 || len(slices.Concat(parts...)) != nodes {
		t.Fatalf("%d parts with %d rows", len(parts), len(slices.Concat(parts...)))
	}
	from, one, several := make([]float32, nodes), make([]float32, nodes), make([]float32, nodes)
	for i := range from {
		from[i] = random.Float32()
	}
	m.stepRows(m.order, from, one, from, 0.6, 1.1)
	for _, rows := range parts {
		entries := 0
		for _, n := range rows {
			entries += len(m.neighbours(n))
		}
		if entries < len(m.all)/4 {
			t.Errorf("a part has %d of %d entries", entries, len(m.all))
		}
		m.stepRows(rows, from, several, from, 0.6, 1.1)
	}
	if !slices.Equal(one, several) {
		t.Error("the parts sum up to something else")
	}
}

func TestWalkStaysWhereItMay(t *testing.T) {
	t.Parallel()
	b := newMatrixBuilder(3)
	b.add(0, 1, 1)
	b.add(1, 2, 1)
	m := b.build()
	w := &walk{[]float32{1, 0, 0}, make([]float32, 3), make([]float32, 3)}
	w.run(&m, 0.5, []bool{true, false, true})
	if w.mass[1] != 0 || w.mass[2] != 0 || w.mass[0] == 0 {
		t.Errorf("masses %v: the walk went through a node it may not enter", w.mass)
	}
}

func TestLinked(t *testing.T) {
	t.Parallel()
	f := newFake(
		text{"Copper Bridge", "Nothing."}, text{"Bridge", "Nothing."}, text{"The Lamplighter", "Nothing."},
		text{"St Osyth's Church", "Nothing."}, text{"Who", "Nothing."}, text{"Apollo 11", "Nothing."}, text{"Smith & Sons", "Nothing."},
	)
	snap := newSnapshot(&f.graph, tuned())
	for _, tt := range []struct{ text, want string }{
		{"Who designed Copper Bridge?", "Copper Bridge"},
		{"Who paid for the repair of the bridge?", ""},
		{"who designed copper bridge", "Copper Bridge"},
		{"Was the Lamplighter read in St Osyth’s Church?", "The Lamplighter|St Osyth's Church"},
		{"Copper Bridge's designer, Bridge and Copper Bridge", "Copper Bridge|Bridge"},
		{"Did Smith and Sons build Apollo 11?", "Smith & Sons|Apollo 11"},
		{"", ""},
	} {
		var got []string
		for _, n := range snap.linked(tt.text) {
			got = append(got, snap.names[n].name)
		}
		if strings.Join(got, "|") != tt.want {
			t.Errorf("names in %q: %q, want %q", tt.text, strings.Join(got, "|"), tt.want)
		}
	}
}

func TestFuse(t *testing.T) {
	t.Parallel()
	f := valley()
	words := f.best("chunks", nil, 3, func(p point) float64 { return float64(p.id[4]) })
	got := fuse(2, list{domain.MethodWords, words}, list{domain.MethodVectors, words[1:2]})
	if len(got) != 2 || string(got[0].Chunk) != words[1].ID || len(got[0].Methods) != 2 {
		t.Errorf("fused %+v, want what both found first", got)
	}
	if one := fuse(3, list{domain.MethodWords, words}); one[0].Score != words[0].Score {
		t.Errorf("a single list lost its scores: %+v", one)
	}
}

func BenchmarkGraph(b *testing.B) {
	texts := make([]text, 1500)
	for i := range texts {
		texts[i] = text{
			fmt.Sprintf("Person Nr%c%d", 'a'+i%26, i),
			fmt.Sprintf("They met Person Nr%c%d there. Place Nx%d is near Place Nx%d. We saw House Ny%d and House Ny%d.", 'a'+(i+7)%26, (i+7)%1500, i%300, i%299, i%700, i),
		}
	}
	f := newFake(texts...)
	snap := newSnapshot(&f.graph, tuned())
	s := &search{tuning: tuned(), Query: Query{Text: "Who met Person Nrb1 at Place Nx7?", Limit: 8}}
	b.ReportAllocs()
	for b.Loop() {
		w := snap.walk()
		s.seedNames(snap, w, snap.linked(s.Text))
		w.run(&snap.matrix, s.tuning.damping, nil)
		s.rank(snap, w, nil)
		snap.pool.Put(w)
	}
}

// BenchmarkWalk walks in a graph like that of 13,000 passages: most names are in
// one passage, and a few in hundreds.
func BenchmarkWalk(b *testing.B) {
	const chunks, names = 13_000, 70_000
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.2, 3, names/3)
	m := newMatrixBuilder(chunks + names)
	for n := range names {
		m.add(int32(random.IntN(chunks)), int32(chunks+n), 1)
	}
	for c := range chunks {
		for range 12 {
			m.add(int32(c), int32(chunks+int(zipf.Uint64())), 1)
		}
	}
	w := &walk{make([]float32, chunks+names), make([]float32, chunks+names), make([]float32, chunks+names)}
	built := m.build()
	for b.Loop() {
		clear(w.seed)
		for i := range 200 {
			w.seed[(i*977)%(chunks+names)] = 1
		}
		w.run(&built, 0.6, nil)
	}
}
