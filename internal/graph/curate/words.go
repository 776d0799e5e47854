package curate

import (
	"fmt"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection/fold"
)

// KindInWords returns what the changes of a kind are called.
func KindInWords(k ledger.CurationKind) string {
	return map[ledger.CurationKind]string{
		ledger.CurationMerge: "Merged", ledger.CurationSplit: "Split", ledger.CurationRename: "Renamed", ledger.CurationRelabel: "Labelled",
		ledger.CurationSet: "Property set", ledger.CurationUnset: "Property removed", ledger.CurationCreate: "Entity added", ledger.CurationRelate: "Relation added",
		ledger.CurationRetype: "Relation changed", ledger.CurationHide: "Entity deleted", ledger.CurationHideRelation: "Relation deleted",
		ledger.CurationApart: "Kept apart", ledger.CurationTag: "Documents tagged", ledger.CurationUndo: "Undone",
	}[k]
}

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
		return "Deleted " + entity
	case ledger.CurationHideRelation:
		return fmt.Sprintf("Deleted that %s %s %s", entity, verb(t.OldType), target)
	case ledger.CurationCreate:
		return created(t)
	case ledger.CurationRelate:
		return fmt.Sprintf("Added that %s %s %s%s", entity, verb(t.Type), target, origin(t))
	case ledger.CurationSet, ledger.CurationUnset:
		return edited(t)
	case ledger.CurationRetype:
		return fmt.Sprintf("Changed “%s” between %s and %s to “%s”", verb(t.OldType), entity, target, verb(t.Type))
	case ledger.CurationTag:
		return tagged(t)
	case ledger.CurationApart:
		if len(t.Others) > 0 {
			return fmt.Sprintf("Kept %s and %s apart", entity, quoted(t.Others[0]))
		}
	}
	return "Changed " + entity
}

// origin tells what something created stands on.
func origin(t fold.Effect) string {
	if t.Stretch.Chunk == "" {
		return ", without a source"
	}
	return ", from a document"
}

func created(t fold.Effect) string {
	name := t.NewName
	if name == "" {
		return "Added an entity that is no longer there" + origin(t)
	}
	return fmt.Sprintf("Added “%s” as %s%s", name, t.Label, origin(t))
}

// tagged describes a change of the tags of documents.
func tagged(t fold.Effect) string {
	list := func(tags []string) string { return "“" + strings.Join(tags, "”, “") + "”" }
	documents := domain.Counted(t.Documents, "document", "documents")
	switch {
	case len(t.Untags) == 0:
		return fmt.Sprintf("Tagged %s %s", documents, list(t.Tags))
	case len(t.Tags) == 0:
		return fmt.Sprintf("Took %s off %s", list(t.Untags), documents)
	}
	return fmt.Sprintf("Tagged %s %s, and took %s off", documents, list(t.Tags), list(t.Untags))
}

// edited describes a property that was set or removed.
func edited(t fold.Effect) string {
	of := quoted(t.Entity)
	if t.Relation != "" {
		of = fmt.Sprintf("the relation of %s and %s", of, quoted(t.Target))
	}
	key := "a property"
	if t.Key != "" {
		key = strings.ReplaceAll(t.Key, "_", " ")
	}
	switch {
	case t.Kind == ledger.CurationUnset && t.NewValue != "":
		return fmt.Sprintf("Removed “%s” from %s of %s", t.NewValue, key, of)
	case t.Kind == ledger.CurationUnset:
		return fmt.Sprintf("Removed %s of %s", key, of)
	case t.NewValue == "":
		return fmt.Sprintf("Set %s of %s", key, of)
	case t.OldValue != "":
		return fmt.Sprintf("Changed %s of %s from “%s” to “%s”", key, of, t.OldValue, t.NewValue)
	}
	return fmt.Sprintf("Set %s of %s to “%s”", key, of, t.NewValue)
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
