// Package answer is the graph that answers a question from a library, by corrective
// retrieval-augmented generation. It searches (retrieve.go), grades every passage (grade.go) and
// decides (decide.go): if nothing is relevant it rewords the question and searches again, at most
// max_loops times. It writes an answer from only the relevant passages (writing.go) and checks the
// support of each sentence (support.go). If no search finds anything relevant, the answer says that
// the library has nothing on the question.
//
//	start → condense (only with history) → retrieve → grade_documents → decide ┬ relevant    → generate
//	                                          ↑                               ├ irrelevant  → transform_query ┐
//	                                          └───────────────────────────────┼───────────────────────────────┘
//	                                                                          └ cap reached → generate
//	generate → check_support
//
// On request, a person sees the passages before the answer is written, or is asked for a hint if
// nothing relevant was found:
//
//	decide ┬ review      → ask_person ┬ goes on → generate
//	       └ hint wanted → ask_person └ hint    → retrieve
//
// If the graph is set up for it, a question that one search can't answer is split, and each step
// searches with the finding of the one before:
//
//	start → decompose → retrieve → grade_documents → decide → answer_step ┬ next step → retrieve
//	                                                                      └ last step → generate
//
// An answer with unsupported sentences is written once more:
//
//	check_support ┬ supported   → end
//	              └ unsupported → regenerate → check_support
//
// Generate is a subgraph: a writer may call for charts, which are made while it goes on. It replaces a
// failed one by words.
//
//	start → model ┬ no tool call → end
//	              └ chart call   → chart ┬→ model
//	                                     └→ update_chart ┬ ok     → end
//	                                                     └ failed → model
//
// [Roles] do the work of the nodes. [ModelRoles] returns those that use a language model (model.go);
// package builtin has those without one.
//
// If a person has the web searched for an answer that the library does not have, the web pages replace the library:
//
//	start → search_web ┬ each page → read_page → retrieve
//	                   └ no page   → generate
//
// The cost of calls counts towards the question's budget, if there is one. When it is used up, the
// answer quotes what was found by then.
//
// The [State] holds ids, spans, scores and reasons, and no text of a source except the answer's
// quotations.
package answer

import (
	"errors"
	"time"

	"github.com/clewhq/clew/internal/answer/intent"
	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/clewhq/clew/internal/summarize"
)

// The names of the graph and of its nodes.
const (
	Name = "answer"

	NodeCondense   = "condense"
	NodeGreet      = "greet"
	NodeRoute      = "route"
	NodeWhich      = "ask_which"
	NodeSummarise  = "summarise"
	NodeRetrieve   = "retrieve"
	NodeGrade      = "grade_documents"
	NodeAsk        = "ask_person"
	NodeTransform  = "transform_query"
	NodeGenerate   = "generate"
	NodeSupport    = "check_support"
	NodeDecompose  = "decompose"
	NodeStep       = "answer_step"
	NodeRegenerate = "regenerate"
	NodeSearchWeb  = "search_web"
	NodeReadPage   = "read_page"
)

// The labels of the branches' cases.
const (
	caseFirst   = "first question"
	caseHistory = "with history"
	caseOpen    = "left open"
	caseEmpty   = "nothing to search"
	caseCounts  = "counts of the graph"
	caseWhole   = "about the whole"
	caseWeb     = "web wanted"
	caseNoPage  = "no page"
	casePage    = "each page"

	caseGreeting = "greeting"
	caseSummary  = "summary wanted"
	caseList     = "list wanted"
	caseCompare  = "comparison wanted"
	caseCount    = "count wanted"

	caseSums     = "sums up"
	caseSurveyed = "read as a whole"
	casePart     = "nothing to read so"
	caseWhich    = "which document is left open"

	casePassage = "each passage"

	caseRelevant   = "relevant"
	caseIrrelevant = "irrelevant"
	caseReview     = "review"
	caseHint       = "hint wanted"
	caseHinted     = "hint"
	caseReviewed   = "goes on"

	caseOne         = "one search"
	caseSteps       = "several steps"
	caseStep        = "step"
	caseNext        = "next step"
	caseSupported   = "supported"
	caseUnsupported = "unsupported"
	caseLeft        = "left as it is"
)

// CaseCap is the label of the case taken when nothing relevant was found and no
// rewrite is left, or when the budget is used up.
const CaseCap = "cap reached"

