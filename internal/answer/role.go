package answer

import (
	"context"

	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// Library says how much there is to search.
type Library interface {
	Stats(ctx context.Context, w domain.WorkspaceID) (graphstore.Stats, error)
}

// Retriever finds passages for a question.
type Retriever interface {
	Retrieve(ctx context.Context, q Query) (Found, error)
}

// Query is what to search for.
type Query struct {
	Workspace domain.WorkspaceID
	Text      string
	Limit     int                 // passages at most, in a search of the usual width
	Wide      int                 // 0 as usual; the more, the further to go from the question's words
	Documents []domain.DocumentID // the only documents to search; none means all
}

// Found is what a search found.
type Found struct {
	Passages []Scored // best first
	Methods  []domain.Method
}

// Scored is a passage with what brought it.
type Scored struct {
	Chunk  domain.ChunkID
	Score  float64
	Method string
	Path   []domain.Hop
}

// Passages reads passages, in the order asked; ids that are gone are left out.
type Passages interface {
	Passages(ctx context.Context, w domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error)
}

// Emit tells the trace what a role does, see the kinds of event in domain.
type Emit func(kind string, payload any)

// Asked is what every role is told of the question.
type Asked struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Run       domain.RunID       `json:"run,omitempty"`
	Salt      string             `json:"salt,omitempty"`
	Question  string             `json:"question"` // as it reads without what was said before
}

func (s State) askedFor() Asked {
	return Asked{Workspace: s.Workspace, Run: s.Run, Salt: s.Salt, Question: s.asked()}
}

// Condenser rewords a question so that it can be read without what was said
// before.
type Condenser interface {
	Condense(ctx context.Context, asked Asked, history []Exchange, emit Emit) (string, error)
}

// Grader says whether a passage helps to answer a question.
type Grader interface {
	Grade(ctx context.Context, r GradeRequest, emit Emit) (domain.Grade, error)
}

// GradeRequest is a passage to grade with what it was found among: a passage
// may be relevant only together with another one.
type GradeRequest struct {
	Asked
	Passage    domain.Passage
	Path       []domain.Hop     // what brought it
	Candidates []domain.Passage // all that the search found, best first, the passage among them
}

// Rewriter rewords a question for another search.
type Rewriter interface {
	Rewrite(ctx context.Context, r RewriteRequest, emit Emit) (Rewrite, error)
}

// RewriteRequest is what has been searched for in vain.
type RewriteRequest struct {
	Asked
	Before []Rewrite        // the wordings so far, the question first
	Found  []domain.Passage // what the last of them found
}

// Writer writes an answer from relevant passages, in one turn or, when it asks
// for charts, in several.
type Writer interface {
	// Write writes the next turn. What it shows through the pen goes on behind
	// what was shown before, in a new paragraph.
	Write(ctx context.Context, r WriteRequest, pen Pen, emit Emit) (Turn, error)
}

// WriteRequest is what an answer is to be written from.
type WriteRequest struct {
	Asked
	Passages []domain.Passage // relevant, in the order in which they were found; none for a question that Counting knows
	Messages []Message        // of the turns before and of the tools that they called; none in the first
	Charts   bool             // the tool chart may be called

	// Of the turn that makes up for charts that failed: the sentence to open
	// with, and the charts.
	Apology string
	Failed  []domain.Figure
}

// Turn is what a writer did beside showing its text.
type Turn struct {
	Text    string     // as the writer is to see it again in its next turn
	Calls   []ToolCall // of tools; without any the text is complete
	Remarks []string   // sentences about the library or the search, to be added as a paragraph
}

// Counting says which questions are about the graph itself, and are answered
// by a chart of its counts without a search. The questions that it knows are
// those that chart.Counts can count.
type Counting interface {
	Counts(question string) bool
}

// Pen takes an answer down while it is written and shows it to whoever waits.
type Pen interface {
	// Write takes a piece of text. A blank line begins a paragraph.
	Write(text string)
	// Cite says that the sentence written last relies on characters of one of
	// the passages; the span lies in the document's text.
	Cite(p domain.Passage, span domain.Span)
}

// Supporter says whether sentences are supported by what they cite.
type Supporter interface {
	// Support returns one verdict for each claim, in order.
	Support(ctx context.Context, asked Asked, claims []Claim, emit Emit) ([]bool, error)
}

// Claim is a sentence of an answer with the characters that it cites.
type Claim struct {
	Text   string
	Quotes []string // none for a sentence that cites nothing
}

// Roles are those who do the work at the nodes. All are required but the last
// two.
type Roles struct {
	Condenser Condenser
	Grader    Grader
	Rewriter  Rewriter
	Writer    Writer
	Supporter Supporter

	Specifier chart.Specifier // of charts; without one none are offered
	Counting  Counting        // without one every question is searched for
}
