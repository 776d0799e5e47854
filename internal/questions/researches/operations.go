package researches

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/views/format"
)

// Researching is a question to be researched, as programs give it.
type Researching struct {
	Question  string         `json:"question" arg:"[QUESTION]" words:"" doc:"what to research"`
	Theme     string         `json:"theme" doc:"research a theme of the library, by one of its names; its questions are asked, unless others are given"`
	Ask       []string       `json:"ask" whole:"" doc:"a question of the plan, in order; without any, Clew plans"`
	Within    []string       `json:"within" whole:"" doc:"ask only documents matching tag:NAME, doc:NAME, or another term, as in clew ask"`
	Rounds    int            `json:"rounds" default:"2" doc:"how many rounds of questions at most, from 1 to 3: each later one asks about what is still open"`
	Questions int            `json:"questions" default:"6" doc:"how many questions to ask in all, from 1 to 20"`
	Budget    int            `json:"budget" doc:"how many tokens it may take at most; the report then says what was not asked"`
	Plan      bool           `json:"plan" doc:"stop at the plan, to edit it before it is carried out"`
	Wait      operation.Wait `json:"wait" doc:"the report"`
}

// Researched is a research as programs read it.
type Researched struct {
	ID        domain.ResearchID    `json:"id"`
	Run       domain.RunID         `json:"run"`
	Question  string               `json:"question"`
	Within    []string             `json:"within,omitempty"`
	Rounds    int                  `json:"rounds"`
	Questions int                  `json:"questions"`
	Budget    int                  `json:"budget,omitempty"`
	Status    ledger.MessageStatus `json:"status"`
	Problem   string               `json:"problem,omitempty"` // why it failed
	Sections  []outline.Section    `json:"sections"`          // of the report; without sentences for a plan that waits
	Citations []report.Cited       `json:"citations"`
	Notes     []string             `json:"notes"` // what the report lacks
	Created   time.Time            `json:"created"`
}

// At implements operation.Begun.
func (r Researched) At() string {
	if r.Status.Over() || r.Status == ledger.MessageAsking {
		return ""
	}
	return "/research/" + string(r.ID)
}

// Runs implements operation.Carried.
func (r Researched) Runs() []domain.RunID {
	if r.At() == "" {
		return nil
	}
	return []domain.RunID{r.Run}
}

// Wrong implements operation.Finding.
func (r Researched) Wrong() error {
	switch r.Status {
	case ledger.MessageFailed:
		return domain.Errorf(domain.Unavailable, "The research failed: %s", r.Problem)
	case ledger.MessageStopped:
		return domain.Errorf(domain.Unavailable, "The research was stopped. clew research show %s prints what was found until then.", r.ID)
	}
	return nil
}

// ListedResearch is a research in a list.
type ListedResearch struct {
	Question  string               `json:"question"`
	Status    ledger.MessageStatus `json:"status"`
	Questions int                  `json:"questions"` // in the plan
	Created   time.Time            `json:"created"`
	ID        domain.ResearchID    `json:"id"`
}

type researchesWanted struct {
	Limit int `json:"limit" default:"20" doc:"list at most this many; 0 lists all"`
}

type oneResearch struct {
	ID domain.ResearchID `json:"research" arg:"RESEARCH" doc:"id of a research"`
}

type researchWanted struct {
	oneResearch
	Wait operation.Wait `json:"wait" doc:"the report"`
}

type planned struct {
	oneResearch
	Questions []string       `json:"question" whole:"" doc:"a question of the plan as it should be, in order; leave it out for the plan as it is"`
	Wait      operation.Wait `json:"wait" doc:"the report"`
}

type exporting struct {
	oneResearch
	Format string `json:"format" default:"md" doc:"md, docx or html"`
}

type estimating struct {
	Questions int `json:"questions" default:"6" doc:"how many questions to ask in all, from 1 to 20"`
}

// A Desk takes orders from programs.
type Desk struct{ *Service }