// DefaultLimit is how many passages of a search are graded.
const DefaultLimit = 8

// Params configure the graph. All are required except Surveyor, Outside, Intents, Summaries, Reranker,
// Limit, Counts, ChartTimeout, Threads, Within and Codec.
type Params struct {
	Library   Library
	Retriever Retriever
	Passages  retrieve.Texts
	Surveyor  Surveyor // reads the library as a whole; if nil, every question is searched for
	Outside   Outside  // finds web pages; if nil, they can't be searched
	Intents   intent.Reader
	Summaries *stategraph.Graph[summarize.State] // sums up documents; required with Surveyor
	Roles     Roles
	Reranker  llm.Reranker // puts passages in order in place of the model in Roles; may be nil
	Limit     int          // passages per search; 0 means DefaultLimit
	Now       domain.Clock

	GradeMany  int     // passages graded in one call, if the roles can; 0 means 1
	GradeWhy   string  // shown in the trace if several are; may be ""
	GradeAbove float64 // share of the best score below which a passage is not graded
	Rerank     int     // first passages that are ranked in one call, if the roles can; 0 for none
	Decompose  bool    // questions may be split, if the roles can
	Regenerate bool    // an answer with unsupported sentences is written once more
	Price      Price   // for a budget in money; nil if there is none

	Counts       chart.Counts  // of the graph, for charts; if nil, charts show only numbers from passages
	ChartTimeout time.Duration // of each attempt at a chart; 0 means chart.DefaultTimeout

	Threads stategraph.Checkpointer // keeps runs; nil keeps none
	Within  bool                    // the graph runs inside another, which keeps its runs
	Codec   state.Codec             // of kept runs; nil means encoding/json
}

func (p Params) check() error {
	for _, need := range []struct {
		missing bool
		what    string
	}{
		{p.Library == nil, "Library"}, {p.Retriever == nil, "Retriever"}, {p.Passages == nil, "Passages"}, {p.Now == nil, "Now"},
		{p.Roles.Condenser == nil, "Condenser"}, {p.Roles.Grader == nil, "Grader"}, {p.Roles.Rewriter == nil, "Rewriter"},
		{p.Roles.Writer == nil, "Writer"}, {p.Roles.Supporter == nil, "Supporter"},
		{p.Surveyor != nil && p.Summaries == nil, "Summaries"},
	} {
		if need.missing {
			return errors.New("answer graph: " + need.what + " is missing")
		}
	}
	return nil
}

// nodes holds the functions of the graph's nodes.
type nodes struct {
	Params
	fields
	grade  stategraph.Target[State, gradeTask]
	page   stategraph.Target[State, pageTask]
	shared *sharedPassages // of graders
}

// Graph compiles the graph. The error names the missing fields of p.
func Graph(p Params) (*stategraph.Graph[State], error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if p.Outside != nil {
		p.Passages = p.Outside
	}
	return compile(p)
}

// Shape returns the graph without roles, for drawing.
func Shape() (*stategraph.Graph[State], error) { return compile(Params{}) }

// WritingShape returns the subgraph that writes the answer, for drawing.
func WritingShape() (stategraph.Runnable[Writing], error) { return writingGraph(Params{}) }

