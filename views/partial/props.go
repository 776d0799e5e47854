// Package partial holds the parts of pages that htmx swaps or a stream
// replaces. Each has a stable id, and is the same HTML in the page and on its
// own.
package partial

import (
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/sheet"
)

// TraceProps are a run as its picture and its list of steps.
type TraceProps struct {
	Run      domain.RunID
	Topology diagram.Topology
	Visits   []diagram.Visit // of the nodes reached, in any order
	Walked   []diagram.Walk  // edges taken, in any order
	Steps    []StepProps
	State    diagram.State // of the run
	Problem  string        // why it failed
	Took     time.Duration
	Tokens   int
	Loop     int  // rewrites so far
	Resumed  bool // an earlier attempt was cut off, and this one went on
	MaxLoops int  // 0 where the graph has no loop to count
	After    int  // number of the last event shown, where a live page goes on from
	Asks     bool // it waits for a person
}

// Live reports whether more is to come.
func (p TraceProps) Live() bool {
	return p.State.Or() == diagram.Waiting || p.State == diagram.Now
}

// StepProps are one row of the list of steps.
type StepProps struct {
	Run      domain.RunID
	N        int // from 1
	Node     string
	Within   []string // nodes whose subgraphs it lies in, outermost first
	State    diagram.State
	Note     string // one short remark beside the name, for instance "8 passages"
	Took     time.Duration
	Tokens   int
	Models   []string // that were called, in order, each once
	Recorded bool     // no call was made: the answers were recorded before
	Done     int      // tasks done of a fan-out
	Total    int      // tasks of a fan-out; 0 where there is none
	Attempt  int      // from 1
	Grades   []domain.Grading
	Rewrites []domain.Rewrite
	Methods  []domain.Method
	Notes    []string
	Branches []BranchProps
	Changes  []ChangeProps
	Problem  string
	Open     bool // the body is unfolded
}

// BranchProps are a decision taken after a step.
type BranchProps struct{ Name, Label, Target string }

// ChangeProps are what a step wrote to one field of the state, in short.
type ChangeProps struct {
	Field  string
	Before string // "" when there was none
	After  string
}

// TurnStatus says where a question stands.
type TurnStatus string

// The states of a turn.
const (
	TurnWaiting   TurnStatus = "waiting"
	TurnAnswering TurnStatus = "answering"
	TurnDone      TurnStatus = "done"
	TurnStopped   TurnStatus = "stopped"
	TurnFailed    TurnStatus = "failed"
)

// TurnProps are a question with its answer.
type TurnProps struct {
	Conversation domain.ConversationID
	Message      domain.MessageID
	Run          domain.RunID
	Question     string
	Status       TurnStatus
	Text         string // of the answer, while there are no sentences: so far, or where it stopped
	Sentences    []domain.Sentence
	Citations    []domain.Citation // Text is "" once the source is deleted
	Figures      []domain.Figure   // in the order in which they were asked for
	Problem      string
	Took         time.Duration
	Tokens       int
	Open         int          // number of the citation whose source is open; 0 for none
	OpenFigure   string       // the chart whose citation it is; "" for one of the answer's own
	Stations     []StripProps // of its run, for the one-line trace; may be empty
	After        int          // number of the last event shown, where a live page goes on from
}

// StripProps are one station of the one-line trace.
type StripProps struct {
	Node  string
	State diagram.State
	Times int
}

// SourceProps are the source of one citation with its characters marked.
type SourceProps struct {
	Conversation domain.ConversationID
	Message      domain.MessageID
	Figure       string // the chart whose citation it is; "" for one of the answer's own
	Numbers      []int  // of all citations of the message, or of the chart, in order
	Citation     domain.Citation
	Title        string      // of the document
	Pages        int         // of the document; 0 where it has none
	Text         domain.Text // the whole stored text; empty when the document is deleted
	Mentions     []sheet.Mention
	Entities     []EntityItem // in this passage
}

// EntityItem is an entity by name.
type EntityItem struct {
	ID    domain.EntityID
	Label string
	Name  string
	Count int // mentions, documents or sentences, as the list says; 0 shows none
}

// DocumentRowProps are one row of the list of documents.
type DocumentRowProps struct {
	Document    domain.Document
	Queue       int       // place among those that wait, from 1; 0 when not known
	Attempt     int       // of its run, from 1
	MaxAttempts int       // of its run
	NextTry     time.Time // when a failed run is tried again; zero when it is not
	Problem     string    // of the last attempt, with the chunk where one is at fault
	Now         time.Time
}

// CountsProps are how many documents stand where, and what they hold.
type CountsProps struct {
	Documents, Passages, Entities, Relations int
	Working, Look, Ready                     int
	Tab                                      Tab
	Query                                    string // search words, kept in the tabs' addresses
	Tag                                      string // that the documents shown have, kept there too
}

// Tab is a selection of the list of documents, and its value in the query
// parameter "tab".
type Tab string

// The tabs.
const (
	TabAll     Tab = ""
	TabWorking Tab = "working"
	TabLook    Tab = "look" // failed, stopped, or read without finding anything
	TabReady   Tab = "ready"
)

// UploadProps say what may be added.
type UploadProps struct {
	MaxBytes int64
	MaxFiles int            // in one go
	Results  []UploadResult // of a form sent without JavaScript
}

// UploadResult is what became of one uploaded file. It is the answer to an
// upload in JSON too, as {"results": […]}.
type UploadResult struct {
	Name    string            `json:"name"`
	Outcome string            `json:"outcome"` // one of the Upload… constants
	Message string            `json:"message"` // a whole sentence
	ID      domain.DocumentID `json:"document_id,omitempty"`
}

// The outcomes of an upload.
const (
	UploadAdded    = "added"
	UploadExisting = "existing"
	UploadRefused  = "refused"
)

// CheckLine is one line of a connection test.
type CheckLine struct {
	Works bool
	Text  string
}
