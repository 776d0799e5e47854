package minilm

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"
)

// TestMultiplyIsExact compares the products with sums of integers, for random matrices.
func TestMultiplyIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, x, n := drawProduct(t)
		for i := range n {
			x[i*w.in] = levels // so that whole numbers of eight bits stay as they are
		}
		s := workspace{kernels: fastest()}
		s.quantise(x, w.in)
		got := s.multiply(nil, &w)
		for i := range n {
			for c := range w.out {
				want := w.bias[c]
				for k := range w.in {
					want += x[i*w.in+k] * float32(w.columns[c*w.in+k])
				}
				if got[i*w.out+c] != want {
					t.Fatalf("row %d, column %d is %v, want %v", i, c, got[i*w.out+c], want)
				}
			}
		}
	})
}

// drawProduct draws a matrix of weights and n rows of whole numbers to be multiplied by it.
func drawProduct(t *rapid.T) (w weights, x []float32, n int) {
	n, in, out := rapid.IntRange(1, 9).Draw(t, "rows"), depth*rapid.IntRange(1, 3).Draw(t, "blocks"), 4*rapid.IntRange(1, 5).Draw(t, "columns")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)) // drawn one by one, the numbers would take most of the time
	extreme := rapid.Bool().Draw(t, "extreme")
	number := func(least, most int) int {
		if extreme {
			return least + (most-least)*random.IntN(2)
		}
		return least + random.IntN(most-least+1)
	}
	values, scales, bias := make([]byte, in*out), make([]float32, out), make([]float32, out)
	for i := range values {
		values[i] = byte(int8(number(-127, 127)))
	}
	for c := range out {
		scales[c], bias[c] = 1, float32(c)
	}
	x = make([]float32, n*in)
	for i := range x {
		x[i] = float32(number(0, levels))
	}
	return newWeights(in, out, values, scales, bias), x, n
}

// TestKernelsGiveTheSameBits: a processor with the instructions for many numbers at once
// makes the vectors that any other makes.
func TestKernelsGiveTheSameBits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, x, n := drawProduct(t)
		for i := range w.scales {
			w.scales[i], w.bias[i] = rapid.Float32Range(-1, 1).Draw(t, "scale"), rapid.Float32Range(-10, 10).Draw(t, "bias")
		}
		for i := range x {
			x[i] = 0.37*x[i] - 10
		}
		used, same := fastest(), plain{}
		r := workspace{kernels: used}
		r.quantise(x, w.in)
		rounded := make([]int16, w.in)
		for i := range n {
			row := x[i*w.in:][:w.in]
			least, most := used.extent(row)
			if low, high := same.extent(row); low != least || high != most {
				t.Fatalf("row %d goes from %v to %v, want %v to %v", i, least, most, low, high)
			}
			same.round(rounded, row, levels/max(1, most-least), float32(r.zeros[i])+0.5)
			got := make([]int16, w.in)
			used.round(got, row, levels/max(1, most-least), float32(r.zeros[i])+0.5)
			if !slices.Equal(got, rounded) {
				t.Fatalf("row %d is rounded to %v, want %v", i, got, rounded)
			}
		}
		sums, want := make([]int32, len(r.values)/w.in*w.out), make([]int32, len(r.values)/w.in*w.out)
		used.dot(&w, sums, r.values)
		same.dot(&w, want, r.values)
		if diff := cmp.Diff(want, sums); diff != "" {
			t.Fatalf("sums (-plain +used):\n%s", diff)
		}
		out, scaled := make([]float32, w.out), make([]float32, w.out)
		for i := range n {
			used.scale(&w, out, sums[i*w.out:][:w.out], r.zeros[i], r.scales[i])
			same.scale(&w, scaled, sums[i*w.out:][:w.out], r.zeros[i], r.scales[i])
			if diff := cmp.Diff(scaled, out); diff != "" {
				t.Fatalf("row %d (-plain +used):\n%s", i, diff)
			}
		}
	})
}

// TestAttentionGivesTheSameBits: the same for the kernels of attention.
func TestAttentionGivesTheSameBits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n, width := rapid.IntRange(1, 9).Draw(t, "pieces"), headWidth*rapid.IntRange(1, 3).Draw(t, "heads")
		rows := rapid.SliceOfN(rapid.Float32Range(-30, 30), n*width, n*width).Draw(t, "rows")
		query := (*[headWidth]float32)(rows)
		used, same := fastest(), plain{}
		got, want := make([]float32, n), make([]float32, n)
		used.fits(got, query, rows[width-headWidth:], width)
		same.fits(want, query, rows[width-headWidth:], width)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("fits (-plain +used):\n%s", diff)
		}
		filled := (n + 7) &^ 7
		shares, plainShares := slices.Concat(got, make([]float32, filled-n)), slices.Concat(want, make([]float32, filled-n))
		used.normalise(shares, n)
		same.normalise(plainShares, n)
		if diff := cmp.Diff(plainShares, shares); diff != "" {
			t.Fatalf("shares (-plain +used):\n%s", diff)
		}
		if sum := same.total(shares[:filled]); math.Abs(float64(sum)-1) > 1e-5 {
			t.Fatalf("the shares make %v", sum)
		}
		var mixed, summed [headWidth]float32
		used.mix(&mixed, got, rows[width-headWidth:], width)
		same.mix(&summed, got, rows[width-headWidth:], width)
		if diff := cmp.Diff(summed, mixed); diff != "" {
			t.Fatalf("mixed (-plain +used):\n%s", diff)
		}
	})
}

