package parse

import (
	"encoding/xml"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The bounds of a chart.
const (
	maxSeries = 200
	maxPoints = 10_000
)

// A chartReader reads a chart (DrawingML): its title, and its series as columns of a table.
type chartReader struct {
	title  string
	series []chartSeries
	path   []string // names of the open elements
	said   strings.Builder
	index  int
	format string // of numbers
}

type chartSeries struct {
	name   string
	labels map[int]string
	values map[int]string
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
			c.series = append(c.series, chartSeries{labels: map[int]string{}, values: map[int]string{}})
		}
	case "pt":
		c.index, _ = strconv.Atoi(attr(t, "idx"))
		if f := attr(t, "formatCode"); f != "" {
			c.format = f
		}
		c.said.Reset()
	case "numCache", "numRef", "numDim":
		c.format = ""
	case "v", "t", "formatCode":
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
