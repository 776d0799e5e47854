package domain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Field is typed metadata that the documents of a workspace can have.
type Field struct {
	ID       FieldID   `json:"id"`
	Name     string    `json:"name"`
	Kind     FieldKind `json:"kind"`
	Choices  []string  `json:"choices,omitempty"`
	Property string    `json:"property,omitempty"`  // of files, with its value; "" for the one with the field's name
	FromText bool      `json:"from_text,omitempty"` // its value is read from lines such as Status: final
	InList   bool      `json:"in_list,omitempty"`   // it is a column of the list of documents
	Gone     bool      `json:"gone,omitempty"`      // it has been deleted
}

// A FieldKind is the kind of a field's values.
type FieldKind string

// The kinds of fields.
const (
	FieldText   FieldKind = "text"
	FieldNumber FieldKind = "number"
	FieldDate   FieldKind = "date" // a year, a month or a day
	FieldYesNo  FieldKind = "yesno"
	FieldChoice FieldKind = "choice"
	FieldList   FieldKind = "list" // of text
)

// FieldKinds lists the kinds of fields.
var FieldKinds = []FieldKind{FieldText, FieldNumber, FieldDate, FieldYesNo, FieldChoice, FieldList}

// A FieldOrigin is the origin of a document's value. The highest of several takes precedence.
type FieldOrigin int

// The origins of values.
const (
	FieldOfSchema FieldOrigin = iota - 1 // stated in the text, as requested by the schema
	fieldUnsaid                          // no origin
	FieldOfFile                          // a property of the file
	FieldOfText                          // a line of the text
	FieldOfList                          // a file of values, imported
	FieldByHand
)

func (o FieldOrigin) String() string {
	return map[FieldOrigin]string{FieldOfSchema: "schema", fieldUnsaid: "", FieldOfFile: "file", FieldOfText: "text", FieldOfList: "list", FieldByHand: "hand"}[o]
}

// MarshalText implements encoding.TextMarshaler.
func (o FieldOrigin) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// The limits of fields.
const (
	MaxFields     = 100 // in a workspace
	MaxFieldName  = 40  // code points
	MaxFieldValue = 400 // code points
	MaxFieldItems = 50  // in a list, and choices of a field
)

// Check puts a definition into its normal form. The error is Invalid, or TooLarge, and says what to change.
func (f *Field) Check() error {
	f.Name, f.Property = OneLine(f.Name), strings.ToLower(OneLine(f.Property))
	switch {
	case f.Name == "" || strings.ContainsAny(f.Name, "<>=:,;\"") || strings.HasPrefix(f.Name, "-"):
		return Errorf(Invalid, "%q can't be the name of a field. Write words without signs, such as status or due date.", Cut(f.Name, MaxFieldName))
	case Runes(f.Name) > MaxFieldName:
		return Errorf(TooLarge, "The name of a field can have at most %d characters; this one has %d.", MaxFieldName, Runes(f.Name))
	case !slices.Contains(FieldKinds, f.Kind):
		return Errorf(Invalid, "There is no kind of field %q. The kinds are %s.", Cut(string(f.Kind), MaxFieldName), listed(FieldKinds))
	case Runes(f.Property) > MaxFieldValue:
		return Errorf(TooLarge, "The name of a property can have at most %d characters.", MaxFieldValue)
	}
	choices, err := fieldItems(strings.Join(f.Choices, ","))
	if err != nil {
		return err
	}
	f.Choices = choices
	switch {
	case f.Kind == FieldChoice && len(choices) == 0:
		return Errorf(Invalid, "Write the choices of %s, separated by commas: draft, final.", f.Name)
	case f.Kind != FieldChoice && len(choices) > 0:
		return Errorf(Invalid, "Only a field of the kind choice has choices; %s is of the kind %s.", f.Name, f.Kind)
	}
	return nil
}

// FromProperty returns the name of the property of files that has the field's value.
func (f Field) FromProperty() string {
	return cmp.Or(f.Property, strings.ToLower(f.Name))
}

// fieldItems returns the items of a list in words, each once.
func fieldItems(text string) (items []string, err error) {
	for item := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' }) {
		item = OneLine(item)
		if item == "" || slices.ContainsFunc(items, func(other string) bool { return strings.EqualFold(item, other) }) {
			continue
		}
		if Runes(item) > MaxFieldValue {
			return nil, Errorf(TooLarge, "%q has more than %d characters, which is the limit of a value.", Cut(item, MaxFieldName), MaxFieldValue)
		}
		if items = append(items, item); len(items) > MaxFieldItems {
			return nil, Errorf(TooLarge, "These are more than %d items, which is the limit.", MaxFieldItems)
		}
	}
	return items, nil
}

