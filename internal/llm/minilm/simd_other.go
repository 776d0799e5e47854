//go:build !(goexperiment.simd && amd64)

package minilm

func (w *weights) dot(sums []int32, values []int16) { w.plainDot(sums, values) }

func (w *weights) scale(out []float32, sums []int32, zero int32, scale float32) {
	w.plainScale(out, sums, zero, scale, 0)
}

func extent(row []float32) (least, most float32) { return plainExtent(row) }

func round(out []int16, row []float32, inverse, zero float32) { plainRound(out, row, inverse, zero) }

func fits(to []float32, query *[headWidth]float32, keys []float32, width int) {
	plainFits(to, query, keys, width)
}

func mix(out *[headWidth]float32, shares, values []float32, width int) {
	plainMix(out, shares, values, width)
}

func total(row []float32) float32 { return plainTotal(row) }

func spread(row []float32, mean float32) float32 { return plainSpread(row, mean) }

func (l layerNorm) place(row []float32, mean, scale float32) { l.plainPlace(row, mean, scale) }

func (c curve) apply(row []float32) { c.plainApply(row) }

func normalise(fits []float32, n int) { plainNormalise(fits, n) }

func add(to, from []float32) { plainAdd(to, from) }
