package pdf

import (
	"bytes"
	"cmp"
	_ "embed"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/unicode/norm"

	"github.com/clewhq/clew/internal/read/parse/script"
)

// fromCharmap sets the characters of a code page. Undefined codes show a
// bullet (annex D.2).
func fromCharmap(t *font, m *charmap.Charmap) {
	for i := 0x20; i < 256; i++ {
		t.chars[i] = "•"
		if r := m.DecodeByte(byte(i)); r != '\uFFFD' && (r < 0x7F || r > 0x9F) {
			t.chars[i] = string(r)
		}
	}
}

// standardEncoding sets the characters of Adobe's standard encoding (annex D.2).
func standardEncoding(t *font) {
	for i := 0x20; i < 0x7F; i++ {
		t.chars[i] = string(rune(i))
	}
	t.chars['\''], t.chars['`'] = "’", "‘"
	const upper = "¡¢£⁄¥ƒ§¤'“«‹›\x00\x00\x00–†‡·\x00¶•‚„”»…‰\x00¿\x00`´ˆ˜¯˘˙¨\x00˚¸\x00˝˛ˇ—"
	i := 0xA1
	for _, r := range upper {
		if r != 0 {
			t.chars[i] = string(r)
		}
		i++
	}
	t.chars[0xAE], t.chars[0xAF], t.chars[0xB0] = "fi", "fl", ""
	for code, s := range map[int]string{0xE1: "Æ", 0xE3: "ª", 0xE8: "Ł", 0xE9: "Ø", 0xEA: "Œ", 0xEB: "º", 0xF1: "æ", 0xF5: "ı", 0xF8: "ł", 0xF9: "ø", 0xFA: "œ", 0xFB: "ß"} {
		t.chars[code] = s
	}
}

// builtInEncoding sets the characters that the clear part of a Type 1 font
// program names, in lines like "dup 65 /A put".
func builtInEncoding(t *font, program []byte) {
	if i := bytes.Index(program, []byte("eexec")); i >= 0 {
		program = program[:i]
	}
	start := bytes.Index(program, []byte("/Encoding"))
	if start < 0 {
		return
	}
	l := lexer{data: program, pos: start}
	var before [2]object
	for {
		o, ok := l.next()
		if !ok || o == operator("readonly") || o == operator("def") {
			return
		}
		if n, isNumber := before[1].(float64); isNumber && before[0] == operator("dup") && n >= 0 && n < 256 {
			if glyph, isName := o.(name); isName {
				t.chars[int(n)] = glyphText(string(glyph))
			}
		}
		before[0], before[1] = before[1], o
	}
}

// standardWidths sets the widths of a font without any to those of the
// standard font with its name, or of the most similar one.
func standardWidths(t *font, base string) {
	if _, rest, ok := strings.Cut(base, "+"); ok {
		base = rest
	}
	widths := standardFont(base)
	if widths == nil {
		widths = standardFont(nearestStandard(strings.ToLower(base)))
	}
	for i, s := range t.chars {
		for _, r := range s {
			if w, known := widths[r]; known {
				t.widths[i] += w
			} else {
				t.widths[i] += widest
			}
		}
	}
}

// nearestStandard returns the standard font most similar to one of that name.
func nearestStandard(base string) string {
	bold := strings.Contains(base, "bold")
	switch {
	case strings.Contains(base, "courier"), strings.Contains(base, "mono"):
		return "Courier"
	case strings.Contains(base, "times"), strings.Contains(base, "serif"):
		if bold {
			return "Times-Bold"
		}
		return "Times-Roman"
	case bold:
		return "Helvetica-Bold"
	}
	return "Helvetica"
}

// glyphText returns the characters of a glyph name by the Adobe Glyph List
// specification: parts joined by _, a suffix after a dot, uniXXXX and uXXXXX.
// It is empty for names such as g17.
func glyphText(glyph string) string {
	glyph, _, _ = strings.Cut(glyph, ".")
	var b strings.Builder
	for part := range strings.SplitSeq(glyph, "_") {
		b.WriteString(glyphPart(part))
	}
	return b.String()
}

