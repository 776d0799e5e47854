package embedded

import "math"

// A code is a vector in a byte a number, by which most vectors can be told to be
// too far away without reading them. What a code
// leaves out of its vector is measured when it is made, so that the cosine of
// two codes says between which bounds that of their vectors lies, and a search
// that skips what is below the bound of the last hit misses nothing.
//
// Eight numbers of seven bits stand in a word, with a bit to spare each. A word
// of every second number is four lanes of 16 bits; times the same of a
// question, in reverse order, the sum of the four products stands in the
// highest lane of the product, as no lane below it overflows: 4 * 127 * 127 is
// less than 2^16. In Go without assembly this is about twice as fast as
// multiplying floating-point numbers one by one.
const (
	perWord = 8
	top     = 127 // the largest number in a code
	lanes   = 0x00ff00ff00ff00ff
)

// codeWords is how many words the code of a vector takes.
func codeWords(dim int) int { return (dim + perWord - 1) / perWord }

// code says what the numbers of a coded vector mean: number c stands for low +
// step*c.
type code struct {
	low, step float64
	rise      float64 // step times the sum of the numbers
	length    float64 // of the vector that the code stands for
	miss      float64 // distance from it to the vector that was coded
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

// question is a vector coded to be compared with many.
type question struct {
	vector []float32
	words  []uint64 // two for each word of a code: of the even and of the odd numbers, in reverse

	low, step, total   float64 // of the code; total is the sum of what its numbers stand for
	perMiss, perLength float64 // what a code's miss and length add to how far off it may be
}

func newQuestion(v []float32) *question {
	plain := make([]uint64, codeWords(len(v)))
	c := encode(v, plain)
	n := float64(len(v))
	// What float32 may round in a dot product of n numbers, at most.
	rounding, length := n/(1<<23), math.Sqrt(float64(dot(v, v)))
	q := &question{
		vector: v, words: make([]uint64, 0, 2*len(plain)), low: c.low, step: c.step, total: n*c.low + c.rise,
		perMiss: length * (1 + rounding), perLength: c.miss + length*rounding,
	}
	for _, w := range plain {
		q.words = append(q.words, reverse(w&lanes), reverse(w>>8&lanes))
	}
	return q
}

// reverse turns the order of four lanes round.
func reverse(w uint64) uint64 {
	return w<<48 | w>>48 | w&0xffff0000<<16 | w>>16&0xffff0000
}

// bounds are the least and the most that the inner product of the question
// with a coded vector can be, as dot computes it.
func (q *question) bounds(c *code, words []uint64) (least, most float64) {
	about := q.total*c.low + q.low*c.rise + q.step*c.step*float64(product(words, q.words))
	// Cauchy-Schwarz on what both codes leave out.
	off := q.perMiss*c.miss + q.perLength*c.length + tiny
	return about - off, about + off
}

// tiny is more than the bounds themselves may be rounded by.
const tiny = 1e-6

// product is the inner product of the numbers of a code with those of a
// question.
func product(words, question []uint64) uint64 {
	var s0, s1, s2, s3 uint64
	for len(words) >= 4 && len(question) >= 8 {
		w, q := (*[4]uint64)(words), (*[8]uint64)(question)
		s0 += w[0] & lanes * q[0] >> 48
		s1 += w[0] >> 8 & lanes * q[1] >> 48
		s2 += w[1] & lanes * q[2] >> 48
		s3 += w[1] >> 8 & lanes * q[3] >> 48
		s0 += w[2] & lanes * q[4] >> 48
		s1 += w[2] >> 8 & lanes * q[5] >> 48
		s2 += w[3] & lanes * q[6] >> 48
		s3 += w[3] >> 8 & lanes * q[7] >> 48
		words, question = words[4:], question[8:]
	}
	for i, w := range words {
		s0 += w & lanes * question[2*i] >> 48
		s1 += w >> 8 & lanes * question[2*i+1] >> 48
	}
	return s0 + s1 + s2 + s3
}
