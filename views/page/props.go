// Package page holds one file per screen. Each XxxPage takes an XxxProps and
// draws the whole page in its layout.
package page

import (
	"net/url"
	"time"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/views/doctext"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/partial"
)

// HomeProps is the data for the first page of an empty library.
type HomeProps struct {
	App             layout.Props
	Upload          partial.UploadProps
	SampleDocuments int // size of the sample library
	Questions       []SampleQuestion
}

// DeskProps is the data for the home page of a library with documents.
type DeskProps struct {
	App         layout.Props
	Upload      partial.UploadProps
	Relations   int
	MaxQuestion int
	Now         time.Time

	Recent        []RecentItem
	Conversations int // in all

	Questions []partial.TryProps
	Others    int  // the next round of questions, or 0 if there is none
	Turned    bool // the questions are not the first

	Reading int                        // documents that are not read yet
	Rows    []partial.DocumentRowProps // the first of them
	Pairs   int                        // of names that may be the same
	Alike   []string                   // the first pair; empty if unknown
	Gone    int                        // documents that are no longer where they came from
	ToCheck int                        // documents that failed, were stopped, or have nothing for the graph
	Look    []partial.DocumentRowProps // the first of them
}

// A RecentItem is a conversation with its last question and the outcome.
type RecentItem struct {
	URL      string
	Question string
	Answer   string // how it begins; "" while there is none
	Mark     string // of the verdict: its drawing
	Verdict  string
	At       time.Time
}

// A SampleQuestion is a question to try.
type SampleQuestion struct {
	Text string
	Note string // for example "2 documents" or "not in the library"
}

// DocumentsProps is the data for the list of documents.
type DocumentsProps struct {
	App    layout.Props
	Upload partial.UploadProps
	Counts partial.CountsProps
	Tags   []TagCount // of all documents
	Fields []domain.Field
	Facets []Facet
	Rows   []partial.DocumentRowProps
	Held   HeldProps

	Compact        bool   // the list shows single lines
	First          int    // the number of documents before the first row
	Previous, Next string // neighbouring pages, or "" if there is none
}

// HeldProps sum up the documents that wait for a yes to their bill.
type HeldProps struct {
	Count   int
	Said    string // what reading them would take
	Warning string // which cap that would meet, or "" if there is none
}

// TagCount counts the documents with a tag.
type TagCount struct {
	Tag   string
	Count int
}

// A Pager is a position in a list longer than a page.
type Pager struct {
	Offset, Limit, Total int
}

// What can be done with chosen documents.
const (
	ActAsk       = "ask"
	ActTag       = "tag"
	ActSet       = "set" // fields
	ActSummarise = "summarise"
	ActStudy     = "study"
	ActAgain     = "again"
	ActLimit     = "limit"

	ActPause  = "pause" // these four only with what waits or is being read
	ActGoOn   = "go-on"
	ActFirst  = "first"
	ActStop   = "stop"
	ActDelete = "delete"
)

// ScopeOf returns the scope that an action on chosen documents needs.
func ScopeOf(act string) operation.Scope {
	switch act {
	case ActAsk:
		return operation.Ask
	case ActSummarise, ActStudy:
		return operation.Summarize
	case ActDelete:
		return operation.DeleteDocuments
	}
	return operation.WriteDocuments
}

// A Toll counts what is deleted along with documents. Entities and Relations are -1 if they were not counted.
type Toll struct{ Documents, Passages, Entities, Relations, Answers, Summaries int }

// ChosenProps is the data for the page that previews an action on chosen documents.
type ChosenProps struct {
	App     layout.Props
	Act     string                 // ActTag, ActAgain, ActLimit or ActDelete
	Count   int                    // of the documents
	Names   []string               // of the first ones
	Fields  url.Values             // that choose them again
	Toll    Toll                   // for ActDelete
	Undo    time.Duration          // in which a deletion can be undone
	Bill    string                 // for ActAgain
	Warning string                 // which cap the bill would meet, or "" if there is none
	Readers []partial.ReaderChoice // for ActLimit
	Choose  []domain.Field         // for ActSet
	URL     string                 // what the form posts to
	Back    string
}

