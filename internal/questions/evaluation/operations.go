package evaluation

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/operation"
)

type ofSet struct {
	Set string `json:"set" doc:"name or id of a set of questions; by default the first set"`
}

// Listing is the questions of a set, and the names of documents that they expect and the library does not have.
type Listing struct {
	Questions []Kept
	Missing   []string
}

// Array returns the questions.
func (l Listing) Array() any { return l.Questions }

// Keeping is a question to keep, with what is expected of its answer.
type Keeping struct {
	Text    string   `json:"question" arg:"QUESTION" doc:"what to ask"`
	Answers []string `json:"answers" flag:"answer" whole:"" doc:"words that make an answer right; can be repeated, and any of them is enough"`
	Sources []string `json:"sources" flag:"source" whole:"" doc:"name of a document that is needed; can be repeated"`
	ofSet
}

// Changing changes a question that is kept. What is left out stays.
type Changing struct {
	ID      domain.QuestionID `json:"id" arg:"ID" doc:"id of the question"`
	Text    string            `json:"question" doc:"what is asked"`
	Answers []string          `json:"answers" whole:"" doc:"{WORDS} that make an answer right, in place of those before; can be given several times"`
	Sources []string          `json:"sources" whole:"" doc:"{NAME} of a document that is needed, in place of those before; can be given several times"`
	Refuse  bool              `json:"refuse" doc:"the question is to be refused: expect neither words nor documents"`
	Set     string            `json:"set" doc:"name or id of the set to move it to"`
}

type takingOver struct {
	File operation.File `json:"file" arg:"FILE.csv" doc:"CSV file of questions"`
	ofSet
}

type keptQuestions struct {
	IDs []string `json:"questions" arg:"ID..." doc:"ids of questions"`
}

// Taken counts the questions that were kept.
type Taken struct {
	Added   int `json:"added"`
	Changed int `json:"changed"`
}

func (t Taken) String() string {
	return fmt.Sprintf("%s added, %d changed.", domain.Counted(t.Added, "question", "questions"), t.Changed)
}

type naming struct {
	Name string `json:"name" arg:"NAME" doc:"name of the set"`
}

type renaming struct {
	Which string `json:"set" arg:"SET" doc:"name or id of a set"`
	naming
}

type oneSet struct {
	Which string `json:"set" arg:"SET" doc:"name or id of a set"`
}

// Running selects the questions to ask, and the setting. What is left out is as for people's questions.
type Running struct {
	ofSet
	Method    string `json:"method" doc:"search by words, vectors, hybrid or walk instead of the default"`
	Model     string `json:"model" doc:"answer with another model of the settings, or with builtin"`
	MaxLoops  *int   `json:"max_loops" flag:"loops" doc:"maximum number of rewrites, instead of MAX_LOOPS"`
	Passages  *int   `json:"passages" doc:"number of passages of each search to grade, instead of PASSAGES"`
	GradeMany *int   `json:"grade_many" doc:"number of passages a model grades in one call, instead of GRADE_MANY"`
	Rerank    *int   `json:"rerank" doc:"number of first passages a model puts in order, instead of RERANK"`
	Decompose *bool  `json:"decompose" doc:"whether a model may split a question, instead of DECOMPOSE"`
}

func (in Running) choice() Choice {
	return Choice{domain.MethodName(in.Method), in.Model, in.MaxLoops, in.Passages, in.GradeMany, in.Rerank, in.Decompose}
}

type oneEvaluation struct {
	ID domain.EvaluationID `json:"evaluation" arg:"ID" doc:"id of an evaluation"`
}

type someEvaluations struct {
	IDs []string `json:"evaluations" arg:"ID..." doc:"ids of evaluations"`
}

type twoEvaluations struct {
	A domain.EvaluationID `json:"a" arg:"A" doc:"id of the first evaluation"`
	B domain.EvaluationID `json:"b" arg:"B" doc:"id of the second evaluation"`
}

// ByRule is given in place of a verdict to take back one by hand.
const ByRule = "by-rule"

type judging struct {
	oneEvaluation
	N       int    `json:"number" arg:"NUMBER" wrong:"%q is not the number of a question. clew eval questions show lists them." doc:"number of the question in the evaluation"`
	Verdict string `json:"verdict" arg:"VERDICT" doc:"right, half, wrong, refused, or by-rule to take a verdict by hand back"`
}

