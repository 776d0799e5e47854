package summaries

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/summarize"
)

// question returns the question that the run of a summary asks, and reports whether it asks any.
func (s *Service) question(ctx context.Context, sum ledger.Summary) (stategraph.Question, bool, error) {
	if !sum.Review || sum.Status != ledger.SummaryWorking && sum.Status != ledger.SummaryAsking && sum.Status != ledger.SummaryWaiting {
		return stategraph.Question{}, false, nil
	}
	open, err := s.Graph.Questions(ctx, string(sum.Run))
	if err != nil || len(open) == 0 {
		return stategraph.Question{}, false, err
	}
	return open[0], true, nil
}

// Draft returns what a person edits before the last step: the summaries with the numbers of their parts. It is nil when the
// run asks nothing, or the answer is on its way.
func (s *Service) Draft(ctx context.Context, sum ledger.Summary) ([]string, error) {
	q, asks, err := s.question(ctx, sum)
	if err != nil || !asks || sum.Edits != nil {
		return nil, err
	}
	var draft summarize.Draft
	if err := json.Unmarshal(q.Payload, &draft); err != nil {
		return nil, fmt.Errorf("decode the draft of summary %s: %w", sum.ID, err)
	}
	return draft.Summaries, nil
}

// Continue resumes a summary with a person's edits of the draft, one text each; an empty text leaves its summary out.
// Conflict means that the run asks nothing any more, Invalid that no text is left.
func (s *Service) Continue(ctx context.Context, w domain.WorkspaceID, id domain.SummaryID, texts []string) error {
	sum, err := s.Ledger.Summary(ctx, w, id)
	if err != nil {
		return err
	}
	draft, err := s.Draft(ctx, sum)
	if err != nil {
		return err
	}
	if draft == nil {
		return nothingAsked()
	}
	if err := (summarize.Draft{Summaries: draft}).Check(texts); err != nil {
		return err
	}
	r, err := s.Queue.Get(ctx, w, sum.Run)
	if err != nil {
		return err
	}
	var in input
	if err := in.decode(r); err != nil {
		return err
	}
	in.Edited = s.Now() // another input than before: a run that is about to sleep goes on
	after, err := in.encoded()
	if err != nil {
		return err
	}
	_, err = s.Ledger.UpdateSummary(ctx, w, id, func(sum *ledger.Summary) {
		sum.Status, sum.Edits = ledger.SummaryWaiting, texts
	}, func(tx *sql.Tx) error {
		replied, err := s.Queue.ReplyTx(ctx, tx, w, r.ID, r.Input, after)
		if err == nil && !replied {
			err = nothingAsked()
		}
		return err
	})
	if err == nil {
		s.Queue.Announce()
	}
	return err
}

func nothingAsked() error {
	return domain.Errorf(domain.Conflict, "This summary no longer waits for an edit.")
}