// DocumentProps is the data for a document's page.
type DocumentProps struct {
	App      layout.Props
	Row      partial.DocumentRowProps
	Text     domain.Text // zero until it is parsed
	Mentions []doctext.Mention
	Hit      domain.Span // characters to mark; empty for none
	At       int         // code point from which a long text is shown if Hit is empty
	Before   int         // code point up to which it is, instead, or 0 if there is none
	Find     string      // words that are looked for in the text
	Found    int         // how many places hold them
	FoundAt  int         // which of these is marked, from 1
	Contents int         // first heading of those listed
	Names    int         // first entity of those listed
	Entities []partial.EntityItem
	Tags     []string
	Fields   []FieldRow
	Trace    *outline.Trace             // of its latest run, or nil if that was deleted
	Picture  *partial.GraphPictureProps // of what it mentions; nil without relations
	Photo    *domain.Picture            // the image itself, of a document that is one
	Dropped  []partial.DroppedRow       // what was found in it and left out, as far as it is listed
	Schemas  []partial.SchemaChoice     // to choose from
	ReadBy   SchemaScope                // whose schema guided its last reading
	Guides   int64                      // number of the version of a schema in force for it, or 0 if there is none

	Summaries []SummaryItem   // latest summaries that cover it
	Versions  templ.Component // its versions; nil for a document with one
	Readers   documents.ReadableBy
}

// AskProps is the data for the page of a conversation, or of a new one.
type AskProps struct {
	App           layout.Props
	Conversations []ConversationItem // pinned ones, then the newest first
	Find          string             // words that the list was searched for
	Conversation  domain.ConversationID
	Turns         []partial.TurnProps
	Newest        domain.RunID   // at the end of the conversation's line when the page was drawn
	Behind        bool           // the conversation has gone on elsewhere since
	Trace         *outline.Trace // of the turn that is traced, else of the last; nil for a new conversation
	Source        *partial.SourceProps
	Question      string            // filled into the field
	Reading       int               // documents in the library that are not read yet
	Waits         bool              // the question asks itself once they are read
	Problem       string            // why the last question was rejected
	Refused       string            // why the last reply to what a question asks was
	Edit          partial.EditProps // of the turn that was to be asked again, once that was refused
	Review, Hint  bool              // chosen options of the question
	Chosen        AskOptions
	Within        []partial.ScopeItem // what the next question is asked within
	MaxQuestion   int                 // code points
	Suggestions   []SampleQuestion
	Sample        bool // the suggestions are about the sample library
	Now           time.Time
	Shared        *SharedProps // nil unless others may read the conversation, or somebody shares it
	MayShare      bool         // the conversation belongs to who reads the page
}

// SharedProps describe how a conversation is shared.
type SharedProps struct {
	By     string // its maker
	Own    bool   // it belongs to who reads the page
	Answer bool   // one answer alone
	Shared time.Time
	Opened int    // how often others have opened it
	Later  int    // questions that were asked since
	Origin string // of the site
}

// A ConversationItem is one line of the list of conversations.
type ConversationItem struct {
	ID        domain.ConversationID
	Title     string
	Pinned    bool
	Match     domain.MessageID // the question that a search found; "" without one
	Matched   string           // that question
	State     string           // "answering", "nothing close", …; may be ""
	UpdatedAt time.Time
	Folder    string // its name; "" for none
	Shared    bool   // others may read it
	Chosen    bool   // its box is ticked
	By        string // whose it is, of one that is shared by somebody else
}

// RunProps is the data for a run's page.
type RunProps struct {
	App     layout.Props
	Kind    string // its title: "Answer"
	Subject string // the question, or the document's name
	URL     string // of the subject's page, or "" if there is none
	Opens   string // label of the link to it
	Began   time.Time
	Ended   time.Time // zero while it works
	Attempt int
	Trace   outline.Trace
	Asks    templ.Component // what it asks a person, or nil if nothing
	Moment  *outline.Moment // of an ended run; nil while it goes on, and once its events are gone

	Turn     RunTurn
	Branches *partial.BranchesProps // of its turn; nil where there are none
	Ends     bool                   // it can be exported
	Stops    bool                   // whoever reads the page may stop it
	Replays  bool                   // it can be replayed
	Replay   *partial.ReplayProps   // nil unless it was
}

// A RunTurn is the turn that a run answers; the zero value for other runs.
type RunTurn struct {
	Methods   string // address of the same question by every method of search
	Sentences int    // of the answer that could be supported
	Supported int
}

