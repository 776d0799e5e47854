package parse

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphtext"
)

// columns says where a CSV file has what. A column that is missing is -1.
type columns struct {
	comma  rune
	ours   bool // written by Clew: entities and relations, told apart by the first column
	at     map[string]int
	others []string
}

// columnNames maps the names of columns that are read, in lower case.
var columnNames = map[string]string{
	"source": "source", "from": "source", "subject": "source", "target": "target", "to": "target", "object": "target",
	"type": "type", "relation": "type", "predicate": "type", "source_label": "source_label", "target_label": "target_label",
}

// ourColumns are the columns of a file that Clew wrote.
var ourColumns = []string{"kind", "id", "name", "label", "aliases", "properties", "source", "target", "type", "by_hand"}

// columnsOf reads the first line of a CSV file, and reports whether it names the
// columns of a graph.
func columnsOf(line string) (columns, bool) {
	c := columns{comma: ',', at: map[string]int{}}
	for _, r := range []rune{';', '\t'} {
		if strings.Count(line, string(r)) > strings.Count(line, string(c.comma)) {
			c.comma = r
		}
	}
	read := csv.NewReader(strings.NewReader(line))
	read.Comma, read.LazyQuotes = c.comma, true
	names, err := read.Read()
	if err != nil {
		return c, false
	}
	c.ours = len(names) > 2 && names[0] == "kind" && slices.Contains(names, "name")
	for i, raw := range names {
		name := strings.ToLower(strings.TrimSpace(raw))
		known, ok := columnNames[name], columnNames[name] != ""
		if c.ours {
			known, ok = name, slices.Contains(ourColumns, name)
		}
		if _, twice := c.at[known]; ok && !twice {
			c.at[known] = i
		} else if !c.ours {
			c.others = append(c.others, shorten(tidyLine(raw), 40))
		}
	}
	_, source := c.at["source"]
	_, target := c.at["target"]
	return c, source && target
}

// cell returns the text of a column, without the apostrophe that Clew writes
// before what a spreadsheet would calculate.
func (c columns) cell(row []string, name string) string {
	i, ok := c.at[name]
	if !ok || i >= len(row) {
		return ""
	}
	if c.ours {
		return strings.TrimPrefix(row[i], "'")
	}
	return strings.TrimSpace(row[i])
}

// csv reads a table of entities and relations, or a list of relations.
func (g *graphReader) csv(s string) error {
	first, _, _ := strings.Cut(s, "\n")
	c, ok := columnsOf(first)
	if !ok {
		return domain.Errorf(domain.Invalid, "This CSV file holds no graph that can be read: its first line should name the columns source and target, and may name type, source_label and target_label.")
	}
	g.ignored = c.others
	read := csv.NewReader(strings.NewReader(s))
	read.Comma, read.FieldsPerRecord, read.ReuseRecord = c.comma, -1, true
	for n := 0; ; n++ {
		row, err := read.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			line := 0
			if where, ok := errors.AsType[*csv.ParseError](err); ok {
				line, err = where.Line, where.Err
			}
			return damagedGraph(err, "CSV", fmt.Sprintf("in line %d", line))
		}
		if n == 0 {
			continue
		}
		if err := g.tableRow(c, row); err != nil {
			return err
		}
	}
}

func (g *graphReader) tableRow(c columns, row []string) error {
	source, target := strings.Clone(c.cell(row, "source")), strings.Clone(c.cell(row, "target"))
	var properties []graphtext.Property
	if c.ours {
		var err error
		if properties, err = members(strings.Clone(c.cell(row, "properties"))); err != nil {
			return damagedGraph(err, "CSV", fmt.Sprintf("in the properties of %q", shorten(tidyLine(cmp.Or(c.cell(row, "name"), c.cell(row, "type"))), 60)))
		}
		properties = append(properties, markByHand(c.cell(row, "by_hand"))...)
	}
	switch {
	case c.ours && c.cell(row, "kind") == "entity":
		e := graphtext.Entity{Name: c.cell(row, "name"), Label: c.cell(row, "label"), Aliases: strings.Split(c.cell(row, "aliases"), "\n")}
		e.Properties = properties
		return g.entity(strings.Clone(c.cell(row, "id")), e)
	case c.ours:
		return g.relation(graphLink{source, target, strings.Clone(c.cell(row, "type")), properties})
	}
	return g.relation(graphLink{
		g.named(source, c.cell(row, "source_label")), g.named(target, c.cell(row, "target_label")), strings.Clone(c.cell(row, "type")), nil,
	})
}

// named returns the id of an end that a list of relations gives by name and
// label.
func (g *graphReader) named(name, label string) string {
	if label == "" {
		return name
	}
	id := name + "\x00" + label
	if _, known := g.ids[id]; !known {
		g.ids[id] = graphtext.Entity{Name: tidyLine(name), Label: tidyLine(label)}
	}
	return id
}
