package pdf

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
)

// The ways in which a file cannot be read. Encryption is not among them: see
// File.Encrypted.
var (
	// ErrDamaged means that no pages were found, not even object by object.
	ErrDamaged = errors.New("no pages found")
	// ErrExpanded means that the file unpacks to more than its limit.
	ErrExpanded = errors.New("unpacks to too much")
)

// File is an open PDF file. It is not safe for concurrent use.
type File struct {
	data    []byte
	at      map[int]location // of every object, by number
	known   map[int]object   // objects read so far
	packs   map[int]*pack    // object streams read so far
	trailer dict
	left    int64 // bytes that may still be unpacked
	depth   int   // objects being loaded, each for the one before
	fonts   map[ref]*font
	rebuilt bool

	compounds map[string]bool // words spelt with a hyphen so far
}

// location is where an object stands: at an offset of the file, or as the
// n-th of an object stream.
type location struct {
	offset int
	pack   int // number of the object stream; 0 for an offset
}

// pack is an object stream (section 7.5.7), unpacked.
type pack struct {
	data    []byte
	offsets map[int]int // by object number
}

// Open reads where the objects of a file stand. expanded bounds what the file
// may unpack to, in bytes. It fails with ErrDamaged when no object that leads
// to pages is found.
func Open(data []byte, expanded int64) (*File, error) {
	f := &File{data: data, left: expanded, fonts: make(map[ref]*font), compounds: make(map[string]bool)}
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

// reset forgets all objects.
func (f *File) reset() {
	f.at, f.known, f.packs = make(map[int]location), make(map[int]object), make(map[int]*pack)
	f.trailer = make(dict)
}

// hasPages reports whether the trailer leads to pages.
func (f *File) hasPages() bool {
	return len(f.dict(f.dict(f.trailer["Root"])["Pages"])) > 0
}

// Encrypted reports whether strings and streams are encrypted. The pages of
// an encrypted file show no text.
func (f *File) Encrypted() bool { return f.trailer["Encrypt"] != nil }

// Rebuilt reports whether the file's own account of its objects was damaged,
// so that they had to be looked for.
func (f *File) Rebuilt() bool { return f.rebuilt }

// Expanded reports whether the limit on what the file unpacks to was hit, so
// that what was read is not all there is.
func (f *File) Expanded() bool { return f.left < 0 }

// maxRefs is how many references to references are followed.
const maxRefs = 16

// resolve is the object that o points at, if it is a reference, else o.
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

// load is the object of a number, nil when there is none.
func (f *File) load(number int) object {
	if o, ok := f.known[number]; ok {
		return o
	}
	where, ok := f.at[number]
	if !ok || f.depth == maxRefs {
		return nil
	}
	f.depth++
	defer func() { f.depth-- }()
	f.known[number] = nil // while it is read, it leads nowhere
	if where.pack > 0 {
		f.known[number] = f.unpack(where.pack, number)
	} else if n, o := f.objectAt(where.offset); n == number {
		f.known[number] = o
	}
	return f.known[number]
}

// unpack is the object of a number within an object stream.
func (f *File) unpack(in, number int) object {
	p := f.packs[in]
	if p == nil {
		p = f.openPack(in)
		f.packs[in] = p
	}
	offset, ok := p.offsets[number]
	if !ok || offset < 0 || offset >= len(p.data) {
		return nil
	}
	l := lexer{data: p.data, pos: offset}
	o, _ := l.next()
	return o
}

// openPack reads an object stream's directory.
func (f *File) openPack(number int) *pack {
	p := &pack{offsets: make(map[int]int)}
	if f.at[number].pack > 0 {
		return p // an object stream is never packed itself
	}
	s, ok := f.load(number).(*stream)
	if !ok {
		return p
	}
	p.data = f.decode(s)
	first := integer(f.resolve(s.dict["First"]))
	l := lexer{data: p.data}
	for range integer(f.resolve(s.dict["N"])) {
		n, ok := l.next()
		offset, ok2 := l.next()
		if !ok || !ok2 || l.pos > first {
			break
		}
		p.offsets[integer(n)] = first + integer(offset)
	}
	return p
}

// objectAt reads the indirect object at an offset, and is its number, 0 when
// none stands there.
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
	d, ok := o.(dict)
	if !ok {
		return integer(number), o
	}
	if l.skipSpace(); bytes.HasPrefix(f.data[l.pos:], []byte("stream")) {
		return integer(number), f.streamAt(d, l.pos+len("stream"))
	}
	return integer(number), o
}

// streamAt is the stream whose keyword ends at pos. A length that does not
// lead to the stream's end is not believed.
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

// objectHead is how an indirect object begins.
var objectHead = regexp.MustCompile(`(?:^|[\s>])(\d{1,10})\s+(\d{1,5})\s+obj\b`)

// rebuild finds the objects of a file whose cross-references are damaged by
// looking for where they begin; of two with one number the later counts.
func (f *File) rebuild() {
	for _, m := range objectHead.FindAllSubmatchIndex(f.data, -1) {
		number, _ := strconv.Atoi(string(f.data[m[2]:m[3]]))
		f.at[number] = location{offset: m[2]}
	}
	for rest := f.data; ; {
		i := bytes.Index(rest, []byte("trailer"))
		if i < 0 {
			break
		}
		rest = rest[i+len("trailer"):]
		l := lexer{data: rest}
		if o, _ := l.next(); o != nil {
			f.adopt(o)
		}
	}
	f.rebuildPacked()
}
