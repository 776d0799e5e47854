package extract

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// mined is a graph as a model writes it: relations name their ends.
type mined struct {
	nodes     []minedNode
	relations []minedRelation
	problems  []domain.Dropped // what can't be used
}

// with returns m and more.
func (m mined) with(more mined) mined {
	return mined{slices.Concat(m.nodes, more.nodes), slices.Concat(m.relations, more.relations), slices.Concat(m.problems, more.problems)}
}

type minedNode struct {
	name, label string
	aliases     []string
	properties  domain.Properties
	passages    []int // numbers of the passages that name it, from 1
}

type minedRelation struct {
	source, sourceLabel string
	kind                string
	target, targetLabel string
	properties          domain.Properties
	passages            []int // numbers of the passages that state it, from 1
}

// mine parses a model's answer. whole is false when the answer was cut off.
func mine(text string) (m mined, whole bool, err error) {
	v, whole, err := lenient(text, isGraph)
	if err != nil {
		return mined{}, false, err
	}
	m.add(v)
	if !whole && len(m.nodes)+len(m.relations) == 0 {
		return mined{}, false, errCut
	}
	return m, whole, nil
}

// The names that models give to the parts of a graph, the requested ones first.
var (
	nodesKeys     = []string{"nodes", "entities"}
	relationsKeys = []string{"relationships", "relations", "edges", "triples", "triplets"}
	headKeys      = []string{"source_node_id", "head", "source", "subject", "from"}
	headTypeKeys  = []string{"source_node_label", "head_type", "source_label", "source_type", "subject_type"}
	tailKeys      = []string{"target_node_id", "tail", "target", "object", "to"}
	tailTypeKeys  = []string{"target_node_label", "tail_type", "target_label", "target_type", "object_type"}
	kindKeys      = []string{"type", "relation", "relationship", "predicate", "label"}
	nameKeys      = []string{"id", "name", "entity"}
	labelKeys     = []string{"label", "type", "entity_type"}
	passageKeys   = []string{"passages", "passage"}
)

// isGraph reports whether a JSON value may be a graph: an answer may hold
// other lists and objects.
func isGraph(v any) bool {
	switch v := v.(type) {
	case fields:
		if v.has(nodesKeys) || v.has(relationsKeys) || v.has(headKeys) && v.has(tailKeys) {
			return true
		}
		return len(v) == 1 && isGraph(v[0].value) // wrapped once more
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !isGraph(item) })
	}
	return false
}

// add adds the content of a value: an object with lists, a list of relations,
// or one relation.
func (m *mined) add(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			m.add(item)
		}
	case fields:
		switch {
		case v.has(nodesKeys) || v.has(relationsKeys):
			for _, item := range v.list(nodesKeys) {
				m.node(item)
			}
			for _, item := range v.list(relationsKeys) {
				m.relation(item)
			}
		case v.has(headKeys) && v.has(tailKeys):
			m.relation(v)
		case len(v) == 1:
			m.add(v[0].value)
		}
	}
}

func (m *mined) node(item any) {
	if name, ok := item.(string); ok {
		item = fields{{"id", name}}
	}
	f, _ := item.(fields)
	n := minedNode{name: f.text(nameKeys), label: f.text(labelKeys), properties: f.properties(), passages: f.numbers(passageKeys)}
	for _, a := range f.list([]string{"aliases"}) {
		if s := scalar(a); s != "" {
			n.aliases = append(n.aliases, s)
		}
	}
	if n.name == "" {
		m.problems = append(m.problems, domain.Dropped{Kind: domain.DroppedEntity, Label: Label(n.label), Code: domain.DropIncomplete, Reason: "It has no name."})
		return
	}
	m.nodes = append(m.nodes, n)
}

func (m *mined) relation(item any) {
	f, _ := item.(fields)
	r := minedRelation{
		source: f.end(headKeys), sourceLabel: f.text(headTypeKeys),
		kind:   f.text(kindKeys),
		target: f.end(tailKeys), targetLabel: f.text(tailTypeKeys),
		properties: f.properties(), passages: f.numbers(passageKeys),
	}
	if r.source == "" || r.target == "" || r.kind == "" {
		m.problems = append(m.problems, domain.Dropped{
			Kind: domain.DroppedRelation, Name: r.source, Type: r.kind, Target: r.target,
			Code: domain.DropIncomplete, Reason: "It lacks a type, a source or a target.",
		})
		return
	}
	m.relations = append(m.relations, r)
}

// graphSchema returns the JSON schema of a graph. It is strict, so that servers
// can hold models to it. Of several passages, each item tells its own. Where the
// name of a field says what it holds, there is no description: every word is paid
// for with every request.
func graphSchema(s Schema, d Descriptions, several bool) (json.RawMessage, error) {
	oneOf := func(allowed []string, description string) object { return oneOf(allowed, s.Strict, description) }
	text := func(description string) object { return object{"type": "string", "description": description} }
	plain := object{"type": "string"}
	key := plain
	if keys := s.propertyKeys(); len(keys) > 0 {
		key = oneOf(keys, "name of the property")
	}
	properties := func(more object) object {
		maps.Copy(more, object{"type": "array", "items": closedObject(object{"key": key, "value": plain})})
		return more
	}
	label, end := oneOf(s.labels(), d.Label), plain // a relation repeats the label of its end
	if s.Strict {
		end = label
	}
	node := object{
		"id": text(d.ID), "label": label, "properties": properties(object{"description": d.Properties}),
		"aliases": object{"type": "array", "description": d.Aliases, "items": object{"type": "string"}},
	}
	relation := object{
		"source_node_id": plain, "source_node_label": end, "target_node_id": plain, "target_node_label": end,
		"type": oneOf(s.types(), d.Type), "properties": properties(object{}),
	}
	if several {
		node["passages"] = object{"type": "array", "description": "numbers of the passages that name it", "items": object{"type": "integer"}}
		relation["passage"] = object{"type": "integer", "description": "number of the passage that states it"}
	}
	graph := closedObject(object{
		"nodes":         object{"type": "array", "items": closedObject(node)},
		"relationships": object{"type": "array", "items": closedObject(relation)},
	})
	return json.Marshal(graph)
}

type object = map[string]any

// closedObject returns the schema of an object that has exactly these
// properties.
func closedObject(properties object) object {
	required := slices.Sorted(maps.Keys(properties))
	return object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

// oneOf returns the schema of a text that is one of allowed, or any text. Unless
// it is strict, other texts are allowed too. The description lists them, because
// small models heed it more.
func oneOf(allowed []string, strict bool, description string) object {
	v := object{"type": "string", "description": description}
	if len(allowed) == 0 {
		return v
	}
	if !strict {
		v["description"] = description + " If one fits, one of: " + strings.Join(allowed, ", ") + "."
		return v
	}
	v["enum"] = allowed
	v["description"] = description + " One of: " + strings.Join(allowed, ", ") + "."
	return v
}
