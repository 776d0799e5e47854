package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/clewhq/clew/internal/domain"
)

// printFigure prints a chart as a table with one row per point, followed by the
// sources of its numbers.
func printFigure(w io.Writer, f domain.Figure) {
	if f.Chart == nil {
		fmt.Fprintf(w, "\nNo chart of %q: %s\n", f.Task, f.Problem)
		return
	}
	c := f.Chart
	fmt.Fprintf(w, "\n%s\n", c.Title)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range c.Series {
		for _, p := range s.Points {
			fmt.Fprintf(table, "  %s\n", strings.Join(figureRow(c, s, p), "\t"))
		}
	}
	_ = table.Flush() // errors would have shown up above
	for _, cited := range c.Citations {
		fmt.Fprintf(w, "  [%d] %s%s: “%s”\n", cited.N, cited.Document, pageOf(cited), domain.OneLine(cited.Text))
	}
}

// figureRow returns the cells of a point: series, category, value and source.
func figureRow(c *domain.Chart, s domain.Series, p domain.Point) []string {
	var row []string
	if len(c.Series) > 1 {
		row = append(row, s.Name)
	}
	if c.Type == domain.ChartScatter {
		row = append(row, inDigits(p.X))
	} else {
		row = append(row, c.Categories[p.Category])
	}
	value := inDigits(p.Value)
	if c.Unit != "" {
		value += " " + c.Unit
	}
	source := "counted in the graph"
	if p.Count == nil {
		source = fmt.Sprintf("[%d]", p.Citation)
	}
	return append(row, value, source)
}

func inDigits(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
