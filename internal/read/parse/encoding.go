package parse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	xunicode "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// An Encoding maps the bytes of a text to characters.
type Encoding struct {
	domain.TextEncoding

	codec encoding.Encoding
	tells int       // cost of its name if the bytes allow several; -1 if bytes are not compared with it
	langs []*tongue // that use its letters
}

// encodings are all that can be chosen. Those that many programs write come before
// their like: of two that read the same text, the first is named.
var encodings = sync.OnceValue(func() []*Encoding {
	t := tongues()
	latin, central, cyrillic := t["west"], t["central"], t["cyrillic"]
	titles := make(map[string]string)
	for _, e := range domain.TextEncodings() {
		titles[e.Name] = e.Title
	}
	of := func(name string, codec encoding.Encoding, tells int, langs []*tongue) *Encoding {
		return &Encoding{domain.TextEncoding{Name: name, Title: titles[name]}, codec, tells, langs}
	}
	return []*Encoding{
		of("utf-8", encoding.Nop, -1, nil),
		of("utf-16le", xunicode.UTF16(xunicode.LittleEndian, xunicode.UseBOM), -1, nil),
		of("utf-16be", xunicode.UTF16(xunicode.BigEndian, xunicode.UseBOM), -1, nil),
		of("utf-32le", utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), -1, nil),
		of("utf-32be", utf32.UTF32(utf32.BigEndian, utf32.UseBOM), -1, nil),
		of("windows-1252", charmap.Windows1252, 0, latin),
		of("gb18030", simplifiedchinese.GB18030, 0, t["simplified"]),
		of("shift_jis", japanese.ShiftJIS, 0, t["japanese"]),
		of("euc-jp", japanese.EUCJP, 0, t["japanese"]),
		of("iso-2022-jp", japanese.ISO2022JP, -1, nil),
		of("big5", traditionalchinese.Big5, 0, t["traditional"]),
		of("euc-kr", korean.EUCKR, 0, t["korean"]),
		of("windows-1251", charmap.Windows1251, 0, cyrillic),
		of("koi8-r", charmap.KOI8R, 1, cyrillic),
		of("koi8-u", charmap.KOI8U, 2, cyrillic),
		of("iso-8859-5", charmap.ISO8859_5, 2, cyrillic),
		of("ibm866", charmap.CodePage866, 2, cyrillic),
		of("x-mac-cyrillic", charmap.MacintoshCyrillic, 6, cyrillic),
		of("windows-1250", charmap.Windows1250, 1, central),
		of("iso-8859-2", charmap.ISO8859_2, 2, central),
		of("ibm852", charmap.CodePage852, 6, central),
		of("windows-1253", charmap.Windows1253, 0, t["greek"]),
		of("iso-8859-7", charmap.ISO8859_7, 1, t["greek"]),
		of("windows-1254", charmap.Windows1254, 1, t["turkish"]),
		of("windows-1255", charmap.Windows1255, 0, t["hebrew"]),
		of("iso-8859-8", charmap.ISO8859_8, 1, t["hebrew"]),
		of("windows-1256", charmap.Windows1256, 0, t["arabic"]),
		of("iso-8859-6", charmap.ISO8859_6, 1, t["arabic"]),
		of("windows-1257", charmap.Windows1257, 2, t["baltic"]),
		of("iso-8859-13", charmap.ISO8859_13, 3, t["baltic"]),
		of("windows-1258", charmap.Windows1258, 2, t["vietnamese"]),
		of("windows-874", charmap.Windows874, 0, t["thai"]),
		of("iso-8859-1", charmap.ISO8859_1, -1, nil),
		of("iso-8859-3", charmap.ISO8859_3, -1, nil),
		of("iso-8859-4", charmap.ISO8859_4, 5, t["baltic"]),
		of("iso-8859-9", charmap.ISO8859_9, -1, nil),
		of("iso-8859-10", charmap.ISO8859_10, -1, nil),
		of("iso-8859-14", charmap.ISO8859_14, -1, nil),
		of("iso-8859-15", charmap.ISO8859_15, 3, latin),
		of("iso-8859-16", charmap.ISO8859_16, 5, central),
		of("macintosh", charmap.Macintosh, 5, latin),
		of("ibm850", charmap.CodePage850, 5, latin),
		of("ibm437", charmap.CodePage437, 6, latin),
		of("hz-gb-2312", simplifiedchinese.HZGB2312, -1, nil),
	}
})

