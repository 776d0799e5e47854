package pdf

// unpredict undoes the prediction of samples from their neighbours (section
// 7.4.4.4). TIFF prediction occurs only in images and is left alone.
func (f *File) unpredict(data []byte, params dict) []byte {
	if integer(f.resolve(params["Predictor"])) < 10 {
		return data
	}
	param := func(key name, defaultValue int) int {
		if n := integer(f.resolve(params[key])); n >= 1 && n <= 1_000_000 {
			return n
		}
		return defaultValue
	}
	colors, bits, columns := param("Colors", 1), param("BitsPerComponent", 8), param("Columns", 1)
	sampleSize := max(1, colors*bits/8)
	rowSize := (colors*bits*columns + 7) / 8
	if rowSize > len(data) {
		return nil
	}
	out := make([]byte, 0, len(data)+rowSize)
	above := make([]byte, rowSize)
	for len(data) > 1 {
		row := out[len(out) : len(out)+rowSize]
		copy(row, data[1:])
		unpredictRow(data[0], row, above, sampleSize)
		out = out[:len(out)+rowSize]
		above = row
		data = data[min(len(data), rowSize+1):]
	}
	return out
}

// unpredictRow undoes the prediction of a row (PNG specification, section 9).
func unpredictRow(kind byte, row, above []byte, sampleSize int) {
	for i := range row {
		var left, corner byte
		if i >= sampleSize {
			left, corner = row[i-sampleSize], above[i-sampleSize]
		}
		switch kind {
		case 1:
			row[i] += left
		case 2:
			row[i] += above[i]
		case 3:
			row[i] += byte((int(left) + int(above[i])) / 2)
		case 4:
			row[i] += paeth(int(left), int(above[i]), int(corner))
		}
	}
}

// paeth returns the neighbour that is nearest to left + up - corner.
func paeth(left, up, corner int) byte {
	a, b, c := abs(up-corner), abs(left-corner), abs(left+up-2*corner)
	switch {
	case a <= b && a <= c:
		return byte(left)
	case b <= c:
		return byte(up)
	}
	return byte(corner)
}

func abs(n int) int { return max(n, -n) }
