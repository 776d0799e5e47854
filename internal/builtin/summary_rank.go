package builtin

import "math"

// The parameters of TextRank: the probability of following an edge instead of
// restarting, and the change at which the walk has converged.
const (
	damping    = 0.85
	converged  = 1e-9
	mostRounds = 200
)

// textRank scores sentences by the stationary distribution of a walk that
// prefers similar sentences (Mihalcea and Tarau, "TextRank", 2004). With a
// focus, the walk restarts at sentences that contain its words. The terms of
// each sentence are distinct and sorted.
func textRank(terms [][]string, focus []string) []float64 {
	n := len(terms)
	weights := make([][]float64, n)
	sums := make([]float64, n)
	for i := range weights {
		weights[i] = make([]float64, n)
	}
	for i := range n {
		for j := range i {
			w := likeness(terms[i], terms[j])
			weights[i][j], weights[j][i] = w, w
			sums[i] += w
			sums[j] += w
		}
	}
	begin := outsets(terms, focus)
	rank := begin
	for range mostRounds {
		next := make([]float64, n)
		idle := 0.0 // mass of sentences similar to no other
		for j := range n {
			if sums[j] == 0 {
				idle += rank[j]
				continue
			}
			for i := range n {
				next[i] += rank[j] * weights[j][i] / sums[j]
			}
		}
		moved := 0.0
		for i := range n {
			next[i] = (1-damping)*begin[i] + damping*(next[i]+idle*begin[i])
			moved += math.Abs(next[i] - rank[i])
		}
		if rank = next; moved < converged {
			break
		}
	}
	return rank
}

// likeness returns the overlap of two sentences, normalised by length.
func likeness(a, b []string) float64 {
	if len(a) < 2 || len(b) < 2 {
		return 0
	}
	return float64(commonTerms(a, b)) / (math.Log(float64(len(a))) + math.Log(float64(len(b))))
}

// outsets returns the restart distribution: uniform, or 80 % on sentences with
// words of the focus.
func outsets(terms [][]string, focus []string) []float64 {
	const drawn = 0.8
	out := make([]float64, len(terms))
	total := 0.0
	for i := range terms {
		out[i] = float64(commonTerms(terms[i], focus))
		total += out[i]
	}
	for i := range out {
		even := 1 / float64(len(out))
		if total == 0 {
			out[i] = even
		} else {
			out[i] = drawn*out[i]/total + (1-drawn)*even
		}
	}
	return out
}
