package documents

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
)

// Resolved finds the fields that a filter names, unless that was done. It fails with kind Invalid for one that is not there.
func (s *Service) Resolved(ctx context.Context, w domain.WorkspaceID, f domain.DocumentFilter) (domain.DocumentFilter, error) {
	if f.Resolved() {
		return f, nil
	}
	fields, err := s.Ledger.Fields(ctx, w)
	if err != nil {
		return f, err
	}
	return f, f.Resolve(fields)
}

// Fields lists the fields of a workspace's documents by name.
func (s *Service) Fields(ctx context.Context, w domain.WorkspaceID) ([]domain.Field, error) {
	return s.Ledger.Fields(ctx, w)
}

// field returns a field by its name or id.
func (s *Service) field(ctx context.Context, name string) (domain.Field, error) {
	fields, err := s.Ledger.Fields(ctx, domain.WorkspaceOf(ctx))
	if err != nil {
		return domain.Field{}, err
	}
	return domain.FieldNamed(fields, name)
}

// ValuesOf returns the values of the fields of documents.
func (s *Service) ValuesOf(ctx context.Context, w domain.WorkspaceID, docs []domain.Document) (map[domain.DocumentID][]ledger.FieldValue, error) {
	return s.Ledger.FieldsOf(ctx, w, lists.Map(docs, func(d domain.Document) domain.DocumentID { return d.ID }))
}

// byName returns values by the names of their fields.
func byName(values []ledger.FieldValue) map[string][]string {
	if len(values) == 0 {
		return nil
	}
	return lists.Pairs(values, func(v ledger.FieldValue) (string, []string) { return v.Name, v.Values })
}

// mostFacets is how many values of a field are counted, the most frequent ones.
const mostFacets = 12

// Facets counts the documents that a filter selects by the values of their fields. A field that the filter narrows is counted as
// if it did not, so that its other values can be chosen too.
func (s *Service) Facets(ctx context.Context, w domain.WorkspaceID, f domain.DocumentFilter, holding []domain.DocumentID) (map[domain.FieldID][]ledger.FieldCount, error) {
	facets := map[domain.FieldID][]ledger.FieldCount{}
	count := func(f domain.DocumentFilter, only domain.FieldID) error {
		q := ledger.Filtered(f)
		q.Holding = holding
		counts, err := s.Ledger.CountFields(ctx, w, q, only, mostFacets)
		if only != "" {
			delete(facets, only)
		}
		for _, c := range counts {
			facets[c.Field] = append(facets[c.Field], c)
		}
		return err
	}
	err := count(f, "")
	for _, t := range f.Fields {
		wide := f
		wide.Fields = slices.DeleteFunc(slices.Clone(f.Fields), func(o domain.FieldTerm) bool { return o.Field == t.Field })
		err = cmp.Or(err, count(wide, t.Field))
	}
	return facets, err
}

// A RowProblem describes an error in a row of a list of values.
type RowProblem struct {
	Row  int    `json:"row"` // number as in a spreadsheet, in which row 1 names the columns
	Text string `json:"text"`
}

// A ValueList is a list of values for fields of documents, read from CSV.
type ValueList struct {
	Rows      int          `json:"rows"`
	Matched   int          `json:"matched"`         // rows whose document exists
	Fields    []string     `json:"fields"`          // of the columns
	Ignored   []string     `json:"ignored_columns"` // not named like any field
	Unmatched []RowProblem `json:"unmatched"`       // rows whose document does not exist
	Problems  []RowProblem `json:"problems"`        // values that can't be used

	sets []ledger.FieldSet
}

// nameColumns are the names of the column with the names of documents, unless another is given.
var nameColumns = []string{"file", "document", "filename", "file name", "name"}

// readList reads a list of values. The first row names the columns: one has the names of documents, the others are
// named after fields. An empty cell leaves a value unchanged.
func (s *Service) readList(ctx context.Context, text, column string) (list ValueList, err error) {
	w := domain.WorkspaceOf(ctx)
	text = strings.TrimPrefix(text, "\ufeff")
	rows := csv.NewReader(strings.NewReader(text))
	first, _, _ := strings.Cut(text, "\n")
	for _, separator := range ";\t" {
		if strings.Count(first, string(separator)) > strings.Count(first, string(rows.Comma)) {
			rows.Comma = separator
		}
	}
	head, err := rows.Read()
	if err != nil {
		return list, domain.Because(domain.Invalid, err, "The list can't be read: its first row has to name the columns, such as file,status,year.")
	}
	fields, err := s.Ledger.Fields(ctx, w)
	if err != nil {
		return list, err
	}
	at, of, err := list.columns(head, column, fields)
	if err != nil {
		return list, err
	}
	book, err := s.nameBook(ctx, w)
	if err != nil {
		return list, err
	}
	return list, list.read(rows, at, of, book.exactly())
}

