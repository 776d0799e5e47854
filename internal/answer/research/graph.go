// Package research is the graph that works on a question too large for one answer. It plans questions,
// lets a person edit the plan if requested, answers each question by the graph of package answer,
// looks for gaps, asks about these in further rounds, and writes a report whose sentences are those of
// the checked answers.
//
//	start → plan ┬ each question → answer_question → find_gaps ┬ each question → answer_question
//	             └ review → review_plan → (as after plan)      └ enough → write_report → check_overview → end
//
// A [Role] plans, finds gaps and writes an overview: a model here, see [ModelRole], or rules
// elsewhere. Every sentence of a report has the citations that its answer was checked with. An
// overview is judged as answers are, and unsupported sentences are removed.
package research

import (
	"context"
	"errors"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// The names of the graph and of its nodes.
const (
	Name = "research"

	NodePlan   = "plan"
	NodeReview = "review_plan"
	NodeAnswer = "answer_question"
	NodeGaps   = "find_gaps"
	NodeWrite  = "write_report"
	NodeCheck  = "check_overview"
)

const (
	caseEach   = "each question"
	caseReview = "review"
	caseEnough = "enough"
)

// A Role thinks of questions, and sums up. Without a model, rules do so.
type Role interface {
	// Plan returns the questions to ask first, at most Most.
	Plan(ctx context.Context, t Task, emit answer.Emit) ([]Question, error)
	// Gaps returns further questions about what the findings leave open, at most Most; if there are none, the
	// research ends.
	Gaps(ctx context.Context, t Task, emit answer.Emit) ([]Question, error)
	// Bearing reports which sentences of an answer, with their sources, bear on its question. The others are left
	// out.
	Bearing(question string, sentences []domain.Sentence, cited []domain.Citation) []bool
	// Overview returns sentences that sum up the findings, with numbers of citations. It returns none without a model.
	Overview(ctx context.Context, t Task, r Report, emit answer.Emit) ([]domain.Sentence, error)
}

// A Task is what a role works on.
type Task struct {
	answer.Asked
	Passages []domain.Passage // near the question, best first
	Planned  []Question       // so far
	Findings []Finding        // so far, in the order of their questions
	Most     int              // maximum of questions
}

// Params configure the graph. All but Threads and Codec are required.
type Params struct {
	Retriever answer.Retriever
	Passages  retrieve.Texts
	Answer    *stategraph.Graph[answer.State] // compiled to run within another graph
	Role      Role
	Supporter answer.Supporter // judges overviews
	Threads   stategraph.Checkpointer
	Codec     state.Codec
}

type nodes struct {
	Params
	fields
	ask stategraph.Target[State, asking]
}

// Graph compiles the graph. It fails for missing parameters.
func Graph(p Params) (*stategraph.Graph[State], error) {
	if p.Retriever == nil || p.Passages == nil || p.Answer == nil || p.Role == nil || p.Supporter == nil {
		return nil, errors.New("research graph: a parameter is missing")
	}
	return compile(p)
}

// Shape returns the graph without roles, for drawing.
func Shape() (*stategraph.Graph[State], error) {
	g, err := answer.Shape()
	if err != nil {
		return nil, err
	}
	return compile(Params{Answer: g})
}

func compile(p Params) (*stategraph.Graph[State], error) {
	n := &nodes{Params: p, fields: newFields()}
	reads, writes := stategraph.Reads, stategraph.Writes
	b := stategraph.New(Name, n.schema)
	b.Node(NodePlan, n.plan, reads(n.planned, n.spent), writes(n.planned, n.spent))
	review := []stategraph.NodeOption{stategraph.Aside(), reads(n.planned), writes(n.planned)}
	if p.Threads != nil {
		review = append(review, stategraph.MayInterrupt())
	}
	b.Node(NodeReview, n.review, review...)
	n.ask = stategraph.SubgraphTask(b, NodeAnswer, p.Answer, asking.start, n.found, stategraph.WithRecursionLimit(answer.RecursionLimit(answer.MostLoops)), writes(n.findings, n.spent))
	b.Node(NodeGaps, n.gaps, reads(n.planned, n.findings, n.round, n.spent), writes(n.planned, n.round, n.spent))
	b.Node(NodeWrite, n.write, reads(n.planned, n.findings, n.spent), writes(n.overview, n.notes, n.spent))
	b.Node(NodeCheck, n.check, reads(n.planned, n.findings, n.overview, n.spent), writes(n.overview, n.notes, n.spent))

	each, enough := stategraph.Case{Label: caseEach, Target: NodeAnswer}, stategraph.Case{Label: caseEnough, Target: NodeWrite}
	b.Edge(stategraph.Start, NodePlan)
	b.Branch(NodePlan, "planned", n.afterPlan, stategraph.Case{Label: caseReview, Target: NodeReview}, each)
	b.Branch(NodeReview, "reviewed", n.next, each, enough)
	b.Edge(NodeAnswer, NodeGaps)
	b.Branch(NodeGaps, "next_round", n.next, each, enough)
	b.Edge(NodeWrite, NodeCheck)
	b.Edge(NodeCheck, stategraph.End)
	return b.Compile(stategraph.WithCheckpointer(p.Threads), stategraph.WithCodec(p.Codec))
}

// RecursionLimit returns the maximum number of super-steps of a run with rounds.
func RecursionLimit(rounds int) int { return 6 + 2*max(1, rounds) }
