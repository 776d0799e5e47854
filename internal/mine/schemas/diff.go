package schemas

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/mine/extract"
)

// A Mark is the difference of an item between two schemas.
type Mark string

// The marks.
const (
	Added   Mark = "added"
	Removed Mark = "removed"
	Changed Mark = "changed"
)

// A Change is an item in which two schemas differ.
type Change struct {
	Part Part   `json:"part"`
	Name string `json:"name"` // see ItemName
	Mark Mark   `json:"mark"`
	From string `json:"from,omitempty"` // its earlier text; "" if it was added
	To   string `json:"to,omitempty"`
}

// Diff lists the changes from one schema to another, part by part: what was added or changed in the order of the
// second, then what was removed. The order of items doesn't matter.
func Diff(from, to extract.Guide) []Change {
	before, after := items(from), items(to)
	old := lists.Pairs(before, func(i said) (item, string) { return i.item, i.says })
	kept := map[item]bool{}
	var all []Change
	for _, part := range parts {
		for _, i := range after {
			was, there := old[i.item]
			switch {
			case i.part != part:
				continue
			case !there:
				all = append(all, Change{part, i.name, Added, "", i.says})
			case was != i.says:
				all = append(all, Change{part, i.name, Changed, was, i.says})
			}
			kept[i.item] = true
		}
		for _, i := range before {
			if i.part == part && !kept[i.item] {
				all = append(all, Change{part, i.name, Removed, i.says, ""})
			}
		}
	}
	return all
}

var parts = []Part{Labels, Types, Triples, Properties, Fields, Instructions, Examples, Settings}

// item identifies an element of a schema, without its contents.
type item struct {
	part Part
	name string
}

type said struct {
	item
	says string
}

// items lists what a schema holds.
func items(g extract.Guide) []said {
	var all []said
	add := func(p Part, says string, words ...string) {
		if name := ItemName(p, words...); name != "" {
			all = append(all, said{item{p, name}, says})
		}
	}
	for _, l := range g.Schema.Labels {
		add(Labels, meaning(l.Description, l.Synonyms), l.Name)
	}
	for _, t := range g.Schema.Types {
		add(Types, once(t.One, meaning(t.Description, t.Synonyms)), t.Name)
	}
	for _, t := range g.Schema.Triples {
		add(Triples, "", t.Source, t.Type, t.Target)
	}
	for _, p := range PropertiesOf(g.Schema) {
		add(Properties, rule(p.Rule), p.Of, p.Rule.Key)
	}
	for _, f := range g.Fields {
		add(Fields, asked(f), f.Name)
	}
	for _, e := range g.Examples {
		add(Examples, facts(e), e.Text)
	}
	if g.Instructions != "" {
		all = append(all, said{item{Instructions, "Instructions"}, g.Instructions})
	}
	for _, s := range settings(g) {
		if s[1] != "" {
			all = append(all, said{item{Settings, s[0]}, s[1]})
		}
	}
	return all
}

// ItemName returns the name of an item in a list of differences, given the words that
// identify it: of a triple all three, of a property its owner and key. It returns "" for
// an item that has no name yet.
func ItemName(p Part, words ...string) string {
	var w [3]string
	copy(w[:], words)
	switch blank := strings.TrimSpace(w[0]) == ""; {
	case p == Labels && !blank:
		return extract.Label(w[0])
	case p == Types && !blank:
		return extract.Type(w[0])
	case p == Triples && w[1] != "":
		return extract.Triple{Source: w[0], Type: w[1], Target: w[2]}.String()
	case p == Properties && w[1] != "":
		return w[0] + "." + strings.ToLower(w[1])
	case p == Fields:
		return strings.ToLower(domain.OneLine(w[0]))
	case p == Examples:
		return domain.Cut(domain.OneLine(w[0]), 60)
	}
	return ""
}

func meaning(description string, synonyms []string) string {
	if len(synonyms) == 0 {
		return description
	}
	return strings.TrimPrefix(description+"; also said as "+strings.Join(synonyms, ", "), "; ")
}

// howMany describes how many values an entity has.
var howMany = map[extract.Once]string{extract.AtMostOne: "one at most", extract.Several: "several at will"}

// once adds to an item's description how many of it an entity has.
func once(o extract.Once, says string) string {
	many := howMany[o]
	if many == "" || says == "" {
		return says + many
	}
	return says + "; " + many
}

func rule(p extract.PropertyRule) string {
	says := cmp.Or(p.Type, "text")
	if p.Required {
		says += ", required"
	}
	if many := howMany[p.One]; many != "" {
		says += ", " + many
	}
	if p.Description != "" {
		says += ": " + p.Description
	}
	return says
}

// asked describes what a field is asked for.
func asked(f extract.FieldRule) string {
	says := cmp.Or(f.Type, extract.Text)
	if len(f.Choices) > 0 {
		says += ": " + strings.Join(f.Choices, ", ")
	}
	return strings.TrimSuffix(says+"; "+meaning(f.Description, f.Synonyms), "; ")
}

func facts(e extract.Example) string {
	lines := []string{domain.OneLine(e.Text)}
	for _, f := range e.Facts {
		lines = append(lines, FactLine(f))
	}
	return strings.Join(lines, "\n")
}

// settings lists what else a guide asks for, as names and values.
func settings(g extract.Guide) [][2]string {
	gleaning, strict := "", ""
	if g.Gleaning > 0 {
		gleaning = strconv.Itoa(g.Gleaning)
	}
	if g.Schema.Strict {
		strict = "yes"
	}
	return [][2]string{
		{"Strict", strict}, {"Mode", string(g.Mode)}, {"Gleaning", gleaning},
		{"Description of names", g.Descriptions.ID}, {"Description of labels", g.Descriptions.Label},
		{"Description of aliases", g.Descriptions.Aliases}, {"Description of types", g.Descriptions.Type},
		{"Description of properties", g.Descriptions.Properties},
	}
}
