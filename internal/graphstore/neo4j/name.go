package neo4j

import (
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
)

// fields are the properties of a node or relationship.
type fields = map[string]any

// maxToken bounds a label, type or property key in the server, in code points.
const maxToken = 64

// The names that mean something in the graph. What comes from documents gets
// another name.
var (
	ownLabels = []string{"Document", "Chunk"}
	ownTypes  = []string{"FROM_DOCUMENT", "FROM_CHUNK", "NEXT_CHUNK"}
	ownKeys   = []string{
		"workspace_id", "id", "label", "key", "name", "aliases", "alias_keys", "properties", "mentions", "chunks", "documents", "words",
	}
)

// labelToken is the label that an entity's node has beside __Entity__: what a
// person sees and asks for in the server's own tools. The label itself stands
// in the node's property.
func labelToken(label string) string { return token(label, "Entity", ownLabels) }

// typeToken is the type of a relation's relationship.
func typeToken(kind string) string { return token(kind, "RELATED_TO", ownTypes) }

// token makes a plain name of text: letters, marks and digits of any script and
// single characters _ for all else, so that it can be typed in a query and
// quoted by any program; other when nothing is left. It never is one of own,
// nor begins with two underscores as our own labels do.
func token(text, other string, own []string) string {
	var b strings.Builder
	n := 0
	for _, r := range text {
		if n == maxToken {
			break
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			r = '_'
		}
		b.WriteRune(r)
		n++
	}
	name := b.String()
	if strings.HasPrefix(name, "__") {
		name = strings.TrimLeft(name, "_")
	}
	if strings.Trim(name, "_") == "" {
		return other
	}
	if slices.Contains(own, name) {
		return name + "_"
	}
	return name
}

// maxShown bounds how many properties of an entity are properties of its node.
const maxShown = 50

// shown are an entity's properties as its node has them, for people and other
// programs: a value each, or a list where a key has several.
func shown(p domain.Properties) fields {
	values := map[string][]string{}
	for _, property := range p {
		key := token(property.Key, "value", ownKeys)
		if _, ok := values[key]; ok || len(values) < maxShown {
			values[key] = append(values[key], property.Value)
		}
	}
	f := fields{}
	for key, list := range values {
		if len(list) == 1 {
			f[key] = list[0]
		} else {
			f[key] = list
		}
	}
	return f
}
