package parse_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/testkit/race"
)

// A lookTest is a text whose look means something.
type lookTest struct{ name, in, want string }

// checkLooks reads the tests in a format.
func checkLooks(t *testing.T, format domain.Format, tests []lookTest, file func(in string) string) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, read(t, format, file(tt.in)).Content); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
		})
	}
}

func same(s string) string { return s }

func TestLooksOfHTML(t *testing.T) {
	t.Parallel()
	checkLooks(t, domain.FormatHTML, []lookTest{
		{"edited", "<p>The rent is <del>400</del><ins>650</ins> crowns, <s>9</s><strike>8</strike>7 a day.", "The rent is 650 crowns, 7 a day."},
		{"edited by style", `<p>It costs <span style="text-decoration: line-through">900</span>700 crowns.`, "It costs 700 crowns."},
		{"edited by class", `<style>.c1{color:red} p.x, .gone { text-decoration:line-through }</style><p>It costs <span class="c2 gone">900</span>700 crowns.`, "It costs 700 crowns."},
		{"struck paragraphs", "<p>One</p><del><p>Two</p></del><ul><li><s>three</s><li>four</ul>", "One\n\n- four"},
		{"powers", "<p>5 × 10<sup>6</sup> litres, 10<sup>−3</sup>, 40 m<sup>2</sup>, x<span style='vertical-align:super'>2</span>y", "5 × 10⁶ litres, 10⁻³, 40 m², x² y"},
		{"notes", `<p>It cost 1200<sup>3</sup> crowns<a href="#fn4"><sup>4</sup></a>, x<sup><a href="#n2">2</a></sup>, <a role="doc-noteref" href="#a">5</a>and.<sup>[6]</sup> Then`, "It cost 1200 [^3] crowns [^4], x [^2], [^5] and.[^6] Then"},
		{"texts of notes", `<p>It is so<a href="#_ftn1" name="_ftnref1"><span>[1]</span></a>.</p><p><a href="#_ftnref1">[1]</a> The source. <a href="#r1">↩</a></p><ol><li id="fn2">Another one. <a role="doc-backlink" href="#fnref2">↩︎</a></li></ol>`, "It is so [^1].\n\n[^1] The source.\n\n[^1] Another one."},
		{"indices", "<p>H<sub>2</sub>SO<sub>4</sub>, x<sub>i</sub>, log<sub>2</sub>8", "H2SO4, x_i, log_2 8"},
		{"symbols", `<p><font face="Symbol">&#177;</font>3, <span style="font-family:Symbol">a</span>, &#xF0B1;4, ±5`, "±3, α, ±4, ±5"},
		{"formulas", `<p>It is <math><mfrac><mn>1</mn><mrow><mi>sin</mi><mo>&#x2061;</mo><mn>45.0</mn></mrow></mfrac></math>, <math><mrow><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><msqrt><mi>y</mi><mo>+</mo><mn>1</mn></msqrt></mrow></math> and <math><semantics><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><annotation>x</annotation></semantics></math>.`, "It is 1/(sin 45.0), x² + √(y + 1) and ∑_(i=1)^n."},
		{"ruby", "<p><ruby>漢<rt>かん</rt></ruby>と<ruby>字<rp>(</rp><rt>じ</rt><rp>)</rp></ruby>", "漢(かん)と字(じ)"},
		{"cells", "<table><tr><th>a<th>b<tr><td>10<sup>6</sup><td><del>4</del>5<tr><td>9<sup>a</sup><td>x</table>", "a | b\n10⁶ | 5\n9ª | x"},
		{"ordinals", "<p>19<sup>th</sup> century, Clew<sup>TM</sup>", "19th century, Clew™"},
		{"lists", "<ol type=a><li>x<li>y</ol><ol reversed><li>x<li value=7>y</ol>", "a. x\nb. y\n\n2. x\n7. y"},
		{"a note beside the text", `<p>It is<a epub:type="noteref" href="notes.xhtml#n1">1</a>.</p><aside epub:type="footnote" id="n1"><p>Why.</p></aside><aside>no</aside>`, "It is [^1].\n\nWhy."},
		{"a page too deep", "<p>a<del>4</del>5 10<sup>6</sup>" + deep, "a5 10⁶"},
	}, same)
}

// deep is markup nested deeper than pages are followed.
var deep = func() string {
	b := make([]byte, 0, 6000)
	for range 1000 {
		b = append(b, "<div>"...)
	}
	return string(b)
}()