// columns returns the column with the names of documents, and the fields of the other ones.
func (l *ValueList) columns(head []string, column string, fields []domain.Field) (at int, of map[int]domain.Field, err error) {
	names := nameColumns
	if column != "" {
		names = []string{strings.ToLower(domain.OneLine(column))}
	}
	at, of = -1, map[int]domain.Field{}
	for i, name := range head {
		if at < 0 && slices.Contains(names, strings.ToLower(domain.OneLine(name))) {
			at = i
		}
	}
	if at < 0 {
		return at, of, domain.Errorf(domain.Invalid, "No column is called %s. Call the column with the names of the documents so, or say which it is. The columns are %s.",
			strings.Join(names, " or "), domain.Cut(strings.Join(head, ", "), maxName))
	}
	for i, name := range head {
		f, err := domain.FieldNamed(fields, name)
		switch {
		case i == at:
		case err != nil:
			l.Ignored = append(l.Ignored, domain.Cut(domain.OneLine(name), domain.MaxFieldName))
		case slices.Contains(l.Fields, f.Name):
			return at, of, domain.Errorf(domain.Invalid, "Two columns are called %s. Leave one of them out.", f.Name)
		default:
			l.Fields, of[i] = append(l.Fields, f.Name), f
		}
	}
	if len(of) == 0 {
		_, err := domain.FieldNamed(fields, strings.Join(l.Ignored, ", "))
		return at, of, domain.Because(domain.Invalid, err, "No column is called like a field. %s", domain.InWords(err))
	}
	return at, of, nil
}

// read reads the rows below the names of the columns.
func (l *ValueList) read(rows *csv.Reader, at int, of map[int]domain.Field, find func(name string) (domain.DocumentID, error)) error {
	known := map[domain.DocumentID]int{}
	for number := 2; ; number++ {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return domain.Because(domain.Invalid, err, "Row %d can't be read: it has other columns than the first row, or a quotation mark too many. Nothing was changed.", number)
		}
		l.Rows++
		id, err := find(strings.TrimSpace(row[at]))
		if err != nil {
			l.Unmatched = append(l.Unmatched, RowProblem{number, domain.InWords(err)})
			continue
		}
		if before := known[id]; before > 0 {
			l.Problems = append(l.Problems, RowProblem{number, fmt.Sprintf("Row %d is about the same document. Leave one of them out.", before)})
			continue
		}
		l.Matched, known[id] = l.Matched+1, number
		for i, cell := range row {
			f, is := of[i]
			if !is {
				continue
			}
			values, err := f.Parse(cell)
			if err != nil {
				l.Problems = append(l.Problems, RowProblem{number, domain.InWords(err)})
			} else if len(values) > 0 {
				l.sets = append(l.sets, ledger.FieldSet{Document: id, Field: f, Values: values})
			}
		}
	}
}

// exactly returns a function like find that looks exact names up.
func (b nameBook) exactly() func(name string) (domain.DocumentID, error) {
	ids := map[string]domain.DocumentID{}
	for _, d := range b {
		if _, twice := ids[d.exact]; twice || d.VersionOf != "" {
			ids[d.exact] = ""
		} else {
			ids[d.exact] = d.ID
		}
	}
	return func(name string) (domain.DocumentID, error) {
		if id := ids[cleanName(name)]; id != "" {
			return id, nil
		}
		return b.find(name)
	}
}

// wrong returns an error about the values that can't be used, nil if there are none.
func (l ValueList) wrong() error {
	if len(l.Problems) == 0 {
		return nil
	}
	p, more := l.Problems[0], ""
	if n := len(l.Problems) - 1; n > 0 {
		more = fmt.Sprintf(" And %s more.", domain.Counted(n, "row needs a change", "rows need a change"))
	}
	return domain.Errorf(domain.Invalid, "Row %d: %s%s Nothing was changed.", p.Row, p.Text, more)
}

// String describes the changes that the list would make.
func (l ValueList) String() string {
	said := []string{fmt.Sprintf("%s of %s match documents; %s would be set.", domain.Thousands(l.Matched), domain.Counted(l.Rows, "row", "rows"), strings.Join(l.Fields, ", "))}
	if len(l.Ignored) > 0 {
		said = append(said, "These columns are called like no field and are left out: "+strings.Join(l.Ignored, ", ")+".")
	}
	for _, list := range [][]RowProblem{l.Unmatched, l.Problems} {
		for _, p := range list[:min(len(list), maxListed)] {
			said = append(said, fmt.Sprintf("Row %d: %s", p.Row, p.Text))
		}
		if more := len(list) - maxListed; more > 0 {
			said = append(said, fmt.Sprintf("And %s more.", domain.Counted(more, "row", "rows")))
		}
	}
	return strings.Join(said, "\n")
}

// writeValues writes documents with their fields as CSV, as readList reads it.
func (s *Service) writeValues(ctx context.Context, w io.Writer, q ledger.DocumentQuery) error {
	ws := domain.WorkspaceOf(ctx)
	fields, err := s.Ledger.Fields(ctx, ws)
	if err != nil {
		return err
	}
	docs, err := s.Ledger.ListDocuments(ctx, ws, q)
	if err != nil {
		return err
	}
	values, err := s.ValuesOf(ctx, ws, docs)
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	row := make([]string, len(fields)+1)
	row[0] = nameColumns[0]
	for i, f := range fields {
		row[i+1] = f.Name
	}
	err = out.Write(row)
	for _, d := range docs {
		clear(row)
		row[0] = d.Name
		for _, v := range values[d.ID] {
			at := slices.IndexFunc(fields, func(f domain.Field) bool { return f.ID == v.Field })
			row[at+1] = strings.Join(v.Values, "; ")
		}
		err = cmp.Or(err, out.Write(row))
	}
	out.Flush()
	return cmp.Or(err, out.Error())
}
