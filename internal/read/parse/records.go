package parse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse/script"
)

// readRecords reads JSON Lines, or JSON: an array of records, an object with
// such an array, or a single record. Each record is a passage by itself: its
// text stands first, in lines of its own, then its other fields, one a line.
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

// hasLines reports whether each line of a file is a value by itself: its first lines are, but
// for damaged ones, and the file as a whole is no value.
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

// The bounds of a record: the depth to which it is read, and its fields.
const (
	maxRecordDepth  = 64
	maxRecordFields = 10_000
)

// field is a value of a record with the path that leads to it.
type field struct{ path, value string }

// all reads values one after the other. The elements of an array that stands for
// the whole file are its records.
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

// wrapper reads an object that stands for the whole file. The objects in its
// lists are records, and so is the rest of it.
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
		return tooManyRecords(r.w)
	case r.count%256 == 0:
		return r.ctx.Err()
	}
	return nil
}

func tooManyRecords(w *writer) error {
	_, err := w.finish()
	return err
}

// textNames are the fields that are likely to hold the text of a record.
var textNames = []string{"text", "content", "body", "message", "description", "abstract", "summary", "article", "passage", "document", "answer", "context"}

// textField chooses the field that is a record's text: the longest of several
// words if it is long, or else one that is named so. It returns -1 for none.
func textField(fields []field) int {
	chosen, longest := -1, 0
	for i, f := range fields {
		if f.path == "" {
			return i // the record is its text
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
		r.w.warn(fmt.Sprintf("Records with more than %d fields were cut.", maxRecordFields))
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

// maxInstruction bounds the instruction of a field of Word, in bytes.
const maxInstruction = 4 << 10

// shownByField returns what a field of Word shows by its instruction alone: a character of a
// font (SYMBOL), or a formula (EQ). It is "" for any other.
func shownByField(instruction string) (string, script.Look) {
	name, rest, _ := strings.Cut(strings.TrimSpace(instruction), " ")
	switch strings.ToUpper(name) {
	case "SYMBOL":
		return symbolOfField(rest), script.Plain
	case "EQ":
		e := equation{rest: rest}
		return tidyLine(e.all(0)), script.Formula
	}
	return "", script.Plain
}

func symbolOfField(arguments string) string {
	words := strings.Fields(arguments)
	if len(words) == 0 {
		return ""
	}
	code, err := strconv.ParseInt(words[0], 0, 32)
	if err != nil {
		if r, size := utf8.DecodeRuneInString(words[0]); size == len(words[0]) {
			code = int64(r)
		}
	}
	font := ""
	if _, after, ok := strings.Cut(arguments, `\f`); ok {
		font, _, _ = strings.Cut(strings.TrimLeft(after, ` "`), `"`)
	}
	if symbol, ok := script.Symbol(font, rune(code)); ok {
		return string(symbol)
	}
	if code < ' ' || code > utf8.MaxRune || script.IsSymbolFont(font) {
		return ""
	}
	if code < 256 && !strings.Contains(arguments, `\u`) {
		return encodingOf("windows-1252").decode([]byte{byte(code)})
	}
	return string(rune(code))
}

// An equation reads the instruction of an EQ field.
type equation struct{ rest string }

// all returns what stands before a comma or a bracket that ends an argument.
func (e *equation) all(depth int) string {
	var b strings.Builder
	for e.rest != "" {
		switch c := e.rest[0]; {
		case depth > 0 && strings.IndexByte(",;)", c) >= 0:
			return b.String()
		case c == '\\' && len(e.rest) > 1 && !unicode.IsLetter(rune(e.rest[1])):
			b.WriteByte(e.rest[1])
			e.rest = e.rest[2:]
		case c == '\\' && depth < maxTables:
			s := e.element(depth)
			if s = strings.TrimSpace(s); strings.HasPrefix(s, "^") || strings.HasPrefix(s, "_") {
				base := b.String()
				b.Reset()
				b.WriteString(strings.TrimRight(base, " "))
			}
			b.WriteString(raisedBySign(s))
		default:
			r, size := utf8.DecodeRuneInString(e.rest)
			b.WriteRune(r)
			e.rest = e.rest[size:]
		}
	}
	return b.String()
}

// raisedBySign returns figures behind a sign as raised ones.
func raisedBySign(s string) string {
	if up, ok := strings.CutPrefix(s, "^"); ok {
		return strings.TrimPrefix(script.Scripts("x", "", up), "x")
	}
	if low, ok := strings.CutPrefix(s, "_"); ok {
		return strings.TrimPrefix(script.Scripts("x", low, ""), "x")
	}
	return s
}

// switches returns the names of switches that stand one after the other.
func (e *equation) switches() (names []string) {
	for strings.HasPrefix(e.rest, `\`) && len(e.rest) > 1 && (unicode.IsLetter(rune(e.rest[1])) || e.rest[1] == '*') {
		end := 1
		for end < len(e.rest) && strings.IndexByte("( \\", e.rest[end]) < 0 {
			end++
		}
		name := strings.ToLower(e.rest[1:end])
		e.rest = strings.TrimLeft(e.rest[end:], " ")
		names = append(names, strings.TrimRight(name, "0123456789-"))
		e.rest = strings.TrimLeft(e.rest, "0123456789 ")
		if len(name) == 2 && name[1] == 'c' && strings.HasPrefix(e.rest, `\`) && len(e.rest) > 1 { // a bracket: \bc\{
			e.rest = e.rest[2:]
		}
	}
	return names
}

// element returns a switch with its arguments.
func (e *equation) element(depth int) string {
	names, arguments := e.switches(), e.arguments(depth)
	if len(names) == 0 || arguments == nil {
		return strings.Join(arguments, ", ")
	}
	at := func(i int) string {
		if i < len(arguments) {
			return strings.TrimSpace(arguments[i])
		}
		return ""
	}
	switch names[0] {
	case "f":
		return script.Fraction(at(0), at(1))
	case "r":
		if len(arguments) == 1 {
			return script.Root("", at(0))
		}
		return script.Root(at(0), at(1))
	case "s":
		if slices.Contains(names, "do") {
			return "_" + at(0)
		}
		return "^" + at(0)
	case "i":
		sign := "∫"
		if slices.Contains(names, "su") {
			sign = "∑"
		} else if slices.Contains(names, "pr") {
			sign = "∏"
		}
		return script.Large(sign, at(0), at(1), at(2))
	case "b":
		return "(" + at(0) + ")"
	case "a":
		return "[" + strings.Join(arguments, "; ") + "]"
	case "o":
		return strings.Join(arguments, " ")
	}
	return strings.Join(arguments, ", ")
}

// arguments returns what stands between brackets, nil if nothing does.
func (e *equation) arguments(depth int) []string {
	rest, ok := strings.CutPrefix(e.rest, "(")
	if !ok {
		return nil
	}
	e.rest = rest
	list := []string{}
	for {
		list = append(list, e.all(depth+1))
		if e.rest == "" {
			return list
		}
		end := e.rest[0] == ')'
		e.rest = e.rest[1:]
		if end {
			return list
		}
	}
}

// A numbering is how the numbers of a list are written.
type numbering byte

// The numberings, which HTML calls by these letters.
const (
	decimal     numbering = '1'
	lowerLetter numbering = 'a'
	upperLetter numbering = 'A'
	lowerRoman  numbering = 'i'
	upperRoman  numbering = 'I'
	padded      numbering = '0' // 01, 02
	bullet      numbering = '-'
	unnumbered  numbering = ' '
)

// numberingOf returns the numbering that HTML, Word, PowerPoint or OpenDocument
// calls so; decimal for one that is not known.
func numberingOf(name string) numbering {
	switch lower := strings.ToLower(name); {
	case name == "a", name == "A", name == "i", name == "I":
		return numbering(name[0])
	case lower == "bullet":
		return bullet
	case lower == "none":
		return unnumbered
	case lower == "decimalzero":
		return padded
	case strings.HasPrefix(lower, "lowerletter"), strings.HasPrefix(lower, "alphalc"):
		return lowerLetter
	case strings.HasPrefix(lower, "upperletter"), strings.HasPrefix(lower, "alphauc"):
		return upperLetter
	case strings.HasPrefix(lower, "lowerroman"), strings.HasPrefix(lower, "romanlc"):
		return lowerRoman
	case strings.HasPrefix(lower, "upperroman"), strings.HasPrefix(lower, "romanuc"):
		return upperRoman
	}
	return decimal
}

// text returns a number. Those that a numbering has no form for are decimal.
func (n numbering) text(number int) string {
	switch {
	case n == bullet:
		return "-"
	case n == unnumbered:
		return ""
	case n == padded && number >= 0 && number < 10:
		return "0" + strconv.Itoa(number)
	case number < 1 || number > 3999:
		return strconv.Itoa(number)
	}
	switch n {
	case lowerLetter:
		return lettered(number)
	case upperLetter:
		return strings.ToUpper(lettered(number))
	case lowerRoman:
		return strings.ToLower(romanOf(number))
	case upperRoman:
		return romanOf(number)
	}
	return strconv.Itoa(number)
}

// lettered returns a to z, then aa, bb and so on.
func lettered(number int) string {
	return strings.Repeat(string(rune('a'+(number-1)%26)), 1+(number-1)/26)
}

func romanOf(number int) string {
	var b strings.Builder
	for _, r := range []struct {
		value int
		text  string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for number >= r.value {
			b.WriteString(r.text)
			number -= r.value
		}
	}
	return b.String()
}
