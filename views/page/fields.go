package page

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// FieldsProps is the data for the page of the fields of documents.
type FieldsProps struct {
	App     layout.Props
	Fields  []documents.ListedField
	Found   []ledger.PropertyCount // stated by files, without a field
	Wanted  documents.Defining     // the rejected definition
	Problem string                 // why it was rejected, or why a definition could not be changed

	List        *documents.ValueList // read from a file and not set yet
	CSV         string
	Column      string
	ListProblem string
}

// A Facet lists values of a field with the documents that have them.
type Facet struct {
	Name   string
	Values []FacetValue
}

// A FacetValue is one of them, with a link to its list.
type FacetValue struct {
	Value, URL string
	Count      int
	On         bool
}

// A FieldRow is a field with its value in a document.
type FieldRow struct {
	domain.Field
	Value  string
	Origin domain.FieldOrigin // 0 if there is no value
	Source string             // address of the words that state it; may be ""
}

// mostShown is the maximum number of facets beside the list.
const mostShown = 8

// Facets returns the facets of a list. Texts and numbers that are all different make none.
func Facets(f domain.DocumentFilter, fields []domain.Field, counts map[domain.FieldID][]ledger.FieldCount) []Facet {
	var all []Facet
	for _, field := range fields {
		list := counts[field.ID]
		free := field.Kind == domain.FieldText || field.Kind == domain.FieldNumber
		chosen := slices.ContainsFunc(f.Fields, func(t domain.FieldTerm) bool { return t.Field == field.ID })
		if len(list) == 0 || free && list[0].Count == 1 && !chosen || len(all) == mostShown {
			continue
		}
		facet := Facet{Name: field.Name}
		facet.Values = lists.Map(list, func(c ledger.FieldCount) FacetValue { return facetValue(f, field, c) })
		all = append(all, facet)
	}
	return all
}

// facetValue returns a value whose link chooses it, or takes it off.
func facetValue(f domain.DocumentFilter, field domain.Field, c ledger.FieldCount) FacetValue {
	is := func(t domain.FieldTerm) bool {
		return t.Field == field.ID && t.Op == "=" && strings.EqualFold(t.Value, c.Value)
	}
	v := FacetValue{Value: c.Value, Count: c.Count, On: slices.ContainsFunc(f.Fields, is)}
	if f.Fields = slices.Clone(f.Fields); v.On {
		f.Fields = slices.DeleteFunc(f.Fields, is)
	} else {
		f.Fields = append(f.Fields, domain.FieldTerm{Name: field.Name, Op: "=", Value: c.Value})
	}
	v.URL = link.DocumentList(f)
	return v
}

// fieldSorts lists the ways to sort the list by fields.
func (p DocumentsProps) fieldSorts(ctx context.Context) (all []Choice) {
	for _, f := range p.Fields {
		by := domain.SortByField(f.Name)
		all = append(all, Choice{string(by), f.Name}, Choice{string(by.Reversed()), lang.F(ctx, "%s, from the end", f.Name)})
	}
	return all
}

// fieldExample returns a term about the first field.
func (p DocumentsProps) fieldExample() string {
	f := p.Fields[0]
	switch f.Kind {
	case domain.FieldNumber:
		return f.Name + ">=10"
	case domain.FieldDate:
		return f.Name + ">=2024"
	case domain.FieldYesNo:
		return f.Name + "=yes"
	case domain.FieldText, domain.FieldChoice, domain.FieldList:
	}
	return f.Name + "=" + cmp.Or(append(slices.Clone(f.Choices), "…")...)
}

// fieldHint says what a value of a field looks like.
func fieldHint(f domain.Field) string {
	switch f.Kind {
	case domain.FieldNumber:
		return "a number"
	case domain.FieldDate:
		return "2024-05-31, 2024-05 or 2024"
	case domain.FieldYesNo:
		return "yes or no"
	case domain.FieldChoice:
		return strings.Join(f.Choices, ", ")
	case domain.FieldList:
		return "several, with commas"
	case domain.FieldText:
	}
	return "text"
}

// kindNames are the kinds of fields in words.
var kindNames = []Choice{
	{string(domain.FieldText), "Text"}, {string(domain.FieldNumber), "Number"}, {string(domain.FieldDate), "Date"}, {string(domain.FieldYesNo), "Yes or no"},
	{string(domain.FieldChoice), "One of several choices"}, {string(domain.FieldList), "List of text"},
}

func kindName(k domain.FieldKind) string {
	for _, c := range kindNames {
		if c.Value == string(k) {
			return c.Words
		}
	}
	return string(k)
}

// from says where the value of a field comes from.
func (r FieldRow) from() string {
	switch r.Origin {
	case domain.FieldOfSchema:
		return "as the schema asks"
	case domain.FieldOfFile:
		return "from the file"
	case domain.FieldOfText:
		return "from the text"
	case domain.FieldOfList:
		return "from a list"
	case domain.FieldByHand:
		return "by hand"
	}
	return ""
}

// options returns the values that a field can have, none if they are free.
func (r FieldRow) options() []string {
	switch r.Kind {
	case domain.FieldChoice:
		return r.Choices
	case domain.FieldYesNo:
		return []string{"yes", "no"}
	case domain.FieldText, domain.FieldNumber, domain.FieldDate, domain.FieldList:
	}
	return nil
}

// valued returns the list of the documents that have a value.
func valued(f domain.Field, value string) string {
	return link.DocumentList(domain.DocumentFilter{FactFilter: domain.FactFilter{Fields: []domain.FieldTerm{{Name: f.Name, Op: "=", Value: value}}}})
}

// rows returns the first problems of the list, then its rows that match no document.
func (p FieldsProps) rows() []documents.RowProblem {
	all := slices.Concat(p.List.Problems, p.List.Unmatched)
	return all[:min(len(all), mostRowsSaid)]
}

// mostRowsSaid limits the rows that the page lists.
const mostRowsSaid = 20

// more says how many rows are not listed.
func (p FieldsProps) more(ctx context.Context) string {
	if n := len(p.List.Problems) + len(p.List.Unmatched) - mostRowsSaid; n > 0 {
		return "… " + lang.Count(ctx, n, "more row", "more rows")
	}
	return ""
}