func compile(p Params) (*stategraph.Graph[State], error) {
	if p.Limit <= 0 {
		p.Limit = DefaultLimit
	}
	writing, err := writingGraph(p)
	if err != nil {
		return nil, err
	}
	if p.Summaries == nil { // no question leads there
		if p.Summaries, err = summarize.Shape(); err != nil {
			return nil, err
		}
	}
	n := &nodes{Params: p, fields: newFields(), shared: &sharedPassages{from: p.Passages, reads: map[string]*read{}}}
	b := stategraph.New(Name, n.stateSchema)
	reads, writes := stategraph.Reads, stategraph.Writes
	node := func(name string, f work, opts ...stategraph.NodeOption) {
		b.Node(name, n.timed(name, f), append(opts, reads(n.loopCount), writes(n.timings))...)
	}
	node(NodeCondense, n.condense, reads(n.standalone), writes(n.standalone, n.asks, n.spent))
	node(NodeRoute, n.route, stategraph.Aside(), reads(n.asks), writes(n.survey, n.summing, n.which, n.documents, n.sources))
	node(NodeWhich, n.askBack, stategraph.Aside(), reads(n.which), writes(n.generation, n.sentences, n.citations))
	node(NodeGreet, n.greet, stategraph.Aside(), reads(n.asks), writes(n.generation, n.sentences, n.citations))
	stategraph.Subgraph(b, NodeSummarise, p.Summaries, n.startSumming, n.summed, stategraph.Aside(), stategraph.WithRecursionLimit(summarize.RecursionLimit(mostSummedOne)),
		reads(n.summing), writes(n.generation, n.sentences, n.citations, n.answered))
	node(NodeSearchWeb, n.searchWeb, stategraph.Aside(), writes(n.pages))
	n.page = stategraph.Task(b, NodeReadPage, n.readPage, stategraph.Aside(), writes(n.pages))
	node(NodeDecompose, n.decompose, stategraph.Aside(), reads(n.standalone), writes(n.steps, n.spent))
	node(NodeRetrieve, n.retrieve, reads(n.standalone, n.rewrites, n.documents, n.steps, n.pages, n.spent), writes(n.documents, n.retrieval, n.scores, n.spent))
	n.grade = stategraph.Task(b, NodeGrade, n.gradeDocument, writes(n.documents, n.sources, n.spent))
	node(NodeStep, n.answerStep, stategraph.Aside(), reads(n.standalone, n.documents, n.steps), writes(n.steps, n.rewrites, n.loopCount, n.spent))
	asks := []stategraph.NodeOption{
		stategraph.Aside(),
		reads(n.standalone, n.documents, n.sources, n.rewrites, n.retrieval), writes(n.documents, n.sources, n.rewrites, n.loopCount),
	}
	if p.Threads != nil {
		asks = append(asks, stategraph.MayInterrupt())
	}
	node(NodeAsk, n.askPerson, asks...)
	node(NodeTransform, n.transform, reads(n.standalone, n.rewrites, n.wording, n.retrieval, n.documents, n.steps), writes(n.rewrites, n.wording, n.loopCount, n.spent))
	stategraph.Subgraph(b, NodeGenerate, writing, n.startWriting, n.written, stategraph.WithRecursionLimit(writingLimit),
		reads(n.standalone, n.survey, n.documents, n.retrieval, n.loopCount, n.steps, n.pages, n.spent), writes(n.generation, n.sentences, n.citations, n.answered, n.figures, n.timings, n.spent))
	node(NodeSupport, n.support, reads(n.standalone, n.documents, n.retrieval, n.generation, n.sentences, n.citations, n.draft, n.spent), writes(n.generation, n.sentences, n.citations, n.spent))
	node(NodeRegenerate, n.regenerate, stategraph.Aside(), reads(n.standalone, n.documents, n.retrieval, n.steps, n.generation, n.sentences, n.citations),
		writes(n.draft, n.generation, n.sentences, n.citations, n.spent))

	n.connect(b)
	opts := []stategraph.CompileOption{stategraph.WithCheckpointer(p.Threads), stategraph.WithCodec(p.Codec)}
	if p.Within {
		opts = append(opts, stategraph.AsSubgraph())
	}
	return b.Compile(opts...)
}