func glyphPart(part string) string {
	if s := glyphNamed(part); s != "" {
		return s
	}
	if digits, ok := strings.CutPrefix(part, "uni"); ok && len(digits) >= 4 && len(digits)%4 == 0 {
		l := lexer{data: []byte(digits)}
		s, _ := l.hex().(text)
		return decodeUTF16(s)
	}
	if digits, ok := strings.CutPrefix(part, "u"); ok && len(digits) >= 4 && len(digits) <= 6 {
		if n, err := strconv.ParseUint(digits, 16, 32); err == nil && n <= 0x10FFFF {
			return string(rune(n))
		}
	}
	return ""
}

// readSymbols sets the characters of a font that holds symbols in the place of
// letters, such as Symbol and ZapfDingbats, and reports whether it is one.
func (t *font) readSymbols() (found bool) {
	name := strings.ToLower(t.base[strings.IndexByte(t.base, '+')+1:])
	for i := range t.chars {
		var r rune
		var ok bool
		if name == "zapfdingbats" {
			r, ok = dingbat(rune(i))
		} else {
			r, ok = script.Symbol(t.base, rune(i))
		}
		if ok {
			t.chars[i], found = string(r), true
		}
	}
	return found
}

// dingbat returns the character of a code of ZapfDingbats (annex D.6). Unicode
// has them in the same order, but for those that it had already.
func dingbat(code rune) (rune, bool) {
	if known := map[rune]rune{0x25: '☎', 0x2A: '☛', 0x2B: '☞', 0x48: '★', 0x6C: '●', 0x6E: '■', 0x73: '▲', 0x74: '▼', 0x75: '◆', 0x77: '◗', 0xA8: '♣', 0xA9: '♦', 0xAA: '♥', 0xAB: '♠', 0xD5: '→', 0xD6: '↔', 0xD7: '↕'}[code]; known != 0 {
		return known, true
	}
	switch {
	case code > 0x20 && code < 0x7F:
		return 0x2701 + code - 0x21, true
	case code >= 0xA1 && code <= 0xA7:
		return 0x2761 + code - 0xA1, true
	case code >= 0xAC && code <= 0xB5:
		return 0x2460 + code - 0xAC, true
	case code >= 0xB6 && code <= 0xFE && code != 0xF0:
		return 0x2776 + code - 0xB6, true
	}
	return 0, false
}

// symbols maps private characters of a symbol font to what they look like, and those of the usual bullets in any font.
func (t *font) symbols(s string) string {
	if !strings.Contains(s, "\xEF") { // the first byte of private characters
		return s
	}
	if script.IsSymbolFont(t.base) || strings.Trim(s, "\uF0A7\uF0B7\uF0D8\uF0FC") == "" {
		return script.Symbols(t.base, s)
	}
	return s
}

// standardTable has a block for each set of widths of the 14 standard fonts (section 9.6.2.2): a line with the
// fonts, then for each width a line with it and the characters that have it, in hexadecimal, as ranges.
//
//go:embed standard_widths.txt
var standardTable string

// widest is the width of a missing character of a standard font, in thousandths of the size.
const widest = 1000

// standardFont returns the widths of a standard font's characters, nil for another font.
func standardFont(name string) map[rune]float64 {
	for block := range strings.SplitSeq(standardTable, "\n\n") {
		fonts, table, _ := strings.Cut(block, "\n")
		if slices.Contains(strings.Fields(fonts), name) {
			return readWidths(table)
		}
	}
	return nil
}

func readWidths(table string) map[rune]float64 {
	widths := map[rune]float64{}
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		width, err := strconv.ParseFloat(fields[0], 64)
		if err != nil {
			continue
		}
		for _, span := range fields[1:] {
			first, last, _ := strings.Cut(span, "-")
			last = cmp.Or(last, first)
			from, _ := strconv.ParseInt(first, 16, 32)
			to, _ := strconv.ParseInt(last, 16, 32)
			for r := rune(from); r <= rune(to); r++ {
				widths[r] = width
			}
		}
	}
	return widths
}

