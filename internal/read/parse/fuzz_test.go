package parse_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/read/parse/pdf/pdftest"
)

// fuzz parses damaged files of a format. The result is a text that follows the
// rules or an error with a sentence, and never a recovered panic.
func fuzz(f *testing.F, format domain.Format) {
	parser := parse.New(parse.Limits{MaxExpanded: 8 << 20, MaxPages: 50, MaxChars: 1 << 20, Timeout: time.Minute})
	f.Fuzz(func(t *testing.T, data []byte) {
		text, err := parser.Parse(context.Background(), "fuzz", format, data)
		if err == nil {
			checkText(t, text)
			return
		}
		message, ok := domain.MessageOf(err)
		if !ok || isDefect(message) {
			t.Errorf("error %v: %v", err, errors.Unwrap(err))
		}
	})
}

func FuzzText(f *testing.F) {
	f.Add([]byte("Title\n\nSome text.\r\n- item"))
	f.Add([]byte("\xFF\xFEa\x00\n\x00"))
	f.Add([]byte("Z\xFCrich \x80\x0c"))
	fuzz(f, domain.FormatText)
}

func FuzzMarkdown(f *testing.F) {
	f.Add([]byte("---\ntitle: T\n---\n# H *e*\n\n> - a\n>   1. b\n\n| a | b |\n|---|---|\n| 1 | [2](x) |\n\n```\ncode\n```\n<b>x</b>[^1]\n\n[^1]: note"))
	f.Add([]byte("a  \n***b** `c` &amp; \\* ![d](e)\n- [x] f\n\n      g"))
	fuzz(f, domain.FormatMarkdown)
}

func FuzzHTML(f *testing.F) {
	f.Add([]byte("<!doctype html><title>T</title><nav>n</nav><h1>T</h1><p>a<br>b<ul><li>c<ol><li>d</ol></ul><table><tr><td>e<td>f</table><pre> g</pre>"))
	f.Add([]byte("<meta charset=utf-16><main><article><svg><p hidden>x</main><a href=y>z"))
	fuzz(f, domain.FormatHTML)
}

func FuzzDOCX(f *testing.F) {
	f.Add([]byte(pack(f, body(para(style("Heading1"), "H")+para(item("1"), "i")+"<w:tbl><w:tr><w:tc>"+para("", "c")+"</w:tc></w:tr></w:tbl>"))))
	fuzz(f, domain.FormatDOCX)
}

// FuzzDOCXBody damages the XML and not the zip file, whose checksums few damaged
// files would pass.
func FuzzDOCXBody(f *testing.F) {
	f.Add(para(style("Heading1"), "H") + para(item("1"), "i") + "<w:tbl><w:tr><w:tc>" + para("", "c") + "</w:tc></w:tr></w:tbl>")
	parser := parse.New(parse.Limits{})
	f.Fuzz(func(t *testing.T, inner string) {
		text, err := parser.Parse(context.Background(), "fuzz", domain.FormatDOCX, []byte(pack(t, body(inner))))
		if err == nil {
			checkText(t, text)
		} else if domain.KindOf(err) == domain.Internal {
			t.Error(err)
		}
	})
}

func FuzzGraph(f *testing.F) {
	f.Add([]byte("source,type,target\na,IN,\"b\nc\"\n"))
	f.Add([]byte("kind,id,name,label,aliases,properties,source,target,type\nentity,1,'=a,B,c,\"{\"\"k\"\":\"\"v\"\"}\",,,\nrelation,2,,,,,1,1,T\n"))
	f.Add([]byte(`{"nodes":[{"id":1,"name":"a | b"}],"links":[{"source":1,"target":"c"}]}`))
	f.Add([]byte(`<graphml><key id="d" attr.name="name"/><graph><node id="1"><data key="d">a &amp; b</data></node><edge source="1" target="1"/></graph></graphml>`))
	fuzz(f, domain.FormatGraph)
}

func FuzzPDF(f *testing.F) {
	f.Add([]byte(pdftest.Pages([]string{pdftest.Lines(50, 700, 10, "One", "two.") + "q /X Do Q [(a) -300 (b)] TJ"}, "/XObject << /X 4 0 R >>", pdftest.Stream("/Subtype /Form", "BT (x) ' ET"))))
	f.Add([]byte("%PDF-1.4\n1 0 obj<</A(\\"))
	f.Add([]byte(fixture(f, "encrypted_rc4_open.pdf")))
	fuzz(f, domain.FormatPDF)
}

func FuzzDetect(f *testing.F) {
	f.Add("a.pdf", []byte("%PDF-1.4"))
	f.Add("../x.docx", []byte("PK\x03\x04word/"))
	f.Fuzz(func(t *testing.T, name string, head []byte) {
		format, err := parse.Detect(name, head)
		if message, ok := domain.MessageOf(err); err != nil && (!ok || message == "") || (err == nil) != (format != "") {
			t.Errorf("Detect = %q, %v", format, err)
		}
	})
}
