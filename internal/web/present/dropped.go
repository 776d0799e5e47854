package present

import (
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// Dropped returns the row of an item that was dropped from a document.
func Dropped(d domain.Dropped, of domain.DocumentID) partial.DroppedRow {
	row := partial.DroppedRow{Kind: string(d.Kind), Name: d.Name, Type: d.Type, Target: d.Target, Reason: d.Reason, Allow: allow(d)}
	if row.Name == "" {
		row.Name = "(no name)"
	}
	if d.Kind == domain.DroppedProperty {
		row.Kind += " " + d.Property.Key + ": " + d.Property.Value
	}
	if len(d.Spans) > 0 {
		row.URL = link.Passage(of, d.Spans[0])
	}
	return row
}

// allow returns the value of a button that allows an item: the code of why it was
// dropped, and the names that the schema lacks.
func allow(d domain.Dropped) string {
	parts := []string{"allow", string(d.Code)}
	switch {
	case d.Code == domain.DropLabel && d.Label != domain.UnknownLabel:
		parts = append(parts, d.Label)
	case d.Code == domain.DropType:
		parts = append(parts, d.Type)
	default:
		return ""
	}
	return strings.Join(parts, ".")
}
