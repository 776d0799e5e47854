package pdf

import (
	"bytes"
	"compress/flate"
	"encoding/ascii85"
	"io"
)

// decode is the data of a stream, unpacked as far as its filters are ones that
// pack text and its data are whole. It is empty when they are not, for
// instance for an image.
func (f *File) decode(s *stream) []byte {
	filters, params := f.list(s.dict["Filter"], s.dict["F"]), f.list(s.dict["DecodeParms"], s.dict["DP"])
	data := s.data
	for i, filter := range filters {
		var p dict
		if i < len(params) {
			p = f.dict(params[i])
		}
		filter, _ := f.resolve(filter).(name)
		data = f.unfilter(filter, p, data)
		f.left -= int64(len(data))
		if f.left < 0 {
			return nil
		}
	}
	return data
}

// list is the first of the objects that is there, as a list.
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

// unfilter undoes one filter (section 7.4).
func (f *File) unfilter(filter name, params dict, data []byte) []byte {
	switch filter {
	case "FlateDecode", "Fl":
		return f.unpredict(f.inflate(data), params)
	case "LZWDecode", "LZW":
		early := 1
		if o, ok := f.resolve(params["EarlyChange"]).(float64); ok {
			early = int(o)
		}
		return f.unpredict(unLZW(data, early, f.left), params)
	case "ASCIIHexDecode", "AHx":
		l := lexer{data: data}
		out, _ := l.hex().(text)
		return []byte(out)
	case "ASCII85Decode", "A85":
		return unASCII85(data)
	case "RunLengthDecode", "RL":
		return unRunLength(data, f.left)
	case "Crypt":
		return data
	}
	return nil
}

// inflate unpacks zlib data; of damaged data, what comes before the damage.
// The checksum at the end is not looked at.
func (f *File) inflate(data []byte) []byte {
	if len(data) < 2 {
		return nil
	}
	out, _ := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data[2:])), f.left+1))
	return out
}

// unASCII85 undoes base-85 coding.
func unASCII85(data []byte) []byte {
	data = bytes.TrimPrefix(bytes.TrimSpace(data), []byte("<~"))
	if end := bytes.IndexByte(data, '~'); end >= 0 {
		data = data[:end]
	}
	out, _ := io.ReadAll(ascii85.NewDecoder(bytes.NewReader(data)))
	return out
}

// unRunLength undoes run-length coding, up to a limit.
func unRunLength(data []byte, limit int64) []byte {
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

// unLZW undoes LZW coding (section 7.4.4), up to a limit. early is how many
// codes too soon the codes grow longer, by default one.
func unLZW(data []byte, early int, limit int64) []byte {
	const reset, end = 256, 257
	var out []byte
	var table [4096][]byte
	for i := range 256 {
		table[i] = []byte{byte(i)}
	}
	next, width := 258, 9
	var last []byte
	bits, have := 0, 0
	for _, b := range data {
		bits, have = bits<<8|int(b), have+8
		if have < width {
			continue
		}
		have -= width
		code := bits >> have
		bits &= 1<<have - 1
		switch {
		case code == end || int64(len(out)) > limit:
			return out
		case code == reset:
			next, width, last = 258, 9, nil
			continue
		case code > next || code == next && last == nil || code < next && table[code] == nil:
			return out
		}
		if last != nil && next < len(table) {
			first := last[0]
			if code < next {
				first = table[code][0]
			}
			table[next] = append(bytes.Clone(last), first)
			next++
		} else if code >= next {
			return out
		}
		last = table[code]
		out = append(out, last...)
		if next+early >= 1<<width && width < 12 {
			width++
		}
	}
	return out
}
