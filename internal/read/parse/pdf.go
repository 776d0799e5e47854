package parse

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/read/parse/pdf"
)

// readPDF reads the text layer of a PDF. A file without one yields an empty text and a warning.
func readPDF(ctx context.Context, w *writer, data []byte) error {
	l := w.limits
	file, err := openPDF(data, l.MaxExpanded)
	if err != nil {
		return err
	}
	if file.Rebuilt() {
		w.warn("This PDF is damaged. Its pages were recovered one by one, and parts may be missing.")
	}
	pages := file.Pages(l.MaxPages)
	if len(pages) == 0 {
		return damagedPDF(data, pdf.ErrDamaged)
	}
	if len(pages) > l.MaxPages {
		return domain.Errorf(domain.TooLarge, "This PDF has more than %d pages, which is the limit. Split it into smaller files.", l.MaxPages)
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
	for name, value := range file.Info() {
		w.states(name, value)
	}
	w.states("created", dateOf(made))
	levels := levelsOf(contents)
	file.ForFigures(contents, l.MaxExpanded)
	labels := file.Labels(len(pages))
	for i, c := range contents {
		w.page(i+1, labels)
		spans := make([]domain.Span, len(c.Paragraphs))
		for j, p := range c.Paragraphs {
			spans[j] = writeParagraph(w, p, levels)
		}
		w.figures(ctx, file, pages[i], c, spans)
	}
	warnOfPDF(w, contents)
	return ctx.Err()
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
			return nil, domain.Errorf(domain.TooLarge, "This PDF unpacks to more than the limit of %s. Split it into smaller files.", bytesInWords(l.MaxExpanded))
		case chars > 2*l.MaxChars: // some of them may be spaces
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

// warnOfRepeats lists the running headers and footers that were left out.
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
		return nil, domain.Because(domain.Invalid, err, "This PDF is protected with a password. Save a copy without one and add that.")
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
		return domain.Because(domain.Invalid, cause, "This PDF is cut off, as after an interrupted download. Download it and add it again.")
	}
	return domain.Because(domain.Invalid, cause, "This PDF is damaged: no pages were found in it.")
}

// bullets matches the bullets of printed lists.
var bullets = regexp.MustCompile(`(?m)^[•‣◦▪●○∙·]\s+`)

func writeParagraph(w *writer, p pdf.Paragraph, levels headingLevels) domain.Span {
	level := levels.of(p)
	if level == 0 {
		return w.paragraph(bullets.ReplaceAllString(p.Text, "- "))
	}
	if level == 1 && len(w.pages) == 1 {
		w.name(p.Text)
	}
	return w.heading(level, p.Text)
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
		w.warn("The fonts of this PDF do not map their characters to text, so none of its text could be read.")
	case w.runes == 0 && scans > 0:
		w.warn(fmt.Sprintf("This file has no text layer: %s of images.", pagesInWords(scans+empty)))
	case w.runes == 0:
		w.warn(fmt.Sprintf("This file has no text layer: %s without text.", pagesInWords(empty)))
	case scans > 0:
		w.warn(fmt.Sprintf("%d of %s without a text layer: only images there.", scans, pagesInWords(len(contents))))
	}
	if w.runes > 0 && unknown*50 > glyphs {
		w.warn(fmt.Sprintf("%d %% of the characters could not be read, because their fonts do not map them to text.", 100*unknown/glyphs))
	}
}

// warnOfHidden lists the text that was left out because it is invisible on the page.
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

// headingLevels recognises the headings of a PDF, which does not mark them: they are clearly larger
// than most of the text, or bold.
type headingLevels struct {
	bySize map[int]int // by size, rounded by roundSize
	bold   int         // bold ones in the size of the text; 0 if there are none
}

const maxSizes = 4

// levelsOf assigns levels to the sizes of headings, the largest first, and the level below to bold
// ones.
func levelsOf(contents []pdf.Content) headingLevels {
	chars, bold, total := make(map[int]int), 0, 0
	for _, c := range contents {
		for _, p := range c.Paragraphs {
			n := utf8.RuneCountInString(p.Text)
			chars[roundSize(p.Size)] += n
			total += n
			if p.Bold {
				bold += n
			}
		}
	}
	body := 0
	for _, size := range slices.Sorted(maps.Keys(chars)) {
		if chars[size] > chars[body] {
			body = size
		}
	}
	levels := headingLevels{bySize: largerSizes(contents, body)}
	if 3*bold < total {
		levels.bold = 1
		for _, level := range levels.bySize {
			levels.bold = max(levels.bold, level+1)
		}
	}
	return levels
}

