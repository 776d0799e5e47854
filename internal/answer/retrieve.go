package answer

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// retrieve searches for the latest wording of the question.
func (n *nodes) retrieve(ctx *stategraph.Context, s State) (state.Update[State], error) {
	m := n.meter(ctx, s.Budget, ctx.Emit)
	found, err := n.find(ctx, s, m.emit)
	if err != nil {
		return state.Update[State]{}, err
	}
	ctx.Emit(domain.EventFound, reported(found))
	ctx.Emit(domain.EventNote, domain.Note{Text: domain.Counted(len(found.Passages), "passage", "passages") + s.UserContext.note()})
	search, scores := Search{Loop: s.LoopCount, Found: []domain.ChunkID{}}, Scores{Loop: s.LoopCount, Scores: []float64{}}
	documents := make([]Document, 0, len(found.Passages))
	for _, p := range found.Passages {
		search.Found = append(search.Found, p.Chunk)
		scores.Scores = append(scores.Scores, rounded(p.Score))
		documents = append(documents, s.document(p.Chunk).appears(s.LoopCount, p))
	}
	for _, m := range found.Methods {
		search.Methods = append(search.Methods, Method{m.Name, m.Candidates, m.Took.Milliseconds(), m.Reason, m.Missing})
	}
	return state.Merge(n.documents.Put(documents...), n.retrieval.Add(search), n.scores.Add(scores), n.spend(m)), nil
}

// find searches, and has a model reorder the results if the settings say so.
func (n *nodes) find(ctx *stategraph.Context, s State, emit Emit) (retrieve.Result, error) {
	wording := s.wording()
	if s.Web {
		return n.findOnPages(ctx, s, wording.Text)
	}
	q := retrieve.Query{
		Text: wording.Text, Asked: s.wordings()[0].Text, Method: s.Method, Limit: n.limit(s), Wider: wording.Wide > 0, Documents: s.UserContext.Within, AsOf: s.UserContext.asOf(),
		Report: func(m domain.Method) { ctx.Emit(domain.EventMethod, m) },
	}
	if !n.reranks(s) {
		return n.Retriever.Retrieve(ctx, s.Workspace, q)
	}
	limit := n.limit(s)
	if q.Wider { // a wider search finds twice as many
		limit *= 2
	}
	q.Limit = max(n.limit(s), n.ranked())
	found, err := n.Retriever.Retrieve(ctx, s.Workspace, q)
	if err != nil {
		return found, err
	}
	return n.rerank(ctx, s, found, limit, emit)
}

// limit returns how many passages a search finds at most.
func (n *nodes) limit(s State) int { return cmp.Or(s.Passages, n.Limit) }

// note says how many documents were searched, or "" for all.
func (c UserContext) note() string {
	if c.Scope == nil || c.Scope.Everywhere() {
		return ""
	}
	return " of " + domain.Counted(len(c.Within), "document", "documents")
}

// reported returns the passages for the trace.
func reported(found retrieve.Result) domain.Found {
	passages := slices.Clone(found.Passages)
	for i, p := range passages {
		passages[i].Score = rounded(p.Score)
	}
	return domain.Found{Passages: passages}
}

// document returns the state of a passage.
func (s State) document(id domain.ChunkID) Document {
	i := slices.IndexFunc(s.Documents, func(d Document) bool { return d.Chunk == id })
	if i < 0 {
		return Document{Chunk: id}
	}
	return s.Documents[i]
}

// appears returns d with one more appearance.
func (d Document) appears(loop int, p domain.FoundPassage) Document {
	a := Appearance{Loop: loop, Score: rounded(p.Score)}
	if len(p.Methods) > 0 {
		a.Method = p.Methods[0]
	}
	if path := shortPath(p.Path); !slices.Equal(path, d.path()) {
		a.Path = path
	}
	d.Appearances = append(slices.Clip(d.Appearances), a)
	return d
}

// maxHops is the maximum number of hops of a path kept in the state.
const maxHops = 2

// shortPath returns the names of a path's last hops.
func shortPath(path []domain.Hop) []domain.Hop {
	var out []domain.Hop
	for _, h := range path[max(0, len(path)-maxHops):] {
		out = append(out, domain.Hop{Name: h.Name})
	}
	return out
}

// path returns the latest path that led to the passage.
func (d Document) path() []domain.Hop {
	for _, a := range slices.Backward(d.Appearances) {
		if len(a.Path) > 0 {
			return a.Path
		}
	}
	return nil
}

// rounded rounds a score to four significant digits.
func rounded(score float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(score, 'g', 4, 64), 64)
	return r
}

