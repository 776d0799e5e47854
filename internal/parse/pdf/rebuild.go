package pdf

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
)

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
