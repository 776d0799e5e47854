package answer

import "github.com/clewhq/clew/internal/domain"

// Begin is the input of a run.
type Begin struct {
	Workspace   domain.WorkspaceID
	Question    string
	History     []Exchange          // oldest first
	MaxLoops    int                 // rewrites at most; a negative number fails the run
	MinRelevant int                 // relevant passages needed to answer; less than 1 means 1
	Scope       domain.Scope        // asked within; kept for the trace
	Within      []domain.DocumentID // the documents of the scope
	Review      bool                // a person is asked before the answer is written
	Hint        bool                // a person is asked when nothing relevant was found
	Run         domain.RunID
	Prompts     int // pin of the prompts' texts, see prompts.Book
	Method      domain.MethodName
	Budget      Budget
	Salt        string // a new value asks models again although their answers are recorded
}

// Start returns the state in which a run begins.
func Start(b Begin) State {
	return State{
		Workspace: b.Workspace, Run: b.Run, Salt: b.Salt, Prompts: b.Prompts, Method: b.Method,
		Question:    b.Question,
		UserContext: UserContext{History: b.History, Scope: scopeOf(b.Scope), Within: b.Within},
		MaxLoops:    b.MaxLoops, MinRelevant: max(1, b.MinRelevant),
		Review: b.Review, Hint: b.Hint, Budget: b.Budget,
	}
}

// scopeOf returns nil for the whole library.
func scopeOf(s domain.Scope) *domain.Scope {
	if s.All() {
		return nil
	}
	return &s
}

// RecursionLimit returns the most super-steps that a run of maxLoops rewrites
// takes: route, condense, decompose, retrieve and grade once, three more for each rewrite, each
// hint and each step, ask, generate and check, regenerate and check.
func RecursionLimit(maxLoops int) int { return 10 + 3*(max(0, maxLoops)+MaxHints+MaxSteps) }

// Result is the outcome of a run.
type Result struct {
	Answer    string // with the marks [1], [2] … of its citations
	Sentences []domain.Sentence
	Citations []domain.Citation
	Figures   []domain.Figure // in the order of their calls
	LoopCount int
	Answered  bool             // false: the library holds nothing on the question
	Documents []domain.Grading // the verdict on each passage
}

// Result returns the outcome of a run that ended in state s.
func (s State) Result() Result {
	r := Result{
		Answer: s.Generation, Sentences: s.Sentences, Citations: s.Citations, Figures: s.Figures,
		LoopCount: s.LoopCount, Answered: s.Answered,
	}
	for _, d := range s.Documents {
		g := d.grading()
		for _, source := range s.Sources {
			if source.Document == d.Document {
				g.Name = source.Name
			}
		}
		r.Documents = append(r.Documents, g)
	}
	return r
}

// Graded returns the grade of a passage without what a person decided. Its verdict is ""
// if it has none.
func (d Document) Graded() domain.Grade {
	d.Decided = ""
	return d.grading().Grade
}

// grading returns the last verdict on a passage; any relevant one takes
// precedence, and a person's over all.
func (d Document) grading() domain.Grading {
	g := domain.Grading{Chunk: d.Chunk, Document: d.Document, Page: d.Page, Place: d.Place}
	if d.Decided != "" {
		g.Grade = d.decision()
		return g
	}
	for _, a := range d.Appearances {
		if g.Verdict != domain.Relevant {
			g.Grade = domain.Grade{Verdict: a.Verdict, Reason: a.Reason, Nearest: a.Nearest}
		}
	}
	return g
}
