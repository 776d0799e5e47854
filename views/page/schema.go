package page

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// SchemaScope is the scope of a schema, as the page lists it.
type SchemaScope struct {
	link.SchemaScope
	File string // name of the document
	Has  bool   // it has a schema of its own
}

// SchemaProps fill the page of a schema. Its form is the draft; every mark says
// how the draft differs from the version in force.
type SchemaProps struct {
	App     layout.Props
	Scope   SchemaScope
	Scopes  []SchemaScope // to choose from
	Latest  SchemaVersion // zero for none
	Guides  SchemaVersion // of a wider scope, in force where Latest has no schema; zero for none
	MayEdit bool
	Saved   bool    // the draft was just saved
	Begun   string  // how the draft came about, in a sentence; "" if it is the version in force
	Problem string  // of the draft as a whole
	Tried   *DryRun // nil before a dry run

	Templates []SchemaTemplate
	Form      SchemaForm
	Changes   []SchemaChange // from the version in force to the draft

	LabelsOf, TypesOf []string // names to choose from in triples and properties
	ValueTypes        []string
}

// SchemaTemplate is a schema to start from.
type SchemaTemplate struct {
	Name, Title, About string
	Chosen             bool
}

// SchemaVersion is a version of a schema.
type SchemaVersion struct {
	Number  int64 // 0 for none
	Scope   SchemaScope
	At      time.Time
	Who     string
	Note    string
	Cleared bool
	Changes int // from the version before
}

// SchemaForm is the form of a schema, as typed.
type SchemaForm struct {
	Base         int64 // number of the version that the draft was begun from
	Labels       []MeaningRow
	Types        []MeaningRow
	Triples      []TripleRow
	Properties   []PropertyRow
	Examples     []ExampleRow
	Instructions string
	Strict       bool
	Mode         string
	Gleaning     string
	Descriptions []DescriptionRow
	Note         string
	Words        string // that the chunks of a dry run say

	InstructionsProblem, SettingsProblem string
}

// RowState is the state of a row of the form.
type RowState struct {
	Mark    string // "added", "changed" or "removed"; "" if it is as saved
	Problem string
	Focus   bool // it was just added
}

// MeaningRow is a label or a type.
type MeaningRow struct {
	RowState
	Name, Description, Synonyms string
	One                         string // of a type, how many an entity has: AtMostOne, Several, or "" for what its name says
	Count                       int    // of entities or relations in the graph
}

// TripleRow is a triple.
type TripleRow struct {
	RowState
	Source, Type, Target string
}

// PropertyRow is a property of a label or a type.
type PropertyRow struct {
	RowState
	Of, Key, Type, Description string
	Count                      string // of values: AtLeastOne, AtMostOne, ExactlyOne, Several, SomeAtLeast, or "" for what its name says
}

// How many values of a property an entity has.
const (
	AtLeastOne  = "required"
	AtMostOne   = "one"
	ExactlyOne  = "exactly"
	Several     = "several"
	SomeAtLeast = "some"
)

// ExampleRow is an example with its facts, one a line.
type ExampleRow struct {
	RowState
	Text, Facts string
}

// DescriptionRow is the description of a field of a model's answer.
type DescriptionRow struct{ Name, Title, Text string }

// SchemaChange is a line of a difference.
type SchemaChange struct {
	Part, Name, Mark, From, To string
	Count                      int // of what has the label or type in the graph
}

// SchemaVersionsProps fill the list of versions.
type SchemaVersionsProps struct {
	App     layout.Props
	Scope   SchemaScope
	Items   []SchemaVersion
	A, B    int64 // compared; 0 for no comparison
	Changes []SchemaChange
}

// SchemaVersionProps fill the page of one version.
type SchemaVersionProps struct {
	App     layout.Props
	Version SchemaVersion
	InForce bool
	MayEdit bool
	Text    string         // as YAML
	Changes []SchemaChange // from the version before; none for the first
}

// SchemaYAMLProps fill the page of a schema as text.
type SchemaYAMLProps struct {
	App     layout.Props
	Scope   SchemaScope
	MayEdit bool
	Text    string
	Problem string
}

// title names what the schema is for.
func (s SchemaScope) title() string {
	switch {
	case s.Document != "":
		if s.File == "" {
			return "One document"
		}
		return s.File
	case s.Name != "":
		return "Named " + s.Name
	case s.Tag != "":
		return "Tagged " + s.Tag
	}
	return "Whole library"
}

// whose says whose schema it is.
func (s SchemaScope) whose() string {
	switch {
	case s.Document != "":
		return "its own schema"
	case s.Name != "":
		return "the schema " + s.Name
	case s.Tag != "":
		return "the schema of the tag " + s.Tag
	}
	return "the library’s schema"
}

// of returns an address for this scope.
func (s SchemaScope) of(address string, params ...string) string {
	return link.SchemaOf(address, s.SchemaScope, params...)
}

