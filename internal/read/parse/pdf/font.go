package pdf

import (
	"iter"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// A font maps the codes of strings to characters and widths.
type font struct {
	base      string // its name
	bold      bool
	vertical  bool              // lines run down the page
	composite bool              // codes are read by encoding, not byte by byte
	encoding  *cmap             // of a composite font; nil if two-byte codes are glyph numbers
	unicode   *cmap             // to characters; may be nil
	utf16     bool              // codes are UTF-16 themselves
	embedded  map[int]rune      // characters of glyphs, where nothing else says them; may be nil
	glyphOf   []byte            // glyph numbers of codes in embedded, of two bytes each; nil if they are the codes
	charset   encoding.Encoding // of codes in a national standard; may be nil
	chars     [256]string       // of a simple font's codes; "" if unknown
	widths    map[int]float64
	missing   float64 // default width
	scale     float64 // from glyph units to those of text
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
