package pdf

import (
	"strings"

	"github.com/clewhq/clew/internal/parse/script"
)

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

// symbols returns what private characters of a symbol font look like, and the
// usual bullets whatever the font.
func (t *font) symbols(s string) string {
	if !strings.Contains(s, "\xEF") { // how private characters begin
		return s
	}
	if script.IsSymbolFont(t.base) || strings.Trim(s, "\uF0A7\uF0B7\uF0D8\uF0FC") == "" {
		return script.Symbols(t.base, s)
	}
	return s
}
