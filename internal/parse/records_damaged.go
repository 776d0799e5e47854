package parse

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// maxBadLines is the most damaged lines that are warned about by their numbers.
const maxBadLines = 20

// linewise reads JSON Lines, a record a line. A line that is damaged costs nothing but itself.
func (r *recordReader) linewise(s string) error {
	bad, good := 0, 0
	number := 0
	for line := range strings.SplitSeq(s, "\n") {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line == "[" || line == "]" { // a list of records that is damaged
			continue
		}
		values, cause := valuesOf(line)
		if cause != nil {
			if bad++; bad <= maxBadLines {
				r.w.warn(fmt.Sprintf("Line %d is no JSON and was left out: %s.", number, plainCause(cause)))
			}
			continue
		}
		good++
		for _, value := range values {
			if err := r.line(value); err != nil {
				return err
			}
		}
	}
	if bad > maxBadLines {
		r.w.warn(fmt.Sprintf("%s more are no JSON and were left out.", domain.Counted(bad-maxBadLines, "line", "lines")))
	}
	if good == 0 {
		return domain.Errorf(domain.Invalid, "No line of this file is JSON. A file of JSON Lines has one object a line, with its names and words in double quotes.")
	}
	return nil
}

// line writes a value that fills a line as a record.
func (r *recordReader) line(value string) error {
	r.d = json.NewDecoder(strings.NewReader(value))
	r.d.UseNumber()
	token, err := r.d.Token()
	if err != nil {
		return err
	}
	var fields []field
	if err := r.value(token, "", 0, &fields); err != nil {
		return err
	}
	return r.write(fields)
}

// valuesOf returns the values in a line: one, or several that nothing parts. The line may begin
// or end a list that is damaged elsewhere. The cause says why it can't be read.
func valuesOf(line string) (values []string, cause error) {
	data := plainNumbers(strings.TrimSuffix(line, ","))
	for _, s := range []string{data, strings.TrimPrefix(data, "["), strings.TrimSuffix(data, "]")} {
		if values, err := sequence(s); err == nil {
			return values, nil
		} else if cause == nil {
			cause = err
		}
	}
	return nil, cause
}

// sequence returns values that stand one after the other.
func sequence(s string) ([]string, error) {
	var values []string
	d := json.NewDecoder(strings.NewReader(s))
	for {
		var value json.RawMessage
		err := d.Decode(&value)
		switch {
		case errors.Is(err, io.EOF) && len(values) > 0:
			return values, nil
		case err != nil:
			return nil, err
		case len(values) > 0 && value[0] != '{':
			return nil, fmt.Errorf("invalid character %q after top-level value", value[0])
		}
		values = append(values, string(value))
	}
}

// plainNumbers replaces NaN and the infinities, which programs write though JSON has no such
// numbers, by null, escapes tabs and the like in words, and leaves out commas before the end of a
// list or an object.
func plainNumbers(s string) string {
	if json.Valid([]byte(s)) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	quoted := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quoted && c == '\\' && i+1 < len(s):
			b.WriteByte(c)
			i++
			b.WriteByte(s[i])
			continue
		case c == '"':
			quoted = !quoted
		case quoted && c < ' ':
			fmt.Fprintf(&b, "\\u%04x", c)
			continue
		case quoted:
		case c == ',' && endsAfter(s[i+1:]):
			continue
		default:
			if word := noNumber(s[i:]); word != "" {
				b.WriteString("null")
				i += len(word) - 1
				continue
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}

// endsAfter reports whether a list or an object ends with what follows a comma.
func endsAfter(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	return strings.HasPrefix(rest, "]") || strings.HasPrefix(rest, "}")
}

// noNumber returns the word for something that is no number with which s begins, or "".
func noNumber(s string) string {
	for _, word := range []string{"NaN", "Infinity", "-Infinity", "+Infinity", "-NaN", "nan", "inf", "-inf", "undefined"} {
		if rest, ok := strings.CutPrefix(s, word); ok && (rest == "" || strings.ContainsAny(rest[:1], ",]} \t\r\n")) {
			return word
		}
	}
	return ""
}
