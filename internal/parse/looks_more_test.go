package parse_test

import (
	"testing"

	"github.com/clewhq/clew/internal/domain"
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
