package pdf

import (
	"bytes"
	"errors"
)

// ErrDamaged means that no pages were found, not even by scanning for objects.
var ErrDamaged = errors.New("no pages found")

// File is an open PDF file. It is not safe for concurrent use.
type File struct {
	data    []byte
	offsets map[int]location // by object number
	objects map[int]object   // loaded so far
	streams map[int]*objectStream
	trailer dict
	budget  int64 // bytes that may still be decoded
	depth   int   // of nested loads
	fonts   map[ref]*font
	rebuilt bool

	compounds map[string]bool // hyphenated words seen so far
}

// A location is where an object is stored: at an offset of the file, or in an
// object stream.
type location struct {
	offset int
	stream int // number of the object stream; 0 for an offset
}

// An objectStream is a decoded object stream (section 7.5.7).
type objectStream struct {
	data    []byte
	offsets map[int]int // by object number
}

// Open reads the cross-references of a file, or rebuilds them by scanning if
// they are damaged. maxExpanded bounds the bytes that its streams may decode
// to in all. The error is ErrDamaged when nothing leads to pages.
func Open(data []byte, maxExpanded int64) (*File, error) {
	f := &File{data: data, budget: maxExpanded, fonts: make(map[ref]*font), compounds: make(map[string]bool)}
	f.reset()
	f.readCrossReferences()
	if !f.hasPages() {
		f.reset()
		f.rebuild()
		f.rebuilt = true
	}
	if !f.Encrypted() && !f.hasPages() {
		return nil, ErrDamaged
	}
	return f, nil
}

func (f *File) reset() {
	f.offsets, f.objects, f.streams = make(map[int]location), make(map[int]object), make(map[int]*objectStream)
	f.trailer = make(dict)
}

func (f *File) hasPages() bool {
	return len(f.dict(f.dict(f.trailer["Root"])["Pages"])) > 0
}

// Encrypted reports whether strings and streams are encrypted. The pages of
// an encrypted file show no text.
func (f *File) Encrypted() bool { return f.trailer["Encrypt"] != nil }

// Rebuilt reports whether the cross-references were damaged, so that the
// objects were found by scanning.
func (f *File) Rebuilt() bool { return f.rebuilt }

// Exceeded reports whether the file decodes to more than its limit, so that
// the text read from it is incomplete.
func (f *File) Exceeded() bool { return f.budget < 0 }

// maxRefs bounds chains of references.
const maxRefs = 16

// resolve follows references until it reaches another object.
func (f *File) resolve(o object) object {
	for range maxRefs {
		r, ok := o.(ref)
		if !ok {
			return o
		}
		o = f.load(r.number)
	}
	return nil
}

// dict returns the dictionary that o is or points at, including that of a
// stream, or nil.
func (f *File) dict(o object) dict {
	switch o := f.resolve(o).(type) {
	case dict:
		return o
	case *stream:
		return o.dict
	}
	return nil
}

// array returns the array that o is or points at, or nil.
func (f *File) array(o object) array {
	a, _ := f.resolve(o).(array)
	return a
}

// load returns the object with the given number, or nil.
func (f *File) load(number int) object {
	if o, ok := f.objects[number]; ok {
		return o
	}
	at, ok := f.offsets[number]
	if !ok || f.depth == maxRefs {
		return nil
	}
	f.depth++
	defer func() { f.depth-- }()
	f.objects[number] = nil // cuts cycles
	if at.stream > 0 {
		f.objects[number] = f.loadPacked(at.stream, number)
	} else if n, o := f.objectAt(at.offset); n == number {
		f.objects[number] = o
	}
	return f.objects[number]
}

// loadPacked returns an object of an object stream.
func (f *File) loadPacked(streamNumber, number int) object {
	s := f.streams[streamNumber]
	if s == nil {
		s = f.readObjectStream(streamNumber)
		f.streams[streamNumber] = s
	}
	offset, ok := s.offsets[number]
	if !ok || offset < 0 || offset >= len(s.data) {
		return nil
	}
	l := lexer{data: s.data, pos: offset}
	o, _ := l.next()
	return o
}

func (f *File) readObjectStream(number int) *objectStream {
	out := &objectStream{offsets: make(map[int]int)}
	if f.offsets[number].stream > 0 {
		return out // an object stream is never packed itself
	}
	s, ok := f.load(number).(*stream)
	if !ok {
		return out
	}
	out.data = f.decode(s)
	first := integer(f.resolve(s.dict["First"]))
	l := lexer{data: out.data}
	for range integer(f.resolve(s.dict["N"])) {
		n, ok := l.next()
		offset, ok2 := l.next()
		if !ok || !ok2 || l.pos > first {
			break
		}
		out.offsets[integer(n)] = first + integer(offset)
	}
	return out
}

// objectAt reads the indirect object at an offset with its number, which is 0
// if there is none.
func (f *File) objectAt(offset int) (int, object) {
	if offset < 0 || offset >= len(f.data) {
		return 0, nil
	}
	l := lexer{data: f.data, pos: offset}
	number, _ := l.next()
	l.next()
	if keyword, _ := l.next(); keyword != operator("obj") {
		return 0, nil
	}
	o, _ := l.next()
	if d, ok := o.(dict); ok {
		if l.skipSpace(); bytes.HasPrefix(f.data[l.pos:], []byte("stream")) {
			return integer(number), f.streamAt(d, l.pos+len("stream"))
		}
	}
	return integer(number), o
}

// streamAt returns the stream whose keyword ends at pos. The stated length
// counts only if it leads to the stream's end.
func (f *File) streamAt(d dict, pos int) *stream {
	rest := f.data[pos:]
	if bytes.HasPrefix(rest, []byte("\r\n")) {
		rest = rest[2:]
	} else if len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r') {
		rest = rest[1:]
	}
	n := integer(f.resolve(d["Length"]))
	if n >= 0 && n <= len(rest) && bytes.HasPrefix(bytes.TrimLeft(rest[n:min(len(rest), n+32)], "\r\n \t"), []byte("endstream")) {
		return &stream{d, rest[:n]}
	}
	if end := bytes.Index(rest, []byte("endstream")); end >= 0 {
		return &stream{d, rest[:end]}
	}
	return &stream{d, rest}
}