// reranks reports whether a model reorders the results of the search. A question that names a search method keeps that
// method's order.
func (n *nodes) reranks(s State) bool {
	wanted := n.Rerank > 0
	if s.Rerank != nil {
		wanted = *s.Rerank
	}
	return wanted && (n.Reranker != nil || n.Roles.Model != nil) && s.Method == domain.MethodDefault
}

// DefaultRanked is how many passages are put in order for a question that wants it, where the settings say none.
const DefaultRanked = 20

// ranked returns how many of the first passages are put in order.
func (n *nodes) ranked() int { return cmp.Or(n.Rerank, DefaultRanked) }

// Tokens in the answer of a reranking model for each passage.
const tokensOfPlace = 4

// rerank has a model reorder the first passages of a search, and keeps up to limit of them. If that fails, the passages
// stay in the order found, and the trace says why.
func (n *nodes) rerank(ctx *stategraph.Context, s State, found retrieve.Result, limit int, emit Emit) (retrieve.Result, error) {
	start := n.Now()
	list := found.Passages[:min(len(found.Passages), n.ranked())]
	ids := lists.Map(list, func(p domain.FoundPassage) domain.ChunkID { return p.Chunk })
	passages, err := n.Passages.Passages(ctx, s.Workspace, ids)
	if err != nil {
		return found, err
	}
	report := domain.Method{Name: domain.MethodRerank, Candidates: len(passages)}
	switch {
	case len(passages) < 2:
		report.Reason = "there is nothing to put in order"
	case n.Reranker != nil:
		if report.Reason, err = n.crossEncode(ctx, s, list, passages); err != nil {
			return found, err
		}
	case !n.affordsOrder(ctx, s, passages):
		report.Reason = "the order stays: the question's cap leaves too little to ask a model"
	default:
		order, err := n.Roles.Model.Rank(ctx, s.searching(), passages, emit)
		if err != nil {
			return found, err
		}
		report.Reason = "the order stays: the model's could not be read"
		if len(order) > 0 {
			report.Reason = fmt.Sprintf("the model moved %d of %d", inOrder(list, passages, order), len(list))
		}
	}
	for _, p := range list {
		report.Ranked = append(report.Ranked, p.Chunk)
	}
	found.Passages = found.Passages[:min(len(found.Passages), limit)]
	report.Took = n.Now().Sub(start)
	ctx.Emit(domain.EventMethod, report)
	found.Methods = append(found.Methods, report)
	return found, nil
}

// crossEncode has the reranker put passages in order, and returns what came of it. If it fails, the order stays.
func (n *nodes) crossEncode(ctx *stategraph.Context, s State, list []domain.FoundPassage, passages []domain.Passage) (string, error) {
	texts := lists.Map(passages, func(p domain.Passage) string { return p.Title + "\n" + p.Text })
	order, _, err := n.Reranker.Rerank(ctx, s.searching().Question, texts)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		why := "the order stays, for " + n.Reranker.Model() + " failed: " + domain.InWords(err)
		ctx.Emit(domain.EventNote, domain.Note{Text: why})
		return why, nil
	}
	return fmt.Sprintf("%s moved %d of %d", n.Reranker.Model(), inOrder(list, passages, order), len(list)), nil
}

// inOrder moves those of list that order names (as indexes into passages) to the front, keeps the others in order, and
// returns how many moved. Each position keeps its score.
func inOrder(list []domain.FoundPassage, passages []domain.Passage, order []int) (moved int) {
	before, after := slices.Clone(list), make([]domain.FoundPassage, 0, len(list))
	add := func(p domain.FoundPassage) {
		if !slices.ContainsFunc(after, func(x domain.FoundPassage) bool { return x.Chunk == p.Chunk }) {
			after = append(after, p)
		}
	}
	for _, i := range order {
		add(before[slices.IndexFunc(before, func(p domain.FoundPassage) bool { return p.Chunk == passages[i].ID })])
	}
	for _, p := range before {
		add(p)
	}
	for i, p := range after {
		p.Score = before[i].Score
		list[i] = p
		if p.Chunk != before[i].Chunk {
			moved++
		}
	}
	return moved
}

// affordsOrder reports whether the rest of the budget covers the reranking call.
func (n *nodes) affordsOrder(ctx context.Context, s State, passages []domain.Passage) bool {
	if s.Budget.Most == 0 {
		return true
	}
	input := tokensOfForm + domain.Runes(s.searching().Question)/runesPerToken
	for _, p := range passages {
		input += (domain.Runes(p.Title) + domain.Runes(p.Text)) / runesPerToken
	}
	return n.cost(ctx, s.Budget, domain.Usage{Input: input, Output: tokensOfPlace * len(passages)}) <= s.Budget.Most-s.Spent
}

