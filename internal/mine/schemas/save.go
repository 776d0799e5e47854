package schemas

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/extract"
)

// MaxNote is the maximum number of code points of a version's note.
const MaxNote = 200

// A Draft is a schema before it is saved as a version.
type Draft struct {
	Scope Scope
	Base  int64 // number of the scope's latest version when the draft was begun; 0 if there is none
	Who   string
	Note  string // what it changes; may be ""
	Guide extract.Guide
}

// Save stores a draft as the scope's next version. The error is Invalid for a
// schema or a note that can't be kept, or for a field that the library has with
// other values, Conflict when somebody else saved a
// version since the draft was begun, and NotFound when its document is gone.
func (s *Service) Save(ctx context.Context, w domain.WorkspaceID, d Draft) (Version, error) {
	if err := d.Guide.Validate(); err != nil {
		return Version{}, err
	}
	if d.Guide.Empty() {
		return Version{}, domain.Errorf(domain.Invalid, "The schema is empty. Add a label, a type or a field, start from a template, or write an instruction.")
	}
	fields, err := s.newFields(ctx, w, d.Guide)
	if err != nil {
		return Version{}, err
	}
	body, err := json.Marshal(d.Guide)
	if err != nil {
		return Version{}, fmt.Errorf("write a schema: %w", err)
	}
	v, err := s.add(ctx, w, d, string(body), fields...)
	if err == nil && len(fields) > 0 && s.Project != nil {
		if err := s.Project(context.WithoutCancel(ctx), w); domain.KindOf(err) != domain.Unavailable {
			return v, err // if it fails, the stores follow later
		}
	}
	return v, err
}

// newFields returns the fields that a schema asks for and the workspace lacks. The error is Invalid if one is there with other
// values.
func (s *Service) newFields(ctx context.Context, w domain.WorkspaceID, g extract.Guide) (lacking []domain.Field, err error) {
	if len(g.Fields) == 0 {
		return nil, nil
	}
	fields, err := s.Ledger.Fields(ctx, w)
	if err != nil {
		return nil, err
	}
	for _, r := range g.Fields {
		f, found, err := r.Of(fields)
		if err == nil && !found {
			err = f.Check()
			lacking = append(lacking, f)
		}
		if err != nil {
			return nil, err
		}
	}
	return lacking, nil
}

// Clear takes the schema of a scope out of force: what it guided falls back to a
// wider one. The error is Invalid when the scope has none, and otherwise as for
// Save.
func (s *Service) Clear(ctx context.Context, w domain.WorkspaceID, d Draft) (Version, error) {
	latest, err := s.Latest(ctx, w, d.Scope)
	if err != nil {
		return Version{}, err
	}
	if latest.Number == 0 || latest.Cleared {
		return Version{}, domain.Errorf(domain.Invalid, "There is no schema here to clear.")
	}
	return s.add(ctx, w, d, "")
}

// Restore saves an earlier version once more, for its own scope. Its errors are
// the ones of Save, and NotFound for an unknown version. A version without a schema
// restores its absence.
func (s *Service) Restore(ctx context.Context, w domain.WorkspaceID, number int64, who string) (Version, error) {
	if number <= 0 {
		return Version{}, domain.Errorf(domain.NotFound, "There is no version %d of a schema.", number)
	}
	old, err := s.At(ctx, w, number)
	if err != nil {
		return Version{}, err
	}
	latest, err := s.Latest(ctx, w, old.Scope)
	if err != nil {
		return Version{}, err
	}
	if latest.Number == number {
		return Version{}, domain.Errorf(domain.Invalid, "Version %d is already the current one.", number)
	}
	d := Draft{Scope: old.Scope, Base: latest.Number, Who: who, Note: fmt.Sprintf("Restores version %d", number), Guide: old.Guide}
	if old.Cleared {
		return s.Clear(ctx, w, d)
	}
	return s.Save(ctx, w, d)
}

func (s *Service) add(ctx context.Context, w domain.WorkspaceID, d Draft, body string, fields ...domain.Field) (Version, error) {
	note := domain.OneLine(d.Note)
	if domain.Runes(note) > MaxNote || strings.ContainsFunc(note, unicode.IsControl) {
		return Version{}, domain.Errorf(domain.Invalid, "A note must have at most %d characters, on one line.", MaxNote)
	}
	row, err := s.Ledger.AddSchema(ctx, w, ledger.SchemaVersion{Scope: d.Scope, Who: d.Who, Note: note, Body: body}, d.Base, fields...)
	if err != nil {
		return Version{}, err
	}
	return version(row)
}
