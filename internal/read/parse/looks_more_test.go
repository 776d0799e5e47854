package parse_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
)

// rich returns a file of rich text.
func rich(in string) string {
	return `{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Times;}{\f1\fcharset2 Symbol;}}` + in + "}"
}

func TestFormulasListsAndFieldsOfRTF(t *testing.T) {
	t.Parallel()
	const lists = `{\*\listtable{\list\listtemplateid1{\listlevel\levelnfc0\leveljc0\levelstartat3{\leveltext\'02\'00.;}{\levelnumbers\'01;}}{\listlevel\levelnfc4\levelstartat1{\leveltext\'04\'00.\'01);}{\levelnumbers\'01\'03;}}{\listlevel\levelnfc23{\leveltext\'01\u8226 ?;}{\levelnumbers;}}\listid7}}{\*\listoverridetable{\listoverride\listid7\listoverridecount0\ls1}}`
	checkLooks(t, domain.FormatRTF, []lookTest{
		{"a formula", `Energy {\mmath{\*\moMath{\mr\mscr0\msty2 E=m}{\msSup{\msSupPr{\mctrlPr\i}}{\me{\mr c}}{\msup{\mr 2}}}}{\mmathPict no}} is; half {\mmath{\*\moMathPara{\*\moMath{\mf{\mfPr}{\mnum{\mr 1}}{\mden{\mr 2}}}}}}.\par`, "Energy E=mc² is; half 1/2."},
		{"signs of a formula", `{\mmath{\*\moMath{\mnary{\mnaryPr{\mchr \u8721?}}{\msub{\mr i=1}}{\msup{\mr n}}{\me{\mr i}}}{\md{\mdPr{\mbegChr [}{\mendChr ]}}{\me{\mr x}}}}}\par`, "∑_(i=1)^n i[x]"},
		{"numbers that are not written out", lists + `\pard\ls1\ilvl0 First\par\pard\ls1\ilvl1 Deep\par\pard\ls1\ilvl2 Dot\par\pard\ls1\ilvl0 Second\par\pard Text\par`, "3. First\n\n3.a) Deep\n\n- Dot\n\n4. Second\n\nText"},
		{"numbers that are written out", lists + `\pard{\listtext 9.\tab}\ls1 First\par\pard\ls1 Second\par`, "9. First\n\n4. Second"},
		{"fields", `{\field{\*\fldinst SYMBOL 177 \\f "Symbol" \\s 10}{\fldrslt\f1\fs20}}4, {\field{\*\fldinst SYMBOL 177 \\f "Symbol"}{\fldrslt{\f1\'b1}}}5, half {\field{\*\fldinst EQ \\f(1,2)}{\fldrslt }} of {\field{\*\fldinst{HYPERLINK "x"}}{\fldrslt link}}\par`, "±4, ±5, half 1/2 of link"},
		{"texts beside it", `Body{\shp{\*\shpinst{\sp{\sn a}{\sv b}}{\shptxt\pard In a box\par And more\par}}{\shprslt{\*\do\dptxbxtext In a box\par}}} goes on\par`, "In a box\n\nAnd more\n\nBody goes on"},
		{"a note that not all readers know", `1200{\super\chftn}{\*\footnote\chftn\~\plain\pard Without tax.} crowns\par`, "1200 [^1] crowns\n\n[^1] Without tax."},
		{"tables apart", `\trowd\cellx1000\cellx2000\intbl a\cell b\cell\row\pard\par\trowd\cellx700\cellx1400\intbl c\cell d\cell\row\pard\par`, "a | b\n\nc | d"},
		{"a table in a table", `\trowd\cellx1000\cellx3000\cellx4000\pard\intbl Aber\cell\pard\intbl Two:\par\itap2 a\nestcell 1\nestcell{\*\nesttableprops\trowd\cellx500\cellx900\nestrow}{\nonesttables\par}b\nestcell 2\nestcell{\*\nesttableprops\trowd\cellx500\cellx900\nestrow}{\nonesttables\par}\pard\intbl\itap1\cell 2020\cell\row\pard End\par`, "Aber | Two: a, 1; b, 2 | 2020\n\nEnd"},
		{"damaged", `{\*\moMath{\mf{\mnum 1}`, ""},
	}, rich)
}

