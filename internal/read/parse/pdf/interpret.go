package pdf

import (
	"context"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// The limits of one page.
const (
	maxFormDepth  = 12
	maxStates     = 256 // saved graphics states
	maxFormsDrawn = 5000
	maxChars      = 500_000 // characters, and glyphs without characters
)

// A char is a glyph placed on the page, rotated so that its line runs to the
// right.
type char struct {
	text   string
	x0, x1 float64 // start and end along the line
	y      float64 // of the baseline
	size   float64
	turn   int8 // quarter turns on the page
	bold   bool
	struck bool // a line is drawn through it
	shown  shown
	beyond bool // beyond the edges of the page
}

// graphicsState holds the parameters of text operators (section 9.3).
type graphicsState struct {
	ctm         matrix
	font        *font
	size        float64
	char, word  float64 // spacing
	scale       float64 // horizontal
	leading     float64
	rise        float64
	mode        int    // of rendering
	text, start matrix // text matrix and text line matrix
	fill        colour // colour space
	white       bool   // the fill is white
	sheer       bool   // the fill is translucent
	thickness   float64
	clip        box // bounds of the drawable area
}

func initialState() graphicsState {
	return graphicsState{clip: box{math.Inf(-1), math.Inf(-1), math.Inf(1), math.Inf(1)}, ctm: identity(), scale: 1, text: identity(), start: identity(), fill: colour{parts: 1}, thickness: 1}
}

// An interpreter runs content streams (section 7.8.2) and collects the
// characters they show.
type interpreter struct {
	ctx     context.Context
	file    *File
	state   graphicsState
	saved   []graphicsState
	chars   []char
	shown   int // characters, and glyphs without characters
	images  int
	placed  []placed // the first of them
	page    box
	canvas  canvas
	ink     ink
	spaces  map[name]colour
	unknown int // glyphs whose font does not map them to characters
	forms   int
	actual  []*replacement // of open marked content, or nil
}

// A replacement is the text shown in place of marked content's glyphs (section 14.9.4).
type replacement struct {
	text text
	used bool
}

// full reports whether the page shows more than a page may hold.
func (in *interpreter) full() bool { return in.shown > maxChars }

// run interprets a content stream that is nested in depth forms.
func (in *interpreter) run(content []byte, resources dict, depth int) {
	l := lexer{data: content}
	var operands []object
	fonts := make(map[name]*font) // by their names in the resources
	for n := 0; ; n++ {
		o, ok := l.next()
		if !ok || n%1024 == 0 && in.ctx.Err() != nil || in.full() {
			return
		}
		op, isOp := o.(operator)
		switch {
		case !isOp:
			if len(operands) < 64 {
				operands = append(operands, o)
			}
			continue
		case op == "BI":
			in.images++
			in.canvas.picture(in.state.ctm)
			in.ink.add(boxOf(in.state.ctm), in.state.clip)
			skipInlineImage(&l)
		case op == "Do":
			in.draw(last(operands), resources, depth)
		case op == "Tf" && len(operands) >= 2:
			fontName, _ := operands[0].(name)
			if fonts[fontName] == nil {
				fonts[fontName] = in.file.readFont(in.file.dict(resources["Font"])[fontName])
			}
			in.state.font = fonts[fontName]
			in.state.size = number(operands[1])
		default:
			in.apply(op, operands, resources)
		}
		operands = operands[:0]
	}
}

// last returns the last operand, or nil.
func last(operands []object) object {
	if len(operands) == 0 {
		return nil
	}
	return operands[len(operands)-1]
}

// skipInlineImage skips the data of an inline image.
func skipInlineImage(l *lexer) {
	for l.pos+2 < len(l.data) {
		l.pos++
		if isSpace(l.data[l.pos-1]) && l.data[l.pos] == 'E' && l.data[l.pos+1] == 'I' &&
			(l.pos+2 == len(l.data) || isSpace(l.data[l.pos+2])) {
			l.pos += 2
			return
		}
	}
	l.pos = len(l.data)
}

// draw runs a form or counts an image.
func (in *interpreter) draw(o object, resources dict, depth int) {
	key, _ := o.(name)
	s, ok := in.file.resolve(in.file.dict(resources["XObject"])[key]).(*stream)
	if !ok {
		return
	}
	if in.file.resolve(s.dict["Subtype"]) != name("Form") {
		in.images++
		in.canvas.picture(in.state.ctm)
		if len(in.placed) < maxPlaced {
			in.placed = append(in.placed, placed{s, in.state.ctm})
		}
		return
	}
	in.forms++
	if depth >= maxFormDepth || in.forms > maxFormsDrawn {
		return
	}
	in.form(s, identity(), resources, depth)
}

// form runs a form, placed by at.
func (in *interpreter) form(s *stream, at matrix, resources dict, depth int) {
	before, saved := in.state, in.saved
	in.saved = nil
	in.state.ctm = matrixOf(in.file.array(s.dict["Matrix"])).then(at).then(in.state.ctm)
	if b := in.file.array(s.dict["BBox"]); len(b) == 4 {
		m, x, y := in.state.ctm, number(in.file.resolve(b[0])), number(in.file.resolve(b[1]))
		m = matrix{number(in.file.resolve(b[2])) - x, 0, 0, number(in.file.resolve(b[3])) - y, x, y}.then(m)
		in.state.clip = in.state.clip.within(boxOf(m))
	}
	if d := in.file.dict(s.dict["Resources"]); d != nil {
		resources = d
	}
	in.run(in.file.decode(s), resources, depth+1)
	in.state, in.saved = before, saved
}

// apply applies an operator that changes the state or shows text.
func (in *interpreter) apply(op operator, operands []object, resources dict) {
	s := &in.state
	first := number(last(operands))
	switch op {
	case "q":
		if len(in.saved) < maxStates {
			in.saved = append(in.saved, *s)
		}
	case "Q":
		if n := len(in.saved); n > 0 {
			*s = in.saved[n-1]
			in.saved = in.saved[:n-1]
		}
	case "cm":
		s.ctm = matrixOf(operands).then(s.ctm)
	case "BT":
		s.text, s.start = identity(), identity()
	case "Tm":
		s.text = matrixOf(operands)
		s.start = s.text
	case "Tc":
		s.char = first
	case "Tw":
		s.word = first
	case "Tz":
		s.scale = first / 100
	case "TL":
		s.leading = first
	case "Ts":
		s.rise = first
	case "Tr":
		s.mode = integer(last(operands))
	case "BDC", "BMC":
		in.begin(operands, resources)
	case "EMC":
		in.actual = in.actual[:max(0, len(in.actual)-1)]
	default:
		if !in.paint(op, operands, resources) {
			in.show(op, operands)
		}
	}
}

// show applies an operator that positions or shows text.
func (in *interpreter) show(op operator, operands []object) {
	s := &in.state
	switch op {
	case "Td", "TD":
		if len(operands) >= 2 {
			if op == "TD" {
				s.leading = -number(operands[1])
			}
			s.start = s.start.moved(number(operands[0]), number(operands[1]))
			s.text = s.start
		}
	case "T*":
		in.nextLine()
	case "'":
		in.nextLine()
		in.string(last(operands))
	case "\"":
		if len(operands) >= 3 {
			s.word, s.char = number(operands[0]), number(operands[1])
		}
		in.nextLine()
		in.string(last(operands))
	case "Tj":
		in.string(last(operands))
	case "TJ":
		items, _ := last(operands).(array)
		for _, o := range items {
			if n, ok := o.(float64); ok {
				in.advance(-n / 1000 * s.size)
			} else {
				in.string(o)
			}
		}
	}
}

func (in *interpreter) nextLine() {
	in.state.start = in.state.start.moved(0, -in.state.leading)
	in.state.text = in.state.start
}

func (in *interpreter) string(o object) {
	s := &in.state
	codes, ok := o.(text)
	if !ok || s.font == nil {
		return
	}
	for g := range s.font.glyphs(codes) {
		if in.full() {
			return
		}
		advance := g.width*s.size + s.char
		if g.space {
			advance += s.word
		}
		in.add(g)
		in.advance(advance)
	}
}

// advance moves along the line, or down the page if the font is vertical.
func (in *interpreter) advance(by float64) {
	s := &in.state
	if s.font != nil && s.font.vertical {
		s.text = s.text.moved(0, by)
	} else {
		s.text = s.text.moved(by*s.scale, 0)
	}
}

// add places a glyph by the current state.
func (in *interpreter) add(g glyph) {
	if n := len(in.actual); n > 0 && in.actual[n-1] != nil {
		g.text, g.known = in.replaced(in.actual[n-1]), true
	}
	in.shown += max(1, utf8.RuneCountInString(g.text))
	if !g.known {
		in.unknown++
	}
	s := &in.state
	m := s.text.then(s.ctm)
	turn := m.quarter()
	if s.size < 0 { // same as turned around
		turn = (turn + 2) % 4
	}
	width := g.width * s.size
	start, end, middle := m.moved(0, s.rise), m.moved(width*s.scale, s.rise), m.moved(width*s.scale/2, s.rise+0.3*s.size)
	if s.font.vertical {
		turn = (turn + 3) % 4
		start, end, middle = m.moved(-stem*s.size, 0), m.moved(-stem*s.size, width), m.moved(0, width/2)
	}
	x0, y := turned(start.e, start.f, turn)
	x1, _ := turned(end.e, end.f, turn)
	size := math.Abs(s.size) * math.Hypot(m.c, m.d)
	if finite(x0, x1, y, size) && size > 0 {
		c := char{text: g.text, x0: min(x0, x1), x1: max(x0, x1), y: y, size: size, turn: int8(turn), bold: s.font.bold}
		c.shown, c.beyond = in.shownAt(middle.e, middle.f), in.page.misses(start, end, size)
		if n := len(in.chars); n == cap(in.chars) && n > maxChars/4 { // growing step by step would double the memory
			in.chars = slices.Grow(in.chars, maxChars+1-n)
		}
		in.chars = append(in.chars, c)
	}
}

// replaced returns the replacement text at the first glyph, and nothing at the
// others. Marked content that shows nothing never decodes it.
func (in *interpreter) replaced(r *replacement) string {
	if r.used || !in.file.spend(len(r.text)) {
		return ""
	}
	r.used = true
	return textString(r.text)
}

// begin opens marked content, whose properties may hold replacement text.
func (in *interpreter) begin(operands []object, resources dict) {
	var actual *replacement
	if n := len(in.actual); n > 0 {
		actual = in.actual[n-1]
	}
	properties, _ := last(operands).(dict)
	if key, ok := last(operands).(name); ok && len(operands) == 2 {
		properties = in.file.dict(in.file.dict(resources["Properties"])[key])
	}
	if s, ok := in.file.resolve(properties["ActualText"]).(text); ok {
		actual = &replacement{text: s}
	}
	if len(in.actual) < maxStates {
		in.actual = append(in.actual, actual)
	}
}

// A font maps the codes of strings to characters and widths.
type font struct {
	base      string // its name
	bold      bool
	vertical  bool              // lines run down the page
	composite bool              // codes are read by encoding, not byte by byte
	encoding  *cmap             // of a composite font; nil if two-byte codes are glyph numbers
	unicode   *cmap             // to characters; may be nil
	utf16     bool              // codes are UTF-16 themselves
	embedded  map[int]rune      // characters of glyphs, if nothing else gives them; may be nil
	glyphOf   []byte            // two-byte glyph numbers of codes in embedded; nil if codes are glyph numbers
	charset   encoding.Encoding // of codes in a national standard; may be nil
	chars     [256]string       // of a simple font's codes; "" if unknown
	widths    map[int]float64
	missing   float64 // default width
	scale     float64 // from glyph units to text units
}

// A glyph is a decoded code of a string.
type glyph struct {
	text  string  // "" if unknown
	width float64 // at size 1
	space bool    // word spacing applies
	known bool
}

func (f *File) readFont(o object) *font {
	r, isRef := o.(ref)
	if found := f.fonts[r]; isRef && found != nil {
		return found
	}
	d := f.dict(o)
	t := &font{widths: make(map[int]float64), scale: 0.001}
	base, _ := f.resolve(d["BaseFont"]).(name)
	t.base = string(base)
	if s, ok := f.resolve(d["ToUnicode"]).(*stream); ok {
		t.unicode = f.readCMap(s)
	}
	if f.resolve(d["Subtype"]) == name("Type0") {
		f.readComposite(t, d)
	} else {
		f.readSimple(t, d)
	}
	if isRef {
		f.fonts[r] = t
	}
	return t
}

// readComposite reads a font with multi-byte codes (section 9.7).
func (f *File) readComposite(t *font, d dict) {
	t.composite = true
	switch codes := f.resolve(d["Encoding"]).(type) {
	case *stream:
		t.encoding = f.readCMap(codes)
		t.vertical = integer(f.resolve(codes.dict["WMode"])) == 1
	case name:
		t.vertical = strings.HasSuffix(string(codes), "-V") || codes == "V"
		t.charset = charsetOf(string(codes))
		t.utf16 = strings.HasPrefix(string(codes), "Uni") && (strings.Contains(string(codes), "UCS2") || strings.Contains(string(codes), "UTF16"))
	}
	var descendant dict
	if fonts := f.array(d["DescendantFonts"]); len(fonts) > 0 {
		descendant = f.dict(fonts[0])
	}
	t.bold = f.isBold(descendant)
	if identity, _ := f.resolve(d["Encoding"]).(name); t.unicode == nil && strings.HasPrefix(string(identity), "Identity-") {
		t.embedded = f.embeddedChars(f.dict(descendant["FontDescriptor"]))
		if s, ok := f.resolve(descendant["CIDToGIDMap"]).(*stream); ok {
			t.glyphOf = f.decode(s)
		}
	}
	t.missing = 1000
	if t.vertical {
		f.readHeights(t, descendant)
		return
	}
	if w, ok := f.resolve(descendant["DW"]).(float64); ok {
		t.missing = w
	}
	f.readGlyphWidths(t, f.array(descendant["W"]))
}

// isBold reports whether a font is bold by its name, weight or flags (section 9.8).
func (f *File) isBold(d dict) bool {
	const forceBold = 1 << 18
	descriptor := f.dict(d["FontDescriptor"])
	base, _ := f.resolve(d["BaseFont"]).(name)
	return strings.Contains(strings.ToLower(string(base)), "bold") ||
		number(f.resolve(descriptor["FontWeight"])) >= 600 || integer(f.resolve(descriptor["Flags"]))&forceBold != 0
}

const maxGlyphs = 65536

// readGlyphWidths reads the widths of a composite font: entries of a first
// glyph and a list, or of a range and one width.
func (f *File) readGlyphWidths(t *font, w array) {
	for len(w) >= 2 {
		first := integer(f.resolve(w[0]))
		if list := f.array(w[1]); list != nil {
			for i, o := range list[:min(len(list), maxGlyphs)] {
				t.widths[first+i] = number(f.resolve(o))
			}
			w = w[2:]
			continue
		}
		if len(w) < 3 {
			return
		}
		width := number(f.resolve(w[2]))
		for i := first; i <= min(integer(f.resolve(w[1])), first+maxGlyphs); i++ {
			t.widths[i] = width
		}
		w = w[3:]
	}
}

// readSimple reads a font with single-byte codes (section 9.6).
func (f *File) readSimple(t *font, d dict) {
	descriptor := f.dict(d["FontDescriptor"])
	base, _ := f.resolve(d["BaseFont"]).(name)
	t.bold = f.isBold(d)
	t.missing = number(f.resolve(descriptor["MissingWidth"]))
	f.readEncoding(t, d, descriptor)
	if matrix := f.array(d["FontMatrix"]); len(matrix) == 6 && f.resolve(d["Subtype"]) == name("Type3") {
		t.scale = number(f.resolve(matrix[0]))
	}
	first := integer(f.resolve(d["FirstChar"]))
	widths := f.array(d["Widths"])
	for i, o := range widths[:min(len(widths), 256)] {
		t.widths[first+i] = number(f.resolve(o))
	}
	if len(widths) == 0 {
		standardWidths(t, string(base))
	}
}

// readEncoding maps the codes of a simple font to characters.
func (f *File) readEncoding(t *font, d, descriptor dict) {
	encoding := f.resolve(d["Encoding"])
	base, _ := encoding.(name)
	e, _ := encoding.(dict)
	if e != nil {
		base, _ = f.resolve(e["BaseEncoding"]).(name)
	}
	switch base {
	case "WinAnsiEncoding":
		fromCharmap(t, charmap.Windows1252)
	case "MacRomanEncoding":
		fromCharmap(t, charmap.Macintosh)
	default:
		standardEncoding(t)
		if s, ok := f.resolve(descriptor["FontFile"]).(*stream); ok {
			builtInEncoding(t, f.decode(s))
		}
	}
	symbols := t.readSymbols()
	at := 0
	for _, o := range f.array(e["Differences"]) {
		switch o := f.resolve(o).(type) {
		case float64:
			at = integer(o)
		case name:
			if s := glyphText(string(o)); at >= 0 && at < 256 && (s != "" || !symbols) {
				t.chars[at] = s
			}
			at++
		}
	}
}

// glyphs decodes a string.
func (t *font) glyphs(s text) iter.Seq[glyph] {
	return func(yield func(glyph) bool) {
		for len(s) > 0 {
			c := code{uint32(s[0]), 1}
			if t.composite {
				c = t.nextCode(s)
			}
			s = s[max(1, c.size):]
			if !yield(t.glyph(c)) {
				return
			}
		}
	}
}

func (t *font) nextCode(s text) code {
	if t.charset != nil {
		return nationalCode(t.charset, s)
	}
	if t.encoding != nil && len(t.encoding.spaces) > 0 {
		return t.encoding.next(s)
	}
	return codeOf(s[:min(2, len(s))])
}

func (t *font) glyph(c code) glyph {
	g := glyph{space: c.size == 1 && c.value == ' '}
	number := int(c.value)
	if t.encoding != nil {
		number = t.encoding.glyph(c)
	}
	width, ok := t.widths[number]
	if !ok {
		width = t.missing
	}
	g.width = width * t.scale
	g.text, g.known = t.text(c)
	return g
}

// text returns the characters of a code, if known.
func (t *font) text(c code) (string, bool) {
	if t.unicode != nil {
		if s, ok := t.unicode.text(c); ok {
			return t.symbols(s), true
		}
	}
	switch {
	case t.charset != nil:
		return nationalText(t.charset, c)
	case t.utf16:
		return string(rune(c.value)), true
	case t.embedded != nil:
		glyph := int(c.value)
		if t.glyphOf != nil {
			glyph = at16(t.glyphOf, 2*glyph)
		}
		r, ok := t.embedded[glyph]
		if !ok {
			return "", false
		}
		return string(r), true
	case !t.composite && c.value < 256:
		s := t.chars[c.value]
		return s, s != ""
	}
	return "", false
}