func TestLooksOfMarkdown(t *testing.T) {
	t.Parallel()
	checkLooks(t, domain.FormatMarkdown, []lookTest{
		{"struck", "The rent is ~~400~~650 crowns, <del>9</del>8, ~one by one~two.", "The rent is 650 crowns, 8, two."},
		{"powers", "5 × 10<sup>6</sup>, 10^6^ and m^2^, x^2 and y^2, H~2~O and H<sub>2</sub>O.", "5 × 10⁶, 10⁶ and m², x^2 and y^2, H2O and H2O."},
		{"notes", "It costs 120[^a] crowns.[^b] Then\n\n[^a]: Without *the* tax.\n[^b]: Twice.\n", "It costs 120 [^1] crowns.[^2] Then\n\n[^1] Without the tax.\n\n[^2] Twice."},
		{"formulas", "Energy is $E = mc^2$, $a_1 * b_1 * c_1$, $$x^2_i$$, and it costs $5 or $10, a*b* $x*.", "Energy is $E = mc^2$, $a_1 * b_1 * c_1$, $$x^2_i$$, and it costs $5 or $10, ab $x*."},
		{"a block of HTML", "<p>a <s>400</s>650 10<sup>6</sup>\n\nb", "a 650 10⁶\n\nb"},
		{"a table in HTML", "x\n\n<table><tr><td rowspan=2>North<td>1<tr><td>2</table>\n\ny", "x\n\nNorth | 1\nNorth | 2\n\ny"},
	}, same)
}

func TestStruckTextIsKept(t *testing.T) {
	t.Parallel()
	p := parse.New(parse.Limits{}).KeepStruck(true)
	for _, tt := range []struct {
		format domain.Format
		in     string
	}{
		{domain.FormatHTML, "<p>The rent is <del>400</del><ins>650</ins> crowns."},
		{domain.FormatMarkdown, "The rent is ~~400~~650 crowns."},
	} {
		text, err := p.Parse(t.Context(), "file", tt.format, []byte(tt.in))
		if want := "The rent is ~~400~~ 650 crowns."; err != nil || text.Content != want {
			t.Errorf("%s: %q, error %v; want %q", tt.format, text.Content, err, want)
		}
	}
}

func TestMergedCellsOfHTML(t *testing.T) {
	t.Parallel()
	checkLooks(t, domain.FormatHTML, []lookTest{
		{"rows and columns", "<table><caption>Income</caption><thead><tr><th rowspan=2>Region<th colspan=2>2023<th colspan=2>2024<tr><th>Q1<th>Q2<th>Q1<th>Q2<tbody><tr><td rowspan=2>North<td>10<td>20<td>30<td>40<tr><td>11<td>21<td>31<td>41<tr><td>South<td>12<td>22<td>32<td>42</table>",
			"Income\nRegion | 2023 Q1 | 2023 Q2 | 2024 Q1 | 2024 Q2\nNorth | 10 | 20 | 30 | 40\nNorth | 11 | 21 | 31 | 41\nSouth | 12 | 22 | 32 | 42"},
		{"names without a head", "<table><tr><td>Region<td colspan=2>Income<tr><td><td>Spring<td>Autumn<tr><td>North<td>1<td>2</table>", "Region | Income Spring | Income Autumn\nNorth | 1 | 2"},
		{"a head of three rows", "<table><tr><th rowspan=3>R<th colspan=4>A<tr><th colspan=2>B<th colspan=2>C<tr><th>1<th>2<th>3<th>4<tr><td>x<td>5<td>6<td>7<td>8</table>", "R | A B 1 | A B 2 | A C 3 | A C 4\nx | 5 | 6 | 7 | 8"},
		{"to the end of the group", "<table><tbody><tr><td rowspan=0>a<td>1<tr><td>2<tbody><tr><td>b<td>3</table>", "a | 1\na | 2\nb | 3"},
		{"over each other", "<table><tr><td>a<td rowspan=2>b<td>c<tr><td colspan=2>d<td>e<tr><td>f<td>g<td>h</table>", "a | b | c\nd | d | e\nf | g | h"},
		{"beyond the rows", "<table><tr><td rowspan=99999999999999999999>a<td rowspan=65000>b<tr><td>c</table>", "a | b\nc | b"},
		{"a title in a row", "<table><tr><td colspan=3>Income<tr><td>a<td>b<td>c<tr><td>1<td>2<td>3</table>", "Income\na | b | c\n1 | 2 | 3"},
		{"in a column within", "<table><tr><th>a<th>b<th>c<tr><td>1<td rowspan=2>2<td>3<tr><td>4<td>5</table>", "a | b | c\n1 | 2 | 3\n4 | 2 | 5"},
	}, same)
}

// word returns a Word document of a body, with further parts.
func word(t *testing.T, parts ...part) func(string) string {
	return func(in string) string {
		b := body(in)
		b.data = strings.Replace(b.data, "<w:document ", `<w:document xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" `, 1)
		return pack(t, append([]part{b}, parts...)...)
	}
}

