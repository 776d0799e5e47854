// Package researches researches questions that are too large for one answer: it takes orders, queues
// and carries out the runs, lets a person edit a plan before it is carried out, and exports reports.
package researches

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/research"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graph/themes"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/views/lang"
)

// LeastBudget is the smallest budget in tokens: one answer takes about as much.
const LeastBudget = 1000

const (
	priority = 5 // after questions and before documents
	attempts = 4 // while a model does not answer
)

// Params configures a Service. All fields are required.
type Params struct {
	Ledger    *ledger.Ledger
	Queue     *job.Queue
	Hub       *trace.Hub
	Graph     stategraph.Runnable[research.State]
	Questions *questions.Service
	Costs     *costs.Service
	Themes    *themes.Service
}

// A Service researches questions.
type Service struct{ Params }

// New returns a Service.
func New(p Params) *Service { return &Service{p} }

// An Order is a request for research.
type Order struct {
	Workspace domain.WorkspaceID
	Question  string
	Plan      []string     // questions to ask first; if empty, Clew plans them
	Scope     domain.Scope // within which to ask
	Rounds    int          // maximum
	Questions int          // maximum in total
	Budget    int          // tokens; 0 means no limit
	Review    bool         // stop at the plan, for a person to edit

	Form domain.FormKey // of the form that orders it; "" if there is none
	Runs job.Adder      // nil means the queue
}

// formKey identifies the form that orders a research.
func (o Order) formKey() string {
	return o.Form.Of(slices.Concat([]string{Kind, o.Question, strconv.Itoa(o.Rounds), strconv.Itoa(o.Questions), strconv.Itoa(o.Budget), strconv.FormatBool(o.Review)}, o.Plan, o.Scope.Terms())...)
}

// Start stores an order together with the run that carries it out, and does not wait. Errors are Invalid or TooLarge for a wrong
// order, and TooMany when the queue has no room. A form that was sent before orders nothing.
func (s *Service) Start(ctx context.Context, o Order) (ledger.Research, error) {
	var r ledger.Research
	before, err := s.Queue.Once(ctx, o.Workspace, o.formKey(), func() (err error) {
		r, err = s.start(ctx, o)
		return err
	})
	if err != nil || before == "" {
		return r, err
	}
	return s.Ledger.Research(ctx, o.Workspace, domain.ResearchID(before))
}

func (s *Service) start(ctx context.Context, o Order) (r ledger.Research, err error) {
	key := o.formKey()
	plan, err := checkPlan(research.Plan(o.Plan, nil))
	if err != nil {
		return r, err
	}
	o.Questions = max(o.Questions, len(plan))
	if err := s.check(ctx, &o); err != nil {
		return r, err
	}
	r = ledger.Research{Workspace: o.Workspace, Plan: plan, Rounds: o.Rounds, Questions: o.Questions, Budget: o.Budget, Review: o.Review, CreatedAt: s.Questions.Now()}
	r.Answer = ledger.Answer{Question: o.Question, Scope: o.Scope, Status: ledger.MessageWaiting}
	if r.ID, err = s.Questions.IDs.Research(); err != nil {
		return r, err
	}
	if r.Run, err = s.Questions.IDs.Run(); err != nil {
		return r, err
	}
	runs, limit := o.Runs, job.Limit{}
	if runs == nil {
		runs, limit = s.Queue, job.Limit{Workspace: o.Workspace, Kind: Kind, Each: s.Questions.MaxWaiting, Waiting: "questions wait to be researched", Setting: "MAX_WAITING_QUESTIONS"}
	}
	_, own := domain.ViewerOf(ctx)
	err = s.Ledger.AddResearchTx(ctx, r, func(tx *sql.Tx) error {
		if err := s.Queue.AdmitTx(ctx, tx, limit); err != nil {
			return err
		}
		_, err := runs.AddTx(ctx, tx, job.Run{
			Workspace: r.Workspace, ID: r.Run, Kind: Kind, Subject: string(r.ID), Title: o.Question, Own: own && domain.PersonOf(ctx) != "", Priority: priority, MaxAttempts: attempts, CreatedAt: r.CreatedAt, FormKey: key,
		})
		return err
	})
	if err == nil {
		runs.Announce()
	}
	return r, err
}

