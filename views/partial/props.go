// Package partial contains the parts of pages that htmx swaps or a stream replaces. Each has a stable
// id, and its HTML is the same within a page and alone.
package partial

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/views/doctext"
	"github.com/clewhq/clew/views/lang"
)

// A TurnStatus is the progress of a question.
type TurnStatus string

// The states of a turn.
const (
	TurnWaiting   TurnStatus = "waiting"
	TurnAnswering TurnStatus = "answering"
	TurnDone      TurnStatus = "done"
	TurnStopped   TurnStatus = "stopped"
	TurnFailed    TurnStatus = "failed"
)

// TurnProps show a question with its answer.
type TurnProps struct {
	Conversation domain.ConversationID
	Message      domain.MessageID
	Run          domain.RunID
	Branch       domain.BranchID // whose answer it is; "" for the original answer
	Branches     []BranchItem    // answers to switch between; empty without branches
	Question     string
	Within       []ScopeItem // the part of the library that was searched; empty for all
	Status       TurnStatus
	Text         string // of the answer until it has sentences: so far, or where it stopped
	Sentences    []domain.Sentence
	Citations    []domain.Citation // Text is "" once the source is deleted
	Figures      []domain.Figure   // in the order of the calls
	Problem      string
	Pictures     []PictureItem  // next to the cited passages
	Asks         *AsksProps     // nil unless it is waiting for a person
	Found        *outline.Found // nil if a model wrote the answer
	Took         time.Duration
	Tokens       int
	Cost         string // "" if there is none
	Open         int    // number of the citation whose source is open; 0 if there is none
	OpenFigure   string // chart with the open citation; "" for the answer itself
	After        int    // number of the last event shown; live pages continue from there
	Ending       bool   // the answer is stored, but its run has not ended
	Traced       bool   // its steps are shown next to the conversation
	ReadOnly     bool   // somebody else shares it
	MayShare     bool   // the reader may share the answer
	MaxQuestion  int    // code points
	Web          bool   // the web was searched in place of the library
	WebSearch    string // host of the web search that can be used next; "" for none
	Edit         EditProps
	Judged       *JudgedProps // the person's feedback on the answer; may be nil
}

// TryProps is a suggested question and its topic.
type TryProps = outline.Try

// EditProps is the data for the form that asks a turn again after it was refused.
type EditProps struct {
	Problem  string // the reason; "" while the form is folded
	Question string
	Within   []ScopeItem
}

// JudgedProps holds a person's judgement of an answer.
type JudgedProps struct {
	Good   bool
	Reason string
}

// SourceProps show the source of one citation with its characters marked.
type SourceProps struct {
	Conversation domain.ConversationID
	Message      domain.MessageID
	Branch       domain.BranchID
	Figure       string // chart with the citation; "" for the answer itself
	Numbers      []int  // numbers of all citations of the message, or of the chart, in order
	Citation     domain.Citation
	About        domain.Document
	Pages        int         // of the document; 0 if it has none
	Text         domain.Text // the whole stored text; empty if the document was deleted
	Mentions     []doctext.Mention
	Entities     []EntityItem // in this passage
	Pictures     []PictureItem
}

// A PictureItem is a picture of a document beside a cited passage.
type PictureItem struct {
	domain.Picture
	Document domain.DocumentID
	Name     string // of the document
	N        int    // number of the citation
}

// An EntityItem is an entity by name.
type EntityItem struct {
	ID    domain.EntityID
	Label string
	Name  string
	Count int // of mentions, documents or sentences, depending on the list; 0 shows none
}

// ItemOf returns an entity by name.
func ItemOf(e domain.Entity) EntityItem { return EntityItem{ID: e.ID, Label: e.Label, Name: e.Name} }

