// Package partial holds the parts of pages that htmx swaps or a stream
// replaces. Each has a stable id, and its HTML is the same within a page and
// alone.
package partial

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
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
	Branch       domain.BranchID // whose answer it is; "" for the answer as asked
	Branches     []BranchItem    // the answers to switch between; none without branches
	Question     string
	Within       []ScopeItem // the part of the library that was asked; none for all
	Status       TurnStatus
	Text         string // of the answer until it has sentences: so far, or up to where it stopped
	Sentences    []domain.Sentence
	Citations    []domain.Citation // Text is "" once the source is deleted
	Figures      []domain.Figure   // in the order of the calls
	Problem      string
	Pictures     []PictureItem  // that stand by what it cites
	Asks         *AsksProps     // nil unless it waits for a person
	Found        *outline.Found // nil for an answer that a model wrote
	Took         time.Duration
	Tokens       int
	Cost         string // "" for none
	Open         int    // number of the citation whose source is open, or 0 if there is none
	OpenFigure   string // chart that the open citation belongs to; "" for the answer itself
	After        int    // number of the last event shown; live pages continue after it
	Ending       bool   // the answer is stored, and its run has still to end
	Traced       bool   // its steps are shown beside the conversation
	ReadOnly     bool   // it is shared by somebody else
	MayShare     bool   // the answer is the reader's to share
	MaxQuestion  int    // code points
	Web          bool   // the web was asked in place of the library
	WebSearch    string // host of the web search that may be asked next; "" for none
	Edit         EditProps
	Judged       *JudgedProps // what the person said of the answer; nil for nothing
}

// TryProps is a suggested question and its topic.
type TryProps = outline.Try

// EditProps is the data for the form that asks a turn again after it was refused.
type EditProps struct {
	Problem  string // why; "" while the form is folded
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
	Figure       string // chart that the citation belongs to; "" for the answer itself
	Numbers      []int  // numbers of all citations of the message, or of the chart, in order
	Citation     domain.Citation
	About        domain.Document
	Pages        int         // of the document, or 0 if it has none
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
	NextTry     time.Time // when a failed run is retried, or zero if it isn't
	Problem     string    // of the last attempt, with the chunk that caused it, if any

	Waits  domain.RunStatus // of the run that reads it, or "" if none does
	Held   string           // what reading would take, if it waits for a yes
	Cost   string           // of reading it so far, or "" if there is none
	ToCome string           // estimate of the rest, or "" if there is none
	Left   time.Duration    // estimate, or 0 if there is none
	Call   string           // how far the model's call is that takes long, as a clause about the model, or "" if there is none

	Tags   []string
	Values []domain.FieldTerm // of the fields that the list shows
	Now    time.Time
}

// CountsProps count the documents of the library and those that its list shows.
type CountsProps struct {
	Documents, Passages, Entities, Relations int  // of the library
	Away                                     bool // whether the graph does not answer, so that only Documents is known
	Filter                                   domain.DocumentFilter
	All, Working, Look, Ready                int // what the filter selects, whatever their state
	Matching, MatchingPassages               int // what the filter selects
	Formats                                  []FormatCount
	Unread, Paused, AtCap                    int    // of the library: not read yet, of these paused by a person and at a cap
	Failed, Stopped, Empty                   int    // of the library: those that a person should look at
	Reading                                  string // how far the library's reading has come, in sentences
	Gone                                     int    // of the library: no longer where they were fetched from
	Rereadings                               []Rereading
	Embedding                                EmbeddingProps
}

// EmbeddingProps is the embedding progress of the library; zero shows nothing.
type EmbeddingProps struct {
	What     string // passages or sentences
	Done, Of int
}

// A Rereading is the progress of documents chosen together to be read again.
type Rereading struct {
	ID                               domain.RereadingID
	Documents, Read, Failed, Unbegun int
}

func (r Rereading) head(ctx context.Context) string {
	return lang.F(ctx, "Reading %s again:", lang.Count(ctx, r.Documents, "document", "documents"))
}

func (r Rereading) leave(ctx context.Context) string {
	return lang.F(ctx, "Leave %s as before", lang.Int(ctx, r.Unbegun))
}

func (r Rereading) soFar(ctx context.Context) string {
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
	Accept   string         // the endings of files that can be read, with commas
	Kinds    string         // the kinds of files that can be read, in words
	Results  []UploadResult // of a form sent without JavaScript
	Schemas  []SchemaChoice // to choose from
	Limits   bool           // there are accounts, to some of which documents can be limited
}

// A ReaderChoice is an account or a group that can be chosen to read documents.
type ReaderChoice struct {
	Value string // as operations take it
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
	Same    string            `json:"same_as,omitempty"` // another name, under which the library has the content
	Hash    string            `json:"hash,omitempty"`    // of the file, if it is to be the next version of the document
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
