//go:build e2e

package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"html"
	"strings"
)

// paper is one of the ordinary files of a household.
type paper struct {
	name string
	data []byte
}

// plainQuestion is asked in the words of somebody who does not know how the file puts it. One of the passages shown has to be from
// the file and hold the answer; no file answers it if file is empty.
type plainQuestion struct{ question, file, answer string }

// household returns twenty files of fourteen kinds, as they lie about in the folder of somebody who rents a flat, has a garden and sings.
func household() []paper {
	return []paper{
		{"boiler-warranty.pdf", pdfOf("Warranty certificate",
			"Appliance: Halden 24 combination boiler, serial number H24-77310.",
			"The boiler was installed on 14 March 2022 by Northgate Heating.",
			"The manufacturer guarantees the boiler for seven years from the day of installation.",
			"The warranty ends early if the boiler is not serviced every twelve months.",
			"To report a breakdown, call 0800 555 0142 between eight and six.")},
		{"insurance-letter.pdf", pdfOf("Your home contents insurance",
			"Thank you for renewing policy HC-20815 with Meridian Mutual.",
			"Your belongings are covered up to 30,000 pounds, bicycles up to 800 pounds each.",
			"The excess on every claim is 150 pounds.",
			"Water damage is covered only if the stopcock is closed during absences of more than ten days.")},
		{"tenancy-agreement.docx", docxOf("Tenancy agreement",
			"This agreement is made between the landlord, Mirela Dobrev, and the tenants, Owen Pryce and Hanna Lindqvist, for the flat at 9 Saddler Street.",
			"The rent is 980 pounds a month, due on the first day of each month.",
			"The tenants have paid a deposit of 1,450 pounds, which the landlord keeps in a protected account.",
			"Either side may end the tenancy with two months' notice in writing.",
			"A cat may be kept. Dogs need the landlord's consent.")},
		{"car-service.docx", docxOf("Service report for the van",
			"Vehicle: Corvane Estate van, first registered in 2016, 88,412 miles.",
			"The front brake pads were worn and have been replaced. The rear tyres have three millimetres of tread left and should be changed before winter.",
			"The next service is due at 98,000 miles or in May 2026, whichever comes first.",
			"Garage: Tollgate Motors, mechanic Femi Adeyemi.")},
		{"household-budget.xlsx", xlsxOf([][]string{
			{"Item", "First quarter", "Second quarter", "Third quarter"},
			{"Electricity", "212", "148", "131"}, {"Gas", "305", "122", "64"},
			{"Water", "88", "88", "91"}, {"Broadband", "96", "96", "96"},
		})},
		{"plant-orders.csv", []byte("Plant,Variety,Quantity,Supplier,Delivered\nTomato,Amber Cherry,24,Fenwick Nursery,2025-04-22\nRunner bean,Scarlet Run,60,Fenwick Nursery,2025-05-06\nRaspberry,Autumn Gold,10,Hollin Fruit Farm,2025-03-11\nLavender,Tall Blue,18,Hollin Fruit Farm,2025-05-02\n")},
		{"power-readings.csv", []byte("Month,Solar panels kWh,Used kWh\nApril 2025,182,205\nMay 2025,241,190\nJune 2025,263,176\nJuly 2025,249,181\n")},
		{"talk-about-bees.pptx", pptxOf(
			[]string{"Keeping bees on the allotment", "A talk by Lorna Mackie"},
			[]string{"Why a colony swarms", "In May the hive grows too crowded, and the old queen leaves with half of the workers.", "A second box on top gives them room and prevents it."},
			[]string{"The harvest", "A strong colony gives about fifteen kilograms of honey in a good summer."})},
		{"shed-permit.html", webPage("Planning decision", `<p>Application 25/0417: a timber shed on plot 12 of the Harrow Lane allotments.</p>
<p>The council grants permission on condition that the shed is no higher than 2.5 metres and stands at least one metre from the hedge.</p>
<p>The permission lapses if building has not begun within three years.</p><p>Decided by Ruth Okafor, planning officer.</p>`)},
		{"school-trip.html", webPage("Year 5 trip to the salt mine", `<p>On Thursday 12 June the class visits the old salt mine at Winsley.</p>
<ul><li>The coach leaves the school gate at 7.45.</li><li>Children need a warm jumper, because it is twelve degrees underground all year.</li><li>The trip costs 16 pounds a child.</li></ul>`)},
		{"allotment-meeting.md", []byte("# Allotment committee, 3 July\n\nPresent: Priya Nair, Lorna Mackie, Owen Pryce, Stan Whitlock.\n\n## Water\n\nThe main tap drips. Stan Whitlock fetches a new washer.\n\n## August\n\nPriya Nair will water the greenhouse while the others are on holiday in August.\n\n## Fence\n\nThe fence along the lane has rotted. Owen Pryce asks a carpenter for a price.\n")},
		{"house-notes.md", []byte("# Notes for whoever looks after the flat\n\n- The spare key hangs behind the bread bin.\n- The stopcock is under the kitchen sink, to the left.\n- The recycling is collected every other Tuesday.\n- Pepper, the cat, gets half a tin in the morning and half in the evening.\n")},
		{"fence-quote.eml", emlOf("Gareth Bright <gareth@brightjoinery.example>", "Owen Pryce <owen@example.org>", "Your new fence", "Mon, 14 Jul 2025 09:12:00 +0100",
			"Dear Owen,\n\nI have measured the lane side. Eighteen metres of larch fence with concrete posts come to 640 pounds, including the removal of the old one.\n\nI could start on 4 August and need three days.\n\nKind regards,\nGareth Bright\n")},
		{"thank-you.eml", emlOf("Aunt Signe <signe@example.org>", "Hanna Lindqvist <hanna@example.org>", "Thank you for the weekend", "Sun, 20 Jul 2025 19:40:00 +0200",
			"Dear Hanna,\n\nthe train home was on time for once. I forgot my reading glasses on the window sill of the bathroom; please post them to Uppsala.\n\nIn October I turn seventy and hope that you both come.\n\nLove,\nSigne\n")},
		{"rye-bread.txt", []byte("RYE BREAD\n\nStir 200 g of sourdough into 400 ml of lukewarm water. Add 500 g of rye flour, 12 g of salt and a spoonful of caraway.\n\nLet the dough rest for three hours under a cloth.\n\nBake the loaf at 230 degrees for a quarter of an hour, then at 190 degrees for forty minutes.\n\nIt keeps for a week in a linen bag.\n")},
		{"walking-club.txt", []byte("Walking club, autumn list\n\nSunday 7 September: round the reservoir at Calder Tops, nine miles, led by Stan Whitlock.\nSunday 5 October: the old railway from Winsley to Marl, seven miles, flat, suitable for prams.\nSunday 2 November: no walk, the leader's knee is being operated on.\n\nMeet at the bus station at half past nine. Bring a packed lunch.\n")},
		{"agnes-remembers.epub", epubOf("Agnes remembers",
			"I was born in 1931 on the island of Fenna, the youngest of six. My father kept the ferry.",
			"It was my uncle Torvald who taught me to sail, in a leaking dinghy, the summer I was nine.",
			"During the hard winter of 1947 the strait froze, and the doctor came across the ice on skis.",
			"In 1953 I left for Bergen, where I worked in the cannery until I married Elias Lindqvist.")},
		{"choir-programme.odt", odtOf("St Oswald's Choir, summer programme",
			"Conductor: Beatrix Holm. Rehearsals are on Wednesdays at half past seven in the parish hall.",
			"The choir sings in Marl Abbey on Saturday 28 June at seven in the evening.",
			"Sopranos wear dark green, all the others wear black.")},
		{"swimming-lessons.rtf", []byte(`{\rtf1\ansi\deff0{\fonttbl{\f0 Times New Roman;}}\f0\fs24{\b Swimming lessons at Orchard Baths}\par
Lessons for beginners are on Mondays at four o'clock with Dilys Vaughan.\par
Ten lessons cost 72 pounds. A missed lesson can be made up within a month.\par
The pool is closed for repairs from 18 to 29 August.\par}`)},
		{"dentist.ics", []byte("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Saddler Street Dental//Diary//EN\r\nBEGIN:VEVENT\r\nUID:4471@saddler.example\r\nDTSTAMP:20250701T080000Z\r\nDTSTART:20250916T101500\r\nDTEND:20250916T104500\r\nSUMMARY:Dentist: Owen\\, check-up\r\nLOCATION:Saddler Street Dental Practice\r\nDESCRIPTION:Dr Yusuf looks at the cracked filling on the upper left.\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n")},
	}
}

