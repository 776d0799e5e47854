package api

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clewhq/clew/internal/operation"
)

// An Input is what an operation takes as a JSON object, some of its fields under other names.
type Input struct {
	Schema *huma.Schema

	row   operation.Row[struct{}]
	names map[string]string // of fields, as sent
	book  book
}

// NewInput returns the input of an operation. It takes those fields that names has, each under its name there.
func NewInput(row operation.Row[struct{}], names map[string]string) Input {
	in := Input{&huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{}, AdditionalProperties: false}, row, names, newBook("")}
	for _, f := range operation.Fields(row.In) {
		name, ok := names[f.Name]
		if !ok {
			continue
		}
		in.Schema.Properties[name] = in.book.field(f)
		if f.Needed {
			in.Schema.Required = append(in.Schema.Required, name)
		}
	}
	slices.Sort(in.Schema.Required)
	in.Schema.PrecomputeMessages()
	return in
}

// AddNumber adds a number that the operation does not take. What is left out is usual.
func (i Input) AddNumber(name, about string, usual, least, most int) {
	from, to := float64(least), float64(most)
	i.Schema.Properties[name] = &huma.Schema{Type: huma.TypeInteger, Description: about, Default: usual, Minimum: &from, Maximum: &to}
	i.Schema.PrecomputeMessages()
}

// Read returns a pointer to the input that a JSON object gives. It fails with kind Invalid if that does not fit.
func (i Input) Read(text []byte) (any, error) {
	if len(text) == 0 {
		text = []byte("{}")
	}
	given, err := fit(i.book, i.Schema, text)
	if err != nil {
		return nil, err
	}
	in := reflect.New(i.row.In)
	if err := operation.Fill(in.Interface(), func(operation.Field) []string { return nil }); err != nil {
		return nil, err
	}
	for _, f := range operation.Fields(i.row.In) {
		raw, ok := given[i.names[f.Name]]
		if !ok {
			continue
		}
		if err := json.Unmarshal(raw, in.Elem().FieldByIndex(f.Index).Addr().Interface()); err != nil {
			return nil, &unfit{[]Wrong{{i.names[f.Name], "it does not have the type that the operation needs"}}}
		}
	}
	return in.Interface(), nil
}
