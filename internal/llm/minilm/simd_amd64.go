//go:build goexperiment.simd

package minilm

import (
	"math"
	"simd/archsimd"
	"slices"
	"unsafe"
)

// fastest returns the kernels for this processor.
func fastest() kernels {
	if archsimd.X86.AVX2() {
		return simd{}
	}
	return plain{}
}

// simd are the kernels for processors with AVX2. What is left of a row is done by the
// plain ones.
type simd struct{ plain }

// dot takes tiles of rows that stay in the first cache while the columns pass.
func (simd) dot(w *weights, sums []int32, values []int16) {
	const tile = 16 << 10 // bytes
	n := len(values) / w.in
	step := max(1, tile/2/w.in/rowsAtOnce) * rowsAtOnce
	for from := 0; from < n; from += step {
		to := min(n, from+step)
		for c := 0; c < w.out; c += 2 {
			columns := unsafe.Pointer(&w.columns[c*w.in])
			for i := from; i < to; i += rowsAtOnce {
				dot3x2(&sums[i*w.out+c], w.out, unsafe.Pointer(&values[i*w.in]), columns, w.in)
			}
		}
	}
}

// dot3x2 multiplies three rows a by two columns b of n numbers each, a multiple of 16, and
// stores the sums of row i at sums + i·stride.
func dot3x2(sums *int32, stride int, a, b unsafe.Pointer, n int) {
	var s00, s01, s10, s11, s20, s21 archsimd.Int32x8
	a1, a2, b1 := unsafe.Add(a, 2*n), unsafe.Add(a, 4*n), unsafe.Add(b, n)
	for k := 0; k < n; k += 16 {
		y0, y1 := loadWeights(b, k), loadWeights(b1, k)
		x := loadRow(a, k)
		s00, s01 = s00.Add(x.DotProductPairs(y0)), s01.Add(x.DotProductPairs(y1))
		x = loadRow(a1, k)
		s10, s11 = s10.Add(x.DotProductPairs(y0)), s11.Add(x.DotProductPairs(y1))
		x = loadRow(a2, k)
		s20, s21 = s20.Add(x.DotProductPairs(y0)), s21.Add(x.DotProductPairs(y1))
	}
	both := s00.AddPairsGrouped(s01).AddPairsGrouped(s10.AddPairsGrouped(s11))
	two := both.GetLo().Add(both.GetHi()).AsInt64x2()
	both = s20.AddPairsGrouped(s21)
	both = both.AddPairsGrouped(both)
	to := unsafe.Pointer(sums)
	*(*int64)(to) = two.GetElem(0)
	*(*int64)(unsafe.Add(to, 4*stride)) = two.GetElem(1)
	*(*int64)(unsafe.Add(to, 8*stride)) = both.GetLo().Add(both.GetHi()).AsInt64x2().GetElem(0)
}

func loadRow(p unsafe.Pointer, k int) archsimd.Int16x16 {
	return archsimd.LoadInt16x16((*[16]int16)(unsafe.Add(p, 2*k)))
}

func loadWeights(p unsafe.Pointer, k int) archsimd.Int16x16 {
	return archsimd.LoadInt8x16((*[16]int8)(unsafe.Add(p, k))).ExtendToInt16()
}

func (simd) scale(w *weights, out []float32, sums []int32, zero int32, scale float32) {
	whole := len(out) &^ 7
	zeros, scales := archsimd.BroadcastInt32x8(zero), archsimd.BroadcastFloat32x8(scale)
	for c := 0; c < whole; c += 8 {
		sum := archsimd.LoadInt32x8Slice(sums[c:]).Sub(archsimd.LoadInt32x8Slice(w.sums[c:]).Mul(zeros))
		factor := archsimd.LoadFloat32x8Slice(w.scales[c:]).Mul(scales)
		sum.ConvertToFloat32().Mul(factor).Add(archsimd.LoadFloat32x8Slice(w.bias[c:])).StoreSlice(out[c:])
	}
	for c := whole; c < len(out); c++ {
		out[c] = w.scaled(c, sums[c], zero, scale)
	}
}

