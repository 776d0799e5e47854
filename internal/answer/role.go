package answer

import (
	"context"

	"github.com/clewhq/clew/internal/answer/intent"
	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/retrieve"
)

// Library counts what can be searched.
type Library interface {
	Stats(ctx context.Context, w domain.WorkspaceID) (graphstore.Stats, error)
}

// Retriever finds passages for a question.
type Retriever interface {
	Retrieve(ctx context.Context, w domain.WorkspaceID, q retrieve.Query) (retrieve.Result, error)
}

// Searched returns a function that finds the passages for a question with r.
func Searched(r Retriever) func(ctx context.Context, w domain.WorkspaceID, question string, most int) ([]domain.ChunkID, error) {
	return func(ctx context.Context, w domain.WorkspaceID, question string, most int) ([]domain.ChunkID, error) {
		found, err := r.Retrieve(ctx, w, retrieve.Query{Text: question, Limit: most})
		return lists.Map(found.Passages, func(p domain.FoundPassage) domain.ChunkID { return p.Chunk }), err
	}
}

// Emit reports a role's work to the trace; see the kinds of event in domain.
type Emit func(kind string, payload any)

// Asked is the question, as every role gets it.
type Asked struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Run       domain.RunID       `json:"run,omitempty"`
	Salt      string             `json:"salt,omitempty"`
	Prompts   int                `json:"prompts,omitempty"` // pin of the prompts' texts, see prompts.Book
	Question  string             `json:"question"`          // understood without the history
	AsOf      domain.Day         `json:"as_of,omitzero"`    // the time that it is about, if known
	Web       bool               `json:"web,omitempty"`     // web pages are searched in place of the library
}

// said returns the question with the time that it is about, for a model.
func (a Asked) said() string {
	if !a.AsOf.Known() {
		return a.Question
	}
	return a.Question + " (As of " + a.AsOf.String() + ": answer with what holds then.)"
}

// Condenser rewords a question to be understood without the conversation before it.
type Condenser interface {
	Condense(ctx context.Context, asked Asked, history []Exchange, emit Emit) (string, error)
}

// Grader decides whether a passage helps to answer a question.
type Grader interface {
	Grade(ctx context.Context, r GradeRequest, emit Emit) (domain.Grade, error)
}

// GradeRequest is a passage to grade, with the other passages found: it may be relevant only together with another.
type GradeRequest struct {
	Asked
	Passage    domain.Passage
	Path       []domain.Hop     // that led to it
	Candidates []domain.Passage // everything found by the search, best first, including the passage
}

// Rewriter rewords a question for another search.
type Rewriter interface {
	Rewrite(ctx context.Context, r RewriteRequest, emit Emit) (Rewrite, error)
}

// RewriteRequest holds the searches that found nothing relevant.
type RewriteRequest struct {
	Asked
	Before []Rewrite  // the wordings so far, the question first
	Found  []Rejected // by the latest wording, best first
}

// Tying is a Rewriter that detects when the passages found cover only part of a question that describes one thing by
// another.
type Tying interface {
	// Tie returns the wording that searches for the rest; false if there is none.
	Tie(ctx context.Context, asked Asked, found []domain.Passage) (Rewrite, bool, error)
}

// Rejected is a passage that was found and does not help, with the reason.
type Rejected struct {
	domain.Passage
	Reason string
}

// Passages returns the passages that were found.
func (r RewriteRequest) Passages() []domain.Passage {
	return lists.Map(r.Found, func(f Rejected) domain.Passage { return f.Passage })
}

// Writer writes an answer from relevant passages, in one turn or, if it calls for
// charts, in several.
type Writer interface {
	// Write writes the next turn. Its text begins a new paragraph after the text of
	// earlier turns.
	Write(ctx context.Context, r WriteRequest, pen Pen, emit Emit) (Turn, error)
}

// WriteRequest is the material for an answer.
type WriteRequest struct {
	Asked
	Survey   *Survey          // for a question about the whole; nil for others
	Passages []domain.Passage // relevant ones, in the order found; none for a question about counts
	Messages []Message        // of earlier turns and the tools they called
	Charts   bool             // the tool chart may be called
	Steps    []Step           // settled ones, for a question that took several searches
	Reckoned Reckoned         // from tables; its rows are in Passages

	// For the turn that replaces failed charts.
	Apology string // the opening sentence
	Failed  []domain.Figure
}

