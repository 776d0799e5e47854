package answer

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// gradeTask holds the passages to grade in one call. A search that found nothing sends a task without passages, so that
// every search is followed by a grading step.
type gradeTask struct {
	Asked
	Document   Document         `json:"document"`
	More       []Document       `json:"more,omitempty"`
	Candidates []domain.ChunkID `json:"candidates"`
	Low        bool             `json:"low,omitempty"` // the scores are too low
	Budget     Budget           `json:"budget,omitzero"`
	Left       int64            `json:"left,omitempty"`   // of the budget, before all tasks
	Before     int              `json:"before,omitempty"` // tasks that use it first
}

// Reasons of grades that no model gave.
const (
	reasonGone   = "is no longer in the library"
	reasonLow    = "scored far below the best"
	reasonBudget = "the cap of the question was reached"
)

// gradeTasks divides the passages of a search into tasks.
func (n *nodes) gradeTasks(s State) []gradeTask {
	found := s.last().Found
	if len(found) == 0 {
		return []gradeTask{{}}
	}
	many := 1
	if n.Roles.Model != nil {
		many = max(1, n.GradeMany)
	}
	among := slices.Clone(found) // a passage may complete what an earlier one says
	for _, d := range s.relevant() {
		among = lists.AppendOnce(among, d.Chunk)
	}
	var tasks, low []gradeTask
	for _, id := range found {
		d := s.document(id)
		t := gradeTask{Asked: s.searching(), Document: d, Candidates: among}
		if d.score() < n.GradeAbove*s.document(found[0]).score() {
			t.Low = true
			low = append(low, t)
			continue
		}
		if last := len(tasks) - 1; last >= 0 && len(tasks[last].More) < many-1 {
			tasks[last].More = append(tasks[last].More, d)
			continue
		}
		t.Budget, t.Left, t.Before = s.Budget, s.Budget.Most-s.Spent, len(tasks)
		tasks = append(tasks, t)
	}
	return append(tasks, low...)
}

// score returns the score of the last search that found the passage.
func (d Document) score() float64 { return d.Appearances[len(d.Appearances)-1].Score }

// gradeDocument grades passages among those they were found with.
func (n *nodes) gradeDocument(ctx *stategraph.Context, t gradeTask) (state.Update[State], error) {
	if t.Document.Chunk == "" {
		ctx.Emit(domain.EventNote, domain.Note{Text: "the search found nothing to grade"})
		return state.Update[State]{}, nil
	}
	start := n.Now()
	passages, err := n.shared.of(ctx, t.Workspace, t.Run, t.Candidates)
	if err != nil {
		return state.Update[State]{}, err
	}
	var u state.Update[State]
	var there []Document
	var requests []GradeRequest
	for _, d := range append([]Document{t.Document}, t.More...) {
		i := slices.IndexFunc(passages, func(p domain.Passage) bool { return p.ID == d.Chunk })
		if i < 0 {
			u = state.Merge(u, n.documents.Put(d.graded(domain.Grade{Verdict: domain.Irrelevant, Reason: reasonGone}, 0)))
			continue
		}
		d.Document, d.Page, d.Place = passages[i].Document, passages[i].Page, passages[i].Place(passages[i].Span)
		there = append(there, d)
		requests = append(requests, GradeRequest{Asked: t.Asked, Passage: passages[i], Path: d.path(), Candidates: passages})
	}
	m := n.meter(ctx, t.Budget, ctx.Emit)
	grades, err := n.grades(ctx, t, requests, m.emit)
	if err != nil {
		return state.Update[State]{}, err
	}
	for i, g := range grades {
		p, d := requests[i].Passage, there[i]
		g.Reason = shortReason(g)
		ctx.Emit(domain.EventGrade, p.Graded(g))
		u = state.Merge(u, n.documents.Put(d.graded(g, n.Now().Sub(start).Milliseconds())), n.sources.Put(Source{p.Document, p.Name}))
	}
	return state.Merge(u, n.spend(m)), nil
}

// grades returns the grades of a task's passages. A grade that is missing from an answer about several passages is
// requested separately.
func (n *nodes) grades(ctx *stategraph.Context, t gradeTask, requests []GradeRequest, emit Emit) ([]domain.Grade, error) {
	switch {
	case t.Low:
		return alike(requests, domain.Grade{Verdict: domain.Irrelevant, Reason: reasonLow}), nil
	case !n.affords(ctx, t, requests):
		return alike(requests, domain.Grade{Verdict: domain.Ungraded, Reason: reasonBudget}), nil
	}
	grades := alike(requests, domain.Grade{Verdict: domain.Ungraded})
	if len(requests) > 1 {
		if n.GradeWhy != "" && t.Before == 0 {
			emit(domain.EventNote, domain.Note{Text: n.GradeWhy})
		}
		var err error
		if grades, err = n.Roles.Model.GradeMany(ctx, t.Asked, requests, emit); err != nil {
			return nil, err
		}
	}
	for i, r := range requests {
		if grades[i].Verdict != domain.Ungraded {
			continue
		}
		g, err := n.Roles.Grader.Grade(ctx, r, emit)
		if err != nil {
			return nil, err
		}
		grades[i] = g
	}
	return grades, nil
}

// alike returns the same grade for each request.
func alike(requests []GradeRequest, g domain.Grade) []domain.Grade {
	return slices.Repeat([]domain.Grade{g}, len(requests))
}

