package pdf

import (
	"bytes"
	"compress/flate"
	stdlzw "compress/lzw"
	"encoding/ascii85"
	"io"
	"slices"

	tifflzw "golang.org/x/image/tiff/lzw"
)

// maxStream bounds what one stream may decode to: more than the drawing of the
// busiest page.
const maxStream = 40 << 20

// decode returns the decoded data of a stream, up to the first damage or to
// maxStream. It is empty if a filter is not one for text, such as those for
// images.
func (f *File) decode(s *stream) []byte {
	data, coding, _ := f.unfilter(s)
	if coding != "" {
		return nil
	}
	if len(data) > maxStream {
		f.cut = true
		data = data[:maxStream]
	}
	return data
}

// unfilter decodes a stream up to a filter that is for images, which it returns
// with its parameters.
func (f *File) unfilter(s *stream) (data []byte, coding name, params dict) {
	filters, all := f.list(s.dict["Filter"], s.dict["F"]), f.list(s.dict["DecodeParms"], s.dict["DP"])
	data = s.data
	if !f.spend(len(data)) {
		return nil, "", nil
	}
	if f.lock != nil && f.resolve(s.dict["Type"]) != name("XRef") {
		data = f.lock.decrypted(f.lock.streams, s.of, data)
	}
	for i, filter := range filters {
		var p dict
		if i < len(all) {
			p = f.dict(all[i])
		}
		filter, _ := f.resolve(filter).(name)
		switch filter {
		case "DCTDecode", "DCT", "CCITTFaxDecode", "CCF", "JBIG2Decode", "JPXDecode":
			return data, filter, p
		}
		data = f.applyFilter(filter, p, data)
		if !f.spend(len(data)) {
			return nil, "", nil
		}
	}
	return data, "", nil
}

// list returns the first option that is set, as an array.
func (f *File) list(options ...object) array {
	for _, o := range options {
		switch o := f.resolve(o).(type) {
		case array:
			return o
		case nil:
		default:
			return array{o}
		}
	}
	return nil
}

// applyFilter decodes data by one filter (section 7.4).
func (f *File) applyFilter(filter name, params dict, data []byte) []byte {
	switch filter {
	case "FlateDecode", "Fl":
		if len(data) < 2 {
			return nil
		}
		// The zlib header is skipped and the checksum ignored: both are wrong at times.
		return f.unpredict(f.readAll(flate.NewReader(bytes.NewReader(data[2:]))), params)
	case "LZWDecode", "LZW":
		return f.unpredict(f.readAll(f.lzwReader(data, params)), params)
	case "ASCIIHexDecode", "AHx":
		l := lexer{data: data}
		out, _ := l.hex().(text)
		return []byte(out)
	case "ASCII85Decode", "A85":
		data = bytes.TrimPrefix(bytes.TrimSpace(data), []byte("<~"))
		data, _, _ = bytes.Cut(data, []byte("~"))
		return f.readAll(ascii85.NewDecoder(bytes.NewReader(data)))
	case "RunLengthDecode", "RL":
		return decodeRunLength(data, min(f.budget, maxStream))
	case "Crypt":
		return data
	}
	return nil
}

// readAll reads up to an error, the end, or one byte more than is allowed. Unlike
// io.ReadAll, it never holds twice what is allowed.
func (f *File) readAll(r io.Reader) []byte {
	limit := int(max(0, min(f.budget, maxStream))) + 1
	out := make([]byte, 0, min(limit, bytes.MinRead))
	for {
		n, err := r.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		switch {
		case (err != nil || len(out) == limit) && len(out) < limit/2:
			return bytes.Clone(out) // without the room that is left
		case err != nil || len(out) == limit:
			return out
		case len(out) == cap(out) && len(out) < limit/8:
			out = slices.Grow(out, len(out))
		case len(out) == cap(out):
			out = append(make([]byte, 0, limit), out...)
		}
	}
}

// lzwReader decodes LZW (section 7.4.4). By default codes grow longer one code
// early, as in TIFF.
func (f *File) lzwReader(data []byte, params dict) io.Reader {
	if early, ok := f.resolve(params["EarlyChange"]).(float64); ok && early == 0 {
		return stdlzw.NewReader(bytes.NewReader(data), stdlzw.MSB, 8)
	}
	return tifflzw.NewReader(bytes.NewReader(data), tifflzw.MSB, 8)
}

// decodeRunLength decodes run-length coding, up to a limit.
func decodeRunLength(data []byte, limit int64) []byte {
	var out []byte
	for len(data) > 1 && data[0] != 128 && int64(len(out)) <= limit {
		n := int(data[0])
		if n < 128 {
			end := min(len(data), n+2)
			out = append(out, data[1:end]...)
			data = data[end:]
			continue
		}
		out = append(out, bytes.Repeat(data[1:2], 257-n)...)
		data = data[2:]
	}
	return out
}

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
