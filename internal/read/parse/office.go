package parse

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/clewhq/clew/internal/domain"
)

// objects are the objects that a part of an Office file shows besides its text, by the ids under which the part refers
// to them, in order: charts, diagrams, pictures and parts of other formats.
type objects struct {
	ids  []string
	alt  string            // for the next picture
	alts map[string]string // of pictures by their ids
}

// maxObjects bounds the objects of a part.
const maxObjects = 2000

// note records the ids that an element refers to.
func (o *objects) note(e *element) {
	if len(o.ids) >= maxObjects {
		return
	}
	switch e.name {
	case "chart", "altChunk":
		o.ids = append(o.ids, e.relation())
	case "relIds":
		o.ids = append(o.ids, e.attr("dm"))
	case "docPr":
		o.alt = e.attr("descr")
	case "cNvPr":
		o.alt = cmp.Or(e.attr("descr"), o.alt)
	case "sp", "graphicFrame":
		o.alt = ""
	case "blip":
		o.notePicture(e.attr("embed"))
	case "imagedata": // as Word 2003 wrote it
		o.alt = cmp.Or(o.alt, e.attr("title"))
		o.notePicture(e.relation())
	}
}

// notePicture records the id of a picture with its alternative text.
func (o *objects) notePicture(id string) {
	if o.alts == nil {
		o.alts = map[string]string{}
	}
	o.ids, o.alts[id], o.alt = append(o.ids, id), cmp.Or(o.alt, o.alts[id]), ""
}

// An objectWriter adds the objects that a part refers to.
type objectWriter struct {
	w       *writer
	files   *zipPackage
	related map[string]relation
	book    *excelize.File // the part's workbook; nil in other files
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
		w.warn(fmt.Sprintf("Files embedded in this %s were left out: %s. Add them separately to have them read.", files.kind, strings.Join(embedded[:min(len(embedded), 10)], ", ")))
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
			err = o.chart(ctx, r.part)
		case "diagramData":
			var root *element
			if root, err = o.files.tree(ctx, r.part); err == nil {
				o.w.lines(diagramIn(root).outline())
			}
		case "aFChunk":
			err = o.chunk(ctx, r.part)
		case "image":
			o.picture(r.part, noted.alts[id])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// picture adds a picture.
func (o *objectWriter) picture(part, alt string) {
	o.w.shows(o.files.picture(part), alt)
}

// chart adds a chart. Figures that it has no copy of are looked up in its workbook.
func (o *objectWriter) chart(ctx context.Context, part string) error {
	root, err := o.files.tree(ctx, part)
	if err != nil {
		return err
	}
	c := chartIn(root)
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
		o.w.warn(fmt.Sprintf("The values of a chart in this %s are not in the file and were left out.", o.files.kind))
	}
	c.write(o.w)
	return nil
}

// workbook returns the workbook of a chart: the one that contains it, or the one within the file that it refers to, or
// nil if none can be read. The caller calls done at the end.
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

// openBook opens a workbook within the file, or nil if it can't be read.
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
		shapes := newSlideReader(w)
		if err := shapes.read(ctx, files, r.part); err != nil {
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
		o.w.warn("Deeply nested parts were left out.")
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
		return newMarkupFilter(ctx, page).write(o.w)
	case found.ID == domain.FormatText:
		return readText(ctx, o.w, data)
	}
	return domain.Errorf(domain.Unsupported, "A part of this document can't be read.")
}

// A diagram holds the points of a diagram (SmartArt) and their hierarchy.
type diagram struct {
	order []string // ids of points
	words map[string]string
	under map[string][]string
	child map[string]bool
}