// graded returns d with a grade for its last appearance.
func (d Document) graded(g domain.Grade, ms int64) Document {
	d.Appearances = slices.Clone(d.Appearances)
	last := &d.Appearances[len(d.Appearances)-1]
	last.Verdict, last.Reason, last.Nearest, last.MS = g.Verdict, g.Reason, g.Nearest, ms
	return d
}

// The longest reasons kept in the state, in code points. There may be many irrelevant passages.
const (
	maxRelevantReason   = 160
	maxIrrelevantReason = 56
)

// shortReason returns a grade's reason on one line of bounded length.
func shortReason(g domain.Grade) string {
	limit := maxIrrelevantReason
	if g.Verdict == domain.Relevant {
		limit = maxRelevantReason
	}
	return domain.Cut(domain.OneLine(g.Reason), limit)
}

// Budget is the cap of one question, as stored with its answer. The zero value means no cap.
type Budget struct {
	Most  int64  `json:"most,omitempty"`  // tokens, or millionths of money; 0 means no limit
	Money bool   `json:"money,omitempty"` // Most is money
	Says  string `json:"says,omitempty"`  // for people: "2,000 tokens"
}

// Price returns the cost of calls, in the unit of a budget in money. A usage without a model counts as the grading
// model's.
type Price func(context.Context, domain.Usage) int64

// overBudget reports whether the budget is used up, or too little is left to grade what was found.
func (s State) overBudget() bool {
	return s.Budget.Most > 0 && (s.Spent >= s.Budget.Most || slices.ContainsFunc(s.last().Found, func(id domain.ChunkID) bool {
		a := s.document(id).Appearances
		return len(a) > 0 && a[len(a)-1].Reason == reasonBudget
	}))
}

// meter adds up the cost of a node's calls.
type meter struct {
	emit  Emit
	spent *int64
}

func (p Params) meter(ctx context.Context, b Budget, emit Emit) meter {
	m := meter{emit: emit, spent: new(int64)}
	if b.Most == 0 {
		return m
	}
	m.emit = func(kind string, payload any) {
		if u, ok := payload.(domain.Usage); ok {
			*m.spent += p.cost(ctx, b, u)
		}
		emit(kind, payload)
	}
	return m
}

func (p Params) cost(ctx context.Context, b Budget, u domain.Usage) int64 {
	if b.Money {
		u.Recorded = false // a replay uses what its run used
		return p.Price(ctx, u)
	}
	return int64(u.Tokens())
}

// spend returns the update that adds a meter's count.
func (n *nodes) spend(m meter) state.Update[State] {
	if *m.spent == 0 {
		return state.Update[State]{}
	}
	return n.spent.Add(*m.spent)
}

// Tokens of a grading call besides its texts: instructions, form and answer.
const (
	tokensOfForm  = 300
	tokensOfGrade = 60
	runesPerToken = 3
)

// affords reports whether the budget covers a task and the equally large ones before it, which run at the same time.
func (p Params) affords(ctx context.Context, t gradeTask, requests []GradeRequest) bool {
	if t.Budget.Most == 0 || len(requests) == 0 {
		return true
	}
	input := tokensOfForm + domain.Runes(t.Question)/runesPerToken + maxOthers*maxOtherLength/runesPerToken
	for _, r := range requests {
		input += domain.Runes(r.Passage.Text) / runesPerToken
	}
	each := p.cost(ctx, t.Budget, domain.Usage{Input: input, Output: tokensOfGrade * len(requests)})
	return each*int64(t.Before+1) <= t.Left
}

// moment is how long passages read by one grader are shared with the others.
const moment = 100 * time.Millisecond

// sharedPassages reads passages once for all tasks of a run that want the same within a
// moment. They must not change them.
type sharedPassages struct {
	from retrieve.Texts

	mu    sync.Mutex
	reads map[string]*read // by workspace, run and ids
}

// read is one reading of passages.
type read struct {
	done     chan struct{} // closed when the others are set
	passages []domain.Passage
	err      error
}

// of reads passages for a run. Runs without an id share nothing, because they can't be told apart.
func (s *sharedPassages) of(ctx context.Context, w domain.WorkspaceID, run domain.RunID, ids []domain.ChunkID) ([]domain.Passage, error) {
	if run == "" {
		return s.from.Passages(ctx, w, ids)
	}
	var key strings.Builder
	key.WriteString(string(w) + " " + string(run))
	for _, id := range ids {
		key.WriteString(" " + string(id))
	}
	r, first := s.join(key.String())
	if first {
		s.carryOut(ctx, r, key.String(), w, ids)
		return r.passages, r.err
	}
	select {
	case <-r.done:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if r.err != nil { // perhaps the error of a stopped run
		return s.from.Passages(ctx, w, ids)
	}
	return r.passages, nil
}

func (s *sharedPassages) join(key string) (r *read, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.reads[key]; ok {
		return r, false
	}
	r = &read{done: make(chan struct{})}
	s.reads[key] = r
	return r, true
}

func (s *sharedPassages) carryOut(ctx context.Context, r *read, key string, w domain.WorkspaceID, ids []domain.ChunkID) {
	defer close(r.done)
	forget := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.reads, key)
	}
	if r.passages, r.err = s.from.Passages(ctx, w, ids); r.err != nil {
		forget()
		return
	}
	time.AfterFunc(moment, forget)
}