// Judged holds a verdict and the one that it replaced.
type Judged struct {
	N      int     `json:"number"`
	Now    Verdict `json:"verdict,omitempty"` // by hand; "" means the one by rule
	Before Verdict `json:"before,omitempty"`
}

func (j Judged) String() string {
	return fmt.Sprintf("Question %d: %s, instead of %s.", j.N, cmp.Or(j.Now, "judged "+ByRule), cmp.Or(j.Before, "judged "+ByRule))
}

// At implements operation.Begun.
func (e Evaluation) At() string {
	if !e.Working() {
		return ""
	}
	return "/evaluation/runs/" + string(e.ID)
}

// Progress implements operation.Progressing.
func (e Evaluation) Progress() string {
	return fmt.Sprintf("%s: %d of %d", e.ID, e.Score.Questions, len(e.Score.Replies))
}

// Operations are the operations on kept questions, their sets and evaluations.
func Operations() []operation.Operation[*Service] {
	return slices.Concat(questionOperations(), setOperations(), runOperations())
}

func questionOperations() []operation.Operation[*Service] {
	return []operation.Operation[*Service]{
		operation.Op[*Service, ofSet, Listing]{
			Name: "eval questions list", Short: "List the questions of a set", Scope: operation.Read, Routes: []string{"GET /evaluation/questions"}, Example: "  clew eval questions list --set Bridges",
			Do: (*Service).listing, Text: printListing,
		},
		operation.Op[*Service, Keeping, Taken]{
			Name: "eval questions add", Short: "Add a question to a set, to be asked in evaluations", Scope: operation.Evaluate, Routes: []string{"POST /evaluation/questions"}, Example: `  clew eval questions add "Who founded the foundry?" --answer "Maud Ferring" --source foundry.txt`,
			Long: `Keep a question with what is expected of its answer. Without an answer and
without a source it is to be refused. A question that is kept already gets what
is expected here.`,
			Do: func(s *Service, ctx context.Context, in Keeping) (Taken, error) {
				return s.KeepIn(ctx, domain.WorkspaceOf(ctx), in.Set, Question{in.Text, in.Sources, in.Answers})
			},
		},
		operation.Op[*Service, takingOver, Taken]{
			Name: "eval questions import", Short: "Add the questions of a CSV file to a set", Scope: operation.Evaluate, Routes: []string{"POST /evaluation/questions/import"}, Example: "  clew eval questions import mine.csv",
			Long: `Keep the questions of a CSV file, written as for clew eval questions FILE.csv. Those
that are kept already get what the file expects.`,
			Do: (*Service).takeOver,
		},
		operation.Op[*Service, ofSet, operation.Made]{
			Name: "eval questions export", Short: "Print the questions of a set as CSV", Scope: operation.Read, Routes: []string{"GET /evaluation/questions/export"}, Trail: operation.Trail{Kept: true}, Example: "  clew eval questions export > mine.csv",
			Do: func(s *Service, ctx context.Context, in ofSet) (operation.Made, error) {
				all, err := s.ofSet(ctx, in)
				return operation.Made{Name: "-", Type: "text/csv; charset=utf-8", Write: func(w io.Writer) error { return Write(w, all) }}, err
			},
		},
		operation.Op[*Service, Changing, operation.Nothing]{
			Name: "eval questions change", Short: "Change a question of a set", Scope: operation.Evaluate, Routes: []string{"PATCH /evaluation/questions/{id}"}, Example: `  clew eval questions change q0123456789abcdef0123 --answers "Maud Ferring" --sources foundry.txt`,
			Do: (*Service).change,
		},
		operation.Op[*Service, keptQuestions, operation.Nothing]{
			Name: "eval questions delete", Short: "Delete questions from their set", Scope: operation.Evaluate, Routes: []string{"DELETE /evaluation/questions/{questions}"}, Example: "  clew eval questions delete q0123456789abcdef0123",
			Do: func(s *Service, ctx context.Context, in keptQuestions) (none operation.Nothing, err error) {
				for _, id := range in.IDs {
					if err := s.Ledger.DropQuestion(ctx, domain.WorkspaceOf(ctx), domain.QuestionID(id)); err != nil {
						return none, err
					}
				}
				return none, nil
			},
		},
		operation.Op[*Service, keptQuestions, operation.Nothing]{
			Name: "eval questions restore", Short: "Restore deleted questions", Scope: operation.Evaluate, Routes: []string{"POST /evaluation/questions/{questions}/restore"}, Example: "  clew eval questions restore q0123456789abcdef0123",
			Do: func(s *Service, ctx context.Context, in keptQuestions) (none operation.Nothing, err error) {
				for _, id := range in.IDs {
					if err := s.Ledger.RestoreQuestion(ctx, domain.WorkspaceOf(ctx), domain.QuestionID(id)); err != nil {
						return none, err
					}
				}
				return none, nil
			},
		},
	}
}

