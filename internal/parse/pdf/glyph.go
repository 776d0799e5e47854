package pdf

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// glyphNames lists glyph names, each before its characters. Letters with
// accents are composed.
const glyphNames = `
space 0020 exclam ! quotedbl " numbersign # dollar $ percent % ampersand & quotesingle ' parenleft ( parenright ) asterisk *
plus + comma , hyphen - minus − period . slash / zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9
colon : semicolon ; less < equal = greater > question ? at @ bracketleft [ backslash \ bracketright ] asciicircum ^
underscore _ grave ` + "`" + ` braceleft { bar | braceright } asciitilde ~ exclamdown ¡ cent ¢ sterling £ currency ¤ yen ¥
brokenbar ¦ section § dieresis ¨ copyright © ordfeminine ª guillemotleft « logicalnot ¬ registered ® macron ¯ degree °
plusminus ± twosuperior ² threesuperior ³ acute ´ mu µ paragraph ¶ periodcentered · cedilla ¸ onesuperior ¹
ordmasculine º guillemotright » onequarter ¼ onehalf ½ threequarters ¾ questiondown ¿ AE Æ ae æ multiply × divide ÷
Oslash Ø oslash ø germandbls ß Eth Ð eth ð Thorn Þ thorn þ dotlessi ı dotlessj ȷ Lslash Ł lslash ł OE Œ oe œ Dcroat Đ dcroat đ
Hbar Ħ hbar ħ Tbar Ŧ tbar ŧ Eng Ŋ eng ŋ kgreenlandic ĸ longs ſ florin ƒ circumflex ˆ caron ˇ breve ˘ dotaccent ˙ ring ˚
ogonek ˛ tilde ˜ hungarumlaut ˝ endash – emdash — quoteleft ‘ quoteright ’ quotesinglbase ‚ quotedblleft “ quotedblright ”
quotedblbase „ dagger † daggerdbl ‡ bullet • ellipsis … perthousand ‰ guilsinglleft ‹ guilsinglright › fraction ⁄
Euro € euro € trademark ™ estimated ℮ ff ff fi fi fl fl ffi ffi ffl ffl nbspace 0020 sfthyphen 00AD nonbreakingspace 0020
Alpha Α Beta Β Gamma Γ Delta Δ Epsilon Ε Zeta Ζ Eta Η Theta Θ Iota Ι Kappa Κ Lambda Λ Mu Μ Nu Ν Xi Ξ Omicron Ο Pi Π Rho Ρ
Sigma Σ Tau Τ Upsilon Υ Phi Φ Chi Χ Psi Ψ Omega Ω alpha α beta β gamma γ delta δ epsilon ε epsilon1 ϵ zeta ζ eta η theta θ
theta1 ϑ iota ι kappa κ lambda λ nu ν xi ξ omicron ο pi π pi1 ϖ rho ρ rho1 ϱ sigma σ sigma1 ς tau τ upsilon υ phi φ phi1 ϕ
chi χ psi ψ omega ω partialdiff ∂ summation ∑ product ∏ integral ∫ radical √ infinity ∞ approxequal ≈ notequal ≠
lessequal ≤ greaterequal ≥ lozenge ◊ arrowleft ← arrowup ↑ arrowright → arrowdown ↓ arrowboth ↔ arrowdblright ⇒
arrowdblleft ⇐ arrowdblboth ⇔ element ∈ notelement ∉ existential ∃ universal ∀ emptyset ∅ intersection ∩ union ∪
propersubset ⊂ propersuperset ⊃ reflexsubset ⊆ logicaland ∧ logicalor ∨ similar ∼ congruent ≅ equivalence ≡ asteriskmath ∗
periodinferior . dotmath ⋅ perpendicular ⊥ angle ∠ gradient ∇ proportional ∝ therefore ∴ circleplus ⊕ circlemultiply ⊗
visiblespace 0020 triagbullet ‣ openbullet ◦ checkmark ✓ star ★ heart ♥ club ♣ diamond ♦ spade ♠ numero № afii61352 №
`

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