// largerSizes assigns levels to the sizes of headings larger than the body.
func largerSizes(contents []pdf.Content, body int) map[int]int {
	larger := make(map[int]bool)
	for _, c := range contents {
		for _, p := range c.Paragraphs {
			if size := roundSize(p.Size); 20*size >= 23*body && likeHeading(p) {
				larger[size] = true
			}
		}
	}
	levels := make(map[int]int)
	for _, size := range slices.Backward(slices.Sorted(maps.Keys(larger))) {
		levels[size] = min(len(levels)+1, maxSizes)
	}
	return levels
}

// of returns the heading level of a paragraph, or 0 if it isn't a heading.
func (l headingLevels) of(p pdf.Paragraph) int {
	if !likeHeading(p) {
		return 0
	}
	if level := l.bySize[roundSize(p.Size)]; level > 0 {
		return level
	}
	if p.Bold && utf8.RuneCountInString(p.Text) <= 120 && !strings.Contains(p.Text, "\n") && !strings.ContainsAny(p.Text[len(p.Text)-1:], ".,;:!?") {
		return l.bold
	}
	return 0
}

// roundSize rounds a font size to half points.
func roundSize(points float64) int { return int(2*points + 0.5) }

// likeHeading reports whether a paragraph is short, has words, and is neither a table nor a list.
func likeHeading(p pdf.Paragraph) bool {
	letters := 0
	for _, r := range p.Text {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters >= 2 && utf8.RuneCountInString(p.Text) <= 200 && strings.Count(p.Text, "\n") < 4 && !p.Table && !bullets.MatchString(p.Text)
}

// scans passes on the pages of a PDF that are images as pictures in grey (PGM),
// each under the number of its page. What can't be decoded is empty.
func (u *unpacker) scans(data []byte) error {
	file, err := openPDF(data, u.limits.MaxExpanded)
	if err != nil {
		return err
	}
	pages := file.Pages(u.limits.MaxPages)
	contents, err := contentsOf(u.ctx, &writer{limits: u.limits}, file, pages)
	if err != nil {
		return err
	}
	for i, c := range contents {
		if !isScan(c) {
			continue
		}
		page := File{Name: strconv.Itoa(i + 1)}
		picture, err := file.Scan(u.ctx, pages[i])
		switch {
		case u.ctx.Err() != nil:
			return u.ctx.Err()
		case err == nil:
			page.Data = pgm(picture)
		}
		if err := u.each(page); err != nil {
			return err
		}
	}
	return nil
}

// pgm returns a picture as a file of the format PGM.
func pgm(m *image.Gray) []byte {
	b := fmt.Appendf(nil, "P5 %d %d 255\n", m.Rect.Dx(), m.Rect.Dy())
	return append(b, m.Pix...)
}

// isScan reports whether a page holds images and no text.
func isScan(c pdf.Content) bool { return len(c.Paragraphs) == 0 && c.Images > 0 && c.Unknown == 0 }

// noTextLayer is in every warning about pages that are images.
const noTextLayer = "text layer"

// ScannedPages returns the number of pages of a text that are images without text, according to its warnings.
func ScannedPages(t domain.Text) int {
	if !slices.ContainsFunc(t.Warnings, func(w string) bool { return strings.Contains(w, noTextLayer) && strings.Contains(w, "images") }) {
		return 0
	}
	return lists.CountFunc(t.Pages, func(p domain.Page) bool { return p.Span.Empty() })
}

// FillScans returns a text with paragraphs on pages that have none, by their
// numbers, and without the warnings about them.
func FillScans(t domain.Text, read map[int][]string) (domain.Text, error) {
	w := &writer{limits: Limits{}.withDefaults(), title: t.Title}
	headings, pictures := t.Headings, slices.Clone(t.Pictures)
	for _, p := range t.Pages {
		w.unit(p.Unit, p.Name, p.Number)
		if !p.Span.Empty() {
			at := w.add(p.Span.Slice(t.Content)).Start - p.Span.Start
			for ; len(headings) > 0 && headings[0].Span.Start < p.Span.End; headings = headings[1:] {
				h := headings[0]
				h.Span = h.Span.Shift(at)
				w.headings = append(w.headings, h)
			}
			for i, drawn := range t.Pictures {
				if drawn.Page == p.Number {
					pictures[i].At = drawn.At.Shift(at)
				}
			}
			continue
		}
		for _, s := range read[p.Number] {
			w.paragraph(s)
		}
	}
	for _, s := range t.Warnings {
		if !strings.Contains(s, noTextLayer) {
			w.warn(s)
		}
	}
	filled, err := w.finish()
	filled.Pictures = pictures
	return filled, err
}
