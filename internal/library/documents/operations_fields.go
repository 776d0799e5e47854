package documents

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
)

// ListedField is a field with the documents that have it.
type ListedField struct {
	domain.Field
	Values []FieldCount `json:"values"` // the most frequent ones; years for dates
}

// FieldCount counts the documents that have a value.
type FieldCount struct {
	Value     string `json:"value"`
	Documents int    `json:"documents"`
}

// fieldNamed names a field.
type fieldNamed struct {
	Field string `json:"field" arg:"FIELD" trail:"" doc:"name or id of a field"`
}

// Defining is the definition of a field.
type Defining struct {
	Name     string   `json:"name" arg:"NAME" trail:"" doc:"name of the field"`
	Kind     string   `json:"kind" default:"text" trail:"" doc:"what its values are: text, number, date (a day, a month or a year), yesno, choice (one of a list) or list (of text)"`
	Choices  []string `json:"choices" trail:"" doc:"its choices, separated by commas"`
	Property string   `json:"property" trail:"" doc:"property of files that has its value, such as author, or a key of front matter; by default the one that is called like the field"`
	FromText bool     `json:"from_text" trail:"" doc:"take its value from a line of the text that begins with its name, such as Status: final"`
	InList   bool     `json:"in_list" trail:"" doc:"make it a column of the list of documents"`
}

// Altering is a change to a field. Parts that are not given stay.
type Altering struct {
	fieldNamed
	Name     *string `json:"name" trail:"" doc:"its new name"`
	Choices  *string `json:"choices" trail:"" doc:"its choices, separated by commas"`
	Property *string `json:"property" trail:"" doc:"property of files that has its value"`
	FromText *bool   `json:"from_text" trail:"" doc:"whether its value is taken from a line of the text that begins with its name"`
	InList   *bool   `json:"in_list" trail:"" doc:"whether it is a column of the list of documents"`
}

// ChangedField is a field that was defined, altered or deleted.
type ChangedField struct {
	domain.Field
	Change int64 `json:"change,omitempty" trail:""` // by which it can be undone

	did string
}

func (c ChangedField) String() string {
	if c.Change == 0 {
		return "The field is so already."
	}
	return fmt.Sprintf("%s the field %s. To undo this, run clew changes undo %d.", c.did, c.Name, c.Change)
}

type settingValues struct {
	Chosen
	Values []string `json:"values" flag:"value" whole:"" trail:"name" doc:"field=value; an empty value says that there is none; can be repeated"`
	Forget []string `json:"forget" trail:"" doc:"field whose value by hand is forgotten, so that what a list, the text or the file says counts again; can be repeated"`
}

// Listing is a list of values to import.
type Listing struct {
	CSV    string `json:"csv" arg:"FILE" file:"8388608" doc:"list as CSV: the first row names the columns, of which one has the names of documents and the others are called like fields"`
	Column string `json:"column" doc:"name of the column with the names of documents; by default file, document or name"`
}

// ImportedList is the effect of an import.
type ImportedList struct {
	ValueList
	Changed int   `json:"documents" trail:""`
	Change  int64 `json:"change,omitempty" trail:""` // by which it can be undone
}

func (l ImportedList) String() string {
	said := fmt.Sprintf("Set %s of %s.", strings.Join(l.Fields, ", "), domain.Counted(l.Changed, "document", "documents"))
	if l.Change == 0 {
		return "The documents already have these values."
	}
	if n := len(l.Unmatched); n > 0 {
		said += fmt.Sprintf(" %s no document.", domain.Counted(n, "row matches", "rows match"))
	}
	return said + fmt.Sprintf(" To undo this, run clew changes undo %d.", l.Change)
}

// Picking selects the documents that are counted or exported by their fields.
type Picking struct {
	Words string `json:"words" doc:"only documents with these words in their name, title, tags or passages"`
	Filter
}

