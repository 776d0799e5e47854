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

// tolerance is the total change of mass below which a walk has converged.
const tolerance = 1e-5

// steps returns the number of steps to convergence: each multiplies the change
// by damping.
func steps(damping float32) int {
	return int(math.Ceil(math.Log(tolerance/2) / math.Log(float64(damping))))
}

// run computes the mass of each node: walkers start by the seeds, follow an edge
// with probability damping and otherwise restart. They do not enter nodes that
// are not allowed; nil allows all.
func (w *walk) run(m *matrix, damping float32, allowed []bool) {
	w.normalise()
	copy(w.mass, w.seed)
	for range steps(damping) {
		for i, s := range w.seed {
			w.next[i] = (1 - damping) * s
		}
		m.step(w.mass, w.next, damping)
		for i, ok := range allowed {
			if !ok {
				w.next[i] = 0
			}
		}
		w.mass, w.next = w.next, w.mass
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
