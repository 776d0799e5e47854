// Package summarize is the graph that summarises documents by map and reduce. It cuts their texts into
// parts of at most 1,000 tokens, summarises each, and reduces the summaries to one; if they are too
// long for that, it first collapses groups of them, as often as necessary.
//
//	start → pre_process → (send per part) generate_summary → collect_summaries → should_collapse ┬ collapse_summaries ⟲
//	                                                                                            └ generate_final_summary → end
//
// A [Summariser] does the work: a model here, see [ModelSummariser], or rules elsewhere. Every
// sentence carries the numbers of its source parts through all rounds, and the final ones are tied to
// spans of the text. A part that could not be summarised causes a warning, and so does a summary that
// is still too long.
package summarize

import (
	"cmp"
	"context"
	"errors"
	"math/bits"
	"time"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// The names of the graph and of its nodes.
const (
	Name = "summarize"

	NodePre      = "pre_process"
	NodeMap      = "generate_summary"
	NodeCollect  = "collect_summaries"
	NodeCollapse = "collapse_summaries"
	NodeFinal    = "generate_final_summary"
)

// The cases of the branches.
const (
	casePart    = "each part"
	caseTooLong = "too long"
	caseFits    = "fits"
)

// Params configure the graph. All are required but Retry, AtOnce, Threads, Within
// and Codec.
type Params struct {
	Texts      Texts
	Counter    Counter
	Summariser Summariser
	AtOnce     int // groups collapsed at the same time; 0 means 1
	Retry      Retry
	Threads    stategraph.Checkpointer // stores runs; nil means that they are not stored and cannot stop for a review
	Within     bool                    // the graph runs inside another, which stores its runs
	Codec      state.Codec             // of stored runs; nil means encoding/json
}

// Retry configures the attempts at a part if the model fails temporarily.
type Retry struct {
	Attempts int           // default 3
	Backoff  time.Duration // before the second attempt, then doubled; default 1 s
}

func (p Params) check() error {
	switch {
	case p.Texts == nil:
		return errors.New("summarize graph: Texts is missing")
	case p.Counter == nil:
		return errors.New("summarize graph: Counter is missing")
	case p.Summariser == nil:
		return errors.New("summarize graph: Summariser is missing")
	}
	return nil
}

type nodes struct {
	Params
	fields
	part   stategraph.Target[State, partTask]
	pauses costs.Pauses
}

// Graph builds the graph. The error names a missing parameter.
func Graph(p Params) (*stategraph.Graph[State], error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	return compile(p)
}

// Shape builds the graph without parameters, for drawing.
func Shape() (*stategraph.Graph[State], error) { return compile(Params{}) }

func compile(p Params) (*stategraph.Graph[State], error) {
	p.AtOnce = max(1, p.AtOnce)
	n := &nodes{Params: p, fields: newFields()}
	reads, writes := stategraph.Reads, stategraph.Writes
	final := []stategraph.NodeOption{
		reads(n.contents, n.collapsed, n.rounds, n.warnings), writes(n.finalText, n.condensed, n.sentences, n.citations, n.warnings),
	}
	opts := []stategraph.CompileOption{stategraph.WithCheckpointer(p.Threads), stategraph.WithCodec(p.Codec)}
	if p.Within {
		opts = append(opts, stategraph.AsSubgraph())
	}
	if p.Threads != nil || p.Within {
		final = append(final, stategraph.MayInterrupt())
	}
	b := stategraph.New(Name, n.schema)
	b.Node(NodePre, n.preProcess, reads(), writes(n.read, n.contents, n.warnings))
	n.part = stategraph.Task(b, NodeMap, n.summarise, writes(n.summaries), stategraph.WithRetry(p.Retry.Policy()))
	b.Node(NodeCollect, n.collect, reads(n.contents, n.summaries), writes(n.collapsed, n.warnings))
	b.Node(NodeCollapse, n.collapse, reads(n.collapsed, n.rounds), writes(n.collapsed, n.rounds, n.warnings))
	b.Node(NodeFinal, n.finish, final...)

	b.Edge(stategraph.Start, NodePre)
	b.Branch(NodePre, "fan_out", n.fanOut, stategraph.Case{Label: casePart, Target: NodeMap}, stategraph.Otherwise(stategraph.End))
	b.Edge(NodeMap, NodeCollect)
	cases := []stategraph.Case{{Label: caseTooLong, Target: NodeCollapse}, {Label: caseFits, Target: NodeFinal}}
	b.Branch(NodeCollect, "should_collapse", n.shouldCollapse, cases...)
	b.Branch(NodeCollapse, "should_collapse_again", n.shouldCollapse, cases...)
	b.Edge(NodeFinal, stategraph.End)
	return b.Compile(opts...)
}

// Policy returns the attempts at a part as the engine takes them.
func (r Retry) Policy() stategraph.Retry {
	return stategraph.Retry{Attempts: cmp.Or(r.Attempts, 3), Backoff: cmp.Or(r.Backoff, time.Second), On: domain.Temporary, After: domain.RetryAfter}
}

// Limits in tokens.
const (
	PartTokens = 1000 // of a part
	TokenMax   = 1000 // of the summaries that are reduced to one, unless a run has another limit
)

// Begin is the input of a run.
type Begin struct {
	Workspace    domain.WorkspaceID
	Documents    []domain.DocumentID // in the order of the summary
	Focus        string              // reader or subject; optional
	Length       Length              // default Medium
	MaxCollapses int                 // rounds after which the run ends with its result; 0 for only RecursionLimit
	TokenMax     int                 // tokens of the summaries that are reduced to one; 0 means TokenMax
	Review       bool                // stop before the last step for edits
	Run          domain.RunID
	Salt         string // forces new model calls
	Prompts      int    // pin of the prompt's text, see prompts.Book
}

// Start returns the initial state of a run.
func Start(b Begin) State {
	b.Length = cmp.Or(b.Length, Medium)
	return State{
		Workspace: b.Workspace, Run: b.Run, Salt: b.Salt, Prompts: b.Prompts, Documents: b.Documents, Focus: b.Focus, Length: b.Length,
		MaxCollapses: max(0, b.MaxCollapses), TokenMax: b.TokenMax, Review: b.Review,
	}
}

// RecursionLimit returns the maximum number of super-steps of a run: 10, which
// leaves six rounds of collapsing, and above 64 parts one more for each
// doubling. Two collapsed summaries fit into one group, so a round at least
// halves their number: the limit suffices for all summaries that shrink.
func RecursionLimit(parts int) int {
	const otherSteps = 4
	return otherSteps + maxRounds(parts)
}

// DefaultMaxCollapses returns the number of rounds after which a run ends with
// what it has, one below the recursion limit.
func DefaultMaxCollapses(parts int) int { return maxRounds(parts) - 1 }

func maxRounds(parts int) int { return max(6, bits.Len(uint(max(1, parts)-1))) }

// State is the state of a summary run.
type State struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Run       domain.RunID       `json:"run,omitempty"`
	Salt      string             `json:"salt,omitempty"`
	Prompts   int                `json:"prompts,omitempty"` // pin of the prompt's text, see prompts.Book

	Documents    []domain.DocumentID `json:"documents"` // in the order of the summary
	Focus        string              `json:"focus"`
	Length       Length              `json:"length"`
	MaxCollapses int                 `json:"max_collapses"` // 0 for no limit except the recursion limit
	TokenMax     int                 `json:"token_max,omitempty"`
	Review       bool                `json:"review"` // a person edits the collapsed summaries

	Read      []Read            `json:"read"`
	Contents  []Part            `json:"contents"`
	Summaries []Summary         `json:"summaries"` // of the parts, in order
	Collapsed []Summary         `json:"collapsed_summaries"`
	Rounds    int               `json:"rounds"` // of collapsing
	Final     string            `json:"final_summary"`
	Condensed bool              `json:"condensed"` // false if the summaries stayed too long for one account
	Sentences []domain.Sentence `json:"sentences"`
	Citations []domain.Citation `json:"citations"`
	Warnings  []string          `json:"warnings"`
}

