package minilm

import (
	"encoding/binary"
	"math"
	"slices"
)

// A weights matrix holds the eight-bit weights of a layer, column by column, so that the
// numbers of a dot product are next to each other.
type weights struct {
	in, out int
	columns []int8    // columns[c*in+k] is row k of column c
	sums    []int32   // of the columns
	scales  []float32 // by which columns are multiplied
	bias    []float32
}

// newWeights returns a matrix of in rows by out columns, given row by row.
func newWeights(in, out int, values []byte, scales, bias []float32) weights {
	w := weights{in: in, out: out, columns: make([]int8, in*out), sums: make([]int32, out), scales: scales, bias: bias}
	for k := range in {
		for c, v := range values[k*out : (k+1)*out] {
			w.columns[c*in+k] = int8(v)
			w.sums[c] += int32(int8(v))
		}
	}
	return w
}

// levels is the greatest rounded activation.
const levels = 255

// rowsAtOnce is the number of rows that a kernel multiplies together: with more of them
// the compiler runs out of registers.
const rowsAtOnce = 3

// quantise rounds rows of in numbers to 0…levels, each with a scale and a zero point, for
// multiply.
func (s *workspace) quantise(x []float32, in int) {
	n := len(x) / in
	s.values = sized(s.values, (n+rowsAtOnce-1)/rowsAtOnce*rowsAtOnce*in)
	s.scales, s.zeros = sized(s.scales, n), sized(s.zeros, n)
	for i := range n {
		row := x[i*in : (i+1)*in]
		least, most := s.extent(row)
		scale := (most - least) / levels
		if scale == 0 {
			s.scales[i], s.zeros[i] = 0, 0
			continue
		}
		zero := float32(math.Round(float64(-least / scale)))
		s.scales[i], s.zeros[i] = scale, int32(zero)
		s.round(s.values[i*in:][:in], row, 1/scale, zero+0.5)
	}
}

// sized returns a slice of n numbers, in the place of s if it is large enough.
func sized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// multiply returns the rows times the weights, with the bias added, in the place of out
// if it is large enough.
func (s *workspace) multiply(out []float32, w *weights) []float32 {
	s.sums = sized(s.sums, len(s.values)/w.in*w.out)
	s.dot(w, s.sums, s.values)
	out = sized(out, len(s.scales)*w.out)
	for i := range s.scales {
		s.scale(w, out[i*w.out:][:w.out], s.sums[i*w.out:][:w.out], s.zeros[i], s.scales[i])
	}
	return out
}

// kernels are the loops that take the time. All implementations give the same bits. The
// lengths of rows are multiples of eight, except those of extent, round, scale, bend and add.
type kernels interface {
	// dot sets sums, row by row, to the dot products of each row with each column.
	dot(w *weights, sums []int32, values []int16)

	// scale turns the sums of a row into its numbers.
	scale(w *weights, out []float32, sums []int32, zero int32, scale float32)

	// extent returns the least and the greatest of 0 and the numbers of a row.
	extent(row []float32) (least, most float32)

	// round sets out to row·inverse + zero, cut off at 0 and levels and rounded down.
	round(out []int16, row []float32, inverse, zero float32)

	// fits sets to the products of a query with keys.
	fits(to []float32, query *[headWidth]float32, keys []float32, width int)

	// normalise turns how well n keys fit into shares of one. The numbers after them
	// fill up to a multiple of eight.
	normalise(fits []float32, n int)

	// mix adds up the values, each by its share.
	mix(out *[headWidth]float32, shares, values []float32, width int)

	// total adds up the numbers of a row, in eight sums.
	total(row []float32) float32

	// spread adds up the squares of how far the numbers of a row are from their mean.
	spread(row []float32, mean float32) float32

	// place scales the numbers of a row, and then as learned.
	place(l layerNorm, row []float32, mean, scale float32)

	// bend replaces the numbers of a row by what the curve makes of them: 0 before its
	// beginning, and themselves beyond its end.
	bend(c curve, row []float32)

	// add adds to the numbers of a row those of another.
	add(to, from []float32)
}

// plain are the kernels for processors without the instructions of simd_amd64.go.
type plain struct{}

// dot packs three rows into integers of 64 bits, 21 bits apart, so that one multiplication
// makes three products.
func (plain) dot(w *weights, sums []int32, values []int16) {
	packed := make([]uint64, w.in)
	n := len(values) / w.in
	for i := 0; i < n; i += lanes {
		together := min(lanes, n-i)
		for k := range packed {
			packed[k] = 0
			for j := range together {
				packed[k] |= uint64(values[(i+j)*w.in+k]) << (j * lane)
			}
		}
		for c := 0; c < w.out; c += 4 {
			four := dotPacked(packed, w.columns[c*w.in:][:4*w.in])
			for j := range together {
				for q := range four {
					sums[(i+j)*w.out+c+q] = four[q][j]
				}
			}
		}
	}
}

// lane is the width of a sum of products in a packed integer. It holds depth products of
// at most 255 by 127, beside half, which keeps it positive.
const (
	lanes = 3
	lane  = 21
	depth = 32
	half  = 1 << (lane - 1)
)

// dotPacked returns three packed rows times four columns.
func dotPacked(a []uint64, columns []int8) (sums [4][lanes]int32) {
	in := len(a)
	for k := 0; k+depth <= in; k += depth {
		s0, s1, s2, s3 := dotBlock((*[depth]uint64)(a[k:]), (*[depth]int8)(columns[k:]), (*[depth]int8)(columns[in+k:]), (*[depth]int8)(columns[2*in+k:]), (*[depth]int8)(columns[3*in+k:]))
		unpack(&sums[0], s0)
		unpack(&sums[1], s1)
		unpack(&sums[2], s2)
		unpack(&sums[3], s3)
	}
	return sums
}

// unpack adds the sums in the lanes of s.
func unpack(sums *[lanes]int32, s uint64) {
	sums[0] += int32(s&(1<<lane-1)) - half
	sums[1] += int32(s>>lane&(1<<lane-1)) - half
	sums[2] += int32(s>>(2*lane)) - half
}

// dotBlock adds up as many products as fit into the lanes.
func dotBlock(a *[depth]uint64, b0, b1, b2, b3 *[depth]int8) (s0, s1, s2, s3 uint64) {
	const start = half | half<<lane | half<<(2*lane)
	s0, s1, s2, s3 = start, start, start, start
	for k, x := range a {
		s0 += x * uint64(b0[k])
		s1 += x * uint64(b1[k])
		s2 += x * uint64(b2[k])
		s3 += x * uint64(b3[k])
	}
	return s0, s1, s2, s3
}

// scale has conversions that keep the compiler from fusing a multiplication with an
// addition, which would round otherwise.
func (plain) scale(w *weights, out []float32, sums []int32, zero int32, scale float32) {
	for c := range out {
		out[c] = w.scaled(c, sums[c], zero, scale)
	}
}

func (w *weights) scaled(c int, sum, zero int32, scale float32) float32 {
	return float32(float32(sum-zero*w.sums[c])*float32(scale*w.scales[c])) + w.bias[c]
}

func (plain) extent(row []float32) (least, most float32) {
	for _, v := range row {
		least, most = min(least, v), max(most, v)
	}
	return least, most
}

func (plain) round(out []int16, row []float32, inverse, zero float32) {
	for k, v := range row {
		out[k] = int16(min(levels, max(0, float32(v*inverse)+zero)))
	}
}

// floats returns the numbers of little-endian data.
func floats(data []byte) []float32 {
	out := make([]float32, len(data)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return out
}