// transform rewords the question for another search, using a person's wording if there is one.
func (n *nodes) transform(ctx *stategraph.Context, s State) (state.Update[State], error) {
	m := n.meter(ctx, s.Budget, ctx.Emit)
	next, err := n.rewrite(ctx, s, m.emit)
	if err != nil {
		return state.Update[State]{}, err
	}
	ctx.Emit(domain.EventRewrite, domain.Rewrite{From: s.wording().Text, To: next.Text, How: next.How})
	update := state.Merge(n.rewrites.Add(next), n.loopCount.Add(1), n.spend(m))
	if s.Wording != "" {
		update = state.Merge(update, n.wording.Set(""))
	}
	return update, nil
}

func (n *nodes) rewrite(ctx *stategraph.Context, s State, emit Emit) (Rewrite, error) {
	before := s.wordings()
	if s.Wording != "" {
		return distinct(Rewrite{Text: s.Wording, How: byHand}, before), nil
	}
	if tied, ok, err := n.tie(ctx, s); ok || err != nil {
		return distinct(tied, before), err
	}
	passages, err := n.Passages.Passages(ctx, s.Workspace, s.last().Found)
	if err != nil {
		return Rewrite{}, err
	}
	found := lists.Map(passages, func(p domain.Passage) Rejected { return Rejected{p, s.document(p.ID).grading().Reason} })
	next, err := n.Roles.Rewriter.Rewrite(ctx, RewriteRequest{Asked: s.searching(), Before: before, Found: found}, emit)
	return distinct(next, before), err
}

// tie returns a wording that searches for the rest of a question after the first search found part of it. It returns
// false if there is none, or the roles can't tell.
func (n *nodes) tie(ctx context.Context, s State) (Rewrite, bool, error) {
	role, ok := n.Roles.Rewriter.(Tying)
	if !ok || !s.enough() || s.LoopCount > s.begun() {
		return Rewrite{}, false, nil
	}
	passages, err := n.Passages.Passages(ctx, s.Workspace, s.last().Found)
	if err != nil {
		return Rewrite{}, false, err
	}
	tied, ok, err := role.Tie(ctx, s.searching(), passages)
	return tied, ok && !Repeats(tied, s.wordings()), err
}

// wordings returns every wording searched for, the question or that of the step
// first.
func (s State) wordings() []Rewrite {
	from := 0
	if step := s.step(); step != nil {
		from = step.From
	}
	return append([]Rewrite{{Text: prose.Question(s.searching().Question)}}, s.QueryRewrites[from:]...)
}

// distinct returns next if it differs from all before it, and otherwise the same words for a wider search.
func distinct(next Rewrite, before []Rewrite) Rewrite {
	if next.Text = domain.OneLine(next.Text); next.Text == "" {
		next.Text = before[0].Text
	}
	for Repeats(next, before) {
		next.Wide++
		next.How = "the same words, wider"
	}
	return next
}

// Repeats reports whether next repeats a search in before: the same width and the
// same words, regardless of their order, form or number.
func Repeats(next Rewrite, before []Rewrite) bool {
	return slices.ContainsFunc(before, func(b Rewrite) bool {
		return b.Wide == next.Wide && bag(b.Text) == bag(next.Text)
	})
}

// bag returns the search terms of a text, sorted and each once.
func bag(text string) string {
	terms := prose.Terms(text)
	slices.Sort(terms)
	return strings.Join(slices.Compact(terms), " ")
}

// MaxSteps is the most searches that a question is taken apart into.
const MaxSteps = 4

// The longest question and the longest finding of a step, in code points.
const (
	maxStep    = 400
	maxFinding = 200
)

// fewWords is how many words a question may have that is never taken apart.
const fewWords = 6

// Step is one of the questions that a question is taken apart into.
type Step struct {
	N        int    `json:"n"`                 // from 1
	Question string `json:"question"`          // #1 is replaced by the finding of step 1
	Asked    string `json:"asked,omitempty"`   // with findings in place of #1 and so on; "" until it begins
	From     int    `json:"from,omitempty"`    // loop of its first search
	Finding  string `json:"finding,omitempty"` // "" if nothing was found
	Settled  bool   `json:"settled,omitempty"`
}

// step returns the current step, or nil if there is none.
func (s State) step() *Step {
	for i, step := range s.Steps {
		if step.Asked != "" && !step.Settled {
			return &s.Steps[i]
		}
	}
	return nil
}

// searching returns what is searched for: the question of the current step, or the whole one.
func (s State) searching() Asked {
	a := s.asked()
	if step := s.step(); step != nil {
		a.Question = step.Asked
	}
	return a
}

// begun returns how many steps after the first have begun.
func (s State) begun() int {
	return lists.CountFunc(s.Steps, func(step Step) bool { return step.N > 1 && step.Asked != "" })
}

