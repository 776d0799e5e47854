package schema

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/views/page"
)

// formOf returns the form of a schema.
func formOf(g extract.Guide) page.SchemaForm {
	f := page.SchemaForm{Instructions: g.Instructions, Strict: g.Schema.Strict, Mode: string(g.Mode), Descriptions: descriptionRows(g.Descriptions)}
	if g.Gleaning > 0 {
		f.Gleaning = strconv.Itoa(g.Gleaning)
	}
	for _, l := range g.Schema.Labels {
		f.Labels = append(f.Labels, page.MeaningRow{Name: l.Name, Description: l.Description, Synonyms: strings.Join(l.Synonyms, ", ")})
	}
	for _, t := range g.Schema.Types {
		f.Types = append(f.Types, page.MeaningRow{Name: t.Name, Description: t.Description, Synonyms: strings.Join(t.Synonyms, ", "), One: oneSaid[t.One]})
	}
	for _, t := range g.Schema.Triples {
		f.Triples = append(f.Triples, page.TripleRow{Source: t.Source, Type: t.Type, Target: t.Target})
	}
	for _, p := range schemas.PropertiesOf(g.Schema) {
		f.Properties = append(f.Properties, page.PropertyRow{
			Of: p.Of, Key: p.Rule.Key, Type: p.Rule.Type, Description: p.Rule.Description, Count: countOf(p.Rule),
		})
	}
	for _, e := range g.Examples {
		var lines []string
		for _, fact := range e.Facts {
			lines = append(lines, schemas.FactLine(fact))
		}
		f.Examples = append(f.Examples, page.ExampleRow{Text: e.Text, Facts: strings.Join(lines, "\n")})
	}
	return f
}

// countOf says how many values of a property an entity has.
func countOf(p extract.PropertyRule) string {
	switch one := p.One == extract.AtMostOne; {
	case p.Required && one:
		return page.ExactlyOne
	case one:
		return page.AtMostOne
	case p.Required && p.One == extract.Several:
		return page.SomeAtLeast
	case p.One == extract.Several:
		return page.Several
	case p.Required:
		return page.AtLeastOne
	}
	return ""
}

// oneSaid holds a form's words for how many values an entity has.
var oneSaid = map[extract.Once]string{extract.AtMostOne: page.AtMostOne, extract.Several: page.Several}

func onceOf(said string) extract.Once {
	switch said {
	case page.AtMostOne, page.ExactlyOne:
		return extract.AtMostOne
	case page.Several, page.SomeAtLeast:
		return extract.Several
	}
	return extract.Unsaid
}

func descriptionRows(d extract.Descriptions) []page.DescriptionRow {
	return []page.DescriptionRow{
		{Name: "id", Title: "The field “name of an entity”", Text: d.ID}, {Name: "label", Title: "The field “label”", Text: d.Label},
		{Name: "aliases", Title: "The field “other names”", Text: d.Aliases}, {Name: "type", Title: "The field “type of a relation”", Text: d.Type},
		{Name: "properties", Title: "The field “properties”", Text: d.Properties},
	}
}

// values reads the rows of a form: the n-th value of each field belongs to the
// n-th row.
type values url.Values

// text returns a field of a row, on one line.
func (v values) text(name string, i int) string {
	return strings.Join(strings.Fields(v.raw(name, i)), " ")
}

func (v values) raw(name string, i int) string {
	if all := v[name]; i < len(all) {
		return strings.ToValidUTF8(strings.ReplaceAll(all[i], "\r\n", "\n"), "�")
	}
	return ""
}

// maxRows is the most rows of a part that a form is read to.
const maxRows = 500

// rows returns how many rows of a part the form has.
func (v values) rows(field string) int { return min(len(v[field]), maxRows) }