func TestFieldsAndRunsOfDOCX(t *testing.T) {
	t.Parallel()
	field := func(instruction, result string) string {
		return `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> ` + instruction + ` </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>` + result + `<w:r><w:fldChar w:fldCharType="end"/></w:r>`
	}
	checkLooks(t, domain.FormatDOCX, []lookTest{
		{"a formula", "<w:p>" + wordRun("", "Half ") + field(`EQ \f(1,2)`, "") + wordRun("", " of") + "</w:p>", "Half 1/2 of"},
		{"formulas", "<w:p>" + field(`EQ \r(3,x+1)`, "") + field(`EQ x\s\up8(2)`, "") + field(`EQ \i\su(i=1,n,i)`, "") + "</w:p>", "∛(x+1) x² ∑_(i=1)^n i"},
		{"a symbol", "<w:p>" + field(`SYMBOL 177 \f "Symbol" \s 10`, "") + wordRun("", "3 ") + field(`SYMBOL 177 \f Symbol`, wordRun("", "±")) + wordRun("", "4") + "</w:p>", "±3 ±4"},
		{"simple fields", `<w:p><w:fldSimple w:instr=" PAGE "><w:r><w:t>7</w:t></w:r></w:fldSimple><w:fldSimple w:instr="EQ \f(1,2)"/></w:p>`, "7 1/2"},
		{"struck and raised", "<w:p>" + wordRun("", "40 m") + wordRun(strike+raise, "2") + wordRun(raise+strike, "3") + wordRun(raise, "3") + "</w:p>", "40 m³"},
		{"raised by place", "<w:p>" + wordRun("", "1200") + wordRun(`<w:position w:val="8"/>`, "3") + wordRun("", " H") + wordRun(`<w:position w:val="-6"/>`, "2") + wordRun("", "O") + "</w:p>", "1200 [^3] H2O"},
		{"hidden", "<w:p>" + wordRun("", "It is 4") + wordRun(`<w:vanish/>`, "5") + wordRun(`<w:vanish w:val="0"/>`, "6") + "</w:p>", "It is 46"},
	}, word(t))
}

