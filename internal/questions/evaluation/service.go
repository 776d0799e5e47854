package evaluation

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/run/job"
)

// The maximum number of questions in a set, and of evaluations in progress.
const (
	MaxKept = 500
	maxOpen = 4
)

// ServiceParams configures a Service. All fields are required but Models and BuiltIn.
type ServiceParams struct {
	Ledger  *ledger.Ledger
	Queue   *job.Queue
	Costs   *costs.Service
	Models  []string // that answer, by the settings; none in the built-in mode
	Vectors bool     // there is an embedding model
	Usual   Setting  // answers the questions of people
	BuiltIn string   // the choice of Models that asks no model
	Ranks   bool     // a cross-encoder ranks passages, without a model
	IDs     domain.IDs
	Now     domain.Clock

	// Facts returns the other facts that answers depend on.
	Facts func(ctx context.Context, w domain.WorkspaceID) (Facts, error)
}

// A Service keeps questions and evaluates with them. The questions package asks them.
type Service struct{ ServiceParams }

// New returns a Service.
func New(p ServiceParams) *Service { return &Service{ServiceParams: p} }

// A Kept is a question that is kept.
type Kept struct {
	Question
	ID      domain.QuestionID `json:"id"`
	Set     domain.SetID      `json:"set"`
	Message domain.MessageID  `json:"message,omitempty"` // that it was kept from
}

// Keep keeps questions in a set, from messages or from none, and returns how many are
// new. One with the same words as another replaces what is expected of that. The error
// is Invalid or TooLarge for a question that can't be kept.
func (s *Service) Keep(ctx context.Context, w domain.WorkspaceID, set domain.SetID, questions ...Kept) (added int, err error) {
	rows := make([]ledger.KeptQuestion, len(questions))
	for i, k := range questions {
		q, err := k.checked()
		if err != nil {
			return 0, err
		}
		rows[i] = ledger.KeptQuestion{Message: k.Message, Text: q.Text, Answers: q.Answers, Sources: q.Sources}
		if rows[i].ID, err = s.IDs.Question(); err != nil {
			return 0, err
		}
	}
	return s.Ledger.KeepQuestions(ctx, w, set, MaxKept, rows...)
}

// Change changes a kept question, and its set. It fails like Keep, and with NotFound, and with Conflict if another
// question of the set has the same words.
func (s *Service) Change(ctx context.Context, w domain.WorkspaceID, k Kept) error {
	q, err := k.checked()
	if err != nil {
		return err
	}
	return s.Ledger.ChangeQuestion(ctx, w, ledger.KeptQuestion{ID: k.ID, Set: k.Set, Text: q.Text, Answers: q.Answers, Sources: q.Sources})
}

// Questions lists the questions that are kept in sets, oldest first.
func (s *Service) Questions(ctx context.Context, w domain.WorkspaceID, sets ...domain.SetID) ([]Kept, error) {
	rows, err := s.Ledger.KeptQuestions(ctx, w, sets...)
	all := make([]Kept, len(rows))
	for i, k := range rows {
		all[i] = Kept{Question: Question{Text: k.Text, Sources: k.Sources, Answers: k.Answers}, ID: k.ID, Set: k.Set, Message: k.Message}
	}
	return all, err
}

// Missing lists the expected documents that the library does not have, once each.
func (s *Service) Missing(ctx context.Context, w domain.WorkspaceID, questions []Kept) ([]string, error) {
	names := lists.Flat(questions, func(k Kept) []string { return k.Sources })
	slices.Sort(names)
	names = slices.Compact(names)
	here, err := s.Ledger.NamedHere(ctx, w, names)
	return slices.DeleteFunc(names, func(name string) bool { return here[name] }), err
}

// An Evaluation is a set of questions asked under one setting.
type Evaluation struct {
	ID         domain.EvaluationID     `json:"id"`
	Set        domain.SetID            `json:"set"` // of its questions; may have been deleted since
	Setting    Setting                 `json:"setting"`
	Facts      Facts                   `json:"facts"`
	Status     ledger.EvaluationStatus `json:"status"`
	Person     string                  `json:"person,omitempty"`
	CreatedAt  time.Time               `json:"created_at"`
	FinishedAt time.Time               `json:"finished_at,omitzero"`
	Score      Score                   `json:"score"`              // so far
	Currency   string                  `json:"currency,omitempty"` // of costs
}

// Working reports whether questions are still to be asked.
func (e Evaluation) Working() bool { return e.Status == ledger.EvaluationWorking }

func decoded(row ledger.Evaluation) (e Evaluation, err error) {
	e = Evaluation{ID: row.ID, Set: row.Set, Status: row.Status, Person: row.Person, CreatedAt: row.CreatedAt, FinishedAt: row.FinishedAt}
	for into, data := range map[any]json.RawMessage{&e.Setting: row.Setting, &e.Facts: row.Facts, &e.Score: row.Score} {
		if err := json.Unmarshal(data, into); err != nil {
			return e, fmt.Errorf("decode evaluation %s: %w", row.ID, err)
		}
	}
	return e, nil
}

