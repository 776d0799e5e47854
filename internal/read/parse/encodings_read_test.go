package parse_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/unicode/norm"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
)

// in writes a text in an encoding.
func in(t *testing.T, e encoding.Encoding, text string) string {
	t.Helper()
	s, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFormatsInOldEncodings reads files of formats that state an encoding, or none, or the wrong one.
func TestFormatsInOldEncodings(t *testing.T) {
	t.Parallel()
	const russian = "Иван Петров живёт в Казани."
	const chinese = "张伟住在北京，他的妹妹在上海。"
	koi, cyrillic, gbk := in(t, charmap.KOI8R, russian), in(t, charmap.Windows1251, russian), in(t, simplifiedchinese.GBK, chinese)
	for name, c := range map[string]struct {
		format  domain.Format
		data    string
		want    string
		warning string // "" for none
	}{
		"HTML says what it is": {domain.FormatHTML, `<html><head><meta charset="koi8-r"></head><body><p>` + koi + `</p></body></html>`, russian, ""},
		"HTML lies":            {domain.FormatHTML, `<html><head><meta charset="windows-1251"></head><body><p>` + koi + `</p></body></html>`, russian, "says that it is Windows-1251"},
		"HTML says nothing":    {domain.FormatHTML, `<p>` + gbk + `</p>`, chinese, "GB18030"},
		"HTML says GB2312":     {domain.FormatHTML, `<meta http-equiv="Content-Type" content="text/html; charset=gb2312"><p>` + gbk + `</p>`, chinese, ""},
		"XML says what it is":  {domain.FormatCode, `<?xml version="1.0" encoding="windows-1251"?><a>` + cyrillic + `</a>`, russian, ""},
		"subtitles":            {domain.FormatTranscript, "1\n00:00:01,000 --> 00:00:03,000\n" + cyrillic + "\n", russian, "Windows-1251"},
		"a table of names":     {domain.FormatTable, "id,name,city\n1,Ann Lee,York\n2," + in(t, charmap.Windows1250, "Małgorzata Świątek,Łódź") + "\n3,Bob,Leeds\n", "Małgorzata Świątek | Łódź", "Windows-1250"},
		"JSON":                 {domain.FormatRecords, `[{"text":"` + gbk + `"}]`, chinese, "GB18030"},
		"a mail without a charset": {domain.FormatMail, "From: a@x.org\r\nSubject: " + in(t, japanese.ShiftJIS, "水車小屋の会議について") + "\r\n\r\n" + in(t, japanese.ShiftJIS, "明日の会議は中止になりました。") + "\r\n",
			"明日の会議は中止になりました。", "Shift-JIS"},
		"a mail in ISO-2022-JP": {domain.FormatMail, "From: a@x.org\r\nSubject: x\r\nContent-Type: text/plain; charset=iso-2022-jp\r\n\r\n" + in(t, japanese.ISO2022JP, "明日の会議は中止になりました。") + "\r\n", "明日の会議は中止になりました。", ""},
		"RTF by its page":       {domain.FormatRTF, `{\rtf1\ansi\ansicpg1251 ` + hexed(cyrillic) + `\par}`, russian, ""},
		"RTF by its fonts": {domain.FormatRTF, `{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial;}{\f2\fcharset134 SimSun;}}\f0 Caf\'e9 {\f1 ` + hexed(cyrillic) + `} \f2 ` + hexed(gbk) + `\par}`,
			"Café " + russian + " " + chinese, ""},
		"RTF without a page":    {domain.FormatRTF, `{\rtf1\ansi{\fonttbl{\f0 Arial;}}\f0 ` + hexed(cyrillic) + `\par}`, russian, "Windows-1251"},
		"damaged UTF-8":         {domain.FormatText, "Größe und Höhe der M\xfchle in Köln.", "Größe und Höhe der M\uFFFDhle in Köln.", "not quite UTF-8"},
		"UTF-16 without a mark": {domain.FormatText, strings.Join(strings.Split("The Lark", ""), "\x00") + "\x00", "The Lark", "UTF-16"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := read(t, c.format, c.data)
			if !strings.Contains(text.Content, c.want) {
				t.Errorf("read %q, want %q", text.Content, c.want)
			}
			if said := strings.Join(text.Warnings, "\n"); !strings.Contains(said, c.warning) || c.warning == "" && said != "" {
				t.Errorf("warnings %q, want %q", said, c.warning)
			}
		})
	}
}

// hexed writes bytes as RTF does.
func hexed(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteString(`\'` + string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15]))
	}
	return b.String()
}

