package pdf

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/charmap"
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