// LabelCount counts the entities with a label.
type LabelCount struct {
	Label string
	Count int
}

// EntityProps is the data for an entity's page.
type EntityProps struct {
	App layout.Props
	explore.About

	Says     []explore.Quote // the sentences that stand for it best
	Together []explore.Companion
	Joined   []curate.Joined // merges by rule that made others part of it
	When     string          // the time asked about, as typed
	Wrong    string          // what is wrong with it, or ""
	To       string          // the entity to which a way is looked for, as typed, or "" if there is none
	Way      explore.Way
	Picture  *partial.GraphPictureProps // of its neighbours; nil without relations
	Neo4j    string                     // its address in Neo4j Browser, or ""
}

// SettingsProps is the data for the page of settings.
type SettingsProps struct {
	App        layout.Props
	Parts      []SettingPart
	List       SettingList
	Results    []partial.CheckLine // of the models in use
	Form       ModelForm           // in the open row of a model
	Tried      []partial.CheckLine // of the model in the form
	Again      AgainProps
	Unembedded bool // the search index has no vectors of the embedding model
}

// A SettingPart is a part of the page.
type SettingPart struct {
	Title, About string
	Rows         []SettingRow
}

// A SettingRow shows a setting and changes it.
type SettingRow struct {
	ID           string // of the element
	Title        string
	Value, Note  string
	Problem      string         // why something does not work
	Care         string         // why nothing was saved, where no field is to blame
	Verb         string         // of its button; "" where it can't be changed here
	URL          string         // that the button leads to; "" opens the form in the row
	Open         bool           // the form is shown
	Model        bool           // the form is SettingsProps.Form
	Forget       string         // role whose model can be disconnected, or "" if there is none
	Focus        bool           // the form was just closed
	Fields       []SettingField // of the form
	Set, Default string         // in the list: where it is set, and the default
}

// A SettingField is a setting in a form.
type SettingField struct {
	Key, Help, Value string
	Kind             string // of the value: bool, int, float64, Duration or string
	Default          string
	Problem          string // why the value was refused
	Fixed            bool   // the environment sets it
}

// A SettingList is the list of all settings, or of those that were looked for.
type SettingList struct {
	Words  string // looked for
	Only   string // "", changed or environment
	Groups []SettingGroup
	Counts [3]int // of all settings, of those that are not their defaults, and of those that the environment sets
}

// A SettingGroup is a group of related settings.
type SettingGroup struct {
	Name    string
	Changed int // of them are not their defaults
	Open    bool
	Rows    []SettingRow
}

// A ModelForm connects a model for a role.
type ModelForm struct {
	Role, Title           string
	Others                []ServerChoice // other roles that a model can be connected for
	Servers               []ServerChoice
	Server                string // chosen; "" for none yet
	Address, Model, Embed string
	Same                  bool   // the server is that of answers
	Only                  bool   // the server has one model, and is reached without an address
	PerMinute             string // calls that the server allows; "" for any number
	TokensPerMinute       string
	WithEmbed             bool // an embedding model of the same server can be named too
	TakesKey, KeyRequired bool
	KeyKept               bool // a key is kept for the address
	Hint                  string
	Example, EmbedExample string
	Problem, ProblemAt    string   // why it was refused, and the field that is to blame, or "" if there is none
	Offered               []string // models that the server lists
	Said                  string   // about the list
}

// A ServerChoice is a kind of server.
type ServerChoice struct {
	Name, Title string
	Chosen      bool
}

// AgainProps offers to reread what was read by another model, or by none.
type AgainProps struct {
	Documents int
	Bill      string
}

// ErrorProps is the data for the page shown when a request failed.
type ErrorProps struct {
	App     layout.Props
	Status  int
	Message string // a whole sentence
	ID      string // of the request, as in the log; may be ""

	Conversation domain.ConversationID // where Question was asked; "" starts a new one
	Question     string                // a rejected question to ask again; may be ""
}

// AskOptions are further options of a question as they are in its form, "" where the usual counts, and their bounds.
type AskOptions struct {
	MaxLoops, Passages, Budget, Rerank               string
	ContextOnly                                      bool
	MostLoops, MostPassages, LeastBudget, MostBudget string
}
