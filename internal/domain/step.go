package domain

import (
	"strings"
	"time"
)

// The kinds of custom event that nodes emit for the trace, each with its payload.
const (
	EventToken    = "token"    // Token; transient, never stored
	EventUsage    = "usage"    // Usage
	EventAsked    = "asked"    // Usage so far, estimated, before a call whose text is streamed
	EventGrade    = "grade"    // Grading
	EventRewrite  = "rewrite"  // Rewrite
	EventMethod   = "method"   // Method, once that method is done
	EventFound    = "found"    // Found
	EventProgress = "progress" // Progress
	EventNote     = "note"     // Note
	EventFigure   = "figure"   // Figure, once when pending and once when settled
	EventWritten  = "written"  // Written
	EventWait     = "wait"     // Wait, once after a second and once when it is over
	EventWords    = "words"    // Words, if nothing near was found
)

// A Token is a piece of an answer's text while it is written.
type Token struct {
	Text  string     `json:"text"`
	Cited []Citation `json:"cited,omitempty"` // sources first cited by this token, or just before it
	Anew  bool       `json:"anew,omitempty"`  // the text starts again with it
}

// Usage counts the tokens of one model call, or of several of one model.
type Usage struct {
	Model    string `json:"model"`
	Input    int    `json:"input"`              // tokens
	Cached   int    `json:"cached,omitempty"`   // part of Input that the provider had kept from an earlier call
	Output   int    `json:"output"`             // tokens
	Embedded int    `json:"embedded,omitempty"` // tokens
	Recorded bool   `json:"recorded,omitempty"`

	Estimated bool `json:"-"` // the call is still going on
}

// Tokens returns the number of all tokens.
func (u Usage) Tokens() int { return u.Input + u.Output + u.Embedded }

// Plus returns the tokens of both; everything else is taken from u.
func (u Usage) Plus(more Usage) Usage {
	u.Input, u.Cached, u.Output, u.Embedded = u.Input+more.Input, u.Cached+more.Cached, u.Output+more.Output, u.Embedded+more.Embedded
	return u
}

// A CallOwner is the document or run that a model call was made for. Deleting it also removes the recorded call.
type CallOwner struct {
	Workspace WorkspaceID
	Document  DocumentID
	Run       RunID
}

// Grading is the verdict on one passage.
type Grading struct {
	Chunk    ChunkID    `json:"chunk"`
	Document DocumentID `json:"document_id"`
	Name     string     `json:"document"` // of the document's file
	Page     int        `json:"page,omitempty"`
	Place    string     `json:"place,omitempty"` // see Chunk.Place
	Grade
}

// Where names the graded document with the passage's place.
func (g Grading) Where() string { return Where(g.Name, g.Page, g.Place) }

// A Rewrite is one rewording of a question.
type Rewrite struct {
	From string `json:"from"`
	To   string `json:"to"`
	How  string `json:"how"` // for instance "names and aliases from the graph"
}

// SameWords reports whether the rewrite differs only in case, spaces and end mark.
func (r Rewrite) SameWords() bool { return strings.EqualFold(bare(r.From), bare(r.To)) }

func bare(question string) string {
	return strings.TrimRight(OneLine(question), " ?.!")
}

// Method reports what one search method found.
type Method struct {
	Name       MethodName    `json:"name"`
	Candidates int           `json:"candidates"`
	Took       time.Duration `json:"took"`
	Reason     string        `json:"reason,omitempty"`  // why it ran or not
	Missing    string        `json:"missing,omitempty"` // a sentence, if a store that the method needs can't be reached
	Ranked     []ChunkID     `json:"ranked,omitempty"`  // the first MaxRanked passages, best first
}

// Found reports the passages of one search, best first.
type Found struct {
	Passages []FoundPassage `json:"passages"`
}

// FoundPassage is a passage with the methods that found it and the path that led
// there.
type FoundPassage struct {
	Chunk   ChunkID      `json:"chunk"`
	Score   float64      `json:"score,omitempty"` // comparable within one search only
	Methods []MethodName `json:"methods,omitempty"`
	Path    []Hop        `json:"path,omitempty"` // empty if the passage was found by its own words
}

// Progress counts the parts of a long step.
type Progress struct {
	Done      int `json:"done"`
	Total     int `json:"total"`
	Entities  int `json:"entities,omitempty"`
	Relations int `json:"relations,omitempty"`
}

// Words reports how often the words of a question occur in the library.
type Words struct {
	Words []AskedWord `json:"words"` // rarest first
}

// AskedWord is a word or name of a question.
type AskedWord struct {
	Text      string `json:"text"`               // as asked
	Documents int    `json:"documents"`          // that contain it
	Meant     string `json:"meant,omitempty"`    // the most similar word in the library; "" if there is none
	MeantIn   int    `json:"meant_in,omitempty"` // documents
}

// A Note is a remark on a step, in one line.
type Note struct {
	Text string `json:"text"`
}

// Written reports that the text of an answer is complete. Its figures may still be
// pending.
type Written struct {
	Sentences int `json:"sentences"`
}

// A Wait reports that a call made by a node waits, or no longer waits.
type Wait struct {
	For   WaitFor       `json:"for"`
	Pause time.Duration `json:"pause,omitempty"` // if known beforehand, for instance from a server's Retry-After
	Why   string        `json:"why,omitempty"`   // a sentence
	Over  bool          `json:"over,omitempty"`
}

// WaitFor describes what a call waits for.
type WaitFor string

// What calls wait for.
const (
	WaitSlot  WaitFor = "slot"  // the most calls allowed are under way, or were made within the minute
	WaitRetry WaitFor = "retry" // the next attempt
	WaitModel WaitFor = "model" // the model, which is slow; Why says how far it is
)
