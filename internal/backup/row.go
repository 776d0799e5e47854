package backup

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
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
		case bool:
			values[i] = 0
			if v {
				values[i] = 1
			}
		case time.Time: // from a column that the driver considers a time
			values[i] = v.UTC().Format(time.RFC3339Nano)
		}
	}
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	return e.Encode(values)
}

// decodeRow decodes a line into arguments for the columns.
func decodeRow(line []byte, columns []Column) ([]any, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(line))
	if open, err := d.ReadToken(); err != nil || open.Kind() != '[' {
		return nil, damaged(err, "A row of the backup can't be read.")
	}
	values, n := make([]any, len(columns)), 0
	for ; d.PeekKind() != ']'; n++ {
		raw, err := d.ReadValue()
		if err != nil {
			return nil, damaged(err, "A row of the backup can't be read.")
		}
		if n >= len(columns) {
			continue
		}
		if values[n], err = decodeValue(raw, columns[n].Kind); err != nil {
			return nil, damaged(err, "A row of the backup holds what its column %s can't.", columns[n].Name)
		}
	}
	if n != len(columns) {
		return nil, damaged(nil, "A row of the backup has %d values where its table has %d columns.", n, len(columns))
	}
	if _, err := d.ReadToken(); err != nil { // the end of the list
		return nil, damaged(err, "A row of the backup can't be read.")
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, damaged(err, "A row of the backup can't be read.")
	}
	return values, nil
}

func decodeValue(raw jsontext.Value, k Kind) (any, error) {
	switch raw[0] {
	case 'n':
		return nil, nil
	case '"':
		s, err := jsontext.AppendUnquote(nil, raw)
		if k == Blob {
			return s, err
		}
		return string(s), err
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

func decodeNumber(raw jsontext.Value, k Kind) (any, error) {
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
	if k == Boolean {
		return n != 0, nil
	}
	return n, nil
}

// damaged returns an error about an archive that can't be trusted.
func damaged(cause error, format string, args ...any) error {
	return domain.Because(domain.Invalid, cause, format+" It is damaged or no backup of Clew: nothing was changed.", args...)
}