// DocumentRowProps are one row of the list of documents.
type DocumentRowProps struct {
	Document    domain.Document
	Queue       int       // position in the queue, from 1; 0 if unknown
	Attempt     int       // of its run, from 1
	MaxAttempts int       // of its run
	NextTry     time.Time // when a failed run is retried; zero if it isn't
	Problem     string    // of the last attempt, with the chunk that caused it, if any

	Waits  domain.RunStatus // of the run that reads it; "" if none does
	Held   string           // cost of reading, if it is held
	Cost   string           // of reading it so far; "" if there is none
	ToCome string           // estimate of the rest; "" if there is none
	Left   time.Duration    // estimate; 0 if there is none
	Call   string           // progress of the model's slow call, as a clause about the model; may be ""

	Tags   []string
	Values []domain.FieldTerm // for the fields shown in the list
	Now    time.Time
}

// CountsProps count the documents of the library and those that its list shows.
type CountsProps struct {
	Documents, Passages, Entities, Relations int  // of the library
	Away                                     bool // whether the graph does not answer, so only Documents is known
	Filter                                   domain.DocumentFilter
	All, Working, Look, Ready                int // selected by the filter, regardless of the state
	Matching, MatchingPassages               int // selected by the filter
	Formats                                  []FormatCount
	Unread, Paused, AtCap                    int    // in the library: unread ones, and those paused by a person and at a cap
	Failed, Stopped, Empty                   int    // in the library: those that need a person to look at them
	Reading                                  string // progress of the library's reading, in sentences
	Gone                                     int    // in the library: no longer where they were fetched from
	Rereadings                               []ledger.Rereading
	Embedding                                EmbeddingProps
}

// EmbeddingProps is the embedding progress of the library; zero shows nothing.
type EmbeddingProps struct {
	What     string // passages or sentences
	Done, Of int
}

// soFar describes the progress of documents that are read again.
func soFar(ctx context.Context, r ledger.Rereading) string {
	said := lang.F(ctx, "%s read", lang.Int(ctx, r.Read))
	if r.Failed > 0 {
		said += lang.F(ctx, ", %s failed", lang.Int(ctx, r.Failed))
	}
	if begun := r.Documents - r.Read - r.Failed - r.Unbegun; begun > 0 {
		said += lang.F(ctx, ", %s under way", lang.Int(ctx, begun))
	}
	return lang.F(ctx, "%s, %s to come.", said, lang.Int(ctx, r.Unbegun))
}

// FormatCount counts the documents of a format that the rest of the filter selects.
type FormatCount struct {
	Format domain.Format
	Count  int
}

// UploadProps give the limits of an upload.
type UploadProps struct {
	MaxBytes int64
	MaxFiles int            // per upload
	Accept   string         // the endings of readable files, with commas
	Kinds    string         // the kinds of readable files, in words
	Results  []UploadResult // of a form sent without JavaScript
	Schemas  []SchemaChoice // to choose from
	Limits   bool           // there are accounts to which documents can be limited
}

// A ReaderChoice is an account or a group that can be chosen to read documents.
type ReaderChoice struct {
	Value string // as operations expect it
	Group string // its name, if it is a group
}

func (c ReaderChoice) words(ctx context.Context) string {
	if c.Group != "" {
		return lang.F(ctx, "group %s", c.Group)
	}
	return c.Value
}

// A SchemaChoice is a schema that can be chosen for documents.
type SchemaChoice struct{ Name, Title string }

// An UploadResult is the outcome for one uploaded file, also as JSON in
// {"results": […]}.
type UploadResult struct {
	Name    string            `json:"name"`
	Outcome string            `json:"outcome"` // one of the Upload… constants
	Message string            `json:"message"` // a whole sentence
	ID      domain.DocumentID `json:"document_id,omitempty"`
	Same    string            `json:"same_as,omitempty"` // another name under which the library has the content
	Hash    string            `json:"hash,omitempty"`    // of the file, if it is to be the document's next version
}

// The outcomes of an upload.
const (
	UploadAdded    = "added"
	UploadExisting = "existing"
	UploadRefused  = "refused"
)

// A CheckLine is one line of a connection test.
type CheckLine struct {
	Works bool
	None  bool // there is nothing to test
	Text  string
}
