// Package studies makes study sets from documents: glossaries, questions with answers, and cards, each
// item with its sentence. They are ordered, kept and deleted like summaries, see package summaries.
package studies

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/summarize/study"
)

// Kind names the runs that make study sets. Their subject is the set.
const Kind = summaries.StudyKind

// concurrency is low because the model's own limits hold for all sets together.
const concurrency = 2

// A Service makes study sets. All fields are required.
type Service struct {
	Orders *summaries.Service
	Graph  stategraph.Runnable[study.State]
}

// Kind describes the runs that make study sets.
func (s *Service) Kind() run.Kind {
	return run.Kind{
		Name: Kind, Title: "Study set", Plural: "Study sets", Opens: "Open the study set", About: "study", Gone: "a study set that was deleted",
		Topology: s.Graph.Topology(), State: s.Graph.EncodedAt, Concurrency: concurrency, PausesAtCap: true,
		Subjects: s.Orders.Subjects, Work: s.make, Settled: s.Orders.Settled,
	}
}

// make makes the study set of one run.
func (s *Service) make(ctx context.Context, a *run.Attempt) error {
	id := domain.SummaryID(a.Subject)
	set, err := s.Orders.Ledger.UpdateSummary(ctx, a.Workspace, id, func(set *ledger.Summary) { set.Status = ledger.SummaryWorking })
	if err != nil {
		return err
	}
	start := study.State{Wanted: study.Wanted{Workspace: set.Workspace, Run: set.Run, Kind: set.Kind, Most: set.Most}}
	for _, doc := range set.Documents {
		start.Documents = append(start.Documents, doc.ID)
	}
	if start.Prompts, err = s.Orders.Prompts.Pin(ctx, a.Workspace); err != nil {
		return err
	}
	final, err := run.Graph(ctx, a, s.Graph, start, stategraph.RecursionLimit(study.RecursionLimit), stategraph.MaxConcurrency(s.Orders.AtOnce))
	if err != nil {
		return err
	}
	_, err = s.Orders.Ledger.UpdateSummary(context.WithoutCancel(ctx), a.Workspace, id, func(set *ledger.Summary) {
		set.Problem, set.Warnings, set.Items, set.Citations = "", final.Warnings, final.Items, final.Citations
		summaries.NoteRead(set, final.Read)
	})
	return err
}

// Start orders a study set. Its errors are those of summaries.Service.Start.
func (s *Service) Start(ctx context.Context, o summaries.Order) (ledger.Summary, error) {
	if o.Kind == "" {
		return ledger.Summary{}, domain.Errorf(domain.Invalid, "Say what to make: glossary, faq or cards.")
	}
	return s.Orders.Start(ctx, o)
}

// List lists some study sets, newest first, and counts all; all are listed when n is 0.
func (s *Service) List(ctx context.Context, w domain.WorkspaceID, n, offset int) (operation.Page[Listed], error) {
	found, total, err := s.Orders.Ledger.StudySets(ctx, w, n, offset)
	list := operation.Page[Listed]{Items: make([]Listed, len(found)), Total: total}
	for i, set := range found {
		list.Items[i] = Listed{Title: summaries.Title(set), Kind: set.Kind, Items: len(Kept(set)), Status: set.Status, Created: set.CreatedAt, ID: set.ID, Of: summaries.Subject(set)}
	}
	return list, err
}

// A Source is the documents that a study set is made of.
type Source struct {
	Of    string       // in words
	Names []string     // of documents that are given
	Scope domain.Scope // documents or a tag; the library if empty
	Read  int          // documents in it that have been read
}

// Source returns documents, those with a tag if none are given, or the library. It fails with kind NotFound for an unknown document.
func (s *Service) Source(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID, tag string) (from Source, err error) {
	of := ledger.Summary{Tag: domain.Tag(tag)}
	for _, id := range documents {
		d, err := s.Orders.Ledger.Document(ctx, w, id)
		if err != nil {
			return from, err
		}
		of.Tag, of.Documents, from.Names = "", append(of.Documents, ledger.SummaryDocument{ID: d.ID, Name: d.Name}), append(from.Names, d.Name)
	}
	of.Whole = of.Tag == "" && len(documents) == 0
	from.Of, from.Scope, from.Read = summaries.Subject(of), ScopeOf(of), len(of.Documents)
	if len(documents) == 0 {
		from.Read, err = s.Orders.Count(ctx, w, of.Tag)
	}
	return from, err
}

// ScopeOf returns the documents that a study set was made of, without those that no longer exist.
func ScopeOf(set ledger.Summary) (s domain.Scope) {
	switch {
	case set.Whole:
	case set.Tag != "":
		s.Tags = []string{set.Tag}
	default:
		for _, d := range set.Documents {
			if d.Name != "" {
				s.Documents = append(s.Documents, d.ID)
			}
		}
	}
	return s
}

// Within lists the documents of a scope, or none for the library.
func (s *Service) Within(ctx context.Context, w domain.WorkspaceID, scope domain.Scope) ([]domain.DocumentID, error) {
	if len(scope.Tags) == 0 {
		return scope.Documents, nil
	}
	return s.Orders.Ledger.Within(ctx, w, scope)
}

// Get returns a study set, or an error of kind NotFound.
func (s *Service) Get(ctx context.Context, w domain.WorkspaceID, id domain.SummaryID) (ledger.Summary, error) {
	return s.Orders.Ledger.StudySet(ctx, w, id)
}

// Kept returns the items of a study set that nobody has removed.
func Kept(set ledger.Summary) []domain.StudyItem {
	return slices.DeleteFunc(slices.Clone(set.Items), func(i domain.StudyItem) bool { return i.Removed })
}

// Mark sets whether an item of a study set is removed. It returns a NotFound error if the set has no such item.
func (s *Service) Mark(ctx context.Context, w domain.WorkspaceID, id domain.SummaryID, n int, removed bool) (ledger.Summary, error) {
	set, err := s.Get(ctx, w, id)
	if err != nil {
		return set, err
	}
	if !slices.ContainsFunc(set.Items, func(i domain.StudyItem) bool { return i.N == n }) {
		return set, domain.Errorf(domain.NotFound, "The study set has no item %d. Its documents may have been deleted.", n)
	}
	return s.Orders.Ledger.UpdateSummary(ctx, w, id, func(set *ledger.Summary) {
		for i := range set.Items {
			if set.Items[i].N == n {
				set.Items[i].Removed = removed
			}
		}
	})
}
