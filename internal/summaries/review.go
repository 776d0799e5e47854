package summaries

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/summarize"
)

// MaxEdit is the longest edited text in characters.
const MaxEdit = 20_000

// question returns what the run of a summary asks, and whether it asks anything.
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

// How long, and how often, to try to wake a run that has asked but does not sleep yet.
const (
	wakeTimeout  = time.Second
	wakeInterval = 20 * time.Millisecond
)

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
	if err := checkEdits(draft, texts); err != nil {
		return err
	}
	var woken bool
	_, err = s.Ledger.UpdateSummaryTx(ctx, w, id, func(sum *ledger.Summary) {
		sum.Status, sum.Edits = ledger.SummaryWaiting, texts
	}, func(tx *sql.Tx) (err error) {
		woken, err = s.Queue.WakeTx(ctx, tx, w, sum.Run)
		return err
	})
	switch {
	case err != nil:
		return err
	case !woken:
		return s.wake(ctx, sum)
	}
	s.Queue.Announce()
	return nil
}

func checkEdits(draft, texts []string) error {
	if draft == nil {
		return domain.Errorf(domain.Conflict, "This summary waits for no edit any more.")
	}
	left := false
	for _, text := range texts {
		left = left || strings.TrimSpace(text) != ""
		if domain.Runes(text) > MaxEdit {
			return domain.Errorf(domain.TooLarge, "One of the texts has %d characters, the most is %d.", domain.Runes(text), MaxEdit)
		}
	}
	if !left {
		return domain.Errorf(domain.Invalid, "Nothing is left to summarise: keep at least one of the texts.")
	}
	return nil
}

// wake wakes the run, which may be about to sleep.
func (s *Service) wake(ctx context.Context, sum ledger.Summary) error {
	settled, cancel := context.WithTimeout(ctx, wakeTimeout)
	defer cancel()
	tick := time.NewTicker(wakeInterval)
	defer tick.Stop()
	for {
		woken, err := s.Queue.Wake(ctx, sum.Workspace, sum.Run)
		if woken || err != nil {
			return err
		}
		select {
		case <-settled.Done(): // it is running, and uses the edits itself
			return ctx.Err()
		case <-tick.C:
		}
	}
}
