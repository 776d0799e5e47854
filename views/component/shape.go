// Package component contains the small parts that pages are built from.
package component

import (
	"context"
	"hash/fnv"

	"github.com/clewhq/clew/views/lang"
)

// A Shape marks a label by colour and form together, so that neither carries
// the meaning alone.
type Shape struct {
	Class string `json:"class"` // of the colour
	Path  string `json:"path"`  // within 16 by 16 around the origin
}

// The shapes.
const (
	circle   = "M0-6.5A6.5 6.5 0 1 1 0 6.5 6.5 6.5 0 0 1 0-6.5z"
	square   = "M-5.8-5.8H5.8V5.8H-5.8z"
	hexagon  = "M-3.5-6.3h7L7.2 0 3.5 6.3h-7L-7.2 0z"
	rhomb    = "M0-7.5 7.5 0 0 7.5-7.5 0z"
	triangle = "M0-7 7.3 6H-7.3z"
	leaf     = "M-5-7h6.5L5-3.5V7H-5z"
)

// shapes maps the labels with a fixed shape: those of the built-in mode and of
// the templates for a schema.
var shapes = map[string]Shape{
	"Person":       {"l-person", circle},
	"Role":         {"l-person hollow", square},
	"Organization": {"l-org", hexagon},
	"Organisation": {"l-org", hexagon},
	"Company":      {"l-org", hexagon},
	"Party":        {"l-org", hexagon},
	"Body":         {"l-org", hexagon},
	"Team":         {"l-org", hexagon},
	"Interface":    {"l-org", rhomb},
	"Place":        {"l-place", rhomb},
	"Location":     {"l-place", rhomb},
	"Platform":     {"l-place", hexagon},
	"Data":         {"l-place", leaf},
	"Dataset":      {"l-place", leaf},
	"Decision":     {"l-place", square},
	"Event":        {"l-event", triangle},
	"Meeting":      {"l-event", triangle},
	"Incident":     {"l-event", triangle},
	"Error":        {"l-event", triangle},
	"Award":        {"l-event", rhomb},
	"Finding":      {"l-event", rhomb},
	"Payment":      {"l-event hollow", rhomb},
	"Sum":          {"l-event hollow", rhomb},
	"Cause":        {"l-event hollow", rhomb},
	"Date":         {"l-event hollow", triangle},
	"Term":         {"l-event hollow", triangle},
	"Effect":       {"l-event hollow", triangle},
	"Work":         {"l-work", square},
	"Structure":    {"l-work", square},
	"Object":       {"l-work", square},
	"Subject":      {"l-work", square},
	"System":       {"l-work", square},
	"Component":    {"l-work", square},
	"Method":       {"l-work", hexagon},
	"Task":         {"l-work", triangle},
	"Action":       {"l-work", triangle},
	"Obligation":   {"l-work hollow", square},
	"Feature":      {"l-work hollow", hexagon},
	"Document":     {"l-text", leaf},
	"Text":         {"l-text", leaf},
	"Contract":     {"l-text", leaf},
	"Paper":        {"l-text", leaf},
	"Law":          {"l-text", square},
	"Setting":      {"l-text", square},
	"Concept":      {"l-text hollow", hexagon},
	"Topic":        {"l-text hollow", hexagon},
	"Entity":       {"l-text hollow", circle},
}

// others holds hollow shapes for all other labels.
var others = []Shape{
	{"l-work hollow", square}, {"l-org hollow", hexagon}, {"l-place hollow", rhomb},
	{"l-event hollow", triangle}, {"l-person hollow", circle}, {"l-text hollow", leaf},
}

// ShapeOf returns the shape of a label, always the same one.
func ShapeOf(label string) Shape {
	if s, ok := shapes[label]; ok {
		return s
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(label)) // never fails
	return others[h.Sum32()%uint32(len(others))]
}

// LabelName returns a label as shown to people.
func LabelName(ctx context.Context, label string) string {
	switch label {
	case "", "Entity":
		return lang.T(ctx, "Without a label")
	}
	return label
}
