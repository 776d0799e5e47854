package parse_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/read/parse/pdf/pdftest"
	"github.com/clewhq/clew/internal/read/parse/picture"
)

// drawing returns a picture of stripes that depend on seed.
func drawing(width, height, seed int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.SetRGBA(x, y, color.RGBA{R: uint8(x * seed), G: uint8(y * seed), B: uint8(200 * (x * 2 / width)), A: 255})
		}
	}
	return m
}

func pngOf(t testing.TB, width, height, seed int) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, drawing(width, height, seed)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func jpegOf(t testing.TB, width, height, seed int) string {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, drawing(width, height, seed), nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// shown describes the pictures of a text: the page, the words at their place, and the caption.
func shown(t domain.Text) (all []string) {
	for _, p := range t.Pictures {
		all = append(all, fmt.Sprintf("%d: page %d, %dx%d %s, at %q, caption %q", p.Number, p.Page, p.Width, p.Height, strings.TrimPrefix(p.Media, "image/"), p.At.Slice(t.Content), p.Caption))
	}
	return all
}

func readPictures(t *testing.T, format domain.Format, data string) domain.Text {
	t.Helper()
	text, err := parse.New(parse.Limits{}).Parse(t.Context(), "file", format, []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range text.Pictures {
		if m, _, err := image.Decode(bytes.NewReader(p.Data)); err != nil || m.Bounds().Dx() != p.Width || m.Bounds().Dy() != p.Height {
			t.Errorf("picture %d can't be decoded as it is described: %v", p.Number, err)
		}
	}
	return text
}

const drawn = `<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:docPr id="1" name="Picture 1" descr="%s"/>` +
	`<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill>` +
	`<a:blip r:embed="%s" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`

// shows fails unless a text has the content and the pictures, as shown writes them.
func shows(t *testing.T, text domain.Text, content string, pictures ...string) {
	t.Helper()
	if got := shown(text); !slices.Equal(got, pictures) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	if text.Content != content {
		t.Errorf("text %q", text.Content)
	}
}

func TestPicturesOfDOCX(t *testing.T) {
	t.Parallel()
	show := func(id, alt string) string { return "<w:p>" + fmt.Sprintf(drawn, alt, id) + "</w:p>" }
	relation := func(id, target string) string {
		return `<Relationship Id="` + id + `" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="` + target + `"/>`
	}
	text := readPictures(t, domain.FormatDOCX, pack(t,
		body(para("", "The pump has two valves.")+show("r1", "A pump cut open")+para("", "Figure 1: The pump and its valves")+para("", "Later.")+
			show("r2", "")+show("r3", "bullet")+show("r4", "")+show("r5", "image5.png")+para("", "The end.")),
		part{"word/_rels/document.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + relation("r1", "media/image1.png") + relation("r2", "media/image2.jpg") +
			relation("r3", "media/image3.png") + relation("r4", "media/image4.emf") + relation("r5", "media/none.png") + `</Relationships>`},
		part{"word/media/image1.png", pngOf(t, 300, 200, 1)}, part{"word/media/image2.jpg", jpegOf(t, 2000, 1000, 2)}, part{"word/media/image3.png", pngOf(t, 16, 16, 1)}, part{"word/media/image4.emf", "\x01\x00\x00\x00"}))
	shows(t, text, "The pump has two valves.\n\nFigure 1: The pump and its valves\n\n[Picture: A pump cut open]\n\nLater.\n\nThe end.",
		`1: page 0, 300x200 png, at "Figure 1: The pump and its valves\n\n[Picture: A pump cut open]", caption "Figure 1: The pump and its valves"`,
		`2: page 0, 1600x800 jpeg, at "", caption ""`)
	if !slices.ContainsFunc(text.Warnings, func(w string) bool { return strings.HasPrefix(w, "1 picture was left out") }) {
		t.Errorf("warnings %q do not tell of the drawing that is not read", text.Warnings)
	}
}

func TestPicturesOfSlides(t *testing.T) {
	t.Parallel()
	const names = ` xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	relations := func(name string, list ...string) part {
		all := ""
		for i := 0; i+2 < len(list); i += 3 {
			all += `<Relationship Id="` + list[i] + `" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/` + list[i+1] + `" Target="` + list[i+2] + `"/>`
		}
		return part{name, `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + all + `</Relationships>`}
	}
	slide := func(n, shapes string) part {
		return part{"ppt/slides/slide" + n + ".xml", `<p:sld` + names + `><p:cSld><p:spTree>` + shapes + `</p:spTree></p:cSld></p:sld>`}
	}
	title := `<p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>Works</a:t></a:r></a:p></p:txBody></p:sp>`
	picture := `<p:pic><p:nvPicPr><p:cNvPr id="4" name="x" descr="Map of the works"/></p:nvPicPr><p:blipFill><a:blip r:embed="r1"/></p:blipFill></p:pic>`
	text := readPictures(t, domain.FormatSlides, pack(t,
		relations("_rels/.rels", "r1", "officeDocument", "ppt/presentation.xml"),
		part{"ppt/presentation.xml", `<p:presentation` + names + `><p:sldIdLst><p:sldId id="256" r:id="r1"/><p:sldId id="257" r:id="r2"/></p:sldIdLst></p:presentation>`},
		relations("ppt/_rels/presentation.xml.rels", "r1", "slide", "slides/slide1.xml", "r2", "slide", "slides/slide2.xml"),
		slide("1", title), slide("2", picture), relations("ppt/slides/_rels/slide2.xml.rels", "r1", "image", "../media/image1.png"),
		part{"ppt/media/image1.png", pngOf(t, 300, 200, 1)}))
	if got, want := shown(text), []string{`1: page 2, 300x200 png, at "[Picture: Map of the works]", caption ""`}; !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	for i, want := range []string{"Works", "[Picture: Map of the works]"} {
		if got := text.Pages[i].Span.Slice(text.Content); got != want {
			t.Errorf("slide %d holds %q, want %q", i+1, got, want)
		}
	}
}

func TestPicturesOfHTML(t *testing.T) {
	t.Parallel()
	address := func(data string) string {
		return "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(data))
	}
	text := readPictures(t, domain.FormatHTML, `<html><body><main><h1>Works</h1><p>Before <img src="`+address(pngOf(t, 120, 90, 3))+`" alt="the gate"> and after.</p>`+
		`<figure><img data-clew-picture="0" src="`+address(pngOf(t, 200, 90, 5))+`"><figcaption>The mill in 1890</figcaption></figure>`+
		`<img src="https://elsewhere.example/x.png" alt="not here"><img src="/x.png"><img src="data:image/png;base64,%%%"><p>The end.</p></main></body></html>`)
	shows(t, text, "Works\n\nBefore and after.\n\n[Picture: the gate]\n\nThe mill in 1890\n\nThe end.",
		`1: page 0, 120x90 png, at "[Picture: the gate]", caption ""`,
		`2: page 0, 200x90 png, at "The mill in 1890", caption "The mill in 1890"`)
}

func TestPicturesOfBooks(t *testing.T) {
	t.Parallel()
	text := readPictures(t, domain.FormatBook, pack(t, part{"mimetype", "application/epub+zip"},
		part{"META-INF/container.xml", `<container><rootfiles><rootfile full-path="OEBPS/a.opf"/></rootfiles></container>`},
		part{"OEBPS/a.opf", `<package><manifest><item id="a" href="text/a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>`},
		part{"OEBPS/text/a.xhtml", `<html><body><p>One.</p><p><img src="../img/a%20b.png"/></p><p>Fig. 2. The lock</p></body></html>`},
		part{"OEBPS/img/a b.png", pngOf(t, 200, 90, 5)}))
	if got, want := shown(text), []string{`1: page 0, 200x90 png, at "Fig. 2. The lock", caption "Fig. 2. The lock"`}; !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestPicturesOfPDF(t *testing.T) {
	t.Parallel()
	raw := func(width, height, seed int) string {
		var b strings.Builder
		m := drawing(width, height, seed)
		for i := 0; i < len(m.Pix); i += 4 {
			b.Write(m.Pix[i : i+3])
		}
		return b.String()
	}
	object := func(width, height int, more, data string) string {
		return pdftest.Stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8 %s", width, height, more), data)
	}
	put := func(name string, x, y, width, height int) string {
		return fmt.Sprintf("q %d 0 0 %d %d %d cm /%s Do Q\n", width, height, x, y, name)
	}
	logo := put("L", 20, 740, 60, 50)
	text := readPictures(t, domain.FormatPDF, pdftest.Pages([]string{
		logo + pdftest.Lines(50, 700, 10, "The pump has two valves.") + put("A", 100, 400, 300, 200) + pdftest.Lines(100, 380, 10, "Figure 1: The pump and its valves") + pdftest.Lines(50, 300, 10, "Later."),
		logo + put("B", 0, 0, 600, 800) + pdftest.Lines(50, 700, 10, "On a background."),
		logo + pdftest.Lines(50, 700, 10, "Strips.") + put("S", 100, 500, 300, 100) + put("T", 100, 400, 300, 100) + put("I", 300, 300, 10, 10),
	}, "/XObject << /A 4 0 R /B 5 0 R /L 6 0 R /S 7 0 R /T 8 0 R /I 9 0 R >>",
		object(300, 200, "/ColorSpace /DeviceRGB", raw(300, 200, 1)), object(300, 200, "/ColorSpace /DeviceRGB", raw(300, 200, 2)), object(60, 50, "/ColorSpace /DeviceRGB", raw(60, 50, 3)),
		object(300, 100, "/ColorSpace /DeviceRGB", raw(300, 100, 4)), object(300, 100, "/ColorSpace /DeviceRGB /Filter /DCTDecode", jpegOf(t, 300, 100, 4)), object(90, 90, "/ColorSpace /DeviceRGB", raw(90, 90, 5))))
	want := []string{
		`1: page 1, 300x200 png, at "Figure 1: The pump and its valves", caption "Figure 1: The pump and its valves"`,
		`2: page 3, 300x200 png, at "", caption ""`,
	}
	if got := shown(text); !slices.Equal(got, want) {
		t.Fatalf("got\n%s", strings.Join(got, "\n"))
	}
	if want := []float64{0.1667, 0.25, 0.6667, 0.5}; !slices.Equal(text.Pictures[0].Box, want) {
		t.Errorf("box %v, want %v", text.Pictures[0].Box, want)
	}
	m, _, err := image.Decode(strings.NewReader(string(text.Pictures[0].Data)))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := color.RGBAModel.Convert(m.At(20, 30)), drawing(300, 200, 1).At(20, 30); got != want {
		t.Errorf("colour %v, want %v", got, want)
	}
}

func TestImages(t *testing.T) {
	t.Parallel()
	tagged := func(orientation byte, description string) string {
		exif := "Exif\x00\x00II*\x00\x08\x00\x00\x00\x02\x00" +
			"\x0E\x01\x02\x00" + string([]byte{byte(len(description) + 1), 0, 0, 0}) + "\x26\x00\x00\x00" + "\x12\x01\x03\x00\x01\x00\x00\x00" + string([]byte{orientation, 0, 0, 0}) + "\x00\x00\x00\x00" + description + "\x00"
		return "\xFF\xD8\xFF\xE1" + string([]byte{0, byte(len(exif) + 2)}) + exif + strings.TrimPrefix(jpegOf(t, 300, 200, 1), "\xFF\xD8")
	}
	for name, tt := range map[string]struct {
		data, title, content, shown string
	}{
		"PNG":                  {pngOf(t, 40, 30, 1), "", "", `1: page 1, 40x30 png, at "", caption ""`},
		"JPEG":                 {tagged(6, "The mill at dusk"), "", "The mill at dusk", `1: page 1, 200x300 jpeg, at "The mill at dusk", caption "The mill at dusk"`},
		"a camera's own words": {tagged(1, "OLYMPUS DIGITAL CAMERA"), "", "", `1: page 1, 300x200 jpeg, at "", caption ""`},
		"XMP": {pngOf(t, 60, 50, 1) + `<x:xmpmeta xmlns:x="adobe:ns:meta/"><d xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Mill</dc:title><dc:description>A mill</dc:description></d></x:xmpmeta>`,
			"Mill", "A mill", `1: page 1, 60x50 png, at "A mill", caption "A mill"`},
	} {
		text := readPictures(t, domain.FormatImage, tt.data)
		if got := shown(text); text.Title != tt.title || text.Content != tt.content || len(got) != 1 || got[0] != tt.shown || len(text.Pages) != 1 {
			t.Errorf("%s: title %q, text %q, pages %v, pictures %q", name, text.Title, text.Content, text.Pages, got)
		}
	}
}

// TestImagesAreRefused gives images that are damaged, or far larger than they look.
func TestImagesAreRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		data string
		kind domain.Kind
	}{
		"half a PNG":  {pngOf(t, 400, 300, 1)[:500], domain.Invalid},
		"only a head": {"\xFF\xD8\xFF\xE0", domain.Invalid},
	} {
		if _, err := parse.New(parse.Limits{}).Parse(t.Context(), "file", domain.FormatImage, []byte(tt.data)); domain.KindOf(err) != tt.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
	large := "BM\x00\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x01\x00\x18\x00" + strings.Repeat("\x00", 24)
	if _, err := parse.New(parse.Limits{}).Parse(t.Context(), "file", domain.FormatImage, []byte(large)); domain.KindOf(err) != domain.TooLarge {
		t.Errorf("an image of 4,294 million pixels: %v", err)
	}
	if _, _, err := picture.Size([]byte(large)); err == nil {
		t.Error("it has a size")
	}
}

