package questions

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/views/link"
)

// Kind names the runs that answer messages as they were asked, and BranchKind those that answer them otherwise. The
// subject of one is the message, of the other the branch. The runs of evaluation.Kind are answered in the same way.
const (
	Kind       = answer.Name
	BranchKind = "branch"
)

// Kinds describes the runs that answer. They are all carried out alike; what differs is what waits for what. Of messages,
// and of branches, atOnce are answered at a time. The questions of evaluations are asked one after another, so that their
// times can be compared, and wait while a server or a cap keeps them from being answered.
func (s *Service) Kinds(atOnce int) run.Kinds {
	of := func(k run.Kind, by ledger.AnswerKey) run.Kind {
		k.Topology, k.State, k.Cap, k.Work, k.Settled = s.Graph.Topology(), s.Graph.EncodedAt, answer.CaseCap, s.answer, s.settled
		k.Subjects = func(ctx context.Context, w domain.WorkspaceID, ids []string) (map[string]run.Subject, error) {
			return s.subjects(ctx, w, by, ids)
		}
		return k
	}
	return run.Kinds{
		of(run.Kind{
			Name: Kind, Title: "Answer", Plural: "Answers", Opens: "Open the conversation", About: "message", Gone: "a question that was deleted", Concurrency: atOnce,
		}, ledger.ByMessage),
		of(run.Kind{
			Name: BranchKind, Title: "Branch", Plural: "Branches", Opens: "Open the conversation", About: "branch", Gone: "a branch that was deleted", Concurrency: atOnce,
		}, ledger.ByBranch),
		of(run.Kind{
			Name: evaluation.Kind, Title: "Evaluation", Plural: "Evaluations", Apart: true, Opens: "Open the evaluation", About: "evaluation", Gone: "a question of an evaluation that was deleted",
			Concurrency: 1, WaitsForServers: true, PausesAtCap: true,
		}, ledger.ByEvaluation),
	}
}

func (s *Service) subjects(ctx context.Context, w domain.WorkspaceID, by ledger.AnswerKey, ids []string) (map[string]run.Subject, error) {
	if by == ledger.ByEvaluation {
		ids = evaluation.Of(ids)
	}
	asked, err := s.Ledger.Asked(ctx, w, by, ids)
	subjects := make(map[string]run.Subject, len(asked))
	for _, a := range asked {
		switch by {
		case ledger.ByMessage:
			subjects[string(a.Message)] = run.Subject{Title: a.Question, Path: link.TurnAt(a.Conversation, a.Message, "")}
		case ledger.ByBranch:
			subjects[string(a.Branch)] = run.Subject{Title: a.Question, Path: link.BranchTurn(a.Conversation, a.Message, a.Branch)}
		case ledger.ByEvaluation:
			subjects[evaluation.Subject(a.Evaluation, a.N)] = run.Subject{Title: a.Question, Path: link.EvaluationReply(a.Evaluation, a.N)}
		}
	}
	return subjects, err
}

// A plan describes how a run is answered.
type plan struct {
	graph stategraph.Runnable[answer.State]
	start answer.State // omitted if the run begins at a step of another
	opts  []stategraph.RunOption
	loops int // maximum of rewordings after the earlier steps
}

// answer carries out an attempt at an answer.
func (s *Service) answer(ctx context.Context, a *run.Attempt) error {
	in, err := inputOf(a.Run)
	if err != nil {
		return err
	}
	row, err := s.Ledger.UpdateAnswer(ctx, a.Workspace, a.ID, func(r *ledger.Answer) { r.Status = ledger.MessageAnswering })
	if err != nil {
		return err
	}
	var p plan
	switch {
	case row.Evaluation != "":
		p, err = s.evaluate(ctx, row)
	case row.Branch != "":
		p, err = s.branch(ctx, a, row)
	default:
		p, err = s.asAsked(ctx, a, row, in)
	}
	if err != nil {
		return err
	}
	resumed := false
	carryOut := s.Answer
	if row.Purpose == string(Replay) {
		carryOut = s.repeating(row.Parent)
	}
	began := s.Now()
	result, err := carryOut(ctx, a, p.graph, p.start, append(p.opts, stategraph.RecursionLimit(row.Super+answer.RecursionLimit(p.loops)),
		stategraph.Observe(func(e stategraph.Event) { resumed = resumed || e.Kind == stategraph.RunStart && e.Resumed }))...)
	if asked, ok := errors.AsType[*stategraph.InterruptedError](err); ok {
		return s.wait(ctx, a, in, asked)
	}
	if llm.Unrecorded(err) {
		err = &job.ExpectedError{Err: err}
	}
	if err == nil && row.Evaluation != "" {
		took := s.Now().Sub(began)
		if resumed { // the total time is unknown
			took = 0
		}
		err = s.Evaluation.Score(ctx, row, result, took, resumed)
	}
	if err != nil && result.Answer == "" {
		return err
	}
	_, failed := s.Ledger.UpdateAnswer(context.WithoutCancel(ctx), a.Workspace, a.ID, func(r *ledger.Answer) {
		r.Text, r.Figures = result.Answer, result.Figures
		if err == nil {
			r.Status, r.Problem, r.Sentences, r.Citations = ledger.MessageDone, "", result.Sentences, result.Citations
		}
	})
	return errors.Join(err, failed)
}

