package extract

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
)

// The errors are part of the repair prompt.
var (
	errCut   = errors.New("it was cut off before its first item ended")
	errEmpty = errors.New("it is empty")
)

// mined is a graph as a model writes it: relations name their ends.
type mined struct {
	nodes     []minedNode
	relations []minedRelation
	problems  []domain.Dropped // parts that can't be used

	codes map[string]string // names of nodes, by the codes in the answer
}

// with returns m and more.
func (m mined) with(more mined) mined {
	return mined{nodes: slices.Concat(m.nodes, more.nodes), relations: slices.Concat(m.relations, more.relations), problems: slices.Concat(m.problems, more.problems)}
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
	passages            []int     // numbers of the passages that state it, from 1
	dated               bool      // the model was asked for its dates
	when                [2]string // start and end, as answered
}

// mine parses a model's answer. whole is false when the answer was cut off.
func mine(text string) (m mined, whole bool, err error) {
	v, whole, err := llm.ReadJSON(text, isGraph)
	if err != nil {
		return mined{}, false, err
	}
	m.add(v)
	m.decode()
	if !whole && len(m.nodes)+len(m.relations) == 0 {
		return mined{}, false, errCut
	}
	return m, whole, nil
}

// The names that models give to the parts of a graph, the requested ones first.
var (
	nodesKeys     = []string{"nodes", "entities"}
	relationsKeys = []string{"relationships", "relations", "edges", "triples", "triplets"}
	headKeys      = []string{"source_node_id", "head", "source", "source_id", "subject", "from"}
	headTypeKeys  = []string{"source_node_label", "head_type", "source_label", "source_type", "subject_type"}
	tailKeys      = []string{"target_node_id", "tail", "target", "target_id", "object", "to"}
	tailTypeKeys  = []string{"target_node_label", "tail_type", "target_label", "target_type", "object_type"}
	kindKeys      = []string{"type", "relation", "relationship", "predicate", "label"}
	nameKeys      = []string{"id", "node_id", "name", "entity"}
	otherNameKeys = []string{"name", "entity", "title", "text"} // next to an id that is a code
	labelKeys     = []string{"label", "type", "entity_type"}
	passageKeys   = []string{"passages", "passage"}
	fromKeys      = []string{"valid_from"}
	untilKeys     = []string{"valid_until"}
)

// isGraph reports whether a JSON value may be a graph: an answer may hold
// other lists and objects.
func isGraph(v any) bool {
	switch v := v.(type) {
	case llm.Object:
		if v.Has(nodesKeys...) || v.Has(relationsKeys...) || v.Has(headKeys...) && v.Has(tailKeys...) {
			return true
		}
		return len(v) == 1 && isGraph(v[0].Value) // with one more wrapper
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
	case llm.Object:
		switch {
		case v.Has(nodesKeys...) || v.Has(relationsKeys...):
			for _, item := range v.List(nodesKeys...) {
				m.node(item)
			}
			for _, item := range v.List(relationsKeys...) {
				m.relation(item)
			}
		case v.Has(headKeys...) && v.Has(tailKeys...):
			m.relation(v)
		case len(v) == 1:
			m.add(v[0].Value)
		}
	}
}

func (m *mined) node(item any) {
	if name, ok := item.(string); ok {
		item = llm.Object{{Name: "id", Value: name}}
	}
	f, _ := item.(llm.Object)
	n := minedNode{name: f.Text(nameKeys...), label: f.Text(labelKeys...), properties: properties(f), passages: f.Numbers(passageKeys...)}
	if code.MatchString(n.name) { // the number used by relations
		if name := f.Text(otherNameKeys...); name != "" {
			m.named(n.name, name)
			n.name = name
		}
	}
	for _, a := range f.List("aliases") {
		if s := llm.Scalar(a); s != "" {
			n.aliases = append(n.aliases, s)
		}
	}
	if n.name == "" {
		m.problems = append(m.problems, domain.Dropped{Kind: domain.DroppedEntity, Label: Label(n.label), Code: domain.DropIncomplete, Reason: "It has no name."})
		return
	}
	m.nodes = append(m.nodes, n)
}

// code matches a possible code of a model for a node: "1", "n1", "person-2", "#3", "ada_moen".
var code = regexp.MustCompile(`^(?:(?i:#|[a-z]+[-_ ]?)?\d+|[A-Za-z]|\w+_\w+)$`)

// named records the name for a code.
func (m *mined) named(code, name string) {
	if m.codes == nil {
		m.codes = map[string]string{}
	}
	m.codes[strings.ToLower(code)] = name
}

// decode replaces codes by their names.
func (m *mined) decode() {
	for i := range m.relations {
		r := &m.relations[i]
		for _, end := range []*string{&r.source, &r.target} {
			if name, ok := m.codes[strings.ToLower(*end)]; ok {
				*end = name
			}
		}
	}
}

func (m *mined) relation(item any) {
	f, _ := item.(llm.Object)
	r := minedRelation{
		source: end(f, headKeys), sourceLabel: f.Text(headTypeKeys...),
		kind:   f.Text(kindKeys...),
		target: end(f, tailKeys), targetLabel: f.Text(tailTypeKeys...),
		properties: properties(f), passages: f.Numbers(passageKeys...),
		dated: f.Has(fromKeys...) || f.Has(untilKeys...), when: [2]string{f.Text(fromKeys...), f.Text(untilKeys...)},
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

// graphSchema returns the JSON schema of a graph. It is strict, so that servers can enforce it. With several passages,
// each item names its own. A field whose name says enough has no description: every word is paid for with every
// request.
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
		"type": oneOf(s.types(), d.Type), "properties": properties(object{}), fromKeys[0]: plain, untilKeys[0]: plain,
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