// parseForm reads the form as it was typed.
func parseForm(from url.Values) page.SchemaForm {
	v := values(from)
	f := page.SchemaForm{
		Labels: v.meanings("label"), Types: v.meanings("type"), Instructions: strings.TrimSpace(v.raw("instructions", 0)),
		Strict: v.text("strict", 0) != "", Mode: v.text("mode", 0), Gleaning: v.text("gleaning", 0), Note: v.text("note", 0), Words: v.text("words", 0),
		Descriptions: descriptionRows(extract.Descriptions{
			ID: v.text("about.id", 0), Label: v.text("about.label", 0), Aliases: v.text("about.aliases", 0),
			Type: v.text("about.type", 0), Properties: v.text("about.properties", 0),
		}),
	}
	f.Base, _ = strconv.ParseInt(v.text("base", 0), 10, 64) // a version that is none conflicts
	for i := range v.rows("triple.type") {
		f.Triples = append(f.Triples, page.TripleRow{Source: v.text("triple.source", i), Type: v.text("triple.type", i), Target: v.text("triple.target", i)})
	}
	for i := range v.rows("property.key") {
		f.Properties = append(f.Properties, page.PropertyRow{
			Of: v.text("property.of", i), Key: v.text("property.key", i), Type: v.text("property.type", i),
			Description: v.text("property.description", i), Count: v.text("property.count", i),
		})
	}
	for i := range v.rows("example.text") {
		f.Examples = append(f.Examples, page.ExampleRow{Text: strings.TrimSpace(v.raw("example.text", i)), Facts: strings.TrimSpace(v.raw("example.facts", i))})
	}
	return f
}

func (v values) meanings(part string) []page.MeaningRow {
	var all []page.MeaningRow
	for i := range v.rows(part + ".name") {
		all = append(all, page.MeaningRow{Name: v.text(part+".name", i), Description: v.text(part+".description", i), Synonyms: v.text(part+".synonyms", i), One: v.text(part+".one", i)})
	}
	return all
}

// tidy drops the rows in which nothing was typed.
func tidy(f *page.SchemaForm) {
	empty := func(r page.MeaningRow) bool { return r == page.MeaningRow{} }
	f.Labels, f.Types = slices.DeleteFunc(f.Labels, empty), slices.DeleteFunc(f.Types, empty)
	f.Triples = slices.DeleteFunc(f.Triples, func(r page.TripleRow) bool { return r == page.TripleRow{} })
	f.Properties = slices.DeleteFunc(f.Properties, func(r page.PropertyRow) bool { return r.Of+r.Key+r.Description == "" })
	f.Examples = slices.DeleteFunc(f.Examples, func(r page.ExampleRow) bool { return r == page.ExampleRow{} })
}

// synonyms returns the words of a list, each once.
func synonyms(text string) []string {
	var all []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" && !slices.Contains(all, part) {
			all = append(all, part)
		}
	}
	return all
}

// guideOf returns the schema that a form describes, and notes in the form what
// keeps it from being one. fine is false if there is any.
func guideOf(f *page.SchemaForm) (g extract.Guide, fine bool) {
	fine = true
	for _, r := range f.Labels {
		g.Schema.Labels = append(g.Schema.Labels, extract.LabelRule{Name: r.Name, Description: r.Description, Synonyms: synonyms(r.Synonyms)})
	}
	for _, r := range f.Types {
		g.Schema.Types = append(g.Schema.Types, extract.TypeRule{Name: r.Name, Description: r.Description, Synonyms: synonyms(r.Synonyms), One: onceOf(r.One)})
	}
	for _, r := range f.Triples {
		g.Schema.Triples = append(g.Schema.Triples, extract.Triple{Source: r.Source, Type: r.Type, Target: r.Target})
	}
	var properties []schemas.Property
	for _, r := range f.Properties {
		kind := r.Type
		if kind == extract.Text {
			kind = ""
		}
		properties = append(properties, schemas.Property{Of: r.Of, Rule: extract.PropertyRule{
			Key: r.Key, Type: kind, Description: r.Description,
			Required: slices.Contains([]string{page.AtLeastOne, page.ExactlyOne, page.SomeAtLeast}, r.Count), One: onceOf(r.Count),
		}})
	}
	var stray int
	if g.Schema, stray = schemas.WithProperties(g.Schema, properties); stray >= 0 {
		f.Properties[stray].Problem = strayProperty(f.Properties[stray])
		fine = false
	}
	for i, r := range f.Examples {
		facts, err := schemas.ParseFacts(r.Facts)
		if err != nil {
			f.Examples[i].Problem, fine = domain.InWords(err), false
		}
		g.Examples = append(g.Examples, extract.Example{Text: r.Text, Facts: facts})
	}
	g.Instructions, g.Schema.Strict, g.Mode = f.Instructions, f.Strict, llm.Mode(f.Mode)
	if f.Gleaning != "" {
		n, err := strconv.Atoi(f.Gleaning)
		if err != nil {
			n = -1
		}
		g.Gleaning = n
	}
	g.Descriptions = descriptions(f.Descriptions)
	if fine {
		fine = place(f, g)
	}
	return g, fine
}

