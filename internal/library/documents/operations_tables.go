package documents

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/link"
)

// OfTables says which tables of a document are wanted.
type OfTables struct {
	One
	Number int `json:"table" doc:"only the table of this number, as CSV unless with --json"`
}

// A Table is a table of a document.
type Table struct {
	Number  int           `json:"table"`           // from 1, in the order of the text
	Page    int           `json:"page,omitempty"`  // of its first row
	Place   string        `json:"place,omitempty"` // where the number of a page does not say it
	Columns []string      `json:"columns"`
	Rows    [][]TableCell `json:"rows"`
	Link    string        `json:"link"`
	Heading string        `json:"-"` // that it stands under, if any
}

// A TableCell is a cell of a table.
type TableCell struct {
	Text  string   `json:"text"`
	Value *float64 `json:"value,omitempty"` // of the number that it holds
	Start int      `json:"start"`           // its first character in the text of the document
	End   int      `json:"end"`
}

// Tables are those of a document.
type Tables struct {
	Document domain.Document
	Tables   []Table

	one bool
}

// Array returns the tables.
func (t Tables) Array() any { return t.Tables }

// tables is the operation on the tables of a document.
func tables() operation.Operation[*Service] {
	return operation.Op[*Service, OfTables, Tables]{
		Name: "documents tables", Short: "List the tables of a document, or print one as CSV", Scope: operation.Read, Routes: []string{"GET /documents/{document}/tables"},
		Tool: operation.Tool{Name: "read_tables", Title: "Read tables", Fields: "document table",
			About: "Read the tables of a document: columns and rows of cells, with the number that a cell holds and its place in the text."},
		Long: `List the tables of a document, given by name or id: rows of its text with the
same number of cells below a row that names the columns. --table prints one as CSV;
with --json, cells have their numbers and their places in the text of the document.`,
		Example: `  clew documents tables accounts.xlsx
  clew documents tables accounts.xlsx --table 2 > accounts.csv
  clew documents tables accounts.xlsx --table 2 --json | jq '.[].rows[][0].text'`,
		Do: (*Service).TablesOf, Text: printTables,
	}
}

// TablesOf returns the tables of a document. The error is NotFound for a table that it does not have.
func (s *Service) TablesOf(ctx context.Context, in OfTables) (out Tables, err error) {
	if out.Document, err = s.named(ctx, in.Name); err != nil {
		return out, err
	}
	text, err := s.Ledger.Text(ctx, out.Document.Workspace, out.Document.ID)
	if err != nil {
		return out, err
	}
	out.Tables, out.one = []Table{}, in.Number != 0
	found := chart.Tables(text.Content, "")
	if in.Number < 0 || in.Number > len(found) {
		return out, domain.Errorf(domain.NotFound, "%s has no table %d. It has %s.", out.Document.Name, in.Number, domain.Counted(len(found), "table", "tables"))
	}
	for i, t := range found {
		if in.Number == 0 || in.Number == i+1 {
			out.Tables = append(out.Tables, tableOf(ctx, out.Document.ID, text, t, i+1))
		}
	}
	return out, nil
}

func tableOf(ctx context.Context, id domain.DocumentID, text domain.Text, t chart.Table, number int) Table {
	out := Table{
		Number: number, Page: text.PageOf(t.Rows[0].Span), Place: text.Place(t.Rows[0].Span), Link: link.At(ctx, link.Passage(id, t.Rows[0].Span)),
		Rows: make([][]TableCell, len(t.Rows)),
	}
	for _, h := range text.Headings {
		if h.Span.End <= t.Rows[0].Span.Start {
			out.Heading = h.Text
		}
	}
	for column, head := range t.Head {
		out.Columns = append(out.Columns, head.Text)
		values, known := t.Numbers(column)
		for i, row := range t.Rows {
			c := TableCell{Text: row.Cells[column].Text, Start: row.Cells[column].Span.Start, End: row.Cells[column].Span.End}
			if known[i] {
				c.Value = &values[i]
			}
			out.Rows[i] = append(out.Rows[i], c)
		}
	}
	return out
}

// CSV returns a table as comma-separated values.
func (t Table) CSV() ([]byte, error) {
	rows := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		for _, c := range row {
			rows[i] = append(rows[i], c.Text)
		}
	}
	return format.Sheet(t.Columns, rows)
}

func printTables(w io.Writer, t Tables) error {
	if t.one {
		content, err := t.Tables[0].CSV()
		if err == nil {
			_, err = w.Write(content)
		}
		return err
	}
	return operation.Table("TABLE\tROWS\tWHERE\tCOLUMNS", fmt.Sprintf("%s has no tables.", t.Document.Name), func(t Table) []any {
		return []any{t.Number, len(t.Rows), domain.Where("", t.Page, t.Place), strings.Join(t.Columns, ", ")}
	})(w, t.Tables)
}