// wordRun returns a run with properties.
func wordRun(properties, text string) string {
	return `<w:r><w:rPr>` + properties + `</w:rPr><w:t xml:space="preserve">` + text + `</w:t></w:r>`
}

const (
	raise  = `<w:vertAlign w:val="superscript"/>`
	strike = `<w:strike/>`
)

func TestLooksOfDOCX(t *testing.T) {
	t.Parallel()
	office := func(s string) string { return strings.NewReplacer("[", "<m:r><m:t>", "]", "</m:t></m:r>").Replace(s) }
	notes := part{"word/footnotes.xml", `<w:footnotes ` + wordNamespace + `><w:footnote w:type="separator" w:id="-1">` + para("", "no") + `</w:footnote><w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space="preserve"> Without the tax.</w:t></w:r></w:p></w:footnote>` +
		`<w:footnote w:id="3">` + para("", "deleted") + `</w:footnote></w:footnotes>`}
	ends := part{"word/endnotes.xml", `<w:endnotes ` + wordNamespace + `><w:endnote w:id="2">` + para("", "At the end.") + `</w:endnote></w:endnotes>`}
	styles := part{"word/styles.xml", `<w:styles ` + wordNamespace + `><w:style w:type="character" w:styleId="High"><w:rPr>` + raise + `</w:rPr></w:style><w:style w:type="paragraph" w:styleId="Gone"><w:rPr>` + strike + `</w:rPr></w:style></w:styles>`}
	checkLooks(t, domain.FormatDOCX, []lookTest{
		{"struck", "<w:p>" + wordRun("", "It is ") + wordRun(strike, "400") + wordRun(`<w:dstrike w:val="true"/>`, "500") + wordRun(`<w:strike w:val="0"/>`, "650") + "</w:p>" + para(style("Gone"), "gone"), "It is 650"},
		{"powers", "<w:p>" + wordRun("", "5 × 10") + wordRun(raise, "-") + wordRun(raise, "6") + wordRun("", " m") + wordRun(`<w:rStyle w:val="High"/>`, "2") + wordRun("", "x") + wordRun(`<w:vertAlign w:val="subscript"/>`, "i") + "</w:p>", "5 × 10⁻⁶ m² x_i"},
		{"notes", `<w:p>` + wordRun("", "1200") + `<w:r><w:rPr>` + raise + `</w:rPr><w:footnoteReference w:id="2"/></w:r>` + wordRun("", " crowns.") + `<w:r><w:endnoteReference w:id="2"/></w:r><w:del><w:r><w:footnoteReference w:id="3"/></w:r></w:del></w:p>`, "1200 [^1] crowns.[^i]\n\n[^1] Without the tax.\n\n[^i] At the end."},
		{"a mark by hand", "<w:p>" + wordRun("", "1200") + wordRun(raise, "3") + "</w:p>", "1200 [^3]\n\nWithout the tax.\n\ndeleted\n\nAt the end."},
		{"symbols", `<w:p><w:r><w:sym w:font="Symbol" w:char="F0B1"/><w:t>3</w:t><w:sym w:font="Wingdings" w:char="F0FC"/><w:sym w:font="Segoe UI Symbol" w:char="2610"/></w:r>` + wordRun(`<w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/>`, "\uF0B1a") + `<w:r><w:t>4</w:t><w:noBreakHyphen/><w:t>5</w:t></w:r></w:p>`, "±3✓☐±α4-5\n\nWithout the tax.\n\ndeleted\n\nAt the end."},
		{"former properties", `<w:p><w:pPr><w:pPrChange><w:pPr>` + style("Heading1") + `</w:pPr></w:pPrChange></w:pPr><w:r><w:rPr><w:rPrChange><w:rPr>` + strike + `</w:rPr></w:rPrChange></w:rPr><w:t>kept</w:t></w:r></w:p>`, "kept\n\nWithout the tax.\n\ndeleted\n\nAt the end."},
	}, func(in string) string {
		parts := []part{styles}
		if strings.Contains(in, "Reference") || !strings.Contains(in, "It is") && !strings.Contains(in, "×") {
			parts = append(parts, notes, ends)
		}
		return word(t, parts...)(in)
	})
	checkLooks(t, domain.FormatDOCX, []lookTest{
		{"fraction", office(`<m:f><m:fPr><m:ctrlPr/></m:fPr><m:num>[1]</m:num><m:den><m:func><m:fName>[sin]</m:fName><m:e>[&#x2061;45.0]</m:e></m:func></m:den></m:f>`), "Is 1/(sin 45.0) so"},
		{"fraction of text", office(`<m:f><m:num>[1]</m:num><m:den>[sin&#x2061;45.0]</m:den></m:f>`), "Is 1/(sin 45.0) so"},
		{"scripts", office(`<m:sSubSup><m:e>[x]</m:e><m:sub>[i]</m:sub><m:sup>[2]</m:sup></m:sSubSup>[+]<m:sSup><m:e>[10]</m:e><m:sup>[6]</m:sup></m:sSup>[=]<m:sSub><m:e>[a]</m:e><m:sub>[1]</m:sub></m:sSub>`), "Is x_i²+10⁶=a_1 so"},
		{"roots", office(`<m:rad><m:deg/><m:e>[x+1]</m:e></m:rad>[+]<m:rad><m:deg>[3]</m:deg><m:e>[8]</m:e></m:rad>`), "Is √(x+1)+∛8 so"},
		{"sums", office(`<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>[i=1]</m:sub><m:sup>[n]</m:sup><m:e>[i]</m:e></m:nary>`), "Is ∑_(i=1)^n i so"},
		{"integral", office(`<m:nary><m:sub>[0]</m:sub><m:sup>[1]</m:sup><m:e>[x dx]</m:e></m:nary>`), "Is ∫_0¹ x dx so"},
		{"brackets", office(`<m:d><m:dPr><m:begChr m:val="{"/><m:endChr m:val=""/></m:dPr><m:e>[a]</m:e><m:e>[b]</m:e></m:d><m:d><m:e>[c]</m:e></m:d>`), "Is {a|b(c) so"},
		{"limits", office(`<m:func><m:fName><m:limLow><m:e>[lim]</m:e><m:lim>[x→0]</m:lim></m:limLow></m:fName><m:e>[f]</m:e></m:func>`), "Is lim_(x→0) f so"},
		{"accents", office(`<m:bar><m:barPr><m:pos m:val="top"/></m:barPr><m:e>[x]</m:e></m:bar>[,]<m:acc><m:accPr><m:chr m:val="⃗"/></m:accPr><m:e>[ab]</m:e></m:acc>`), "Is x̄,vec(ab) so"},
		{"matrix", office(`<m:m><m:mr><m:e>[a]</m:e><m:e>[b]</m:e></m:mr><m:mr><m:e>[c]</m:e><m:e>[d]</m:e></m:mr></m:m>`), "Is [a, b; c, d] so"},
	}, func(in string) string {
		return word(t)("<w:p><w:r><w:t>Is</w:t></w:r><m:oMathPara><m:oMath>" + in + "</m:oMath></m:oMathPara><w:r><w:t>so</w:t></w:r></w:p>")
	})
}

