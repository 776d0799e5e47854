package schemas

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/extract"
)

// MaxName is the maximum number of code points of a schema's name.
const MaxName = 40

// Name returns the normal form of a schema's name, which is that of a tag. The
// error is Invalid for one that is empty or too long.
func Name(text string) (string, error) {
	name := domain.Tag(text)
	if name == "" || domain.Runes(name) > MaxName {
		return "", domain.Errorf(domain.Invalid, "The name of a schema must have 1 to %d characters.", MaxName)
	}
	return name, nil
}

// A Choice is a schema that can be chosen when documents are added.
type Choice struct {
	Name   string
	Title  string // of the template, if no schema with the name was saved
	Number int64  // of the current version; 0 for a template
}

// Choices lists the schemas that have a name, and then the templates that are not saved under theirs.
func (s *Service) Choices(ctx context.Context, w domain.WorkspaceID) ([]Choice, error) {
	set, err := s.Scopes(ctx, w)
	if err != nil {
		return nil, err
	}
	var all []Choice
	for _, v := range set {
		if v.Scope.Name != "" {
			all = append(all, Choice{Name: v.Scope.Name, Number: v.Number})
		}
	}
	for _, t := range Templates() {
		if !slices.ContainsFunc(all, func(c Choice) bool { return c.Name == t.Name }) {
			all = append(all, Choice{Name: t.Name, Title: t.Title})
		}
	}
	return all, nil
}

// Choose returns the normal form of a name that can be chosen for documents. A template that is not saved yet is saved
// under its name. The error is NotFound when there is neither.
func (s *Service) Choose(ctx context.Context, w domain.WorkspaceID, text, who string) (string, error) {
	name, err := Name(text)
	if err != nil {
		return "", err
	}
	latest, err := s.Latest(ctx, w, Scope{Name: name})
	if err != nil || latest.Number > 0 && !latest.Cleared {
		return name, err
	}
	t, err := FindTemplate(name)
	if err != nil {
		return "", domain.Errorf(domain.NotFound, "There is no schema %q. The page Documents, clew schema scopes and clew schema templates list the schemas to choose from.", name)
	}
	g, err := t.Guide()
	if err != nil {
		return "", err
	}
	return name, s.Keep(ctx, w, name, g, who, "The template "+t.Title)
}

// Keep saves a schema under a name, unless it is the one in force. Its errors are
// those of Save.
func (s *Service) Keep(ctx context.Context, w domain.WorkspaceID, name string, g extract.Guide, who, note string) error {
	latest, err := s.Latest(ctx, w, Scope{Name: name})
	if err != nil || latest.Number > 0 && !latest.Cleared && latest.Guide.Hash() == g.Hash() {
		return err
	}
	_, err = s.Save(ctx, w, Draft{Scope: Scope{Name: name}, Base: latest.Number, Who: who, Note: note, Guide: g})
	if domain.KindOf(err) != domain.Conflict {
		return err
	}
	if latest, again := s.Latest(ctx, w, Scope{Name: name}); again != nil || latest.Guide.Hash() != g.Hash() {
		return err
	}
	return nil // somebody else saved the same at the same time
}