// check fails for a wrong order.
func (s *Service) check(ctx context.Context, o *Order) (err error) {
	if o.Question, err = s.Questions.Check(ctx, o.Workspace, o.Question, o.Scope); err != nil {
		return err
	}
	switch {
	case o.Rounds < 1 || o.Rounds > research.MaxRounds:
		return domain.Errorf(domain.Invalid, "Research takes 1 to %d rounds, not %d.", research.MaxRounds, o.Rounds)
	case o.Questions < 1 || o.Questions > research.MaxQuestions:
		return domain.Errorf(domain.Invalid, "Research asks 1 to %d questions, not %d.", research.MaxQuestions, o.Questions)
	case o.Budget != 0 && o.Budget < LeastBudget:
		return domain.Errorf(domain.Invalid, "A budget has at least %s tokens, about as many as one answer takes. Leave it out for no limit.", domain.Thousands(LeastBudget))
	}
	if _, err := s.Questions.Allowed(ctx, o.Workspace, o.Budget); err != nil {
		return err
	}
	_, n, err := s.Ledger.Documents(ctx, o.Workspace, ledger.DocumentQuery{Status: []domain.DocumentStatus{domain.DocumentReady}, Limit: 1})
	if err == nil && n == 0 {
		err = domain.Errorf(domain.Invalid, "No documents have been read yet, so there is nothing to research. Add some, and order it again once they are read.")
	}
	return err
}

// An Estimate bounds the cost and duration of research, based on earlier answers.
type Estimate struct {
	Questions int    `json:"questions"`
	Tokens    int    `json:"tokens"`         // 95 of 100 answers took no more, for as many questions; 0 if unknown
	Cost      string `json:"cost,omitempty"` // the same in money, if models have prices
	Free      bool   `json:"free"`           // no model is asked
}

// Says describes the estimate.
func (e Estimate) Says() string {
	asked := domain.Counted(e.Questions, "question", "questions")
	switch {
	case e.Free:
		return "Up to " + asked + ". No model is asked, so it costs nothing."
	case e.Tokens == 0:
		return "Up to " + asked + ". What they cost is not known before the first answers."
	case e.Cost == "":
		return fmt.Sprintf("Up to %s, and by the answers so far up to %s tokens.", asked, domain.Thousands(e.Tokens))
	}
	return fmt.Sprintf("Up to %s, and by the answers so far up to %s tokens, %s.", asked, domain.Thousands(e.Tokens), e.Cost)
}

// Estimate estimates the cost and duration of a number of questions.
func (s *Service) Estimate(ctx context.Context, w domain.WorkspaceID, n int) (Estimate, error) {
	e := Estimate{Questions: n, Free: len(s.Questions.Models) == 0}
	if n < 1 || n > research.MaxQuestions {
		return e, domain.Errorf(domain.Invalid, "Research asks 1 to %d questions, not %d.", research.MaxQuestions, n)
	}
	if e.Free {
		return e, nil
	}
	bars, err := s.Queue.Bars(ctx, w, questions.Kind)
	if err != nil {
		return e, err
	}
	bar := bars[questions.Kind]
	e.Tokens = n * bar.Tokens
	if bar.Spent > 0 {
		t, err := s.Costs.Prices.Table(ctx)
		if err != nil {
			return e, err
		}
		e.Cost = costs.Money(int64(n) * bar.Spent).In(t.Currency)
	}
	return e, nil
}

// Delete removes a research with its report and the steps of its run. One that is not over is a Conflict.
func (s *Service) Delete(ctx context.Context, w domain.WorkspaceID, id domain.ResearchID) error {
	r, err := s.Ledger.Research(ctx, w, id)
	if err != nil {
		return err
	}
	if !r.Answer.Status.Over() {
		return domain.Errorf(domain.Conflict, "It is still being researched. Stop it first, then delete it.")
	}
	return s.Ledger.DeleteResearch(ctx, w, id)
}