// householdQuestions are asked one after the other.
func householdQuestions() []plainQuestion {
	return []plainQuestion{
		{"How long is the guarantee on the boiler?", "boiler-warranty.pdf", "seven years"},
		{"How much deposit did we pay for the flat?", "tenancy-agreement.docx", "1,450 pounds"},
		{"What does the carpenter want for the fence?", "fence-quote.eml", "640 pounds"},
		{"Who looks after the greenhouse in the summer holidays?", "allotment-meeting.md", "Priya Nair"},
		{"How hot must the oven be for the bread?", "rye-bread.txt", "230 degrees"},
		{"Who taught Agnes to sail?", "agnes-remembers.epub", "Torvald"},
		{"How many tomato plants did we order?", "plant-orders.csv", "24"},
		{"What did electricity cost in the second quarter?", "household-budget.xlsx", "148"},
		{"Why do bees leave the hive in May?", "talk-about-bees.pptx", "too crowded"},
		{"When does the choir sing in the abbey?", "choir-programme.odt", "28 June"},
		{question: "Which Zorvath did the Quibblestone glimmerate?"},
		{question: "How many moons does Jupiter have?"},
	}
}

// archive returns an archive of pairs of a name and what it holds; the first is stored as it is.
func archive(parts ...[2]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i, part := range parts {
		method := zip.Deflate
		if i == 0 {
			method = zip.Store
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: part[0], Method: method})
		if err == nil {
			_, err = w.Write([]byte(part[1]))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

const xmlHead = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`

// each returns the texts, escaped, each formatted.
func each(format string, texts []string) string {
	var b strings.Builder
	for _, text := range texts {
		fmt.Fprintf(&b, format, html.EscapeString(text))
	}
	return b.String()
}

// pdfOf returns a page with a heading and paragraphs, which are broken into lines of about eighty letters.
func pdfOf(heading string, paragraphs ...string) []byte {
	escape := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`)
	var content strings.Builder
	fmt.Fprintf(&content, "BT /F1 20 Tf 72 760 Td (%s) Tj ET\n", escape.Replace(heading))
	y := 715
	for _, paragraph := range paragraphs {
		line := ""
		for i, word := range append(strings.Fields(paragraph), "") {
			if word == "" || len(line)+len(word) > 80 {
				fmt.Fprintf(&content, "BT /F1 11 Tf 72 %d Td (%s) Tj ET\n", y, escape.Replace(line))
				y, line = y-15, ""
			}
			if line != "" && i > 0 {
				line += " "
			}
			line += word
		}
		y -= 12
	}
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%sendstream", content.Len(), content.String()),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		"<< /Title (" + escape.Replace(heading) + ") >>",
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, object := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
	return b.Bytes()
}