// charsetOf returns the national standard of a predefined CMap's codes (section 9.7.5.2), or nil.
func charsetOf(cmap string) encoding.Encoding {
	switch name, _, _ := strings.Cut(cmap, "-"); {
	case strings.Contains(cmap, "-RKSJ-"):
		return japanese.ShiftJIS
	case name == "EUC":
		return japanese.EUCJP
	case strings.HasPrefix(cmap, "GB-EUC-"), name == "GBK", name == "GBKp", name == "GBpc", strings.HasPrefix(cmap, "GBK2K-"):
		return simplifiedchinese.GB18030
	case name == "B5pc", name == "ETen", name == "ETenms", strings.HasPrefix(cmap, "HKscs-B5-"):
		return traditionalchinese.Big5
	case strings.HasPrefix(cmap, "KSC-EUC-"), name == "KSCms", name == "KSCpc":
		return korean.EUCKR
	}
	return nil
}

// nationalCode returns the code at the front of s: of one byte where that is a
// character, or the start of none.
func nationalCode(charset encoding.Encoding, s text) code {
	if b := s[0]; b < 0x80 || charset == japanese.ShiftJIS && b >= 0xA0 && b < 0xE0 || len(s) == 1 {
		return codeOf(s[:1])
	}
	if charset == simplifiedchinese.GB18030 && len(s) >= 4 && s[1] >= '0' && s[1] <= '9' {
		return codeOf(s[:4])
	}
	return codeOf(s[:2])
}

// nationalText returns the characters of a code.
func nationalText(charset encoding.Encoding, c code) (string, bool) {
	var b []byte
	for i := c.size - 1; i >= 0; i-- {
		b = append(b, byte(c.value>>(8*i)))
	}
	s, err := charset.NewDecoder().String(string(b))
	return s, err == nil && !strings.Contains(s, "\uFFFD")
}

// glyphNames lists glyph names, each before its characters. Letters with
// accents are composed.
//
//go:embed glyphs.txt
var glyphNames string

// accents lists the endings of the names of accented letters with their
// combining characters.
const accents = `grave 0300 acute 0301 circumflex 0302 tilde 0303 macron 0304 breve 0306 dotaccent 0307 dieresis 0308 ring 030A
hungarumlaut 030B caron 030C commaaccent 0327 cedilla 0327 ogonek 0328 dot 0307`

// glyphNamed returns the characters of a glyph name, or "" if it is unknown.
func glyphNamed(glyph string) string {
	if len(glyph) == 1 && (glyph[0]|0x20) >= 'a' && (glyph[0]|0x20) <= 'z' {
		return glyph
	}
	if s := lookUp(glyphNames, glyph); s != "" {
		return s
	}
	letter, size := utf8.DecodeRuneInString(glyph)
	base := string(letter)
	if strings.HasPrefix(glyph, "dotless") {
		return ""
	}
	if mark := lookUp(accents, glyph[min(size, len(glyph)):]); mark != "" {
		return norm.NFC.String(base + mark)
	}
	return ""
}

// lookUp returns the word that follows the given one in a list of pairs.
func lookUp(pairs, word string) string {
	if word == "" {
		return ""
	}
	for rest := pairs; ; {
		i := strings.Index(rest, word)
		if i < 0 {
			return ""
		}
		after := rest[i+len(word):]
		standsAlone := (i == 0 || isSpace(rest[i-1])) && after != "" && isSpace(after[0])
		if value := strings.Fields(after[:min(len(after), 16)]); standsAlone && len(value) > 0 {
			return unquote(value[0])
		}
		rest = after
	}
}

// unquote returns s, or the character if s is its code in four hexadecimal digits.
func unquote(s string) string {
	if len(s) != 4 || !strings.HasPrefix(s, "0") {
		return s
	}
	l := lexer{data: []byte(s)}
	digits, _ := l.hex().(text)
	return decodeUTF16(digits)
}

// The limits of an embedded font: of its tables and of the ranges of one, and of
// the characters in all ranges.
const (
	maxTables = 1 << 12
	maxRanged = 1 << 18
)

// embeddedChars returns the characters of the glyphs of a TrueType font that a
// composite font embeds, by the table that the font maps characters by, or nil.
func (f *File) embeddedChars(descriptor dict) map[int]rune {
	s, ok := f.resolve(descriptor["FontFile2"]).(*stream)
	if !ok {
		return nil
	}
	data := tableOf(f.decode(s), "cmap")
	best, rank := []byte(nil), 0
	for i := range min(at16(data, 2), maxTables) {
		entry := slice(data, 4+8*i)
		platform, kind, offset := at16(entry, 0), at16(entry, 2), at32(entry, 4)
		r := 0
		switch {
		case platform == 3 && kind == 10:
			r = 3
		case platform == 3 && kind == 1, platform == 0:
			r = 2
		}
		if r > rank {
			best, rank = slice(data, offset), r
		}
	}
	chars := make(map[int]rune)
	switch at16(best, 0) {
	case 4:
		segmentChars(best, chars)
	case 12:
		groupChars(best, chars)
	}
	f.spend(mappingBytes * len(chars))
	return chars
}

