package parse

import (
	"context"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// readSlides reads a PowerPoint presentation (ECMA-376, part 1, section 19): of
// each slide its title, its text and tables, and its notes. It leaves out hidden
// slides, and what the layout repeats: dates, footers, numbers.
func readSlides(ctx context.Context, w *writer, data []byte, maxExpanded int64) error {
	files, err := openPackage(data, "presentation", maxExpanded)
	if err != nil {
		return err
	}
	main := files.mainPart("ppt/presentation.xml")
	if err := nameByCore(ctx, w, files, "PowerPoint Presentation"); err != nil {
		return err
	}
	slides, err := slidesOf(ctx, files, main)
	if err != nil {
		return err
	}
	if len(slides) == 0 {
		return domain.Errorf(domain.Invalid, "There are no slides in this presentation, or it is no presentation.")
	}
	hidden := 0
	for i, part := range slides {
		s := slideReader{limit: w.limit}
		if err := files.each(ctx, part, s.token); err != nil {
			return err
		}
		if s.hidden {
			hidden++
			continue
		}
		w.unit(domain.UnitSlide, "", i+1)
		s.write(w)
		o, err := openObjects(ctx, w, files, part)
		if err != nil {
			return err
		}
		if err := o.write(ctx, &s.objects); err != nil {
			return err
		}
		if err := writeNotes(ctx, w, files, part); err != nil {
			return err
		}
	}
	if hidden > 0 {
		w.warn(fmt.Sprintf("%s hidden and left out.", domain.Counted(hidden, "slide is", "slides are")))
	}
	return nil
}

// slidesOf returns the parts of the slides, in the order in which they are shown.
func slidesOf(ctx context.Context, files *zipPackage, main string) ([]string, error) {
	related, err := files.related(ctx, main)
	if err != nil {
		return nil, err
	}
	var slides []string
	seen := make(map[string]bool)
	err = files.each(ctx, main, func(t xml.Token) error {
		if e, ok := t.(xml.StartElement); ok && e.Name.Local == "sldId" {
			r := related[relationID(e)]
			if r.kind == "slide" && files.has(r.part) && !seen[r.part] {
				seen[r.part] = true
				slides = append(slides, r.part)
			}
		}
		return nil
	})
	return slides, err
}

// relationID returns the id of the part that an element refers to. The element
// may have an id of its own, without a namespace.
func relationID(e xml.StartElement) string {
	for _, a := range e.Attr {
		if a.Name.Local == "id" && a.Name.Space != "" {
			return a.Value
		}
	}
	return ""
}

// writeNotes adds the notes of a slide.
func writeNotes(ctx context.Context, w *writer, files *zipPackage, slide string) error {
	related, err := files.related(ctx, slide)
	if err != nil {
		return err
	}
	for _, r := range related {
		if r.kind != "notesSlide" || !files.has(r.part) {
			continue
		}
		notes := slideReader{limit: w.limit, notes: true}
		if err := files.each(ctx, r.part, notes.token); err != nil {
			return err
		}
		if text := strings.TrimSpace(strings.Join(notes.said, "\n")); text != "" {
			w.paragraph("Notes: " + text)
		}
		return nil
	}
	return nil
}

// A slideReader collects the text of a slide or of its notes.
type slideReader struct {
	limit   int
	objects objects
	notes   bool // only what the speaker wrote is read
	hidden  bool
	title   string
	blocks  [][]string // lines of shapes and tables
	body    []string   // paragraphs of the shape that is read
	said    []string   // the notes

	kind  string // of its placeholder; "none" outside a placeholder
	depth int    // of the paragraph in a list
	text  strings.Builder
	inT   bool
	skip  int
	size  int
	table []string // rows of the open table
	cell  []string // paragraphs of the open cell
	row   []string
	cells bool // within a table
}

func (r *slideReader) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		if r.skip > 0 || leftOut(t.Name) {
			r.skip++
			return nil
		}
		r.start(t)
	case xml.EndElement:
		if r.skip > 0 {
			r.skip--
			return nil
		}
		r.end(t.Name.Local)
	case xml.CharData:
		if r.inT && r.skip == 0 {
			r.text.Write(t)
			r.size += len(t)
		}
	}
	if r.size > utf8.UTFMax*r.limit {
		return tooMuchText(r.limit)
	}
	return nil
}

func (r *slideReader) start(t xml.StartElement) {
	r.objects.note(t)
	switch t.Name.Local {
	case "sld":
		r.hidden = attr(t, "show") == "0" || attr(t, "show") == "false"
	case "sp":
		r.kind, r.body = "none", nil
	case "ph":
		if r.kind = attr(t, "type"); r.kind == "" {
			r.kind = "body"
		}
	case "p":
		if t.Name.Space == "a" {
			r.text.Reset()
			r.depth = 0
		}
	case "pPr":
		if n, err := strconv.Atoi(attr(t, "lvl")); err == nil {
			r.depth = min(max(n, 0), 8)
		}
	case "t":
		r.inT = t.Name.Space == "a"
	case "br":
		r.text.WriteByte('\n')
	case "tbl":
		r.cells, r.table = true, nil
	case "tr":
		r.row = nil
	case "tc":
		r.cell = nil
	}
}

func (r *slideReader) end(name string) {
	switch name {
	case "t":
		r.inT = false
	case "p":
		r.paragraph()
	case "tc":
		if len(r.row) < maxCells {
			r.row = append(r.row, strings.Join(r.cell, " "))
		}
	case "tr":
		if line := tableRow(r.row); line != "" {
			r.table = append(r.table, line)
		}
	case "tbl":
		r.endTable()
	case "sp":
		r.endShape()
	}
}

func (r *slideReader) paragraph() {
	text := tidy(r.text.String())
	r.text.Reset()
	switch {
	case strings.TrimSpace(text) == "":
	case r.cells:
		r.cell = append(r.cell, text)
	case r.kind == "body" && !r.notes:
		r.body = append(r.body, listItem(strings.Split(text, "\n"), "- ", r.depth)...)
	default:
		r.body = append(r.body, text)
	}
}

func (r *slideReader) endTable() {
	r.blocks = append(r.blocks, r.table)
	r.cells, r.table = false, nil
}

// endShape keeps the text of a shape, unless the layout repeats it.
func (r *slideReader) endShape() {
	body := r.body
	switch {
	case r.notes:
		if r.kind == "body" {
			r.said = append(r.said, body...)
		}
	case len(body) == 0:
	case r.kind == "title" || r.kind == "ctrTitle":
		if r.title == "" {
			r.title = strings.Join(body, " ")
		}
	case r.kind == "dt", r.kind == "ftr", r.kind == "sldNum", r.kind == "hdr":
	case r.kind == "body" && len(body) == 1:
		r.blocks = append(r.blocks, []string{strings.TrimPrefix(body[0], "- ")})
	default:
		r.blocks = append(r.blocks, body)
	}
	r.body = nil
}

// write adds the slide to the text, its title first.
func (r *slideReader) write(w *writer) {
	if w.title == "" {
		w.name(r.title)
	}
	if r.title != "" {
		w.heading(1, r.title)
	}
	for _, b := range r.blocks {
		w.lines(b)
	}
}