func diagramIn(root *element) *diagram {
	d := &diagram{words: map[string]string{}, under: map[string][]string{}, child: map[string]bool{}}
	root.walk(func(e *element) bool {
		switch e.name {
		case "pt":
			if _, twice := d.words[e.attr("modelId")]; !twice && len(d.order) < maxParts {
				d.words[e.attr("modelId")] = tidyLine(drawnWords(e))
				d.order = append(d.order, e.attr("modelId"))
			}
		case "cxn":
			from, to := e.attr("srcId"), e.attr("destId")
			if kind := e.attr("type"); (kind == "" || kind == "parOf") && len(d.child) < maxParts && !d.child[to] {
				d.under[from] = append(d.under[from], to)
				d.child[to] = true
			}
		}
		return true
	})
	return d
}

// drawnWords returns the words in an element of a drawing.
func drawnWords(e *element) string {
	var b strings.Builder
	e.walk(func(e *element) bool {
		switch {
		case e.is("a", "t"):
			b.WriteString(e.words())
			return false
		case e.name == "p", e.name == "br":
			b.WriteByte(' ')
		}
		return true
	})
	return b.String()
}

// outline returns the points as a list, each followed by the points below it.
func (d *diagram) outline() []string {
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
	for _, id := range d.order { // circular, or too deep
		add(id, 0)
	}
	return lines
}

// The bounds of a chart.
const (
	maxSeries = 200
	maxPoints = 10_000
)

// A chart (DrawingML) is a title, and series as columns of a table.
type chart struct {
	title   string
	series  []chartSeries
	heading string // the reference of the title
}

type chartSeries struct {
	name           string
	labels, values map[int]string
	refs           [3]string // of the name, the labels and the values: sources of the figures
}

func chartIn(root *element) *chart {
	c := &chart{}
	root.walk(func(e *element) bool {
		switch e.name {
		case "valAx", "catAx", "dateAx", "serAx", "axis":
			return false
		case "title":
			c.title += drawnWords(e)
			c.heading = cmp.Or(c.heading, referenceIn(e))
		case "ser", "data": // the latter in newer charts, followed by their series
			if len(c.series) < maxSeries {
				c.series = append(c.series, seriesIn(e))
			}
		case "series":
			c.nameSeries(e)
		}
		return e.name != "title" && e.name != "ser"
	})
	return c
}

// nameSeries names the first data without a name: newer charts put the data before their series.
func (c *chart) nameSeries(e *element) {
	name := e.kid("tx").find("v")
	for i := range c.series {
		if c.series[i].name == "" && name.name != "" {
			c.series[i].name = tidyLine(name.words())
			return
		}
	}
}

// referenceIn returns the reference to cells in an element, or "" if there is none.
func referenceIn(e *element) string { return tidyLine(e.find("f").words()) }

// seriesIn reads a series.
func seriesIn(e *element) chartSeries {
	s := chartSeries{labels: map[int]string{}, values: map[int]string{}}
	for _, kid := range e.kids {
		switch kid.name {
		case "tx":
			s.name, s.refs[0] = tidyLine(kid.find("v").words()), referenceIn(kid)
		case "cat", "xVal", "strDim":
			s.refs[1] = referenceIn(kid)
			pointsIn(kid, func(at int, value, format string) {
				value = dayOf(value, format)
				if before := s.labels[at]; before != "" {
					value += " " + before // an outer level of categories
				}
				s.labels[at] = value
			})
		case "val", "yVal", "numDim":
			s.refs[2] = referenceIn(kid)
			pointsIn(kid, func(at int, value, _ string) { s.values[at] = plainFigure(value) })
		case "bubbleSize":
			pointsIn(kid, func(at int, value, _ string) { s.values[at] += " (" + plainFigure(value) + ")" })
		}
	}
	return s
}

// pointsIn calls f for the points in an element, with the format of their numbers.
func pointsIn(e *element, f func(at int, value, format string)) {
	format := ""
	e.walk(func(e *element) bool {
		switch e.name {
		case "formatCode":
			format = tidyLine(e.words())
		case "pt":
			format = cmp.Or(e.attr("formatCode"), format)
			if at, value := e.int("idx", 0), tidyLine(e.words()); at >= 0 && at < maxPoints && value != "" {
				f(at, value, format)
			}
			return false
		}
		return true
	})
}

