package parse

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/clewhq/clew/internal/domain"
)

// A writer assembles a text from paragraphs and counts positions. Beyond its limit it ignores
// input, and finish returns an error.
type writer struct {
	limits     Limits
	field      string    // of records, which holds their text; "" to choose one
	keepStruck bool      // struck text is kept, marked
	encoding   *Encoding // that a person chose; nil to guess it
	within     int       // parts of other formats around the one that is read
	title      string
	facts      domain.Facts
	text       strings.Builder
	runes      int
	pages      []domain.Page
	turning    bool // a page has begun and nothing stands on it yet
	headings   []domain.Heading
	warnings   []string
	full       bool
	crowded    bool // more than MaxUnits pages
}

// MaxUnits is the most pages, slides, records and the like of a text, each of
// which is kept with its number.
const MaxUnits = 200_000

// paragraph adds flowing text: it collapses spaces and keeps line breaks.
func (w *writer) paragraph(s string) {
	w.lines(strings.Split(tidy(s), "\n"))
}

// code adds preformatted text.
func (w *writer) code(s string) {
	w.add(squeeze(strings.Split(tidyPreformatted(s), "\n")))
}

// lines adds a paragraph of clean lines.
func (w *writer) lines(lines []string) {
	w.add(squeeze(lines))
}

// maxHeading bounds headings, in code points: each chunk below repeats them. A longer one is text.
const maxHeading = 1000

func (w *writer) heading(level int, s string) {
	s = tidyLine(s)
	if span := w.add(s); !span.Empty() && span.End-span.Start <= maxHeading {
		w.headings = append(w.headings, domain.Heading{Level: level, Text: s, Span: span})
	}
}

// add appends a paragraph after a blank line and returns its span.
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
	w.full = w.runes > w.limits.MaxChars
	return span
}

// page starts a page. labels are what the file calls its pages, if it says.
func (w *writer) page(number int, labels []string) {
	label := ""
	if number <= len(labels) && labels[number-1] != strconv.Itoa(number) {
		label = shorten(tidyLine(labels[number-1]), maxLabel)
	}
	w.unit(domain.UnitPage, label, number)
}

// maxLabel bounds the labels of pages, in code points.
const maxLabel = 40

// unit starts a page of any unit. The name is that of its sheet, or
// the label of a page.
func (w *writer) unit(unit domain.Unit, name string, number int) {
	w.closePage()
	w.turning = w.place(domain.Page{Unit: unit, Name: name, Number: number, Span: domain.Span{Start: w.runes, End: w.runes}})
}

// place notes where a page lies. It reports false if there are too many.
func (w *writer) place(p domain.Page) bool {
	if w.crowded = w.crowded || len(w.pages) == MaxUnits; w.crowded {
		return false
	}
	w.pages = append(w.pages, p)
	return true
}

func (w *writer) closePage() {
	if len(w.pages) > 0 {
		w.pages[len(w.pages)-1].Span.End = w.runes
	}
	w.turning = false
}

// warn adds a warning once.
func (w *writer) warn(sentence string) {
	if !slices.Contains(w.warnings, sentence) {
		w.warnings = append(w.warnings, sentence)
	}
}

// name sets the title unless there is one.
func (w *writer) name(title string) {
	if w.title == "" {
		w.title = shorten(tidyLine(title), maxTitle)
	}
}

// maxTitle bounds titles, in code points. Faulty documents mark whole paragraphs as titles.
const maxTitle = 300

// finish returns the text. An empty text always has a warning.
func (w *writer) finish() (domain.Text, error) {
	if w.full {
		return domain.Text{}, tooMuchText(w.limits.MaxChars)
	}
	if w.crowded {
		return domain.Text{}, domain.Errorf(domain.TooLarge, "This file holds more than %d records, rows or parts of another kind, which is the limit; split it into smaller files.", MaxUnits)
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
		Facts:    w.facts,
	}, nil
}

func tooMuchText(limit int) error {
	return domain.Errorf(domain.TooLarge, "This file holds more than %d characters of text, which is the limit; split it into smaller files.", limit)
}

// squeeze joins lines, without blank ones at the ends and at most one in a row.
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

// shorten cuts s to n code points.
func shorten(s string, n int) string {
	return norm.NFC.String(domain.Span{End: n}.Slice(s))
}
