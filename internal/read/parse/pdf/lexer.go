package pdf

import (
	"bytes"
	"compress/flate"
	stdlzw "compress/lzw"
	"encoding/ascii85"
	"io"
	"math"
	"slices"
	"strconv"

	tifflzw "golang.org/x/image/tiff/lzw"
)

// A lexer reads objects from the bytes of a file or of a content stream. It
// never fails: malformed input is read as an operator or skipped.
type lexer struct {
	data  []byte
	pos   int
	items int // read for the object so far
}

// The limits of one object.
const (
	maxNesting = 64 // of arrays and dictionaries
	maxItems   = 1 << 20
	maxString  = 1 << 20 // bytes
)

func isSpace(b byte) bool {
	return b == ' ' || b == '\n' || b == '\r' || b == '\t' || b == '\f' || b == 0
}

// isDelimiter reports whether b ends a name, a number or an operator.
func isDelimiter(b byte) bool {
	return isSpace(b) || bytes.IndexByte([]byte("()<>[]{}/%"), b) >= 0
}

// skipSpace skips white space and comments.
func (l *lexer) skipSpace() {
	for l.pos < len(l.data) {
		switch b := l.data[l.pos]; {
		case isSpace(b):
			l.pos++
		case b == '%':
			for l.pos < len(l.data) && l.data[l.pos] != '\n' && l.data[l.pos] != '\r' {
				l.pos++
			}
		default:
			return
		}
	}
}

// next returns the next object, or false at the end of the data.
func (l *lexer) next() (object, bool) {
	l.items = 0
	return l.object(0)
}

// object reads an object that is nested in depth others.
func (l *lexer) object(depth int) (object, bool) {
	l.skipSpace()
	if l.pos >= len(l.data) {
		return nil, false
	}
	b := l.data[l.pos]
	l.pos++
	switch {
	case b == '/':
		return l.name(), true
	case b == '(':
		return l.literal(), true
	case b == '<' && l.peek() == '<':
		l.pos++
		return l.dict(depth), true
	case b == '<':
		return l.hex(), true
	case b == '[':
		return l.array(depth), true
	case b == '>' && l.peek() == '>':
		l.pos++
		return operator(">>"), true
	case bytes.IndexByte([]byte(")>]{}"), b) >= 0:
		return operator(b), true
	}
	l.pos--
	return l.word(), true
}

// peek returns the next byte, or 0 at the end.
func (l *lexer) peek() byte {
	if l.pos < len(l.data) {
		return l.data[l.pos]
	}
	return 0
}

// token reads the bytes up to the next delimiter.
func (l *lexer) token() []byte {
	start := l.pos
	for l.pos < len(l.data) && !isDelimiter(l.data[l.pos]) {
		l.pos++
	}
	return l.data[start:l.pos]
}