// Parse normalises what a person or a file writes as values of the field; only a list has several. A blank has none.
// The error is Invalid, or TooLarge, and explains what to write.
func (f Field) Parse(text string) ([]string, error) {
	text = OneLine(strings.ToValidUTF8(text, ""))
	if text == "" {
		return nil, nil
	}
	said := Cut(text, MaxFieldName)
	if f.Kind == FieldList {
		return fieldItems(text)
	}
	if Runes(text) > MaxFieldValue {
		return nil, Errorf(TooLarge, "A value of %s can have at most %d characters; this one has %d.", f.Name, MaxFieldValue, Runes(text))
	}
	switch f.Kind {
	case FieldNumber:
		n, err := strconv.ParseFloat(strings.ReplaceAll(text, " ", ""), 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, Errorf(Invalid, "%q is not a number for %s. Write digits, with a point and without commas: 1500 or 1.5.", said, f.Name)
		}
		return []string{strconv.FormatFloat(n+0, 'f', -1, 64)}, nil
	case FieldDate:
		if !isDate(text) {
			return nil, Errorf(Invalid, "%q is not a date for %s. Write a day, a month or a year: 2024-05-31, 2024-05 or 2024.", said, f.Name)
		}
	case FieldYesNo:
		for answer, words := range map[string][]string{"yes": {"yes", "true", "y", "1"}, "no": {"no", "false", "n", "0"}} {
			if slices.Contains(words, strings.ToLower(text)) {
				return []string{answer}, nil
			}
		}
		return nil, Errorf(Invalid, "%q is neither yes nor no for %s. Write one of them.", said, f.Name)
	case FieldChoice:
		for _, c := range f.Choices {
			if strings.EqualFold(c, text) {
				return []string{c}, nil
			}
		}
		return nil, Errorf(Invalid, "%q is none of the choices of %s: %s.", said, f.Name, strings.Join(f.Choices, ", "))
	case FieldText, FieldList:
	}
	return []string{text}, nil
}

// In returns the values in the first line of a text that states some of the field's kind under its name, with the span of the line.
func (f Field) In(lines StatedLines) ([]string, Span) {
	return lines.Find(func(said string) []string {
		values, err := f.Parse(strings.Trim(said, " ."))
		if err != nil {
			return nil
		}
		return values
	}, f.Name)
}

// SortKey returns the text by which a value of a kind is compared and sorted.
func (k FieldKind) SortKey(value string) string {
	if k != FieldNumber {
		return strings.ToLower(value)
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return ""
	}
	bits := math.Float64bits(n)
	if bits>>63 == 1 {
		return fmt.Sprintf("%016x", ^bits)
	}
	return fmt.Sprintf("%016x", bits|1<<63)
}

// A FieldTerm selects documents by a field: those with a value that compares so with another one, or with any value.
type FieldTerm struct {
	Field FieldID   `json:"field,omitempty"` // "" until the term is resolved
	Kind  FieldKind `json:"kind,omitempty"`
	Name  string    `json:"name"`
	Op    string    `json:"op,omitempty"` // =, >=, <=, > or <; "" for any value
	Value string    `json:"value,omitempty"`
}

func (t FieldTerm) String() string { return t.Name + t.Op + t.Value }

// WithinField is the kind of term that selects by a field: field:status=final.
const WithinField = "field"

// parseFieldTerms parses a term about a field, such as status=final, year>=2020 or year=2020..2024, which is two terms.
func parseFieldTerms(text string) ([]FieldTerm, error) {
	at := strings.IndexAny(text, "<>=")
	if at < 0 {
		at = len(text)
	}
	t := FieldTerm{Name: OneLine(text[:at])}
	rest := ""
	for _, op := range []string{">=", "<=", ">", "<", "="} {
		if value, ok := strings.CutPrefix(text[at:], op); ok {
			t.Op, rest = op, value
			break
		}
	}
	t.Value = OneLine(rest)
	from, to, several := strings.Cut(t.Value, "..")
	switch {
	case t.Name == "" || t.Op != "" && t.Value == "" || Runes(t.Name) > MaxFieldName || Runes(t.Value) > MaxFieldValue:
		return nil, Errorf(Invalid, "%q does not select documents by a field. Write field:status=final, field:year>=2020 or field:year=2020..2024.", Cut(text, MaxFieldName))
	case !several || t.Op != "=":
		return []FieldTerm{t}, nil
	}
	var ends []FieldTerm
	for op, value := range map[string]string{">=": from, "<=": to} {
		if value = strings.TrimSpace(value); value != "" {
			ends = append(ends, FieldTerm{Name: t.Name, Op: op, Value: value})
		}
	}
	slices.SortFunc(ends, func(a, b FieldTerm) int { return strings.Compare(b.Op, a.Op) })
	return ends, nil
}

