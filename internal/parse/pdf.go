package parse

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/parse/pdf"
)

// readPDF reads the text layer of a PDF. A file without one yields an empty text and a warning.
func readPDF(ctx context.Context, w *writer, data []byte) error {
	l := w.limits
	file, err := openPDF(data, l.MaxExpanded)
	if err != nil {
		return err
	}
	if file.Rebuilt() {
		w.warn("This PDF is damaged; its pages were looked for one by one, and parts may be missing.")
	}
	pages := file.Pages(l.MaxPages)
	if len(pages) == 0 {
		return damagedPDF(data, pdf.ErrDamaged)
	}
	if len(pages) > l.MaxPages {
		return domain.Errorf(domain.TooLarge, "This PDF has more than %d pages, which is the limit; split it into smaller files.", l.MaxPages)
	}
	contents, err := contentsOf(ctx, w, file, pages)
	if err != nil {
		return err
	}
	if title := file.Title(); !domain.IsFileName(title) {
		w.name(title)
	}
	author, made, language := file.Facts()
	w.know(domain.Facts{Author: author, Published: made, Language: language})
	levels := levelsOf(contents)
	labels := file.Labels(len(pages))
	for i, c := range contents {
		w.page(i+1, labels)
		for _, p := range c.Paragraphs {
			writeParagraph(w, p, levels)
		}
	}
	warnOfPDF(w, contents)
	return nil
}

// contentsOf reads the pages without the lines that run through them. It gives up
// as soon as they hold more than the limits.
func contentsOf(ctx context.Context, w *writer, file *pdf.File, pages []pdf.Page) ([]pdf.Content, error) {
	l := w.limits
	drafts, chars := make([]pdf.Draft, len(pages)), 0
	for i, page := range pages {
		drafts[i] = file.Draw(ctx, page)
		chars += drafts[i].Chars
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case file.Exceeded():
			return nil, domain.Errorf(domain.TooLarge, "This PDF unpacks to more than the limit of %s; split it into smaller files.", bytesInWords(l.MaxExpanded))
		case chars > 2*l.MaxChars: // some of which may be spaces
			return nil, tooMuchText(l.MaxChars)
		}
	}
	warnOfRepeats(w, pdf.DropRunning(drafts))
	contents := make([]pdf.Content, len(pages))
	for i, d := range drafts {
		contents[i], drafts[i] = file.Compose(d), pdf.Draft{}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return contents, nil
}

// maxRepeats is how many running lines a warning names.
const maxRepeats = 6

// warnOfRepeats says which running headers and footers were left out.
func warnOfRepeats(w *writer, repeats []pdf.Repeat) {
	var said []string
	for _, r := range repeats[:min(len(repeats), maxRepeats)] {
		what := "the number of the page"
		if !r.Number {
			what = "“" + shorten(tidyLine(r.Text), 80) + "”"
		}
		said = append(said, fmt.Sprintf("%s (%s)", what, pagesInWords(r.Pages)))
	}
	if n := len(repeats) - len(said); n > 0 {
		said = append(said, domain.Counted(n, "other line", "other lines"))
	}
	if len(said) > 0 {
		w.warn("Headers and footers that repeat were left out: " + strings.Join(said, ", ") + ".")
	}
}

// openPDF opens a file that needs no password.
func openPDF(data []byte, expanded int64) (*pdf.File, error) {
	file, err := pdf.Open(data, expanded)
	switch {
	case errors.Is(err, pdf.ErrPassword):
		return nil, domain.Because(domain.Invalid, err, "This PDF is protected with a password; save a copy without one and upload that.")
	case err != nil:
		return nil, damagedPDF(data, err)
	case file.Rebuilt() && isCutOff(data):
		return nil, damagedPDF(data, nil)
	}
	return file, nil
}

func isCutOff(data []byte) bool {
	return !bytes.Contains(data[max(0, len(data)-2048):], []byte("%%EOF"))
}

// damagedPDF explains why a file has no pages.
func damagedPDF(data []byte, cause error) error {
	if isCutOff(data) {
		return domain.Because(domain.Invalid, cause, "This PDF ends before its end, as after a broken download; fetch and upload it again.")
	}
	return domain.Because(domain.Invalid, cause, "This PDF is damaged: no pages were found in it.")
}

// bullets matches the bullets of printed lists.
var bullets = regexp.MustCompile(`(?m)^[•‣◦▪●○∙·]\s+`)

func writeParagraph(w *writer, p pdf.Paragraph, levels headingLevels) {
	level := levels.of(p)
	if level == 0 {
		w.paragraph(bullets.ReplaceAllString(p.Text, "- "))
		return
	}
	if level == 1 && len(w.pages) == 1 {
		w.name(p.Text)
	}
	w.heading(level, p.Text)
}

// warnOfPDF reports what could not be read.
func warnOfPDF(w *writer, contents []pdf.Content) {
	warnOfHidden(w, contents)
	scans, empty, glyphs, unknown := 0, 0, 0, 0
	if slices.ContainsFunc(contents, func(c pdf.Content) bool { return c.Cut }) {
		w.warn("Pages of this PDF hold far more than a page can show; parts of them were left out.")
	}
	for _, c := range contents {
		glyphs += c.Glyphs
		unknown += c.Unknown
		switch {
		case len(c.Paragraphs) > 0:
		case c.Images > 0:
			scans++
		default:
			empty++
		}
	}
	switch {
	case w.runes == 0 && unknown > 0:
		w.warn("The fonts of this PDF do not say which characters they show, so none of its text could be read.")
	case w.runes == 0 && scans > 0:
		w.warn(fmt.Sprintf("This file has no text layer: %s of images.", pagesInWords(scans+empty)))
	case w.runes == 0:
		w.warn(fmt.Sprintf("This file has no text layer: %s without text.", pagesInWords(empty)))
	case scans > 0:
		w.warn(fmt.Sprintf("%d of %s without a text layer: only images there.", scans, pagesInWords(len(contents))))
	}
	if w.runes > 0 && unknown*50 > glyphs {
		w.warn(fmt.Sprintf("%d %% of the characters could not be read, because their fonts do not say what they show.", 100*unknown/glyphs))
	}
}

// warnOfHidden says which text was left out because no reader of a page sees it.
func warnOfHidden(w *writer, contents []pdf.Content) {
	var said []string
	for _, kind := range []struct {
		what string
		is   func(pdf.Hidden) bool
	}{
		{"white text on white", func(h pdf.Hidden) bool { return h.White }},
		{"text that is not drawn", func(h pdf.Hidden) bool { return h.Invisible }},
		{"text beyond the edges of the page", func(h pdf.Hidden) bool { return h.Beyond }},
		{"text that is crossed out", func(h pdf.Hidden) bool { return h.Struck }},
	} {
		var on []string
		for i, c := range contents {
			if kind.is(c.Hidden) {
				on = append(on, strconv.Itoa(i+1))
			}
		}
		switch n := len(on); {
		case n == 1:
			said = append(said, kind.what+" (page "+on[0]+")")
		case n > maxNamed:
			said = append(said, fmt.Sprintf("%s (%s)", kind.what, pagesInWords(n)))
		case n > 1:
			said = append(said, kind.what+" (pages "+strings.Join(on, ", ")+")")
		}
	}
	if len(said) > 0 {
		w.warn("What a reader of the pages does not see was left out: " + strings.Join(said, ", ") + ".")
	}
}

// maxNamed is how many pages a warning names.
const maxNamed = 12

func pagesInWords(n int) string {
	if n == 1 {
		return "1 page"
	}
	return fmt.Sprintf("%d pages", n)
}