func setOperations() []operation.Operation[*Service] {
	return []operation.Operation[*Service]{
		operation.Op[*Service, operation.Nothing, []Set]{
			Name: "eval questions sets", Short: "List the sets of questions", Scope: operation.Read, Routes: []string{"GET /evaluation/sets"},
			Long: "List the sets of questions. The commands that keep, ask and list questions take the\nset by its name or its id (--set).",
			Do: func(s *Service, ctx context.Context, _ operation.Nothing) ([]Set, error) {
				return s.Sets(ctx, domain.WorkspaceOf(ctx))
			},
			Text: operation.Table("", "", func(s Set) []any {
				return []any{s.ID, s.Name, domain.Counted(s.Questions, "question", "questions")}
			}),
		},
		operation.Op[*Service, naming, Set]{
			Name: "eval questions sets add", Short: "Add a set of questions", Scope: operation.Evaluate, Routes: []string{"POST /evaluation/sets"}, Example: "  clew eval questions sets add Bridges",
			Do: func(s *Service, ctx context.Context, in naming) (Set, error) {
				return s.AddSet(ctx, domain.WorkspaceOf(ctx), in.Name)
			},
			Text: operation.Line(func(s Set) string { return string(s.ID) }),
		},
		operation.Op[*Service, renaming, operation.Nothing]{
			Name: "eval questions sets rename", Short: "Rename a set of questions", Scope: operation.Evaluate, Routes: []string{"PATCH /evaluation/sets/{set}"}, Example: `  clew eval questions sets rename Bridges "Bridges and ferries"`,
			Do: func(s *Service, ctx context.Context, in renaming) (none operation.Nothing, err error) {
				set, err := s.FindSet(ctx, domain.WorkspaceOf(ctx), in.Which)
				if err != nil {
					return none, err
				}
				return none, s.RenameSet(ctx, domain.WorkspaceOf(ctx), set.ID, in.Name)
			},
		},
		operation.Op[*Service, oneSet, Set]{
			Name: "eval questions sets delete", Short: "Delete a set with its questions; it can be restored for a day", Scope: operation.Evaluate, Routes: []string{"DELETE /evaluation/sets/{set}"}, Example: "  clew eval questions sets delete Bridges",
			Do: func(s *Service, ctx context.Context, in oneSet) (Set, error) {
				set, err := s.FindSet(ctx, domain.WorkspaceOf(ctx), in.Which)
				if err != nil {
					return set, err
				}
				return set, s.Ledger.DropSet(ctx, domain.WorkspaceOf(ctx), set.ID)
			},
			Text: operation.Line(func(s Set) string {
				return fmt.Sprintf("Deleted %s. Undo it with: clew eval questions sets restore %s", s.Name, s.ID)
			}),
		},
		operation.Op[*Service, oneSet, operation.Nothing]{
			Name: "eval questions sets restore", Short: "Restore a deleted set", Scope: operation.Evaluate, Routes: []string{"POST /evaluation/sets/{set}/restore"}, Example: "  clew eval questions sets restore t0123456789abcdef0123",
			Do: func(s *Service, ctx context.Context, in oneSet) (none operation.Nothing, err error) {
				return none, s.Ledger.RestoreSet(ctx, domain.WorkspaceOf(ctx), domain.SetID(in.Which))
			},
		},
	}
}