// FieldNamed returns the field with a name, in any case, or an id. The error is NotFound and says what fields there are.
func FieldNamed(fields []Field, name string) (Field, error) {
	name = OneLine(name)
	best, nearest := "", 3
	var names []string
	for _, f := range fields {
		if strings.EqualFold(f.Name, name) || string(f.ID) == name {
			return f, nil
		}
		names = append(names, f.Name)
		if d := Distance([]rune(strings.ToLower(f.Name)), []rune(strings.ToLower(name))); d < nearest {
			best, nearest = f.Name, d
		}
	}
	said := Cut(name, MaxFieldName)
	switch {
	case best != "":
		return Field{}, Errorf(NotFound, "There is no field %q. Did you mean %s?", said, best)
	case len(names) == 0:
		return Field{}, Errorf(NotFound, "There is no field %q: this library has none yet. Define it first.", said)
	}
	return Field{}, Errorf(NotFound, "There is no field %q. The fields are %s.", said, strings.Join(names, ", "))
}

// Resolve finds the fields that the terms of the filter name among those that there are, and puts the values into their
// normal form. A term that was resolved before takes over the present name of its field. The error is Invalid.
func (f *FactFilter) Resolve(fields []Field) error {
	f.Fields = slices.Clone(f.Fields)
	for i := range f.Fields {
		if err := f.Fields[i].resolve(fields); err != nil {
			return err
		}
	}
	return nil
}

func (t *FieldTerm) resolve(fields []Field) error {
	if t.Field != "" {
		if at := slices.IndexFunc(fields, func(f Field) bool { return f.ID == t.Field }); at >= 0 {
			t.Name = fields[at].Name
		}
		return nil
	}
	field, err := FieldNamed(fields, t.Name)
	if err != nil {
		return Because(Invalid, err, "%s", InWords(err))
	}
	if t.Op != "" && t.Op != "=" && field.Kind != FieldNumber && field.Kind != FieldDate {
		return Errorf(Invalid, "Only numbers and dates can be compared; %s is of the kind %s. Write %s=%s.", field.Name, field.Kind, field.Name, t.Value)
	}
	t.Field, t.Kind, t.Name = field.ID, field.Kind, field.Name
	if t.Op == "" {
		return nil
	}
	one := field
	if one.Kind == FieldList {
		one.Kind = FieldText // it is compared with a single item
	}
	values, err := one.Parse(t.Value)
	if err != nil {
		return err
	}
	t.Value = values[0]
	return nil
}

// A KeyBound compares a sort key with another one.
type KeyBound struct{ Op, Key string }

// Bounds returns the conditions on the sort keys of the values that the term selects.
func (t FieldTerm) Bounds() []KeyBound {
	key := t.Kind.SortKey(t.Value)
	if t.Op == "" {
		return nil
	}
	if t.Kind != FieldDate || t.Op == ">=" || t.Op == "<" {
		return []KeyBound{{t.Op, key}}
	}
	behind := key + "~" // which sorts after all days of a month or a year
	switch t.Op {
	case ">":
		return []KeyBound{{">=", behind}}
	case "<=":
		return []KeyBound{{"<", behind}}
	}
	return []KeyBound{{">=", key}, {"<", behind}}
}

// Distance returns the Levenshtein distance of a and b.
func Distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			next := diagonal
			if x != y {
				next = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}

// NearestName returns the one of names that a word is nearest to, by the letters that differ and those that both begin and end
// with, and whether it looks like a slip of that name.
func NearestName(word string, names []string) (best string, slip bool) {
	least := 0
	for _, name := range names {
		far := Distance([]rune(word), []rune(name))
		if score := far - shared(word, name); best == "" || score < least {
			best, least, slip = name, score, score < 0 || score == 0 && far <= 2
		}
	}
	return best, slip
}

// shared counts the letters that two names begin and end with.
func shared(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	a, b = a[n:], b[n:]
	for i := 1; i <= min(len(a), len(b)) && a[len(a)-i] == b[len(b)-i]; i++ {
		n++
	}
	return n
}

// IsPort reports whether s is the port of an address, or empty.
func IsPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return s == "" || err == nil && n > 0
}