// EncodingNamed returns the name of the encoding that a person or a file calls by one
// of its names: utf8, cp1251, gbk, latin1. It returns "" for "". It fails with kind
// Invalid for a name that is not known.
func EncodingNamed(label string) (string, error) {
	if strings.TrimSpace(label) == "" {
		return "", nil
	}
	if e := encodingOf(label); e != nil {
		return e.Name, nil
	}
	names := lists.Map(encodings(), func(e *Encoding) string { return e.Name })
	return "", domain.Errorf(domain.Invalid, "There is no encoding %q. Choose one of these: %s.", printable(label), strings.Join(names, ", "))
}

// otherNames are names of encodings that neither the list nor the web has.
var otherNames = map[string]string{
	"utf-16": "utf-16le", "utf16": "utf-16le", "utf-32": "utf-32le", "utf32": "utf-32le", "utf-32le": "utf-32le", "utf-32be": "utf-32be", "cp932": "shift_jis", "cp936": "gb18030",
	"ms936": "gb18030", "cp949": "euc-kr", "uhc": "euc-kr", "ks_c_5601": "euc-kr", "cp950": "big5", "cp437": "ibm437", "437": "ibm437", "dos": "ibm437", "cp850": "ibm850", "850": "ibm850",
	"ibm850": "ibm850", "ibm437": "ibm437", "ibm852": "ibm852", "cp852": "ibm852", "852": "ibm852", "cp874": "windows-874", "tis620": "windows-874", "latin-1": "windows-1252", "hz": "hz-gb-2312",
	"eucjp": "euc-jp", "euckr": "euc-kr", "sjis": "shift_jis", "ansi": "windows-1252", "win1251": "windows-1251", "koi8r": "koi8-r", "gb-2312": "gb18030", "macroman": "macintosh", "macos": "macintosh",
}

// encodingOf returns the encoding with a label, or nil.
func encodingOf(label string) *Encoding {
	label = strings.ToLower(strings.TrimSpace(label))
	of := func(name string) *Encoding {
		all := encodings()
		if i := slices.IndexFunc(all, func(e *Encoding) bool { return e.Name == name }); i >= 0 {
			return all[i]
		}
		return nil
	}
	if e := of(label); e != nil {
		return e
	}
	if name, ok := otherNames[label]; ok {
		return of(name)
	}
	codec, err := htmlindex.Get(label)
	if err != nil {
		codec, _ = charset.Lookup(label)
	}
	if codec == nil || codec == encoding.Replacement {
		return nil
	}
	name, err := htmlindex.Name(codec)
	if err != nil {
		return nil
	}
	switch name {
	case "gbk":
		name = "gb18030"
	case "iso-8859-8-i":
		name = "iso-8859-8"
	}
	return of(name)
}

// decode converts bytes to UTF-8; those that the encoding does not have become U+FFFD.
func (e *Encoding) decode(data []byte) string {
	if e.codec == encoding.Nop {
		return strings.ToValidUTF8(string(data), "\uFFFD")
	}
	text, err := e.codec.NewDecoder().Bytes(data)
	if err != nil { // it can't be: decoders replace bytes that they can't read
		return strings.ToValidUTF8(string(data), "\uFFFD")
	}
	return strings.TrimPrefix(string(text), "\uFEFF")
}

// wholeSample is the length of the part of a long text from which its encoding is guessed, in bytes.
const wholeSample = 1 << 20

// Whole prepares a long text to be cut into parts. It returns the encoding in which all parts are
// to be read: the one that was chosen, or that the text suggests; "" for UTF-8. A text whose
// bytes can't be cut apart anywhere, as in UTF-16, is converted to UTF-8.
func Whole(text io.Reader, chosen string) (io.Reader, string, error) {
	head := make([]byte, wholeSample)
	n, err := io.ReadFull(text, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, "", err
	}
	head = head[:n]
	text = io.MultiReader(bytes.NewReader(head), text)
	e := encodingOf(chosen)
	if e == nil {
		e = guessEncoding(head[:n&^3]).of
	}
	switch {
	case e == nil, e.Name == "utf-8":
		return text, chosen, nil
	case strings.HasPrefix(e.Name, "utf-"):
		return transform.NewReader(text, e.codec.NewDecoder()), "", nil
	}
	return text, e.Name, nil
}