// look fills in values missing in the chart from the cells of its workbook.
func (c *chart) look(book *excelize.File) {
	if cells := referredCells(book, c.heading); c.title == "" && len(cells) > 0 {
		c.title = strings.Join(cells, " ")
	}
	for i := range c.series {
		s := &c.series[i]
		if s.name == "" {
			s.name = tidyLine(strings.Join(referredCells(book, s.refs[0]), " "))
		}
		for to, ref := range map[*map[int]string]string{&s.labels: s.refs[1], &s.values: s.refs[2]} {
			if len(*to) > 0 {
				continue
			}
			for at, cell := range referredCells(book, ref) {
				if cell != "" {
					(*to)[at] = cell
				}
			}
		}
	}
}

// lacks reports whether the chart refers to values that are not in it.
func (c *chart) lacks() bool {
	return slices.ContainsFunc(c.series, func(s chartSeries) bool { return len(s.values) == 0 && s.refs[2] != "" })
}

// referredCells returns the values of the cells that a reference names, such as Sheet1!$B$2:$B$9.
func referredCells(book *excelize.File, ref string) []string {
	at := strings.LastIndexByte(ref, '!')
	if at < 0 || strings.Contains(ref, "[") {
		return nil
	}
	sheet := strings.ReplaceAll(strings.Trim(ref[:at], "'"), "''", "'")
	from, to, isRange := strings.Cut(strings.ReplaceAll(ref[at+1:], "$", ""), ":")
	if !isRange {
		to = from
	}
	left, top, err := excelize.CellNameToCoordinates(from)
	right, bottom, errTo := excelize.CellNameToCoordinates(to)
	if err != nil || errTo != nil || right < left || bottom < top || (right-left+1)*(bottom-top+1) > maxPoints {
		return nil
	}
	var cells []string
	for column := left; column <= right; column++ {
		for row := top; row <= bottom; row++ {
			name, err := excelize.CoordinatesToCellName(column, row)
			if err != nil {
				return nil
			}
			value, err := book.GetCellValue(sheet, name)
			if err != nil {
				return nil
			}
			cells = append(cells, tidyLine(value))
		}
	}
	return cells
}

// dayOf returns the date for a number of days, if its format shows one.
func dayOf(value, format string) string {
	n, err := strconv.ParseFloat(value, 64)
	low := strings.ToLower(format)
	if err != nil || n < 1 || n > 2_958_465 || !strings.Contains(low, "y") && !strings.Contains(low, "mmm") {
		return value
	}
	return time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(n)).Format(time.DateOnly)
}

// plainFigure returns a number without binary rounding noise.
func plainFigure(s string) string {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || len(s) < 15 {
		return s
	}
	return strconv.FormatFloat(n, 'g', 12, 64)
}

// write adds the chart as a table: a row for each category, a column for each series.
func (c *chart) write(w *writer) {
	head, last := []string{"Category"}, -1
	for i, s := range c.series {
		name := cmp.Or(s.name, "Series "+strconv.Itoa(i+1))
		head = append(head, name)
		for at := range s.values {
			last = max(last, at)
		}
		for at := range s.labels {
			last = max(last, at)
		}
	}
	rows := []string{tableRow(head)}
	for at := 0; at <= last; at++ {
		row, filled := []string{strconv.Itoa(at + 1)}, false
		for _, s := range c.series {
			if label := s.labels[at]; label != "" && !filled {
				row[0], filled = label, true
			}
		}
		for _, s := range c.series {
			row = append(row, s.values[at])
			filled = filled || s.values[at] != ""
		}
		if filled {
			rows = append(rows, tableRow(row))
		}
	}
	if c.title != "" {
		w.paragraph("Chart: " + c.title)
	}
	if len(rows) > 1 {
		w.lines(rows)
	}
}