// word reads a number, a keyword or an operator.
func (l *lexer) word() object {
	token := l.token()
	if n, ok := parseNumber(token); ok {
		return n
	}
	switch string(token) {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	return operator(token)
}

// parseNumber parses a number. Some programs write two minus signs.
func parseNumber(token []byte) (float64, bool) {
	if len(token) == 0 || len(token) > 64 || bytes.IndexByte([]byte("+-.0123456789"), token[0]) < 0 {
		return 0, false
	}
	for len(token) > 1 && token[0] == '-' && token[1] == '-' {
		token = token[1:]
	}
	if bytes.ContainsAny(token, "eExXpPnNiI_") {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(token), 64)
	return n, err == nil
}

// name reads a name after its slash.
func (l *lexer) name() object {
	token := l.token()
	var out []byte
	for i := 0; i < len(token); i++ {
		if token[i] == '#' && i+2 < len(token) && unhex(token[i+1]) >= 0 && unhex(token[i+2]) >= 0 {
			out = append(out, byte(unhex(token[i+1])<<4|unhex(token[i+2])))
			i += 2
			continue
		}
		out = append(out, token[i])
	}
	return name(out)
}

// unhex returns the value of a hexadecimal digit, or -1.
func unhex(b byte) int {
	switch {
	case b >= '0' && b <= '9':
		return int(b - '0')
	case b >= 'a' && b <= 'f':
		return int(b-'a') + 10
	case b >= 'A' && b <= 'F':
		return int(b-'A') + 10
	}
	return -1
}

// hex reads a string of hexadecimal digits after its <.
func (l *lexer) hex() object {
	var out []byte
	high := -1
	for l.pos < len(l.data) {
		b := l.data[l.pos]
		l.pos++
		if b == '>' {
			break
		}
		switch digit := unhex(b); {
		case digit < 0, len(out) == maxString:
		case high < 0:
			high = digit
		default:
			out = append(out, byte(high<<4|digit))
			high = -1
		}
	}
	if high >= 0 {
		out = append(out, byte(high<<4))
	}
	return text(out)
}

// array reads an array after its [.
func (l *lexer) array(depth int) object {
	return l.objects(depth, func(op operator) bool { return op == "]" })
}

// dict reads a dictionary after its <<. What is neither a key nor its value is
// skipped.
func (l *lexer) dict(depth int) object {
	items := l.objects(depth, func(op operator) bool { return op == ">>" || op == "endobj" || op == "stream" })
	out := make(dict)
	for len(items) >= 2 {
		key, ok := items[0].(name)
		if !ok {
			items = items[1:]
			continue
		}
		out[key] = items[1]
		items = items[2:]
	}
	return out
}

// objects reads objects up to an operator that ends them, with references as
// one object each.
func (l *lexer) objects(depth int, ends func(operator) bool) array {
	var out array
	for ; depth < maxNesting && l.items < maxItems; l.items++ {
		o, ok := l.object(depth + 1)
		op, _ := o.(operator)
		if !ok || ends(op) {
			break
		}
		if op == "R" && len(out) >= 2 {
			n := len(out) - 2
			o = ref{integer(out[n]), integer(out[n+1])}
			out = out[:n]
		}
		out = append(out, o)
	}
	return out
}

// literal reads a string after its opening parenthesis.
func (l *lexer) literal() object {
	var out []byte
	for depth := 1; l.pos < len(l.data); {
		b := l.data[l.pos]
		l.pos++
		switch b {
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 {
				return text(out)
			}
		case '\\':
			out = l.escape(out)
			continue
		case '\r':
			if l.peek() == '\n' {
				l.pos++
			}
			b = '\n'
		}
		if len(out) < maxString {
			out = append(out, b)
		}
	}
	return text(out)
}

// escape reads an escape sequence after its backslash and appends its value.
func (l *lexer) escape(out []byte) []byte {
	if l.pos == len(l.data) {
		return out
	}
	b := l.data[l.pos]
	l.pos++
	switch b {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\r':
		if l.peek() == '\n' {
			l.pos++
		}
		return out
	case '\n':
		return out
	}
	if b < '0' || b > '7' {
		return append(out, b)
	}
	code := int(b - '0')
	for range 2 {
		if d := l.peek(); d >= '0' && d <= '7' {
			code = code<<3 | int(d-'0')
			l.pos++
		}
	}
	return append(out, byte(code))
}

// An object is a PDF object (ISO 32000-1, section 7.3): nil, bool, float64,
// text, name, array, dict, *stream or ref. In content streams it may also be
// an operator.
type object any

type (
	text     string // the bytes of a string object
	name     string // without its slash
	operator string
	array    []object
	dict     map[name]object
)

// A ref is a reference to an indirect object.
type ref struct{ number, generation int }

// A stream is a dictionary with encoded data.
type stream struct {
	dict dict
	data []byte // as in the file
	of   ref    // its object, by which its data are encrypted
}

// number returns o as a number, or 0 if it isn't one.
func number(o object) float64 {
	n, _ := o.(float64)
	return n
}

// integer returns o as an integer, or 0 if it isn't one or is implausibly large.
func integer(o object) int {
	n := number(o)
	if math.IsNaN(n) || math.Abs(n) > 1<<40 {
		return 0
	}
	return int(n)
}

// A matrix is an affine transformation, in the order of PDF operands.
type matrix struct{ a, b, c, d, e, f float64 }

func identity() matrix { return matrix{a: 1, d: 1} }

// matrixOf returns the matrix of six operands, or the identity if there are not six.
func matrixOf(o []object) matrix {
	if len(o) != 6 {
		return identity()
	}
	return matrix{number(o[0]), number(o[1]), number(o[2]), number(o[3]), number(o[4]), number(o[5])}
}

// then returns m followed by n.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d,
		m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d,
		m.e*n.a + m.f*n.c + n.e, m.e*n.b + m.f*n.d + n.f,
	}
}

// moved returns a translation by x and y followed by m.
func (m matrix) moved(x, y float64) matrix { return matrix{1, 0, 0, 1, x, y}.then(m) }

// quarter returns how many quarter turns anticlockwise m rotates.
func (m matrix) quarter() int {
	turns := math.Round(math.Atan2(m.b, m.a) / (math.Pi / 2))
	return (int(turns) + 4) % 4
}

// turned rotates a point clockwise by a number of quarter turns.
func turned(x, y float64, quarters int) (float64, float64) {
	for range (quarters%4 + 4) % 4 {
		x, y = y, -x
	}
	return x, y
}

// finite reports whether all numbers are plausible coordinates.
func finite(numbers ...float64) bool {
	for _, n := range numbers {
		if math.IsNaN(n) || math.Abs(n) > 1e7 {
			return false
		}
	}
	return true
}

// maxStream bounds the decoded size of a stream: more than the drawing of the busiest page.
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
		// The zlib header is skipped and the checksum ignored: both are sometimes wrong.
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
			return bytes.Clone(out) // without spare capacity
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
