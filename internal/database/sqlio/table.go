package sqlio

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// A Row describes a row of a table: the name of each column, followed by a pointer
// to the field that holds it. A word after the name says how the column is used:
//
//	key      identifies the row, and stays as it is
//	fixed    stays as it is
//	written  is not read; a value stands in place of the pointer (also after key)
//
// Times are stored as Millis, booleans as 0 and 1, and structures, lists and maps
// as JSON.
type Row []any

// cells calls f with each column and what it is used for.
func (r Row) cells(f func(name, use string, at any)) {
	for i := 0; i < len(r); i += 2 {
		name, use, _ := strings.Cut(r[i].(string), " ")
		f(name, use, r[i+1])
	}
}

// A Table is a table of rows that are stored in values of type T.
type Table[T any] struct {
	Name string
	Row  func(*T) Row
}

// Columns returns the columns that Scan reads, of the table with an alias, which
// may be "".
func (t Table[T]) Columns(alias string) string {
	if alias != "" {
		alias += "."
	}
	var names []string
	t.Row(new(T)).cells(func(name, use string, _ any) {
		if !strings.Contains(use, "written") {
			names = append(names, alias+name)
		}
	})
	return strings.Join(names, ", ")
}

// Select returns a statement that reads all rows, to be followed by conditions.
func (t Table[T]) Select() string { return "SELECT " + t.Columns("") + " FROM " + t.Name + " " }

// Fields returns where Scan puts the columns of a row.
func (t Table[T]) Fields(v *T) []any {
	row := t.Row(v)
	to := make([]any, 0, len(row)/2)
	row.cells(func(_, use string, at any) {
		if !strings.Contains(use, "written") {
			to = append(to, target(at))
		}
	})
	return to
}

// Scan reads a row of Columns.
func (t Table[T]) Scan(rows *sql.Rows) (v T, err error) {
	return v, rows.Scan(t.Fields(&v)...)
}

// List returns the rows that conditions select.
func (t Table[T]) List(ctx context.Context, q Querier, conditions string, args ...any) ([]T, error) {
	return Collect(ctx, q, t.Scan, t.Select()+conditions, args...)
}

// First returns the first row that conditions select, and whether there is one.
func (t Table[T]) First(ctx context.Context, q Querier, conditions string, args ...any) (v T, found bool, err error) {
	all, err := t.List(ctx, q, conditions, args...)
	if len(all) == 0 {
		return v, false, err
	}
	return all[0], true, nil
}

// Values returns all columns of a row with their values.
func (t Table[T]) Values(v *T) (names []string, values []any) {
	t.Row(v).cells(func(name, _ string, at any) {
		names, values = append(names, name), append(values, value(at))
	})
	return names, values
}

// Insert adds a row unless there is one with its key, and reports whether it did.
func (t Table[T]) Insert(ctx context.Context, x Execer, v *T) (fresh bool, err error) {
	names, values := t.Values(v)
	return Changed(x.ExecContext(ctx, "INSERT INTO "+t.Name+" ("+strings.Join(names, ", ")+") VALUES ("+Marks(len(names))+") ON CONFLICT DO NOTHING", values...))
}

// Put adds a row, or replaces the one with its key.
func (t Table[T]) Put(ctx context.Context, x Execer, v *T) error {
	names, values := t.Values(v)
	var keys, set []string
	t.Row(v).cells(func(name, use string, _ any) {
		if strings.HasPrefix(use, "key") {
			keys = append(keys, name)
		} else if use != "fixed" {
			set = append(set, name+" = excluded."+name)
		}
	})
	_, err := x.ExecContext(ctx, "INSERT INTO "+t.Name+" ("+strings.Join(names, ", ")+") VALUES ("+Marks(len(names))+")"+
		" ON CONFLICT ("+strings.Join(keys, ", ")+") DO UPDATE SET "+strings.Join(set, ", "), values...)
	return err
}

// InsertAll adds rows in batches. The suffix follows their values. A batch is not
// interrupted: to be able to would cost as much.
func (t Table[T]) InsertAll(ctx context.Context, x Execer, all []T, suffix string) error {
	rows := make([][]any, len(all))
	var names []string
	for i := range all {
		names, rows[i] = t.Values(&all[i])
	}
	return InsertRows(ctx, x, "INSERT INTO "+t.Name+" ("+strings.Join(names, ", ")+")", rows, suffix)
}