func TestTrackedChangesOfDOCX(t *testing.T) {
	t.Parallel()
	ended := func(text string) string { return para(`<w:rPr><w:del w:id="1"/></w:rPr>`, text) }
	row := func(properties string, cells ...string) string {
		s := "<w:tr><w:trPr>" + properties + "</w:trPr>"
		for _, c := range cells {
			s += "<w:tc>" + para("", c) + "</w:tc>"
		}
		return s + "</w:tr>"
	}
	in := ended("The lease ") + ended("ends in ") + para("", "March.") + ended("Alone") +
		"<w:tbl>" + row("", "Item", "Owner") + row(`<w:del w:id="2"/>`, "Boat", "Ravn") + row("", "Sluice", "Lind") + "</w:tbl>" + ended("Last")
	want := "The lease ends in March.\n\nAlone\n\nItem | Owner\nSluice | Lind\n\nLast"
	if diff := cmp.Diff(want, read(t, domain.FormatDOCX, word(t)(in)).Content); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
	in = `<w:p><w:r><w:t>It is </w:t></w:r><w:del><w:r><w:delText>400</w:delText></w:r></w:del><w:ins><w:r><w:t>650</w:t></w:r></w:ins></w:p><w:p><w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom></w:p>`
	text, err := parse.New(parse.Limits{}).KeepStruck(true).Parse(t.Context(), "file", domain.FormatDOCX, []byte(word(t)(in)))
	if err != nil || text.Content != "It is ~~400~~ 650" {
		t.Errorf("kept: %q, error %v", text.Content, err)
	}
}