// TestRowsGetTheSameBits: the same for the kernels that work on a row.
func TestRowsGetTheSameBits(t *testing.T) {
	t.Parallel()
	bend, used, same := newCurve(), fastest(), plain{}
	rapid.Check(t, func(t *rapid.T) {
		n := 8 * rapid.IntRange(1, 6).Draw(t, "eights")
		row := rapid.SliceOfN(rapid.Float32Range(-12, 12), n, n).Draw(t, "row")
		l := layerNorm{rapid.SliceOfN(rapid.Float32Range(-3, 3), n, n).Draw(t, "gain"), rapid.SliceOfN(rapid.Float32Range(-3, 3), n, n).Draw(t, "bias")}
		mean := rapid.Float32Range(-1, 1).Draw(t, "mean")
		if got, want := [2]float32{used.total(row), used.spread(row, mean)}, [2]float32{same.total(row), same.spread(row, mean)}; got != want {
			t.Fatalf("total and spread are %v, want %v", got, want)
		}
		odd := row[:rapid.IntRange(0, n).Draw(t, "length")] // of activations there may be any number
		for _, k := range []struct {
			name       string
			row        []float32
			fast, slow func([]float32)
		}{
			{"place", row, func(x []float32) { used.place(l, x, mean, 0.7) }, func(x []float32) { same.place(l, x, mean, 0.7) }},
			{"bend", odd, func(x []float32) { used.bend(bend, x) }, func(x []float32) { same.bend(bend, x) }},
			{"add", odd, func(x []float32) { used.add(x, row) }, func(x []float32) { same.add(x, row) }},
		} {
			got, want := slices.Clone(k.row), slices.Clone(k.row)
			k.fast(got)
			k.slow(want)
			if !slices.Equal(got, want) {
				t.Fatalf("%s gives %v, want %v", k.name, got, want)
			}
		}
	})
}

// TestPower compares with the library's function, down to what a float32 holds.
func TestPower(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float32Range(-140, 0).Draw(t, "x")
		want := math.Exp2(float64(x))
		if got := float64(power(x)); math.Abs(got-want) > 5e-7*want+1e-36 {
			t.Fatalf("2^%v is %v, want %v", x, got, want)
		}
	})
}

func TestRowsOfZeroesStayZero(t *testing.T) {
	t.Parallel()
	w := newWeights(depth, 4, make([]byte, depth*4), make([]float32, 4), []float32{1, 2, 3, 4})
	s := workspace{kernels: fastest()}
	s.quantise(make([]float32, depth), depth)
	if got := s.multiply(nil, &w); fmt.Sprint(got) != "[1 2 3 4]" {
		t.Errorf("nothing times weights is %v, want the bias", got)
	}
}

// scribe writes a file in the format ONNX with numbers that follow from a seed, as the
// reference implementation did that made the vectors below.
type scribe struct {
	seed  uint64
	graph []byte
}

func (s *scribe) next() int {
	s.seed = (s.seed*1103515245 + 12345) % (1 << 31)
	return int(s.seed>>16%255) - 127
}

func (s *scribe) add(name string, data []byte, dims ...int) {
	var t []byte
	for _, d := range dims {
		t = protowire.AppendVarint(protowire.AppendTag(t, fieldDims, protowire.VarintType), uint64(d))
	}
	t = protowire.AppendString(protowire.AppendTag(t, fieldName, protowire.BytesType), name)
	t = protowire.AppendBytes(protowire.AppendTag(t, fieldData, protowire.BytesType), data)
	s.graph = protowire.AppendBytes(protowire.AppendTag(s.graph, fieldInitializer, protowire.BytesType), t)
}

func (s *scribe) floats(name string, n int, value func(int) float64) {
	var data []byte
	for range n {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(value(s.next()))))
	}
	s.add(name, data, n)
}

func (s *scribe) around(base float64) func(int) float64 {
	return func(v int) float64 { return base + float64(v)/1000 }
}

func (s *scribe) weights(name string, in, out, scales int) {
	data := make([]byte, in*out)
	for i := range data {
		data[i] = byte(int8(s.next()))
	}
	s.add(name+"_q", data, in, out)
	s.floats(name+"_scale", scales, func(v int) float64 { return float64(v+200) / 100000 })
}

