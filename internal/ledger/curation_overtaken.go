package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// overtaken returns a Conflict error if an entry after c.Seen changed what c is
// about.
func overtaken(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, c Curation) error {
	if c.Seen <= 0 || c.Kind == CurationUndo {
		return nil
	}
	since, err := sqlio.Collect(ctx, tx, scanCuration, `SELECT `+curationColumns+` FROM curations WHERE workspace_id = ? AND seq > ? ORDER BY seq`, ws, c.Seen)
	if err != nil {
		return err
	}
	for _, e := range since {
		by := cmp.Or(e.Who, "Somebody")
		undone := e.Kind == CurationUndo
		if e, err = origin(ctx, tx, ws, e); err != nil {
			return err
		}
		what := overtakes(e, c)
		switch {
		case what == "":
		case undone:
			return domain.Errorf(domain.Conflict, "%s has undone a change to this meanwhile. Look at it again, then decide.", by)
		default:
			return domain.Errorf(domain.Conflict, "%s has %s meanwhile. Look at it again, then decide.", by, what)
		}
	}
	return nil
}

// origin follows undos to the entry they undo.
func origin(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, e Curation) (Curation, error) {
	for e.Kind == CurationUndo {
		found, err := sqlio.Collect(ctx, tx, scanCuration, `SELECT `+curationColumns+` FROM curations WHERE workspace_id = ? AND seq = ?`, ws, e.Undoes)
		if err != nil || len(found) == 0 {
			return e, err
		}
		e = found[0]
	}
	return e, nil
}

// overtakes tells what entry e did to the subject of c, "" if c can follow it.
func overtakes(e, c Curation) string {
	shared := 0
	for _, id := range e.Entities() {
		if slices.Contains(c.Entities(), id) {
			shared++
		}
	}
	same := e.Entity == c.Entity && e.Relation == c.Relation
	value := e.Kind == CurationSet || e.Kind == CurationUnset
	switch {
	case shared == 0:
		return ""
	case e.Kind == CurationMerge:
		return "merged this entity with another one"
	case e.Kind == CurationSplit:
		return "taken a part out of this entity"
	case e.Kind == CurationHide:
		return "deleted this entity"
	case e.Kind == CurationApart && c.Kind == CurationMerge && shared > 1:
		return "decided to keep these apart"
	case e.Kind == CurationRename && c.Kind == CurationRename:
		return "renamed this entity"
	case e.Kind == CurationRelabel && c.Kind == CurationRelabel:
		return "changed the label of this entity"
	case (e.Kind == CurationHideRelation || e.Kind == CurationRetype) && same && c.Relation != "":
		return "changed this relation"
	case value && (c.Kind == CurationSet || c.Kind == CurationUnset) && same && e.Property.meets(c.Property):
		return "changed this property"
	}
	return ""
}

// meets reports whether two words may be the same.
func (w Word) meets(o Word) bool {
	return w.Text != "" && o.Is(w.Text) || o.Text != "" && w.Is(o.Text) || w.Hash != "" && w.Hash == o.Hash
}
