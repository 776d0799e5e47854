package pdf

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// objectStart matches the beginning of an indirect object.
var objectStart = regexp.MustCompile(`(?:^|[\s>])(\d{1,10})\s+(\d{1,5})\s+obj\b`)

// rebuild scans a file with damaged cross-references for its objects. Of two
// with the same number the later counts.
func (f *File) rebuild() {
	for _, m := range objectStart.FindAllSubmatchIndex(f.data, -1) {
		number, _ := strconv.Atoi(string(f.data[m[2]:m[3]]))
		f.offsets[number] = location{offset: m[2]}
	}
	f.scanTrailers()
	f.rebuildPacked()
	if !f.hasPages() {
		f.findCatalog()
	}
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

// rebuildPacked adds the objects in object streams, and the trailers that
// cross-reference streams carry.
func (f *File) rebuildPacked() {
	for _, number := range slices.Sorted(maps.Keys(f.offsets)) {
		s, ok := f.load(number).(*stream)
		if !ok {
			continue
		}
		switch s.dict["Type"] {
		case name("ObjStm"):
			f.streams[number] = f.readObjectStream(number)
			for inner := range f.streams[number].offsets {
				f.addLocation(inner, location{stream: number})
			}
		case name("XRef"):
			f.addTrailer(s.dict)
		}
	}
}

func (f *File) findCatalog() {
	for _, number := range slices.Sorted(maps.Keys(f.offsets)) {
		if d, ok := f.load(number).(dict); ok && f.resolve(d["Type"]) == name("Catalog") {
			f.trailer["Root"] = ref{number: number}
		}
	}
}
