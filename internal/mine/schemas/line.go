package schemas

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/extract"
)

// lineOf returns the line of YAML on which an item of a schema begins, or 0 if it is not found.
func lineOf(data []byte, at Place) int {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil || len(doc.Content) == 0 {
		return 0
	}
	root := doc.Content[0]
	schema := member(root, "schema")
	labels, types := entries(schema, "labels"), entries(schema, "types")
	var of []*yaml.Node
	switch at.Part {
	case Labels:
		of = labels
	case Types:
		of = types
	case Triples:
		of = entries(schema, "triples")
	case Properties:
		for _, owner := range append(labels, types...) {
			of = append(of, entries(owner, "properties")...)
		}
	case Fields:
		of = entries(root, "fields")
	case Examples:
		of = entries(root, "examples")
	case Instructions:
		if n := member(root, "instructions"); n != nil {
			return n.Line
		}
	}
	if at.Index >= len(of) {
		return 0
	}
	return of[at.Index].Line
}

// member returns the value of a key, or nil if there is none.
func member(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// entries returns the items of the list under a key.
func entries(n *yaml.Node, key string) []*yaml.Node {
	if list := member(n, key); list != nil && list.Kind == yaml.SequenceNode {
		return list.Content
	}
	return nil
}

// FactLine writes a fact of an example as one line, for people to edit.
func FactLine(f extract.Fact) string {
	return strings.Join([]string{f.Head, f.HeadType, f.Relation, f.Tail, f.TailType}, " | ")
}

// ParseFacts reads facts, one a line. The error is Invalid and names the line.
func ParseFacts(text string) ([]extract.Fact, error) {
	var all []extract.Fact
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			return all, domain.Errorf(domain.Invalid, "The line %q is not a fact. Write: Ada Brandt | Person | FOUNDED | Nordlicht | Organisation.", domain.Cut(line, 80))
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		all = append(all, extract.Fact{Head: cells[0], HeadType: cells[1], Relation: cells[2], Tail: cells[3], TailType: cells[4]})
	}
	return all, nil
}
