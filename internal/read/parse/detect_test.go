package parse_test

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
)

func TestDetect(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, head string
		want       domain.Format
	}{
		{"a.pdf", "%PDF-1.7\n", domain.FormatPDF},
		{"A.PDF", "\x00\x01junk before\n%PDF-1.7\n", domain.FormatPDF},
		{"a.docx", "PK\x03\x04....[Content_Types].xml", domain.FormatDOCX},
		{"a.b.md", "# Hi", domain.FormatMarkdown},
		{"a.markdown", "<div>hi</div>", domain.FormatMarkdown},
		{"a.html", "<!DOCTYPE html><p>", domain.FormatHTML},
		{"a.htm", "\uFEFF <p>hi", domain.FormatHTML},
		{"../../x.txt", "words", domain.FormatText},
		{`c:\x\y.txt`, "Z\xFCrich", domain.FormatText},
		{"a.txt", "\xFF\xFEa\x00", domain.FormatText},
		{"a.txt", "MZ is how this text begins", domain.FormatText},
		{"a.txt", "BMX, ID3 and RIFF are words", domain.FormatText},
		{"README", "words", domain.FormatText},
		{"page", "<html>", domain.FormatHTML},
		{"paper", "%PDF-1.4", domain.FormatPDF},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := parse.Detect(tt.name, []byte(tt.head))
			if err != nil || got != tt.want {
				t.Errorf("Detect(%q, %q) = %q, %v; want %q", tt.name, tt.head, got, err, tt.want)
			}
		})
	}
}

// TestEveryFormatIsDetected asks for files of all formats by their usual names,
// and by wrong ones.
func TestEveryFormatIsDetected(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, data string
		want       domain.Format
		wrong      string // a name that the content belies
	}{
		{"a.csv", "Item,Price\n", domain.FormatTable, "a.pdf"},
		{"a.tsv", "Item\tPrice\n", domain.FormatTable, "a.docx"},
		{"a.xlsx", workbook(t), domain.FormatSheets, "a.docx"},
		{"a.pptx", slides(t), domain.FormatSlides, "a.xlsx"},
		{"a.epub", book(t), domain.FormatBook, "a.odt"},
		{"a.odt", odt(t), domain.FormatODT, "a.docx"},
		{"a.rtf", `{\rtf1 a}`, domain.FormatRTF, "a.txt"},
		{"a.json", `{"a":1}`, domain.FormatRecords, "a.pptx"},
		{"a.jsonl", `{"a":1}`, domain.FormatRecords, "a.zip"},
		{"a.ipynb", `{"cells":[]}`, domain.FormatNotebook, "a.epub"},
		{"a.eml", "Subject: a\n\nb", domain.FormatMail, "a.rtf"},
		{"a.mbox", "From a\nSubject: b\n\nc", domain.FormatMailbox, "a.pdf"},
		{"a.srt", "1\n00:00:01,000 --> 00:00:02,000\na", domain.FormatTranscript, "a.rtf"},
		{"a.vtt", "WEBVTT", domain.FormatTranscript, "a.xlsx"},
		{"a.go", "package a", domain.FormatCode, "a.graphml"},
		{"a.zip", pack(t, part{"a.txt", "x"}), domain.FormatArchive, "a.docx"},
		{"b.zip", pack(t, part{"word/a.txt", "x"}), domain.FormatArchive, "a.txt"},
	} {
		head := []byte(tt.data[:min(len(tt.data), 4096)])
		if got, err := parse.Detect(tt.name, head); got != tt.want || err != nil {
			t.Errorf("%s is %q, %v", tt.name, got, err)
		}
		if got, err := parse.Detect(tt.wrong, head); domain.KindOf(err) != domain.Invalid {
			t.Errorf("%s with the content of %s is %q, %v", tt.wrong, tt.name, got, err)
		}
	}
}

func TestDetectRefuses(t *testing.T) {
	t.Parallel()
	png := "\x89PNG\r\n\x1a\n\x00\x00"
	tests := []struct {
		name, head string
		kind       domain.Kind
		want       string
	}{
		{"a.txt", "", domain.Invalid, "This file is empty."},
		{"a.ods", "PK\x03\x04", domain.Unsupported, `Files ending in ".ods" cannot be read. Clew reads PDF (.pdf)`},
		{"a.\x1b[31m", "x", domain.Unsupported, `Files ending in ".[31m" cannot be read.`},
		{"a.pdf", png, domain.Invalid, "This file is called .pdf but looks like an image, not like a PDF."},
		{"a.pdf", "<html>", domain.Invalid, "looks like a web page, not like a PDF. Give it the right ending"},
		{"a.pdf", "words", domain.Invalid, "looks like plain text, not like a PDF."},
		{"a.txt", "%PDF-1.4", domain.Invalid, "looks like a PDF, not like plain text."},
		{"a.txt", "<!doctype HTML>", domain.Invalid, "looks like a web page, not like plain text."},
		{"a.md", "\x7FELF\x02\x01", domain.Invalid, "looks like a program, not like Markdown."},
		{"a.txt", "MZ\x90\x00\x03\x00\x00", domain.Invalid, "looks like a program"},
		{"a.txt", "\x01\x02\x00\x99", domain.Invalid, "looks like binary data"},
		{"a.txt", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", domain.Invalid, "looks like a video"},
		{"a.pdf", "RIFF\x00\x00\x00\x00WEBPVP8 ", domain.Invalid, "looks like an image"},
		{"a.txt", "{\\rtf1 words}", domain.Invalid, "looks like rich text (RTF)"},
		{"a.docx", "\xD0\xCF\x11\xE0\xA1\xB1", domain.Invalid, "an old Word or Office file, or one locked with a password"},
		{"a.docx", "PK\x03\x04..mimetypeapplication/epub+zip", domain.Invalid, "looks like an e-book (EPUB), not like a Word document."},
		{"a.docx", "PK\x03\x04..[Content_Types].xml..xl/workbook.xml", domain.Invalid, "an Excel workbook"},
		{"a.docx", "PK\x03\x04..photos/1.jpg", domain.Invalid, "a ZIP archive"},
		{"a.docx", "%PDF-1.4", domain.Invalid, "looks like a PDF, not like a Word document."},
	}
	for _, tt := range tests {
		t.Run(tt.name+" "+tt.want, func(t *testing.T) {
			t.Parallel()
			got, err := parse.Detect(tt.name, []byte(tt.head))
			message, _ := domain.MessageOf(err)
			if got != "" || domain.KindOf(err) != tt.kind || !strings.Contains(message, tt.want) {
				t.Errorf("Detect(%q, %q) = %q, %v; want %q", tt.name, tt.head, got, err, tt.want)
			}
		})
	}
}