// TestAChosenEncoding reads a text in the encoding that a person chose, whatever its bytes suggest.
func TestAChosenEncoding(t *testing.T) {
	t.Parallel()
	data := in(t, charmap.KOI8R, "Иван")
	for encoding, want := range map[string]string{"koi8-r": "Иван", "cp1251": "йЧБО", "latin1": "é×ÁÎ"} {
		text, err := parse.New(parse.Limits{}).In(encoding).Parse(t.Context(), "f", domain.FormatText, []byte(data))
		if err != nil || text.Content != want || len(text.Warnings) > 0 {
			t.Errorf("%s: %q, %q, %v, want %q", encoding, text.Content, text.Warnings, err, want)
		}
	}
	if _, err := parse.New(parse.Limits{}).In("klingon").Parse(t.Context(), "f", domain.FormatText, []byte(data)); domain.KindOf(err) != domain.Invalid {
		t.Errorf("an unknown encoding: %v", err)
	}
}

// TestNamesInArchives reads names that old programs wrote, and those that state what they are.
func TestNamesInArchives(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		codec  encoding.Encoding
		chosen string
		names  []string
	}{
		"CP437":       {charmap.CodePage437, "", []string{"Müller.txt", "Größe.txt"}},
		"CP850":       {charmap.CodePage850, "", []string{"São Paulo.txt", "informação.txt"}},
		"CP866":       {charmap.CodePage866, "", []string{"Отчёт за год.txt", "Договор.txt"}},
		"Shift-JIS":   {japanese.ShiftJIS, "", []string{"会議の記録.txt", "東京の地図.txt"}},
		"GBK":         {simplifiedchinese.GBK, "", []string{"会议记录.txt", "北京地图.txt"}},
		"EUC-KR":      {korean.EUCKR, "", []string{"회의 기록.txt", "서울 지도.txt"}},
		"Big5":        {traditionalchinese.Big5, "", []string{"會議記錄.txt", "台北地圖.txt"}},
		"one, chosen": {charmap.KOI8R, "koi8-r", []string{"Ива.txt"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			z := zip.NewWriter(&b)
			for _, n := range c.names {
				entry(t, z, &zip.FileHeader{Name: in(t, c.codec, n), NonUTF8: true})
			}
			_ = z.Close()
			if diff := cmp.Diff(c.names, namesIn(t, b.String(), c.chosen)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	old := in(t, charmap.CodePage437, "M_ller.txt")
	field := append([]byte{1}, binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(old)))...)
	field = append(field, "Мюллер.txt"...)
	extra := append(binary.LittleEndian.AppendUint16([]byte{0x75, 0x70}, uint16(len(field))), field...)
	entry(t, z, &zip.FileHeader{Name: old, NonUTF8: true, Extra: extra})
	entry(t, z, &zip.FileHeader{Name: "Zoë.txt"})
	entry(t, z, &zip.FileHeader{Name: "naïve.txt", NonUTF8: true})
	entry(t, z, &zip.FileHeader{Name: "a\x1b[31m\x07b.txt", NonUTF8: true})
	_ = z.Close()
	if diff := cmp.Diff([]string{"Мюллер.txt", "Zoë.txt", "naïve.txt", "a[31mb.txt"}, namesIn(t, b.String(), "")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func entry(t *testing.T, z *zip.Writer, h *zip.FileHeader) {
	t.Helper()
	w, err := z.CreateHeader(h)
	if err == nil {
		_, err = w.Write([]byte("x"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestShortUTF8IsUTF8 reads short texts whose few characters beyond ASCII are rare ones: signs,
// letters of small languages, accents apart from their letters.
func TestShortUTF8IsUTF8(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"Caffè® 2nd 45°", "25 °C ± 2 °C", "© 2020 § 5", "¡Hola! ¿Qué?", "«Да»", "½ cup ¼ tsp ¾", "a · b · c", "µg ×", "ΔT é", "αβ x²", "Երևան", "Yerevan (Երևան)", "Əliyev və qız", "ʃəʊ [ˈʃəʊ]", "Ŝi ĝojas ĉiam", "Ħal Għargħur",
		"ɓauna ɗan", "ʻokina ʻo", "ܣܘܪܝܝܐ", "ދިވެހި", "ߒߞߏ", "Mu\u0308ller u\u0308ber Ko\u0308ln", "Re\u0301sume\u0301",
	} {
		if got := read(t, domain.FormatText, s); got.Content != norm.NFC.String(s) || len(got.Warnings) > 0 {
			t.Errorf("%q was read as %q, with warnings %q", s, got.Content, got.Warnings)
		}
	}
}
