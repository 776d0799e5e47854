package present

import (
	"cmp"
	"context"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// Dropped returns the row of an item that was dropped from a document.
func Dropped(ctx context.Context, d domain.Dropped, of domain.DocumentID) partial.DroppedRow {
	row := partial.DroppedRow{Kind: string(d.Kind), Name: d.Name, Type: d.Type, Target: d.Target, Reason: d.Reason, Allow: allow(d)}
	row.Name = cmp.Or(row.Name, lang.T(ctx, "(no name)"))
	if d.Kind == domain.DroppedProperty {
		row.Kind += " " + d.Property.Key + ": " + d.Property.Value
	}
	if len(d.Spans) > 0 {
		row.URL = link.Passage(of, d.Spans[0])
	}
	return row
}

// allow returns the value of a button that allows an item, which Allowed reads: the
// code of why it was dropped, and the names that the schema lacks. It is "" where
// there is nothing to allow.
func allow(d domain.Dropped) string {
	parts := []string{"allow", string(d.Code)}
	switch {
	case d.Code == domain.DropLabel && d.Label != domain.UnknownLabel:
		parts = append(parts, d.Label)
	case d.Code == domain.DropType:
		parts = append(parts, d.Type)
	case d.Code == domain.DropTriple && d.Lacks != [3]string{}:
		parts = append(parts, d.Lacks[:]...)
	case d.Code == domain.DropProperty, d.Code == domain.DropValue:
		parts = append(parts, d.Label+d.Type, d.Property.Key)
	default:
		return ""
	}
	return strings.Join(parts, ".")
}

// Allowed returns the item of a button, as far as it takes to allow it.
func Allowed(value string) domain.Dropped {
	_, item, _ := strings.Cut(value, ".") // behind "allow", and where the button stands
	code, names, _ := strings.Cut(item, ".")
	d := domain.Dropped{Code: domain.DropCode(code)}
	switch d.Code {
	case domain.DropLabel:
		d.Label = names
	case domain.DropType:
		d.Type = names
	case domain.DropTriple:
		if parts := strings.Split(names, "."); len(parts) == len(d.Lacks) {
			d.Lacks = [3]string(parts)
		}
	case domain.DropProperty, domain.DropValue:
		d.Label, d.Property.Key, _ = strings.Cut(names, ".")
	}
	return d
}