func runOperations() []operation.Operation[*Service] { //nolint:funlen // one list, to be read from top to bottom
	result := func(s *Service, ctx context.Context, in oneEvaluation) (Evaluation, error) {
		return s.priced(ctx, in.ID)
	}
	return []operation.Operation[*Service]{
		operation.Op[*Service, Running, Evaluation]{
			Name: "eval questions run", Short: "Run an evaluation: ask all questions of a set", Scope: operation.Evaluate, Routes: []string{"POST /evaluation/runs"},
			JSON: " with the score and the replies", Waits: true,
			Long: `Ask all questions of a set, one after another, and say how they were answered.
An answer is right when it contains one of the expected answers, or, where none
is expected, when it cites all expected documents; with some of them it is half
right. The questions are asked in this process, or on the server that is named.
When the process ends before they do, clew serve and clew work ask the rest, as
does clew eval questions go-on. The result stays: see history, show and compare.`,
			Example: `  clew eval questions run
  clew eval questions run --set Bridges --rerank 20 --decompose
  clew eval questions run --method words --passages 4 --json | jq .score.right`,
			Text: printEvaluation,
			Do: func(s *Service, ctx context.Context, in Running) (Evaluation, error) {
				set, err := s.FindSet(ctx, domain.WorkspaceOf(ctx), in.Set)
				if err != nil {
					return Evaluation{}, err
				}
				e, err := s.Start(ctx, domain.WorkspaceOf(ctx), set.ID, s.Usually(in.choice()))
				if err != nil {
					return e, err
				}
				return s.priced(ctx, e.ID)
			},
		},
		operation.Op[*Service, oneEvaluation, Evaluation]{
			Name: "eval questions go-on", Short: "Continue an evaluation with the questions that it has not asked", Scope: operation.Evaluate, Routes: []string{"POST /evaluation/runs/{evaluation}/continue"}, Example: "  clew eval questions go-on v0123456789abcdef0123",
			JSON: " with the score and the replies", Waits: true, Text: printEvaluation,
			Do: func(s *Service, ctx context.Context, in oneEvaluation) (Evaluation, error) {
				if err := s.GoOn(ctx, domain.WorkspaceOf(ctx), in.ID); err != nil {
					return Evaluation{}, err
				}
				return result(s, ctx, in)
			},
		},
		operation.Op[*Service, ofSet, []Evaluation]{
			Name: "eval questions history", Short: "List the evaluations of a set, newest first, with what changed from one to the next", Scope: operation.Read, Routes: []string{"GET /evaluation/runs"}, Example: "  clew eval questions history --set Bridges",
			Do: (*Service).historyOf, Text: printHistory,
		},
		operation.Op[*Service, oneEvaluation, Evaluation]{
			Name: "eval questions show", Short: "Show an evaluation with its replies", Scope: operation.Read, Routes: []string{"GET /evaluation/runs/{evaluation}"}, Example: "  clew eval questions show v0123456789abcdef0123 --json | jq .score.right",
			Do: result, Text: printEvaluation,
		},
		operation.Op[*Service, twoEvaluations, Comparison]{
			Name: "eval questions compare", Short: "Compare two evaluations on the questions that both have", Scope: operation.Read, Routes: []string{"GET /evaluation/runs/{a}/compare/{b}"}, Example: "  clew eval questions compare v0123456789abcdef0123 v3210fedcba9876543210",
			Do: func(s *Service, ctx context.Context, in twoEvaluations) (Comparison, error) {
				a, err := s.priced(ctx, in.A)
				if err != nil {
					return Comparison{}, err
				}
				b, err := s.priced(ctx, in.B)
				return Compare(a, b), err
			},
			Text: printComparison,
		},
		operation.Op[*Service, judging, Judged]{
			Name: "eval questions verdict", Short: "Judge an answer of an evaluation by hand", Scope: operation.Evaluate, Routes: []string{"PUT /evaluation/runs/{evaluation}/verdicts/{number}"}, Example: "  clew eval questions verdict v0123456789abcdef0123 4 right\n  clew eval questions verdict v0123456789abcdef0123 4 by-rule",
			Long: `Judge an answer of an evaluation by hand: right, half, wrong or refused. That verdict
counts in place of the one by rule, which is kept beside it; by-rule takes it back.`,
			Do: func(s *Service, ctx context.Context, in judging) (Judged, error) {
				j := Judged{N: in.N}
				if in.Verdict != ByRule {
					j.Now = Verdict(in.Verdict)
				}
				var err error
				j.Before, err = s.Judge(ctx, domain.WorkspaceOf(ctx), in.ID, in.N, j.Now)
				return j, err
			},
		},
		operation.Op[*Service, oneEvaluation, operation.Nothing]{
			Name: "eval questions stop", Short: "Stop an evaluation; it can be continued", Scope: operation.Evaluate, Routes: []string{"POST /evaluation/runs/{evaluation}/stop"}, Example: "  clew eval questions stop v0123456789abcdef0123",
			Do: func(s *Service, ctx context.Context, in oneEvaluation) (none operation.Nothing, err error) {
				return none, s.Stop(ctx, domain.WorkspaceOf(ctx), in.ID)
			},
		},
		operation.Op[*Service, someEvaluations, operation.Nothing]{
			Name: "eval questions remove", Short: "Delete evaluations with their runs", Scope: operation.Evaluate, Routes: []string{"DELETE /evaluation/runs/{evaluations}"}, Example: "  clew eval questions remove v0123456789abcdef0123",
			Do: func(s *Service, ctx context.Context, in someEvaluations) (none operation.Nothing, err error) {
				for _, id := range in.IDs {
					if err := s.Delete(ctx, domain.WorkspaceOf(ctx), domain.EvaluationID(id)); err != nil {
						return none, err
					}
				}
				return none, nil
			},
		},
	}
}

