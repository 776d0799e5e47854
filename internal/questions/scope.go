package questions

import (
	"context"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// Documents finds documents by id, name or the end of a name.
type Documents interface {
	Find(ctx context.Context, w domain.WorkspaceID, names []string) ([]domain.DocumentID, error)
}

// Scope returns the scope that terms make, see domain.Scope.Add. A document may also be
// named by its title, or by a part of its name or title that no other has. The error is
// NotFound for a document that is not there, and Invalid for an unclear term.
func (s *Service) Scope(ctx context.Context, w domain.WorkspaceID, terms []string) (domain.Scope, error) {
	var scope domain.Scope
	for _, term := range terms {
		if name, ok := strings.CutPrefix(strings.TrimSpace(term), domain.WithinDocument+":"); ok && strings.TrimSpace(name) != "" {
			id, err := s.documentNamed(ctx, w, strings.TrimSpace(name))
			if err != nil {
				return scope, err
			}
			term = domain.WithinDocument + ":" + string(id)
		}
		if err := scope.Add(term); err != nil {
			return scope, err
		}
	}
	return s.fields(ctx, w, scope)
}

// fields returns a scope with the fields that it names resolved.
func (s *Service) fields(ctx context.Context, w domain.WorkspaceID, scope domain.Scope) (domain.Scope, error) {
	if len(scope.Fields) == 0 {
		return scope, nil
	}
	fields, err := s.Ledger.Fields(ctx, w)
	if err != nil {
		return scope, err
	}
	return scope, scope.Resolve(fields)
}

// documentNamed returns the id of the document that a term names.
func (s *Service) documentNamed(ctx context.Context, w domain.WorkspaceID, name string) (domain.DocumentID, error) {
	ids, err := s.Documents.Find(ctx, w, []string{name})
	if err == nil {
		return ids[0], nil
	}
	if domain.KindOf(err) != domain.NotFound {
		return "", err
	}
	missing := err
	found, n, err := s.Ledger.Documents(ctx, w, ledger.DocumentQuery{Text: name, Limit: 50})
	if err != nil {
		return "", err
	}
	var exact []domain.Document
	for _, d := range found {
		if strings.EqualFold(d.Title, name) {
			exact = append(exact, d)
		}
	}
	if len(exact) > 0 {
		found, n = exact, len(exact)
	}
	switch n {
	case 0:
		return "", missing
	case 1:
		return found[0].ID, nil
	}
	return "", domain.Errorf(domain.Invalid, "%q occurs in the names or titles of %d documents, among them %s (%s) and %s (%s). Write the full name of one, or its id.",
		domain.Cut(name, domain.MaxTag), n, found[0].Name, found[0].ID, found[1].Name, found[1].ID)
}

// Within returns the documents of a scope, none for the whole library. The error is
// Invalid for a scope that has none.
func (s *Service) Within(ctx context.Context, w domain.WorkspaceID, scope domain.Scope) ([]domain.DocumentID, error) {
	if scope.All() {
		return nil, nil
	}
	ids, err := s.Ledger.Within(ctx, w, scope)
	if err == nil && len(ids) == 0 {
		err = domain.Errorf(domain.Invalid, "No document matches %s. Remove it to ask all documents.", said(scope))
	}
	return ids, err
}

// said names a scope in words.
func said(s domain.Scope) string {
	var parts []string
	for _, t := range s.Tags {
		parts = append(parts, "#"+t)
	}
	if n := len(s.Documents); n > 0 {
		parts = append(parts, domain.Counted(n, "document", "documents"))
	}
	if s.From != "" {
		parts = append(parts, "from "+s.From)
	}
	if s.To != "" {
		parts = append(parts, "to "+s.To)
	}
	facts := domain.Scope{FactFilter: s.FactFilter}
	return strings.Join(append(parts, facts.Terms()...), ", ")
}
