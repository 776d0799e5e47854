package parse

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/parse/pdf"
)

// readPDF reads the text layer of a PDF. A file without one is no error: its
// text is empty and a warning says what the pages hold.
func readPDF(ctx context.Context, w *writer, data []byte, l Limits) error {
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
	contents := make([]pdf.Content, len(pages))
	for i, page := range pages {
		contents[i] = file.Content(ctx, page)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if file.Expanded() {
			return domain.Errorf(domain.TooLarge, "This PDF unpacks to more than the limit of %s; split it into smaller files.", bytesInWords(l.MaxExpanded))
		}
	}
	if title := file.Title(); !isFileName(title) {
		w.name(title)
	}
	levels := headingSizes(contents)
	for i, c := range contents {
		w.page(i + 1)
		for _, p := range c.Paragraphs {
			writeParagraph(w, p, levels)
		}
	}
	warnOfPDF(w, contents)
	return nil
}

// openPDF opens a file, decrypted if that needs no password.
func openPDF(data []byte, expanded int64) (*pdf.File, error) {
	file, err := pdf.Open(data, expanded)
	if err != nil {
		return nil, damagedPDF(data, err)
	}
	if file.Rebuilt() && isCutOff(data) {
		return nil, damagedPDF(data, nil)
	}
	if !file.Encrypted() {
		return file, nil
	}
	plain, err := decryptPDF(data)
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "This PDF is protected with a password; save a copy without one and upload that.")
	}
	file, err = pdf.Open(plain, expanded)
	if err != nil || file.Encrypted() {
		return nil, damagedPDF(data, err)
	}
	return file, nil
}

// isCutOff reports whether the end of a file is missing.
func isCutOff(data []byte) bool {
	return !bytes.Contains(data[max(0, len(data)-2048):], []byte("%%EOF"))
}

// damagedPDF says what is wrong with a file without pages.
func damagedPDF(data []byte, cause error) error {
	if isCutOff(data) {
		return domain.Because(domain.Invalid, cause, "This PDF ends before its end, as after a broken download; fetch and upload it again.")
	}
	return domain.Because(domain.Invalid, cause, "This PDF is damaged: no pages were found in it.")
}

// isFileName reports whether a title is one that a program made up from a
// file's name, or a placeholder.
func isFileName(title string) bool {
	title = strings.ToLower(tidyLine(title))
	for _, ending := range []string{".doc", ".docx", ".tex", ".dvi", ".indd", ".pdf", ".qxd", ".ps"} {
		if strings.HasSuffix(title, ending) {
			return true
		}
	}
	return title == "untitled" || title == "unspecified" || strings.HasPrefix(title, "microsoft word - ")
}

// bullets are what lines of a list begin with in print.
var bullets = regexp.MustCompile(`(?m)^[•‣◦▪●○∙·]\s+`)

// writeParagraph writes a paragraph, as a heading if its letters are as large
// as those of one.
func writeParagraph(w *writer, p pdf.Paragraph, levels map[int]int) {
	level := levels[roundSize(p.Size)]
	if level == 0 || !likeHeading(p.Text) {
		w.paragraph(bullets.ReplaceAllString(p.Text, "- "))
		return
	}
	if level == 1 && len(w.pages) == 1 {
		w.name(p.Text)
	}
	w.heading(level, p.Text)
}

// likeHeading reports whether a paragraph in large letters reads like a
// heading: short, with words in it.
func likeHeading(s string) bool {
	letters := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters >= 2 && utf8.RuneCountInString(s) <= 200 && strings.Count(s, "\n") < 4
}

// roundSize is a size of letters in half points, which is as exact as sizes
// are meant.
func roundSize(points float64) int { return int(2*points + 0.5) }

// maxHeadingSizes is how many sizes of heading are told apart.
const maxHeadingSizes = 4

// headingSizes gives the sizes of letters that are clearly larger than those
// of most of the text a level each, the largest the first.
func headingSizes(contents []pdf.Content) map[int]int {
	chars := make(map[int]int)
	headings := make(map[int]bool)
	for _, c := range contents {
		for _, p := range c.Paragraphs {
			chars[roundSize(p.Size)] += utf8.RuneCountInString(p.Text)
			headings[roundSize(p.Size)] = headings[roundSize(p.Size)] || likeHeading(p.Text)
		}
	}
	body := 0
	for _, size := range slices.Sorted(maps.Keys(chars)) {
		if chars[size] > chars[body] {
			body = size
		}
	}
	levels := make(map[int]int)
	level := 0
	for _, size := range slices.Backward(slices.Sorted(maps.Keys(headings))) {
		if float64(size) >= 1.15*float64(body) && headings[size] {
			level = min(level+1, maxHeadingSizes)
			levels[size] = level
		}
	}
	return levels
}

// warnOfPDF says what of a file's pages could not be read.
func warnOfPDF(w *writer, contents []pdf.Content) {
	scans, empty, glyphs, unknown := 0, 0, 0, 0
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

// pagesInWords counts pages.
func pagesInWords(n int) string {
	if n == 1 {
		return "1 page"
	}
	return fmt.Sprintf("%d pages", n)
}