// asAsked returns the plan that answers a message as it was asked.
func (s *Service) asAsked(ctx context.Context, a *run.Attempt, row ledger.Answer, in input) (p plan, err error) {
	begin, err := s.begin(ctx, row)
	if err != nil {
		return p, err
	}
	begin.Review, begin.Hint, begin.Passages, begin.Rerank, begin.ContextOnly = in.Review, in.Hint, in.Passages, in.Rerank, in.ContextOnly
	if begin.Budget, err = s.Allowed(ctx, row.Workspace, in.Budget); err != nil {
		return p, err
	}
	if in.MaxLoops != nil {
		begin.MaxLoops = *in.MaxLoops
	}
	if len(in.History) > 0 {
		begin.History = in.History
	}
	p = plan{graph: s.Graph, start: answer.Start(begin), loops: begin.MaxLoops}
	p.opts, err = s.answered(ctx, a.Run, in)
	return p, err
}

// branch returns how a branch is answered. One that begins at a step of another run is put there.
func (s *Service) branch(ctx context.Context, a *run.Attempt, row ledger.Answer) (p plan, err error) {
	p.loops = answer.MostLoops
	changes, err := ChangesOf(row)
	if err != nil {
		return p, err
	}
	if p.graph, err = s.graphFor(ctx, row.Workspace, changes); err != nil {
		return p, err
	}
	edit := func(s *answer.State) {
		if row.Purpose == string(Replay) {
			return
		}
		changes.Apply(s)
		s.Run, s.Review, s.Hint = row.Run, false, false
		if row.Purpose == string(Again) || row.Purpose == string(Edit) && changes.none() {
			s.Salt = string(row.Run)
		}
	}
	if row.Parent != "" {
		return p, run.Fork(ctx, a, s.Graph, row.Parent, row.Super, edit)
	}
	begin, err := s.begin(ctx, row)
	p.start = answer.Start(begin)
	edit(&p.start)
	if row.Purpose == string(Web) {
		p.start.Web, p.start.MaxLoops = true, 0
	}
	return p, err
}

// graphFor returns the graph with the model and the prompts that were chosen.
func (s *Service) graphFor(ctx context.Context, w domain.WorkspaceID, c Changes) (stategraph.Runnable[answer.State], error) {
	if c.Model == "" && len(c.Prompts)+len(c.Drafts) == 0 {
		return s.Graph, nil
	}
	book := s.Prompts
	for role, n := range c.Prompts {
		v, err := s.Prompts.Version(ctx, w, role, n)
		if err != nil {
			return nil, err
		}
		if book, err = book.With(role, v.Text); err != nil {
			return nil, err
		}
	}
	for role, text := range c.Drafts {
		var err error
		if book, err = book.With(role, text); err != nil {
			return nil, err
		}
	}
	setting := s.Evaluation.Usual
	setting.Model = cmp.Or(c.Model, setting.Model)
	return s.GraphBy(setting, book)
}

// evaluate returns how a question of an evaluation is answered. Models are asked although they may have been asked the
// same before: what another evaluation has paid would be missing from the figures of this one.
func (s *Service) evaluate(ctx context.Context, row ledger.Answer) (p plan, err error) {
	e, err := s.Evaluation.Get(ctx, row.Workspace, row.Evaluation)
	if err != nil {
		return p, err
	}
	begin := answer.Begin{
		Workspace: row.Workspace, Question: row.Question, MaxLoops: e.Setting.MaxLoops, MinRelevant: s.MinRelevant,
		Run: row.Run, Salt: string(row.Run), Prompts: e.Facts.Prompts, Method: e.Setting.Method,
	}
	if begin.Budget, err = s.budget(ctx, row.Workspace); err != nil {
		return p, err
	}
	p.start, p.loops = answer.Start(begin), begin.MaxLoops
	p.graph, err = s.graphOf(e)
	return p, err
}