// tiny returns a model of two layers with two heads each.
func tiny() []byte {
	const width, wide = 2 * headWidth, 4 * headWidth
	s := scribe{seed: 1}
	norm := func(name string) {
		s.floats(name+".weight", width, s.around(1))
		s.floats(name+".bias", width, s.around(0))
	}
	s.floats("inner.embeddings.token_type_embeddings.weight", 2*width, s.around(0))
	norm("inner.embeddings.LayerNorm")
	s.weights("inner.embeddings.word_embeddings.weight", 12, width, 12)
	s.weights("inner.embeddings.position_embeddings.weight", 8, width, 8)
	for l := range 2 {
		name := fmt.Sprintf("inner.encoder.layer.%d.", l)
		for i, w := range []struct {
			name    string
			in, out int
		}{
			{"attention.self.query", width, width}, {"attention.self.key", width, width}, {"attention.self.value", width, width},
			{"attention.output.dense", width, width}, {"intermediate.dense", width, wide}, {"output.dense", wide, width},
		} {
			s.weights(fmt.Sprintf("val_%d%d", l, i), w.in, w.out, w.out)
			s.floats(name+w.name+".bias", w.out, s.around(0))
		}
		norm(name + "attention.output.LayerNorm")
		norm(name + "output.LayerNorm")
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, fieldGraph, protowire.BytesType), s.graph)
}

// TestTheNetworkIsTheReference compares with vectors that an independent implementation
// in float32 made of the same model.
func TestTheNetworkIsTheReference(t *testing.T) {
	t.Parallel()
	tensors, err := readTensors(tiny())
	if err != nil {
		t.Fatal(err)
	}
	n, err := newNetwork(tensors)
	if err != nil {
		t.Fatal(err)
	}
	got := n.vectors(&workspace{kernels: fastest()}, [][]int32{{2, 5, 6, 3}, {2, 7, 3}, {2, 4, 8, 9, 10, 5, 11, 3}})
	for i, want := range [][]float64{
		{0.048, 0.011, -0.045, 0.007, -0.094, -0.106, -0.061, 0.041, -0.166, 0.019, 0.026, 0.082, -0.052, 0.036, 0.232, -0.024, -0.124, 0.017, 0.132, -0.051, -0.041, 0.044, 0.03, 0.143, 0.014, -0.038, 0.291, -0.139, 0.057, 0.066, -0.016, -0.009, -0.077, 0.043, 0.072, 0.054, -0.079, -0.048, 0.023, 0.155, 0.185, -0.185, -0.125, -0.105, 0.4, -0.353, 0.132, -0.063, -0.141, 0.015, -0.187, 0.113, 0.028, -0.064, -0.061, 0.075, -0.01, 0.09, -0.369, 0.048, 0.036, -0.062, 0.129, -0.04},
		{0.018, 0.011, 0.012, -0.044, -0.061, -0.104, -0.083, -0.029, -0.071, -0.101, -0.073, 0.077, -0.062, 0.228, 0.214, -0.044, -0.143, 0.052, 0.076, -0.008, -0.068, 0.032, 0.011, 0.101, 0.216, -0.151, 0.244, -0.049, 0.141, -0.013, -0.001, -0.038, -0.05, 0.038, 0.073, 0.009, -0.002, -0.028, 0.028, 0.117, 0.218, -0.146, -0.009, -0.035, 0.357, -0.443, 0.161, 0.0, -0.039, 0.043, -0.144, -0.057, 0.004, -0.066, -0.146, 0.012, -0.049, 0.122, -0.333, 0.043, 0.005, -0.062, 0.12, -0.021},
		{0.072, -0.032, -0.024, 0.149, -0.034, -0.106, -0.056, -0.011, -0.126, -0.061, 0.034, 0.058, -0.192, 0.175, 0.22, -0.074, -0.149, -0.036, 0.112, -0.048, -0.073, 0.034, -0.016, 0.097, 0.251, -0.093, 0.259, 0.066, 0.106, -0.043, -0.031, -0.068, -0.053, -0.026, 0.049, 0.07, -0.003, -0.063, 0.081, 0.058, 0.07, -0.056, -0.153, -0.102, 0.336, -0.359, 0.117, -0.141, -0.142, 0.063, -0.205, 0.072, 0.063, -0.063, -0.124, 0.064, 0.04, 0.024, -0.331, 0.081, 0.102, -0.015, 0.157, -0.011},
	} {
		for k, x := range want {
			if math.Abs(float64(got[i][k])-x) > 0.01 {
				t.Errorf("vector %d: number %d is %.3f, want %.3f", i, k, got[i][k], x)
			}
		}
	}
}

func TestADamagedModelIsRefused(t *testing.T) {
	t.Parallel()
	whole := tiny()
	for name, data := range map[string][]byte{"half": whole[:len(whole)/2], "empty": nil, "another format": []byte("<html>")} {
		tensors, err := readTensors(data)
		if err == nil {
			_, err = newNetwork(tensors)
		}
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
