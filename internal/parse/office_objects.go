package parse

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/parse/script"
)

// objects are what a part of an Office file shows besides its text, by the ids under which the
// part refers to them, in order: charts, diagrams and parts of other formats.
type objects struct{ ids []string }

// maxObjects bounds the objects of a part.
const maxObjects = 2000

// note keeps the ids that an element refers to.
func (o *objects) note(t xml.StartElement) {
	if len(o.ids) >= maxObjects {
		return
	}
	switch t.Name.Local {
	case "chart", "altChunk":
		o.ids = append(o.ids, relationID(t))
	case "relIds":
		o.ids = append(o.ids, attr(t, "dm"))
	}
}

// An objectWriter adds what a part refers to.
type objectWriter struct {
	w       *writer
	files   *zipPackage
	related map[string]relation
	book    *excelize.File // the workbook that the part is of, nil in other files
}

// openObjects returns a writer of the objects of a part. It warns about what is in the part and
// can't be read.
func openObjects(ctx context.Context, w *writer, files *zipPackage, part string) (*objectWriter, error) {
	related, err := files.related(ctx, part)
	if err != nil {
		return nil, err
	}
	o := &objectWriter{w: w, files: files, related: related}
	var embedded []string
	comments := false
	for _, id := range slices.Sorted(maps.Keys(related)) {
		switch r := related[id]; r.kind {
		case "package", "oleObject":
			if files.has(r.part) {
				embedded = append(embedded, printable(path.Base(files.files[r.part].Name)))
			}
		case "comments", "threadedComment":
			comments = comments || files.has(r.part)
		}
	}
	if len(embedded) > 0 {
		w.warn(fmt.Sprintf("Files within this %s were left out: %s. Add them by themselves to have them read.", files.kind, strings.Join(embedded[:min(len(embedded), 10)], ", ")))
	}
	if comments {
		w.warn(fmt.Sprintf("The comments in this %s were left out.", files.kind))
	}
	return o, nil
}