// relevantSince returns the passages that a search from a loop on found relevant.
func (s State) relevantSince(loop int) []Document {
	return slices.DeleteFunc(s.relevant(), func(d Document) bool {
		return !slices.ContainsFunc(d.Appearances, func(a Appearance) bool { return a.Loop >= loop && a.Verdict == domain.Relevant })
	})
}

// inSteps reports whether a question may be taken apart.
func (n *nodes) inSteps(question string) bool {
	return n.Decompose && n.Roles.Model != nil && len(prose.Words(question)) > fewWords
}

// decompose splits the question if the model says that one search can't answer it.
func (n *nodes) decompose(ctx *stategraph.Context, s State) (state.Update[State], error) {
	m := n.meter(ctx, s.Budget, ctx.Emit)
	questions, err := n.Roles.Model.Decompose(ctx, s.asked(), m.emit)
	if err != nil {
		return state.Update[State]{}, err
	}
	steps := newSteps(questions)
	if len(steps) == 0 {
		ctx.Emit(domain.EventNote, domain.Note{Text: "one search may answer it"})
		return n.spend(m), nil
	}
	for _, step := range steps {
		ctx.Emit(domain.EventNote, domain.Note{Text: fmt.Sprintf("step %d: %s", step.N, step.Question)})
	}
	return state.Merge(n.steps.Put(steps...), n.spend(m)), nil
}

// newSteps returns the steps for the questions, the first of them started; none if there are fewer than two, or the first
// refers to another.
func newSteps(questions []string) []Step {
	var steps []Step
	for _, q := range questions {
		if q = domain.Cut(domain.OneLine(q), maxStep); q != "" && len(steps) < MaxSteps {
			steps = append(steps, Step{N: len(steps) + 1, Question: q})
		}
	}
	if len(steps) < 2 {
		return nil
	}
	var ok bool
	if steps[0].Asked, ok = withFindings(steps[0].Question, nil); !ok {
		return nil
	}
	return steps
}

var references = regexp.MustCompile(`#(\d+)`)

// withFindings fills the findings of steps in where the question refers to them. It returns false if one is missing.
func withFindings(question string, steps []Step) (string, bool) {
	ok := true
	text := references.ReplaceAllStringFunc(question, func(ref string) string {
		n, err := strconv.Atoi(ref[1:])
		if err != nil || n < 1 || n > len(steps) || steps[n-1].Finding == "" {
			ok = false
			return ref
		}
		return steps[n-1].Finding
	})
	return text, ok
}

// answerStep records the finding of a step, and starts the next step whose question is now complete.
func (n *nodes) answerStep(ctx *stategraph.Context, s State) (state.Update[State], error) {
	step := *s.step()
	m := n.meter(ctx, s.Budget, ctx.Emit)
	passages, err := n.Passages.Passages(ctx, s.Workspace, chunks(s.relevantSince(step.From)))
	if err == nil && len(passages) > 0 {
		step.Finding, err = n.Roles.Model.Settle(ctx, s.searching(), passages, m.emit)
	}
	if err != nil {
		return state.Update[State]{}, err
	}
	step.Finding, step.Settled = domain.Cut(domain.OneLine(step.Finding), maxFinding), true
	said := "nothing was found"
	if step.Finding != "" {
		said = step.Finding
	}
	ctx.Emit(domain.EventNote, domain.Note{Text: fmt.Sprintf("step %d: %s", step.N, said)})
	u := state.Merge(n.steps.Put(step), n.spend(m))
	next, ok := s.next(step)
	if !ok {
		return u, nil
	}
	how := fmt.Sprintf("step %d of %d", next.N, len(s.Steps))
	ctx.Emit(domain.EventRewrite, domain.Rewrite{From: next.Question, To: next.Asked, How: how})
	return state.Merge(u, n.steps.Put(next), n.rewrites.Add(Rewrite{Text: next.Asked, How: how}), n.loopCount.Add(1)), nil
}

// next returns the first step after a settled one whose question is complete, starting with the next search.
func (s State) next(settled Step) (Step, bool) {
	steps := slices.Clone(s.Steps)
	steps[settled.N-1] = settled
	for _, step := range steps[settled.N:] {
		asked, ok := withFindings(step.Question, steps)
		if !ok {
			continue
		}
		step.Asked, step.From = asked, s.LoopCount+1
		return step, true
	}
	return Step{}, false
}

// settled returns the steps that found something.
func (s State) settled() []Step {
	return slices.DeleteFunc(slices.Clone(s.Steps), func(step Step) bool { return strings.TrimSpace(step.Finding) == "" })
}

func chunks(documents []Document) []domain.ChunkID {
	return lists.Map(documents, func(d Document) domain.ChunkID { return d.Chunk })
}
