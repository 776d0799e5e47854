package schemas

import (
	"go.yaml.in/yaml/v3"
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
