// Package page has one file per screen. Each XxxPage takes an XxxProps and draws the whole page in its
// layout.
package page

import (
	"net/url"
	"time"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/ledger"
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
	Questions       []partial.TryProps
}

// DeskProps is the data for the home page of a library with documents.
type DeskProps struct {
	App         layout.Props
	Upload      partial.UploadProps
	Relations   int
	MaxQuestion int
	Now         time.Time

	Recent        []RecentItem
	Conversations int // total

	Questions []partial.TryProps
	Others    int  // the next round of questions; 0 if there is none
	Turned    bool // these are not the first questions

	Reading int                        // unread documents
	Rows    []partial.DocumentRowProps // the first of them
	Pairs   int                        // of names that may be the same
	Alike   []string                   // the first pair; empty if unknown
	Gone    int                        // documents no longer where they came from
	ToCheck int                        // documents that failed, were stopped, or have nothing for the graph
	Look    []partial.DocumentRowProps // the first of them
}

// A RecentItem is a conversation with its last question and the outcome.
type RecentItem struct {
	URL      string
	Question string
	Answer   string // its beginning; "" until there is one
	Mark     string // drawing of the verdict
	Verdict  string
	At       time.Time
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
	First          int    // number of documents before the first row
	Previous, Next string // neighbouring pages; "" if there is none
}