// Continue continues a waiting run with its plan as a person edited it, or unchanged if questions is nil. Conflict
// means that it waits for nothing, Invalid that the plan can't be carried out.
func (s *Service) Continue(ctx context.Context, w domain.WorkspaceID, id domain.ResearchID, edited []string) error {
	r, err := s.Ledger.Research(ctx, w, id)
	if err != nil {
		return err
	}
	if r.Answer.Status != ledger.MessageAsking || r.Edits != nil || r.Answer.Withheld {
		return domain.Errorf(domain.Conflict, "This research no longer waits for its plan.")
	}
	if edited == nil {
		for _, q := range r.Plan {
			edited = append(edited, q.Text)
		}
	}
	plan, err := checkPlan(research.Plan(edited, r.Plan))
	switch {
	case err != nil:
		return err
	case len(plan) == 0:
		return domain.Errorf(domain.Invalid, "The plan is empty. Write at least one question, each on a line of its own.")
	}
	lines := lists.Map(plan, func(q research.Question) string { return q.Text })
	before, err := s.Queue.Get(ctx, w, r.Run)
	if err != nil {
		return err
	}
	after := []byte(strconv.Quote(s.Questions.Now().String())) // new input, so a run about to sleep continues
	err = s.Ledger.UpdateResearch(ctx, w, id, func(r *ledger.Research) { r.Edits = lines }, func(tx *sql.Tx) error {
		replied, err := s.Queue.ReplyTx(ctx, tx, w, r.Run, before.Input, after)
		if err == nil && !replied {
			err = domain.Errorf(domain.Conflict, "This research no longer waits for its plan.")
		}
		return err
	})
	if err == nil {
		s.Queue.Announce()
	}
	return err
}

// checkPlan returns a plan, or an error if it is too long.
func checkPlan(plan []research.Question) ([]research.Question, error) {
	if len(plan) > research.MaxQuestions {
		return nil, domain.Errorf(domain.Invalid, "The plan has %d questions; the limit is %d.", len(plan), research.MaxQuestions)
	}
	for _, q := range plan {
		if domain.Runes(q.Text) > answer.MaxQuestion {
			return nil, domain.Errorf(domain.TooLarge, "Question %d has %d characters; the limit is %d.", q.N, domain.Runes(q.Text), answer.MaxQuestion)
		}
	}
	return plan, nil
}

// OfTheme returns a question about a theme and a plan of questions: one about each name of the theme, and one about how the first
// is connected to the others. The theme is given by one of its names or by the id of its heaviest entity.
func (s *Service) OfTheme(ctx context.Context, w domain.WorkspaceID, name string) (question string, plan []string, err error) {
	t, err := s.Themes.Theme(ctx, w, name)
	if err != nil {
		return "", nil, err
	}
	plan = lists.Map(t.Names, func(n string) string { return lang.F(ctx, "What is known about %s?", n) })
	for _, n := range t.Names[1:] {
		plan = append(plan, lang.F(ctx, "How are %s and %s connected?", t.Names[0], n))
	}
	return lang.F(ctx, "What do the documents say about %s?", strings.Join(t.Names, ", ")), plan, nil
}

// Get returns a research with its answer, or an error of kind NotFound.
func (s *Service) Get(ctx context.Context, w domain.WorkspaceID, id domain.ResearchID) (ledger.Research, error) {
	return s.Ledger.Research(ctx, w, id)
}

// List lists some researches, newest first, and counts all; all are listed when n is 0.
func (s *Service) List(ctx context.Context, w domain.WorkspaceID, n, offset int) (operation.Page[ListedResearch], error) {
	found, total, err := s.Ledger.Researches(ctx, w, n, offset)
	list := operation.Page[ListedResearch]{Items: make([]ListedResearch, len(found)), Total: total}
	for i, r := range found {
		list.Items[i] = ListedResearch{r.Answer.Question, r.Answer.Status, len(r.Plan), r.CreatedAt, r.ID}
	}
	return list, err
}

// SoFar returns the plan and the findings of a run until now.
func (s *Service) SoFar(ctx context.Context, r ledger.Research) (research.State, error) {
	events, err := s.Hub.Events(ctx, r.Workspace, r.Run, 0)
	if err != nil {
		return research.State{}, err
	}
	return soFar(events)
}
