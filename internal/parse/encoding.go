package parse

import (
	"fmt"
	"slices"
	"strings"
	"sync"

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

	"github.com/clewhq/clew/internal/domain"
)

// An Encoding is how the bytes of a text stand for characters.
type Encoding struct {
	Name  string // as a person chooses it
	Title string // in words

	codec encoding.Encoding
	tells int       // what its name costs where the bytes leave the choice; -1 if bytes are not compared with it
	langs []*tongue // whose letters it has
}

// encodings are all that can be chosen. Those that many programs write come before
// their like: of two that read the same text, the first is named.
var encodings = sync.OnceValue(func() []*Encoding {
	t := tongues()
	latin, central, cyrillic := t["west"], t["central"], t["cyrillic"]
	return []*Encoding{
		{"utf-8", "UTF-8", encoding.Nop, -1, nil},
		{"utf-16le", "UTF-16", xunicode.UTF16(xunicode.LittleEndian, xunicode.UseBOM), -1, nil},
		{"utf-16be", "UTF-16, big end first", xunicode.UTF16(xunicode.BigEndian, xunicode.UseBOM), -1, nil},
		{"utf-32le", "UTF-32", utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), -1, nil},
		{"utf-32be", "UTF-32, big end first", utf32.UTF32(utf32.BigEndian, utf32.UseBOM), -1, nil},
		{"windows-1252", "Windows-1252 (Latin-1, Western Europe)", charmap.Windows1252, 0, latin},
		{"gb18030", "GB18030 (GBK, simplified Chinese)", simplifiedchinese.GB18030, 0, t["simplified"]},
		{"shift_jis", "Shift-JIS (Japanese)", japanese.ShiftJIS, 0, t["japanese"]},
		{"euc-jp", "EUC-JP (Japanese)", japanese.EUCJP, 0, t["japanese"]},
		{"iso-2022-jp", "ISO-2022-JP (Japanese)", japanese.ISO2022JP, -1, nil},
		{"big5", "Big5 (traditional Chinese)", traditionalchinese.Big5, 0, t["traditional"]},
		{"euc-kr", "EUC-KR (Korean)", korean.EUCKR, 0, t["korean"]},
		{"windows-1251", "Windows-1251 (Cyrillic)", charmap.Windows1251, 0, cyrillic},
		{"koi8-r", "KOI8-R (Russian)", charmap.KOI8R, 1, cyrillic},
		{"koi8-u", "KOI8-U (Ukrainian)", charmap.KOI8U, 2, cyrillic},
		{"iso-8859-5", "ISO 8859-5 (Cyrillic)", charmap.ISO8859_5, 2, cyrillic},
		{"ibm866", "CP866 (Cyrillic of DOS)", charmap.CodePage866, 2, cyrillic},
		{"x-mac-cyrillic", "Mac Cyrillic", charmap.MacintoshCyrillic, 6, cyrillic},
		{"windows-1250", "Windows-1250 (Central Europe)", charmap.Windows1250, 1, central},
		{"iso-8859-2", "ISO 8859-2 (Central Europe)", charmap.ISO8859_2, 2, central},
		{"ibm852", "CP852 (Central Europe, DOS)", charmap.CodePage852, 6, central},
		{"windows-1253", "Windows-1253 (Greek)", charmap.Windows1253, 0, t["greek"]},
		{"iso-8859-7", "ISO 8859-7 (Greek)", charmap.ISO8859_7, 1, t["greek"]},
		{"windows-1254", "Windows-1254 (Turkish)", charmap.Windows1254, 1, t["turkish"]},
		{"windows-1255", "Windows-1255 (Hebrew)", charmap.Windows1255, 0, t["hebrew"]},
		{"iso-8859-8", "ISO 8859-8 (Hebrew)", charmap.ISO8859_8, 1, t["hebrew"]},
		{"windows-1256", "Windows-1256 (Arabic)", charmap.Windows1256, 0, t["arabic"]},
		{"iso-8859-6", "ISO 8859-6 (Arabic)", charmap.ISO8859_6, 1, t["arabic"]},
		{"windows-1257", "Windows-1257 (Baltic)", charmap.Windows1257, 2, t["baltic"]},
		{"iso-8859-13", "ISO 8859-13 (Baltic)", charmap.ISO8859_13, 3, t["baltic"]},
		{"windows-1258", "Windows-1258 (Vietnamese)", charmap.Windows1258, 2, t["vietnamese"]},
		{"windows-874", "Windows-874 (Thai)", charmap.Windows874, 0, t["thai"]},
		{"iso-8859-1", "ISO 8859-1 (Latin-1)", charmap.ISO8859_1, -1, nil},
		{"iso-8859-3", "ISO 8859-3 (Southern Europe)", charmap.ISO8859_3, -1, nil},
		{"iso-8859-4", "ISO 8859-4 (Northern Europe)", charmap.ISO8859_4, 5, t["baltic"]},
		{"iso-8859-9", "ISO 8859-9 (Turkish)", charmap.ISO8859_9, -1, nil},
		{"iso-8859-10", "ISO 8859-10 (Nordic)", charmap.ISO8859_10, -1, nil},
		{"iso-8859-14", "ISO 8859-14 (Celtic)", charmap.ISO8859_14, -1, nil},
		{"iso-8859-15", "ISO 8859-15 (Western Europe, with the euro)", charmap.ISO8859_15, 3, latin},
		{"iso-8859-16", "ISO 8859-16 (South-Eastern Europe)", charmap.ISO8859_16, 5, central},
		{"macintosh", "Mac Roman", charmap.Macintosh, 5, latin},
		{"ibm850", "CP850 (Western Europe, DOS)", charmap.CodePage850, 5, latin},
		{"ibm437", "CP437 (DOS)", charmap.CodePage437, 6, latin},
		{"hz-gb-2312", "HZ (simplified Chinese)", simplifiedchinese.HZGB2312, -1, nil},
	}
})

// Encodings lists the encodings that a person can choose.
func Encodings() []Encoding {
	var all []Encoding
	for _, e := range encodings() {
		all = append(all, *e)
	}
	return all
}

// HasEncoding reports whether the encoding of a format's text can be chosen: other formats
// fix or state it.
func HasEncoding(f domain.Format) bool {
	switch f {
	case domain.FormatPDF, domain.FormatDOCX, domain.FormatSheets, domain.FormatSlides, domain.FormatODT:
		return false
	}
	return true
}

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
	var names []string
	for _, e := range encodings() {
		names = append(names, e.Name)
	}
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
	if err != nil { // it can't be: decoders replace what they can't read
		return strings.ToValidUTF8(string(data), "\uFFFD")
	}
	return strings.TrimPrefix(string(text), "\uFEFF")
}

// readAs says that a text was read in an encoding that it does not name.
func (g guess) readAs() string {
	doubt := ""
	if g.rival != nil {
		doubt = fmt.Sprintf(", but it may be %s", g.rival.Title)
	}
	return fmt.Sprintf("This file is not UTF-8; it was read as %s%s. %s", g.of.Title, doubt, chooseAnother)
}

// chooseAnother says what to do about a text in the wrong encoding.
const chooseAnother = "If words look wrong, choose another encoding on the document's page or with clew documents retry --encoding."