// What pages do as well as commands.
var (
	ListFields = operation.Op[Tagger, Picking, []ListedField]{
		Name: "fields list", Short: "List the fields of documents with their most frequent values", Scope: operation.Read, Routes: []string{"GET /fields"}, Example: "  clew fields list\n  clew fields list --field status=final --tag minutes",
		Tool: operation.Tool{Name: "fields", Title: "List fields", Fields: "words tag field",
			About: "List the fields that documents have, with their kinds and how many documents, or of those that match, have each value. Questions and searches can be asked within them, as field:NAME=VALUE."},
		Long: `List the fields of documents with their most frequent values, and how many documents
have each: of all documents, or of those that have the given words and match every
flag. A field that --field narrows is counted as if it did not.`,
		Do: Tagger.list, Text: operation.Table("FIELD\tKIND\tVALUES\tID", "No field is defined yet: clew fields define NAME.", func(f ListedField) []any {
			return []any{f.Name, f.Kind, f.said(), f.ID}
		}),
	}
	ExportValues = operation.Op[Tagger, Picking, operation.Made]{
		Name: "fields export", Short: "Export the fields of documents as CSV, for clew fields import", Scope: operation.Read, Routes: []string{"GET /fields/export"}, Trail: operation.Trail{Kept: true}, Example: "  clew fields export > register.csv\n  clew fields export --field status=final > final.csv",
		Do: func(t Tagger, ctx context.Context, in Picking) (operation.Made, error) {
			f, err := in.with(in.Words)
			if err != nil {
				return operation.Made{}, err
			}
			q, err := t.Selected(ctx, domain.WorkspaceOf(ctx), f)
			return operation.Made{Name: "-", Type: "text/csv; charset=utf-8", Write: func(w io.Writer) error { return t.writeValues(ctx, w, q) }}, err
		},
	}
	ListProperties = operation.Op[Tagger, struct{}, []ledger.PropertyCount]{
		Name: "fields properties", Short: "List the properties of files from which fields can take their values", Scope: operation.Read, Routes: []string{"GET /fields/properties"},
		Do: func(t Tagger, ctx context.Context, _ struct{}) ([]ledger.PropertyCount, error) {
			return t.Ledger.CountProperties(ctx, domain.WorkspaceOf(ctx), mostProperties)
		},
		Text: operation.Table("PROPERTY\tDOCUMENTS", "No file states properties.", func(p ledger.PropertyCount) []any { return []any{p.Name, p.Count} }),
	}
	DefineField = operation.Op[Tagger, Defining, ChangedField]{
		Name: "fields define", Short: "Define a field that documents can have", Scope: operation.WriteSchema, Routes: []string{"POST /fields"},
		Long: `Define a field that documents can have: text, a number, a date, yes or no, one of several
choices, or a list. Its values come from the property of files that is called like it, from
a line of the text, from a list (clew fields import), or by hand (clew documents set): of
these the last one counts.`,
		Example: `  clew fields define status --kind choice --choices draft,final --in-list
  clew fields define year --kind number --property date`,
		Do: Tagger.define,
	}
	DeleteField = operation.Op[Tagger, fieldNamed, ChangedField]{
		Name: "fields delete", Short: "Delete a field with its values; undoing that restores both", Scope: operation.WriteSchema, Routes: []string{"DELETE /fields/{field}"}, Example: "  clew fields delete status",
		Do: func(t Tagger, ctx context.Context, in fieldNamed) (ChangedField, error) {
			f, err := t.field(ctx, in.Field)
			if err != nil {
				return ChangedField{}, err
			}
			f.Gone = true
			return t.change(ctx, f, "Deleted")
		},
	}
	AlterField = operation.Op[Tagger, Altering, ChangedField]{
		Name: "fields change", Short: "Rename a field, or change its choices and where its values come from", Scope: operation.WriteSchema, Routes: []string{"PATCH /fields/{field}"},
		Example: `  clew fields change status --name state
  clew fields change status --choices draft,final,withdrawn`,
		Do: Tagger.alter,
	}
	ImportValues = operation.Op[Tagger, Listing, ImportedList]{
		Name: "fields import", Short: "Set fields of documents from a CSV file", Scope: operation.WriteDocuments, Routes: []string{"POST /fields/import"},
		Long: `Set fields of documents from a CSV file, whose first row names the columns: one has the
names of documents, the others are called like fields. Empty cells change nothing, and what
was set by hand stays above the list. It first says which rows match, and asks unless --yes
is given. If a value can't be used, nothing is changed.`,
		Example: `  clew fields import register.csv
  clew fields import register.csv --column "File name" --yes`,
		Ask: func(t Tagger, ctx context.Context, in Listing) (string, error) {
			list, err := t.readList(ctx, in.CSV, in.Column)
			if err != nil || len(list.Problems) > 0 {
				return "", err // Do refuses it
			}
			return list.String() + "\nSet these values?", nil
		},
		Do: Tagger.importList,
	}
	PreviewValues = operation.Op[Tagger, Listing, ValueList]{
		Name: "fields preview", Short: "Show what importing a CSV file would change", Scope: operation.Read, Routes: []string{"POST /fields/preview"}, Example: "  clew fields preview register.csv",
		Do: func(t Tagger, ctx context.Context, in Listing) (ValueList, error) {
			return t.readList(ctx, in.CSV, in.Column)
		},
	}
	SetValues = operation.Op[Tagger, settingValues, Changed]{
		Name: "documents set", Short: "Set fields of documents by hand", Scope: operation.WriteDocuments, Routes: []string{"POST /documents/set"},
		Example: `  clew documents set minutes.docx --value status=final --value year=2024
  clew documents set --tag inbox --value status=
  clew documents set minutes.docx --forget status`,
		Do: Tagger.set,
		Text: operation.Line(func(c Changed) string {
			if c.Change == 0 {
				return "The documents already have these values."
			}
			return fmt.Sprintf("Changed fields of %s. To undo this, run clew changes undo %d.", domain.Counted(c.Documents, "document", "documents"), c.Change)
		}),
	}
)

