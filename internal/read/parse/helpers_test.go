package parse_test

import (
	"context"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
)

// read parses data and fails the test on an error.
func read(t *testing.T, format domain.Format, data string) domain.Text {
	t.Helper()
	text, err := parse.New(parse.Limits{}).Parse(context.Background(), "file", format, []byte(data))
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	checkText(t, text)
	return text
}

// refuse parses data, requires an error of the given kind and returns its
// sentence.
func refuse(t *testing.T, l parse.Limits, format domain.Format, data string, kind domain.Kind) string {
	t.Helper()
	_, err := parse.New(l).Parse(context.Background(), "file", format, []byte(data))
	if err == nil {
		t.Fatal("Parse succeeded")
	}
	message, _ := domain.MessageOf(err)
	if domain.KindOf(err) != kind || message == "" {
		t.Fatalf("error %v of kind %d, want a sentence of kind %d", err, domain.KindOf(err), kind)
	}
	return message
}

// outline returns the headings of a text as lines of Markdown.
func outline(text domain.Text) []string {
	var lines []string
	for _, h := range text.Headings {
		lines = append(lines, strings.Repeat("#", h.Level)+" "+h.Text)
	}
	return lines
}

// checkText fails the test unless text follows the rules of the package.
func checkText(t testing.TB, text domain.Text) {
	t.Helper()
	content := text.Content
	if !utf8.ValidString(content) || !norm.NFC.IsNormalString(content) {
		t.Errorf("content is not UTF-8 in normal form C")
	}
	for _, r := range content {
		if r != '\n' && (unicode.IsControl(r) || r == '\uFEFF' || r == '\u202E') {
			t.Errorf("content holds %U", r)
			break
		}
	}
	if strings.TrimSpace(content) == "" && content != "" {
		t.Errorf("blank content %q", content)
	}
	if strings.Contains(content, "\n\n\n") || strings.Contains(content, " \n") || strings.HasPrefix(content, "\n") || strings.HasSuffix(content, "\n") {
		t.Errorf("paragraphs are not separated by single blank lines")
	}
	if content == "" && len(text.Warnings) == 0 {
		t.Errorf("no text and no warning")
	}
	checkHeadings(t, text)
	checkPages(t, text)
}

// checkHeadings fails the test unless each heading fills a line.
func checkHeadings(t testing.TB, text domain.Text) {
	t.Helper()
	runes := []rune(text.Content)
	last := 0
	for _, h := range text.Headings {
		if h.Level < 1 || h.Span.Empty() || h.Span.Start < last || h.Span.End > len(runes) {
			t.Errorf("heading %+v after %d of %d", h, last, len(runes))
			return
		}
		last = h.Span.End
		if got := string(runes[h.Span.Start:h.Span.End]); got != h.Text || strings.Contains(got, "\n") {
			t.Errorf("heading %q stands at %q", h.Text, got)
		}
		if h.Span.Start > 0 && runes[h.Span.Start-1] != '\n' || h.Span.End < len(runes) && runes[h.Span.End] != '\n' {
			t.Errorf("heading %q does not fill a line", h.Text)
		}
	}
}

// checkPages fails the test unless the pages are in order, disjoint and cover
// the text.
func checkPages(t testing.TB, text domain.Text) {
	t.Helper()
	last, runes := 0, []rune(text.Content)
	for i, p := range text.Pages {
		if p.Unit == domain.UnitPage && p.Number != i+1 || p.Span.Start < last || p.Span.End < p.Span.Start {
			t.Errorf("page %+v after %d", p, last)
			return
		}
		if gap := string(runes[last:p.Span.Start]); strings.TrimSpace(gap) != "" {
			t.Errorf("%q is on no page", gap)
		}
		last = p.Span.End
	}
	if n := len(runes); len(text.Pages) > 0 && last != n {
		t.Errorf("pages end at %d of %d", last, n)
	}
}