// Start begins to ask all questions of a set under a setting, and does not wait for
// the replies. The error is Invalid without questions or for a setting that can't be,
// and TooMany while too many evaluations work.
func (s *Service) Start(ctx context.Context, w domain.WorkspaceID, set domain.SetID, setting Setting) (Evaluation, error) {
	if err := s.possible(ctx, w, setting); err != nil {
		return Evaluation{}, err
	}
	kept, err := s.Questions(ctx, w, set)
	if err != nil {
		return Evaluation{}, err
	}
	if len(kept) == 0 {
		return Evaluation{}, domain.Errorf(domain.Invalid, "The set has no questions. Write one, or take some from a CSV file.")
	}
	facts, err := s.Facts(ctx, w)
	if err != nil {
		return Evaluation{}, err
	}
	row := ledger.Evaluation{Workspace: w, Set: set, Score: json.RawMessage(`{}`), Person: domain.PersonOf(ctx), Status: ledger.EvaluationWorking, CreatedAt: s.Now()}
	if row.ID, err = s.IDs.Evaluation(); err != nil {
		return Evaluation{}, err
	}
	for into, v := range map[*json.RawMessage]any{&row.Setting: setting, &row.Facts: facts} {
		if *into, err = json.Marshal(v); err != nil {
			return Evaluation{}, fmt.Errorf("encode an evaluation: %w", err)
		}
	}
	replies := make([]ledger.EvaluationReply, len(kept))
	for i, k := range kept {
		replies[i] = ledger.EvaluationReply{N: i + 1, Question: k.ID, Text: k.Text, Answers: k.Answers, Sources: k.Sources, Figures: json.RawMessage(`{}`)}
	}
	if err := s.Ledger.AddEvaluation(ctx, row, replies); err != nil {
		return Evaluation{}, err
	}
	if err := s.advance(ctx, row); err != nil {
		return Evaluation{}, err
	}
	return decoded(row)
}

// possible returns an error for a setting that can't answer anything, and while
// as many evaluations work as may.
func (s *Service) possible(ctx context.Context, w domain.WorkspaceID, setting Setting) error {
	if err := setting.check(); err != nil {
		return err
	}
	if setting.Method == domain.MethodVectors && !s.Vectors {
		return retrieve.ErrNoVectors
	}
	if setting.Model == s.BuiltIn && !setting.plain(s.Ranks) {
		return domain.Errorf(domain.Invalid, "Without a model, passages are graded one by one in the order of the search, and questions are not split. Choose a model for these settings, or 1 passage per call, 0 put in order and questions as they are.")
	}
	if setting.Model != s.Usual.Model && !slices.Contains(s.Models, setting.Model) {
		return domain.Errorf(domain.Invalid, "There is no model %q to answer with. Omit it to ask %s.", setting.Model, s.Usual.Model)
	}
	latest, err := s.Ledger.Evaluations(ctx, w, MaxHistory)
	if err != nil {
		return err
	}
	open := lists.CountFunc(latest, func(e ledger.Evaluation) bool { return e.Status == ledger.EvaluationWorking })
	if open >= maxOpen {
		return domain.TooManyf(time.Minute, "%d evaluations are already running, which is the limit. Wait until one has ended, or stop one.", open)
	}
	return nil
}

// advance queues the next question of an evaluation, or ends the evaluation. It may be called more than once.
func (s *Service) advance(ctx context.Context, e ledger.Evaluation) error {
	id, err := s.IDs.Run()
	if err != nil {
		return err
	}
	ctx = domain.WithPerson(ctx, e.Person)
	left, err := s.Ledger.AdvanceEvaluation(ctx, e.Workspace, e.ID, id, func(tx *sql.Tx, r ledger.EvaluationReply) error {
		_, err := s.Queue.AddTx(ctx, tx, job.Run{Workspace: e.Workspace, ID: r.Run, Kind: Kind, Subject: Subject(r.Evaluation, r.N), Title: r.Text, CreatedAt: s.Now()})
		return err
	})
	if err != nil || left {
		s.Queue.Announce()
		return err
	}
	return s.end(ctx, e.Workspace, e.ID, ledger.EvaluationDone)
}

// end records how an evaluation that worked has ended, with its score.
func (s *Service) end(ctx context.Context, w domain.WorkspaceID, id domain.EvaluationID, status ledger.EvaluationStatus) error {
	_, err := s.Ledger.UpdateEvaluation(ctx, w, id, func(e *ledger.Evaluation, replies []ledger.EvaluationReply) error {
		if e.Status == ledger.EvaluationWorking {
			e.FinishedAt = s.Now()
		}
		e.Status = status
		return sumUp(e, replies)
	})
	return err
}

