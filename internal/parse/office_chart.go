package parse

import (
	"encoding/xml"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

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