// write adds the objects with the ids, and forgets them.
func (o *objectWriter) write(ctx context.Context, noted *objects) error {
	ids := noted.ids
	noted.ids = nil
	for _, id := range ids {
		r := o.related[id]
		if !o.files.has(r.part) {
			continue
		}
		var err error
		switch r.kind {
		case "chart", "chartEx":
			c := chartReader{}
			if err = o.files.each(ctx, r.part, c.token); err == nil {
				err = o.chart(ctx, &c, r.part)
			}
		case "diagramData":
			d := diagramReader{}
			if err = o.files.each(ctx, r.part, d.token); err == nil {
				o.w.lines(d.outline())
			}
		case "aFChunk":
			err = o.chunk(ctx, r.part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// chart adds a chart. Figures that it has no copy of are looked up in its workbook.
func (o *objectWriter) chart(ctx context.Context, c *chartReader, part string) error {
	if c.lacks() {
		book, done, err := o.workbook(ctx, part)
		if err != nil {
			return err
		}
		if book != nil {
			c.look(book)
		}
		done()
	}
	if c.lacks() {
		o.w.warn(fmt.Sprintf("The figures of a chart in this %s are not in the file and were left out.", o.files.kind))
	}
	c.write(o.w)
	return nil
}

// workbook returns the workbook of a chart: the one it stands in, or the one within the file
// that it refers to; nil if there is none that can be read. The caller calls done at the end.
func (o *objectWriter) workbook(ctx context.Context, chart string) (book *excelize.File, done func(), err error) {
	if o.book != nil {
		return o.book, func() {}, nil
	}
	related, err := o.files.related(ctx, chart)
	if err != nil {
		return nil, func() {}, err
	}
	for _, r := range related {
		if r.kind != "package" || !o.files.has(r.part) {
			continue
		}
		data, err := o.files.read(r.part)
		if err != nil {
			return nil, func() {}, err
		}
		if book = o.openBook(data); book != nil {
			return book, func() { _ = book.Close() }, nil
		}
	}
	return nil, func() {}, nil
}

// openBook opens a workbook within the file, nil if it can't be read.
func (o *objectWriter) openBook(data []byte) *excelize.File {
	within, err := openPackage(data, "workbook", o.files.left)
	if err != nil || within.unpacks() != nil {
		return nil
	}
	book, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{UnzipSizeLimit: o.files.left, UnzipXMLSizeLimit: o.files.left})
	if err != nil {
		return nil
	}
	return book
}

// drawings adds the objects and the texts on the drawing of a sheet.
func drawings(ctx context.Context, w *writer, files *zipPackage, sheet string, book *excelize.File) error {
	o, err := openObjects(ctx, w, files, sheet)
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(o.related)) {
		r := o.related[id]
		if r.kind != "drawing" || !files.has(r.part) {
			continue
		}
		shapes := slideReader{limit: w.limits.MaxChars, line: script.Line{KeepStruck: w.keepStruck}, level: -1}
		if err := files.each(ctx, r.part, shapes.token); err != nil {
			return err
		}
		for _, b := range shapes.blocks {
			w.lines(b)
		}
		on, err := openObjects(ctx, w, files, r.part)
		if err != nil {
			return err
		}
		on.book = book
		if err := on.write(ctx, &shapes.objects); err != nil {
			return err
		}
	}
	return nil
}

// maxWithin is how deep parts of other formats are read within one another.
const maxWithin = 3

// chunk adds a part of another format, which a program that shows the document takes over.
func (o *objectWriter) chunk(ctx context.Context, part string) error {
	if o.w.within == maxWithin {
		o.w.warn("Parts that lie deep within one another were left out.")
		return nil
	}
	data, err := o.files.read(part)
	if err != nil || len(data) == 0 {
		return err
	}
	o.w.within++
	defer func() { o.w.within-- }()
	err = o.chunkOf(ctx, strings.ToLower(path.Ext(part)), data)
	if domain.KindOf(err) == domain.Invalid || domain.KindOf(err) == domain.Unsupported {
		o.w.warn("A part of another format within this document could not be read and was left out.")
		return nil
	}
	return err
}

func (o *objectWriter) chunkOf(ctx context.Context, ext string, data []byte) error {
	switch found := look(data[:min(len(data), 4096)]); {
	case found.ID == domain.FormatRTF:
		return readRTF(ctx, o.w, data)
	case found.ID == domain.FormatDOCX:
		return readDOCX(ctx, o.w, data, o.files.left)
	case ext == ".mht" || ext == ".mhtml" || ext == ".eml":
		m, err := openMail(ctx, data, o.w.encoding)
		if err != nil {
			return err
		}
		return m.bodies(ctx, o.w)
	case found.ID == domain.FormatHTML, strings.Contains(ext, "htm"):
		page, err := decodeHTML(o.w, data)
		if err != nil {
			return err
		}
		return writeBody(ctx, o.w, page)
	case found.ID == domain.FormatText:
		return readText(ctx, o.w, data)
	}
	return domain.Errorf(domain.Unsupported, "A part of this document cannot be read.")
}

// A diagramReader reads the points of a diagram (SmartArt), and which lies under which.
type diagramReader struct {
	order []string // ids of points
	words map[string]string
	under map[string][]string
	child map[string]bool
	point string
	said  strings.Builder
	text  bool
	size  int
}

func (d *diagramReader) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		switch t.Name.Local {
		case "pt":
			d.point = attr(t, "modelId")
			d.said.Reset()
		case "t":
			d.text = t.Name.Space == "a"
		case "p", "br":
			d.said.WriteByte(' ')
		case "cxn":
			d.connect(attr(t, "type"), attr(t, "srcId"), attr(t, "destId"))
		}
	case xml.EndElement:
		switch t.Name.Local {
		case "t":
			d.text = false
		case "pt":
			d.end()
		}
	case xml.CharData:
		if d.size += len(t); d.text && d.size < maxToken {
			d.said.Write(t)
		}
	}
	return nil
}

func (d *diagramReader) connect(kind, from, to string) {
	if kind != "" && kind != "parOf" || len(d.child) == maxParts || d.child[to] {
		return
	}
	if d.under == nil {
		d.under, d.child = make(map[string][]string), make(map[string]bool)
	}
	d.under[from] = append(d.under[from], to)
	d.child[to] = true
}

func (d *diagramReader) end() {
	if d.words == nil {
		d.words = make(map[string]string)
	}
	if _, twice := d.words[d.point]; twice || len(d.order) == maxParts {
		return
	}
	d.words[d.point] = tidyLine(d.said.String())
	d.order = append(d.order, d.point)
}

// outline returns the points as a list in which what lies under a point stands below it.
func (d *diagramReader) outline() []string {
	var lines []string
	seen := make(map[string]bool)
	var add func(id string, depth int)
	add = func(id string, depth int) {
		if seen[id] || depth > 2*maxWithin+20 {
			return
		}
		seen[id] = true
		if words := d.words[id]; words != "" {
			lines = append(lines, listItem([]string{words}, "- ", min(depth, 8))...)
			depth++
		}
		for _, next := range d.under[id] {
			add(next, depth)
		}
	}
	for _, id := range d.order {
		if !d.child[id] {
			add(id, 0)
		}
	}
	for _, id := range d.order { // in circles, or too deep
		add(id, 0)
	}
	return lines
}
