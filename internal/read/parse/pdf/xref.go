package pdf

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
)

// readCrossReferences reads the cross-reference sections from the last to the
// first (sections 7.5.4 and 7.5.8).
func (f *File) readCrossReferences() {
	i := bytes.LastIndex(f.data, []byte("startxref"))
	if i < 0 {
		return
	}
	l := lexer{data: f.data, pos: i + len("startxref")}
	offset, _ := l.next()
	seen := make(map[int]bool)
	for queue := []int{integer(offset)}; len(queue) > 0; {
		at := queue[0]
		queue = queue[1:]
		if seen[at] || at <= 0 || at >= len(f.data) {
			continue
		}
		seen[at] = true
		trailer := f.readSection(at)
		f.addTrailer(trailer)
		for _, key := range []name{"XRefStm", "Prev"} {
			if next := integer(trailer[key]); next > 0 {
				queue = append(queue, next)
			}
		}
	}
}

// readSection reads the section at an offset and returns its trailer.
func (f *File) readSection(at int) dict {
	l := lexer{data: f.data, pos: at}
	l.skipSpace()
	if bytes.HasPrefix(f.data[l.pos:], []byte("xref")) {
		l.pos += len("xref")
		defer func() { f.spend(l.pos - at) }()
		return f.readTable(&l)
	}
	_, o := f.objectAt(at)
	s, ok := o.(*stream) // which is never encrypted
	if !ok {
		return nil
	}
	f.readEntries(s)
	return s.dict
}

// addTrailer adds the entries of a trailer that no later one has set.
func (f *File) addTrailer(o object) {
	d, _ := o.(dict)
	for key, value := range d {
		if _, taken := f.trailer[key]; !taken {
			f.trailer[key] = value
		}
	}
}

// The most objects of a file, and the fewest bytes that one takes if it isn't
// packed, as in "1 0 obj".
const (
	maxObjects    = 2_000_000
	minObjectSize = 7
)

// addLocation sets an object's location unless a later section has, or there
// are more objects than the file can hold.
func (f *File) addLocation(number int, at location) {
	if n := len(f.offsets); n >= maxObjects || at.stream == 0 && n > len(f.data)/minObjectSize {
		return
	}
	if _, taken := f.offsets[number]; !taken {
		f.offsets[number] = at
	}
}

// readTable reads a table of offsets and returns the trailer below it.
func (f *File) readTable(l *lexer) dict {
	for {
		o, ok := l.next()
		if !ok {
			return nil
		}
		if o == operator("trailer") {
			trailer, _ := l.next()
			d, _ := trailer.(dict)
			return d
		}
		count, _ := l.next()
		for i := range integer(count) {
			offset, _ := l.next()
			l.next()
			kind, ok := l.next()
			if !ok {
				return nil
			}
			if kind == operator("n") {
				f.addLocation(integer(o)+i, location{offset: integer(offset)})
			}
		}
	}
}

// readEntries reads the entries of a cross-reference stream.
func (f *File) readEntries(s *stream) {
	widths, _ := s.dict["W"].(array)
	if len(widths) < 3 {
		return
	}
	var w [3]int
	for i := range w {
		w[i] = integer(widths[i])
		if w[i] < 0 || w[i] > 8 {
			return
		}
	}
	index, _ := s.dict["Index"].(array)
	if len(index) < 2 {
		index = array{0.0, s.dict["Size"]}
	}
	size := w[0] + w[1] + w[2]
	data := f.decode(s)
	for ; len(index) >= 2; index = index[2:] {
		for n := range integer(index[1]) {
			if size == 0 || len(data) < size {
				return
			}
			f.readEntry(integer(index[0])+n, w, data)
			data = data[size:]
		}
	}
}

// readEntry reads the entry of an object, whose fields have the widths w.
func (f *File) readEntry(number int, w [3]int, data []byte) {
	kind := 1
	if w[0] > 0 {
		kind = bigEndian(data[:w[0]])
	}
	second := bigEndian(data[w[0] : w[0]+w[1]])
	switch kind {
	case 1:
		f.addLocation(number, location{offset: second})
	case 2:
		f.addLocation(number, location{stream: second})
	}
}

func bigEndian(b []byte) int {
	n := 0
	for _, c := range b {
		n = n<<8 | int(c)
	}
	return n
}

// rebuild scans a file with damaged cross-references for its objects. Of two
// with the same number the later counts.
func (f *File) rebuild() error {
	f.scanObjects()
	f.scanTrailers()
	packed := f.packedStreams()
	if err := f.unlock(); err != nil {
		return err
	}
	for _, number := range packed {
		f.streams[number] = f.readObjectStream(number)
		for inner := range f.streams[number].offsets {
			f.addLocation(inner, location{stream: number})
		}
	}
	if !f.hasPages() {
		f.findCatalog()
	}
	return nil
}

// scanObjects finds what begins like an indirect object, as in "12 0 obj".
func (f *File) scanObjects() {
	for at := 0; len(f.offsets) < maxObjects; {
		i := bytes.Index(f.data[at:], []byte("obj"))
		if i < 0 {
			return
		}
		before := f.data[:at+i]
		at += i + len("obj")
		if at < len(f.data) && !isDelimiter(f.data[at]) {
			continue
		}
		rest, _, ok := cutNumber(before, 5)
		if !ok {
			continue
		}
		if rest, number, ok := cutNumber(rest, 10); ok && (len(rest) == 0 || isSpace(rest[len(rest)-1]) || rest[len(rest)-1] == '>') {
			f.offsets[number] = location{offset: len(rest)}
		}
	}
}

// cutNumber cuts a number of at most so many digits, and the white space that
// follows it, from the end of data.
func cutNumber(data []byte, digits int) (rest []byte, number int, ok bool) {
	end := len(data)
	for end > 0 && isSpace(data[end-1]) {
		end--
	}
	start := end
	for start > 0 && end-start < digits && data[start-1] >= '0' && data[start-1] <= '9' {
		start--
	}
	number, err := strconv.Atoi(string(data[start:end]))
	return data[:start], number, err == nil && end < len(data)
}

// The bounds of scanning for trailers: without them, a file made of nothing
// else takes quadratic time.
const (
	maxTrailers    = 1000
	maxTrailerSize = 4 << 10
)

func (f *File) scanTrailers() {
	rest := f.data
	for range maxTrailers {
		_, after, found := bytes.Cut(rest, []byte("trailer"))
		if !found {
			return
		}
		l := lexer{data: after[:min(len(after), maxTrailerSize)]}
		o, _ := l.next()
		f.addTrailer(o)
		rest = after
	}
}

// packedStreams returns the numbers of the object streams, and adds the trailers
// that cross-reference streams carry. It keeps no object: there may be millions.
func (f *File) packedStreams() []int {
	var packed []int
	for _, number := range slices.Sorted(maps.Keys(f.offsets)) {
		_, o := f.objectAt(f.offsets[number].offset)
		s, ok := o.(*stream)
		if !ok {
			continue
		}
		switch s.dict["Type"] {
		case name("ObjStm"):
			packed = append(packed, number)
		case name("XRef"):
			f.addTrailer(s.dict)
		}
	}
	return packed
}

func (f *File) findCatalog() {
	for _, number := range slices.Sorted(maps.Keys(f.offsets)) {
		if d, ok := f.read(number).(dict); ok && f.resolve(d["Type"]) == name("Catalog") {
			f.trailer["Root"] = ref{number: number}
		}
	}
}
