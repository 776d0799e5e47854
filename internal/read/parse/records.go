package parse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// readRecords reads JSON Lines, or JSON: an array of records, an object with such an array, or a single record. Each
// record is a separate passage: its text comes first, in lines of its own, then its other fields, one a line.
func readRecords(ctx context.Context, w *writer, data []byte) error {
	s, err := decodeText(w, data)
	if err != nil {
		return err
	}
	plain := plainNumbers(s)
	r := recordReader{ctx: ctx, w: w, d: json.NewDecoder(strings.NewReader(plain)), lines: hasLines(plain)}
	r.d.UseNumber()
	if r.lines {
		err = r.linewise(s)
	} else {
		err = r.all()
	}
	switch message, ours := domain.MessageOf(err); {
	case err == nil && w.field != "" && !r.found:
		w.warn("No record has a field " + tidyLine(w.field) + " with text in it, so the longest text of each was taken.")
		return nil
	case err == nil, ours && message != "":
		return err
	case errors.Is(err, ctx.Err()) && ctx.Err() != nil:
		return err
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return domain.Because(domain.Invalid, err, "This JSON file is damaged in line %d: %s.", lineOf(s, r.d.InputOffset()), plainCause(err))
}

type recordReader struct {
	ctx   context.Context
	w     *writer
	d     *json.Decoder
	lines bool // each line is a record
	count int
	found bool // a record had it
}

// hasLines reports whether each line of a file is a separate value: its first lines are, except damaged ones, and the
// file as a whole is not.
func hasLines(s string) bool {
	values, n := 0, 0
	for line := range strings.SplitSeq(s, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if strings.HasPrefix(line, "{") && len(line) > 1 || strings.HasPrefix(line, "[{") || strings.HasPrefix(line, "[\"") || len(line) > 2 && line[0] == '"' && line[len(line)-1] == '"' || n == 0 && json.Valid([]byte(line)) {
			if _, cause := valuesOf(line); cause == nil {
				values++
			}
		}
		if n++; n == 10 {
			break
		}
	}
	return n > 1 && 2*values >= n && !json.Valid([]byte(s))
}

// Limits on a record: the depth to which it is read, and its fields.
const (
	maxRecordDepth  = 64
	maxRecordFields = 10_000
)

// field is a value of a record with its path.
type field struct{ path, value string }

// all reads values one after another. The elements of a top-level array are its records.
func (r *recordReader) all() error {
	for first := true; ; first = false {
		token, err := r.d.Token()
		if errors.Is(err, io.EOF) && !first {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case token == json.Delim('['):
			err = r.array()
		case token == json.Delim('{'):
			err = r.wrapper()
		default:
			err = r.record(token)
		}
		if err != nil {
			return err
		}
	}
}

func (r *recordReader) array() error {
	for r.d.More() {
		token, err := r.d.Token()
		if err != nil {
			return err
		}
		if err := r.record(token); err != nil {
			return err
		}
	}
	_, err := r.d.Token()
	return err
}

// wrapper reads a top-level object. The objects in its lists are records, and so is the rest of it.
func (r *recordReader) wrapper() error {
	var fields []field
	for r.d.More() {
		key, err := r.d.Token()
		if err != nil {
			return err
		}
		token, err := r.d.Token()
		if err != nil {
			return err
		}
		name := shorten(fmt.Sprint(key), 100)
		if token != json.Delim('[') {
			if err := r.value(token, name, 1, &fields); err != nil {
				return err
			}
			continue
		}
		for r.d.More() {
			if token, err = r.d.Token(); err != nil {
				return err
			}
			if token == json.Delim('{') {
				err = r.record(token)
			} else {
				err = r.value(token, name, 1, &fields)
			}
			if err != nil {
				return err
			}
		}
		if _, err := r.d.Token(); err != nil {
			return err
		}
	}
	if _, err := r.d.Token(); err != nil {
		return err
	}
	return r.write(fields)
}

// record reads a value, which begins with the token, and writes it.
func (r *recordReader) record(token json.Token) error {
	var fields []field
	if err := r.value(token, "", 0, &fields); err != nil {
		return err
	}
	return r.write(fields)
}

// write adds a record to the text, its text first.
func (r *recordReader) write(fields []field) error {
	if len(fields) == 0 {
		return nil
	}
	r.count++
	r.w.unit(domain.UnitRecord, "", r.count)
	text := slices.IndexFunc(fields, func(f field) bool {
		return r.w.field != "" && (f.path == r.w.field || f.path[strings.LastIndexByte(f.path, '.')+1:] == r.w.field)
	})
	if r.found = r.found || text >= 0; text < 0 {
		text = textField(fields)
	}
	if text >= 0 {
		r.w.paragraph(fields[text].value)
	}
	var lines []string
	for i, f := range fields {
		if value := tidyLine(f.value); i != text && value != "" {
			lines = append(lines, tidyLine(f.path)+": "+value)
		}
	}
	r.w.lines(lines)
	switch {
	case r.w.crowded, r.w.full:
		_, err := r.w.finish() // it describes which limit was exceeded
		return err
	case r.count%256 == 0:
		return r.ctx.Err()
	}
	return nil
}

// textNames are the fields that are likely to hold the text of a record.
var textNames = []string{"text", "content", "body", "message", "description", "abstract", "summary", "article", "passage", "document", "answer", "context"}

// textField chooses the field with a record's text: the longest of several words if it is long, or else one with a
// suitable name, or -1.
func textField(fields []field) int {
	chosen, longest := -1, 0
	for i, f := range fields {
		if f.path == "" {
			return i // the record itself is its text
		}
		name := strings.ToLower(f.path[strings.LastIndexByte(f.path, '.')+1:])
		length := utf8.RuneCountInString(f.value)
		if !strings.Contains(strings.TrimSpace(f.value), " ") {
			continue
		}
		if slices.Contains(textNames, name) {
			length += 1000
		} else if length < minText {
			continue
		}
		if length > longest {
			chosen, longest = i, length
		}
	}
	return chosen
}

// minText is the least length of a text that is not named so.
const minText = 80

// value reads a value to its end, and notes the texts and numbers in it.
func (r *recordReader) value(token json.Token, path string, depth int, fields *[]field) error {
	if depth > maxRecordDepth {
		return domain.Errorf(domain.TooLarge, "This JSON file is nested more than %d levels deep; it was not read.", maxRecordDepth)
	}
	switch token {
	case json.Delim('{'):
		return r.object(path, depth, fields)
	case json.Delim('['):
		for i := 1; r.d.More(); i++ {
			next, err := r.d.Token()
			if err != nil {
				return err
			}
			if err := r.value(next, path, depth+1, fields); err != nil {
				return err
			}
		}
		_, err := r.d.Token()
		return err
	case nil:
		return nil
	}
	if len(*fields) == maxRecordFields {
		r.w.warn(fmt.Sprintf("Records with more than %d fields were truncated.", maxRecordFields))
	}
	if value := fmt.Sprint(token); len(*fields) < maxRecordFields {
		*fields = append(*fields, field{path, value})
	}
	return nil
}

func (r *recordReader) object(path string, depth int, fields *[]field) error {
	for r.d.More() {
		key, err := r.d.Token()
		if err != nil {
			return err
		}
		next, err := r.d.Token()
		if err != nil {
			return err
		}
		name := shorten(fmt.Sprint(key), 100)
		if path != "" {
			name = path + "." + name
		}
		if err := r.value(next, name, depth+1, fields); err != nil {
			return err
		}
	}
	_, err := r.d.Token()
	return err
}

// maxBadLines is the most damaged lines that are warned about by their numbers.
const maxBadLines = 20

// linewise reads JSON Lines, a record a line. A line that is damaged costs nothing but itself.
func (r *recordReader) linewise(s string) error {
	bad, good := 0, 0
	number := 0
	for line := range strings.SplitSeq(s, "\n") {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line == "[" || line == "]" { // part of a damaged list of records
			continue
		}
		values, cause := valuesOf(line)
		if cause != nil {
			if bad++; bad <= maxBadLines {
				r.w.warn(fmt.Sprintf("Line %d is not JSON and was left out: %s.", number, plainCause(cause)))
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
		r.w.warn(fmt.Sprintf("%s more are not JSON and were left out.", domain.Counted(bad-maxBadLines, "line", "lines")))
	}
	if good == 0 {
		return domain.Errorf(domain.Invalid, "No line of this file is JSON. A file of JSON Lines has one object per line, with names and text in double quotes.")
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

// valuesOf returns the values in a line: one, or several without separators. The line may begin or end a list that is
// damaged elsewhere. The cause explains why it can't be read.
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

// sequence returns consecutive values.
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

// noNumber returns the word for a non-number, such as NaN, with which s begins, or "".
func noNumber(s string) string {
	for _, word := range []string{"NaN", "Infinity", "-Infinity", "+Infinity", "-NaN", "nan", "inf", "-inf", "undefined"} {
		if rest, ok := strings.CutPrefix(s, word); ok && (rest == "" || strings.ContainsAny(rest[:1], ",]} \t\r\n")) {
			return word
		}
	}
	return ""
}

// readNotebook reads a Jupyter notebook: its cells with the text that they put
// out. Pictures are left out.
func readNotebook(ctx context.Context, w *writer, data []byte) error {
	s, err := decodeText(w, data)
	if err != nil {
		return err
	}
	var n notebook
	if err := json.Unmarshal([]byte(s), &n); err != nil {
		return domain.Because(domain.Invalid, err, "This notebook is damaged: %s.", plainCause(err))
	}
	for _, sheet := range n.Worksheets { // of version 3
		n.Cells = append(n.Cells, sheet.Cells...)
	}
	for i, c := range n.Cells {
		w.unit(domain.UnitCell, "", i+1)
		if err := c.write(ctx, w); err != nil {
			return err
		}
		if w.full || w.crowded {
			break
		}
	}
	return ctx.Err()
}

type notebook struct {
	Cells      []notebookCell `json:"cells"`
	Worksheets []struct {
		Cells []notebookCell `json:"cells"`
	} `json:"worksheets"`
}

type notebookCell struct {
	Kind    string       `json:"cell_type"`
	Source  notebookText `json:"source"`
	Input   notebookText `json:"input"` // of version 3
	Outputs []struct {
		Text notebookText `json:"text"`
		Data struct {
			Plain notebookText `json:"text/plain"`
		} `json:"data"`
		Error string `json:"ename"`
		Value string `json:"evalue"`
	} `json:"outputs"`
}

// notebookText is a text, or a list of its lines.
type notebookText string

// UnmarshalJSON implements json.Unmarshaler.
func (t *notebookText) UnmarshalJSON(b []byte) error {
	var lines []string
	if err := json.Unmarshal(b, &lines); err == nil {
		*t = notebookText(strings.Join(lines, ""))
		return nil
	}
	return json.Unmarshal(b, (*string)(t))
}

// maxOutput bounds what a cell puts out, in code points: logs and long lists of
// numbers say little.
const maxOutput = 4000

func (c notebookCell) write(ctx context.Context, w *writer) error {
	source := string(c.Source + c.Input)
	switch c.Kind {
	case "markdown", "heading":
		return writeMarkdown(ctx, w, source)
	case "raw":
		w.paragraph(source)
		return nil
	}
	w.code(source)
	for _, o := range c.Outputs {
		text := string(o.Text + o.Data.Plain)
		if o.Error != "" {
			text = o.Error + ": " + o.Value
		}
		if domain.Runes(text) > maxOutput {
			w.warn("Very long outputs of cells were truncated.")
			text = shorten(text, maxOutput)
		}
		w.code(text)
	}
	return nil
}