// tokenMax returns the most tokens of the summaries that are reduced to one.
func (s State) tokenMax() int { return cmp.Or(s.TokenMax, TokenMax) }

// Length is the length of a summary.
type Length string

// The lengths.
const (
	Short  Length = "short"
	Medium Length = "medium"
	Long   Length = "long"
)

// Known reports whether l is one of the lengths.
func (l Length) Known() bool { return l == Short || l == Medium || l == Long }

// Part is a stretch of a document that is summarised on its own.
type Part struct {
	N        int               `json:"n"` // from 1, across all documents
	Document domain.DocumentID `json:"document_id"`
	Span     domain.Span       `json:"span"`
	Page     int               `json:"page,omitempty"`
}

// Read identifies the text of a document that was cut into parts.
type Read struct {
	Document domain.DocumentID `json:"document_id"`
	Hash     string            `json:"hash"` // of the text
}

// Summary is the account of one or more parts.
type Summary struct {
	Sentences []Sentence `json:"lines"`
	Tokens    int        `json:"tokens"`
	Part      int        `json:"part,omitempty"`    // set in the summary of a single part
	Cut       string     `json:"cut,omitempty"`     // why it is incomplete
	Problem   string     `json:"problem,omitempty"` // why the part could not be summarised
}

// Sentence is one sentence of a summary.
type Sentence struct {
	Text      string       `json:"text"`
	Parts     []int        `json:"parts"`               // numbers of the parts it was drawn from
	Paragraph int          `json:"paragraph,omitempty"` // from 0
	Span      *domain.Span `json:"span,omitempty"`      // in the document of its one part, if it is verbatim
}