func TestInheritedLooksOfSlides(t *testing.T) {
	t.Parallel()
	const names = ` xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	holder := func(place, style, text string) string {
		return `<p:sp><p:nvSpPr><p:nvPr><p:ph ` + place + `/></p:nvPr></p:nvSpPr><p:txBody><a:lstStyle>` + style + `</a:lstStyle>` + text + `</p:txBody></p:sp>`
	}
	say := func(properties, run, text string) string {
		return `<a:p><a:pPr ` + properties + `/><a:r><a:rPr ` + run + `/><a:t>` + text + `</a:t></a:r></a:p>`
	}
	layout := part{"ppt/slideLayouts/slideLayout1.xml", `<p:sldLayout` + names + `>` +
		holder(`idx="1"`, `<a:lvl1pPr><a:buAutoNum type="arabicPeriod" startAt="3"/></a:lvl1pPr><a:lvl2pPr><a:buNone/></a:lvl2pPr>`, "") +
		holder(`type="body" idx="2"`, `<a:lvl1pPr><a:buNone/><a:defRPr strike="sngStrike"/></a:lvl1pPr>`, "") + `</p:sldLayout>`}
	master := part{"ppt/slideMasters/slideMaster1.xml", `<p:sldMaster` + names + `><p:txStyles><p:bodyStyle><a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr><a:lvl3pPr><a:buAutoNum type="alphaLcParenR"/></a:lvl3pPr></p:bodyStyle></p:txStyles></p:sldMaster>`}
	checkLooks(t, domain.FormatSlides, []lookTest{
		{"numbers of the layout", holder(`idx="1"`, "", say("", "", "First")+say("", "", "Second")+say(`lvl="1"`, "", "plain")), "3. First\n4. Second\nplain"},
		{"numbers of the master", holder(`idx="1"`, "", say("", "", "First")+say(`lvl="2"`, "", "deep")), "3. First\n    a) deep"},
		{"struck by the layout", holder(`type="body" idx="2"`, "", say("", "", "gone")+say("", `strike="noStrike"`, "kept")), "kept"},
		{"its own style", holder(`type="body" idx="9"`, `<a:lvl1pPr><a:buAutoNum type="romanUcPeriod"/></a:lvl1pPr>`, say("", "", "One")+say("", "", "Two")), "I. One\nII. Two"},
	}, func(in string) string {
		return pack(t, part{"ppt/presentation.xml", `<p:presentation` + names + `><p:sldIdLst><p:sldId r:id="a"/></p:sldIdLst></p:presentation>`},
			part{"ppt/_rels/presentation.xml.rels", rels + rel("a", "slide", "slides/slide1.xml") + `</Relationships>`},
			part{"ppt/slides/_rels/slide1.xml.rels", rels + rel("l", "slideLayout", "../slideLayouts/slideLayout1.xml") + `</Relationships>`},
			part{"ppt/slideLayouts/_rels/slideLayout1.xml.rels", rels + rel("m", "slideMaster", "../slideMasters/slideMaster1.xml") + `</Relationships>`},
			layout, master,
			part{"ppt/slides/slide1.xml", `<p:sld` + names + `><p:cSld><p:spTree>` + in + `</p:spTree></p:cSld></p:sld>`})
	})
}

func TestMoreLooksOfODT(t *testing.T) {
	t.Parallel()
	cell := func(attributes, text string) string {
		return `<table:table-cell ` + attributes + `><text:p>` + text + `</text:p></table:table-cell>`
	}
	const deletion = `<text:tracked-changes><text:changed-region text:id="c1"><text:deletion><office:change-info><dc:creator xmlns:dc="x">Ada</dc:creator></office:change-info><text:p>400</text:p></text:deletion></text:changed-region>` +
		`<text:changed-region text:id="c2"><text:insertion/></text:changed-region></text:tracked-changes><text:p>It is <text:change text:change-id="c1"/><text:change-start text:change-id="c2"/>650.</text:p>`
	checkLooks(t, domain.FormatODT, []lookTest{
		{"a formula in the text", `<text:p>Half <draw:frame><draw:object><math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mn>1</mn><mn>2</mn></mfrac></math></draw:object></draw:frame> of</text:p>`, "Half 1/2 of"},
		{"repeated cells", `<table:table><table:table-row>` + cell("", "a") + cell(`table:number-columns-repeated="2"`, "b") + cell("", "c") + `</table:table-row></table:table>`, "a | b | b | c"},
		{"a table in a table", `<table:table><table:table-row>` + cell("", "a") + `<table:table-cell><table:table><table:table-row>` + cell("", "b") + cell("", "c") + `</table:table-row></table:table></table:table-cell>` + cell("", "d") + `</table:table-row></table:table>`, "a | b, c | d"},
		{"a deletion", deletion, "It is 650."},
	}, openText(t, ""))
	text, err := parse.New(parse.Limits{}).KeepStruck(true).Parse(t.Context(), "file", domain.FormatODT, []byte(openText(t, "")(deletion)))
	if want := "It is ~~400~~ 650."; err != nil || text.Content != want {
		t.Errorf("kept: %q, error %v; want %q", text.Content, err, want)
	}
}

// TestChartsWithoutCopies reads charts that only refer to cells, as some libraries write them.
func TestChartsWithoutCopies(t *testing.T) {
	t.Parallel()
	const chart = `<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:f>'My sheet'!B1</c:f></c:strRef></c:tx>` +
		`<c:cat><c:numRef><c:f>'My sheet'!$A$2:$A$3</c:f></c:numRef></c:cat><c:val><c:numRef><c:f>'My sheet'!$B$2:$B$3</c:f></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`
	book := excelize.NewFile()
	defer book.Close()
	if err := book.SetSheetName("Sheet1", "My sheet"); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]any{"A2": "Spring", "A3": "Autumn", "B1": "Herring", "B2": 120, "B3": 340} {
		if err := book.SetCellValue("My sheet", name, value); err != nil {
			t.Fatal(err)
		}
	}
	var data bytes.Buffer
	if err := book.Write(&data); err != nil {
		t.Fatal(err)
	}
	of := func(parts ...part) domain.Text {
		return read(t, domain.FormatDOCX, wordWith(t, `<w:p><w:r><w:drawing><c:chart r:id="c1"/></w:drawing></w:r></w:p><w:p><w:r><w:t>After.</w:t></w:r></w:p>`,
			rel("c1", "chart", "charts/chart1.xml"), append(parts, part{"word/charts/chart1.xml", chart})...))
	}
	got := of(part{"word/charts/_rels/chart1.xml.rels", rels + rel("b", "package", "../embeddings/book.xlsx") + `</Relationships>`}, part{"word/embeddings/book.xlsx", data.String()})
	if want := "Category | Herring\nSpring | 120\nAutumn | 340\n\nAfter."; got.Content != want {
		t.Errorf("with its workbook: %q, want %q", got.Content, want)
	}
	if got := of(); got.Content != "After." || !strings.Contains(strings.Join(got.Warnings, ""), "values of a chart") {
		t.Errorf("without a workbook: %q, warnings %q", got.Content, got.Warnings)
	}
}

// TestNewerCharts reads a chart of the kinds that Office has had since 2016.
func TestNewerCharts(t *testing.T) {
	t.Parallel()
	const chart = `<cx:chartSpace xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><cx:chartData><cx:data id="0"><cx:strDim type="cat"><cx:lvl ptCount="2"><cx:pt idx="0">Spring</cx:pt><cx:pt idx="1">Autumn</cx:pt></cx:lvl></cx:strDim>` +
		`<cx:numDim type="val"><cx:lvl ptCount="2" formatCode="General"><cx:pt idx="0">120</cx:pt><cx:pt idx="1">340</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData><cx:chart><cx:title><cx:tx><cx:rich><a:p><a:r><a:t>Catch</a:t></a:r></a:p></cx:rich></cx:tx></cx:title>` +
		`<cx:plotArea><cx:plotAreaRegion><cx:series layoutId="waterfall"><cx:tx><cx:txData><cx:v>Herring</cx:v></cx:txData></cx:tx></cx:series></cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>`
	got := read(t, domain.FormatDOCX, wordWith(t, `<w:p><w:r><w:drawing><cx:chart xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex" r:id="c1"/></w:drawing></w:r></w:p>`,
		rel("c1", "chartEx", "charts/chartEx1.xml"), part{"word/charts/chartEx1.xml", chart}))
	if want := "Chart: Catch\n\nCategory | Herring\nSpring | 120\nAutumn | 340"; got.Content != want {
		t.Errorf("read %q, want %q", got.Content, want)
	}
}

