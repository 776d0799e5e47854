package minilm

import (
	"encoding/binary"
	"math"
)

// A weights matrix holds eight-bit weights of a layer, in the order in which multiply
// reads them: four columns at a time.
type weights struct {
	in, out int
	quads   [][4]int8 // quads[c/4*in+k] holds row k of columns c to c+3
	sums    []int32   // of the columns
	scales  []float32 // by which columns are multiplied
	bias    []float32
}

// newWeights returns a matrix of in rows by out columns, given row by row.
func newWeights(in, out int, values []byte, scales, bias []float32) weights {
	w := weights{in: in, out: out, quads: make([][4]int8, in*out/4), sums: make([]int32, out), scales: scales, bias: bias}
	for k := range in {
		for c, v := range values[k*out : (k+1)*out] {
			w.quads[c/4*in+k][c%4] = int8(v)
			w.sums[c] += int32(int8(v))
		}
	}
	return w
}

// A sum of three products stands in one integer of 64 bits: three rows are multiplied
// by a weight at once. lane is the room that each has, depth how many products fit in:
// 32 of at most 255 by 127, beside a half by which sums are moved to be positive.
const (
	lanes = 3
	lane  = 21
	depth = 32
	half  = 1 << (lane - 1)
)

// rows are numbers of eight bits, each row with a scale and a zero of its own.
type rows struct {
	n, in  int
	packed []uint64 // packed[i/3*in+k] holds column k of rows i to i+2
	scales []float32
	zeros  []int32
}

// quantise returns n rows of in numbers in eight bits.
func quantise(x []float32, n, in int) rows {
	r := rows{n: n, in: in, packed: make([]uint64, (n+lanes-1)/lanes*in), scales: make([]float32, n), zeros: make([]int32, n)}
	for i := range n {
		row := x[i*in : (i+1)*in]
		var least, most float32
		for _, v := range row {
			least, most = min(least, v), max(most, v)
		}
		scale := (most - least) / 255
		if scale == 0 {
			continue
		}
		zero := float32(math.Round(float64(-least / scale)))
		r.scales[i], r.zeros[i] = scale, int32(zero)
		packed, shift, inverse := r.packed[i/lanes*in:][:in], i%lanes*lane, 1/scale
		for k, v := range row {
			packed[k] |= uint64(min(255, max(0, v*inverse+zero+0.5))) << shift
		}
	}
	return r
}

// multiply returns the rows times the weights, with the bias added.
func (w *weights) multiply(r rows) []float32 {
	out := make([]float32, r.n*w.out)
	for c := 0; c < w.out; c += 4 {
		quads := w.quads[c/4*w.in:][:w.in]
		for i := 0; i < r.n; i += lanes {
			sums := dot(r.packed[i/lanes*w.in:][:w.in], quads)
			for j := range min(lanes, r.n-i) {
				row := out[(i+j)*w.out+c:][:4]
				for q := range row {
					row[q] = float32(sums[q][j]-r.zeros[i+j]*w.sums[c+q])*r.scales[i+j]*w.scales[c+q] + w.bias[c+q]
				}
			}
		}
	}
	return out
}

// dot returns three packed rows times four columns.
func dot(a []uint64, b [][4]int8) (sums [4][lanes]int32) {
	for len(a) >= depth && len(b) >= depth {
		s0, s1, s2, s3 := dotBlock((*[depth]uint64)(a), (*[depth][4]int8)(b))
		unpack(&sums[0], s0)
		unpack(&sums[1], s1)
		unpack(&sums[2], s2)
		unpack(&sums[3], s3)
		a, b = a[depth:], b[depth:]
	}
	return sums
}

// unpack adds what stands in the lanes.
func unpack(sums *[lanes]int32, s uint64) {
	sums[0] += int32(s&(1<<lane-1)) - half
	sums[1] += int32(s>>lane&(1<<lane-1)) - half
	sums[2] += int32(s>>(2*lane)) - half
}

// dotBlock adds up as many products as fit into the lanes.
func dotBlock(a *[depth]uint64, b *[depth][4]int8) (s0, s1, s2, s3 uint64) {
	const start = half | half<<lane | half<<(2*lane)
	s0, s1, s2, s3 = start, start, start, start
	for k, x := range a {
		s0 += x * uint64(b[k][0])
		s1 += x * uint64(b[k][1])
		s2 += x * uint64(b[k][2])
		s3 += x * uint64(b[k][3])
	}
	return s0, s1, s2, s3
}

// floats returns the numbers of little-endian data.
func floats(data []byte) []float32 {
	out := make([]float32, len(data)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return out
}