// HeldProps sum up the documents that wait for a yes to their bill.
type HeldProps struct {
	Count   int
	Said    string // cost of reading them
	Warning string // the cap that this would reach; "" if none
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

	ActPause  = "pause" // these four only if some are waiting or being read
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

// ChosenProps is the data for the page that previews an action on chosen documents.
type ChosenProps struct {
	App     layout.Props
	Act     string                 // ActTag, ActAgain, ActLimit or ActDelete
	Count   int                    // of the documents
	Names   []string               // of the first documents
	Fields  url.Values             // for choosing them again
	Toll    ledger.Toll            // for ActDelete
	Undo    time.Duration          // how long a deletion can be undone
	Bill    string                 // for ActAgain
	Warning string                 // the cap that the bill would reach; "" if none
	Readers []partial.ReaderChoice // for ActLimit
	Choose  []domain.Field         // for ActSet
	URL     string                 // address that the form posts to
	Back    string
}

// DocumentProps is the data for a document's page.
type DocumentProps struct {
	App      layout.Props
	Row      partial.DocumentRowProps
	Text     domain.Text // zero until it is parsed
	Mentions []doctext.Mention
	Hit      domain.Span // characters to mark; empty for none
	At       int         // code point where a long text begins if Hit is empty
	Before   int         // code point where it ends instead; 0 if none
	Find     string      // words searched for in the text
	Found    int         // number of places with these words
	FoundAt  int         // the marked place, from 1
	Contents int         // first listed heading
	Names    int         // first listed entity
	Entities []partial.EntityItem
	Tags     []string
	Fields   []FieldRow
	Trace    *outline.Trace             // of its latest run; nil if that was deleted
	Picture  *partial.GraphPictureProps // drawing of its entities; nil if they have no relations
	Photo    *domain.Picture            // the image, if the document is one
	Dropped  []partial.DroppedRow       // found in it but left out; only listed ones
	Schemas  []partial.SchemaChoice     // to choose from
	ReadBy   SchemaScope                // scope whose schema guided its last reading
	Guides   int64                      // number of its current schema version; 0 if there is none

	Summaries []SummaryItem   // latest summaries that cover it
	Versions  templ.Component // nil if the document has only one
	Readers   documents.ReadableBy
}

// AskProps is the data for the page of a conversation, or of a new one.
type AskProps struct {
	App           layout.Props
	Conversations []ConversationItem // pinned ones first, then newest first
	Find          string             // words that the list was searched for
	Conversation  domain.ConversationID
	Turns         []partial.TurnProps
	Newest        domain.RunID   // last in the conversation's line when the page was drawn
	Behind        bool           // the conversation has since continued elsewhere
	Trace         *outline.Trace // of the traced turn, or the last one; nil for a new conversation
	Source        *partial.SourceProps
	Question      string            // filled into the field
	Reading       int               // unread documents in the library
	Waits         bool              // the question is asked automatically once they are read
	Problem       string            // why the last question was rejected
	Refused       string            // why the last reply to a run's question was rejected
	Edit          partial.EditProps // of the turn to be asked again, if that was rejected
	Review, Hint  bool              // chosen options of the question
	Chosen        AskOptions
	Within        []partial.ScopeItem // scope of the next question
	MaxQuestion   int                 // code points
	Suggestions   []partial.TryProps
	Sample        bool // the suggestions are about the sample library
	Now           time.Time
	Shared        *SharedProps // nil unless the reader or somebody else shares the conversation
	MayShare      bool         // the conversation belongs to the reader of the page
}

// SharedProps describe how a conversation is shared.
type SharedProps struct {
	By     string // its maker
	Own    bool   // it belongs to the reader of the page
	Answer bool   // only one answer
	Shared time.Time
	Opened int    // how often others have opened it
	Later  int    // questions asked since
	Origin string // of the site
}

// A ConversationItem is one line of the list of conversations.
type ConversationItem struct {
	ID        domain.ConversationID
	Title     string
	Pinned    bool
	Match     domain.MessageID // the question found by a search; "" without one
	Matched   string           // the text of that question
	State     string           // "answering", "nothing close", …; may be ""
	UpdatedAt time.Time
	Folder    string // its name; "" if there is none
	Shared    bool   // others may read it
	Chosen    bool   // its box is ticked
	By        string // owner of one that somebody else shares
}

// RunProps is the data for a run's page.
type RunProps struct {
	App     layout.Props
	Kind    string // its title: "Answer"
	Subject string // the question, or the document's name
	URL     string // of the subject's page; "" if there is none
	Opens   string // label of the link to it
	Began   time.Time
	Ended   time.Time // zero while it works
	Attempt int
	Trace   outline.Trace
	Asks    templ.Component // its question for a person; may be nil
	Moment  *outline.Moment // of an ended run; nil while it is going on or once its events are gone

	Turn     RunTurn
	Branches *partial.BranchesProps // of its turn; nil if there are none
	Ends     bool                   // it can be exported
	Stops    bool                   // the reader of the page may stop it
	Replays  bool                   // it can be replayed
	Replay   *partial.ReplayProps   // nil unless it was replayed
}

// A RunTurn is the turn that a run answers; the zero value for other runs.
type RunTurn struct {
	Methods   string // address of the same question with every method of search
	Sentences int    // supported ones in the answer
	Supported int
}

// EntityProps is the data for an entity's page.
type EntityProps struct {
	App layout.Props
	explore.About

	Says     []explore.Quote // the sentences that represent it best
	Together []explore.Companion
	Joined   []curate.Joined // merges by rule that made others part of it
	When     string          // the requested time, as typed
	Wrong    string          // its problem; may be ""
	To       string          // the entity to search a path to, as typed; "" if there is none
	Way      explore.Way
	Picture  *partial.GraphPictureProps // drawing of its neighbours; nil if it has no relations
	Neo4j    string                     // its address in Neo4j Browser; may be ""
}

// SettingsProps is the data for the page of settings.
type SettingsProps struct {
	App        layout.Props
	Parts      []SettingPart
	List       SettingList
	Results    []partial.CheckLine // for the current models
	Form       ModelForm           // in the open row of a model
	Tried      []partial.CheckLine // for the model in the form
	Again      AgainProps
	Unembedded bool // the search index has no vectors from the embedding model
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
	Care         string         // why nothing was saved, if it is not because of a field
	Verb         string         // of its button; "" if it can't be changed here
	URL          string         // address that the button opens; "" opens the form in the row
	Open         bool           // the form is shown
	Model        bool           // the form is SettingsProps.Form
	Forget       string         // role whose model can be disconnected; "" if there is none
	Focus        bool           // the form was just closed
	Fields       []SettingField // in the form
	Set, Default string         // in the list: the place where it is set, and the default
}

// A SettingField is a setting in a form.
type SettingField struct {
	Key, Help, Value string
	Kind             string // of the value: bool, int, float64, Duration or string
	Default          string
	Problem          string // why the value was rejected
	Fixed            bool   // set by the environment
}

// A SettingList is the list of all settings, or of those that were looked for.
type SettingList struct {
	Words  string // searched for
	Only   string // "", changed or environment
	Groups []SettingGroup
	Counts [3]int // of all settings, of those with other values than the default, and of those set by the environment
}

// A SettingGroup is a group of related settings.
type SettingGroup struct {
	Name    string
	Changed int // how many of them differ from the default
	Open    bool
	Rows    []SettingRow
}

// A ModelForm connects a model for a role.
type ModelForm struct {
	Role, Title           string
	Others                []ServerChoice // other roles that a model can be connected for
	Servers               []ServerChoice
	Server                string // chosen one; "" if there is none yet
	Address, Model, Embed string
	Same                  bool   // the server is also used for answers
	Only                  bool   // the server has only one model, and needs no address
	PerMinute             string // calls that the server allows; "" for no limit
	TokensPerMinute       string
	WithEmbed             bool // an embedding model on the same server can also be named
	TakesKey, KeyRequired bool
	KeyKept               bool // a key is kept for the address
	Hint                  string
	Example, EmbedExample string
	Problem, ProblemAt    string   // why it was rejected, and the field responsible; "" if there is none
	Offered               []string // models listed by the server
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
