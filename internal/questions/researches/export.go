package researches

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/outline"
)

// The texts in place of the sentences of a section.
const (
	SaysUnanswered = "The documents give no answer to this."
	SaysAbove      = "What was found stands in another section."
	SaysOpen       = "Not answered yet."
)

// Sections returns the sections of a report, or of as much of it as there is.
func Sections(r ledger.Research) []outline.Section {
	var all []outline.Section
	said := func(n int) []domain.Sentence {
		list := []domain.Sentence{}
		for _, s := range r.Answer.Sentences {
			if s.Paragraph == n {
				list = append(list, s)
			}
		}
		return list
	}
	if r.Answer.Withheld {
		return []outline.Section{{Sentences: r.Answer.Sentences}}
	}
	if overview := said(0); len(overview) > 0 {
		all = append(all, outline.Section{Came: domain.CameAnswered, Sentences: overview})
	}
	for _, q := range r.Plan {
		s := outline.Section{N: q.N, Question: q.Text, Round: q.Round, Came: q.Came, Sentences: said(q.N)}
		switch q.Came {
		case domain.CameAbove:
			s.Remark = SaysAbove
		case domain.CameNothing:
			s.Remark = SaysUnanswered
		case "":
			s.Remark = SaysOpen
		}
		all = append(all, s)
	}
	return all
}

// Text returns sentences with the numbers of their citations, a paragraph for each section.
func Text(sentences []domain.Sentence) string {
	var b strings.Builder
	for i, s := range sentences {
		switch {
		case i > 0 && s.Paragraph != sentences[i-1].Paragraph:
			b.WriteString("\n\n")
		case i > 0:
			b.WriteString(" ")
		}
		mark(&b, s)
	}
	return b.String()
}

// mark appends a sentence and the numbers of its citations.
func mark(b *strings.Builder, s domain.Sentence) {
	b.WriteString(s.Text)
	for i, n := range s.Citations {
		if i == 0 {
			b.WriteString(" ")
		}
		fmt.Fprintf(b, "[%d]", n)
	}
}

// Export returns a report as a file.
func Export(r ledger.Research, format string) (operation.Made, error) {
	if !r.Answer.Status.Over() {
		return operation.Made{}, domain.Errorf(domain.Conflict, "There is no report yet: it is still being researched.")
	}
	write, media := writeMarkdown, "text/markdown; charset=utf-8"
	switch format {
	case "md":
	case "html":
		write, media = writeHTML, "text/html; charset=utf-8"
	case "docx":
		write, media = writeDOCX, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	default:
		return operation.Made{}, domain.Errorf(domain.Invalid, "A report can be exported as md, docx or html, not as %q.", domain.Cut(format, domain.MaxTag))
	}
	return operation.Made{Name: "-", Type: media, Write: func(w io.Writer) error { return write(w, r) }}, nil
}

// quoted returns the words of a source, or a substitute for them.
func quoted(c domain.Citation) string {
	if c.Text == "" {
		return "(deleted)"
	}
	return "“" + domain.OneLine(c.Text) + "”"
}

