package parse

import (
	"encoding/json"
	"fmt"
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
		fields, cause, err := r.line(line)
		if err != nil {
			return err
		}
		if cause != nil {
			if bad++; bad <= maxBadLines {
				r.w.warn(fmt.Sprintf("Line %d is no JSON and was left out: %s.", number, plainCause(cause)))
			}
			continue
		}
		good++
		if err := r.write(fields); err != nil {
			return err
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

// line reads a value that fills a line. The cause says why it can't be read; the error ends the
// reading of the file.
func (r *recordReader) line(line string) (fields []field, cause, err error) {
	data := plainNumbers(strings.TrimSuffix(line, ","))
	if !json.Valid([]byte(data)) {
		var v any
		if cause = json.Unmarshal([]byte(data), &v); cause != nil {
			return nil, cause, nil
		}
	}
	r.d = json.NewDecoder(strings.NewReader(data))
	r.d.UseNumber()
	token, err := r.d.Token()
	if err == nil {
		err = r.value(token, "", 0, &fields)
	}
	return fields, nil, err
}

// plainNumbers replaces NaN and the infinities, which programs write though JSON has no such
// numbers, by null, and leaves out commas before the end of a list or an object.
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
