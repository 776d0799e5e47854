package backup

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/clewhq/clew/internal/domain"
)

// A row is a JSON array of numbers, strings and nulls. Bytes are an object with a
// member b, strings that JSON can't hold one with a member s, both in base64.
type (
	bytesValue struct {
		B []byte `json:"b"`
	}
	stringValue struct {
		S []byte `json:"s"`
	}
)

// encodeRow appends the scanned values of a row as one line.
func encodeRow(to *bytes.Buffer, values []any) error {
	for i, v := range values {
		switch v := v.(type) {
		case []byte:
			values[i] = bytesValue{v}
		case string:
			if !utf8.ValidString(v) || strings.IndexByte(v, 0) >= 0 {
				values[i] = stringValue{[]byte(v)}
			}
		case time.Time: // from a column that the driver treats as a time
			values[i] = v.UTC().Format(time.RFC3339Nano)
		}
	}
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	return e.Encode(values)
}

// A decoder decodes rows, with the memory that the first ones took.
type decoder struct{ unquoted []byte }

// row decodes a line into arguments for the columns. It takes a row apart itself:
// there are millions, and a JSON decoder costs more to begin than most of them to
// read.
func (d *decoder) row(line []byte, columns []Column) ([]any, error) {
	if len(line) == 0 || line[0] != '[' {
		return nil, damaged(nil, "A row of the backup can't be read.")
	}
	values, n := make([]any, len(columns)), 0
	for rest := line[1:]; ; n++ {
		raw, after := cutValue(rest)
		if len(raw) == 0 || len(after) == 0 {
			return nil, damaged(nil, "A row of the backup can't be read.")
		}
		if n < len(columns) {
			var err error
			if values[n], err = d.value(raw, columns[n].Kind); err != nil {
				return nil, damaged(err, "A row of the backup has a value that its column %s can't hold.", columns[n].Name)
			}
		}
		if after[0] == ',' {
			rest = after[1:]
			continue
		}
		if n++; n != len(columns) {
			return nil, damaged(nil, "A row of the backup has %d values where its table has %d columns.", n, len(columns))
		}
		if string(after) != "]" {
			return nil, damaged(nil, "A row of the backup can't be read.")
		}
		return values, nil
	}
}

// cutValue cuts the text of the first value of a list from what follows it, which
// begins with a comma or the list's end. Nothing follows a list that is cut off. It
// looks only for the end: whether the text is a value, its decoder finds out.
func cutValue(list []byte) (raw, rest []byte) {
	list = bytes.TrimLeft(list, " \t")
	if len(list) == 0 {
		return nil, nil
	}
	var end int
	switch list[0] {
	case '"':
		end = quoteEnd(list)
	case '{': // values contain no nested objects
		end = bytes.IndexByte(list, '}') + 1
	default:
		end = bytes.IndexAny(list, ",] \t")
	}
	if end <= 0 {
		return nil, nil
	}
	return list[:end], bytes.TrimLeft(list[end:], " \t")
}

// quoteEnd returns the index behind the string with which text begins, or 0.
func quoteEnd(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return 0
}

func (d *decoder) value(raw []byte, k Kind) (v any, err error) {
	switch raw[0] {
	case 'n':
		if string(raw) != "null" {
			return nil, errNoValue
		}
		return nil, nil
	case '"':
		if d.unquoted, err = jsontext.AppendUnquote(d.unquoted[:0], raw); err != nil {
			return nil, err
		}
		if k == Blob {
			return append([]byte{}, d.unquoted...), nil
		}
		return string(d.unquoted), nil
	case '{':
		var v struct{ B, S []byte }
		err := json.Unmarshal(raw, &v)
		if v.B == nil && v.S != nil {
			return string(v.S), err
		}
		return append([]byte{}, v.B...), err
	}
	return decodeNumber(raw, k)
}

var errNoValue = errors.New("it is no value")

func decodeNumber(raw []byte, k Kind) (any, error) {
	if k == Real {
		var f float64
		err := json.Unmarshal(raw, &f)
		return f, err
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		var f float64 // SQLite allows fractions in any column
		err := json.Unmarshal(raw, &f)
		return f, err
	}
	return n, nil
}

// damaged returns an error about an archive that can't be trusted.
func damaged(cause error, format string, args ...any) error {
	return domain.Because(domain.Invalid, cause, format+" It is damaged, or not a backup of Clew. Nothing was changed.", args...)
}