// connect adds the edges between the nodes.
func (n *nodes) connect(b *stategraph.Builder[State]) {
	b.Branch(stategraph.Start, "begin", n.begin,
		stategraph.Case{Label: caseHistory, Target: NodeCondense},
		stategraph.Case{Label: caseOpen, Target: NodeCondense},
		stategraph.Case{Label: caseFirst, Target: NodeRetrieve},
		stategraph.Case{Label: caseEmpty, Target: NodeGenerate},
		stategraph.Case{Label: caseCounts, Target: NodeGenerate},
		stategraph.Case{Label: caseSteps, Target: NodeDecompose},
		stategraph.Case{Label: caseGreeting, Target: NodeGreet},
		stategraph.Case{Label: caseWhole, Target: NodeRoute},
		stategraph.Case{Label: caseSummary, Target: NodeRoute},
		stategraph.Case{Label: caseList, Target: NodeRoute},
		stategraph.Case{Label: caseCompare, Target: NodeRoute},
		stategraph.Case{Label: caseCount, Target: NodeRoute},
		stategraph.Case{Label: caseWeb, Target: NodeSearchWeb})
	b.Branch(NodeSearchWeb, "found_pages", n.fanPages,
		stategraph.Case{Label: casePage, Target: NodeReadPage},
		stategraph.Case{Label: caseNoPage, Target: NodeGenerate})
	b.Edge(NodeReadPage, NodeRetrieve)
	b.Edge(NodeGreet, stategraph.End)
	b.Branch(NodeRoute, "way", n.way,
		stategraph.Case{Label: caseSurveyed, Target: NodeGenerate},
		stategraph.Case{Label: caseSums, Target: NodeSummarise},
		stategraph.Case{Label: caseHistory, Target: NodeCondense},
		stategraph.Case{Label: casePart, Target: NodeRetrieve},
		stategraph.Case{Label: caseWhich, Target: NodeWhich})
	b.Edge(NodeWhich, stategraph.End)
	b.Edge(NodeSummarise, stategraph.End)
	b.Branch(NodeCondense, "plan", n.plan,
		stategraph.Case{Label: caseOne, Target: NodeRetrieve},
		stategraph.Case{Label: caseSteps, Target: NodeDecompose},
		stategraph.Case{Label: caseGreeting, Target: NodeGreet},
		stategraph.Case{Label: caseWhole, Target: NodeRoute},
		stategraph.Case{Label: caseSummary, Target: NodeRoute},
		stategraph.Case{Label: caseList, Target: NodeRoute},
		stategraph.Case{Label: caseCompare, Target: NodeRoute},
		stategraph.Case{Label: caseCount, Target: NodeRoute})
	b.Edge(NodeDecompose, NodeRetrieve)
	b.Branch(NodeRetrieve, "fan_out", n.fanOut, stategraph.Case{Label: casePassage, Target: NodeGrade})
	b.Branch(NodeGrade, "decide", n.decide,
		stategraph.Case{Label: caseRelevant, Target: NodeGenerate},
		stategraph.Case{Label: caseIrrelevant, Target: NodeTransform},
		stategraph.Case{Label: CaseCap, Target: NodeGenerate},
		stategraph.Case{Label: caseReview, Target: NodeAsk},
		stategraph.Case{Label: caseHint, Target: NodeAsk},
		stategraph.Case{Label: caseStep, Target: NodeStep})
	b.Branch(NodeStep, "next_step", n.nextStep,
		stategraph.Case{Label: caseNext, Target: NodeRetrieve},
		stategraph.Case{Label: caseRelevant, Target: NodeGenerate},
		stategraph.Case{Label: CaseCap, Target: NodeGenerate},
		stategraph.Case{Label: caseReview, Target: NodeAsk},
		stategraph.Case{Label: caseHint, Target: NodeAsk})
	b.Branch(NodeAsk, "go_on", n.goOn,
		stategraph.Case{Label: caseReviewed, Target: NodeGenerate},
		stategraph.Case{Label: caseHinted, Target: NodeRetrieve})
	b.Edge(NodeTransform, NodeRetrieve)
	b.Edge(NodeGenerate, NodeSupport)
	b.Branch(NodeSupport, "checked", n.checked,
		stategraph.Case{Label: caseSupported, Target: stategraph.End},
		stategraph.Case{Label: caseLeft, Target: stategraph.End},
		stategraph.Case{Label: caseUnsupported, Target: NodeRegenerate})
	b.Edge(NodeRegenerate, NodeSupport)
}

// condense rewords a question that depends on the conversation before it. A model classifies the question in the same
// call.
func (n *nodes) condense(ctx *stategraph.Context, s State) (state.Update[State], error) {
	m := n.meter(ctx, s.Budget, ctx.Emit)
	if n.understands(s) {
		return n.understand(ctx, s, m)
	}
	text, err := n.Roles.Condenser.Condense(ctx, s.asked(), s.UserContext.History, m.emit)
	reworded := domain.Rewrite{From: s.Question, To: text, How: "what was said before"}
	if err != nil || text == "" || reworded.SameWords() {
		return n.spend(m), err
	}
	ctx.Emit(domain.EventRewrite, reworded)
	return state.Merge(n.standalone.Set(text), n.spend(m)), nil
}