// readAs returns the warning that a text was read in an encoding that it does not name.
func (g guess) readAs() string {
	doubt := ""
	if g.rival != nil {
		doubt = fmt.Sprintf(", but it may be %s", g.rival.Title)
	}
	return fmt.Sprintf("This file is not UTF-8; it was read as %s%s. %s", g.of.Title, doubt, domain.ChooseEncoding)
}

// decode converts data to UTF-8, with a warning if it was not. A person may have chosen its
// encoding, and the file may declare one; else its bytes suggest it.
func decode(data []byte, chosen *Encoding, declared string) (text, warning string, err error) {
	if chosen != nil {
		text = chosen.decode(data)
		if strings.Contains(text, "\uFFFD") {
			warning = fmt.Sprintf("This file has bytes that %s does not have; they are shown as \uFFFD. %s", chosen.Title, domain.ChooseEncoding)
		}
	} else {
		g := guessEncoding(data)
		if g.of == nil {
			return "", "", errBinary()
		}
		text, warning = g.read(data, declared)
	}
	if looksBinary([]byte(text)) {
		return "", "", errBinary()
	}
	return text, warning, nil
}

// read converts data as guessed, or from the encoding that it declares if that reads well.
func (g guess) read(data []byte, declared string) (text, warning string) {
	switch name := g.of.Name; {
	case name == "utf-8" && g.told:
		return string(bytes.TrimPrefix(bytes.ToValidUTF8(data, []byte("\uFFFD")), []byte("\uFEFF"))), ""
	case g.told && encodingOf(declared) == g.of:
		return g.of.decode(data), ""
	case g.told:
		return g.of.decode(data), fmt.Sprintf("This file is not UTF-8; it was read as %s.", g.of.Title)
	case name == "utf-8":
		return g.of.decode(bytes.TrimPrefix(data, []byte("\uFEFF"))), "This file is not quite UTF-8; bytes that could not be read are shown as \uFFFD. " + domain.ChooseEncoding
	}
	said := encodingOf(declared)
	if said == nil {
		return g.of.decode(data), g.readAs()
	}
	if said.fits(data, g) {
		return said.decode(data), ""
	}
	return g.of.decode(data), fmt.Sprintf("This file says that it is %s, but it reads like %s and was read so. %s", said.Title, g.of.Title, domain.ChooseEncoding)
}

// fits reports whether data may be in its declared encoding although another was guessed.
func (e *Encoding) fits(data []byte, g guess) bool {
	if e == g.of {
		return true
	}
	sample := sampleOf(data)
	text := e.decode(sample)
	if e.langs == nil {
		return !strings.Contains(strings.TrimSuffix(text, "\uFFFD"), "\uFFFD") && !strings.ContainsFunc(text, notText)
	}
	beyond := 0
	for _, b := range sample {
		if b >= utf8.RuneSelf {
			beyond++
		}
	}
	more := costOf(text, e, math.Inf(1)) - float64(e.tells) - g.cost*float64(len(sample))
	return more <= max(10, 2*float64(beyond))
}

// declarations match the statements of encodings in files: XML, style sheets, source code.
var declarations = regexp.MustCompile(`(?i)^\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([-\w.:]{2,40})["']|^@charset "([-\w.:]{2,40})"|^(?:#[^\n]{0,200}\n)?#[^\n]{0,100}coding[:=]\s*([-\w.]{2,40})`)

// declaredIn returns the encoding that a file declares, or "".
func declaredIn(data []byte) string {
	m := declarations.FindSubmatch(data[:min(len(data), 1024)])
	for i := 1; i < len(m); i++ {
		if len(m[i]) > 0 {
			return string(m[i])
		}
	}
	return ""
}

