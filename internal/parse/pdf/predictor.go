package pdf

// unpredict undoes the prediction of a sample from its neighbours, which
// packers use on tables of numbers (section 7.4.4.4). TIFF's is used for
// images alone and is left as it is.
func (f *File) unpredict(data []byte, params dict) []byte {
	if integer(f.resolve(params["Predictor"])) < 10 {
		return data
	}
	colours := positive(f.resolve(params["Colors"]), 1)
	bits := positive(f.resolve(params["BitsPerComponent"]), 8)
	columns := positive(f.resolve(params["Columns"]), 1)
	size := max(1, colours*bits/8)
	row := (colours*bits*columns + 7) / 8
	if row <= 0 || row > len(data) {
		return nil
	}
	var out []byte
	before := make([]byte, row)
	for len(data) > 1 {
		line := make([]byte, row)
		copy(line, data[1:])
		unpredictRow(data[0], line, before, size)
		out = append(out, line...)
		before = line
		data = data[min(len(data), row+1):]
	}
	return out
}

// positive is o as a number from 1 to a million, or else.
func positive(o object, otherwise int) int {
	if n := integer(o); n >= 1 && n <= 1_000_000 {
		return n
	}
	return otherwise
}

// unpredictRow undoes the prediction of a row, given the row before it and
// the size of a sample in bytes (PNG specification, section 9).
func unpredictRow(kind byte, line, before []byte, size int) {
	for i := range line {
		var left, corner byte
		if i >= size {
			left, corner = line[i-size], before[i-size]
		}
		switch kind {
		case 1:
			line[i] += left
		case 2:
			line[i] += before[i]
		case 3:
			line[i] += byte((int(left) + int(before[i])) / 2)
		case 4:
			line[i] += paeth(int(left), int(before[i]), int(corner))
		}
	}
}

// paeth is whichever of three neighbours is nearest to their plane.
func paeth(left, up, corner int) byte {
	p := left + up - corner
	a, b, c := abs(p-left), abs(p-up), abs(p-corner)
	switch {
	case a <= b && a <= c:
		return byte(left)
	case b <= c:
		return byte(up)
	}
	return byte(corner)
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