// What pages do as well as programs.
var (
	Start = operation.Op[Desk, Researching, Researched]{
		Name: "research", Short: "Research a question that is too large for one answer", Scope: operation.Ask, Routes: []string{"POST /research"}, Waits: true,
		Long: `Plan questions, answer each, ask about what is still open, and write a report in
which every sentence has its sources. With --plan it stops at the plan: clew
research continue goes on, with the plan as it is or with other questions. With --ask you give
the plan yourself. clew themes lists what --theme takes.`,
		Example: `  clew research "How did the bridge come to be rebuilt?"
  clew research --plan --within tag:minutes "What was decided about the mill, and why?"
  clew research --theme "Carrow Foundry"`,
		Tool: operation.Tool{Name: "research", Title: "Research a question", Fields: "question theme ask within rounds questions wait",
			About: "Research a question that is too large for one answer: plan questions, answer each from the library, and return a report with the sources of every sentence. It takes minutes: with wait 0 it returns at once."},
		Do: func(d Desk, ctx context.Context, in Researching) (Researched, error) {
			w := domain.WorkspaceOf(ctx)
			scope, err := d.Questions.Scope(ctx, w, in.Within)
			if err != nil {
				return Researched{}, err
			}
			if in.Theme != "" {
				question, plan, err := d.OfTheme(ctx, w, in.Theme)
				if err != nil {
					return Researched{}, err
				}
				if in.Question = cmp.Or(in.Question, question); len(in.Ask) == 0 {
					in.Ask = plan
				}
			}
			r, err := d.Start(ctx, Order{Workspace: w, Question: in.Question, Plan: in.Ask, Scope: scope, Rounds: in.Rounds, Questions: in.Questions, Budget: in.Budget, Review: in.Plan})
			if err != nil {
				return Researched{}, err
			}
			return d.await(ctx, r.ID, in.Wait)
		},
		Text: printResearched,
	}
	Continue = operation.Op[Desk, planned, Researched]{
		Name: "research continue", Short: "Continue research with its plan, as it is or edited", Scope: operation.Ask, Routes: []string{"POST /research/{research}/continue"}, Waits: true,
		Example: `  clew research continue h0123456789abcdef0123
  clew research continue h0123456789abcdef0123 --question "When did the bridge fall?" --question "Who rebuilt it?"`,
		Do: func(d Desk, ctx context.Context, in planned) (Researched, error) {
			if err := d.Continue(ctx, domain.WorkspaceOf(ctx), in.ID, in.Questions); err != nil {
				return Researched{}, err
			}
			return d.await(ctx, in.ID, in.Wait)
		},
		Text: printResearched,
	}
	Delete = operation.Op[Desk, oneResearch, operation.Nothing]{
		Name: "research delete", Short: "Delete a research with its report", Scope: operation.Ask, Routes: []string{"DELETE /research/{research}"}, Example: "  clew research delete h0123456789abcdef0123",
		Do: func(d Desk, ctx context.Context, in oneResearch) (none operation.Nothing, err error) {
			return none, d.Delete(ctx, domain.WorkspaceOf(ctx), in.ID)
		},
	}
)