// decodeText converts text to UTF-8, with a warning if it was not.
func decodeText(w *writer, data []byte) (string, error) {
	return decodeDeclared(w, data, declaredIn(data))
}

func decodeDeclared(w *writer, data []byte, declared string) (string, error) {
	s, warning, err := decode(data, w.encoding, declared)
	if warning != "" {
		w.warn(warning)
	}
	return s, err
}

func errBinary() error {
	return domain.Errorf(domain.Invalid, "This file holds binary data, not text. %s", Readable())
}

// looksBinary reports whether data holds a NUL, or more control characters than the few that old
// programs leave in text.
func looksBinary(data []byte) bool {
	controls := 0
	for _, b := range data {
		switch {
		case b == 0:
			return true
		case b < 0x20 && !strings.ContainsRune("\t\n\v\f\r\x1b\x1a\b", rune(b)):
			controls++
		}
	}
	return controls > len(data)/100+4
}

// mostlyUTF8 reports whether data may be damaged UTF-8: it has many times more multi-byte characters than invalid
// bytes.
func mostlyUTF8(data []byte, times int) bool {
	good, bad := 0, 0
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			bad++
		case size > 1:
			good++
		}
		data = data[size:]
	}
	return good > times*bad
}

// A guess is the most likely encoding of a text.
type guess struct {
	of    *Encoding
	rival *Encoding // one that is nearly as likely and gives a different text; nil if there is none
	cost  float64   // of the text in it, per byte compared
	told  bool      // the bytes leave no doubt: they begin with a mark, or are all UTF-8
}

// byteOrderMarks are the beginnings of texts in encodings of Unicode. That of UTF-32 begins like that of UTF-16.
var byteOrderMarks = []struct{ mark, name string }{
	{"\xFF\xFE\x00\x00", "utf-32le"}, {"\x00\x00\xFE\xFF", "utf-32be"}, {"\xEF\xBB\xBF", "utf-8"}, {"\xFF\xFE", "utf-16le"}, {"\xFE\xFF", "utf-16be"},
}

// guessEncoding returns the most likely encoding of data. The guess has no encoding if
// data isn't text in any.
func guessEncoding(data []byte) guess {
	for _, m := range byteOrderMarks {
		if bytes.HasPrefix(data, []byte(m.mark)) && (len(m.mark) < 4 || len(data)%4 == 0) {
			return guess{of: encodingOf(m.name), told: true}
		}
	}
	switch {
	case looksBinary(data): // only encodings with several bytes per character look like that
		return guessWide(data)
	case bytes.Contains(data, []byte("\x1b$")) && isSevenBit(data):
		return guess{of: encodingOf("iso-2022-jp"), told: true}
	case utf8.Valid(data):
		if g := guessShort(data); g.of != nil {
			return g
		}
		return guess{of: encodingOf("utf-8"), told: true}
	case mostlyUTF8(data, 4):
		return guess{of: encodingOf("utf-8")}
	}
	sample := sampleOf(data)
	g := compare(sample, encodings())
	if mostlyUTF8(sample, 2) && costInAny(strings.ToValidUTF8(string(sample), "\uFFFD"), g.cost*float64(len(sample))) < g.cost*float64(len(sample)) {
		return guess{of: encodingOf("utf-8")}
	}
	if len(data)%2 == 0 && len(data) > 2 { // a text in UTF-16 without ASCII may have no zero
		if wide := guessWide(data); wide.of != nil && wide.cost+4 < g.cost*float64(len(sample)) {
			return wide
		}
	}
	return g
}

// guessShort doubts a text that is valid UTF-8 by chance: two letters of Chinese or Korean
// in an older encoding may be. It returns a guess without an encoding if there is no doubt.
func guessShort(data []byte) guess {
	const few = 8
	n, doubt := 0, false
	var word scriptsOfWord
	for _, r := range string(data) {
		if r >= utf8.RuneSelf {
			n++
		}
		if n > few || r >= 0x800 {
			return guess{}
		}
		doubt = word.odd(r) || doubt
	}
	if !doubt {
		return guess{}
	}
	return compare(data, encodings())
}

// shortScripts are the scripts of the letters that UTF-8 writes with two bytes.
var shortScripts = []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko}

