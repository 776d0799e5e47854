package script

import "strings"

// Symbol returns the character that a code of a symbol font looks like: one from
// 0x20 to 0xFF, or its place in the private use area, from U+F020 to U+F0FF. A
// private character of an unknown font is taken for one of Symbol, or for a usual
// bullet. Symbol reports false for a font that holds ordinary characters, and for a
// picture that no character looks like.
func Symbol(font string, code rune) (rune, bool) {
	private := code >= 0xF020 && code <= 0xF0FF
	if private {
		code -= 0xF000
	}
	if code < 0x20 || code > 0xFF {
		return 0, false
	}
	name := symbolFont(font)
	r, known := rune(0), false
	switch {
	case name == "symbol":
		r, known = symbolAt(code)
	case name != "":
		r, known = pictures[name][code]
	case private:
		if r, known = bullets[code]; !known {
			r, known = symbolAt(code)
		}
	}
	return r, known
}

// IsSymbolFont reports whether the codes of a font stand for other characters.
func IsSymbolFont(font string) bool { return symbolFont(font) != "" }

// Symbols returns a text in a font with the characters that it looks like.
func Symbols(font, text string) string {
	name := symbolFont(font)
	if name == "" && !strings.Contains(text, "\xEF") { // how all private characters of these fonts begin
		return text
	}
	return strings.Map(func(r rune) rune {
		if symbol, ok := Symbol(font, r); ok {
			return symbol
		}
		return r
	}, text)
}

// symbolFont returns the table of a font, or "". A subset of a font has a prefix.
func symbolFont(font string) string {
	if _, rest, ok := strings.Cut(font, "+"); ok {
		font = rest
	}
	font = strings.ToLower(strings.Trim(font, `"' `))
	font = strings.NewReplacer("-regular", "", ",regular", "", " ", "", "-", "").Replace(font)
	switch font {
	case "symbol", "symbolmt", "symbolneu":
		return "symbol"
	case "wingdings", "wingdings2", "webdings":
		return font
	}
	return ""
}

func symbolAt(code rune) (rune, bool) {
	table := []rune(symbolLow)
	switch {
	case code >= 0x20 && code < 0x7F:
		code -= 0x20
	case code >= 0xA0 && code < 0xFF:
		table = []rune(symbolHigh)
		code -= 0xA0
	default:
		return 0, false
	}
	return table[code], table[code] != '\uFFFD'
}

// The characters of the font Symbol from 0x20 to 0x7E, and from 0xA0 to 0xFE.
const (
	symbolLow  = ` !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}~`
	symbolHigh = `€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪�〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭`
)

// bullets are the usual characters of Wingdings, whatever the font is called.
var bullets = map[rune]rune{0x76: '❖', 0xA7: '▪', 0xA8: '◻', 0xD8: '➢', 0xFB: '✗', 0xFC: '✓', 0xFD: '☒', 0xFE: '☑'}

// pictures are the characters of fonts that hold pictures.
var pictures = map[string]map[rune]rune{
	"wingdings": {
		0x20: ' ', 0x22: '✂', 0x28: '☎', 0x29: '✆', 0x2A: '✉', 0x36: '⌛', 0x3E: '✇', 0x3F: '✍', 0x41: '✌', 0x45: '☜', 0x46: '☞', 0x47: '☝', 0x48: '☟', 0x4A: '☺', 0x4B: '😐', 0x4C: '☹',
		0x4F: '⚑', 0x51: '✈', 0x52: '☼', 0x54: '❄', 0x6C: '●', 0x6D: '❍', 0x6E: '■', 0x6F: '□', 0x71: '❑', 0x72: '❒', 0x73: '⬧', 0x74: '⧫', 0x75: '◆', 0x76: '❖', 0x77: '⬥',
		0x80: '⓪', 0x81: '①', 0x82: '②', 0x83: '③', 0x84: '④', 0x85: '⑤', 0x86: '⑥', 0x87: '⑦', 0x88: '⑧', 0x89: '⑨', 0x8A: '⑩',
		0x8B: '⓿', 0x8C: '❶', 0x8D: '❷', 0x8E: '❸', 0x8F: '❹', 0x90: '❺', 0x91: '❻', 0x92: '❼', 0x93: '❽', 0x94: '❾', 0x95: '❿',
		0x9E: '·', 0x9F: '•', 0xA1: '○', 0xA7: '▪', 0xA8: '◻', 0xAB: '★', 0xD8: '➢', 0xDF: '←', 0xE0: '→', 0xE1: '↑', 0xE2: '↓', 0xE7: '←', 0xE8: '→', 0xE9: '↑', 0xEA: '↓',
		0xEF: '⇦', 0xF0: '⇨', 0xF1: '⇧', 0xF2: '⇩', 0xFB: '✗', 0xFC: '✓', 0xFD: '☒', 0xFE: '☑',
	},
	"wingdings2": {0x20: ' ', 0x4F: '✗', 0x50: '✓', 0x51: '☒', 0x52: '☑', 0x53: '☒', 0x54: '☒', 0x96: '●', 0x97: '●', 0x98: '●', 0xA2: '■', 0xA3: '□', 0xA4: '□'},
	"webdings":   {0x20: ' ', 0x61: '✓', 0x63: '□', 0x67: '■', 0x6E: '●', 0x72: '✗'},
}