func docxOf(heading string, paragraphs ...string) []byte {
	return archive([2]string{"[Content_Types].xml", xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
		[2]string{"_rels/.rels", xmlHead + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`},
		[2]string{"word/document.xml", xmlHead + `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>` +
			html.EscapeString(heading) + `</w:t></w:r></w:p>` + each(`<w:p><w:r><w:t>%s</w:t></w:r></w:p>`, paragraphs) + `</w:body></w:document>`})
}

func xlsxOf(rows [][]string) []byte {
	var sheet strings.Builder
	for r, row := range rows {
		fmt.Fprintf(&sheet, `<row r="%d">`, r+1)
		for c, cell := range row {
			at := fmt.Sprintf("%c%d", 'A'+c, r+1)
			if r > 0 && c > 0 {
				fmt.Fprintf(&sheet, `<c r="%s"><v>%s</v></c>`, at, cell)
			} else {
				fmt.Fprintf(&sheet, `<c r="%s" t="inlineStr"><is><t>%s</t></is></c>`, at, html.EscapeString(cell))
			}
		}
		sheet.WriteString(`</row>`)
	}
	const main, relations = "http://schemas.openxmlformats.org/spreadsheetml/2006/main", "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	return archive([2]string{"[Content_Types].xml", xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`},
		[2]string{"_rels/.rels", xmlHead + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="` + relations + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		[2]string{"xl/workbook.xml", xmlHead + `<workbook xmlns="` + main + `" xmlns:r="` + relations + `"><sheets><sheet name="2025" sheetId="1" r:id="rId1"/></sheets></workbook>`},
		[2]string{"xl/_rels/workbook.xml.rels", xmlHead + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="` + relations + `/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`},
		[2]string{"xl/worksheets/sheet1.xml", xmlHead + `<worksheet xmlns="` + main + `"><sheetData>` + sheet.String() + `</sheetData></worksheet>`})
}

// pptxOf returns slides of a title and points.
func pptxOf(slides ...[]string) []byte {
	const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	var types, list, targets strings.Builder
	var parts [][2]string
	for i, slide := range slides {
		n := i + 1
		fmt.Fprintf(&types, `<Override PartName="/ppt/slides/slide%d.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.slide+xml"/>`, n)
		fmt.Fprintf(&list, `<p:sldId id="%d" r:id="rId%d"/>`, 256+i, n)
		fmt.Fprintf(&targets, `<Relationship Id="rId%d" Type="%s/slide" Target="slides/slide%d.xml"/>`, n, relations, n)
		parts = append(parts, [2]string{fmt.Sprintf("ppt/slides/slide%d.xml", n), xmlHead + `<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody>` +
			each(`<a:p><a:r><a:t>%s</a:t></a:r></a:p>`, slide[:1]) + `</p:txBody></p:sp><p:sp><p:nvSpPr><p:nvPr><p:ph type="body"/></p:nvPr></p:nvSpPr><p:txBody>` +
			each(`<a:p><a:r><a:t>%s</a:t></a:r></a:p>`, slide[1:]) + `</p:txBody></p:sp></p:spTree></p:cSld></p:sld>`})
	}
	return archive(append([][2]string{
		{"[Content_Types].xml", xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/>` + types.String() + `</Types>`},
		{"_rels/.rels", xmlHead + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="` + relations + `/officeDocument" Target="ppt/presentation.xml"/></Relationships>`},
		{"ppt/presentation.xml", xmlHead + `<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="` + relations + `"><p:sldIdLst>` + list.String() + `</p:sldIdLst></p:presentation>`},
		{"ppt/_rels/presentation.xml.rels", xmlHead + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + targets.String() + `</Relationships>`},
	}, parts...)...)
}

func webPage(heading, body string) []byte {
	return []byte("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + heading + "</title></head><body><h1>" + heading + "</h1>" + body + "</body></html>\n")
}

func emlOf(from, to, subject, date, text string) []byte {
	return []byte("From: " + from + "\r\nTo: " + to + "\r\nSubject: " + subject + "\r\nDate: " + date +
		"\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + strings.ReplaceAll(text, "\n", "\r\n"))
}

// epubOf returns a book of one chapter for each paragraph.
func epubOf(title string, paragraphs ...string) []byte {
	var manifest, spine strings.Builder
	var chapters [][2]string
	for i, text := range paragraphs {
		fmt.Fprintf(&manifest, `<item id="c%d" href="c%d.xhtml" media-type="application/xhtml+xml"/>`, i+1, i+1)
		fmt.Fprintf(&spine, `<itemref idref="c%d"/>`, i+1)
		chapters = append(chapters, [2]string{fmt.Sprintf("c%d.xhtml", i+1), fmt.Sprintf(`<html xmlns="http://www.w3.org/1999/xhtml"><head><title>%s</title></head><body><h1>Chapter %d</h1><p>%s</p></body></html>`, title, i+1, html.EscapeString(text))})
	}
	return archive(append([][2]string{
		{"mimetype", "application/epub+zip"},
		{"META-INF/container.xml", `<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`},
		{"content.opf", `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>` + title + `</dc:title><dc:language>en</dc:language><dc:identifier id="id">agnes</dc:identifier></metadata><manifest>` + manifest.String() + `</manifest><spine>` + spine.String() + `</spine></package>`},
	}, chapters...)...)
}

func odtOf(heading string, paragraphs ...string) []byte {
	return archive([2]string{"mimetype", "application/vnd.oasis.opendocument.text"},
		[2]string{"META-INF/manifest.xml", `<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`},
		[2]string{"content.xml", `<?xml version="1.0"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text><text:h text:outline-level="1">` +
			html.EscapeString(heading) + `</text:h>` + each(`<text:p>%s</text:p>`, paragraphs) + `</office:text></office:body></office:document-content>`})
}