// sumUp stores the score of the replies of an ended evaluation.
func sumUp(e *ledger.Evaluation, rows []ledger.EvaluationReply) error {
	replies, err := repliesOf(rows)
	if err != nil {
		return err
	}
	if e.Score, err = json.Marshal(Sum(replies)); err != nil {
		return fmt.Errorf("encode the score of evaluation %s: %w", e.ID, err)
	}
	return nil
}

// Stop stops an evaluation. Replies so far are kept, and GoOn asks the remaining questions.
func (s *Service) Stop(ctx context.Context, w domain.WorkspaceID, id domain.EvaluationID) error {
	e, err := s.Ledger.Evaluation(ctx, w, id)
	if err != nil || e.Status != ledger.EvaluationWorking {
		return err
	}
	if err := s.end(ctx, w, id, ledger.EvaluationStopped); err != nil {
		return err
	}
	rows, err := s.Ledger.EvaluationReplies(ctx, w, id)
	for _, r := range rows {
		if r.Asking() {
			return s.Queue.Stop(ctx, w, r.Run)
		}
	}
	return err
}

// GoOn asks the remaining questions of a stopped evaluation. The error is Conflict while it is still stopping.
func (s *Service) GoOn(ctx context.Context, w domain.WorkspaceID, id domain.EvaluationID) error {
	rows, err := s.Ledger.EvaluationReplies(ctx, w, id)
	if err != nil {
		return err
	}
	e, err := s.Ledger.Evaluation(ctx, w, id)
	if err != nil || e.Status != ledger.EvaluationStopped {
		return err
	}
	if slices.ContainsFunc(rows, func(r ledger.EvaluationReply) bool { return r.Asking() }) {
		return domain.Errorf(domain.Conflict, "The evaluation is still stopping. Try again in a moment.")
	}
	e, err = s.Ledger.UpdateEvaluation(ctx, w, id, func(e *ledger.Evaluation, _ []ledger.EvaluationReply) error {
		e.Status, e.FinishedAt, e.Person = ledger.EvaluationWorking, time.Time{}, domain.PersonOf(ctx)
		return nil
	})
	if err != nil {
		return err
	}
	return s.advance(ctx, e)
}

// Delete deletes an evaluation with its runs. One that works ends.
func (s *Service) Delete(ctx context.Context, w domain.WorkspaceID, id domain.EvaluationID) error {
	return s.Ledger.DeleteEvaluation(ctx, w, id)
}

// MaxHistory is the maximum number of evaluations that History lists.
const MaxHistory = 200

// History lists the latest evaluations with their scores, newest first.
func (s *Service) History(ctx context.Context, w domain.WorkspaceID) ([]Evaluation, error) {
	rows, err := s.Ledger.Evaluations(ctx, w, MaxHistory)
	all := make([]Evaluation, len(rows))
	for i, row := range rows {
		if all[i], err = decoded(row); err != nil {
			return nil, err
		}
	}
	return all, err
}

// Result returns an evaluation with its replies in the order of asking.
func (s *Service) Result(ctx context.Context, w domain.WorkspaceID, id domain.EvaluationID) (Evaluation, error) {
	e, err := s.Get(ctx, w, id)
	if err != nil {
		return e, err
	}
	return s.Filled(ctx, w, e)
}

// Filled returns an evaluation of the history with its replies, like Result.
func (s *Service) Filled(ctx context.Context, w domain.WorkspaceID, e Evaluation) (Evaluation, error) {
	replies, err := s.replies(ctx, w, e.ID)
	e.Score = Sum(replies)
	e.Score.Method, e.Score.Replies = e.Setting.Method, replies
	return e, err
}

func (s *Service) replies(ctx context.Context, w domain.WorkspaceID, id domain.EvaluationID) ([]Reply, error) {
	rows, err := s.Ledger.EvaluationReplies(ctx, w, id)
	if err != nil {
		return nil, err
	}
	return repliesOf(rows)
}

func repliesOf(rows []ledger.EvaluationReply) ([]Reply, error) {
	all := make([]Reply, len(rows))
	for i, row := range rows {
		r := Reply{Question: Question{Text: row.Text, Sources: row.Sources, Answers: row.Answers}, ID: row.Question, N: row.N, Run: row.Run, Problem: row.Problem, Answer: row.Answer}
		if row.Status.Over() { // figures are stored before the answer
			if err := json.Unmarshal(row.Figures, &r.Figures); err != nil {
				return nil, fmt.Errorf("decode a reply of evaluation %s: %w", row.Evaluation, err)
			}
		}
		all[i] = r.judged(Verdict(row.ByHand))
	}
	return all, nil
}

// A Set is a named set of kept questions.
type Set struct {
	ID        domain.SetID `json:"id"`
	Name      string       `json:"name"`
	Questions int          `json:"questions"`
}