// ReviseRequest is the material for an answer that is written again.
type ReviseRequest struct {
	Asked
	Passages []domain.Passage // relevant ones, in the order found
	Draft    string           // with its marks
	Faults   []Fault
}

// Fault is a sentence that nothing supports, with the reason.
type Fault struct{ Sentence, Reason string }

// Turn is the outcome of a writer's turn, besides the text it showed.
type Turn struct {
	Text    string     // as the writer sees it in its next turn
	Calls   []ToolCall // of tools; none if the text is complete
	Cut     string     // a sentence that says why the text is incomplete; "" if it is complete
	Remarks []string   // sentences about the library or the search, to be added as a paragraph
}

// Words looks up the words of a question in a library.
type Words interface {
	// Words returns how the words of a question occur in the documents; nil means all.
	Words(ctx context.Context, w domain.WorkspaceID, question string, documents []domain.DocumentID) (domain.Words, error)
}

// Pen receives an answer as it is written, and shows it at once.
type Pen interface {
	// Write adds a piece of text. A blank line begins a paragraph.
	Write(text string)
	// Cite cites a passage for the last sentence written. The span is in the document's text.
	Cite(p domain.Passage, span domain.Span)
	// Quote adds words of a passage as a paragraph.
	Quote(q Quotation)
	// Remark adds a sentence about the library or the search as a paragraph.
	Remark(sentence string)
	// Anew drops everything the turn has written.
	Anew()
}

// Quotation are words of a passage that were found and not judged.
type Quotation struct {
	Text    string // as shown: the words, perhaps with the lines they stand under
	Passage domain.Passage
	Span    domain.Span   // in the document's text
	Marks   []domain.Span // its decisive words
	Close   bool          // near the question, but not the nearest
	Tie     string        // the name that ties it to the nearest
}

// Supporter checks whether sentences are supported by their quotations.
type Supporter interface {
	// Support returns one finding for each claim, in order.
	Support(ctx context.Context, asked Asked, claims []Claim, emit Emit) ([]Support, error)
}

// Support is whether a claim is supported, and if it is not, perhaps why.
type Support struct {
	OK     bool
	Reason string
}

// Claim is a sentence of an answer with its quotations.
type Claim struct {
	Text   string
	Quotes []string // none if it cites nothing
}

// ModelOnly is the work for which there are no rules. The settings say which of it is wanted.
type ModelOnly interface {
	// Understand returns the question as a Condenser does, and what it asks for; nil if that can't be
	// read.
	Understand(ctx context.Context, asked Asked, history []Exchange, emit Emit) (string, *intent.Ask, error)
	// GradeMany grades several passages in one call. It returns one grade for each, in order; Ungraded
	// if it could not be read.
	GradeMany(ctx context.Context, asked Asked, passages []GradeRequest, emit Emit) ([]domain.Grade, error)
	// Rank returns the places of passages in the order in which they help to answer the question, best
	// first. Some may be left out or repeated. It returns nil if it finds no order.
	Rank(ctx context.Context, asked Asked, passages []domain.Passage, emit Emit) ([]int, error)
	// Decompose returns the questions to search for one after the other; in later ones #1 is replaced
	// by the finding of the first. It returns nil if one search may be enough.
	Decompose(ctx context.Context, asked Asked, emit Emit) ([]string, error)
	// Settle returns the passages' answer in a few words, or "" if they have none.
	Settle(ctx context.Context, asked Asked, passages []domain.Passage, emit Emit) (string, error)
	// Revise rewrites an answer with unsupported sentences.
	Revise(ctx context.Context, r ReviseRequest, pen Pen, emit Emit) error
}

// Roles do the work of the nodes. The first five are required.
type Roles struct {
	Condenser Condenser
	Grader    Grader
	Rewriter  Rewriter
	Writer    Writer
	Supporter Supporter

	Model     ModelOnly       // nil if there is no model
	Specifier chart.Specifier // of charts; nil if the writer is offered none
	Counts    bool            // a question for a chart of counts gets one without a search, see Params.Counts
	Tables    Tables          // nil if a writer reads tables itself, or as text
	Words     Words           // nil if an answer that declines says nothing about the question's words
}
