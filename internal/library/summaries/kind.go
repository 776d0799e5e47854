package summaries

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/summarize"
	"github.com/clewhq/clew/internal/summarize/study"
	"github.com/clewhq/clew/views/link"
)

// Kind names the runs that make summaries, and StudyKind those that make study sets. Their subject is the summary or the set.
const (
	Kind      = "summarize"
	StudyKind = study.Name
)

// concurrency is low because the model's own limits hold for all summaries together.
const concurrency = 2

// Kind describes the runs that make summaries.
func (s *Service) Kind() run.Kind {
	return run.Kind{
		Name: Kind, Title: "Summary", Plural: "Summaries", Opens: "Open the summary", About: "summary", Gone: "a summary that was deleted",
		Topology: s.Graph.Topology(), State: s.Graph.EncodedAt, Concurrency: concurrency, PausesAtCap: true,
		Subjects: s.Subjects, Work: s.summarise, Settled: s.Settled,
	}
}

// Subjects describes what runs of both kinds are about.
func (s *Service) Subjects(ctx context.Context, w domain.WorkspaceID, ids []string) (map[string]run.Subject, error) {
	heads, err := s.Ledger.SummaryHeads(ctx, w, run.IDs[domain.SummaryID](ids))
	subjects := make(map[string]run.Subject, len(heads))
	for _, sum := range heads {
		subjects[string(sum.ID)] = run.Subject{Title: Title(sum), Path: PathOf(sum)}
	}
	return subjects, err
}

// PathOf returns the address of a summary or a study set.
func PathOf(sum ledger.Summary) string {
	if sum.Kind != "" {
		return link.StudySet(sum.ID)
	}
	return link.Summary(sum.ID)
}

// summarise makes the summary of one run.
func (s *Service) summarise(ctx context.Context, a *run.Attempt) error {
	id := domain.SummaryID(a.Subject)
	sum, err := s.Ledger.UpdateSummary(ctx, a.Workspace, id, func(sum *ledger.Summary) { sum.Status = ledger.SummaryWorking })
	if err != nil {
		return err
	}
	opts, err := s.options(ctx, sum)
	if err != nil {
		return err
	}
	var in input
	if err := in.decode(a.Run); err != nil {
		return err
	}
	start := begin(sum)
	start.TokenMax = in.TokenMax
	if start.Prompts, err = s.Prompts.Pin(ctx, a.Workspace); err != nil {
		return err
	}
	final, err := run.Graph(ctx, a, s.Graph, summarize.Start(start), opts...)
	after := context.WithoutCancel(ctx)
	if asks, ok := errors.AsType[*stategraph.InterruptedError](err); ok {
		sum, err = s.Ledger.UpdateSummary(after, a.Workspace, id, func(sum *ledger.Summary) { sum.Status = ledger.SummaryAsking })
		switch {
		case err != nil:
			return err
		case sum.Edits != nil: // the reply came while the graph asked once more
			return s.summarise(ctx, a)
		}
		return asks
	}
	if err != nil {
		return errors.Join(explained(err), s.keepPart(after, a.Run, final))
	}
	_, err = s.Ledger.UpdateSummary(after, a.Workspace, id, func(sum *ledger.Summary) {
		sum.Problem, sum.Condensed, sum.Warnings, sum.Edits = "", final.Condensed, final.Warnings, nil
		sum.Sentences, sum.Citations = final.Sentences, final.Citations
		NoteRead(sum, final.Read)
	})
	return err
}

// options returns how the graph of a summary runs, with the person's answer when there is one.
func (s *Service) options(ctx context.Context, sum ledger.Summary) ([]stategraph.RunOption, error) {
	docs, _, err := s.Ledger.Documents(ctx, sum.Workspace, ledger.DocumentQuery{Status: readable})
	if err != nil {
		return nil, err
	}
	of := lists.SetOf(sum.Documents, func(doc ledger.SummaryDocument) domain.DocumentID { return doc.ID })
	docs = slices.DeleteFunc(docs, func(d domain.Document) bool { return !of[d.ID] })
	opts := []stategraph.RunOption{
		stategraph.RecursionLimit(summarize.RecursionLimit(parts(docs))), stategraph.MaxConcurrency(s.AtOnce),
	}
	q, asks, err := s.question(ctx, sum)
	if asks && sum.Edits != nil {
		opts = append(opts, stategraph.Answer(q.ID, sum.Edits))
	}
	return opts, err
}

// input is the input of a summary's run besides the summary.
type input struct {
	TokenMax int       `json:"token_max,omitempty"`
	Edited   time.Time `json:"edited,omitzero"` // when a person edited the draft
}

func (i input) encoded() ([]byte, error) {
	text, err := json.Marshal(i)
	if err != nil {
		return nil, fmt.Errorf("encode the input of a summary: %w", err)
	}
	return text, nil
}

func (i *input) decode(r job.Run) error {
	if len(r.Input) == 0 {
		return nil
	}
	if err := json.Unmarshal(r.Input, i); err != nil {
		return fmt.Errorf("decode the input of run %s: %w", r.ID, err)
	}
	return nil
}

// TokenMax returns the most tokens of the summaries that are reduced to one, 0 if the order had no limit of its own or the
// run was deleted.
func (s *Service) TokenMax(ctx context.Context, sum ledger.Summary) (int, error) {
	r, err := s.Queue.Get(ctx, sum.Workspace, sum.Run)
	if domain.KindOf(err) == domain.NotFound {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var in input
	err = in.decode(r)
	return in.TokenMax, err
}

func begin(sum ledger.Summary) summarize.Begin {
	b := summarize.Begin{
		Workspace: sum.Workspace, Focus: sum.Focus, Length: summarize.Length(sum.Length), MaxCollapses: sum.MaxCollapses, Review: sum.Review, Run: sum.Run,
	}
	for _, doc := range sum.Documents {
		b.Documents = append(b.Documents, doc.ID)
	}
	return b
}

// explained puts a limit of the engine into words that help.
func explained(err error) error {
	if errors.Is(err, stategraph.ErrRecursionLimit) {
		return domain.Because(domain.Invalid, err, "The summaries did not become short enough, however often they were condensed. What exists of them is kept below. Another model may write shorter ones: choose it with SUMMARY_MODEL.")
	}
	return err
}

// keepPart stores the partial summaries of a failed run.
func (s *Service) keepPart(ctx context.Context, r job.Run, state summarize.State) error {
	if len(state.Collapsed) == 0 {
		return nil
	}
	sentences, citations, err := summarize.Unfinished(ctx, s.Ledger, state)
	if err != nil {
		return err
	}
	_, err = s.Ledger.UpdateSummary(ctx, r.Workspace, domain.SummaryID(r.Subject), func(sum *ledger.Summary) {
		sum.Sentences, sum.Citations, sum.Warnings, sum.Condensed = sentences, citations, state.Warnings, false
		NoteRead(sum, state.Read)
	})
	return err
}

// NoteRead records which version of each document's text was read.
func NoteRead(sum *ledger.Summary, read []summarize.Read) {
	for i := range sum.Documents {
		for _, r := range read {
			if r.Document == sum.Documents[i].ID {
				sum.Documents[i].Hash = r.Hash
			}
		}
	}
}

// Settled records on the summary or the study set how its run ended.
func (s *Service) Settled(ctx context.Context, r job.Run) error {
	_, err := s.Ledger.UpdateSummary(ctx, r.Workspace, domain.SummaryID(r.Subject), func(sum *ledger.Summary) {
		sum.Status, sum.Problem, sum.Edits = ledger.SummaryStatus(r.Status), r.Problem, nil
	})
	return err
}