// The maximum number of sets of a workspace, and the longest name of one, in code points.
const (
	MaxSets    = 50
	MaxSetName = 80
)

// Sets lists the sets of kept questions, oldest first. There is always one.
func (s *Service) Sets(ctx context.Context, w domain.WorkspaceID) ([]Set, error) {
	rows, err := s.Ledger.QuestionSets(ctx, w)
	all := lists.Map(rows, func(r ledger.QuestionSet) Set { return Set{ID: r.ID, Name: r.Name, Questions: r.Questions} })
	return all, err
}

// FindSet returns the set with an id or a name, or the first if which is "". The error is NotFound if there is none.
func (s *Service) FindSet(ctx context.Context, w domain.WorkspaceID, which string) (Set, error) {
	all, err := s.Sets(ctx, w)
	if err != nil {
		return Set{}, err
	}
	for _, set := range all {
		if which == "" || string(set.ID) == which || strings.EqualFold(set.Name, strings.TrimSpace(which)) {
			return set, nil
		}
	}
	return Set{}, domain.Errorf(domain.NotFound, "There is no set %s of questions here. It may have been deleted or renamed.", domain.Cut(which, MaxSetName))
}

// AddSet adds a set without questions. The error is Invalid for a name that can't be,
// Conflict for one that another set has, and TooLarge when there are too many.
func (s *Service) AddSet(ctx context.Context, w domain.WorkspaceID, name string) (Set, error) {
	name, err := setName(name)
	if err != nil {
		return Set{}, err
	}
	id, err := s.IDs.Set()
	if err != nil {
		return Set{}, err
	}
	return Set{ID: id, Name: name}, s.Ledger.AddSet(ctx, w, MaxSets, ledger.QuestionSet{ID: id, Name: name})
}

// RenameSet renames a set. It fails like AddSet, and with NotFound.
func (s *Service) RenameSet(ctx context.Context, w domain.WorkspaceID, id domain.SetID, name string) error {
	name, err := setName(name)
	if err != nil {
		return err
	}
	return s.Ledger.RenameSet(ctx, w, id, name)
}

func setName(name string) (string, error) {
	name = domain.OneLine(strings.ToValidUTF8(name, ""))
	switch n := domain.Runes(name); {
	case n == 0:
		return "", domain.Errorf(domain.Invalid, "The name of the set is empty. Write one.")
	case n > MaxSetName:
		return "", domain.Errorf(domain.Invalid, "The name of a set has %d characters; the limit is %d.", n, MaxSetName)
	}
	return name, nil
}

// ByHand lists the verdicts that a person can give.
func ByHand() []Verdict { return []Verdict{Right, Half, Wrong, Refused} }

// Judge puts a person's verdict on the n-th reply of an evaluation in place of that of
// the rules, or takes it back where v is "", and returns the one that the reply had
// from a person before. The error is Invalid for a verdict that a person can't give,
// Conflict before there is an answer, and NotFound for a reply that is not there.
func (s *Service) Judge(ctx context.Context, w domain.WorkspaceID, id domain.EvaluationID, n int, v Verdict) (before Verdict, err error) {
	if v != "" && !slices.Contains(ByHand(), v) {
		return "", domain.Errorf(domain.Invalid, "There is no verdict %q. Choose right, half, wrong or refused.", domain.Cut(string(v), 40))
	}
	_, err = s.Ledger.UpdateEvaluation(ctx, w, id, func(e *ledger.Evaluation, replies []ledger.EvaluationReply) error {
		i := slices.IndexFunc(replies, func(r ledger.EvaluationReply) bool { return r.N == n })
		switch {
		case i < 0:
			return domain.Errorf(domain.NotFound, "The evaluation has no question %d. It has %d.", n, len(replies))
		case replies[i].Status != ledger.MessageDone:
			return domain.Errorf(domain.Conflict, "Question %d has no answer to judge.", n)
		}
		before, replies[i].ByHand = Verdict(replies[i].ByHand), string(v)
		if e.Status == ledger.EvaluationWorking {
			return nil
		}
		return sumUp(e, replies)
	})
	return before, err
}

// judged returns the reply with a person's verdict instead of the rules'.
func (r Reply) judged(by Verdict) Reply {
	if by == "" {
		return r
	}
	r.ByRule, r.Verdict = r.Verdict, by
	if by == Refused && r.ToRefuse() {
		r.Verdict = RefusedRightly
	}
	return r
}

// Says names the verdict on a reply, and whether a person gave it.
func (r Reply) Says() string {
	switch {
	case r.Verdict == "":
		return "not asked"
	case r.ByRule != "":
		return fmt.Sprintf("%s by hand (%s by rule)", r.Verdict, r.ByRule)
	}
	return string(r.Verdict)
}