// understand has a model classify the question, and reword it if there is a history. Without a history, the words and the
// nearest example decide if the model can't.
func (n *nodes) understand(ctx *stategraph.Context, s State, m meter) (state.Update[State], error) {
	history := s.UserContext.History
	text, ask, err := n.Roles.Model.Understand(ctx, s.asked(), history, m.emit)
	if err != nil && (len(history) > 0 || ctx.Err() != nil) {
		return n.spend(m), err
	}
	by := "says the model"
	if err != nil {
		ctx.Emit(domain.EventNote, domain.Note{Text: "understood by its words: " + domain.InWords(err)})
	}
	if err != nil || ask == nil {
		by = "by its words"
		read, err := n.Intents.Read(ctx, s.Question)
		if err != nil {
			return n.spend(m), err
		}
		ask = &read
	}
	ctx.Emit(domain.EventNote, domain.Note{Text: "asks for " + ask.String() + ", " + by})
	update := state.Merge(n.asks.Set(ask), n.spend(m))
	reworded := domain.Rewrite{From: s.Question, To: text, How: "what was said before"}
	if len(history) == 0 || text == "" || reworded.SameWords() {
		return update, nil
	}
	ctx.Emit(domain.EventRewrite, reworded)
	return state.Merge(update, n.standalone.Set(text)), nil
}

type work = func(*stategraph.Context, State) (state.Update[State], error)

// timed adds the duration of a node to its update.
func (n *nodes) timed(name string, f work) work {
	return func(ctx *stategraph.Context, s State) (state.Update[State], error) {
		start := n.Now()
		u, err := f(ctx, s)
		if err != nil {
			return u, err
		}
		return state.Merge(u, n.timings.Add(Timing{name, s.LoopCount, n.Now().Sub(start).Milliseconds()})), nil
	}
}

// Begin is the input of a run.
type Begin struct {
	Workspace   domain.WorkspaceID
	Question    string
	History     []Exchange          // oldest first
	MaxLoops    int                 // maximum of rewrites; a negative number fails the run
	MinRelevant int                 // relevant passages needed to answer; less than 1 means 1
	Passages    int                 // maximum that a search finds; 0 means the graph's default
	Rerank      *bool               // whether a model ranks the results; nil means the graph's default
	ContextOnly bool                // search and grade, and write nothing
	Scope       domain.Scope        // within which to ask; kept for the trace
	Within      []domain.DocumentID // the documents of the scope
	Review      bool                // a person is asked before the answer is written
	Hint        bool                // a person is asked if nothing relevant was found
	Run         domain.RunID
	Prompts     int // pin of the prompts' texts, see prompts.Book
	Method      domain.MethodName
	Budget      Budget
	Web         bool   // web pages are searched in place of the library
	Salt        string // a new value asks models again although their answers are recorded
}

// Start returns the state in which a run begins.
func Start(b Begin) State {
	return State{
		Workspace: b.Workspace, Run: b.Run, Salt: b.Salt, Prompts: b.Prompts, Method: b.Method,
		Question:    b.Question,
		UserContext: UserContext{History: b.History, Scope: scopeOf(b.Scope), Within: b.Within},
		MaxLoops:    b.MaxLoops, MinRelevant: max(1, b.MinRelevant), Passages: b.Passages,
		Rerank: b.Rerank, ContextOnly: b.ContextOnly,
		Review: b.Review, Hint: b.Hint, Budget: b.Budget, Web: b.Web,
	}
}

// scopeOf returns nil for the whole library.
func scopeOf(s domain.Scope) *domain.Scope {
	if s.All() {
		return nil
	}
	return &s
}

// RecursionLimit returns the maximum number of super-steps of a run with maxLoops rewrites: route, condense, decompose,
// retrieve and grade once, three more for each rewrite, hint and step, then ask, generate and check, regenerate and
// check.
func RecursionLimit(maxLoops int) int { return 10 + 3*(max(0, maxLoops)+MaxHints+MaxSteps) }

// Result is the outcome of a run.
type Result struct {
	Answer    string // with the marks [1], [2] … of its citations
	Sentences []domain.Sentence
	Citations []domain.Citation
	Figures   []domain.Figure // in the order of their calls
	LoopCount int
	Answered  bool             // false if the library has nothing on the question
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

// Graded returns the grade of a passage, ignoring a person's decision. Its verdict is "" if it has none.
func (d Document) Graded() domain.Grade {
	d.Decided = ""
	return d.grading().Grade
}

// grading returns the last verdict on a passage; a relevant one takes precedence, and a person's over all.
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
