//go:build goexperiment.simd

package minilm

import (
	"simd/archsimd"
	"slices"
	"unsafe"
)

// dot sets sums, row by row, to the dot products of each row with each column. It takes
// tiles of rows that stay in the processor's first cache while the columns pass.
func (w *weights) dot(sums []int32, values []uint8) {
	if !archsimd.X86.AVX2() {
		w.plainDot(sums, values)
		return
	}
	const tile = 16 << 10 // bytes
	n := len(values) / w.in
	step := max(1, tile/w.in/rowsAtOnce) * rowsAtOnce
	for from := 0; from < n; from += step {
		to := min(n, from+step)
		for c := 0; c < w.out; c += 2 {
			columns := unsafe.Pointer(&w.columns[c*w.in])
			for i := from; i < to; i += rowsAtOnce {
				dot4x2(&sums[i*w.out+c], w.out, unsafe.Pointer(&values[i*w.in]), columns, w.in)
			}
		}
	}
}

// dot4x2 multiplies four rows a by two columns b of n bytes each, a multiple of 32, and
// stores the sums of row i at sums + i·stride. Pairs of products fit into 16 bits (see
// levels), a multiplication by ones widens and adds them.
func dot4x2(sums *int32, stride int, a, b unsafe.Pointer, n int) {
	ones := archsimd.BroadcastInt16x16(1)
	var s00, s01, s10, s11, s20, s21, s30, s31 archsimd.Int32x8
	a1, a2, a3, b1 := unsafe.Add(a, n), unsafe.Add(a, 2*n), unsafe.Add(a, 3*n), unsafe.Add(b, n)
	for k := 0; k < n; k += 32 {
		y0, y1 := loadInt8(b, k), loadInt8(b1, k)
		x := loadUint8(a, k)
		s00 = s00.Add(x.DotProductPairsSaturated(y0).DotProductPairs(ones))
		s01 = s01.Add(x.DotProductPairsSaturated(y1).DotProductPairs(ones))
		x = loadUint8(a1, k)
		s10 = s10.Add(x.DotProductPairsSaturated(y0).DotProductPairs(ones))
		s11 = s11.Add(x.DotProductPairsSaturated(y1).DotProductPairs(ones))
		x = loadUint8(a2, k)
		s20 = s20.Add(x.DotProductPairsSaturated(y0).DotProductPairs(ones))
		s21 = s21.Add(x.DotProductPairsSaturated(y1).DotProductPairs(ones))
		x = loadUint8(a3, k)
		s30 = s30.Add(x.DotProductPairsSaturated(y0).DotProductPairs(ones))
		s31 = s31.Add(x.DotProductPairsSaturated(y1).DotProductPairs(ones))
	}
	var four [2][4]int32
	addLanes(s00, s01, s10, s11).Store(&four[0])
	addLanes(s20, s21, s30, s31).Store(&four[1])
	for i, sum := range [4][2]int32{[2]int32(four[0][:2]), [2]int32(four[0][2:]), [2]int32(four[1][:2]), [2]int32(four[1][2:])} {
		*(*[2]int32)(unsafe.Add(unsafe.Pointer(sums), 4*i*stride)) = sum
	}
}

// addLanes returns the sums of the lanes of each vector.
func addLanes(a, b, c, d archsimd.Int32x8) archsimd.Int32x4 {
	grouped := a.AddPairsGrouped(b).AddPairsGrouped(c.AddPairsGrouped(d))
	return grouped.GetLo().Add(grouped.GetHi())
}

func loadUint8(p unsafe.Pointer, k int) archsimd.Uint8x32 {
	return archsimd.LoadUint8x32((*[32]uint8)(unsafe.Add(p, k)))
}

func loadInt8(p unsafe.Pointer, k int) archsimd.Int8x32 {
	return archsimd.LoadInt8x32((*[32]int8)(unsafe.Add(p, k)))
}

// scale turns the sums of a row into its numbers.
func (w *weights) scale(out []float32, sums []int32, zero int32, scale float32) {
	whole := vectorised(len(out), 8)
	zeros, scales := archsimd.BroadcastInt32x8(zero), archsimd.BroadcastFloat32x8(scale)
	for c := 0; c < whole; c += 8 {
		sum := archsimd.LoadInt32x8Slice(sums[c:]).Sub(archsimd.LoadInt32x8Slice(w.sums[c:]).Mul(zeros))
		factor := archsimd.LoadFloat32x8Slice(w.scales[c:]).Mul(scales)
		sum.ConvertToFloat32().Mul(factor).Add(archsimd.LoadFloat32x8Slice(w.bias[c:])).StoreSlice(out[c:])
	}
	w.plainScale(out, sums, zero, scale, whole)
}

// vectorised returns how many of n numbers are worked on width at a time.
func vectorised(n, width int) int {
	if !archsimd.X86.AVX2() {
		return 0
	}
	return n / width * width
}

// extent returns the least and the greatest of 0 and the numbers of a row.
func extent(row []float32) (least, most float32) {
	var low, high archsimd.Float32x8
	whole := vectorised(len(row), 8)
	for k := 0; k < whole; k += 8 {
		x := archsimd.LoadFloat32x8Slice(row[k:])
		low, high = low.Min(x), high.Max(x)
	}
	var ends [16]float32
	low.StoreSlice(ends[:8])
	high.StoreSlice(ends[8:])
	least, most = plainExtent(row[whole:])
	return min(least, slices.Min(ends[:])), max(most, slices.Max(ends[:]))
}

// round sets out to row·inverse + zero, cut off at 0 and levels and rounded down.
func round(out []uint8, row []float32, inverse, zero float32) {
	whole := vectorised(len(row), 32)
	factor, shift := archsimd.BroadcastFloat32x8(inverse), archsimd.BroadcastFloat32x8(zero)
	none, all := archsimd.BroadcastFloat32x8(0), archsimd.BroadcastFloat32x8(levels)
	eight := func(k int) archsimd.Int32x8 {
		return archsimd.LoadFloat32x8Slice(row[k:]).Mul(factor).Add(shift).Max(none).Min(all).ConvertToInt32()
	}
	// Four vectors fit into one byte for byte; what the first holds then has to go to the front.
	inQuarters := archsimd.LoadInt8x32(&[32]int8{
		0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15,
		0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15,
	})
	inOrder := archsimd.LoadUint32x8(&[8]uint32{0, 4, 1, 5, 2, 6, 3, 7})
	for k := 0; k < whole; k += 32 {
		bytes := eight(k).Or(eight(k + 8).ShiftAllLeft(8)).Or(eight(k + 16).ShiftAllLeft(16)).Or(eight(k + 24).ShiftAllLeft(24))
		bytes.AsInt8x32().PermuteOrZeroGrouped(inQuarters).AsInt32x8().Permute(inOrder).AsUint8x32().StoreSlice(out[k:])
	}
	plainRound(out[whole:], row[whole:], inverse, zero)
}
