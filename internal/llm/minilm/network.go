package minilm

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A network is a BERT encoder (Devlin et al. 2018) in the form of all-MiniLM-L6-v2: the vector of a text is the mean of
// the outputs for its pieces.
type network struct {
	width     int
	words     table
	positions table
	kind      []float32 // added to each piece
	first     layerNorm
	layers    []layer
	bend      curve
}

// table holds rows of eight-bit numbers.
type table struct {
	values []byte
	scales []float32
}

type layer struct {
	query, key, value, mix weights
	mixed                  layerNorm
	widen, narrow          weights
	narrowed               layerNorm
}

// headWidth is the width of a head of attention.
const headWidth = 32

// newNetwork assembles a network from its arrays: those of a layer's weights have no
// names of their own, and come in the order in which they are used.
func newNetwork(tensors []tensor) (network, error) {
	named := make(map[string]tensor, len(tensors))
	var order []string // of weights
	for _, t := range tensors {
		named[t.name] = t
		if name, ok := strings.CutSuffix(t.name, "_q"); ok && !strings.HasPrefix(name, embeddings) {
			order = append(order, name)
		}
	}
	read := reader{named: named, weights: order}
	n := network{words: read.table("word"), positions: read.table("position"), first: read.norm(embeddings + "LayerNorm"), bend: newCurve()}
	n.width = len(n.first.gain)
	if kinds := floats(read.data(embeddings + "token_type_embeddings.weight")); len(kinds) >= n.width {
		n.kind = kinds[:n.width]
	}
	for i := 0; len(read.weights) > 0 && read.err == nil; i++ {
		name := fmt.Sprintf("inner.encoder.layer.%d.", i)
		n.layers = append(n.layers, layer{
			query: read.next(name + "attention.self.query"), key: read.next(name + "attention.self.key"), value: read.next(name + "attention.self.value"),
			mix: read.next(name + "attention.output.dense"), mixed: read.norm(name + "attention.output.LayerNorm"),
			widen: read.next(name + "intermediate.dense"), narrow: read.next(name + "output.dense"), narrowed: read.norm(name + "output.LayerNorm"),
		})
	}
	return n, read.err
}

// embeddings begins the names of the arrays that pieces are looked up in.
const embeddings = "inner.embeddings."

// reader takes a network's arrays by their names, and keeps the first error.
type reader struct {
	named   map[string]tensor
	weights []string // names not taken yet
	err     error
}

func (r *reader) data(name string) []byte {
	t, ok := r.named[name]
	if !ok && r.err == nil {
		r.err = fmt.Errorf("it has no array %q", name)
	}
	return t.data
}

func (r *reader) table(name string) table {
	name = embeddings + name + "_embeddings.weight"
	return table{slices.Clone(r.data(name + "_q")), floats(r.data(name + "_scale"))}
}

func (r *reader) norm(name string) layerNorm {
	return layerNorm{floats(r.data(name + ".weight")), floats(r.data(name + ".bias"))}
}

// next returns the next weights and the named bias.
func (r *reader) next(name string) weights {
	if len(r.weights) == 0 {
		r.err = fmt.Errorf("it has no weights for %q", name)
	}
	if r.err != nil {
		return weights{}
	}
	values, scales, bias := r.named[r.weights[0]+"_q"], floats(r.data(r.weights[0]+"_scale")), floats(r.data(name+".bias"))
	r.weights = r.weights[1:]
	if r.err != nil {
		return weights{}
	}
	if d := values.dims; len(d) != 2 || d[0]%depth != 0 || d[1]%4 != 0 || len(values.data) != d[0]*d[1] || len(scales) != d[1] || len(bias) != d[1] {
		r.err = fmt.Errorf("its weights for %q have another shape", name)
		return weights{}
	}
	return newWeights(values.dims[0], values.dims[1], values.data, scales, bias)
}

// layerNorm scales the numbers of a row to mean 0 and variance 1, and then as learned.
type layerNorm struct{ gain, bias []float32 }

func (l layerNorm) apply(by kernels, x []float32) {
	width := len(l.gain)
	for ; len(x) > 0; x = x[width:] {
		row := x[:width]
		mean := by.total(row) / float32(width)
		scale := float32(1 / math.Sqrt(float64(by.spread(row, mean))/float64(width)+1e-12))
		by.place(l, row, mean, scale)
	}
}