func (v simd) extent(row []float32) (least, most float32) {
	var low, high archsimd.Float32x8
	whole := len(row) &^ 7
	for k := 0; k < whole; k += 8 {
		x := archsimd.LoadFloat32x8Slice(row[k:])
		low, high = low.Min(x), high.Max(x)
	}
	var ends [16]float32
	low.StoreSlice(ends[:8])
	high.StoreSlice(ends[8:])
	least, most = v.plain.extent(row[whole:])
	return min(least, slices.Min(ends[:])), max(most, slices.Max(ends[:]))
}

func (v simd) round(out []int16, row []float32, inverse, zero float32) {
	whole := len(row) &^ 15
	factor, shift := archsimd.BroadcastFloat32x8(inverse), archsimd.BroadcastFloat32x8(zero)
	none, all := archsimd.BroadcastFloat32x8(0), archsimd.BroadcastFloat32x8(levels)
	eight := func(k int) archsimd.Int32x8 {
		return archsimd.LoadFloat32x8Slice(row[k:]).Mul(factor).Add(shift).Max(none).Min(all).ConvertToInt32()
	}
	// Narrowing works on the halves of the vectors separately; inOrder restores the order of their quarters.
	inOrder := archsimd.LoadUint32x8(&[8]uint32{0, 1, 4, 5, 2, 3, 6, 7})
	for k := 0; k < whole; k += 16 {
		narrow := eight(k).SaturateToInt16ConcatGrouped(eight(k + 8))
		narrow.AsInt32x8().Permute(inOrder).AsInt16x16().StoreSlice(out[k:])
	}
	v.plain.round(out[whole:], row[whole:], inverse, zero)
}

func (simd) fits(to []float32, query *[headWidth]float32, keys []float32, width int) {
	q0, q1, q2, q3 := eightOf(query, 0), eightOf(query, 8), eightOf(query, 16), eightOf(query, 24)
	var sums [4]float32
	for j := range to {
		key := (*[headWidth]float32)(keys[j*width:])
		all := q0.Mul(eightOf(key, 0)).Add(q1.Mul(eightOf(key, 8))).Add(q2.Mul(eightOf(key, 16)).Add(q3.Mul(eightOf(key, 24))))
		all.GetLo().Add(all.GetHi()).Store(&sums)
		to[j] = (sums[0] + sums[1]) + (sums[2] + sums[3])
	}
}

func (simd) normalise(fits []float32, n int) {
	fill(fits, n)
	greatest := archsimd.LoadFloat32x8((*[8]float32)(fits))
	for k := 8; k < len(fits); k += 8 {
		greatest = greatest.Max(archsimd.LoadFloat32x8((*[8]float32)(fits[k:])))
	}
	var eight [8]float32
	greatest.Store(&eight)
	most := archsimd.BroadcastFloat32x8(slices.Max(eight[:]))
	var sum archsimd.Float32x8
	for k := 0; k < len(fits); k += 8 {
		to := (*[8]float32)(fits[k:])
		shares := eightPowers(archsimd.LoadFloat32x8(to).Sub(most).Mul(archsimd.BroadcastFloat32x8(math.Log2E / rootOfHead)))
		sum = sum.Add(shares)
		shares.Store(to)
	}
	sum.Store(&eight)
	part := archsimd.BroadcastFloat32x8(1 / together(&eight))
	for k := 0; k < len(fits); k += 8 {
		to := (*[8]float32)(fits[k:])
		archsimd.LoadFloat32x8(to).Mul(part).Store(to)
	}
}

