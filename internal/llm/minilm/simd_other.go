//go:build !(goexperiment.simd && amd64)

package minilm

// fastest returns the kernels for this processor.
func fastest() kernels { return plain{} }