func (plain) total(row []float32) float32 {
	var sums [8]float32
	for ; len(row) >= 8; row = row[8:] {
		for k, v := range row[:8] {
			sums[k] += v
		}
	}
	return together(&sums)
}

func (plain) spread(row []float32, mean float32) float32 {
	var sums [8]float32
	for ; len(row) >= 8; row = row[8:] {
		for k, v := range row[:8] {
			sums[k] += float32((v - mean) * (v - mean))
		}
	}
	return together(&sums)
}

func together(sums *[8]float32) float32 {
	return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))
}

func (plain) place(l layerNorm, row []float32, mean, scale float32) {
	for k, v := range row {
		row[k] = float32(float32((v-mean)*scale)*l.gain[k]) + l.bias[k]
	}
}

// A workspace holds the arrays of a pass through the network, which the next pass uses
// again.
type workspace struct {
	kernels
	values                      []int16 // rounded, row by row; rows of anything fill up to a multiple of rowsAtOnce
	scales                      []float32
	zeros, sums                 []int32
	x, query, key, value, mixed []float32
	between, wide, shares       []float32
}

// vectors returns the vector of each text, given as the numbers of its pieces.
func (n *network) vectors(s *workspace, texts [][]int32) [][]float32 {
	n.lookUp(s, texts)
	for i := range n.layers {
		n.layers[i].apply(s, texts, n.width, n.bend)
	}
	vectors := make([][]float32, len(texts))
	x := s.x
	for i, ids := range texts {
		v := make([]float32, n.width)
		for range ids {
			s.add(v, x[:n.width])
			x = x[n.width:]
		}
		vectors[i] = unit(v)
	}
	return vectors
}

// lookUp sets x to a row for each piece of the texts.
func (n *network) lookUp(s *workspace, texts [][]int32) {
	s.x = s.x[:0]
	for _, ids := range texts {
		for at, id := range ids {
			s.x = append(s.x, n.kind...)
			row := s.x[len(s.x)-n.width:]
			n.words.addTo(row, int(id))
			n.positions.addTo(row, at)
		}
	}
	n.first.apply(s, s.x)
}

func (t table) addTo(row []float32, i int) {
	scale := t.scales[i]
	for k, v := range t.values[i*len(row):][:len(row)] {
		row[k] += float32(float32(int8(v)) * scale)
	}
}

// apply replaces x by the layer's output.
func (l *layer) apply(s *workspace, texts [][]int32, width int, bend curve) {
	s.quantise(s.x, width)
	s.query, s.key, s.value = s.multiply(s.query, &l.query), s.multiply(s.key, &l.key), s.multiply(s.value, &l.value)
	s.attend(texts, width)
	s.quantise(s.mixed, width)
	s.between = s.multiply(s.between, &l.mix)
	s.add(s.between, s.x)
	l.mixed.apply(s, s.between)
	s.quantise(s.between, width)
	s.wide = s.multiply(s.wide, &l.widen)
	s.bend(bend, s.wide)
	s.quantise(s.wide, l.widen.out)
	s.x = s.multiply(s.x, &l.narrow)
	s.add(s.x, s.between)
	l.narrowed.apply(s, s.x)
}

// attend mixes the values of each text's pieces, weighted by the match of their keys with the queries.
func (s *workspace) attend(texts [][]int32, width int) {
	s.mixed = sized(s.mixed, len(s.value))
	queries, keys, values, mixed := s.query, s.key, s.value, s.mixed
	for _, ids := range texts {
		n := len(ids)
		s.shares = sized(s.shares, (n+7)&^7)
		for head := 0; head < width; head += headWidth {
			for i := range n {
				s.fits(s.shares[:n], (*[headWidth]float32)(queries[i*width+head:]), keys[head:], width)
				s.normalise(s.shares, n)
				s.mix((*[headWidth]float32)(mixed[i*width+head:]), s.shares[:n], values[head:], width)
			}
		}
		queries, keys, values, mixed = queries[n*width:], keys[n*width:], values[n*width:], mixed[n*width:]
	}
}

// mix makes eight of the sums at once, as many as stay in registers.
func (plain) mix(out *[headWidth]float32, shares, values []float32, width int) {
	for k := 0; k < headWidth; k += 8 {
		var s0, s1, s2, s3, s4, s5, s6, s7 float32
		for j, share := range shares {
			v := (*[8]float32)(values[j*width+k:])
			s0 += float32(share * v[0])
			s1 += float32(share * v[1])
			s2 += float32(share * v[2])
			s3 += float32(share * v[3])
			s4 += float32(share * v[4])
			s5 += float32(share * v[5])
			s6 += float32(share * v[6])
			s7 += float32(share * v[7])
		}
		*(*[8]float32)(out[k:]) = [8]float32{s0, s1, s2, s3, s4, s5, s6, s7}
	}
}

