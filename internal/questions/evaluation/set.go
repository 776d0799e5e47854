package evaluation

import (
	"context"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// A Set is a named set of kept questions.
type Set struct {
	ID        domain.SetID `json:"id"`
	Name      string       `json:"name"`
	Questions int          `json:"questions"`
}

// The maximum number of sets of a workspace, and the longest name of one, in code points.
const (
	MaxSets    = 50
	MaxSetName = 80
)

// Sets lists the sets of kept questions, oldest first. There is always one.
func (s *Service) Sets(ctx context.Context, w domain.WorkspaceID) ([]Set, error) {
	rows, err := s.Ledger.QuestionSets(ctx, w)
	all := make([]Set, len(rows))
	for i, r := range rows {
		all[i] = Set{ID: r.ID, Name: r.Name, Questions: r.Questions}
	}
	return all, err
}

// FindSet returns the set with an id or a name, or the first if which is "". The error is NotFound if there is none.
func (s *Service) FindSet(ctx context.Context, w domain.WorkspaceID, which string) (Set, error) {
	all, err := s.Sets(ctx, w)
	if err != nil {
		return Set{}, err
	}
	for _, set := range all {
		if which == "" || string(set.ID) == which || strings.EqualFold(set.Name, strings.TrimSpace(which)) {
			return set, nil
		}
	}
	return Set{}, domain.Errorf(domain.NotFound, "There is no set %s of questions here. It may have been deleted or renamed.", domain.Cut(which, MaxSetName))
}

// AddSet adds a set without questions. The error is Invalid for a name that can't be,
// Conflict for one that another set has, and TooLarge when there are too many.
func (s *Service) AddSet(ctx context.Context, w domain.WorkspaceID, name string) (Set, error) {
	name, err := setName(name)
	if err != nil {
		return Set{}, err
	}
	id, err := s.IDs.Set()
	if err != nil {
		return Set{}, err
	}
	return Set{ID: id, Name: name}, s.Ledger.AddSet(ctx, w, MaxSets, ledger.QuestionSet{ID: id, Name: name})
}

// RenameSet renames a set. It fails like AddSet, and with NotFound.
func (s *Service) RenameSet(ctx context.Context, w domain.WorkspaceID, id domain.SetID, name string) error {
	name, err := setName(name)
	if err != nil {
		return err
	}
	return s.Ledger.RenameSet(ctx, w, id, name)
}

func setName(name string) (string, error) {
	name = domain.OneLine(strings.ToValidUTF8(name, ""))
	switch n := domain.Runes(name); {
	case n == 0:
		return "", domain.Errorf(domain.Invalid, "The name of the set is empty. Write one.")
	case n > MaxSetName:
		return "", domain.Errorf(domain.Invalid, "The name of a set has %d characters; the limit is %d.", n, MaxSetName)
	}
	return name, nil
}