type fields struct {
	read      state.ReplaceField[State, []Read]
	contents  state.ReplaceField[State, []Part]
	summaries state.AppendField[State, Summary]
	collapsed state.ReplaceField[State, []Summary]
	rounds    state.SumField[State, int]
	finalText state.ReplaceField[State, string]
	condensed state.ReplaceField[State, bool]
	sentences state.ReplaceField[State, []domain.Sentence]
	citations state.ReplaceField[State, []domain.Citation]
	warnings  state.AppendField[State, string]
	schema    *state.Schema[State]
}

// schemaVersion changes with the meaning of a field.
const schemaVersion = 1

func newFields() fields {
	sc := state.NewSchema[State](schemaVersion)
	return fields{
		read:      state.Replace(sc, "read", func(s *State) *[]Read { return &s.Read }),
		contents:  state.Replace(sc, "contents", func(s *State) *[]Part { return &s.Contents }),
		summaries: state.Append(sc, "summaries", func(s *State) *[]Summary { return &s.Summaries }),
		collapsed: state.Replace(sc, "collapsed_summaries", func(s *State) *[]Summary { return &s.Collapsed }),
		rounds:    state.Sum(sc, "rounds", func(s *State) *int { return &s.Rounds }),
		finalText: state.Replace(sc, "final_summary", func(s *State) *string { return &s.Final }),
		condensed: state.Replace(sc, "condensed", func(s *State) *bool { return &s.Condensed }),
		sentences: state.Replace(sc, "sentences", func(s *State) *[]domain.Sentence { return &s.Sentences }),
		citations: state.Replace(sc, "citations", func(s *State) *[]domain.Citation { return &s.Citations }),
		warnings:  state.Append(sc, "warnings", func(s *State) *[]string { return &s.Warnings }),
		schema:    sc,
	}
}

type update = state.Update[State]

func (s State) options() Options {
	return Options{Workspace: s.Workspace, Run: s.Run, Salt: s.Salt, Prompts: s.Prompts, Focus: s.Focus, Length: s.Length}
}

func tokens(list []Summary) int {
	return lists.Sum(list, func(s Summary) int { return s.Tokens })
}

// Texts reads stored documents.
type Texts interface {
	Text(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Text, error)
	Document(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Document, error)
}

// Counter counts the tokens of a text.
type Counter interface {
	Count(text string) int
}

// Emit reports an event to the trace. The kinds and payloads are in domain.
type Emit func(kind string, payload any)

// Options describe the wanted summary.
type Options struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Run       domain.RunID       `json:"run,omitempty"`
	Salt      string             `json:"salt,omitempty"`
	Prompts   int                `json:"prompts,omitempty"` // pin of the prompt's text, see prompts.Book
	Focus     string             `json:"focus,omitempty"`
	Length    Length             `json:"length"`
}

// Summariser condenses texts.
type Summariser interface {
	// Map summarises one part. The result depends only on the part's text and
	// the options, not on the other parts.
	Map(ctx context.Context, r MapRequest, emit Emit) ([]Sentence, error)

	// Reduce makes one account of several summaries. Each sentence has the parts of the sentences it
	// is based on. The text is streamed to r.Write if set.
	Reduce(ctx context.Context, r ReduceRequest, emit Emit) ([]Sentence, error)
}

// MapRequest is a part to summarise.
type MapRequest struct {
	Options
	Part Part
	Text string                // of the part
	Warn func(sentence string) // optional; called with the reason why the account is incomplete
}

// ReduceRequest holds summaries to reduce to one.
type ReduceRequest struct {
	Options
	Summaries []Summary
	Final     bool                  // the last account, read by people
	Write     func(text string)     // optional; called with pieces of text
	Anew      func()                // the text passed to Write is void; required with it
	Warn      func(sentence string) // optional; called with the reason why the account is incomplete

	DocumentOf func(part int) domain.DocumentID // document of a part, so that large ones do not outweigh others; optional
}