// groupChars reads a table of groups (format 12).
func groupChars(data []byte, chars map[int]rune) {
	left := maxRanged
	for i := range min(at32(data, 12), maxTables) {
		group := slice(data, 16+12*i)
		first, last, number := at32(group, 0), at32(group, 4), at32(group, 8)
		for c := first; c <= last && c <= 0x10FFFF && left > 0; c++ {
			setChar(chars, number+c-first, rune(c))
			left--
		}
	}
}

// segmentChars reads a table of segments (format 4).
func segmentChars(data []byte, chars map[int]rune) {
	n, left := at16(data, 6)/2, maxRanged
	if len(data) < 16+8*n {
		return
	}
	ends, starts, deltas, offsets := slice(data, 14), slice(data, 16+2*n), slice(data, 16+4*n), slice(data, 16+6*n)
	for i := range min(n, maxTables) {
		first, last, delta, offset := at16(starts, 2*i), at16(ends, 2*i), at16(deltas, 2*i), at16(offsets, 2*i)
		for c := first; c <= last && c < 0xFFFF && left > 0; c++ {
			left--
			number := c
			if offset > 0 {
				if number = at16(offsets, 2*i+offset+2*(c-first)); number == 0 {
					continue
				}
			}
			setChar(chars, (number+delta)&0xFFFF, rune(c))
		}
	}
}

// setChar records the first character of a glyph that is not a private one.
func setChar(chars map[int]rune, glyph int, r rune) {
	if _, known := chars[glyph]; !known && glyph > 0 && r >= ' ' && len(chars) < maxGlyphs && (r < 0xE000 || r > 0xF8FF) {
		chars[glyph] = r
	}
}

// tableOf returns a table of a TrueType font.
func tableOf(data []byte, tag string) []byte {
	for i := range min(at16(data, 4), maxTables) {
		if entry := slice(data, 12+16*i); len(entry) >= 16 && string(entry[:4]) == tag {
			return slice(data, at32(entry, 8))
		}
	}
	return nil
}

// slice returns data from an offset on, which may lie beyond its end.
func slice(data []byte, from int) []byte { return data[min(max(from, 0), len(data)):] }

func at16(data []byte, at int) int { return bigEndian(pick(data, at, 2)) }

func at32(data []byte, at int) int { return bigEndian(pick(data, at, 4)) }

// pick returns n bytes, or none if data is too short.
func pick(data []byte, at, n int) []byte {
	if at < 0 || at > len(data)-n {
		return nil
	}
	return data[at : at+n]
}

// A cmap maps the codes of a font to characters or to glyph numbers (sections
// 9.7.5 and 9.10.3).
type cmap struct {
	spaces []codeSpace
	chars  map[code]string
	ranges []cmapRange // sorted by size and low before use
}

// The limits of a CMap. A code stands for at most 512 bytes (Adobe technical
// note 5411); blocks of mappings have up to 100 lines, and more in some files.
const (
	maxMappings  = 1 << 17
	maxSpaces    = 256
	maxMapped    = 512
	maxOperands  = 3 << 16
	mappingBytes = 48 // approximate memory
)

type code struct {
	value uint32
	size  int // in bytes
}

// A codeSpace is a range of valid codes.
type codeSpace struct {
	low, high uint32
	size      int
}

// A cmapRange maps codes from low to high to successive values.
type cmapRange struct {
	low, high uint32
	size      int
	first     uint32 // glyph number of low
	text      string // or its characters
}

func codeOf(o object) code {
	s, _ := o.(text)
	return code{uint32(bigEndian([]byte(s[:min(len(s), 4)]))), len(s)}
}

// readCMap reads a CMap and counts its entries.
func (f *File) readCMap(s *stream) *cmap {
	m := parseCMap(f.decode(s))
	f.spend(mappingBytes * (len(m.chars) + len(m.ranges)))
	return m
}