// TestDrawingsOfSheets reads text boxes and charts that lie on a sheet.
func TestDrawingsOfSheets(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	defer book.Close()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]any{"A2": "Spring", "A3": "Autumn", "B1": "Herring", "B2": 120, "B3": 340} {
		must(book.SetCellValue("Sheet1", name, value))
	}
	must(book.AddShape("Sheet1", &excelize.Shape{Cell: "D1", Type: "rect", Paragraph: []excelize.RichTextRun{{Text: "Only on paper"}}}))
	must(book.AddChart("Sheet1", "D9", &excelize.Chart{Type: excelize.Col, Series: []excelize.ChartSeries{{Name: "Sheet1!$B$1", Categories: "Sheet1!$A$2:$A$3", Values: "Sheet1!$B$2:$B$3"}}, Title: excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: "Catch"}}}}))
	var data bytes.Buffer
	must(book.Write(&data))
	if got, want := read(t, domain.FormatSheets, data.String()).Content, "Only on paper\n\nChart: Catch\n\nCategory | Herring\nSpring | 120\nAutumn | 340"; !strings.HasSuffix(got, want) {
		t.Errorf("read %q, want %q at the end", got, want)
	}
}

// TestHeadersAndFooters names what stands on every page and nowhere else.
func TestHeadersAndFooters(t *testing.T) {
	t.Parallel()
	const (
		header = `<w:hdr ` + wordNamespace + `><w:p><w:r><w:t>Case number 4711</w:t></w:r></w:p><w:p><w:r><w:t>Body</w:t></w:r></w:p></w:hdr>`
		footer = `<w:ftr ` + wordNamespace + `><w:p><w:r><w:t>Page </w:t></w:r><w:fldSimple w:instr="PAGE"><w:r><w:t>1</w:t></w:r></w:fldSimple></w:p></w:ftr>`
		styles = `<office:document-styles xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"><style:header><text:p>Case number 4711</text:p></style:header><style:footer><text:p>Page <text:page-number>1</text:page-number></text:p></style:footer></office:document-styles>`
	)
	for name, got := range map[string]domain.Text{
		"DOCX": read(t, domain.FormatDOCX, wordWith(t, `<w:p><w:r><w:t>Body</w:t></w:r></w:p>`, rel("h", "header", "header1.xml")+rel("f", "footer", "footer1.xml"), part{"word/header1.xml", header}, part{"word/footer1.xml", footer})),
		"ODT":  read(t, domain.FormatODT, openText(t, "", part{"styles.xml", styles})(`<text:p>Body</text:p>`)),
		"RTF":  read(t, domain.FormatRTF, rich(`{\header\pard Case {\b number} 4711{\pict 0a0b}\par Body\par}{\footer Page {\field{\*\fldinst PAGE}{\fldrslt 1}}\par}Body\par`)),
	} {
		if said := strings.Join(got.Warnings, "\n"); got.Content != "Body" || !strings.HasSuffix(said, "were left out: “Case number 4711”.") || len(got.Warnings) != 1 {
			t.Errorf("%s: content %q, warnings %q", name, got.Content, said)
		}
	}
}