// FieldOperations returns the operations on fields.
func FieldOperations() []operation.Operation[Tagger] {
	return []operation.Operation[Tagger]{
		ListFields, ListProperties, DefineField, AlterField, DeleteField, ChooseColumns, SetValues, ImportValues, PreviewValues, ExportValues,
	}
}

// mostProperties is how many properties of files are listed.
const mostProperties = 200

// said lists the values in a line.
func (f ListedField) said() string {
	words := lists.Map(f.Values, func(v FieldCount) string { return fmt.Sprintf("%s (%d)", v.Value, v.Documents) })
	return domain.Cut(strings.Join(words, ", "), 80)
}

func (t Tagger) list(ctx context.Context, in Picking) ([]ListedField, error) {
	w := domain.WorkspaceOf(ctx)
	filter, err := in.with(in.Words)
	if err == nil {
		filter, err = t.Resolved(ctx, w, filter)
	}
	if err != nil {
		return nil, err
	}
	selected, err := t.Selected(ctx, w, filter)
	if err != nil {
		return nil, err
	}
	fields, err := t.Ledger.Fields(ctx, w)
	if err != nil {
		return nil, err
	}
	facets, err := t.Facets(ctx, w, filter, selected.Holding)
	list := make([]ListedField, len(fields))
	for i, f := range fields {
		list[i].Field = f
		for _, c := range facets[f.ID] {
			list[i].Values = append(list[i].Values, FieldCount{c.Value, c.Count})
		}
	}
	return list, err
}

func (t Tagger) define(ctx context.Context, in Defining) (ChangedField, error) {
	return t.change(ctx, domain.Field{Name: in.Name, Kind: domain.FieldKind(in.Kind), Choices: in.Choices, Property: in.Property, FromText: in.FromText, InList: in.InList}, "Defined")
}

