package parse

import (
	"fmt"
	"regexp"
	"strconv"

	"golang.org/x/text/encoding"

	"github.com/clewhq/clew/internal/domain"
)

// rtfFonts are the encodings of a file's fonts, whose table comes first.
type rtfFonts struct {
	page    *Encoding // of text in a font that has none
	pages   map[int]*Encoding
	font    int // whose entry is read
	inTable bool
	chosen  bool // a person chose the page, so fonts don't count
}

// maxFonts bounds the fonts of a file.
const maxFonts = 10_000

// choose takes the page that a person chose, or the one that the bytes of a file suggest that
// states none for its text or its fonts.
func (f *rtfFonts) choose(w *writer, data []byte) {
	if f.page, f.chosen = w.encoding, w.encoding != nil; f.chosen {
		return
	}
	f.page = encodingOf("windows-1252")
	for _, m := range rtfPages.FindAllSubmatch(data, maxFonts) {
		n, err := strconv.Atoi(string(m[2]))
		if err == nil && (string(m[1]) == "fcharset" && fontPages[n] > 0 || string(m[1]) != "fcharset" && n != 1252 && pageOf(n) != nil) {
			return
		}
	}
	if e := rtfPage(data); e != nil {
		f.page, f.chosen = e, true
		w.warn(fmt.Sprintf("This file does not say which code page its text is in, or says the wrong one; it was read as %s. %s", e.Title, domain.ChooseEncoding))
	}
}

// rtfPages finds the pages that a file states.
var rtfPages = regexp.MustCompile(`\\(ansicpg|fcharset|cpg)(\d{1,6})`)

// word obeys a control word about fonts and pages, and reports whether it was one that only
// the table has.
func (f *rtfFonts) word(word string, n int) {
	switch {
	case f.chosen:
	case word == "ansicpg" || word == "mac" || word == "pc" || word == "pca":
		if e := pageOf(map[string]int{"ansicpg": n, "mac": 10000, "pc": 437, "pca": 850}[word]); e != nil {
			f.page = e
		}
	case word == "f" && f.inTable:
		f.font = n
	case word == "fcharset" && f.inTable:
		f.set(pageOf(fontPages[n]))
	case word == "cpg" && f.inTable:
		f.set(pageOf(n))
	}
}

func (f *rtfFonts) set(e *Encoding) {
	if e == nil || len(f.pages) == maxFonts {
		return
	}
	if f.pages == nil {
		f.pages = make(map[int]*Encoding)
	}
	f.pages[f.font] = e
}

// of returns the encoding of text in a font.
func (f *rtfFonts) of(font int) *Encoding {
	if e := f.pages[font]; e != nil && !f.chosen {
		return e
	}
	return f.page
}

// fontPages are the code pages of the character sets of fonts. Sets 0 and 1 are the usual
// page of the file.
var fontPages = map[int]int{
	77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850,
}

// pageOf returns the encoding of a code page's number, or nil.
func pageOf(n int) *Encoding {
	names := map[int]string{
		874: "windows-874", 932: "shift_jis", 936: "gb18030", 949: "euc-kr", 950: "big5", 10000: "macintosh", 10007: "x-mac-cyrillic", 20866: "koi8-r", 21866: "koi8-u",
		51932: "euc-jp", 51949: "euc-kr", 54936: "gb18030", 65001: "utf-8", 1361: "euc-kr",
	}
	if name := names[n]; name != "" {
		return encodingOf(name)
	}
	for _, prefix := range []string{"windows-", "ibm"} {
		if e := encodingOf(prefix + strconv.Itoa(n)); e != nil && n > 0 {
			return e
		}
	}
	if n > 28590 && n < 28607 {
		return encodingOf("iso-8859-" + strconv.Itoa(n-28590))
	}
	return nil
}

// rtfPage returns the encoding of a file that states none, or Windows-1252 as programs do that
// know no better, from its bytes; nil where they say nothing.
func rtfPage(data []byte) *Encoding {
	var sample []byte
	for i := 0; i < len(data) && len(sample) < maxSample; i++ {
		switch c := data[i]; {
		case c == '\\' && i+3 < len(data) && data[i+1] == '\'':
			n, err := strconv.ParseUint(string(data[i+2:i+4]), 16, 8)
			if err == nil {
				sample = append(sample, byte(n))
			}
			i += 3
		case c == '\\':
			for i+1 < len(data) && (data[i+1] >= 'a' && data[i+1] <= 'z' || data[i+1] >= '0' && data[i+1] <= '9' || data[i+1] == '-') {
				i++
			}
			if i+1 < len(data) && data[i+1] == ' ' {
				i++ // it ends the word
			} else {
				sample = append(sample, ' ')
			}
		case c == '{' || c == '}' || c == '\r' || c == '\n':
		default:
			sample = append(sample, c)
		}
	}
	if isSevenBit(sample) {
		return nil
	}
	g := compare(sample, encodings())
	if usual := encodingOf("windows-1252"); g.of == nil || g.of.codec == encoding.Nop || usual.fits(sample, g) {
		return nil
	}
	return g.of
}
