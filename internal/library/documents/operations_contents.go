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

// OfPictures selects pictures of a document.
type OfPictures struct {
	One
	Number int `json:"picture" doc:"only the picture of this number, with its bytes: written to the standard output unless with --json"`
}

// A Picture is a picture of a document.
type Picture struct {
	domain.Picture
	Place string `json:"place,omitempty"` // set if the page number does not say it
	Text  string `json:"text,omitempty"`  // its words in the text of the document
	Link  string `json:"link"`            // to its place in the document
	File  []byte `json:"file,omitempty"`  // its bytes, if one picture was requested
}

// Pictures are the pictures of a document.
type Pictures struct {
	Document domain.Document
	Pictures []Picture

	one bool
}

// Array returns the pictures.
func (p Pictures) Array() any { return p.Pictures }

// pictures is the operation on the pictures of a document.
func pictures() operation.Operation[*Service] {
	return operation.Op[*Service, OfPictures, Pictures]{
		Name: "documents pictures", Short: "List the pictures of a document, or print one", Scope: operation.Read, Routes: []string{"GET /documents/{document}/pictures"},
		Tool: operation.Tool{Name: "read_pictures", Title: "Read pictures", Fields: "document",
			About: "List the pictures of a document: the page and the place of each, its caption, and what the file or a model says of it."},
		Long: `List the pictures of a document, given by name or id: figures of PDF, Word,
PowerPoint, web pages and e-books, and images themselves. --picture writes the bytes
of one, a PNG or a JPEG; with --json, they are in Base64 in the field file.`,
		Example: `  clew documents pictures manual.pdf
  clew documents pictures manual.pdf --picture 3 > pump.png
  clew documents pictures manual.pdf --json | jq -r '.[].caption'`,
		Do: (*Service).PicturesOf, Text: printPictures,
	}
}

// PicturesOf returns the pictures of a document. The error is NotFound for a picture that it does not have.
func (s *Service) PicturesOf(ctx context.Context, in OfPictures) (out Pictures, err error) {
	if out.Document, err = s.named(ctx, in.Name); err != nil {
		return out, err
	}
	found, err := s.Ledger.Pictures(ctx, out.Document.Workspace, out.Document.ID)
	if err != nil {
		return out, err
	}
	out.Pictures, out.one = []Picture{}, in.Number != 0
	if in.Number < 0 || in.Number > len(found) {
		return out, domain.Errorf(domain.NotFound, "%s has no picture %d. It has %s.", out.Document.Name, in.Number, domain.Counted(len(found), "picture", "pictures"))
	}
	var text domain.Text
	if len(found) > 0 {
		if _, text, err = s.Read(ctx, out.Document.Workspace, out.Document.ID); err != nil {
			return out, err
		}
	}
	for i, p := range found {
		if in.Number == 0 || in.Number == i+1 {
			out.Pictures = append(out.Pictures, Picture{Picture: p, Place: text.Place(p.At), Text: p.At.Slice(text.Content), Link: link.At(ctx, link.Passage(out.Document.ID, p.At))})
		}
	}
	if out.one {
		out.Pictures[0].File, err = s.Files.Read(ctx, out.Document.Workspace, out.Pictures[0].Hash)
	}
	return out, err
}

// Picture returns a picture of a document with a reader of its bytes. It fails with kind NotFound for an unknown one.
func (s *Service) Picture(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, number int) (p domain.Picture, file io.ReadSeekCloser, err error) {
	doc, err := s.Ledger.Document(ctx, w, id) // if the person may read it
	if err != nil {
		return p, nil, err
	}
	all, err := s.Ledger.Pictures(ctx, w, id)
	if err != nil {
		return p, nil, err
	}
	if number < 1 || number > len(all) {
		return p, nil, domain.Errorf(domain.NotFound, "%s has no picture %d.", doc.Name, number)
	}
	file, _, err = s.Files.Open(ctx, w, all[number-1].Hash)
	return all[number-1], file, err
}

func printPictures(w io.Writer, p Pictures) error {
	if p.one {
		_, err := w.Write(p.Pictures[0].File)
		return err
	}
	return operation.Table("PICTURE\tPIXELS\tWHERE\tCAPTION", fmt.Sprintf("%s has no pictures.", p.Document.Name), func(p Picture) []any {
		return []any{p.Number, fmt.Sprintf("%d × %d", p.Width, p.Height), strings.TrimPrefix(domain.Where("", p.Page, p.Place), ", "), domain.Cut(p.Says(), 80)}
	})(w, p.Pictures)
}

// OfTables says which tables of a document are wanted.
type OfTables struct {
	One
	Number int `json:"table" doc:"only the table of this number, as CSV unless with --json"`
}

// A Table is a table of a document.
type Table struct {
	Number  int           `json:"table"`           // from 1, in the order of the text
	Page    int           `json:"page,omitempty"`  // of its first row
	Place   string        `json:"place,omitempty"` // set if the page number does not say it
	Columns []string      `json:"columns"`
	Rows    [][]TableCell `json:"rows"`
	Link    string        `json:"link"`
	Heading string        `json:"-"` // of its section; "" if there is none
}

// A TableCell is a cell of a table.
type TableCell struct {
	Text  string   `json:"text"`
	Value *float64 `json:"value,omitempty"` // of the number in it
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
