package parse_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse/pdf/pdftest"
)

const dublinCore = ` xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"`

// TestFacts reads what files of each format state of themselves.
func TestFacts(t *testing.T) {
	t.Parallel()
	core := func(inner string) part {
		return part{"docProps/core.xml", `<cp:coreProperties xmlns:cp="c"` + dublinCore + `>` + inner + `</cp:coreProperties>`}
	}
	for _, tt := range []struct {
		name   string
		format domain.Format
		data   string
		want   domain.Facts
	}{
		{"web page", domain.FormatHTML, `<html lang="de-CH"><head><meta name="author" content="Zoë Quill"><meta property="article:published_time" content="2024-05-03T10:00:00+02:00">` +
			`<meta property="og:url" content="https://www.example.org/x?utm=1"><link rel="canonical" href="https://example.org/x#top"></head><body><p>Kurz.</p></body></html>`,
			domain.Facts{Link: "https://example.org/x", Author: "Zoë Quill", Published: "2024-05-03", Language: "de"}},
		{"web page with little", domain.FormatHTML, `<title>T</title><meta name="author" content="https://example.org/people/7"><link rel="canonical" href="javascript:alert(1)"><p>Short. <time itemprop="datePublished" datetime="2023-02">then</time>`,
			domain.Facts{Published: "2023-02"}},
		{"Word", domain.FormatDOCX, pack(t, body(para("", "Text.")), core(`<dc:creator>Ann Lee</dc:creator><dcterms:created>2021-12-31T23:00:00Z</dcterms:created><dc:language>eng</dc:language>`)),
			domain.Facts{Author: "Ann Lee", Published: "2021-12-31", Language: "en"}},
		{"made up by a program", domain.FormatDOCX, pack(t, body(para("", "Text.")), core(`<dc:creator>python-docx</dc:creator><dcterms:created>2013-13-23T23:15:00Z</dcterms:created>`)),
			domain.Facts{}},
		{"OpenDocument", domain.FormatODT, odtWith(t, `<meta:initial-creator>Bo</meta:initial-creator><dc:creator>Cy</dc:creator><meta:creation-date>2020-02-29T00:00:00</meta:creation-date><dc:language>fr-FR</dc:language>`),
			domain.Facts{Author: "Bo", Published: "2020-02-29", Language: "fr"}},
		{"e-book", domain.FormatBook, book(t), domain.Facts{Author: "Maud Ferring", Published: "1897", Language: "en"}},
		{"PDF", domain.FormatPDF, pdftest.File("/Info << /Author (Ann Lee) /CreationDate (D:20230405120000Z) >>", "<< /Type /Catalog /Pages 2 0 R /Lang (en-GB) >>", "<< /Type /Pages /Count 1 /Kids [3 0 R] >>", "<< /Type /Page /Parent 2 0 R >>"),
			domain.Facts{Author: "Ann Lee", Published: "2023-04-05", Language: "en"}},
		{"mail", domain.FormatMail, "From: =?utf-8?q?Zo=C3=AB_Quill?= <zoe@example.org>\r\nDate: Fri, 3 May 2024 23:30:00 -0700\r\nSubject: S\r\n\r\nHello.\r\n",
			domain.Facts{Author: "Zoë Quill", Published: "2024-05-03"}},
		{"Markdown", domain.FormatMarkdown, "---\ntitle: T\nauthor: 'Ann Lee'\ndate: May 3, 2024\nlang: it\nurl: ftp://example.org\n---\nText.",
			domain.Facts{Author: "Ann Lee", Published: "2024-05-03", Language: "it"}},
	} {
		if diff := cmp.Diff(tt.want, read(t, tt.format, tt.data).Facts); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
	}
}

// odtWith returns an OpenDocument text with properties.
func odtWith(t testing.TB, properties string) string {
	t.Helper()
	const office = ` xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"`
	return pack(t, part{"mimetype", "application/vnd.oasis.opendocument.text"},
		part{"meta.xml", `<office:document-meta` + office + dublinCore + `><office:meta>` + properties + `</office:meta></office:document-meta>`},
		part{"content.xml", `<office:document-content` + office + `><office:body><office:text><text:p>Texte.</text:p></office:text></office:body></office:document-content>`})
}
