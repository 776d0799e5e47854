package partial

import "strings"

// DroppedRow is an item that was found in a text and left out of the graph.
type DroppedRow struct {
	Kind   string // entity, relation or property, with the property
	Name   string // of the entity, or of the relation's source
	Type   string // of the relation
	Target string
	Reason string
	Allow  string // value of a button that allows it in a draft; "" if no schema can
	Change string // address of the draft that allows it; "" if no schema can
	URL    string // its place in the text; "" if the text does not name it
}

// AllowAt returns the value of the button, including its position.
func (d DroppedRow) AllowAt(at string) string {
	verb, item, _ := strings.Cut(d.Allow, ".")
	return verb + at + "." + item
}