func (t Tagger) alter(ctx context.Context, in Altering) (ChangedField, error) {
	f, err := t.field(ctx, in.Field)
	if err != nil {
		return ChangedField{}, err
	}
	for to, given := range map[*string]*string{&f.Name: in.Name, &f.Property: in.Property} {
		if given != nil {
			*to = *given
		}
	}
	if in.Choices != nil {
		f.Choices = []string{*in.Choices}
	}
	for to, given := range map[*bool]*bool{&f.InList: in.InList, &f.FromText: in.FromText} {
		if given != nil {
			*to = *given
		}
	}
	return t.change(ctx, f, "Changed")
}

// change checks and stores a definition.
func (t Tagger) change(ctx context.Context, f domain.Field, did string) (ChangedField, error) {
	if err := f.Check(); err != nil {
		return ChangedField{}, err
	}
	entry, f, err := t.Curator.ChangeField(ctx, f)
	return ChangedField{f, entry.Seq, did}, err
}

// set sets fields of the chosen documents by hand.
func (t Tagger) set(ctx context.Context, in settingValues) (Changed, error) {
	q, err := t.query(ctx, in.Chosen)
	if err != nil {
		return Changed{}, err
	}
	return t.SetByHand(ctx, q, in.Values, in.Forget)
}

// SetByHand sets values of the documents that a query selects, each as field=value, and removes values of other fields
// that were set by hand.
func (t Tagger) SetByHand(ctx context.Context, q ledger.DocumentQuery, values, forget []string) (Changed, error) {
	w := domain.WorkspaceOf(ctx)
	fields, err := t.Ledger.Fields(ctx, w)
	if err != nil {
		return Changed{}, err
	}
	var sets []ledger.FieldSet
	said := ""
	for _, value := range values {
		name, text, is := strings.Cut(value, "=")
		if !is {
			return Changed{}, domain.Errorf(domain.Invalid, "%q gives no field a value. Write it as status=final.", domain.Cut(value, domain.MaxFieldName))
		}
		f, err := domain.FieldNamed(fields, name)
		if err != nil {
			return Changed{}, err
		}
		parsed, err := f.Parse(text)
		if err != nil {
			return Changed{}, err
		}
		said, sets = strings.Join(parsed, ", "), append(sets, ledger.FieldSet{Field: f, Values: parsed})
	}
	for _, name := range forget {
		f, err := domain.FieldNamed(fields, name)
		if err != nil {
			return Changed{}, err
		}
		sets = append(sets, ledger.FieldSet{Field: f, Forget: true})
	}
	if len(sets) == 0 {
		return Changed{}, domain.Errorf(domain.Invalid, "Say what to set, such as status=final.")
	}
	if len(sets) > 1 {
		said = ""
	}
	docs, err := t.Ledger.ListDocuments(ctx, w, q)
	if err != nil {
		return Changed{}, err
	}
	all := make([]ledger.FieldSet, 0, len(docs)*len(sets))
	for _, d := range docs {
		for _, s := range sets {
			s.Document = d.ID
			all = append(all, s)
		}
	}
	entry, err := t.Curator.SetFields(ctx, domain.FieldByHand, said, all)
	return Changed{Documents: entry.Documents, Change: entry.Seq}, err
}

// importList sets fields from a list, unless one of its values can't be used.
func (t Tagger) importList(ctx context.Context, in Listing) (ImportedList, error) {
	list, err := t.readList(ctx, in.CSV, in.Column)
	if err != nil {
		return ImportedList{}, err
	}
	if err := list.wrong(); err != nil {
		return ImportedList{}, err
	}
	entry, err := t.Curator.SetFields(ctx, domain.FieldOfList, "", list.sets)
	return ImportedList{list, entry.Documents, entry.Seq}, err
}