func TestMergedCellsOfDOCX(t *testing.T) {
	t.Parallel()
	cell := func(properties, text string) string {
		return "<w:tc><w:tcPr>" + properties + "</w:tcPr>" + para("", text) + "</w:tc>"
	}
	const span, top, below = `<w:gridSpan w:val="2"/>`, `<w:vMerge w:val="restart"/>`, `<w:vMerge/>`
	checkLooks(t, domain.FormatDOCX, []lookTest{
		{"rows and columns", "<w:tr>" + cell("", "Region") + cell(span, "Income") + "</w:tr><w:tr>" + cell("", "") + cell("", "Spring") + cell("", "Autumn") + "</w:tr><w:tr>" + cell(top, "North") + cell("", "1") + cell("", "2") + "</w:tr><w:tr>" + cell(below, "") + cell("", "3") + cell("", "4") + "</w:tr>",
			"Region | Income Spring | Income Autumn\nNorth | 1 | 2\nNorth | 3 | 4"},
		{"a block", "<w:tr>" + cell("", "a") + cell("", "b") + cell("", "c") + "</w:tr><w:tr>" + cell(span+top, "x") + cell("", "1") + "</w:tr><w:tr>" + cell(span+below, "") + cell("", "2") + "</w:tr>", "a | b | c\nx | x | 1\nx | x | 2"},
		{"head", "<w:tr><w:trPr><w:tblHeader/></w:trPr>" + cell("", "a") + cell("", "b") + "</w:tr><w:tr><w:trPr><w:tblHeader/></w:trPr>" + cell("", "1") + cell("", "2") + "</w:tr><w:tr>" + cell("", "3") + cell("", "4") + "</w:tr>", "a 1 | b 2\n3 | 4"},
		{"set in", `<w:tr>` + cell("", "a") + cell("", "b") + `</w:tr><w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>` + cell("", "1") + "</w:tr>", "a | b\n| 1"},
	}, func(in string) string { return word(t)("<w:tbl>" + in + "</w:tbl>") })
}

func TestNumbersOfDOCX(t *testing.T) {
	t.Parallel()
	level := func(n, format, text string) string {
		return `<w:lvl w:ilvl="` + n + `"><w:start w:val="1"/><w:numFmt w:val="` + format + `"/><w:lvlText w:val="` + text + `"/></w:lvl>`
	}
	list := func(id, levels string) string {
		return `<w:abstractNum w:abstractNumId="` + id + `">` + levels + `</w:abstractNum>`
	}
	num := func(id, of, inner string) string {
		return `<w:num w:numId="` + id + `"><w:abstractNumId w:val="` + of + `"/>` + inner + `</w:num>`
	}
	numbers := part{"word/numbering.xml", `<w:numbering ` + wordNamespace + `>` +
		list("0", level("0", "decimal", "%1.")+level("1", "lowerLetter", "%2)")+level("2", "lowerRoman", "(%3)")) +
		list("1", level("0", "upperRoman", "Article %1")+level("1", "decimal", "%1.%2")) +
		list("2", level("0", "bullet", "")) +
		list("3", `<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1"/><w:pStyle w:val="Heading1"/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="Heading2"/><w:lvlText w:val="%1.%2"/></w:lvl>`) +
		num("1", "0", "") + num("2", "0", `<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>`) + num("3", "1", `<w:lvlOverride w:ilvl="1">`+`<w:lvl w:ilvl="1"><w:start w:val="4"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/><w:isLgl/></w:lvl></w:lvlOverride>`) +
		num("4", "2", "") + num("5", "3", "") + num("6", "0", "") + `</w:numbering>`}
	styles := part{"word/styles.xml", `<w:styles ` + wordNamespace + `><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="5"/></w:numPr></w:pPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="5"/></w:numPr></w:pPr></w:style><w:style w:type="paragraph" w:styleId="Sub"><w:name w:val="sub"/><w:basedOn w:val="Heading2"/></w:style></w:styles>`}
	in := func(num, depth, text string) string {
		return para(`<w:numPr><w:ilvl w:val="`+depth+`"/><w:numId w:val="`+num+`"/></w:numPr>`, text)
	}
	checkLooks(t, domain.FormatDOCX, []lookTest{
		{"levels", in("1", "0", "a") + in("1", "1", "b") + in("1", "1", "c") + in("1", "2", "d") + in("1", "0", "e") + in("1", "1", "f"), "1. a\n  a) b\n  b) c\n    (i) d\n2. e\n  a) f"},
		{"goes on", in("1", "0", "a") + para("", "text") + in("1", "0", "b") + in("6", "0", "c"), "1. a\n\ntext\n\n2. b\n3. c"},
		{"begins anew", in("1", "0", "a") + in("2", "0", "b") + in("2", "0", "c"), "1. a\n7. b\n8. c"},
		{"legal", in("3", "0", "a") + in("3", "1", "b") + in("3", "1", "c"), "Article I a\n  1.4 b\n  1.5 c"},
		{"bullets", in("4", "0", "a") + in("9", "0", "b") + in("0", "0", "c"), "- a\n- b\n\nc"},
		{"headings", para(style("Heading1"), "One") + para(style("Heading2"), "Two") + para(style("Sub"), "Three") + para(style("Heading1"), "Four"), "1 One\n\n1.1 Two\n\n1.2 Three\n\n2 Four"},
		{"in a table", "<w:tbl><w:tr><w:tc>" + in("1", "0", "a") + in("1", "0", "b") + "</w:tc><w:tc>" + in("4", "0", "c") + "</w:tc></w:tr></w:tbl>", "1. a 2. b | c"},
	}, word(t, numbers, styles))
}

