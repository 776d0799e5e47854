package parse_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/read/parse/pdf/pdftest"
)

// plot draws axes and a curve in a box of 200 by 120 points.
func plot(x, y int) string {
	return fmt.Sprintf("%d %d 200 120 re S %d %d m %d %d %d %d %d %d c S\n", x, y, x, y, x+50, y+100, x+100, y+20, x+200, y+110)
}

// paragraphAt is a paragraph as wide as a column.
func paragraphAt(y int) string {
	line := "The pump lifts the water of the lower basin to the mill, where it drives the wheel for an hour."
	return pdftest.Lines(60, y, 10, line, line, line)
}

// column is a paragraph of one of two columns.
func column(x, y int) string {
	return pdftest.Lines(x, y, 10, slices.Repeat([]string{"The pump lifts the water of the lower basin to"}, 8)...)
}

// TestDrawingsOfPDF finds the places of drawings, and not those of tables, rules, frames and backgrounds.
func TestDrawingsOfPDF(t *testing.T) {
	t.Parallel()
	jpx := pdftest.Stream("/Type /XObject /Subtype /Image /Width 400 /Height 300 /Filter /JPXDecode", "dots")
	form := pdftest.Stream("/Type /XObject /Subtype /Form /BBox [0 0 200 120]", "-500 -500 m 700 700 l S "+plot(0, 0))
	said := func(s string) string { return pdftest.Lines(110, 380, 10, s) }
	for name, tt := range map[string]struct{ page, want string }{
		"a plot":                        {paragraphAt(700) + plot(100, 400) + pdftest.Lines(104, 392, 6, "0   100   200") + said("Figure 3: What the pump lifts"), "97 524 303 388"},
		"above its drawing":             {paragraphAt(700) + pdftest.Lines(110, 530, 10, "Figure 3: What the pump lifts") + plot(100, 400), "97 523 303 397"},
		"a form, of which a part shows": {paragraphAt(700) + "q 1 0 0 1 100 400 cm /F Do Q " + said("Abb. 2: Was die Pumpe hebt"), "97 523 303 397"},
		"without a caption":             {paragraphAt(700) + plot(100, 400) + said("What the pump lifts"), ""},
		"a table":                       {paragraphAt(700) + "100 400 200 120 re S " + pdftest.Lines(110, 450, 10, "Item 3", "Item 4") + said("Table 3: What the pump lifts"), ""},
		"a rule":                        {paragraphAt(700) + "60 400 m 500 400 l S " + said("Figure 3: What the pump lifts"), ""},
		"a framed paragraph":            {"50 650 500 80 re S " + paragraphAt(700) + pdftest.Lines(110, 635, 10, "Figure 3: What the pump lifts"), ""},
		"a background":                  {"0.9 g 0 0 600 800 re f 0 g " + paragraphAt(700) + said("Figure 3: What the pump lifts"), ""},
		"far away":                      {plot(100, 600) + paragraphAt(500) + said("Figure 3: What the pump lifts"), ""},
		"white":                         {paragraphAt(700) + "1 g 100 400 200 120 re f 0 g " + said("Figure 3: What the pump lifts"), ""},
		"two in a row": {column(60, 700) + column(330, 700) + plot(60, 400) + plot(330, 400) + pdftest.Lines(60, 380, 10, "Figure 1: Water that the pump lifts") + pdftest.Lines(330, 380, 10, "Figure 2: Grain that the mill grinds") + column(60, 350) + column(330, 350),
			"57 523 263 397|327 523 533 397"},
		"JPEG 2000": {paragraphAt(700) + "q 200 0 0 120 100 400 cm /J Do Q " + said("Figure 3: What the pump lifts"), "100 520 300 400"},
	} {
		data := pdftest.Pages([]string{tt.page}, "/XObject << /J 4 0 R /F 5 0 R >>", jpx, form)
		text, err := parse.New(parse.Limits{}).Drawn(true).Parse(t.Context(), "file", domain.FormatPDF, []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range text.Pictures {
			if !parse.IsUndrawn(p) || p.Caption == "" || p.Page != 1 {
				t.Errorf("%s: picture %+v", name, p)
			}
			got = append(got, fmt.Sprintf("%.0f %.0f %.0f %.0f", 600*p.Box[0], 800-800*p.Box[1], 600*p.Box[2], 800-800*p.Box[3]))
		}
		if !near(strings.Join(got, "|"), tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
		plain, err := parse.New(parse.Limits{}).Parse(t.Context(), "file", domain.FormatPDF, []byte(data))
		if err != nil || len(plain.Pictures) > 0 {
			t.Errorf("%s: where nothing draws there are %d pictures, error %v", name, len(plain.Pictures), err)
		}
		if told := slices.ContainsFunc(plain.Warnings, func(w string) bool { return strings.Contains(w, "poppler-utils") || strings.Contains(w, "JPEG 2000") }); told != (tt.want != "") {
			t.Errorf("%s: where nothing draws the warnings are %q", name, plain.Warnings)
		}
	}
}

// TestDrawingsOnTurnedPages finds the same place, as the page is shown, however the page lies in the file.
func TestDrawingsOnTurnedPages(t *testing.T) {
	t.Parallel()
	dots := pdftest.Stream("/Type /XObject /Subtype /Image /Width 150 /Height 100 /BitsPerComponent 8 /ColorSpace /DeviceGray", strings.Repeat("\x01\x42\x83\xc4\x05", 3000))
	page := paragraphAt(540) + plot(100, 200) + pdftest.Lines(110, 180, 10, "Figure 3: What the pump lifts") +
		"q 150 0 0 100 500 40 cm /I Do Q " + pdftest.Lines(500, 20, 10, "Figure 4: What the mill grinds")
	for rotate, lies := range map[int]string{0: "", 90: "0 1 -1 0 600 0 cm ", 180: "-1 0 0 -1 800 600 cm ", 270: "0 -1 1 0 0 800 cm ", -90: "0 -1 1 0 0 800 cm "} {
		media := "0 0 800 600"
		if rotate%180 != 0 {
			media = "0 0 600 800"
		}
		data := pdftest.File("", "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [4 0 R] >>", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /Rotate %d /MediaBox [%s] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> /XObject << /I 6 0 R >> >> >>", rotate, media), pdftest.Stream("", lies+page), dots)
		text, err := parse.New(parse.Limits{}).Drawn(true).Parse(t.Context(), "file", domain.FormatPDF, []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range text.Pictures {
			switch {
			case !parse.IsUndrawn(p):
				if p.Caption != "Figure 4: What the mill grinds" || !near(fmt.Sprintf("%.0f %.0f %.0f %.0f", 800*p.Box[0], 600-600*p.Box[1], 800*p.Box[2], 600-600*p.Box[3]), "500 140 650 40") {
					t.Errorf("turned by %d: image %q at %v", rotate, p.Caption, p.Box)
				}
			default:
				got = append(got, fmt.Sprintf("%s: %.0f %.0f %.0f %.0f, %d×%d", p.Caption, 800*p.Box[0], 600-600*p.Box[1], 800*p.Box[2], 600-600*p.Box[3], p.Width/100, p.Height/100))
			}
		}
		if len(got) != 1 || len(text.Pictures) != 2 || !near(strings.NewReplacer("Figure 3: What the pump lifts: ", "", ", 4×2", "").Replace(got[0]), "97 323 303 197") {
			t.Errorf("turned by %d: got %q", rotate, got)
		}
	}
}

// near reports whether two lists of boxes differ by no more than the grid on which drawings are found.
func near(a, b string) bool {
	far := func(r rune) bool { return r == ' ' || r == '|' }
	as, bs := strings.FieldsFunc(a, far), strings.FieldsFunc(b, far)
	for i := range min(len(as), len(bs)) {
		var x, y int
		_, _ = fmt.Sscan(as[i]+" "+bs[i], &x, &y)
		if x-y > 6 || y-x > 6 {
			return false
		}
	}
	return len(as) == len(bs)
}

func TestPicturesOfODT(t *testing.T) {
	t.Parallel()
	frame := func(href, alt string) string {
		return `<draw:frame><draw:image xlink:href="` + href + `"/><svg:title>` + alt + `</svg:title></draw:frame>`
	}
	text := readPictures(t, domain.FormatODT, pack(t, part{"mimetype", "application/vnd.oasis.opendocument.text"},
		part{"content.xml", `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" ` +
			`xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"><office:body><office:text>` +
			`<text:p>The pump has two valves.</text:p><text:p><draw:frame><draw:text-box><text:p>` + frame("Pictures/1.png", "A pump cut open") + `Figure 1: The pump</text:p></draw:text-box></draw:frame></text:p>` +
			`<table:table><table:table-row><table:table-cell><text:p>In a cell` + frame("Pictures/2.jpg", "2.jpg") + `</text:p></table:table-cell></table:table-row></table:table>` +
			`<text:p>` + frame("ObjectReplacements/Object 1", "") + frame("Pictures/3.svg", "") + frame("Pictures/none.png", "") + `The end.</text:p></office:text></office:body></office:document-content>`},
		part{"Pictures/1.png", pngOf(t, 300, 200, 1)}, part{"Pictures/2.jpg", jpegOf(t, 200, 100, 2)}, part{"ObjectReplacements/Object 1", pngOf(t, 300, 200, 3)}))
	shows(t, text, "The pump has two valves.\n\nFigure 1: The pump\n\n[Picture: A pump cut open]\n\nIn a cell\n\nThe end.",
		`1: page 0, 300x200 png, at "Figure 1: The pump\n\n[Picture: A pump cut open]", caption "Figure 1: The pump"`,
		`2: page 0, 200x100 jpeg, at "", caption ""`)
}

func TestPicturesOfRTF(t *testing.T) {
	t.Parallel()
	digits := func(data string) string { return hex.EncodeToString([]byte(data)) }
	first, second := pngOf(t, 300, 200, 1), jpegOf(t, 200, 100, 2)
	text := readPictures(t, domain.FormatRTF, `{\rtf1\ansi{\header {\pict\pngblip `+digits(pngOf(t, 90, 80, 5))+`}\par}{\*\listtable{\*\listpicture{\pict\pngblip `+digits(pngOf(t, 90, 80, 7))+`}}}`+
		`The pump has two valves.\par {\*\shppict{\pict{\*\picprop{\sp{\sn x}{\sv 1}}}\picw300\pngblip\bliptag1{\*\blipuid 00ff}`+"\n"+digits(first)+`}}{\nonshppict{\pict\wmetafile8 0100}}\par Figure 1: The pump\par Later.`+
		fmt.Sprintf(`{\pict\jpegblip\bin%d %s}`, len(second), second)+`\par {\pict\wmetafile8 0100}The end.\par {\v{\pict\pngblip `+digits(pngOf(t, 90, 80, 9))+`}}}`)
	shows(t, text, "The pump has two valves.\n\nFigure 1: The pump\n\nLater.\n\nThe end.",
		`1: page 0, 300x200 png, at "Figure 1: The pump", caption "Figure 1: The pump"`,
		`2: page 0, 200x100 jpeg, at "", caption ""`)
	if !slices.ContainsFunc(text.Warnings, func(w string) bool { return strings.HasPrefix(w, "1 picture was left out") }) {
		t.Errorf("warnings %q do not tell of the metafile", text.Warnings)
	}
}

// TestAlternativeTextOfRTF reads what a picture, or the shape around it, says in its place.
func TestAlternativeTextOfRTF(t *testing.T) {
	t.Parallel()
	one := func(n int, properties string) string {
		return `{\pict{\*\picprop` + properties + `}\pngblip ` + hex.EncodeToString([]byte(pngOf(t, 300, 200, n))) + `}`
	}
	said := func(words string) string { return `{\sp{\sn wzDescription}{\sv ` + words + `}}` }
	for name, tt := range map[string]struct{ body, want string }{
		"of a picture":            {`{\*\shppict` + one(1, `{\sp{\sn wzName}{\sv Picture 1}}`+said(`A pump \u8211?cut \'fcber`)) + `}{\nonshppict{\pict\wmetafile8 0100}}`, "Text.\n\n[Picture: A pump –cut über]"},
		"of its shape, behind":    {`{\shp{\*\shpinst{\sp{\sn pib}{\sv ` + one(2, "") + `}}` + said("The mill from the east") + `{\shptxt In a box.\par}}}`, "In a box.\n\nText.\n\n[Picture: The mill from the east]"},
		"of its shape, before":    {`{\shp{\*\shpinst` + said("The mill from the west") + `{\sp{\sn pib}{\sv ` + one(3, "") + `}}}}`, "Text.\n\n[Picture: The mill from the west]"},
		"its own, within a shape": {`{\shp{\*\shpinst{\sp{\sn pib}{\sv ` + one(4, said("A pump cut open")) + `}}}}`, "Text.\n\n[Picture: A pump cut open]"},
		"of a shape without one":  {`{\shp{\*\shpinst` + said("An arrow to the right") + `}}` + one(5, ""), "Text."},
		"the name of a file":      {one(6, said("pump.png")), "Text."},
		"that does not end":       {one(7, `{\sp{\sn wzDescription}{\sv A pump`), ""},
		"too long":                {one(8, said(strings.Repeat("pump ", 100_000))), "Text.\n\n[Picture: " + strings.TrimSpace(strings.Repeat("pump ", 100))},
	} {
		text := readPictures(t, domain.FormatRTF, `{\rtf1\ansi\uc1 Text.`+tt.body+`\par}`)
		if got := text.Content; got != tt.want && !(name == "too long" && strings.HasPrefix(got, tt.want) && len(got) < 600) && tt.want != "" {
			t.Errorf("%s: got %q, want %q", name, domain.Cut(got, 200), tt.want)
		}
	}
}

func TestPicturesOfMail(t *testing.T) {
	t.Parallel()
	image := func(id, disposition, data string) string {
		return "--b\r\nContent-Type: image/png\r\nContent-ID: <" + id + ">\r\n" + disposition + "Content-Transfer-Encoding: base64\r\n\r\n" + base64.StdEncoding.EncodeToString([]byte(data)) + "\r\n"
	}
	mail := func(kind, body string) string {
		return "From: Ann <ann@example.org>\r\nSubject: The pump\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: " + kind + "; charset=utf-8\r\n\r\n" + body + "\r\n" +
			image("a@x", "", pngOf(t, 300, 200, 1)) + image("logo@x", "Content-Disposition: inline; filename=logo.png\r\n", pngOf(t, 120, 60, 2)) +
			image("dot@x", "", pngOf(t, 20, 20, 4)) +
			image("c@x", "Content-Disposition: attachment; filename=plan.png\r\n", pngOf(t, 300, 200, 3)) + "--b--\r\n"
	}
	for name, tt := range map[string]struct{ data, want string }{
		"at its place":   {mail("text/html", `<p>Before.</p><p><img src="cid:a%40x" alt="A pump cut open"></p><p>Figure 1: The pump</p><p>Regards <img src="cid:logo@x"><img src="cid:logo@x"><img src="cid:none"></p>`), `1: page 0, 300x200 png, at "Figure 1: The pump\n\n[Picture: A pump cut open]", caption "Figure 1: The pump"`},
		"below the text": {mail("text/plain", "Before."), `1: page 0, 300x200 png, at "", caption ""`},
	} {
		text := readPictures(t, domain.FormatMail, tt.data)
		if got := strings.Join(shown(text), "\n"); got != tt.want {
			t.Errorf("%s: got\n%s\ntext %q", name, got, text.Content)
		}
		if told := []string{"1 picture was left out as part of a signature: smaller than 200 pixels."}; !slices.Equal(text.Warnings, told) {
			t.Errorf("%s: warnings %q", name, text.Warnings)
		}
	}
}
