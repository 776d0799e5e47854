package parse

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/clewhq/clew/internal/domain"
)

// writer puts a text together paragraph by paragraph and keeps count of the
// positions. Past its limit it takes no more, and finish says so.
type writer struct {
	limit    int // most code points
	title    string
	text     strings.Builder
	runes    int
	pages    []domain.Page
	turning  bool // a page has begun and nothing stands on it yet
	headings []domain.Heading
	warnings []string
	full     bool
}

// paragraph adds s as flowing text: spaces are collapsed, line breaks kept.
func (w *writer) paragraph(s string) {
	w.lines(strings.Split(tidy(s), "\n"))
}

// code adds s with its spaces.
func (w *writer) code(s string) {
	w.add(squeeze(strings.Split(tidyPreformatted(s), "\n")))
}

// lines adds a paragraph of lines that are tidy already but for blank ones.
func (w *writer) lines(lines []string) {
	w.add(squeeze(lines))
}

// heading adds a heading line.
func (w *writer) heading(level int, s string) {
	s = tidyLine(s)
	if span := w.add(s); !span.Empty() {
		w.headings = append(w.headings, domain.Heading{Level: level, Text: s, Span: span})
	}
}

// add appends a finished paragraph after a blank line and says where it is.
func (w *writer) add(s string) domain.Span {
	if s == "" || w.full {
		return domain.Span{}
	}
	if w.runes > 0 {
		w.text.WriteString("\n\n")
		w.runes += 2
	}
	span := domain.Span{Start: w.runes, End: w.runes + utf8.RuneCountInString(s)}
	if w.turning {
		w.pages[len(w.pages)-1].Span.Start = span.Start
		w.turning = false
	}
	w.text.WriteString(s)
	w.runes = span.End
	w.full = w.runes > w.limit
	return span
}

// page begins the page of that number.
func (w *writer) page(number int) {
	w.closePage()
	w.pages = append(w.pages, domain.Page{Number: number, Span: domain.Span{Start: w.runes, End: w.runes}})
	w.turning = true
}

// closePage ends the page that is open, if any.
func (w *writer) closePage() {
	if len(w.pages) > 0 {
		w.pages[len(w.pages)-1].Span.End = w.runes
	}
	w.turning = false
}

// warn notes what could not be read, once.
func (w *writer) warn(sentence string) {
	if !slices.Contains(w.warnings, sentence) {
		w.warnings = append(w.warnings, sentence)
	}
}

// name notes what the document calls itself, unless it has a name already.
func (w *writer) name(title string) {
	if w.title == "" {
		w.title = shorten(tidyLine(title), maxTitle)
	}
}

// maxTitle is the most code points of a title; what is longer is no title but
// text that a faulty document marks as one.
const maxTitle = 300

// finish is the text that was written. A text without any gets a warning,
// unless there is one already.
func (w *writer) finish() (domain.Text, error) {
	if w.full {
		return domain.Text{}, domain.Errorf(domain.TooLarge, "This file holds more than %d characters of text, which is the limit; split it into smaller files.", w.limit)
	}
	w.closePage()
	if w.runes == 0 && len(w.warnings) == 0 {
		w.warn("This file holds no text.")
	}
	return domain.Text{
		Title:    w.title,
		Content:  w.text.String(),
		Pages:    w.pages,
		Headings: w.headings,
		Warnings: w.warnings,
	}, nil
}

// squeeze joins lines without blank ones at the ends and with at most one
// between two others.
func squeeze(lines []string) string {
	var b strings.Builder
	blank := false
	for _, line := range lines {
		line = strings.TrimRight(line, " ")
		if line == "" {
			blank = b.Len() > 0
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		if blank {
			b.WriteByte('\n')
		}
		blank = false
		b.WriteString(line)
	}
	return b.String()
}

// shorten is at most n code points of s.
func shorten(s string, n int) string {
	return norm.NFC.String(domain.Span{End: n}.Slice(s))
}
