package domain

import "strings"

// DroppedKind is the kind of a dropped item.
type DroppedKind string

// The kinds of dropped items.
const (
	DroppedEntity   DroppedKind = "entity"
	DroppedRelation DroppedKind = "relation"
	DroppedProperty DroppedKind = "property"
)

// DropCode is why an item was dropped. A later schema can allow an item again
// unless its code is DropUnnamed, DropLoop or DropIncomplete.
type DropCode string

// The reasons for dropping an item.
const (
	DropLabel      DropCode = "label"      // the schema lacks its label
	DropType       DropCode = "type"       // the schema lacks its type
	DropTriple     DropCode = "triple"     // the schema has the type, but not between these labels
	DropEnd        DropCode = "end"        // one of its ends was dropped
	DropProperty   DropCode = "property"   // the schema does not declare the property
	DropValue      DropCode = "value"      // the value is not of the declared type
	DropUnnamed    DropCode = "unnamed"    // the text does not name it
	DropLoop       DropCode = "loop"       // both ends are the same
	DropIncomplete DropCode = "incomplete" // it has no name, type, source or target
)

// Dropped is an item that was found in a chunk and left out of the graph.
type Dropped struct {
	Kind     DroppedKind `json:"kind"`
	Name     string      `json:"name,omitempty"`    // of the entity; of a relation's source
	Label    string      `json:"label,omitempty"`   // of the entity
	Type     string      `json:"type,omitempty"`    // of the relation
	Target   string      `json:"target,omitempty"`  // of the relation
	Property Property    `json:"property,omitzero"` // of the entity or relation
	Lacks    [3]string   `json:"lacks,omitzero"`    // the triple that would allow it, with DropTriple: label, type, label
	Spans    []Span      `json:"spans,omitempty"`   // in the document's text; none if the text does not name it
	Code     DropCode    `json:"code"`
	Reason   string      `json:"reason"` // a sentence
}

// Named returns the item in a few words.
func (d Dropped) Named() string {
	parts := []string{d.Name, d.Type, d.Target}
	if d.Kind == DroppedProperty {
		parts = append(parts, d.Property.Key+"="+d.Property.Value)
	}
	return OneLine(strings.Join(parts, " "))
}
