package questions

import (
	"context"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
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
	return s.Resolve(ctx, w, scope)
}

// Resolve returns a scope with the fields that it names found, under their present names. It fails with kind Invalid for an
// unknown one.
func (s *Service) Resolve(ctx context.Context, w domain.WorkspaceID, scope domain.Scope) (domain.Scope, error) {
	if len(scope.Fields) == 0 {
		return scope, nil
	}
	fields, err := s.Ledger.Fields(ctx, w)
	if err != nil {
		return scope, err
	}
	return scope, scope.Resolve(fields)
}

// A FieldOption is a term about a field that completes what is typed.
type FieldOption struct {
	Term      domain.FieldTerm
	Documents int // with the value; 0 for a term that was typed in full
}

// mostFieldValues is how many values of each field are offered.
const mostFieldValues = 8

// CompleteField returns terms about fields that contain the typed text: first the typed term itself, then values that
// documents have.
func (s *Service) CompleteField(ctx context.Context, w domain.WorkspaceID, typed string) (options []FieldOption, err error) {
	fields, err := s.Ledger.Fields(ctx, w)
	if err != nil || len(fields) == 0 || typed == "" {
		return nil, err
	}
	var scope domain.Scope
	if strings.ContainsAny(typed, "<>=") && scope.Add(domain.WithinField+":"+typed) == nil && scope.Resolve(fields) == nil {
		for _, t := range scope.Fields {
			options = append(options, FieldOption{Term: t})
		}
	}
	counts, err := s.Ledger.CountFields(ctx, w, ledger.DocumentQuery{}, "", mostFieldValues)
	for _, c := range counts {
		at := slices.IndexFunc(fields, func(f domain.Field) bool { return f.ID == c.Field })
		if at < 0 {
			continue
		}
		t := domain.FieldTerm{Field: c.Field, Kind: fields[at].Kind, Name: fields[at].Name, Op: "=", Value: c.Value}
		if strings.Contains(strings.ToLower(t.String()), strings.ToLower(typed)) && !slices.ContainsFunc(options, func(o FieldOption) bool { return o.Term == t }) {
			options = append(options, FieldOption{t, c.Count})
		}
	}
	return options, err
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
	exact := lists.Filter(found, func(d domain.Document) bool { return strings.EqualFold(d.Title, name) })
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
	if scope.Everywhere() {
		return nil, nil
	}
	ids, err := s.Ledger.Within(ctx, w, scope)
	if err == nil && len(ids) == 0 {
		err = domain.Errorf(domain.Invalid, "No document matches %s. Remove it to ask all documents.", said(scope))
	}
	return ids, err
}

// DocumentsWithin returns the documents of the scope that terms make, see Scope and Within.
func (s *Service) DocumentsWithin(ctx context.Context, w domain.WorkspaceID, terms []string) ([]domain.DocumentID, error) {
	scope, err := s.Scope(ctx, w, terms)
	if err != nil {
		return nil, err
	}
	return s.Within(ctx, w, scope)
}

// said names a scope in words.
func said(s domain.Scope) string {
	parts := lists.Map(s.Tags, func(t string) string { return "#" + t })
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
