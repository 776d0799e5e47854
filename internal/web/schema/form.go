package schema

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/page"
)

// formOf returns the form of a schema.
func formOf(g extract.Guide) page.SchemaForm {
	f := page.SchemaForm{Rows: map[schemas.Part][]page.SchemaRow{}, Fields: map[string]string{"instructions": g.Instructions, "mode": string(g.Mode)}}
	if g.Schema.Strict {
		f.Fields["strict"] = "yes"
	}
	if g.Gleaning > 0 {
		f.Fields["gleaning"] = strconv.Itoa(g.Gleaning)
	}
	for name, text := range descriptions(&g.Descriptions) {
		f.Fields[name] = *text
	}
	add := func(p schemas.Part, cells ...string) { f.Rows[p] = append(f.Rows[p], page.SchemaRow{Cells: cells}) }
	for _, l := range g.Schema.Labels {
		add(schemas.Labels, l.Name, l.Description, strings.Join(l.Synonyms, ", "))
	}
	for _, t := range g.Schema.Types {
		add(schemas.Types, t.Name, t.Description, strings.Join(t.Synonyms, ", "), countOf(false, t.One))
	}
	for _, t := range g.Schema.Triples {
		add(schemas.Triples, t.Source, t.Type, t.Target)
	}
	for _, p := range schemas.PropertiesOf(g.Schema) {
		add(schemas.Properties, p.Of, p.Rule.Key, p.Rule.Type, countOf(p.Rule.Required, p.Rule.One), p.Rule.Description)
	}
	for _, r := range g.Fields {
		add(schemas.Fields, r.Name, r.Type, strings.Join(r.Choices, ", "), r.Description, strings.Join(r.Synonyms, ", "))
	}
	for _, e := range g.Examples {
		add(schemas.Examples, e.Text, strings.Join(lists.Map(e.Facts, schemas.FactLine), "\n"))
	}
	return f
}

// guideOf returns the schema that a form describes, and notes in the form what
// keeps it from being one. fine is false if there is any.
func guideOf(ctx context.Context, f *page.SchemaForm) (g extract.Guide, fine bool) {
	fine = true
	for _, r := range f.Rows[schemas.Labels] {
		g.Schema.Labels = append(g.Schema.Labels, extract.LabelRule{Name: r.Cells[0], Description: r.Cells[1], Synonyms: synonyms(r.Cells[2])})
	}
	for _, r := range f.Rows[schemas.Types] {
		_, one := countFrom(r.Cells[3])
		g.Schema.Types = append(g.Schema.Types, extract.TypeRule{Name: r.Cells[0], Description: r.Cells[1], Synonyms: synonyms(r.Cells[2]), One: one})
	}
	for _, r := range f.Rows[schemas.Triples] {
		g.Schema.Triples = append(g.Schema.Triples, extract.Triple{Source: r.Cells[0], Type: r.Cells[1], Target: r.Cells[2]})
	}
	var properties []schemas.Property
	for _, r := range f.Rows[schemas.Properties] {
		p := schemas.Property{Of: r.Cells[0], Rule: extract.PropertyRule{Key: r.Cells[1], Type: r.Cells[2], Description: r.Cells[4]}}
		if p.Rule.Type == extract.Text { // the default
			p.Rule.Type = ""
		}
		p.Rule.Required, p.Rule.One = countFrom(r.Cells[3])
		properties = append(properties, p)
	}
	var stray int
	if g.Schema, stray = schemas.WithProperties(g.Schema, properties); stray >= 0 {
		f.Rows[schemas.Properties][stray].Problem, fine = strayProperty(ctx, properties[stray]), false
	}
	for _, r := range f.Rows[schemas.Fields] {
		rule := extract.FieldRule{Name: r.Cells[0], Type: r.Cells[1], Choices: synonyms(r.Cells[2]), Description: r.Cells[3], Synonyms: synonyms(r.Cells[4])}
		if rule.Type == extract.Text { // the default
			rule.Type = ""
		}
		g.Fields = append(g.Fields, rule)
	}
	for i, r := range f.Rows[schemas.Examples] {
		facts, err := schemas.ParseFacts(r.Cells[1])
		if err != nil {
			f.Rows[schemas.Examples][i].Problem, fine = domain.InWords(err), false
		}
		g.Examples = append(g.Examples, extract.Example{Text: r.Cells[0], Facts: facts})
	}
	g.Instructions, g.Schema.Strict, g.Mode = f.Fields["instructions"], f.Fields["strict"] != "", llm.Mode(f.Fields["mode"])
	if passes := f.Fields["gleaning"]; passes != "" {
		n, err := strconv.Atoi(passes)
		if err != nil {
			n = -1 // refused
		}
		g.Gleaning = n
	}
	for name, text := range descriptions(&g.Descriptions) {
		*text = f.Fields[name]
	}
	return g, fine && place(f, g)
}

// descriptions returns the descriptions by the names of their fields in the form.
func descriptions(d *extract.Descriptions) map[string]*string {
	return map[string]*string{"about.id": &d.ID, "about.label": &d.Label, "about.aliases": &d.Aliases, "about.type": &d.Type, "about.properties": &d.Properties}
}

// counts are the choices of how many values an entity has.
var counts = []struct {
	value    string
	required bool
	one      extract.Once
}{
	{"", false, extract.Unsaid},
	{page.AtLeastOne, true, extract.Unsaid},
	{page.AtMostOne, false, extract.AtMostOne},
	{page.ExactlyOne, true, extract.AtMostOne},
	{page.Several, false, extract.Several},
	{page.SomeAtLeast, true, extract.Several},
}

