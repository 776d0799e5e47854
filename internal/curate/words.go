package curate

import (
	"fmt"
	"strings"

	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection/fold"
)

// inWords describes an entry in a sentence.
func inWords(t fold.Effect) string {
	if t.Kind == ledger.CurationUndo {
		of := t
		of.Kind, of.Undoes = t.UndoneKind, 0
		if t.Restored {
			return "Brought back: " + lowerFirst(inWords(of))
		}
		return "Took back: " + lowerFirst(inWords(of))
	}
	entity, target := quoted(t.Entity), quoted(t.Target)
	switch t.Kind {
	case ledger.CurationMerge:
		others := make([]string, len(t.Others))
		for i, o := range t.Others {
			others[i] = quoted(o)
		}
		words := fmt.Sprintf("Merged %s into %s", strings.Join(others, ", "), entity)
		if t.NewName != t.Entity.Name && t.NewName != "" {
			words += fmt.Sprintf(", now called “%s”", t.NewName)
		}
		return words
	case ledger.CurationSplit:
		if t.NewName == "" {
			return "Took a part out of " + entity
		}
		return fmt.Sprintf("Took “%s” out of %s", t.NewName, entity)
	case ledger.CurationRename:
		if t.Name != "" {
			return fmt.Sprintf("Renamed %s to “%s”", entity, t.Name)
		}
		return fmt.Sprintf("Renamed %s to “%s”", entity, t.NewName)
	case ledger.CurationRelabel:
		return fmt.Sprintf("Labelled %s as %s", entity, t.Label)
	case ledger.CurationHide:
		return "Hid " + entity
	case ledger.CurationHideRelation:
		return fmt.Sprintf("Hid that %s %s %s", entity, verb(t.OldType), target)
	case ledger.CurationRetype:
		return fmt.Sprintf("Changed “%s” between %s and %s to “%s”", verb(t.OldType), entity, target, verb(t.Type))
	case ledger.CurationApart:
		if len(t.Others) > 0 {
			return fmt.Sprintf("Kept %s and %s apart", entity, quoted(t.Others[0]))
		}
	}
	return "Changed " + entity
}

func quoted(n fold.Named) string {
	if n.Name == "" {
		return "an entity that is no longer there"
	}
	return "“" + n.Name + "”"
}

func verb(kind string) string {
	if kind == "" {
		return "is related to"
	}
	return strings.ToLower(strings.ReplaceAll(kind, "_", " "))
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
