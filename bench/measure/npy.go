package measure

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
)

// array is a matrix in NumPy's file format, version 1.0, in C order.
type array struct {
	kind       string // "<f2", "<f4" or "|i1"
	rows, cols int    // cols is 1 for a vector
	data       []byte
}

var npyHeader = regexp.MustCompile(`'descr': '([^']+)'.*'fortran_order': False.*'shape': \((\d+),(?: (\d+))?\)`)

// maxArray bounds the bytes of a file.
const maxArray = 4 << 30

// readArray reads a .npy file.
func readArray(path string) (array, error) {
	f, err := os.Open(path)
	if err != nil {
		return array{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxArray))
	if err != nil {
		return array{}, fmt.Errorf("read %s: %w", path, err)
	}
	a, err := parseArray(data)
	if err != nil {
		return array{}, fmt.Errorf("read %s: %w", path, err)
	}
	return a, nil
}

func parseArray(data []byte) (array, error) {
	if len(data) < 10 || string(data[:6]) != "\x93NUMPY" || data[6] != 1 {
		return array{}, fmt.Errorf("not a NumPy file of version 1.0")
	}
	size := int(binary.LittleEndian.Uint16(data[8:]))
	if len(data) < 10+size {
		return array{}, fmt.Errorf("the header is cut off")
	}
	m := npyHeader.FindSubmatch(data[10 : 10+size])
	if m == nil {
		return array{}, fmt.Errorf("header %q is not understood", data[10:10+size])
	}
	a := array{kind: string(m[1]), cols: 1, data: data[10+size:]}
	var err error
	if a.rows, err = strconv.Atoi(string(m[2])); err != nil {
		return array{}, err
	}
	if len(m[3]) > 0 {
		if a.cols, err = strconv.Atoi(string(m[3])); err != nil {
			return array{}, err
		}
	}
	width := map[string]int{"<f2": 2, "<f4": 4, "|i1": 1}[a.kind]
	if width == 0 || a.cols > 0 && a.rows != len(a.data)/width/a.cols {
		return array{}, fmt.Errorf("%d bytes don't make %d rows of %d numbers of type %s", len(a.data), a.rows, a.cols, a.kind)
	}
	return a, nil
}

// at returns the number in a row and a column.
func (a array) at(row, col int) float32 {
	i := row*a.cols + col
	switch a.kind {
	case "<f2":
		return halfFloat(binary.LittleEndian.Uint16(a.data[2*i:]))
	case "<f4":
		return math.Float32frombits(binary.LittleEndian.Uint32(a.data[4*i:]))
	}
	return float32(int8(a.data[i]))
}

// unit returns a row scaled to unit length.
func (a array) unit(row int) []float32 {
	v := make([]float32, a.cols)
	var sum float64
	for i := range v {
		v[i] = a.at(row, i)
		sum += float64(v[i]) * float64(v[i])
	}
	if sum == 0 {
		return v
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
	return v
}

// halfFloat decodes an IEEE half precision number.
func halfFloat(bits uint16) float32 {
	sign := uint32(bits>>15) << 31
	exponent, fraction := uint32(bits>>10)&0x1f, uint32(bits)&0x3ff
	switch exponent {
	case 0:
		f := float32(fraction) / (1 << 24)
		if sign != 0 {
			return -f
		}
		return f
	case 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}
