package pdf

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// charsetOf returns the national standard by which the codes of a predefined CMap
// are written (section 9.7.5.2), or nil.
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
