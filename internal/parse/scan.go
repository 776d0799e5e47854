package parse

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/parse/pdf"
)

// scans passes on the pages of a PDF that are images as pictures in grey (PGM),
// each under the number of its page. It leaves out what can't be decoded.
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
		picture, err := file.Scan(u.ctx, pages[i])
		switch {
		case u.ctx.Err() != nil:
			return u.ctx.Err()
		case err != nil:
			continue
		}
		var b bytes.Buffer
		fmt.Fprintf(&b, "P5 %d %d 255\n", picture.Rect.Dx(), picture.Rect.Dy())
		b.Write(picture.Pix)
		if err := u.each(File{Name: strconv.Itoa(i + 1), Data: b.Bytes()}); err != nil {
			return err
		}
	}
	return nil
}

// isScan reports whether a page holds images and no text.
func isScan(c pdf.Content) bool { return len(c.Paragraphs) == 0 && c.Images > 0 && c.Unknown == 0 }

// noTextLayer is in every warning about pages that are images.
const noTextLayer = "text layer"

// ScannedPages returns how many pages of a text are images without text, as far as
// its warnings say that there are any.
func ScannedPages(t domain.Text) int {
	if !slices.ContainsFunc(t.Warnings, func(w string) bool { return strings.Contains(w, noTextLayer) && strings.Contains(w, "images") }) {
		return 0
	}
	n := 0
	for _, p := range t.Pages {
		if p.Span.Empty() {
			n++
		}
	}
	return n
}

// FillScans returns a text with paragraphs on pages that have none, by their
// numbers, and without the warnings about them.
func FillScans(t domain.Text, read map[int][]string) (domain.Text, error) {
	w := &writer{limits: Limits{}.withDefaults(), title: t.Title}
	headings := t.Headings
	for _, p := range t.Pages {
		w.unit(p.Unit, p.Name, p.Number)
		if !p.Span.Empty() {
			at := w.add(p.Span.Slice(t.Content)).Start - p.Span.Start
			for ; len(headings) > 0 && headings[0].Span.Start < p.Span.End; headings = headings[1:] {
				h := headings[0]
				h.Span = h.Span.Shift(at)
				w.headings = append(w.headings, h)
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
	return w.finish()
}
