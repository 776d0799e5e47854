package studies

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/views/format"
)

// A Desk takes orders from programs.
type Desk struct {
	*Service
	Documents summaries.Finder
}

// Making is an order as programs give it.
type Making struct {
	Kind      domain.StudyKind `json:"kind" arg:"KIND" doc:"glossary, faq or cards"`
	Documents []string         `json:"documents" arg:"[DOCUMENT...]" doc:"documents, by name or id"`
	All       bool             `json:"all" doc:"read the whole library"`
	Tag       string           `json:"tag" doc:"read the documents with this tag"`
	Most      int              `json:"most" default:"30" doc:"how many items at most, from 1 to 100"`
	Wait      operation.Wait   `json:"wait" doc:"the set"`
}

// Set is a study set as programs read it.
type Set struct {
	ID        domain.SummaryID           `json:"id"`
	Run       domain.RunID               `json:"run"`
	Kind      domain.StudyKind           `json:"kind"`
	Title     string                     `json:"title"`
	Status    ledger.SummaryStatus       `json:"status"`
	Problem   string                     `json:"problem,omitempty"`  // why it failed
	Outdated  string                     `json:"outdated,omitempty"` // how its documents have changed since
	Items     []domain.StudyItem         `json:"items"`
	Citations []report.Cited             `json:"citations"` // the sentences of the items
	Warnings  []string                   `json:"warnings"`
	Documents []summaries.SummedDocument `json:"documents"`
	Most      int                        `json:"most"`
	Created   time.Time                  `json:"created"`
}

// At implements operation.Begun.
func (s Set) At() string {
	if s.Status != ledger.SummaryWaiting && s.Status != ledger.SummaryWorking {
		return ""
	}
	return "/study/" + string(s.ID)
}

// Runs implements operation.Carried.
func (s Set) Runs() []domain.RunID {
	if s.At() == "" {
		return nil
	}
	return []domain.RunID{s.Run}
}

// Wrong implements operation.Finding.
func (s Set) Wrong() error {
	switch s.Status {
	case ledger.SummaryFailed:
		return domain.Errorf(domain.Unavailable, "The study set was not made: %s", s.Problem)
	case ledger.SummaryStopped:
		return domain.Errorf(domain.Unavailable, "The study set was stopped. clew study again %s makes it again.", s.ID)
	}
	return nil
}

// Listed is a study set in a list.
type Listed struct {
	Title   string               `json:"title"`
	Of      string               `json:"-"`
	Kind    domain.StudyKind     `json:"kind"`
	Items   int                  `json:"items"`
	Status  ledger.SummaryStatus `json:"status"`
	Created time.Time            `json:"created"`
	ID      domain.SummaryID     `json:"id"`
}

type setsWanted struct {
	Limit int `json:"limit" default:"20" doc:"list at most this many; 0 lists all"`
}

type oneSet struct {
	ID domain.SummaryID `json:"study" arg:"STUDY" doc:"id of a study set"`
}

type setWanted struct {
	oneSet
	Wait operation.Wait `json:"wait" doc:"the set"`
}

type oneItem struct {
	oneSet
	Item int `json:"item" arg:"ITEM" doc:"number of an item" wrong:"%q is not the number of an item."`
}

type exporting struct {
	oneSet
	Format string `json:"format" default:"anki" doc:"anki (CSV that Anki imports), csv or md"`
}