func (s SchemaScope) same(o SchemaScope) bool { return s.SchemaScope == o.SchemaScope }

// none reports whether the scope has no schema of its own.
func (p SchemaProps) none() bool { return p.Latest.Number == 0 || p.Latest.Cleared }

// state says which version is in force, and how far the draft is from it.
func (p SchemaProps) state() string {
	changes := format.Count(len(p.Changes), "change", "changes")
	switch {
	case p.none() && len(p.Changes) > 0:
		return "A draft. Nothing is saved yet."
	case p.none():
		return "No schema here."
	case len(p.Changes) > 0:
		return fmt.Sprintf("A draft with %s since %s.", changes, p.Latest.name())
	}
	return capital(p.Latest.name()) + ", " + p.Latest.by() + "."
}

// differs counts the changes of the draft by part.
func (p SchemaProps) differs() string {
	var parts []string
	n := map[string]int{}
	for _, c := range p.Changes {
		if n[c.Part]++; n[c.Part] == 1 {
			parts = append(parts, c.Part)
		}
	}
	for i, part := range parts {
		parts[i] = format.Count(n[part], part, plural(part))
	}
	if p.none() {
		return "Everything is new: " + strings.Join(parts, ", ")
	}
	return format.Count(len(p.Changes), "change", "changes") + ": " + strings.Join(parts, ", ")
}

func plural(part string) string {
	if stem, found := strings.CutSuffix(part, "y"); found {
		return stem + "ies"
	}
	return strings.TrimSuffix(part, "s") + "s"
}

// fewChanges are shown at once beside a dry run, more behind their number.
const fewChanges = 8

// folds reports whether the difference stands behind its number.
func (p SchemaProps) folds() bool {
	return len(p.Changes) > fewChanges && (p.none() || p.Tried != nil)
}

// empty reports whether there is neither a schema nor a draft.
func (p SchemaProps) empty() bool { return p.none() && len(p.Changes) == 0 && !p.Form.typed() }

// typed reports whether the form holds a row.
func (f SchemaForm) typed() bool {
	return len(f.Labels)+len(f.Types)+len(f.Triples)+len(f.Properties)+len(f.Examples) > 0
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

func (v SchemaVersion) name() string { return "version " + strconv.FormatInt(v.Number, 10) }

// by says who saved a version, and when.
func (v SchemaVersion) by() string {
	if v.Who == "" {
		return "saved " + format.Moment(v.At)
	}
	return "saved by " + v.Who + ", " + format.Moment(v.At)
}

// mark returns the words of a mark.
func mark(m string) string {
	switch m {
	case "added":
		return "+ new"
	case "removed":
		return "− gone"
	case "changed":
		return "~ changed"
	}
	return ""
}

// gone lists the removed items of a part.
func (p SchemaProps) gone(part string) []SchemaChange {
	var all []SchemaChange
	for _, c := range p.Changes {
		if c.Part == part && c.Mark == "removed" {
			all = append(all, c)
		}
	}
	return all
}

// loses says what a removed label or type takes along.
func (c SchemaChange) loses(strict bool) string {
	switch {
	case c.Count == 0:
		return ""
	case strict && c.Part == "label":
		return format.Count(c.Count, "entity is", "entities are") + " dropped or find another label when their documents are read again"
	case strict:
		return format.Count(c.Count, "relation is", "relations are") + " dropped when their documents are read again"
	case c.Part == "label":
		return format.Count(c.Count, "entity has", "entities have") + " it in the graph"
	}
	return format.Count(c.Count, "relation is", "relations are") + " of it in the graph"
}

// field returns the id of a field of a row.
func field(part, name string, i int) string { return part + "-" + name + "-" + strconv.Itoa(i) }

// called returns the accessible name of a field of a row.
func called(part, name string, i int) string { return part + " " + strconv.Itoa(i+1) + ": " + name }

func removes(part string, i int) string { return "remove." + part + "." + strconv.Itoa(i) }

// strictness says what strict or lenient means.
func (f SchemaForm) strictness() string {
	if f.Strict {
		return "Strict: what does not fit is dropped, kept with its reason, and comes back without a call when you allow it."
	}
	return "Lenient: the schema guides the reading, and what does not fit is kept as it was found."
}

// invalid returns the attributes of a field whose problem stands in the element
// of an id.
func (r RowState) invalid(id string) templ.Attributes {
	if r.Problem == "" {
		return nil
	}
	return templ.Attributes{"aria-invalid": "true", "aria-describedby": id}
}

func (v SchemaVersion) value() string { return strconv.FormatInt(v.Number, 10) }

func (v SchemaVersion) changes() string { return format.Count(v.Changes, "change", "changes") }

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

func (p SchemaVersionsProps) comparison() string {
	return fmt.Sprintf("From version %d to version %d", p.A, p.B)
}