// Update writes the columns in which v differs from the stored row, except keys and fixed columns. Each column that is
// set costs writing its indexes.
func (t Table[T]) Update(ctx context.Context, x Execer, stored, v *T) error {
	var columns []string
	names, before := t.Values(stored)
	t.Row(v).cells(func(name, use string, at any) {
		if use != "fixed" && !strings.HasPrefix(use, "key") && !reflect.DeepEqual(value(at), before[slices.Index(names, name)]) {
			columns = append(columns, name)
		}
	})
	if len(columns) == 0 {
		return nil
	}
	_, err := t.Set(ctx, x, stored, v, columns...)
	return err
}

// Set updates columns of the row with the key of other to their values in v.
func (t Table[T]) Set(ctx context.Context, x Execer, other, v *T, columns ...string) (sql.Result, error) {
	var where []string
	var args, keys []any
	names, values := t.Values(v)
	for _, c := range columns {
		args = append(args, values[slices.Index(names, c)])
	}
	t.Row(other).cells(func(name, use string, at any) {
		if strings.HasPrefix(use, "key") {
			where, keys = append(where, name+" = ?"), append(keys, value(at))
		}
	})
	return x.ExecContext(ctx, "UPDATE "+t.Name+" SET "+strings.Join(columns, " = ?, ")+" = ? WHERE "+strings.Join(where, " AND "), append(args, keys...)...)
}

// InsertRows adds rows in batches. The prefix names table and columns, the suffix
// follows the values.
func InsertRows(ctx context.Context, x Execer, prefix string, rows [][]any, suffix string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	for part := range slices.Chunk(rows, 50) {
		one := "(" + Marks(len(part[0])) + "),"
		values := strings.TrimSuffix(strings.Repeat(one, len(part)), ",")
		if _, err := x.ExecContext(ctx, prefix+" VALUES "+values+" "+suffix, slices.Concat(part...)...); err != nil {
			return err
		}
	}
	return nil
}

// To returns the destinations for scanning a row into fields stored as a Row describes.
func To(fields ...any) []any {
	for i, f := range fields {
		fields[i] = target(f)
	}
	return fields
}

// target returns where the column of a field is scanned.
func target(at any) any {
	switch p := at.(type) {
	case *time.Time:
		return instant{p}
	case *json.RawMessage:
		return (*[]byte)(p)
	case *[]byte, sql.Scanner:
		return p
	}
	if asJSON(reflect.TypeOf(at).Elem()) {
		return JSON(at)
	}
	return at
}

// value returns the value of a column: of the field that at points to, or at itself.
func value(at any) any {
	switch p := at.(type) {
	case *time.Time:
		return Millis(*p)
	case *json.RawMessage:
		return string(*p)
	}
	v := reflect.ValueOf(at)
	if v.Kind() != reflect.Pointer {
		return at
	}
	v = v.Elem()
	if own, ok := reflect.TypeAssert[driver.Valuer](v); ok {
		return own
	}
	switch kind := v.Kind(); {
	case asJSON(v.Type()):
		return encoded(v.Interface())
	case kind == reflect.Bool && v.Bool():
		return 1
	case kind == reflect.Bool:
		return 0
	case kind == reflect.String:
		return v.String()
	case v.CanInt():
		return v.Int()
	}
	return v.Interface()
}

func asJSON(t reflect.Type) bool {
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Map || t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8
}

// encoded returns a value as JSON, or as an argument whose error the statement
// returns.
func encoded(v any) any {
	s, err := json.Marshal(v)
	if err != nil {
		return jsonColumn{v}
	}
	return string(s)
}

// JSON returns a value as a JSON column: a value as an argument, a pointer to one in
// a scan.
func JSON(v any) interface {
	driver.Valuer
	sql.Scanner
} {
	return jsonColumn{v}
}

type jsonColumn struct{ v any }

// Value encodes the value.
func (c jsonColumn) Value() (driver.Value, error) {
	b, err := json.Marshal(c.v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", c.v, err)
	}
	return string(b), nil
}

// Scan decodes src.
func (c jsonColumn) Scan(src any) error {
	s, ok := src.(string)
	if !ok {
		return fmt.Errorf("a JSON column holds %T", src)
	}
	return json.Unmarshal([]byte(s), c.v)
}

// instant scans a time column.
type instant struct{ into *time.Time }

// Scan converts src.
func (i instant) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("a time column holds %T", src)
	}
	*i.into = Time(n)
	return nil
}