func countOf(required bool, one extract.Once) string {
	for _, c := range counts {
		if c.required == required && c.one == one {
			return c.value
		}
	}
	return ""
}

func countFrom(value string) (required bool, one extract.Once) {
	for _, c := range counts {
		if c.value == value {
			return c.required, c.one
		}
	}
	return false, extract.Unsaid
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

func strayProperty(ctx context.Context, p schemas.Property) string {
	if p.Of == "" {
		return lang.F(ctx, "Say which label or type has the property %s.", p.Rule.Key)
	}
	return lang.F(ctx, "Neither a label nor a type is called %s. Add it, or choose one of the list.", p.Of)
}

// maxRows is the maximum number of rows of a list that a form is read to.
const maxRows = 500

// parseForm reads the form as it was typed. The n-th value of each field belongs to the
// n-th row.
func parseForm(from url.Values) page.SchemaForm {
	value := func(name string, i int, lines bool) string {
		if i >= len(from[name]) {
			return ""
		}
		text := strings.ToValidUTF8(strings.ReplaceAll(from[name][i], "\r\n", "\n"), "�")
		if lines {
			return strings.TrimSpace(text)
		}
		return domain.OneLine(text)
	}
	f := page.SchemaForm{Rows: map[schemas.Part][]page.SchemaRow{}, Fields: map[string]string{}}
	f.Base, _ = strconv.ParseInt(value("base", 0, false), 10, 64) // an invalid version is a conflict
	for _, name := range page.SchemaFields {
		f.Fields[name] = value(name, 0, name == "instructions")
	}
	for _, l := range page.SchemaLists() {
		rows := 0
		for _, c := range l.Columns {
			rows = max(rows, len(from[string(l.Part)+"."+c.Name]))
		}
		for i := range min(rows, maxRows) {
			var row page.SchemaRow
			row.Cells = lists.Map(l.Columns, func(c page.SchemaColumn) string { return value(string(l.Part)+"."+c.Name, i, c.Lines != "") })
			f.Rows[l.Part] = append(f.Rows[l.Part], row)
		}
	}
	return f
}

// tidy drops the empty rows. A choice has a value from the start.
func tidy(f *page.SchemaForm) {
	for _, l := range page.SchemaLists() {
		f.Rows[l.Part] = slices.DeleteFunc(f.Rows[l.Part], func(r page.SchemaRow) bool {
			for i, c := range l.Columns {
				if r.Cells[i] != "" && c.Choices == nil {
					return false
				}
			}
			return true
		})
	}
}

// add adds an empty row to a list of the form.
func add(f *page.SchemaForm, to schemas.Part) {
	for _, l := range page.SchemaLists() {
		if l.Part == to {
			f.Rows[to] = append(f.Rows[to], page.SchemaRow{Cells: make([]string, len(l.Columns)), Focus: true})
		}
	}
}

// remove removes the n-th row of a list of the form, and with a label or a type the
// triples and properties that it is part of.
func remove(f *page.SchemaForm, from schemas.Part, n int) {
	rows := f.Rows[from]
	if n < 0 || n >= len(rows) {
		return
	}
	name := rows[n].Cells[0]
	f.Rows[from] = slices.Delete(rows, n, n+1)
	if name == "" || from != schemas.Labels && from != schemas.Types {
		return
	}
	f.Rows[schemas.Triples] = slices.DeleteFunc(f.Rows[schemas.Triples], func(r page.SchemaRow) bool {
		return from == schemas.Types && r.Cells[1] == name || from == schemas.Labels && (r.Cells[0] == name || r.Cells[2] == name)
	})
	f.Rows[schemas.Properties] = slices.DeleteFunc(f.Rows[schemas.Properties], func(r page.SchemaRow) bool { return r.Cells[0] == name })
}

// place records what makes a schema invalid at its field, and reports whether there is nothing.
func place(f *page.SchemaForm, g extract.Guide) bool {
	at, err := schemas.Check(g)
	if err == nil {
		return true
	}
	rows, index := f.Rows[at.Part], at.Index
	if at.Part == schemas.Properties { // the form has them in a different order
		bad := schemas.PropertiesOf(g.Schema)[at.Index]
		for i, r := range rows {
			if r.Cells[1] == bad.Rule.Key && extract.Type(r.Cells[0]) == extract.Type(bad.Of) {
				index = i
			}
		}
	}
	if index < len(rows) {
		rows[index].Problem = domain.InWords(err)
	} else {
		f.Problems = map[schemas.Part]string{at.Part: domain.InWords(err)}
	}
	return false
}

// first returns the first problem that a form notes, and has its field focused.
func first(f *page.SchemaForm) string {
	for _, l := range page.SchemaLists() {
		for i, r := range f.Rows[l.Part] {
			if r.Problem != "" {
				f.Rows[l.Part][i].Focus = true
				return r.Problem
			}
		}
	}
	return f.Problems[schemas.Instructions] + f.Problems[schemas.Settings]
}

// mark records in the form how often its labels and types occur, and how its rows differ from the schema in force, if
// there is one.
func mark(f *page.SchemaForm, changes []page.SchemaChange, occur map[schemas.Part]map[string]int, inForce bool) {
	for part, rows := range f.Rows {
		for i, r := range rows {
			name := schemas.ItemName(part, r.Cells...)
			rows[i].Count = occur[part][name]
			for _, c := range changes {
				if inForce && c.Part == part && c.Name == name { // if there were none, every row would be marked as new
					rows[i].Mark = c.Mark
				}
			}
		}
	}
}