// scriptsOfWord follows the letters of a word.
type scriptsOfWord struct {
	script *unicode.RangeTable // of its letters beyond ASCII
	any    bool                // it has a letter
}

// odd adds a character, and reports whether no text has it there: letters of two scripts in
// a word, an accent on nothing, or a control character.
func (w *scriptsOfWord) odd(r rune) bool {
	switch {
	case r >= 0x80 && r < 0xA0 && r != 0x85:
		return true
	case unicode.IsMark(r):
		return !w.any
	case !unicode.IsLetter(r):
		*w = scriptsOfWord{}
		return false
	}
	w.any = true
	if r < utf8.RuneSelf {
		return false
	}
	for _, script := range shortScripts {
		if unicode.Is(script, r) {
			other := w.script != nil && w.script != script
			w.script = script
			return other
		}
	}
	return false
}

// maxSample is the maximum number of bytes that are compared with the encodings.
const maxSample = 8 << 10

// sampleOf returns lines of data with bytes beyond ASCII.
func sampleOf(data []byte) []byte {
	if len(data) <= maxSample {
		return data
	}
	var sample []byte
	for line := range bytes.SplitAfterSeq(data[:min(len(data), 4<<20)], []byte("\n")) {
		if isSevenBit(line) {
			continue
		}
		if at := bytes.IndexFunc(line, func(r rune) bool { return r >= utf8.RuneSelf }); len(line) > maxSample && at > maxSample/2 {
			line = line[at-100:] // the text before it is ASCII
		}
		sample = append(sample, line[:min(len(line), maxSample-len(sample))]...)
		if len(sample) == maxSample {
			break
		}
	}
	return sample
}

// compare returns the encoding in the list in which data has the lowest cost.
func compare(data []byte, list []*Encoding) guess {
	best := guess{cost: math.Inf(1)}
	second, text, secondText := math.Inf(1), "", ""
	var rival *Encoding
	for _, e := range list {
		if e.tells < 0 {
			continue
		}
		s := e.decode(data)
		cost := costOf(s, e, best.cost+2*doubtful)
		switch {
		case cost < best.cost:
			if s != text && best.of != nil {
				second, rival, secondText = best.cost, best.of, text
			}
			best.of, best.cost, text = e, cost, s
		case cost < second && s != text:
			second, rival, secondText = cost, e, s
		}
	}
	if best.of == nil {
		return best
	}
	if secondText != text && second-best.cost < doubtful {
		best.rival = rival
	}
	best.cost /= float64(max(1, len(data)))
	return best
}

// doubtful is the difference of costs below which the warning names another encoding too.
const doubtful = 6

// guessWide distinguishes UTF-16 and UTF-32 without a mark from one another and from binary data.
func guessWide(data []byte) guess {
	if len(data) < leastWide || len(data)%2 != 0 {
		return guess{}
	}
	sample := data
	if len(data) > maxSample {
		sample = data[:maxSample]
	}
	best := guess{cost: math.Inf(1)}
	for _, name := range []string{"utf-16le", "utf-16be", "utf-32le", "utf-32be"} {
		e := encodingOf(name)
		s := e.decode(sample)
		if strings.ContainsFunc(strings.TrimSuffix(s, "\uFFFD"), notText) {
			continue
		}
		if mean := wideCost(s); mean > mostWide && strings.HasPrefix(name, "utf-16") || mean > 11 {
			continue
		} else if cost := mean * float64(utf8.RuneCountInString(s)); cost < best.cost {
			best.of, best.cost = e, cost
		}
	}
	return best
}

// The least bytes of a text in UTF-16 or UTF-32 without a mark, and what its characters cost
// at most on average: binary data is seldom so plain.
const (
	leastWide = 8
	mostWide  = 8.5
)

// notText reports whether no text in Unicode holds r.
func notText(r rune) bool {
	return r == utf8.RuneError || r < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1a\x1b\b", r) || r >= 0x7F && r < 0xA0 && r != 0x85 || r >= 0xE000 && r < 0xF900 || r >= 0xE0000 || isInvisible(r) && r >= 0xFDD0 && r != 0xFEFF
}

func isSevenBit(data []byte) bool {
	for _, b := range data {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