// Operations are the operations on researches.
func Operations() []operation.Operation[Desk] {
	return []operation.Operation[Desk]{
		Start,
		operation.Op[Desk, estimating, Estimate]{
			Name: "research estimate", Short: "Estimate the most that research may cost, from the answers so far", Scope: operation.Read, Routes: []string{"GET /research/estimate"}, Example: "  clew research estimate --questions 12",
			Do: func(d Desk, ctx context.Context, in estimating) (Estimate, error) {
				return d.Estimate(ctx, domain.WorkspaceOf(ctx), in.Questions)
			},
			Text: operation.Line(Estimate.Says),
		},
		operation.Op[Desk, researchesWanted, operation.Page[ListedResearch]]{
			Name: "research list", Short: "List researches, newest first", Scope: operation.Read, Routes: []string{"GET /research"},
			Do: func(d Desk, ctx context.Context, in researchesWanted) (operation.Page[ListedResearch], error) {
				return d.List(ctx, domain.WorkspaceOf(ctx), in.Limit, 0)
			},
			Text: func(w io.Writer, list operation.Page[ListedResearch]) error {
				return operation.Table("QUESTION\tSTATE\tQUESTIONS\tORDERED\tID", "There is no research.", func(r ListedResearch) []any {
					return []any{domain.Cut(r.Question, 60), r.Status, r.Questions, format.Moment(r.Created), r.ID}
				})(w, list.Items)
			},
		},
		operation.Op[Desk, researchWanted, Researched]{
			Name: "research show", Short: "Print a report with its sources, or the plan that waits to be edited", Scope: operation.Read, Routes: []string{"GET /research/{research}"}, Example: "  clew research show h0123456789abcdef0123 --wait 60",
			Do: func(d Desk, ctx context.Context, in researchWanted) (Researched, error) {
				return d.await(ctx, in.ID, in.Wait)
			},
			Text: printResearched,
		},
		Continue,
		operation.Op[Desk, exporting, operation.Made]{
			Name: "research export", Short: "Write a report as Markdown, DOCX or HTML", Scope: operation.Read, Routes: []string{"GET /research/{research}/export"}, Trail: operation.Trail{Kept: true}, Example: "  clew research export h0123456789abcdef0123 --format docx > bridge.docx",
			Do: func(d Desk, ctx context.Context, in exporting) (operation.Made, error) {
				r, err := d.Ledger.Research(ctx, domain.WorkspaceOf(ctx), in.ID)
				if err != nil {
					return operation.Made{}, err
				}
				return Export(r, in.Format)
			},
		},
		Delete,
	}
}

// await returns a research once it is over or waits for a person, or as it is after a time.
func (d Desk) await(ctx context.Context, id domain.ResearchID, wait operation.Wait) (Researched, error) {
	return operation.Await(ctx, wait, func() (Researched, error) {
		r, err := d.Ledger.Research(ctx, domain.WorkspaceOf(ctx), id)
		if err != nil {
			return Researched{}, err
		}
		return d.researched(ctx, r)
	})
}

// researched returns a research in the form that programs get.
func (d Desk) researched(ctx context.Context, r ledger.Research) (out Researched, err error) {
	a := r.Answer
	out = Researched{
		ID: r.ID, Run: r.Run, Question: a.Question, Within: a.Scope.Terms(), Rounds: r.Rounds, Questions: r.Questions, Budget: r.Budget, Status: a.Status, Problem: a.Problem,
		Sections: Sections(r), Notes: append([]string{}, r.Notes...), Created: r.CreatedAt,
	}
	if a.Status == ledger.MessageAsking && r.Edits != nil { // the edited plan is about to be carried out
		out.Status = ledger.MessageWaiting
	}
	out.Citations, err = report.CitedOf(ctx, d.Ledger, r.Workspace, a.Citations)
	return out, err
}

// printResearched prints a report with its sources, or what it waits for.
func printResearched(w io.Writer, r Researched) error {
	switch {
	case r.Status == ledger.MessageAsking:
		fmt.Fprintf(w, "The plan of research %s:\n", r.ID)
		for _, s := range r.Sections {
			fmt.Fprintf(w, "  %d. %s\n", s.N, s.Question)
		}
		_, err := fmt.Fprintf(w, "clew research continue %s carries it out.\n", r.ID)
		return err
	case r.At() != "":
		_, err := fmt.Fprintf(w, "Research %s is %s.\n", r.ID, r.Status)
		return err
	}
	for i, s := range r.Sections {
		if i > 0 {
			fmt.Fprintln(w)
		}
		for _, line := range []string{s.Question, s.Remark, Text(s.Sentences)} {
			if line != "" {
				fmt.Fprintln(w, line)
			}
		}
	}
	fmt.Fprintln(w)
	for _, c := range r.Citations {
		fmt.Fprintf(w, "  [%d] %s: “%s”\n", c.N, c.Where(), domain.OneLine(c.Text))
	}
	for _, note := range r.Notes {
		fmt.Fprintln(w, note)
	}
	return nil
}
