package questions

import (
	"cmp"
	"context"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
)

// BranchOperations returns the operations on branches.
func BranchOperations() []operation.Operation[*Service] {
	return []operation.Operation[*Service]{
		operation.Op[*Service, oneRun, []ListedBranch]{
			Name: "run branches", Short: "List the branches of the question that a run answers", Scope: operation.Read, Routes: []string{"GET /runs/{run}/branches"}, Example: "  clew run branches run0123456789abcdef0123",
			Do: (*Service).listed,
			Text: operation.Table("RUN\tSTEP\tOF\tSTATUS\tWHAT", "", func(b ListedBranch) []any {
				return []any{b.Run, b.Step, cmp.Or(b.Parent, "the start"), b.Status, strings.Repeat("  ", b.Depth) + b.Title}
			}),
		},
		operation.Op[*Service, oneRun, operation.Nothing]{
			Name: "run delete", Short: "Delete the branch of a run, with those that begin at its steps", Scope: operation.Ask, Routes: []string{"DELETE /runs/{run}"}, Example: "  clew run delete run0123456789abcdef0123",
			Do: func(s *Service, ctx context.Context, in oneRun) (none operation.Nothing, err error) {
				r, err := s.Queue.Get(ctx, domain.WorkspaceOf(ctx), in.ID)
				if err != nil {
					return none, err
				}
				if r.Kind != BranchKind {
					return none, domain.Errorf(domain.Invalid, "This run is not a branch, and only branches can be deleted.")
				}
				return none, s.DeleteBranch(ctx, r.Workspace, domain.BranchID(r.Subject))
			},
		},
	}
}

type oneRun struct {
	ID domain.RunID `json:"run" arg:"ID" doc:"id of a run"`
}

// ListedBranch is a branch in a list.
type ListedBranch struct {
	Run     domain.RunID `json:"run"`
	Parent  domain.RunID `json:"parent,omitempty"`
	Step    int          `json:"step"`
	Depth   int          `json:"depth"`
	Purpose string       `json:"purpose"`
	Title   string       `json:"title"`
	Changes Changes      `json:"changes"`
	Status  string       `json:"status"`
	Problem string       `json:"problem,omitempty"`
	Answer  string       `json:"answer,omitempty"`
}

func (s *Service) listed(ctx context.Context, in oneRun) ([]ListedBranch, error) {
	a, err := s.Answered(ctx, domain.WorkspaceOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	all, err := s.Ledger.BranchesOf(ctx, a.Workspace, a.Message)
	if err != nil {
		return nil, err
	}
	list := []ListedBranch{}
	for _, n := range BranchTree(all) {
		changes, err := ChangesOf(n.Answer)
		if err != nil {
			return nil, err
		}
		list = append(list, ListedBranch{n.Run, n.Parent, n.Step, n.Depth, n.Purpose, BranchTitle(n.Answer), changes, string(n.Status), n.Problem, n.Text})
	}
	return list, nil
}