// openText returns an OpenDocument text of a body and automatic styles.
func openText(t *testing.T, styles string, parts ...part) func(string) string {
	const names = ` xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"`
	return func(in string) string {
		content := part{"content.xml", `<office:document-content` + names + `><office:automatic-styles>` + styles + `</office:automatic-styles><office:body><office:text>` + in + `</office:text></office:body></office:document-content>`}
		return pack(t, append([]part{{"mimetype", "application/vnd.oasis.opendocument.text"}, content}, parts...)...)
	}
}

func TestLooksOfODT(t *testing.T) {
	t.Parallel()
	textStyle := func(name, properties string) string {
		return `<style:style style:name="` + name + `" style:family="text"><style:text-properties ` + properties + `/></style:style>`
	}
	level := func(n, format, more string) string {
		return `<text:list-level-style-number text:level="` + n + `" style:num-format="` + format + `" style:num-suffix="." ` + more + `/>`
	}
	styles := textStyle("S", `style:text-line-through-style="solid"`) + textStyle("H", `style:text-position="super 58%"`) + textStyle("P", `style:text-position="33% 58%"`) + textStyle("L", `style:text-position="sub 58%"`) + textStyle("F", `style:font-name="Symbol"`) +
		`<text:list-style style:name="N">` + level("1", "1", "") + level("2", "a", `text:display-levels="2"`) + `</text:list-style><text:list-style style:name="B"><text:list-level-style-bullet text:level="1"/></text:list-style>`
	formula := part{"Object 1/content.xml", `<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mfrac><mn>1</mn><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></mfrac><annotation>1 over {a+b}</annotation></semantics></math>`}
	span := func(style, text string) string {
		return `<text:span text:style-name="` + style + `">` + text + `</text:span>`
	}
	item := func(text string) string { return `<text:list-item><text:p>` + text + `</text:p></text:list-item>` }
	row := func(cells string) string { return `<table:table-row>` + cells + `</table:table-row>` }
	cell := func(spans, text string) string {
		return `<table:table-cell ` + spans + `><text:p>` + text + `</text:p></table:table-cell>`
	}
	const covered = `<table:covered-table-cell><text:p>no</text:p></table:covered-table-cell>`
	checkLooks(t, domain.FormatODT, []lookTest{
		{"runs", "<text:p>It is " + span("S", "400") + "650, 5 × 10" + span("H", "6") + ", 10" + span("P", "−3") + ", x" + span("L", "i") + ", " + span("F", "±") + "3</text:p>", "It is 650, 5 × 10⁶, 10⁻³, x_i, ±3"},
		{"notes", `<text:p>It cost 1200<text:note><text:note-citation>2</text:note-citation><text:note-body><text:p>Without the tax.</text:p><text:p>And so on.</text:p></text:note-body></text:note> crowns.</text:p><text:p>Next.</text:p>`, "It cost 1200 [^2] crowns.\n\nNext.\n\n[^2] Without the tax.\n\nAnd so on."},
		{"formulas", `<text:p>Is <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame> so</text:p>`, "Is 1/(a + b) so"},
		{"lists", `<text:list text:style-name="N">` + item("a") + `<text:list-item><text:p>b</text:p><text:list>` + item("c") + item("d") + `</text:list></text:list-item></text:list><text:p>x</text:p><text:list text:style-name="N" text:continue-numbering="true">` + item("e") + `</text:list><text:p>y</text:p><text:list text:style-name="N">` + item("f") + `</text:list><text:list text:style-name="B">` + item("g") + `</text:list>`,
			"1. a\n2. b\n  2.a. c\n  2.b. d\n\nx\n\n3. e\n\ny\n\n1. f\n- g"},
		{"merged cells", "<table:table><table:table-header-rows>" + row(cell(`table:number-rows-spanned="2"`, "Region")+cell(`table:number-columns-spanned="2"`, "2023")+covered) + row(covered+cell("", "Q1")+cell("", "Q2")) + "</table:table-header-rows>" + row(cell(`table:number-rows-spanned="2"`, "North")+cell("", "1")+cell("", "2")) + row(covered+cell("", "3")+cell("", "4")) + "</table:table>",
			"Region | 2023 Q1 | 2023 Q2\nNorth | 1 | 2\nNorth | 3 | 4"},
	}, openText(t, styles, formula))
	outline := part{"styles.xml", `<office:document-styles xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"><text:outline-style><text:outline-level-style text:level="1" style:num-format="1"/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style></office:document-styles>`}
	checkLooks(t, domain.FormatODT, []lookTest{
		{"headings", `<text:h text:outline-level="1">A</text:h><text:h text:outline-level="2">B</text:h><text:h text:outline-level="2">C</text:h><text:h text:outline-level="1">D</text:h>`, "1 A\n\n1.1 B\n\n1.2 C\n\n2 D"},
	}, openText(t, "", outline))
}

