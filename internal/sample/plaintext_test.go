package sample

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

// The readers here know no more than the library's own files need. They stand
// beside the product's parsers on purpose: a fault there must not hide a fault
// in the library.

var (
	htmlUnread = regexp.MustCompile(`(?s)<(head|script|style|nav|header|footer|aside)\b.*?</(head|script|style|nav|header|footer|aside)>`)
	htmlTag    = regexp.MustCompile(`<[^>]*>`)
	markup     = regexp.MustCompile(`(?m)^(#+ |> )|---page---|[|*]`)
	pdfStream  = regexp.MustCompile(`(?s)stream\r?\n(.*?)endstream`)
	pdfString  = regexp.MustCompile(`\(((?:[^()\\]|\\.)*)\) Tj`)
	pdfEscape  = regexp.MustCompile(`\\([0-7]{3}|.)`)
	pdfFolio   = regexp.MustCompile(`^.*, page \d+$`)
)

// plainText returns what a reader of the file sees, with one space for any white space.
func plainText(t *testing.T, f File) string {
	t.Helper()
	var text string
	var err error
	switch path.Ext(f.Name) {
	case ".html":
		text = html.UnescapeString(htmlTag.ReplaceAllString(htmlUnread.ReplaceAllString(string(f.Data), ""), " "))
	case ".md":
		text = markup.ReplaceAllString(string(f.Data), "")
	case ".txt":
		text = string(f.Data)
	case ".docx":
		text, err = docxText(f.Data)
	case ".pdf":
		text, err = pdfText(f.Data)
	default:
		err = errors.New("a format that the library was not meant to have")
	}
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return squeeze(text)
}

// sourceText returns the text that a PDF or DOCX was made from.
func sourceText(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("src/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	return squeeze(markup.ReplaceAllString(string(data), ""))
}

func squeeze(s string) string { return domain.OneLine(s) }

func docxText(data []byte) (string, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "", err
	}
	body, err := archive.Open("word/document.xml")
	if err != nil {
		return "", err
	}
	defer body.Close()
	var text strings.Builder
	decoder := xml.NewDecoder(body)
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return text.String(), nil
		}
		if err != nil {
			return "", err
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
		case xml.EndElement:
			if token.Name.Local == "p" {
				text.WriteByte('\n')
			}
		}
	}
}

func pdfText(data []byte) (string, error) {
	var text strings.Builder
	for _, stream := range pdfStream.FindAllSubmatch(data, -1) {
		inflater, err := zlib.NewReader(bytes.NewReader(stream[1]))
		if err != nil {
			return "", fmt.Errorf("open a page: %w", err)
		}
		page, err := io.ReadAll(inflater)
		if err != nil {
			return "", fmt.Errorf("inflate a page: %w", err)
		}
		for _, line := range pdfString.FindAllSubmatch(page, -1) {
			if words := unescapePDF(string(line[1])); !pdfFolio.MatchString(words) {
				text.WriteString(words + "\n")
			}
		}
	}
	return text.String(), nil
}

func unescapePDF(s string) string {
	return pdfEscape.ReplaceAllStringFunc(s, func(escape string) string {
		code, err := strconv.ParseUint(escape[1:], 8, 8)
		if err != nil {
			return escape[1:]
		}
		return string(rune(code))
	})
}
