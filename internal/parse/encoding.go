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
	domain.TextEncoding

	codec encoding.Encoding
	tells int       // what its name costs where the bytes leave the choice; -1 if bytes are not compared with it
	langs []*tongue // whose letters it has
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
	return fmt.Sprintf("This file is not UTF-8; it was read as %s%s. %s", g.of.Title, doubt, domain.ChooseEncoding)
}
