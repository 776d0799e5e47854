package page

import (
	"cmp"
	"context"
	"maps"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/views/component"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// SchemaScope is the scope of a schema, as the page lists it.
type SchemaScope struct {
	domain.SchemaScope
	File string // name of the document
	Has  bool   // it has its own schema
}

// SchemaProps is the data for the page of a schema. Its form is the draft; marks show how the draft differs from the
// current version.
type SchemaProps struct {
	App      layout.Props
	Scope    SchemaScope
	Scopes   []SchemaScope   // to choose from
	Latest   schemas.Version // zero if there is none
	Guides   schemas.Version // of a wider scope, used if Latest has no schema; zero if there is none
	MayEdit  bool
	Saved    bool    // the draft was just saved
	Begun    string  // how the draft came about, in a sentence; "" for the current version
	Problem  string  // with the draft as a whole
	Tried    *DryRun // nil before a dry run
	Template string  // name of the draft's template
	Form     SchemaForm
	Changes  []SchemaChange // from the current version to the draft
}

// A SchemaForm is a schema as typed: rows of its lists, and its single fields.
type SchemaForm struct {
	Base     int64 // number of the version the draft is based on
	Rows     map[schemas.Part][]SchemaRow
	Fields   map[string]string       // see SchemaFields
	Problems map[schemas.Part]string // with the instructions and settings
}

// A SchemaRow is a row of a list of the form.
type SchemaRow struct {
	Cells   []string // in the order of the list's columns
	Mark    schemas.Mark
	Problem string
	Focus   bool // it was just added
	Count   int  // of entities or relations in the graph
}

// A SchemaList describes a list of the form.
type SchemaList struct {
	Part        schemas.Part
	Title, Note string
	Columns     []SchemaColumn
}

// A SchemaColumn describes the cells of a list that are below each other: a line of text, a choice, or a text of
// several lines.
type SchemaColumn struct {
	Name, Label string // of the field, and for people
	Class       string
	Placeholder string
	Suggested   string // id of the names to choose from
	Most        int    // code points; 0 for no limit
	Choices     []component.Choice
	Title       string // explains the choices
	Lines       string // of a multi-line text; "" for others
	Arrow       string // class of the arrow before the cell
}

// How many values of a property, or relations of a type, an entity can have.
const (
	AtLeastOne  = "required"
	AtMostOne   = "one"
	ExactlyOne  = "exactly"
	Several     = "several"
	SomeAtLeast = "some"
)

// SchemaLists are the lists of the form.
func SchemaLists() []SchemaList {
	name := SchemaColumn{Name: "name", Label: "name", Class: "nm", Placeholder: "name", Most: 60}
	description := SchemaColumn{Name: "description", Label: "meaning", Class: "de", Placeholder: "what it is", Most: 300}
	synonyms := SchemaColumn{Name: "synonyms", Label: "also said as", Class: "sy", Placeholder: "also said as, …", Most: 1000}
	return []SchemaList{
		{schemas.Labels, "Labels", "kinds of entities", []SchemaColumn{name, description, synonyms}},
		{schemas.Types, "Relation types", "also written as, for the built-in mode too", []SchemaColumn{name, description, synonyms, {
			Name: "one", Label: "how many of an entity", Choices: component.Choices("", "by its name", AtMostOne, "one", Several, "several"),
			Title: "How many an entity can have. If it is one, a second is listed as a contradiction. Names such as BORN_IN or FOUNDED_IN mean one, unless you choose several.",
		}}},
		{schemas.Triples, "Triples allowed", "a type without one joins any labels", []SchemaColumn{
			{Name: "source", Label: "from label", Suggested: "schema-labels", Placeholder: "any label"},
			{Name: "type", Label: "type", Class: "code", Suggested: "schema-types", Placeholder: "TYPE", Arrow: "arr"},
			{Name: "target", Label: "to label", Suggested: "schema-labels", Placeholder: "any label", Arrow: "arr head"},
		}},
		{schemas.Properties, "Properties", "of a label or a type", []SchemaColumn{
			{Name: "of", Label: "of", Class: "code", Suggested: "schema-owners", Placeholder: "label or TYPE"},
			{Name: "key", Label: "key", Class: "code", Placeholder: "key", Most: 60},
			{Name: "type", Label: "value", Choices: component.Choices(extract.Text, "Text", extract.Number, "Number", extract.Year, "Year", extract.Date, "Date", extract.YesNo, "Yes or no")},
			{Name: "count", Label: "how many", Choices: component.Choices("", "optional", AtLeastOne, "required", AtMostOne, "at most 1", ExactlyOne, "exactly 1", Several, "several", SomeAtLeast, "required, several")},
			description,
		}},
		{schemas.Fields, "Fields of documents", "read in every document, with the words that state them", []SchemaColumn{
			{Name: "name", Label: "name", Class: "nm", Placeholder: "name", Most: domain.MaxFieldName},
			{Name: "type", Label: "value", Choices: component.Choices(
				extract.Text, "Text", extract.Number, "Number", extract.Date, "Date", extract.YesNo, "Yes or no", string(domain.FieldChoice), "Choice", string(domain.FieldList), "List")},
			{Name: "choices", Label: "choices", Class: "sy", Placeholder: "choices, if it has them", Most: 1000},
			description, synonyms,
		}},
		{schemas.Examples, "Own examples", "for a model, in place of the built-in ones", []SchemaColumn{
			{Name: "text", Label: "A passage", Lines: "2"},
			{Name: "facts", Label: "Its facts, one a line: name | label | TYPE | name | label", Class: "code", Lines: "3"},
		}},
	}
}

// SchemaFields are the names of the single fields.
var SchemaFields = []string{"instructions", "strict", "mode", "gleaning", "note", "words", "about.id", "about.label", "about.aliases", "about.type", "about.properties"}

// A SchemaChange is a difference between two schemas.
type SchemaChange struct {
	schemas.Change
	Count int // how many in the graph have the label or type
}

// SchemaVersionsProps is the data for the list of versions.
type SchemaVersionsProps struct {
	App     layout.Props
	Scope   SchemaScope
	Items   []schemas.Version
	Differs []int // number of changes in each since the previous one
	A, B    int64 // compared versions; 0 for no comparison
	Changes []SchemaChange
}

// SchemaVersionProps is the data for the page of one version.
type SchemaVersionProps struct {
	App     layout.Props
	Version schemas.Version
	Scope   SchemaScope
	InForce bool
	MayEdit bool
	Text    string         // as YAML
	Changes []SchemaChange // from the previous version; none for the first
}

// SchemaYAMLProps is the data for the page of a schema as text.
type SchemaYAMLProps struct {
	App     layout.Props
	Scope   SchemaScope
	MayEdit bool
	Text    string
	Problem string
}

// title names the scope of the schema.
func (s SchemaScope) title(ctx context.Context) string {
	switch {
	case s.Document != "":
		return cmp.Or(s.File, lang.T(ctx, "One document"))
	case s.Name != "":
		return lang.F(ctx, "Named %s", s.Name)
	case s.Tag != "":
		return lang.F(ctx, "Tagged %s", s.Tag)
	}
	return lang.T(ctx, "Whole library")
}

// whose names the owner of the schema.
func (s SchemaScope) whose(ctx context.Context) string {
	switch {
	case s.Document != "":
		return lang.T(ctx, "its own schema")
	case s.Name != "":
		return lang.F(ctx, "the schema %s", s.Name)
	case s.Tag != "":
		return lang.F(ctx, "the schema of the tag %s", s.Tag)
	}
	return lang.T(ctx, "the library’s schema")
}

// of returns an address for this scope.
func (s SchemaScope) of(address string, params ...string) string {
	return link.SchemaOf(address, s.SchemaScope, params...)
}

func (s SchemaScope) same(o SchemaScope) bool { return s.SchemaScope == o.SchemaScope }

// none reports whether the scope has no schema.
func (p SchemaProps) none() bool { return p.Latest.Number == 0 || p.Latest.Cleared }

// state names the current version, and says how far the draft differs from it.
func (p SchemaProps) state(ctx context.Context) string {
	changes := lang.Count(ctx, len(p.Changes), "change", "changes")
	switch {
	case p.none() && len(p.Changes) > 0:
		return lang.T(ctx, "A draft. Nothing is saved yet.")
	case p.none():
		return lang.T(ctx, "No schema here.")
	case len(p.Changes) > 0:
		return lang.F(ctx, "A draft with %s since %s.", changes, versionName(ctx, p.Latest))
	}
	return format.Capital(versionName(ctx, p.Latest)) + ", " + versionBy(ctx, p.Latest) + "."
}

// differs counts the changes of the draft by part.
func (p SchemaProps) differs(ctx context.Context) string {
	var parts []string
	n := map[string]int{}
	for _, c := range p.Changes {
		part := string(c.Part)
		if n[part]++; n[part] == 1 {
			parts = append(parts, part)
		}
	}
	for i, part := range parts {
		parts[i] = lang.Count(ctx, n[part], part, plural(part))
	}
	if p.none() {
		return lang.F(ctx, "Everything is new: %s", strings.Join(parts, ", "))
	}
	return lang.Count(ctx, len(p.Changes), "change", "changes") + ": " + strings.Join(parts, ", ")
}

func plural(part string) string {
	if stem, found := strings.CutSuffix(part, "y"); found {
		return stem + "ies"
	}
	return strings.TrimSuffix(part, "s") + "s"
}

// fewChanges is the number of changes shown next to a dry run; the others are folded behind their number.
const fewChanges = 8

// folds reports whether the differences are folded behind their number.
func (p SchemaProps) folds() bool {
	return len(p.Changes) > fewChanges && (p.none() || p.Tried != nil)
}

// empty reports whether there is neither a schema nor a draft.
func (p SchemaProps) empty() bool { return p.none() && len(p.Changes) == 0 && !p.Form.typed() }

// typed reports whether the form has a filled row.
func (f SchemaForm) typed() bool {
	for _, rows := range f.Rows {
		if len(rows) > 0 {
			return true
		}
	}
	return false
}

// names lists the first words of the rows of some lists.
func (f SchemaForm) names(of ...schemas.Part) (names []string) {
	for _, part := range of {
		for _, r := range f.Rows[part] {
			names = append(names, r.Cells[0])
		}
	}
	return names
}

func versionName(ctx context.Context, v schemas.Version) string {
	return lang.F(ctx, "version %s", versionValue(v))
}

// versionBy says who saved a version, and when.
func versionBy(ctx context.Context, v schemas.Version) string {
	if v.Who == "" {
		return lang.F(ctx, "saved %s", lang.Moment(ctx, v.At))
	}
	return lang.F(ctx, "saved by %s, %s", v.Who, lang.Moment(ctx, v.At))
}

// mark returns the words of a mark.
func mark(ctx context.Context, m schemas.Mark) string {
	return map[schemas.Mark]string{schemas.Added: lang.T(ctx, "+ new"), schemas.Removed: lang.T(ctx, "− gone"), schemas.Changed: lang.T(ctx, "~ changed")}[m]
}

// gone lists the removed items of a part.
func (p SchemaProps) gone(part schemas.Part) []SchemaChange {
	return lists.Filter(p.Changes, func(c SchemaChange) bool { return c.Part == part && c.Mark == schemas.Removed })
}

// loses describes what is lost with a removed label or type.
func (c SchemaChange) loses(ctx context.Context, strict bool) string {
	switch {
	case c.Count == 0:
		return ""
	case strict && c.Part == schemas.Labels:
		return lang.F(ctx, "%s dropped or find another label when their documents are read again", lang.Count(ctx, c.Count, "entity is", "entities are"))
	case strict:
		return lang.F(ctx, "%s dropped when their documents are read again", lang.Count(ctx, c.Count, "relation is", "relations are"))
	case c.Part == schemas.Labels:
		return lang.F(ctx, "%s it in the graph", lang.Count(ctx, c.Count, "entity has", "entities have"))
	}
	return lang.F(ctx, "%s of it in the graph", lang.Count(ctx, c.Count, "relation is", "relations are"))
}

// field returns the id of a field of a row.
func field(part schemas.Part, name string, i int) string {
	return string(part) + "-" + name + "-" + strconv.Itoa(i)
}

// called returns the accessible name of a field of a row.
func (l SchemaList) called(ctx context.Context, c SchemaColumn, i int) string {
	return lang.T(ctx, string(l.Part)) + " " + strconv.Itoa(i+1) + ": " + lang.T(ctx, c.Label)
}

func removes(part schemas.Part, i int) string {
	return "remove." + string(part) + "." + strconv.Itoa(i)
}

// strictness explains strict or lenient.
func (f SchemaForm) strictness(ctx context.Context) string {
	if f.Fields["strict"] != "" {
		return lang.T(ctx, "Strict: what does not fit is dropped, kept with the reason, and comes back without a model call when you allow it.")
	}
	return lang.T(ctx, "Lenient: the schema guides the reading, and what does not fit is kept as found.")
}

// invalid returns the attributes of an invalid field whose problem is in the element with the id.
func invalid(problem, id string) templ.Attributes {
	if problem == "" {
		return nil
	}
	return templ.Attributes{"aria-invalid": "true", "aria-describedby": id}
}

func versionValue(v schemas.Version) string { return strconv.FormatInt(v.Number, 10) }

// before and after return the versions chosen for a comparison: at first the two
// latest.
func (p SchemaVersionsProps) before() int64 {
	if p.A == 0 && len(p.Items) > 1 {
		return p.Items[1].Number
	}
	return p.A
}

func (p SchemaVersionsProps) after() int64 {
	if p.B == 0 && len(p.Items) > 0 {
		return p.Items[0].Number
	}
	return p.B
}

func (p SchemaVersionsProps) comparison(ctx context.Context) string {
	return lang.F(ctx, "From version %d to version %d", p.A, p.B)
}

// attributes returns the attributes that only some columns have.
func (c SchemaColumn) attributes(ctx context.Context) templ.Attributes {
	a := templ.Attributes{}
	for name, value := range map[string]string{"list": c.Suggested, "placeholder": lang.T(ctx, c.Placeholder), "title": lang.T(ctx, c.Title)} {
		if value != "" {
			a[name] = value
		}
	}
	if c.Most > 0 {
		a["maxlength"] = strconv.Itoa(c.Most)
	}
	if c.Lines != "" && c.Class == "code" {
		a["spellcheck"], a["wrap"] = "false", "off"
	}
	return a
}

// first returns the attributes that represent the whole row: those of its first cell, and of texts of several lines.
func (r SchemaRow) first(l SchemaList, c SchemaColumn, i int) templ.Attributes {
	a := templ.Attributes{}
	if c.Name == l.Columns[0].Name {
		a = templ.Attributes{"id": field(l.Part, c.Name, i), "autofocus": r.Focus}
	}
	if a["id"] != nil || c.Lines != "" {
		maps.Copy(a, invalid(r.Problem, field(l.Part, "problem", i)))
	}
	return a
}

// described are the fields of a model's answer that a schema may describe.
var described = component.Choices("about.id", "The field “name of an entity”", "about.label", "The field “label”", "about.aliases", "The field “other names”", "about.type", "The field “type of a relation”", "about.properties", "The field “properties”")

var (
	modes     = component.Choices("", "as the settings say", "tool", "tool call", "schema", "JSON schema", "prompt", "prompt")
	gleanings = component.Choices("", "no second pass", "1", "once more", "2", "twice more")
)

// schemaForm has the form of a schema sent, unless whoever reads the page may not change it.
func schemaForm(ctx context.Context, p SchemaProps) templ.Attributes {
	if !p.MayEdit {
		return nil
	}
	to := link.At(ctx, p.Scope.of(link.Schema))
	return templ.Attributes{"method": "post", "action": to, "hx-post": to, "hx-target": "#schema-form", "hx-select": "#schema-form", "hx-swap": "outerHTML"}
}

// yamlForm has the form of a schema as text sent, unless whoever reads the page may not change it.
func yamlForm(ctx context.Context, p SchemaYAMLProps) templ.Attributes {
	if !p.MayEdit {
		return nil
	}
	return templ.Attributes{"method": "post", "action": link.At(ctx, p.Scope.of(link.SchemaYAML)), "enctype": "multipart/form-data"}
}
