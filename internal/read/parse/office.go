package parse

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse/script"
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

// The bounds of a chart.
const (
	maxSeries = 200
	maxPoints = 10_000
)

// A chartReader reads a chart (DrawingML): its title, and its series as columns of a table.
type chartReader struct {
	title   string
	series  []chartSeries
	path    []string // names of the open elements
	said    strings.Builder
	index   int
	format  string // of numbers
	heading string // the reference of the title
}

type chartSeries struct {
	name   string
	labels map[int]string
	values map[int]string
	refs   map[string]string // of the name, the labels and the values, where figures come from
}

func (c *chartReader) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		c.path = append(c.path, t.Name.Local)
		c.start(t)
	case xml.EndElement:
		c.end(t.Name.Local)
		if n := len(c.path); n > 0 {
			c.path = c.path[:n-1]
		}
	case xml.CharData:
		if c.said.Len() < maxToken {
			c.said.Write(t)
		}
	}
	return nil
}

func (c *chartReader) start(t xml.StartElement) {
	switch t.Name.Local {
	case "ser", "data": // the second is that of newer charts, whose series come after
		if len(c.series) < maxSeries {
			c.series = append(c.series, chartSeries{labels: map[int]string{}, values: map[int]string{}, refs: map[string]string{}})
		}
	case "pt":
		c.index, _ = strconv.Atoi(attr(t, "idx"))
		if f := attr(t, "formatCode"); f != "" {
			c.format = f
		}
		c.said.Reset()
	case "numCache", "numRef", "numDim":
		c.format = ""
	case "v", "t", "formatCode", "f":
		c.said.Reset()
	}
}

// within reports whether one of the elements is open.
func (c *chartReader) within(names ...string) bool {
	for _, open := range c.path {
		if slices.Contains(names, open) {
			return true
		}
	}
	return false
}

func (c *chartReader) end(name string) {
	said := tidyLine(c.said.String())
	switch name {
	case "formatCode":
		c.format = said
	case "f":
		c.refer(said)
	case "t":
		if c.within("title") && !c.within("valAx", "catAx", "dateAx", "serAx", "axis") {
			c.title += c.said.String()
		}
	case "v":
		if c.within("tx") && !c.within("dLbls") {
			c.nameSeries(said)
		} else if c.within("pt") {
			c.point(said)
		}
		c.said.Reset()
	case "pt":
		if said != "" && c.within("strDim", "numDim") {
			c.point(said)
		}
	}
}

// refer keeps the reference to cells that the file may have no copy of.
func (c *chartReader) refer(ref string) {
	switch n := len(c.series); {
	case c.within("dLbls"):
	case n == 0 && c.within("title"):
		c.heading = ref
	case n == 0 || !c.within("ser"):
	case c.within("tx"):
		c.series[n-1].refs["name"] = ref
	case c.within("cat", "xVal"):
		c.series[n-1].refs["labels"] = ref
	case c.within("val", "yVal"):
		c.series[n-1].refs["values"] = ref
	}
}

// look fills in what the chart has no copy of from the cells of its workbook.
func (c *chartReader) look(book *excelize.File) {
	if cells := referredCells(book, c.heading); c.title == "" && len(cells) > 0 {
		c.title = strings.Join(cells, " ")
	}
	for i := range c.series {
		s := &c.series[i]
		if s.name == "" {
			s.name = tidyLine(strings.Join(referredCells(book, s.refs["name"]), " "))
		}
		for to, ref := range map[*map[int]string]string{&s.labels: s.refs["labels"], &s.values: s.refs["values"]} {
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

// lacks reports whether the chart refers to figures that are not in it.
func (c *chartReader) lacks() bool {
	return slices.ContainsFunc(c.series, func(s chartSeries) bool { return len(s.values) == 0 && s.refs["values"] != "" })
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

// nameSeries names the series that is read, or of newer charts the first without a name.
func (c *chartReader) nameSeries(name string) {
	if c.within("ser") && len(c.series) > 0 {
		c.series[len(c.series)-1].name = name
		return
	}
	for i := range c.series {
		if c.series[i].name == "" {
			c.series[i].name = name
			return
		}
	}
}

func (c *chartReader) point(value string) {
	if len(c.series) == 0 || c.index < 0 || c.index >= maxPoints {
		return
	}
	s := c.series[len(c.series)-1]
	switch {
	case c.within("cat", "xVal", "strDim"):
		value = dayOf(value, c.format)
		if before := s.labels[c.index]; before != "" && c.within("lvl") {
			value += " " + before // an outer level of categories
		}
		s.labels[c.index] = value
	case c.within("val", "yVal", "numDim"):
		s.values[c.index] = plainFigure(value)
	case c.within("bubbleSize"):
		s.values[c.index] += " (" + plainFigure(value) + ")"
	}
}

// dayOf returns the day that a number of days stands for, if its format shows one.
func dayOf(value, format string) string {
	n, err := strconv.ParseFloat(value, 64)
	low := strings.ToLower(format)
	if err != nil || n < 1 || n > 2_958_465 || !strings.Contains(low, "y") && !strings.Contains(low, "mmm") {
		return value
	}
	return time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(n)).Format(time.DateOnly)
}

// plainFigure returns a number without the digits by which it is stored inexactly.
func plainFigure(s string) string {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || len(s) < 15 {
		return s
	}
	return strconv.FormatFloat(n, 'g', 12, 64)
}

// write adds the chart as a table: a row for each category, a column for each series.
func (c *chartReader) write(w *writer) {
	head, last := []string{"Category"}, -1
	for i, s := range c.series {
		name := s.name
		if name == "" {
			name = "Series " + strconv.Itoa(i+1)
		}
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