func TestLooksOfRTF(t *testing.T) {
	t.Parallel()
	checkLooks(t, domain.FormatRTF, []lookTest{
		{"struck", `It is {\strike 400}{\striked1 500}\strike 7\strike0 650{\deleted 9}.\par`, "It is 650."},
		{"a deleted end", `One {\deleted\par}two.\par`, "One two."},
		{"powers", `5 \'d7 10{\super 6}, 10\super -3\nosupersub , x{\sub i}, 10{\up6 2} H{\dn6 2}O\par`, "5 × 10⁶, 10⁻³, x_i, 10² H2O"},
		{"notes", `It cost 1200{\super\chftn}{\footnote\pard\plain{\super\chftn} Without {\strike no} tax.\par Really.} crowns.\par Next{\super\chftn}{\footnote{\super\chftn} Two.}.\par`, "It cost 1200 [^1] crowns.\n\nNext [^2].\n\n[^1] Without tax.\n\nReally.\n\n[^2] Two."},
		{"symbols", `{\f1\'b1}3, {\f1\u-3919 ?}4, {\f1 a}, \f0 a, \u-3919 ?5\par`, "±3, ±4, α, a, ±5"},
		{"a mark by hand", `1200{\super 3} crowns\par`, "1200 [^3] crowns"},
		{"merged cells", `\trowd\trhdr\cellx1000\cellx3000\intbl Region\cell 2023\cell\row\trowd\trhdr\cellx1000\cellx2000\cellx3000\intbl\cell Q1\cell Q2\cell\row` +
			`\trowd\clvmgf\cellx1000\cellx2000\cellx3000\intbl North\cell 1\cell 2\cell\row\trowd\clvmrg\cellx1000\cellx2000\cellx3000\intbl\cell 3\cell 4\cell\row\trowd\cellx1000\clmgf\cellx2000\clmrg\cellx3000\intbl South\cell 5\cell\cell\row\pard`,
			"Region | 2023 Q1 | 2023 Q2\nNorth | 1 | 2\nNorth | 3 | 4\nSouth | 5 | 5"},
	}, func(in string) string {
		return `{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}{\f1\froman\fcharset2 Symbol;}}` + in + `}`
	})
}

// TestCellsThatCoverTooMuch reads tables that would grow to gigabytes.
func TestCellsThatCoverTooMuch(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	long := strings.Repeat("x", 1000)
	for _, in := range []string{
		"<table>" + strings.Repeat("<tr><td colspan=1000>y<td>z", 20_000) + "</table>",
		"<table><tr>" + strings.Repeat("<td rowspan=0>y", 1000) + strings.Repeat("<tr>", 20_000) + "<tr><td>z</table>",
		"<table><tr><td rowspan=0 colspan=999>" + long + strings.Repeat("<tr><td>z", 20_000) + "</table>",
	} {
		text, err := parse.New(parse.Limits{MaxChars: 1_000_000}).Parse(t.Context(), "file", domain.FormatHTML, []byte(in))
		if err == nil && !strings.Contains(text.Content, "z") || err != nil && domain.KindOf(err) != domain.TooLarge {
			t.Errorf("%.30s…: %d bytes, error %v", in, len(text.Content), err)
		}
	}
}