// graphOf returns the graph for an evaluation's setting. It caches the graph for later questions, because it learns how
// its model takes structured answers.
func (s *Service) graphOf(e evaluation.Evaluation) (stategraph.Runnable[answer.State], error) {
	same, usual := e.Setting, s.Evaluation.Usual
	same.Method, same.MaxLoops = usual.Method, usual.MaxLoops
	if same == usual {
		return s.Graph, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.evaluation == e.ID {
		return s.last.graph, nil
	}
	g, err := s.GraphBy(e.Setting, s.Prompts)
	if err == nil {
		s.last.evaluation, s.last.graph = e.ID, g
	}
	return g, err
}

// Answer carries out an attempt at an answer by g, from start or from where an earlier attempt ended. With an error it
// returns what an answer that broke off had written, with the charts that were settled.
func (s *Service) Answer(ctx context.Context, a *run.Attempt, g stategraph.Runnable[answer.State], start answer.State, opts ...stategraph.RunOption) (answer.Result, error) {
	if s.Admit != nil {
		var err error
		if ctx, err = s.Admit(ctx, a.Workspace); err != nil {
			return answer.Result{}, err
		}
	}
	shown, err := shownBefore(ctx, a)
	if err != nil {
		return answer.Result{}, err
	}
	limited, cancel := s.limited(ctx)
	defer cancel()
	final, err := run.Gathered(limited, a, s.Ledger, g, start, append(opts, stategraph.MaxConcurrency(s.AtOnce),
		stategraph.Observe(func(e stategraph.Event) {
			if e.Kind == stategraph.RunStart && e.Resumed && len(e.Path) == 1 && shown != "" {
				a.Show(shown)
			}
		}))...)
	if _, asks := errors.AsType[*stategraph.InterruptedError](err); asks {
		return answer.Result{}, err
	}
	if errors.Is(context.Cause(limited), errTooLong) && err != nil {
		err = domain.Because(domain.TooLarge, err, "The answer took longer than %s, the limit set by QUESTION_TIMEOUT. Ask again, or ask for less.", s.Timeout)
	}
	if err != nil {
		part, failed := written(context.WithoutCancel(ctx), a, g.Topology())
		return part, errors.Join(err, failed)
	}
	return final.Result(), nil
}

// wait records that a question waits for a person. A restarted run repeats a question answered before, and continues.
func (s *Service) wait(ctx context.Context, a *run.Attempt, in input, asked *stategraph.InterruptedError) error {
	if in.Reply != nil && in.Reply.To == asked.Questions[0].ID {
		return s.answer(ctx, a)
	}
	_, err := s.Ledger.UpdateAnswer(context.WithoutCancel(ctx), a.Workspace, a.ID, func(r *ledger.Answer) { r.Status = ledger.MessageAsking })
	return cmp.Or[error](err, asked)
}

// errTooLong ends the context of an answer that takes too long.
var errTooLong = errors.New("the answer takes too long")

// limited returns the context of one answer.
func (s *Service) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.Timeout == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, s.Timeout, errTooLong)
}

// begin returns the initial input of the run about a message: its question, and the exchanges before it.
func (s *Service) begin(ctx context.Context, row ledger.Answer) (b answer.Begin, err error) {
	b = answer.Begin{
		Workspace: row.Workspace, Question: row.Question, MaxLoops: s.MaxLoops, MinRelevant: s.MinRelevant, Run: row.Run, Method: row.Method, Scope: row.Scope,
	}
	if row.Purpose != string(Web) { // earlier text stays here
		if b.History, err = s.history(ctx, row); err != nil {
			return b, err
		}
	}
	if !row.Scope.Everywhere() {
		if b.Within, err = s.Ledger.Within(ctx, row.Workspace, row.Scope); err != nil {
			return b, err
		}
	}
	if b.Prompts, err = s.Prompts.Pin(ctx, row.Workspace); err != nil {
		return b, err
	}
	b.Budget, err = s.budget(ctx, row.Workspace)
	return b, err
}

// budget returns the most that an answer may cost.
func (s *Service) budget(ctx context.Context, w domain.WorkspaceID) (answer.Budget, error) {
	if s.Budget == nil {
		return answer.Budget{}, nil
	}
	return s.Budget(ctx, w)
}