// TestRepeatedPicturesAreOrnaments has a page show one picture three times, and another twice.
func TestRepeatedPicturesAreOrnaments(t *testing.T) {
	t.Parallel()
	image := func(seed int) string {
		return `<p>x</p><img src="data:image/png;base64,` + base64.StdEncoding.EncodeToString([]byte(pngOf(t, 100, 90, seed))) + `">`
	}
	text := readPictures(t, domain.FormatHTML, "<body><main>"+strings.Repeat(image(2), 3)+strings.Repeat(image(5), 2)+"</main></body>")
	if len(text.Pictures) != 2 {
		t.Errorf("%d pictures, want 2", len(text.Pictures))
	}
}

// TestWordsGoBelowPictures checks where pages, headings and pictures are once words were added.
func TestWordsGoBelowPictures(t *testing.T) {
	t.Parallel()
	at := func(start, end int) domain.Span { return domain.Span{Start: start, End: end} }
	text := domain.Text{
		Content:  "Öne\n\nTwo\n\nThree",
		Headings: []domain.Heading{{Level: 1, Text: "Two", Span: at(5, 8)}},
		Pages:    []domain.Page{{Unit: domain.UnitPage, Number: 1, Span: at(0, 3)}, {Unit: domain.UnitPage, Number: 2, Span: at(3, 3)}, {Unit: domain.UnitPage, Number: 3, Span: at(5, 15)}},
		Pictures: []domain.Picture{{Number: 1, Page: 1, At: at(0, 3)}, {Number: 2, Page: 2, At: at(3, 3)}, {Number: 3, Page: 3, At: at(8, 8)}, {Number: 4, Page: 3, At: at(10, 15)}},
	}
	got := parse.WithWords(text, func(p domain.Picture) string { return map[int]string{1: "[ä]", 2: "[b]", 3: "[c]"}[p.Number] })
	if want := "Öne\n\n[ä]\n\n[b]\n\nTwo\n\n[c]\n\nThree"; got.Content != want {
		t.Fatalf("text %q", got.Content)
	}
	var parts []string
	for _, p := range got.Pages {
		parts = append(parts, p.Span.Slice(got.Content))
	}
	for _, p := range got.Pictures {
		parts = append(parts, p.At.Slice(got.Content))
	}
	parts = append(parts, got.Headings[0].Span.Slice(got.Content))
	if want := []string{"Öne\n\n[ä]", "[b]", "Two\n\n[c]\n\nThree", "Öne\n\n[ä]", "[b]", "[c]", "Three", "Two"}; !slices.Equal(parts, want) {
		t.Errorf("parts %q, want %q", parts, want)
	}
	first := parse.WithWords(domain.Text{Content: "One", Pages: []domain.Page{{Number: 1, Unit: domain.UnitPage, Span: at(0, 3)}}, Pictures: []domain.Picture{{Number: 1, Page: 1}}}, func(domain.Picture) string { return "[a]" })
	if first.Content != "[a]\n\nOne" || first.Pages[0].Span != at(0, 8) || first.Pictures[0].At != at(0, 3) {
		t.Errorf("before the text: %+v", first)
	}
}
