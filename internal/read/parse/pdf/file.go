// Package pdf extracts the text of a PDF file as paragraphs in reading order.
// Section numbers in comments refer to ISO 32000-1.
//
// It reads only the parts needed for text: objects, cross-reference tables and streams (rebuilt by
// scanning if they are damaged), text filters, the encodings and widths of fonts, and content streams
// with the forms they draw. Files are untrusted: decoded bytes, nesting and glyphs are bounded, cycles
// are cut, and no size stated by a file is trusted when memory is allocated.
package pdf

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/prose"
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
	budget  int64       // bytes that may still be read, decoded or shown
	onPages map[ref]int // number of pages with each image
	cut     bool        // a stream was cut off at maxStream
	depth   int         // of nested loads
	ends    []int       // offsets of "endstream", once searched
	lock    *lock       // of an encrypted file
	fonts   map[ref]*font
	rebuilt bool

	compounds prose.Compounds // seen so far
	kept      int             // segments in drafts
	marked    int             // drawn parts of pages and their words, those that are kept
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

// Open reads the cross-references of a file, or rebuilds them by scanning if they are damaged. maxExpanded bounds the
// total of bytes read from objects and streams, each time that they are read, decoded or not. The error is ErrDamaged
// if no pages are found, or ErrPassword.
func Open(data []byte, maxExpanded int64) (*File, error) {
	f := &File{data: data, budget: maxExpanded, fonts: make(map[ref]*font), compounds: prose.Compounds{}}
	f.reset()
	f.readCrossReferences()
	err := f.unlock()
	if err == nil && !f.hasPages() {
		f.reset()
		err = f.rebuild()
		f.rebuilt = true
	}
	if err == nil && !f.hasPages() {
		err = ErrDamaged
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// spend takes n bytes from the budget and reports whether it lasts.
func (f *File) spend(n int) bool {
	f.budget -= int64(n)
	return f.budget >= 0
}

func (f *File) reset() {
	f.offsets, f.objects, f.streams = make(map[int]location), make(map[int]object), make(map[int]*objectStream)
	f.trailer, f.lock = make(dict), nil
}

func (f *File) hasPages() bool {
	return len(f.dict(f.dict(f.trailer["Root"])["Pages"])) > 0
}

// Rebuilt reports whether the cross-references were damaged, so that the
// objects were found by scanning.
func (f *File) Rebuilt() bool { return f.rebuilt }

// Exceeded reports whether the file takes more reading than its limit, so that
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
	if f.depth == maxRefs {
		return nil
	}
	f.depth++
	defer func() { f.depth-- }()
	f.objects[number] = nil // breaks cycles
	f.objects[number] = f.read(number)
	return f.objects[number]
}

// read returns the object with the given number without keeping it, or nil.
func (f *File) read(number int) object {
	at, ok := f.offsets[number]
	if !ok {
		return nil
	}
	if at.stream > 0 {
		return f.loadPacked(at.stream, number)
	}
	of, o := f.objectAt(at.offset)
	switch {
	case of.number != number:
		return nil
	case f.lock != nil:
		return f.lock.opened(of, o)
	}
	return o
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
	if !f.spend(l.pos - offset) {
		return nil
	}
	return o
}

// maxPacked bounds the objects in an object stream.
const maxPacked = 1 << 18

func (f *File) readObjectStream(number int) *objectStream {
	out := &objectStream{offsets: make(map[int]int)}
	if f.offsets[number].stream > 0 {
		return out // an object stream itself is never packed
	}
	s, ok := f.load(number).(*stream)
	if !ok {
		return out
	}
	out.data = f.decode(s)
	first := integer(f.resolve(s.dict["First"]))
	l := lexer{data: out.data}
	for range min(integer(f.resolve(s.dict["N"])), maxPacked) {
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
func (f *File) objectAt(offset int) (ref, object) {
	if offset < 0 || offset >= len(f.data) || f.Exceeded() {
		return ref{}, nil
	}
	l := lexer{data: f.data, pos: offset}
	defer func() { f.spend(l.pos - offset) }()
	number, _ := l.next()
	generation, _ := l.next()
	if keyword, _ := l.next(); keyword != operator("obj") {
		return ref{}, nil
	}
	of := ref{integer(number), integer(generation)}
	o, _ := l.next()
	if d, ok := o.(dict); ok {
		if l.skipSpace(); bytes.HasPrefix(f.data[l.pos:], []byte("stream")) {
			return of, &stream{d, f.streamAt(d, l.pos+len("stream")), of}
		}
	}
	return of, o
}

// streamAt returns the data of a stream whose keyword ends at pos. The stated
// length counts only if it leads to the stream's end.
func (f *File) streamAt(d dict, pos int) []byte {
	rest := f.data[pos:]
	if bytes.HasPrefix(rest, []byte("\r\n")) {
		pos += 2
	} else if len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r') {
		pos++
	}
	rest = f.data[pos:]
	n := integer(f.resolve(d["Length"]))
	if n >= 0 && n <= len(rest) && bytes.HasPrefix(bytes.TrimLeft(rest[n:min(len(rest), n+32)], "\r\n \t"), []byte(endStream)) {
		return rest[:n]
	}
	return rest[:f.streamEnd(pos)-pos]
}

const endStream = "endstream"

// streamEnd returns the offset of the first end of a stream after pos, or that
// of the file's end. It searches the file once, however many streams ask.
func (f *File) streamEnd(pos int) int {
	if f.ends == nil {
		f.ends = []int{}
		for at := 0; ; {
			i := bytes.Index(f.data[at:], []byte(endStream))
			if i < 0 {
				break
			}
			f.ends = append(f.ends, at+i)
			at += i + len(endStream)
		}
	}
	if i, _ := slices.BinarySearch(f.ends, pos); i < len(f.ends) {
		return f.ends[i]
	}
	return len(f.data)
}

// Page is a page of a file with its inherited attributes.
type Page struct {
	dict      dict
	resources object
	rotate    int
	media     box
	crop      box
}

// turn returns how many clockwise quarter turns a page is shown with.
func (p Page) turn() int { return (p.rotate/90%4 + 4) % 4 }

// box returns the part of a page that is shown.
func (p Page) box() box {
	b := box{max(p.media.x0, p.crop.x0), max(p.media.y0, p.crop.y0), min(p.media.x1, p.crop.x1), min(p.media.y1, p.crop.y1)}
	if p.crop == (box{}) || b.x1 <= b.x0 || b.y1 <= b.y0 {
		return p.media
	}
	return b
}

const maxTreeDepth = 64

// Pages returns the pages of the file in order. It stops at limit+1, so that a
// caller can tell that there are more.
func (f *File) Pages(limit int) []Page {
	w := pageWalk{file: f, limit: limit + 1, seen: make(map[ref]bool)}
	w.walk(f.dict(f.trailer["Root"])["Pages"], Page{}, 0)
	return w.pages
}

// maxNodes bounds the nodes of the page tree, which may share branches.
const maxNodes = 1 << 20

// A pageWalk collects the leaves of the page tree (section 7.7.3).
type pageWalk struct {
	file  *File
	limit int
	seen  map[ref]bool
	nodes int
	pages []Page
}

// walk collects the pages at and below a node that inherits from parent.
func (w *pageWalk) walk(o object, parent Page, depth int) {
	if r, ok := o.(ref); ok {
		if w.seen[r] {
			return
		}
		w.seen[r] = true
	}
	w.nodes++
	if depth > maxTreeDepth || len(w.pages) >= w.limit || w.nodes > maxNodes {
		return
	}
	d := w.file.dict(o)
	if d == nil {
		return
	}
	page := parent
	page.dict = d
	if resources := d["Resources"]; resources != nil {
		page.resources = resources
	}
	if rotate := w.file.resolve(d["Rotate"]); rotate != nil {
		page.rotate = integer(rotate)
	}
	page.media = w.file.boxIn(d, "MediaBox", parent.media)
	page.crop = w.file.boxIn(d, "CropBox", parent.crop)
	kids := w.file.array(d["Kids"])
	if kids == nil {
		w.pages = append(w.pages, page)
	}
	for _, kid := range kids {
		w.walk(kid, page, depth+1)
	}
}

// boxIn returns a rectangle of a dictionary, or the one it inherits.
func (f *File) boxIn(d dict, key name, inherited box) box {
	a := f.array(d[key])
	if len(a) != 4 {
		return inherited
	}
	b := nowhere()
	for i := 0; i < 4; i += 2 {
		b = b.with(number(f.resolve(a[i])), number(f.resolve(a[i+1])))
	}
	return b
}

// content concatenates the page's content streams, up to maxStream.
func (f *File) content(p Page) []byte {
	streams := f.list(p.dict["Contents"])
	var out []byte
	for _, o := range streams {
		s, ok := f.resolve(o).(*stream)
		if !ok {
			continue
		}
		data := f.decode(s)
		if len(streams) == 1 {
			return data
		}
		if len(out)+len(data) > maxStream {
			f.cut = true
			break
		}
		out = append(append(out, data...), '\n')
	}
	return out
}

// Title returns the title in the document's information dictionary, or "".
func (f *File) Title() string {
	return f.textIn("Info", "Title")
}

// Facts returns the author and the time of making in the document's information
// dictionary, and the language of its catalogue, each "" if there is none.
func (f *File) Facts() (author, made, language string) {
	return f.textIn("Info", "Author"), f.textIn("Info", "CreationDate"), f.textIn("Root", "Lang")
}

// Info returns the rest of the document's information dictionary, by names that people use.
func (f *File) Info() map[string]string {
	info := map[string]string{}
	for key, as := range map[name]string{"Title": "title", "Author": "author", "Subject": "subject", "Keywords": "keywords", "Creator": "creator", "Producer": "producer"} {
		info[as] = f.textIn("Info", key)
	}
	return info
}

// textIn returns a text string of one of the trailer's dictionaries.
func (f *File) textIn(dictionary, key name) string {
	s, _ := f.resolve(f.dict(f.trailer[dictionary])[key]).(text)
	return textString(s)
}

// textString decodes a text string (section 7.9.2.2).
func textString(s text) string {
	switch {
	case len(s) >= 2 && s[0] == 0xFE && s[1] == 0xFF:
		return decodeUTF16(s[2:])
	case len(s) >= 3 && s[:3] == "\xEF\xBB\xBF":
		return string(s[3:])
	}
	var t font
	standardEncoding(&t)
	t.chars['\''], t.chars['`'] = "'", "`"
	t.chars['\t'], t.chars['\n'], t.chars['\r'] = " ", " ", " "
	var out strings.Builder
	for _, b := range []byte(s) {
		if b >= 0xA0 { // PDFDocEncoding is Latin-1 there
			out.WriteRune(rune(b))
		} else {
			out.WriteString(t.chars[b])
		}
	}
	return out.String()
}

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
	s, ok := o.(*stream) // it is never encrypted
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

// The maximum number of objects of a file, and the fewest bytes that one takes if it isn't packed, as in "1 0 obj".
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

// scanObjects finds sequences that look like the beginning of an indirect object, as in "12 0 obj".
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

// cutNumber cuts a number with a maximum number of digits, and the white space that follows it, from the end of data.
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
