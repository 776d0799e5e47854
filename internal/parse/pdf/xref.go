package pdf

import (
	"bytes"
	"maps"
	"slices"
)

// readCrossReferences reads the cross-reference sections from the last back
// to the first (sections 7.5.4 and 7.5.8).
func (f *File) readCrossReferences() {
	i := bytes.LastIndex(f.data, []byte("startxref"))
	if i < 0 {
		return
	}
	l := lexer{data: f.data, pos: i + len("startxref")}
	offset, _ := l.next()
	seen := make(map[int]bool)
	for todo := []int{integer(offset)}; len(todo) > 0; {
		at := todo[0]
		todo = todo[1:]
		if seen[at] || at <= 0 || at >= len(f.data) {
			continue
		}
		seen[at] = true
		section := f.readSection(at)
		for _, key := range []name{"XRefStm", "Prev"} {
			if next := integer(section[key]); next > 0 {
				todo = append(todo, next)
			}
		}
	}
}

// readSection reads the section at an offset and is its dictionary.
func (f *File) readSection(at int) dict {
	l := lexer{data: f.data, pos: at}
	l.skipSpace()
	if bytes.HasPrefix(f.data[l.pos:], []byte("xref")) {
		l.pos += len("xref")
		return f.readTable(&l)
	}
	_, o := f.objectAt(at)
	s, ok := o.(*stream)
	if !ok {
		return nil
	}
	f.readEntries(s)
	f.adopt(s.dict)
	return s.dict
}

// adopt takes over the entries of a trailer that no later one holds.
func (f *File) adopt(o object) {
	d, _ := o.(dict)
	for key, value := range d {
		if _, taken := f.trailer[key]; !taken {
			f.trailer[key] = value
		}
	}
}

// readTable reads a table of offsets and the trailer below it.
func (f *File) readTable(l *lexer) dict {
	for {
		o, ok := l.next()
		if !ok {
			return nil
		}
		if o == operator("trailer") {
			trailer, _ := l.next()
			f.adopt(trailer)
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
				f.locate(integer(o)+i, location{offset: integer(offset)})
			}
		}
	}
}

// locate notes where an object stands, unless a later section said so.
func (f *File) locate(number int, where location) {
	if _, taken := f.at[number]; !taken {
		f.at[number] = where
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
	data := f.decode(s)
	for i := 0; i+1 < len(index); i += 2 {
		first := integer(index[i])
		for n := range integer(index[i+1]) {
			size := w[0] + w[1] + w[2]
			if size == 0 || len(data) < size {
				return
			}
			f.readEntry(first+n, w, data)
			data = data[size:]
		}
	}
}

// readEntry reads the entry of an object from the front of data.
func (f *File) readEntry(number int, w [3]int, data []byte) {
	kind := 1
	if w[0] > 0 {
		kind = bigEndian(data[:w[0]])
	}
	second := bigEndian(data[w[0] : w[0]+w[1]])
	switch kind {
	case 1:
		f.locate(number, location{offset: second})
	case 2:
		f.locate(number, location{pack: second})
	}
}

// bigEndian is the number that bytes spell, the first the highest.
func bigEndian(b []byte) int {
	n := 0
	for _, c := range b {
		n = n<<8 | int(c)
	}
	return n
}

// rebuildPacked finds the objects within the object streams of a file that is
// being rebuilt, and a catalogue if no trailer named one.
func (f *File) rebuildPacked() {
	for _, number := range slices.Sorted(maps.Keys(f.at)) {
		s, ok := f.load(number).(*stream)
		if !ok {
			continue
		}
		switch s.dict["Type"] {
		case name("ObjStm"):
			f.packs[number] = f.openPack(number)
			for _, inner := range slices.Sorted(maps.Keys(f.packs[number].offsets)) {
				f.locate(inner, location{pack: number})
			}
		case name("XRef"):
			f.adopt(s.dict)
		}
	}
	if f.hasPages() {
		return
	}
	for _, number := range slices.Sorted(maps.Keys(f.at)) {
		if d, ok := f.load(number).(dict); ok && f.resolve(d["Type"]) == name("Catalog") {
			f.trailer["Root"] = ref{number: number}
		}
	}
}

// dict is the dictionary that o is or points at, or that of a stream; nil when
// it is neither.
func (f *File) dict(o object) dict {
	switch o := f.resolve(o).(type) {
	case dict:
		return o
	case *stream:
		return o.dict
	}
	return nil
}

// array is the array that o is or points at, nil when it is none.
func (f *File) array(o object) array {
	a, _ := f.resolve(o).(array)
	return a
}