func (s *Service) ofSet(ctx context.Context, in ofSet) ([]Kept, error) {
	set, err := s.FindSet(ctx, domain.WorkspaceOf(ctx), in.Set)
	if err != nil {
		return nil, err
	}
	return s.Questions(ctx, domain.WorkspaceOf(ctx), set.ID)
}

func (s *Service) listing(ctx context.Context, in ofSet) (Listing, error) {
	all, err := s.ofSet(ctx, in)
	if err != nil {
		return Listing{}, err
	}
	missing, err := s.Missing(ctx, domain.WorkspaceOf(ctx), all)
	return Listing{all, missing}, err
}

// priced returns an evaluation with its replies and the currency of its costs, if prices can be read.
func (s *Service) priced(ctx context.Context, id domain.EvaluationID) (Evaluation, error) {
	e, err := s.Result(ctx, domain.WorkspaceOf(ctx), id)
	e.Currency = s.currency(ctx)
	return e, err
}

func (s *Service) currency(ctx context.Context) string {
	t, _ := s.Costs.Prices.Table(ctx) // "" if they can't be read
	return t.Currency
}

func (s *Service) historyOf(ctx context.Context, in ofSet) ([]Evaluation, error) {
	set, err := s.FindSet(ctx, domain.WorkspaceOf(ctx), in.Set)
	if err != nil {
		return nil, err
	}
	all, err := s.History(ctx, domain.WorkspaceOf(ctx))
	currency := s.currency(ctx)
	for i := range all {
		all[i].Currency = currency
	}
	return slices.DeleteFunc(all, func(e Evaluation) bool { return e.Set != set.ID }), err
}

// KeepIn keeps questions in the set with a name or an id, the first one for "". It fails like FindSet and Keep.
func (s *Service) KeepIn(ctx context.Context, w domain.WorkspaceID, which string, questions ...Question) (Taken, error) {
	set, err := s.FindSet(ctx, w, which)
	if err != nil {
		return Taken{}, err
	}
	kept := make([]Kept, len(questions))
	for i, q := range questions {
		kept[i].Question = q
	}
	added, err := s.Keep(ctx, w, set.ID, kept...)
	return Taken{added, len(questions) - added}, err
}

func (s *Service) takeOver(ctx context.Context, in takingOver) (Taken, error) {
	file, err := in.File.Open()
	if err != nil {
		return Taken{}, err
	}
	defer file.Close()
	questions, err := Read(file)
	if err != nil {
		return Taken{}, err
	}
	return s.KeepIn(ctx, domain.WorkspaceOf(ctx), in.Set, questions...)
}

func (s *Service) change(ctx context.Context, in Changing) (none operation.Nothing, err error) {
	w := domain.WorkspaceOf(ctx)
	sets, err := s.Sets(ctx, w)
	if err != nil {
		return none, err
	}
	all, err := s.Questions(ctx, w, lists.Map(sets, func(set Set) domain.SetID { return set.ID })...)
	if err != nil {
		return none, err
	}
	i := slices.IndexFunc(all, func(k Kept) bool { return k.ID == in.ID })
	if i < 0 {
		return none, domain.Errorf(domain.NotFound, "No question %s is kept here. It may have been deleted.", in.ID)
	}
	k := all[i]
	if in.Set != "" {
		set, err := s.FindSet(ctx, w, in.Set)
		if err != nil {
			return none, err
		}
		k.Set = set.ID
	}
	k.Text = cmp.Or(in.Text, k.Text)
	if in.Refuse {
		k.Answers, k.Sources = nil, nil
	}
	if len(in.Answers) > 0 {
		k.Answers = in.Answers
	}
	if len(in.Sources) > 0 {
		k.Sources = in.Sources
	}
	if in.Refuse && !k.ToRefuse() {
		return none, domain.Errorf(domain.Invalid, "A question that is to be refused expects neither words nor documents. Leave them out.")
	}
	return none, s.Change(ctx, w, k)
}
