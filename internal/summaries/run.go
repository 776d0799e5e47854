package summaries

import (
	"context"
	"errors"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/summarize"
)

// Handle makes the summary of one run. It is the queue's handler for Kind.
func (d *Service) Handle(ctx context.Context, run job.Run) error {
	id := domain.SummaryID(run.Subject)
	s, err := d.Ledger.UpdateSummary(ctx, run.Workspace, id, func(s *ledger.Summary) { s.Status = ledger.SummaryWorking })
	if err != nil {
		return err
	}
	opts, err := d.options(ctx, s)
	if err != nil {
		return err
	}
	recorder, err := d.Hub.Record(ctx, run.Workspace, run.ID)
	if err != nil {
		return err
	}
	defer recorder.Close()
	final, err := d.Graph.Run(ctx, summarize.Start(begin(s)), append(opts, stategraph.Observe(recorder.Observe), stategraph.Recorded(recorder.Keeps))...)
	after := context.WithoutCancel(ctx)
	var asked *stategraph.InterruptedError
	switch {
	case errors.As(err, &asked):
		s, err = d.Ledger.UpdateSummary(after, run.Workspace, id, func(s *ledger.Summary) { s.Status = ledger.SummaryAsking })
		switch {
		case err != nil:
			return err
		case s.Edits != nil: // the answer came while it asked once more
			return d.Handle(ctx, run)
		}
		return job.ErrAsleep
	case err != nil:
		return errors.Join(explained(err), d.keepPart(after, run, id, final))
	}
	_, err = d.Ledger.UpdateSummary(after, run.Workspace, id, func(s *ledger.Summary) {
		s.Problem, s.Condensed, s.Warnings, s.Edits = "", final.Condensed, final.Warnings, nil
		s.Sentences, s.Citations = final.Sentences, final.Citations
		read(s, final)
	})
	return err
}

// options are how the graph is run, with the answer of a person where one is
// asked for.
func (d *Service) options(ctx context.Context, s ledger.Summary) ([]stategraph.RunOption, error) {
	docs, _, err := d.Ledger.Documents(ctx, s.Workspace, ledger.DocumentQuery{Status: readable})
	if err != nil {
		return nil, err
	}
	of := map[domain.DocumentID]bool{}
	for _, doc := range s.Documents {
		of[doc.ID] = true
	}
	chosen := docs[:0]
	for _, doc := range docs {
		if of[doc.ID] {
			chosen = append(chosen, doc)
		}
	}
	opts := []stategraph.RunOption{
		stategraph.RecursionLimit(summarize.RecursionLimit(parts(chosen))), stategraph.MaxConcurrency(d.AtOnce),
		// The queue gives a run to one worker at a time: whoever wrote before is gone.
		stategraph.Thread(string(s.Run)), stategraph.OrResume(), stategraph.TakeOver(),
	}
	q, asks, err := d.question(ctx, s)
	if asks && s.Edits != nil {
		opts = append(opts, stategraph.Answer(q.ID, s.Edits))
	}
	return opts, err
}

func begin(s ledger.Summary) summarize.Begin {
	b := summarize.Begin{
		Workspace: s.Workspace, Focus: s.Focus, Length: summarize.Length(s.Length), MaxCollapses: s.MaxCollapses, Review: s.Review, Run: s.Run,
	}
	for _, doc := range s.Documents {
		b.Documents = append(b.Documents, doc.ID)
	}
	return b
}

// explained is a limit of the engine in words that help.
func explained(err error) error {
	if errors.Is(err, stategraph.ErrRecursionLimit) {
		return domain.Because(domain.Invalid, err, "The summaries did not become short enough, however often they were collapsed. What there is of them is kept below. Another model may write shorter ones: LLM_MODEL_SUMMARY chooses it.")
	}
	return err
}

// keepPart keeps the summaries that there were when a run failed.
func (d *Service) keepPart(ctx context.Context, run job.Run, id domain.SummaryID, state summarize.State) error {
	if len(state.Collapsed) == 0 {
		return nil
	}
	sentences, citations, err := summarize.Unfinished(ctx, d.Ledger, state)
	if err != nil {
		return err
	}
	_, err = d.Ledger.UpdateSummary(ctx, run.Workspace, id, func(s *ledger.Summary) {
		s.Sentences, s.Citations, s.Warnings, s.Condensed = sentences, citations, state.Warnings, false
		read(s, state)
	})
	return err
}

// read notes which text of each document was summarised.
func read(s *ledger.Summary, state summarize.State) {
	for i := range s.Documents {
		for _, r := range state.Read {
			if r.Document == s.Documents[i].ID {
				s.Documents[i].Hash = r.Hash
			}
		}
	}
}

// Settled notes on the summary how its run ended. It is the queue's callback
// for runs of Kind that will not be tried again.
func (d *Service) Settled(ctx context.Context, run job.Run) error {
	recorder, err := d.Hub.Record(ctx, run.Workspace, run.ID)
	if err != nil {
		return err
	}
	status := map[job.Status]ledger.SummaryStatus{
		job.Done: ledger.SummaryDone, job.Failed: ledger.SummaryFailed, job.Stopped: ledger.SummaryStopped,
	}[run.Status]
	_, err = d.Ledger.UpdateSummary(ctx, run.Workspace, domain.SummaryID(run.Subject), func(s *ledger.Summary) {
		s.Status, s.Problem, s.Edits = status, run.Problem, nil
	})
	err = errors.Join(err, d.Threads.Delete(ctx, string(run.ID)))
	recorder.Settle(string(run.Status), run.Problem)
	return errors.Join(err, recorder.Close())
}
