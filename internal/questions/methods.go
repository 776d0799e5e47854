package questions

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/job"
)

// StartMethods starts a branch of a turn for each method, and those by vectors only if there is an embedding model. A
// single method searches once; the default also rewords the question. runs returns the function that adds a run; nil
// stands for the queue.
func (s *Service) StartMethods(ctx context.Context, w domain.WorkspaceID, m domain.MessageID, runs func() job.Adder) ([]ledger.Answer, error) {
	var started []ledger.Answer
	for _, method := range domain.Methods() {
		if method.ByVectors() && !s.Vectors {
			continue
		}
		v := Variation{Workspace: w, Message: m, Purpose: Method}
		v.Changes.Method = &method
		if method != domain.MethodDefault {
			v.Changes.MaxLoops = new(0)
		}
		if runs != nil {
			v.Runs = runs()
		}
		b, err := s.Vary(ctx, v)
		if err != nil {
			return started, err
		}
		started = append(started, b)
	}
	return started, nil
}

// ByMethod returns the latest branch of a turn by each method, in the order of
// Methods. A method without a branch is left out.
func (s *Service) ByMethod(ctx context.Context, w domain.WorkspaceID, m domain.MessageID) (map[domain.MethodName]ledger.Answer, error) {
	all, err := s.Ledger.BranchesOf(ctx, w, m)
	if err != nil {
		return nil, err
	}
	by := map[domain.MethodName]ledger.Answer{}
	for _, b := range slices.Backward(all) {
		if b.Purpose != string(Method) {
			continue
		}
		changes, err := ChangesOf(b)
		if err != nil {
			return nil, err
		}
		if changes.Method == nil {
			continue
		}
		if _, ok := by[*changes.Method]; !ok {
			by[*changes.Method] = b
		}
	}
	return by, nil
}