func writeMarkdown(w io.Writer, r ledger.Research) error {
	plain := questions.Plain
	fmt.Fprintf(w, "# %s\n", plain(r.Answer.Question))
	for _, s := range Sections(r) {
		if s.Question != "" {
			fmt.Fprintf(w, "\n## %s\n", plain(s.Question))
		}
		if s.Remark != "" {
			fmt.Fprintf(w, "\n*%s*\n", plain(s.Remark))
		}
		if len(s.Sentences) > 0 {
			fmt.Fprintf(w, "\n%s\n", plain(Text(s.Sentences)))
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintf(w, "\n*%s*\n", plain(note))
	}
	if len(r.Answer.Citations) > 0 {
		fmt.Fprint(w, "\n## Sources\n\n")
	}
	for _, c := range r.Answer.Citations {
		fmt.Fprintf(w, "- \\[%d\\] %s: %s\n", c.N, plain(c.Where()), plain(quoted(c)))
	}
	return nil
}

// page is a report in one file, without anything from elsewhere.
var page = template.Must(template.New("report").Funcs(template.FuncMap{"quoted": quoted}).Parse(`<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>body{font:1.05rem/1.6 Georgia,serif;max-width:42rem;margin:2rem auto;padding:0 1rem}h2{font-size:1.2rem;margin-top:2rem}a{color:inherit}li:target{background:#f6eecb}.note{color:#666;font-style:italic}sup{line-height:0}</style>
</head>
<body>
<h1>{{.Title}}</h1>
{{range .Sections}}{{if .Question}}<h2>{{.Question}}</h2>
{{end}}{{if .Remark}}<p class="note">{{.Remark}}</p>
{{end}}{{if .Sentences}}<p>{{range .Sentences}}{{.Text}}{{range .Citations}}<sup><a href="#source-{{.}}">[{{.}}]</a></sup>{{end}} {{end}}</p>
{{end}}{{end}}{{range .Notes}}<p class="note">{{.}}</p>
{{end}}{{if .Citations}}<h2>Sources</h2>
<ol>
{{range .Citations}}<li id="source-{{.N}}" value="{{.N}}"><b>{{.Where}}</b> {{quoted .}}</li>
{{end}}</ol>
{{end}}</body>
</html>
`))

func writeHTML(w io.Writer, r ledger.Research) error {
	return page.Execute(w, struct {
		Title     string
		Sections  []outline.Section
		Notes     []string
		Citations []domain.Citation
	}{r.Answer.Question, Sections(r), r.Notes, r.Answer.Citations})
}

// docx gathers the paragraphs of a WordprocessingML document.
type docx struct{ bytes.Buffer }

func (d *docx) text(text, properties string) {
	d.WriteString("<w:r>" + properties + `<w:t xml:space="preserve">`)
	_ = xml.EscapeText(d, []byte(text)) // writing to a buffer can't fail
	d.WriteString("</w:t></w:r>")
}

// paragraph writes a paragraph of a style, "" for plain text, with what write adds.
func (d *docx) paragraph(style string, write func()) {
	d.WriteString("<w:p>")
	if style != "" {
		d.WriteString(`<w:pPr><w:pStyle w:val="` + style + `"/></w:pPr>`)
	}
	write()
	d.WriteString("</w:p>")
}

func (d *docx) line(style, text string) { d.paragraph(style, func() { d.text(text, "") }) }

const italic = "<w:rPr><w:i/></w:rPr>"

// cite writes a number that links to its source.
func (d *docx) cite(n int) {
	fmt.Fprintf(d, `<w:hyperlink w:anchor="source_%d" w:history="1">`, n)
	d.text(fmt.Sprintf("[%d]", n), `<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>`)
	d.WriteString("</w:hyperlink>")
}

// report writes the body of the document.
func (d *docx) report(r ledger.Research) {
	d.line("Title", r.Answer.Question)
	for _, s := range Sections(r) {
		if s.Question != "" {
			d.line("Heading1", s.Question)
		}
		if s.Remark != "" {
			d.paragraph("", func() { d.text(s.Remark, italic) })
		}
		if len(s.Sentences) == 0 {
			continue
		}
		d.paragraph("", func() {
			for _, sentence := range s.Sentences {
				d.text(sentence.Text, "")
				for _, n := range sentence.Citations {
					d.cite(n)
				}
				d.text(" ", "")
			}
		})
	}
	for _, note := range r.Notes {
		d.paragraph("", func() { d.text(note, italic) })
	}
	if len(r.Answer.Citations) > 0 {
		d.line("Heading1", "Sources")
	}
	for _, c := range r.Answer.Citations {
		d.paragraph("", func() {
			fmt.Fprintf(d, `<w:bookmarkStart w:id="%d" w:name="source_%[1]d"/>`, c.N)
			d.text(fmt.Sprintf("[%d] ", c.N), "")
			d.text(c.Where(), "<w:rPr><w:b/></w:rPr>")
			fmt.Fprintf(d, `<w:bookmarkEnd w:id="%d"/>`, c.N)
			d.text(": "+quoted(c), "")
		})
	}
}

const (
	xmlHead  = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	wordHead = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">`
	relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	packaged = "http://schemas.openxmlformats.org/package/2006/"
	wordType = "application/vnd.openxmlformats-officedocument.wordprocessingml."
)

// style describes a style of paragraphs; an outline level of headings makes them such.
func style(id, name, properties string, halfPoints int) string {
	return fmt.Sprintf(`<w:style w:type="paragraph" w:styleId="%s"><w:name w:val="%s"/><w:pPr>%s</w:pPr><w:rPr><w:b/><w:sz w:val="%d"/></w:rPr></w:style>`, id, name, properties, halfPoints)
}

// writeDOCX writes a report for word processors.
func writeDOCX(w io.Writer, r ledger.Research) error {
	var d docx
	d.report(r)
	z := zip.NewWriter(w)
	for _, part := range []struct{ name, content string }{
		{"[Content_Types].xml", `<Types xmlns="` + packaged + `content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Override PartName="/word/document.xml" ContentType="` + wordType + `document.main+xml"/><Override PartName="/word/styles.xml" ContentType="` + wordType + `styles+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="` + packaged + `relationships"><Relationship Id="r1" Type="` + relation + `officeDocument" Target="word/document.xml"/></Relationships>`},
		{"word/_rels/document.xml.rels", `<Relationships xmlns="` + packaged + `relationships"><Relationship Id="r1" Type="` + relation + `styles" Target="styles.xml"/></Relationships>`},
		{"word/styles.xml", `<w:styles` + wordHead + style("Title", "Title", `<w:spacing w:after="240"/>`, 40) +
			style("Heading1", "heading 1", `<w:keepNext/><w:spacing w:before="320" w:after="120"/><w:outlineLvl w:val="0"/>`, 28) + `</w:styles>`},
		{"word/document.xml", `<w:document` + wordHead + `<w:body>` + d.String() + `</w:body></w:document>`},
	} {
		f, err := z.Create(part.name)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(f, xmlHead+part.content); err != nil {
			return err
		}
	}
	return z.Close()
}
