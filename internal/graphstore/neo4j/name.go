package neo4j

import (
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
)

// fields are the properties of a node or relationship.
type fields = map[string]any

// maxToken bounds a label, type or property key on the server, in code points.
const maxToken = 64

// The graph's own names. Names from documents must differ from them.
var (
	ownLabels = []string{"Document", "Chunk"}
	ownTypes  = []string{"FROM_DOCUMENT", "FROM_CHUNK", "NEXT_CHUNK"}
	ownKeys   = []string{
		"workspace_id", "id", "label", "key", "name", "aliases", "alias_keys", "properties", "mentions", "chunks", "documents", "words",
	}
)

// labelToken returns an entity's label in the server besides __Entity__, for
// people who use the server's own tools. The label itself is a property of the
// node.
func labelToken(label string) string { return token(label, "Entity", ownLabels) }

// typeToken returns the relationship type for a relation.
func typeToken(kind string) string { return token(kind, "RELATED_TO", ownTypes) }

// token reduces text to a plain name that needs no quoting: letters, marks and
// digits of any script, and single underscores for everything else. It returns
// other if nothing is left, and never returns one of own or a name that starts
// with two underscores, like our own labels.
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

// maxShown bounds how many of an entity's properties become node properties.
const maxShown = 50

// shown returns an entity's properties as node properties, for people and other
// programs: one value each, or a list if a key has several.
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