// eightPowers returns the powers of eight numbers.
func eightPowers(x archsimd.Float32x8) archsimd.Float32x8 {
	x = x.Max(archsimd.BroadcastFloat32x8(leastPower))
	whole := x.Sub(archsimd.BroadcastFloat32x8(0.5)).ConvertToInt32()
	rest, one := x.Sub(whole.ConvertToFloat32()).Mul(archsimd.BroadcastFloat32x8(math.Ln2)), archsimd.BroadcastFloat32x8(1)
	near := one
	for _, c := range series {
		near = near.Mul(rest.Mul(archsimd.BroadcastFloat32x8(c))).Add(one)
	}
	return near.AsInt32x8().Add(whole.ShiftAllLeft(23)).AsFloat32x8()
}

func (simd) mix(out *[headWidth]float32, shares, values []float32, width int) {
	var s0, s1, s2, s3 archsimd.Float32x8
	for j, one := range shares {
		v, share := (*[headWidth]float32)(values[j*width:]), archsimd.BroadcastFloat32x8(one)
		s0, s1 = s0.Add(share.Mul(eightOf(v, 0))), s1.Add(share.Mul(eightOf(v, 8)))
		s2, s3 = s2.Add(share.Mul(eightOf(v, 16))), s3.Add(share.Mul(eightOf(v, 24)))
	}
	s0.Store((*[8]float32)(out[:]))
	s1.Store((*[8]float32)(out[8:]))
	s2.Store((*[8]float32)(out[16:]))
	s3.Store((*[8]float32)(out[24:]))
}

func eightOf(row *[headWidth]float32, from int) archsimd.Float32x8 {
	return archsimd.LoadFloat32x8((*[8]float32)(row[from:]))
}

func (simd) total(row []float32) float32 {
	var all archsimd.Float32x8
	for ; len(row) >= 8; row = row[8:] {
		all = all.Add(archsimd.LoadFloat32x8((*[8]float32)(row)))
	}
	var sums [8]float32
	all.Store(&sums)
	return together(&sums)
}

func (simd) spread(row []float32, mean float32) float32 {
	var all archsimd.Float32x8
	middle := archsimd.BroadcastFloat32x8(mean)
	for ; len(row) >= 8; row = row[8:] {
		off := archsimd.LoadFloat32x8((*[8]float32)(row)).Sub(middle)
		all = all.Add(off.Mul(off))
	}
	var sums [8]float32
	all.Store(&sums)
	return together(&sums)
}

func (simd) place(l layerNorm, row []float32, mean, scale float32) {
	middle, factor := archsimd.BroadcastFloat32x8(mean), archsimd.BroadcastFloat32x8(scale)
	for k := 0; k+8 <= len(row); k += 8 {
		to := (*[8]float32)(row[k:])
		x := archsimd.LoadFloat32x8(to).Sub(middle).Mul(factor)
		x.Mul(archsimd.LoadFloat32x8((*[8]float32)(l.gain[k:]))).Add(archsimd.LoadFloat32x8((*[8]float32)(l.bias[k:]))).Store(to)
	}
}

func (v simd) bend(c curve, row []float32) {
	end, begin := archsimd.BroadcastFloat32x8(curveEnd), archsimd.BroadcastFloat32x8(-curveEnd)
	steps, half := archsimd.BroadcastFloat32x8(curveSteps), archsimd.BroadcastFloat32x8(0.5)
	var places [8]int32
	var beyond [8]float32
	for ; len(row) >= 8; row = row[8:] {
		to := (*[8]float32)(row)
		x := archsimd.LoadFloat32x8(to)
		within := x.Min(end)
		within.Max(begin).Add(end).Mul(steps).Add(half).ConvertToInt32().Store(&places)
		x.Sub(within).Store(&beyond)
		for k := range to {
			to[k] = c[places[k]] + beyond[k]
		}
	}
	v.plain.bend(c, row)
}

func (v simd) add(to, from []float32) {
	for ; len(to) >= 8 && len(from) >= 8; to, from = to[8:], from[8:] {
		sum := (*[8]float32)(to)
		archsimd.LoadFloat32x8(sum).Add(archsimd.LoadFloat32x8((*[8]float32)(from))).Store(sum)
	}
	v.plain.add(to, from)
}