func (plain) fits(to []float32, query *[headWidth]float32, keys []float32, width int) {
	for j := range to {
		key := (*[headWidth]float32)(keys[j*width:])
		var sums [8]float32
		for k := range sums {
			sums[k] = (float32(query[k]*key[k]) + float32(query[k+8]*key[k+8])) + (float32(query[k+16]*key[k+16]) + float32(query[k+24]*key[k+24]))
		}
		to[j] = together(&sums)
	}
}

func (p plain) normalise(fits []float32, n int) {
	fill(fits, n)
	most := slices.Max(fits)
	for i, x := range fits {
		fits[i] = power((x - most) * (math.Log2E / rootOfHead))
	}
	part := 1 / p.total(fits)
	for i := range fits {
		fits[i] *= part
	}
}

// fill sets the numbers after n keys so low that their share is negligible.
func fill(fits []float32, n int) {
	for i := n; i < len(fits); i++ {
		fits[i] = -math.MaxFloat32
	}
}

// rootOfHead is the square root of headWidth.
const rootOfHead = 4 * math.Sqrt2

// power returns 2^x for an x of at most 0, to the precision of a float32: a power of a whole
// number, times the beginning of the series of e^(x·ln 2) for what remains, at most a half.
func power(x float32) float32 {
	x = max(x, leastPower)
	whole := int32(x - 0.5)
	rest := (x - float32(whole)) * math.Ln2
	near := float32(1)
	for _, c := range series {
		near = float32(near*float32(rest*c)) + 1
	}
	return math.Float32frombits(math.Float32bits(near) + uint32(whole)<<23)
}

// leastPower is near the end of what a float32 holds.
const leastPower = -125

// series holds what each term of the series of e^x is multiplied by, beside x, to get the
// next one, beginning with the last.
var series = [...]float32{1. / 6, 1. / 5, 1. / 4, 1. / 3, 1. / 2, 1}

// A curve holds the Gaussian error linear unit at points from -curveEnd to curveEnd: the
// function itself would take an eighth of the time.
type curve []float32

const (
	curveEnd   = 8
	curveSteps = 256 // from one integer to the next
)

func newCurve() curve {
	c := make(curve, 2*curveEnd*curveSteps+2)
	for i := range c {
		x := float64(i)/curveSteps - curveEnd
		c[i] = float32(x * 0.5 * (1 + math.Erf(x/math.Sqrt2)))
	}
	c[0] = 0
	return c
}

func (plain) bend(c curve, row []float32) {
	for i, x := range row {
		within := min(x, curveEnd)
		row[i] = c[int32((max(within, -curveEnd)+curveEnd)*curveSteps+0.5)] + (x - within)
	}
}

func (plain) add(to, from []float32) {
	for i, v := range from[:len(to)] {
		to[i] += v
	}
}

// unit returns v scaled to unit length.
func unit(v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	scale := float32(1 / math.Sqrt(max(sum, 1e-24)))
	for i := range v {
		v[i] *= scale
	}
	return v
}

// A weights matrix holds the eight-bit weights of a layer, column by column, so that the
// numbers of a dot product are next to each other.
type weights struct {
	in, out int
	columns []int8    // columns[c*in+k] is row k of column c
	sums    []int32   // of the columns
	scales  []float32 // to multiply columns by
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

	// normalise turns the fits of n keys into shares of one. The numbers after them fill up to a
	// multiple of eight.
	normalise(fits []float32, n int)

	// mix adds up the values, each by its share.
	mix(out *[headWidth]float32, shares, values []float32, width int)

	// total adds up the numbers of a row, in eight sums.
	total(row []float32) float32

	// spread adds up the squared distances of a row's numbers from their mean.
	spread(row []float32, mean float32) float32

	// place scales the numbers of a row, first to unit spread and then as learned.
	place(l layerNorm, row []float32, mean, scale float32)

	// bend applies the curve to the numbers of a row: 0 before its beginning, unchanged beyond its
	// end.
	bend(c curve, row []float32)

	// add adds the numbers of another row to those of a row.
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
