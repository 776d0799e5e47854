package retrieve

import "math"

// walk holds the vectors of one personalised PageRank.
type walk struct {
	seed, mass, next []float32
}

// walk returns a walk from the pool with all seeds zero.
func (s *snapshot) walk() *walk {
	w, ok := s.pool.Get().(*walk)
	if !ok {
		n := s.matrix.nodes()
		return &walk{make([]float32, n), make([]float32, n), make([]float32, n)}
	}
	clear(w.seed)
	return w
}

// tolerance is the change of mass below which a walk has converged.
const tolerance = 1e-4

// steps returns the number of steps to convergence: after k of them the change is
// divided by the Chebyshev polynomial of degree k at 1/damping.
func steps(damping float32) int {
	return int(math.Ceil(math.Acosh(2/tolerance) / math.Acosh(1/float64(damping))))
}

// run computes the mass of each node: walkers start by the seeds, follow an edge
// with probability damping and otherwise restart. They do not enter nodes that
// are not allowed; nil allows all.
//
// Each step goes a little further than one step of the walkers, as far as
// Chebyshev's semi-iteration allows for an undirected graph (Golub and Varga 1961):
// that takes half of the steps.
func (w *walk) run(m *matrix, damping float32, allowed []bool) {
	w.normalise()
	copy(w.mass, w.seed)
	clear(w.next)
	only(allowed, w.mass)
	ahead, square := 1.0, float64(damping*damping)
	for k := range steps(damping) {
		switch k {
		case 0:
		case 1:
			ahead = 1 / (1 - square/2)
		default:
			ahead = 1 / (1 - square*ahead/4)
		}
		m.step(w.mass, w.next, w.seed, damping, float32(ahead))
		only(allowed, w.next)
		w.mass, w.next = w.next, w.mass
	}
	for i, x := range w.mass { // what is hardly reached may fall below zero
		w.mass[i] = max(0, x)
	}
}

// only takes the mass from nodes that are not allowed.
func only(allowed []bool, mass []float32) {
	for i, ok := range allowed {
		if !ok {
			mass[i] = 0
		}
	}
}

// normalise scales the seeds to sum to one.
func (w *walk) normalise() {
	var sum float32
	for _, s := range w.seed {
		sum += s
	}
	if sum == 0 {
		return
	}
	for i := range w.seed {
		w.seed[i] /= sum
	}
}