// parseCMap parses the mapping operators of a CMap and ignores the rest.
func parseCMap(data []byte) *cmap {
	m := &cmap{chars: make(map[code]string)}
	l := lexer{data: data}
	var operands []object
	for len(m.chars)+len(m.ranges) < maxMappings {
		o, ok := l.next()
		if !ok {
			break
		}
		op, isOp := o.(operator)
		if !isOp {
			if len(operands) < maxOperands {
				operands = append(operands, o)
			}
			continue
		}
		m.apply(op, operands)
		operands = operands[:0]
	}
	slices.SortStableFunc(m.ranges, func(r, s cmapRange) int { return cmp.Or(r.size-s.size, cmp.Compare(r.low, s.low)) })
	return m
}

func (m *cmap) apply(op operator, operands []object) {
	switch op {
	case "endcodespacerange":
		for ; len(operands) >= 2 && len(m.spaces) < maxSpaces; operands = operands[2:] {
			low, high := codeOf(operands[0]), codeOf(operands[1])
			m.spaces = append(m.spaces, codeSpace{low.value, high.value, low.size})
		}
	case "endbfchar":
		for ; len(operands) >= 2; operands = operands[2:] {
			if s, ok := operands[1].(text); ok && len(s) <= maxMapped {
				m.chars[codeOf(operands[0])] = decodeUTF16(s)
			}
		}
	case "endbfrange", "endcidrange":
		for ; len(operands) >= 3; operands = operands[3:] {
			m.addRange(codeOf(operands[0]), codeOf(operands[1]), operands[2])
		}
	case "endcidchar":
		for ; len(operands) >= 2; operands = operands[2:] {
			m.addRange(codeOf(operands[0]), codeOf(operands[0]), operands[1])
		}
	}
}

// addRange maps the codes from low to high to successive values from to on, or
// to the items of to.
func (m *cmap) addRange(low, high code, to object) {
	switch to := to.(type) {
	case text:
		if len(to) > maxMapped {
			return
		}
		m.ranges = append(m.ranges, cmapRange{low.value, high.value, low.size, 0, decodeUTF16(to)})
	case float64:
		m.ranges = append(m.ranges, cmapRange{low.value, high.value, low.size, uint32(integer(to)), ""})
	case array:
		for i, o := range to {
			if s, ok := o.(text); ok && len(s) <= maxMapped && low.value+uint32(i) <= high.value {
				m.chars[code{low.value + uint32(i), low.size}] = decodeUTF16(s)
			}
		}
	}
}

func (m *cmap) find(c code) (cmapRange, bool) {
	i := sort.Search(len(m.ranges), func(i int) bool {
		r := m.ranges[i]
		return r.size > c.size || r.size == c.size && r.low > c.value
	})
	if i == 0 || m.ranges[i-1].size != c.size {
		return cmapRange{}, false
	}
	return m.ranges[i-1], c.value <= m.ranges[i-1].high
}

// text returns the characters of a code, if mapped.
func (m *cmap) text(c code) (string, bool) {
	if s, ok := m.chars[c]; ok {
		return s, true
	}
	r, ok := m.find(c)
	if !ok || r.text == "" {
		return "", false
	}
	runes := []rune(r.text)
	runes[len(runes)-1] += rune(c.value - r.low)
	return string(runes), true
}

// glyph returns the glyph number of a code.
func (m *cmap) glyph(c code) int {
	r, ok := m.find(c)
	if !ok {
		return 0
	}
	return int(r.first + c.value - r.low)
}

// next returns the code at the front of s by the code spaces, or one of two
// bytes if none fits.
func (m *cmap) next(s text) code {
	for size := 1; size <= min(4, len(s)); size++ {
		c := codeOf(s[:size])
		for _, space := range m.spaces {
			if space.size == size && c.value >= space.low && c.value <= space.high {
				return c
			}
		}
	}
	return codeOf(s[:min(2, len(s))])
}

// decodeUTF16 decodes big-endian UTF-16; a single byte stands for itself.
func decodeUTF16(s text) string {
	if len(s) == 1 {
		return string(rune(s[0]))
	}
	units := make([]uint16, len(s)/2)
	for i := range units {
		units[i] = uint16(s[2*i])<<8 | uint16(s[2*i+1])
	}
	return string(utf16.Decode(units))
}
