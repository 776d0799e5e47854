package embedded

import "math"

// A code is a vector quantised to one byte per number. The quantisation error is
// measured, so that the inner product of two codes gives bounds for the product
// of their vectors. A search skips vectors whose upper bound is below the last
// hit, and misses nothing.
//
// A word has eight numbers of seven bits, each with a spare bit. Every second
// number of a word makes four lanes of 16 bits. Multiplied by the same lanes of a
// query in reverse order, the highest lane of the product is the sum of the four
// products; no lower lane overflows, as 4 * 127 * 127 is less than 2^16. In Go
// without assembly this is about twice as fast as floating-point multiplication.
const (
	perWord = 8
	top     = 127 // the largest number in a code
	lanes   = 0x00ff00ff00ff00ff
)

// codeWords returns the number of words of a code.
func codeWords(dim int) int { return (dim + perWord - 1) / perWord }

// code holds the scale of a coded vector: number c stands for low + step*c.
type code struct {
	low, step float64
	rise      float64 // step times the sum of the numbers
	length    float64 // of the decoded vector
	miss      float64 // distance from it to the original vector
}

// encode writes the code of v into to.
func encode(v []float32, to []uint64) code {
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range v {
		low, high = min(low, float64(x)), max(high, float64(x))
	}
	c := code{low: low, step: (high - low) / top}
	perStep := 0.0
	if c.step > 0 {
		perStep = 1 / c.step
	}
	var length, miss float64
	clear(to)
	for i, x := range v {
		n := min(top, uint64((float64(x)-low)*perStep+0.5))
		rise := c.step * float64(n)
		stands := c.low + rise
		c.rise += rise
		length += stands * stands
		miss += (float64(x) - stands) * (float64(x) - stands)
		to[i/perWord] |= n << (8 * (i % perWord))
	}
	c.length, c.miss = math.Sqrt(length), math.Sqrt(miss)
	return c
}

// query is a vector coded to be compared with many.
type query struct {
	vector []float32
	words  []uint64 // two for each word of a code: the even and the odd numbers, in reverse

	low, step, total   float64 // of the code; total is the sum of the decoded numbers
	perMiss, perLength float64 // factors of a code's miss and length in the error
}

func newQuery(v []float32) *query {
	plain := make([]uint64, codeWords(len(v)))
	c := encode(v, plain)
	n := float64(len(v))
	// The largest rounding error of a dot product of n float32 numbers.
	rounding, length := n/(1<<23), math.Sqrt(float64(dot(v, v)))
	q := &query{
		vector: v, words: make([]uint64, 0, 2*len(plain)), low: c.low, step: c.step, total: n*c.low + c.rise,
		perMiss: length * (1 + rounding), perLength: c.miss + length*rounding,
	}
	for _, w := range plain {
		q.words = append(q.words, reverse(w&lanes), reverse(w>>8&lanes))
	}
	return q
}

// reverse reverses the order of four lanes.
func reverse(w uint64) uint64 {
	return w<<48 | w>>48 | w&0xffff0000<<16 | w>>16&0xffff0000
}

// bounds returns bounds for the inner product of the query with a coded vector,
// as dot computes it.
func (q *query) bounds(c *code, words []uint64) (least, most float64) {
	about := q.total*c.low + q.low*c.rise + q.step*c.step*float64(product(words, q.words))
	// Cauchy-Schwarz on the errors of both codes.
	off := q.perMiss*c.miss + q.perLength*c.length + tiny
	return about - off, about + off
}

// tiny exceeds the rounding error of the bounds themselves.
const tiny = 1e-6

// product returns the inner product of the numbers of a code and of a query.
func product(words, query []uint64) uint64 {
	var s0, s1, s2, s3 uint64
	for len(words) >= 4 && len(query) >= 8 {
		w, q := (*[4]uint64)(words), (*[8]uint64)(query)
		s0 += w[0] & lanes * q[0] >> 48
		s1 += w[0] >> 8 & lanes * q[1] >> 48
		s2 += w[1] & lanes * q[2] >> 48
		s3 += w[1] >> 8 & lanes * q[3] >> 48
		s0 += w[2] & lanes * q[4] >> 48
		s1 += w[2] >> 8 & lanes * q[5] >> 48
		s2 += w[3] & lanes * q[6] >> 48
		s3 += w[3] >> 8 & lanes * q[7] >> 48
		words, query = words[4:], query[8:]
	}
	for i, w := range words {
		s0 += w & lanes * query[2*i] >> 48
		s1 += w >> 8 & lanes * query[2*i+1] >> 48
	}
	return s0 + s1 + s2 + s3
}
