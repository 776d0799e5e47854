// Package table arranges the points of a chart in rows and columns, for the table next to the picture
// and for the download. The page's script draws the picture from the same rows.
package table

import (
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/lang"
)

// A Table is a chart in rows and columns.
type Table struct {
	Columns []string // the first is the heading of the row names
	Rows    []Row
}

// A Row is one category, or one point of a scatter chart.
type Row struct {
	Head  string
	Cells []Cell // one per column after the first
}

// A Cell is one number with its point. A cell without a point is empty.
type Cell struct {
	Value float64
	Point *domain.Point
	Plain bool // belongs to the point's value, such as the X of a scatter chart: it has no source
}

// Of returns the table of a chart. Points outside the chart's categories are
// left out.
func Of(ctx context.Context, c domain.Chart) Table {
	if c.Type == domain.ChartScatter {
		return scatter(ctx, c)
	}
	t := Table{Columns: []string{or(c.X, lang.T(ctx, "Category"))}, Rows: make([]Row, len(c.Categories))}
	for _, s := range c.Series {
		t.Columns = append(t.Columns, or(s.Name, or(c.Y, lang.T(ctx, "Value"))))
	}
	for i, name := range c.Categories {
		t.Rows[i] = Row{Head: name, Cells: make([]Cell, len(c.Series))}
	}
	for column, s := range c.Series {
		for i, p := range s.Points {
			if p.Category >= 0 && p.Category < len(t.Rows) {
				t.Rows[p.Category].Cells[column] = Cell{Value: p.Value, Point: &s.Points[i]}
			}
		}
	}
	return t
}

// scatter returns a row per point: a scatter chart has no categories.
func scatter(ctx context.Context, c domain.Chart) Table {
	t := Table{Columns: []string{lang.T(ctx, "Series"), or(c.X, "X"), or(c.Y, "Y")}}
	for _, s := range c.Series {
		for i, p := range s.Points {
			t.Rows = append(t.Rows, Row{Head: or(s.Name, "–"), Cells: []Cell{
				{Value: p.X, Point: &s.Points[i], Plain: true}, {Value: p.Value, Point: &s.Points[i]},
			}})
		}
	}
	return t
}

func or(text, otherwise string) string {
	if text = strings.TrimSpace(text); text != "" {
		return text
	}
	return otherwise
}

// Plain formats a number for machines.
func Plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Number formats a number for people: with commas between thousands from 10,000
// on, so that a year stays a year.
func Number(v float64) string {
	text := strings.Replace(Plain(v), "-", "−", 1)
	if math.Abs(v) < 10_000 {
		return text
	}
	whole, rest, _ := strings.Cut(text, ".")
	if rest != "" {
		rest = "." + rest
	}
	sign, digits := "", whole
	if after, negative := strings.CutPrefix(whole, "−"); negative {
		sign, digits = "−", after
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return sign + b.String() + rest
}