// What pages do as well as programs.
var (
	Start = operation.Op[Desk, Making, Set]{
		Name: "study", Short: "Make a glossary, questions with answers, or cards of documents", Scope: operation.Summarize, Routes: []string{"POST /study"}, Waits: true,
		Long: `Make a study set of documents, given by name or id, or those with a tag (--tag), or
all (--all): a glossary, questions with their answers (faq), or cards. Each item has
the sentence that it rests on. clew study export writes a set for Anki.`,
		Example: `  clew study glossary lease.docx
  clew study cards --tag biology --most 100
  clew study faq --all --json`,
		Tool: operation.Tool{Name: "study", Title: "Make a study set", Fields: "kind documents all tag most wait",
			About: "Make a glossary, questions with answers, or cards of documents, of a tag or of the whole library. Each item has the sentence that it rests on. With wait 0 it returns at once."},
		Do: func(d Desk, ctx context.Context, in Making) (Set, error) {
			o := summaries.Order{Workspace: domain.WorkspaceOf(ctx), Whole: in.All, Tag: in.Tag, Kind: in.Kind, Most: in.Most}
			if in.Kind != "" && len(in.Documents) == 0 && !in.All && in.Tag == "" {
				return Set{}, domain.Errorf(domain.Invalid, "Name the documents to read, or choose them with --tag or --all.")
			}
			var err error
			if o.Documents, err = d.Documents.Find(ctx, o.Workspace, in.Documents); err != nil {
				return Set{}, err
			}
			set, err := d.Start(ctx, o)
			if err != nil {
				return Set{}, err
			}
			return d.await(ctx, set.ID, in.Wait)
		},
		Text: printSet,
	}
	Again = operation.Op[Desk, oneSet, Set]{
		Name: "study again", Short: "Make a study set again, of the documents as they are now", Scope: operation.Summarize, Routes: []string{"POST /study/{study}/again"}, Waits: true, Example: "  clew study again s0123456789abcdef0123",
		Do: func(d Desk, ctx context.Context, in oneSet) (Set, error) {
			set, err := d.Get(ctx, domain.WorkspaceOf(ctx), in.ID)
			if err != nil {
				return Set{}, err
			}
			if set, err = d.Orders.Repeat(ctx, set); err != nil {
				return Set{}, err
			}
			return d.set(ctx, set)
		},
		Text: printSet,
	}
	Remove = operation.Op[Desk, oneItem, Set]{
		Name: "study remove", Short: "Take a wrong item out of a study set", Scope: operation.Summarize, Routes: []string{"DELETE /study/{study}/items/{item}"}, Example: "  clew study remove s0123456789abcdef0123 4",
		Do: func(d Desk, ctx context.Context, in oneItem) (Set, error) { return d.mark(ctx, in, true) }, Text: operation.Line(Set.counted),
	}
	Restore = operation.Op[Desk, oneItem, Set]{
		Name: "study restore", Short: "Put back an item that was taken out of a study set", Scope: operation.Summarize, Routes: []string{"POST /study/{study}/items/{item}/restore"}, Example: "  clew study restore s0123456789abcdef0123 4",
		Do: func(d Desk, ctx context.Context, in oneItem) (Set, error) { return d.mark(ctx, in, false) }, Text: operation.Line(Set.counted),
	}
	Delete = operation.Op[Desk, oneSet, operation.Nothing]{
		Name: "study delete", Short: "Delete a study set", Scope: operation.Summarize, Routes: []string{"DELETE /study/{study}"}, Example: "  clew study delete s0123456789abcdef0123",
		Do: func(d Desk, ctx context.Context, in oneSet) (none operation.Nothing, err error) {
			set, err := d.Get(ctx, domain.WorkspaceOf(ctx), in.ID)
			if err != nil {
				return none, err
			}
			return none, d.Orders.Remove(ctx, set)
		},
	}
)