// Allowed returns the maximum cost of an answer whose question has a budget of tokens, 0 for none: the lower one of
// that and the cap. It fails with kind Invalid if the cap is in money, which can't be compared with tokens.
func (s *Service) Allowed(ctx context.Context, w domain.WorkspaceID, tokens int) (answer.Budget, error) {
	limit, err := s.budget(ctx, w)
	switch {
	case err != nil || tokens == 0:
		return limit, err
	case limit.Money:
		return limit, domain.Errorf(domain.Invalid, "The cap of a question is in money here (%s), beside which no budget of tokens can be kept. Leave the budget out.", limit.Says)
	case limit.Most > 0 && limit.Most <= int64(tokens):
		return limit, nil
	}
	return answer.Budget{Most: int64(tokens), Says: domain.Thousands(tokens) + " tokens"}, nil
}

// history returns the exchanges before a message, oldest first, as the run reads them.
func (s *Service) history(ctx context.Context, m ledger.Answer) ([]answer.Exchange, error) {
	earlier, err := s.before(ctx, m)
	if err != nil || len(earlier) == 0 {
		return nil, err
	}
	if err := s.Ledger.NoteHistory(ctx, m.Workspace, m.Run, runsOf(earlier)); err != nil {
		return nil, err
	}
	if earlier, err = s.before(ctx, m); err != nil { // without what was deleted before the note
		return nil, err
	}
	var history []answer.Exchange
	for _, e := range earlier {
		history = append(history, answer.Exchange{Question: e.Question, Answer: e.Text})
	}
	return history, nil
}

func runsOf(turns []Turn) (runs []domain.RunID) {
	return lists.Map(turns, func(t Turn) domain.RunID { return t.Run })
}

// before returns the last turns before a message that are answered, oldest first, without those whose answers drew on what the person
// may not read.
func (s *Service) before(ctx context.Context, m ledger.Answer) ([]Turn, error) {
	t, err := s.Tree(ctx, m.Workspace, m.Conversation)
	if err != nil {
		return nil, err
	}
	answered := slices.DeleteFunc(t.Before(m.Message), func(b Turn) bool { return b.Status != ledger.MessageDone })
	withheld, err := s.Ledger.Withheld(ctx, m.Workspace, runsOf(answered)...)
	if err != nil {
		return nil, err
	}
	answered = slices.DeleteFunc(answered, func(b Turn) bool { return withheld[b.Run] })
	return answered[max(0, len(answered)-remembered):], nil
}

// shownBefore returns the text that an earlier attempt has shown and that this one does not write again.
func shownBefore(ctx context.Context, a *run.Attempt) (string, error) {
	events, err := a.Events(ctx)
	for _, e := range slices.Backward(events) {
		if e.Kind != string(stategraph.NodeEnd) || e.Node != answer.NodeModel {
			continue
		}
		if text, ok := answer.TextSoFar(e.Update); ok {
			return text, err
		}
	}
	return "", err
}

// written returns the text written by an interrupted attempt, with the settled charts.
func written(ctx context.Context, a *run.Attempt, t stategraph.Topology) (answer.Result, error) {
	text := a.Text()
	if text == "" {
		return answer.Result{}, nil
	}
	events, err := a.Events(ctx)
	pending := func(f domain.Figure) bool { return f.Status == domain.FigurePending }
	return answer.Result{Answer: text, Figures: slices.DeleteFunc(trace.Fold(a.ID, t, events).Figures, pending)}, err
}

// settled records how a run ended. One that is done has noted it with its answer.
func (s *Service) settled(ctx context.Context, r job.Run) error {
	if r.Status == job.Done && r.Kind != evaluation.Kind {
		return nil
	}
	a, err := s.Ledger.Answer(ctx, r.Workspace, r.ID)
	if err != nil {
		return err
	}
	if a.Evaluation != "" { // first: the evaluation can't be continued while the question is being asked
		if err := s.Evaluation.Settle(ctx, r, a); err != nil {
			return err
		}
	}
	if r.Status != job.Done {
		_, err = s.Ledger.UpdateAnswer(ctx, r.Workspace, r.ID, func(a *ledger.Answer) { a.Status, a.Problem = ledger.MessageStatus(r.Status), r.Problem })
	}
	if err != nil || a.Evaluation == "" {
		return err
	}
	return s.Evaluation.Next(ctx, a)
}