func strayProperty(r page.PropertyRow) string {
	if r.Of == "" {
		return "Say which label or type has the property " + r.Key + "."
	}
	return "Neither a label nor a type is called " + r.Of + ". Add it, or choose one of the list."
}

func descriptions(rows []page.DescriptionRow) (d extract.Descriptions) {
	for _, r := range rows {
		switch r.Name {
		case "id":
			d.ID = r.Text
		case "label":
			d.Label = r.Text
		case "aliases":
			d.Aliases = r.Text
		case "type":
			d.Type = r.Text
		case "properties":
			d.Properties = r.Text
		}
	}
	return d
}

// place notes what makes a schema invalid at its field, and reports whether there
// is nothing.
func place(f *page.SchemaForm, g extract.Guide) bool {
	at, err := schemas.Check(g)
	if err == nil {
		return true
	}
	said := domain.InWords(err)
	switch at.Part {
	case schemas.Labels:
		f.Labels[at.Index].Problem = said
	case schemas.Types:
		f.Types[at.Index].Problem = said
	case schemas.Triples:
		f.Triples[at.Index].Problem = said
	case schemas.Properties:
		bad := schemas.PropertiesOf(g.Schema)[at.Index]
		for i, r := range slices.Backward(f.Properties) {
			if r.Key == bad.Rule.Key && sameOwner(r.Of, bad.Of) {
				f.Properties[i].Problem = said
				break
			}
		}
	case schemas.Examples:
		f.Examples[at.Index].Problem = said
	case schemas.Instructions:
		f.InstructionsProblem = said
	default:
		f.SettingsProblem = said
	}
	return false
}

// first returns the first problem that a form notes, and has its field focused.
func first(f *page.SchemaForm) string {
	var rows []*page.RowState
	for i := range f.Labels {
		rows = append(rows, &f.Labels[i].RowState)
	}
	for i := range f.Types {
		rows = append(rows, &f.Types[i].RowState)
	}
	for i := range f.Triples {
		rows = append(rows, &f.Triples[i].RowState)
	}
	for i := range f.Properties {
		rows = append(rows, &f.Properties[i].RowState)
	}
	for i := range f.Examples {
		rows = append(rows, &f.Examples[i].RowState)
	}
	for _, r := range rows {
		if r.Problem != "" {
			r.Focus = true
			return r.Problem
		}
	}
	return f.InstructionsProblem + f.SettingsProblem
}

func sameOwner(a, b string) bool { return extract.Type(a) == extract.Type(b) }

// mark notes in the form how its rows differ.
func mark(f *page.SchemaForm, changes []page.SchemaChange) {
	marks := map[[2]string]string{}
	for _, c := range changes {
		marks[[2]string{c.Part, c.Name}] = c.Mark
	}
	of := func(part schemas.Part, name string) string { return marks[[2]string{string(part), name}] }
	for i, r := range f.Labels {
		f.Labels[i].Mark = of(schemas.Labels, schemas.LabelName(extract.LabelRule{Name: r.Name}))
	}
	for i, r := range f.Types {
		f.Types[i].Mark = of(schemas.Types, schemas.TypeName(extract.TypeRule{Name: r.Name}))
	}
	for i, r := range f.Triples {
		f.Triples[i].Mark = of(schemas.Triples, schemas.TripleName(extract.Triple{Source: r.Source, Type: r.Type, Target: r.Target}))
	}
	for i, r := range f.Properties {
		f.Properties[i].Mark = of(schemas.Properties, schemas.PropertyName(schemas.Property{Of: r.Of, Rule: extract.PropertyRule{Key: r.Key}}))
	}
	for i, r := range f.Examples {
		f.Examples[i].Mark = of(schemas.Examples, schemas.ExampleName(extract.Example{Text: r.Text}))
	}
}