// Operations are the operations on study sets.
func Operations() []operation.Operation[Desk] {
	return []operation.Operation[Desk]{
		Start,
		operation.Op[Desk, setsWanted, operation.Page[Listed]]{
			Name: "study list", Short: "List study sets, newest first", Scope: operation.Read, Routes: []string{"GET /study"},
			Do: func(d Desk, ctx context.Context, in setsWanted) (operation.Page[Listed], error) {
				return d.List(ctx, domain.WorkspaceOf(ctx), in.Limit, 0)
			},
			Text: func(w io.Writer, list operation.Page[Listed]) error {
				return operation.Table("STUDY SET\tITEMS\tSTATE\tORDERED\tID", "There is no study set.", func(s Listed) []any {
					return []any{s.Title, s.Items, s.Status, format.Moment(s.Created), s.ID}
				})(w, list.Items)
			},
		},
		operation.Op[Desk, setWanted, Set]{
			Name: "study show", Short: "Print a study set with the sentences of its items", Scope: operation.Read, Routes: []string{"GET /study/{study}"}, Example: "  clew study show s0123456789abcdef0123 --wait 60",
			Do: func(d Desk, ctx context.Context, in setWanted) (Set, error) {
				return d.await(ctx, in.ID, in.Wait)
			},
			Text: printSet,
		},
		operation.Op[Desk, exporting, operation.Made]{
			Name: "study export", Short: "Write a study set for Anki, as CSV or as Markdown", Scope: operation.Read, Routes: []string{"GET /study/{study}/export"}, Trail: operation.Trail{Kept: true}, Example: "  clew study export s0123456789abcdef0123 > cards.csv",
			Do: func(d Desk, ctx context.Context, in exporting) (operation.Made, error) {
				set, err := d.Get(ctx, domain.WorkspaceOf(ctx), in.ID)
				if err != nil {
					return operation.Made{}, err
				}
				return Export(set, in.Format)
			},
		},
		Again, Remove, Restore, Delete,
	}
}

func (d Desk) mark(ctx context.Context, in oneItem, removed bool) (Set, error) {
	set, err := d.Mark(ctx, domain.WorkspaceOf(ctx), in.ID, in.Item, removed)
	if err != nil {
		return Set{}, err
	}
	return d.set(ctx, set)
}

// await returns a study set once it is made, or as it is after a time.
func (d Desk) await(ctx context.Context, id domain.SummaryID, wait operation.Wait) (Set, error) {
	return operation.Await(ctx, wait, func() (Set, error) {
		set, err := d.Get(ctx, domain.WorkspaceOf(ctx), id)
		if err != nil {
			return Set{}, err
		}
		return d.set(ctx, set)
	})
}

// set returns a study set in the form that programs get.
func (d Desk) set(ctx context.Context, of ledger.Summary) (s Set, err error) {
	s = Set{
		ID: of.ID, Run: of.Run, Kind: of.Kind, Title: summaries.Title(of), Status: of.Status, Problem: of.Problem, Items: append([]domain.StudyItem{}, of.Items...),
		Warnings: append([]string{}, of.Warnings...), Documents: []summaries.SummedDocument{}, Most: of.Most, Created: of.CreatedAt,
	}
	for _, doc := range of.Documents {
		s.Documents = append(s.Documents, summaries.SummedDocument{ID: doc.ID, Name: doc.Name})
	}
	outdated, err := d.Orders.Outdated(ctx, of.Workspace, of)
	if err != nil {
		return s, err
	}
	s.Outdated = outdated[of.ID]
	s.Citations, err = report.CitedOf(ctx, d.Orders.Ledger, of.Workspace, of.Citations)
	return s, err
}

func (s Set) kept() (n int) {
	return lists.CountFunc(s.Items, func(item domain.StudyItem) bool { return !item.Removed })
}

func (s Set) counted() string {
	return fmt.Sprintf("%s: %s.", s.Title, domain.Counted(s.kept(), "item", "items"))
}

// printSet prints a study set with its sentences.
func printSet(w io.Writer, s Set) error {
	if s.At() != "" {
		_, err := fmt.Fprintf(w, "Study set %s is being made: it is %s.\n", s.ID, s.Status)
		return err
	}
	if s.Status == ledger.SummaryDone && s.kept() == 0 {
		fmt.Fprintln(w, "Nothing was found for such a set: no sentence defines a term, or answers a question. A model finds more.")
	}
	for _, item := range s.Items {
		if item.Removed {
			continue
		}
		fmt.Fprintf(w, "%3d  %s\n     %s\n", item.N, item.Front, item.Back)
		for _, c := range s.Citations {
			if c.N == item.Source {
				fmt.Fprintf(w, "     %s: “%s”\n", c.Where(), domain.Cut(domain.OneLine(c.Text), 160))
			}
		}
	}
	for _, warning := range append(s.Warnings, s.Outdated) {
		if warning != "" {
			fmt.Fprintln(w, warning)
		}
	}
	return nil
}