func TestLooksOfSlides(t *testing.T) {
	t.Parallel()
	const names = ` xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"`
	one := func(in string) string {
		const relation = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://x/slide" Target="slides/slide1.xml"/></Relationships>`
		return pack(t, part{"ppt/presentation.xml", `<p:presentation` + names + `><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>`}, part{"ppt/_rels/presentation.xml.rels", relation},
			part{"ppt/slides/slide1.xml", `<p:sld` + names + `><p:cSld><p:spTree>` + in + `</p:spTree></p:cSld></p:sld>`})
	}
	shape := func(in string) string {
		return `<p:sp><p:nvSpPr><p:nvPr><p:ph type="body"/></p:nvPr></p:nvSpPr><p:txBody>` + in + `</p:txBody></p:sp>`
	}
	r := func(properties, inner, text string) string {
		return `<a:r><a:rPr ` + properties + `>` + inner + `</a:rPr><a:t>` + text + `</a:t></a:r>`
	}
	numbered := func(level, kind, text string) string {
		return `<a:p><a:pPr lvl="` + level + `">` + kind + `</a:pPr>` + r("", "", text) + `</a:p>`
	}
	const auto, letters = `<a:buAutoNum type="arabicPeriod" startAt="3"/>`, `<a:buAutoNum type="alphaLcParenR"/>`
	cell := func(attributes, text string) string {
		return `<a:tc ` + attributes + `><a:txBody><a:p>` + r("", "", text) + `</a:p></a:txBody></a:tc>`
	}
	checkLooks(t, domain.FormatSlides, []lookTest{
		{"runs", shape("<a:p>" + r("", "", "It is ") + r(`strike="sngStrike"`, "", "400") + r(`strike="noStrike"`, "", "650, 10") + r(`baseline="30000"`, "", "6") + r("", "", ", x") + r(`baseline="-25000"`, "", "i") + r("", "", ", ") + r("", `<a:latin typeface="Symbol"/>`, "\uF0B1") + r("", "", "3 ") +
			`<m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>x+1</m:t></m:r></m:den></m:f></m:oMath></a:p>`), "It is 650, 10⁶, x_i, ±3 1/(x+1)"},
		{"numbers", shape(numbered("0", auto, "a") + numbered("0", auto, "b") + numbered("1", letters, "c") + numbered("1", letters, "d") + numbered("0", auto, "e") + numbered("0", "", "f") + numbered("0", auto, "g")), "3. a\n4. b\n  a) c\n  b) d\n5. e\n- f\n3. g"},
		{"merged cells", `<p:graphicFrame><a:tbl><a:tr>` + cell(`rowSpan="2"`, "Region") + cell(`gridSpan="2"`, "2023") + cell(`hMerge="1"`, "") + `</a:tr><a:tr>` + cell(`vMerge="1"`, "") + cell("", "Q1") + cell("", "Q2") + `</a:tr><a:tr>` + cell("", "North") + cell("", "1") + cell("", "2") + `</a:tr></a:tbl></p:graphicFrame>`, "Region | 2023 Q1 | 2023 Q2\nNorth | 1 | 2"},
	}, one)
}

func TestLooksOfSheets(t *testing.T) {
	t.Parallel()
	book := excelize.NewFile()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, row := range [][]any{{"Income"}, {"Region", 2023, nil, 2024}, {nil, "Q1", "Q2", "Q1"}, {"North", 1, 2, 3}, {nil, 4, 5, 6}, {}, {"Volume", "Rent", "Old"}} {
		must(book.SetSheetRow("Sheet1", "A"+strconv.Itoa(i+1), &row))
	}
	for _, m := range [][2]string{{"A1", "D1"}, {"A2", "A3"}, {"B2", "C2"}, {"A4", "A5"}} {
		must(book.MergeCell("Sheet1", m[0], m[1]))
	}
	must(book.SetCellRichText("Sheet1", "A8", []excelize.RichTextRun{{Text: "5 × 10"}, {Text: "6", Font: &excelize.Font{VertAlign: "superscript"}}, {Text: " m"}, {Text: "2", Font: &excelize.Font{VertAlign: "superscript"}}}))
	must(book.SetCellRichText("Sheet1", "B8", []excelize.RichTextRun{{Text: "400", Font: &excelize.Font{Strike: true}}, {Text: "650"}}))
	gone, err := book.NewStyle(&excelize.Style{Font: &excelize.Font{Strike: true}})
	must(err)
	must(book.SetCellValue("Sheet1", "C8", 900))
	must(book.SetCellStyle("Sheet1", "C8", "C8", gone))
	must(book.SetCellValue("Sheet1", "D8", "kept"))
	var b bytes.Buffer
	must(book.Write(&b))
	want := []string{"Sheet Sheet1: Sheet1", "Sheet Sheet1, row 1: Income", "Sheet Sheet1, row 2: Region | 2023 Q1 | 2023 Q2 | 2024 Q1", "Sheet Sheet1, row 4: North | 1 | 2 | 3", "Sheet Sheet1, row 5: North | 4 | 5 | 6",
		"Sheet Sheet1, row 7: Volume | Rent | Old", "Sheet Sheet1, row 8: 5 × 10⁶ m² | 650 |  | kept"}
	if diff := cmp.Diff(want, places(read(t, domain.FormatSheets, b.String()))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	text, err := parse.New(parse.Limits{}).KeepStruck(true).Parse(t.Context(), "file", domain.FormatSheets, b.Bytes())
	if want := "5 × 10⁶ m² | ~~400~~ 650 | ~~900~~ | kept"; err != nil || !strings.HasSuffix(text.Content, want) {
		t.Errorf("kept: %q, error %v; want %q at the end", text.Content, err, want)
	}
}
