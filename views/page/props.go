// Package page holds one file a screen. XxxPage takes one XxxProps and draws
// the whole page in its layout.
package page

import (
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/partial"
	"github.com/clewhq/clew/views/sheet"
)

// HomeProps are the first page.
type HomeProps struct {
	App             layout.Props
	Upload          partial.UploadProps
	SampleDocuments int  // how many the sample library has
	SampleLoaded    bool // it is in the library already
	Questions       []SampleQuestion
}

// SampleQuestion is a question to try.
type SampleQuestion struct {
	Text string
	Note string // for instance "2 documents" or "not in the library"
}

// DocumentsProps are the list of documents.
type DocumentsProps struct {
	App    layout.Props
	Upload partial.UploadProps
	Counts partial.CountsProps // Tab, Query and Tag say what is selected
	Tags   []TagCount          // of all documents
	Rows   []partial.DocumentRowProps
	Pager  Pager
}

// TagCount says how many documents have a tag.
type TagCount struct {
	Tag   string
	Count int
}

// Pager is a place in a list that is longer than a page.
type Pager struct {
	Offset, Limit, Total int
}

// DeleteProps ask whether to delete a document.
type DeleteProps struct {
	App      layout.Props
	Document domain.Document
	Entities int // that nobody else contributes to, and go with it; -1 when not known
}

// DocumentProps are a document's page.
type DocumentProps struct {
	App      layout.Props
	Row      partial.DocumentRowProps
	Text     domain.Text // zero before it was parsed
	Mentions []sheet.Mention
	Hit      domain.Span // characters to mark; empty for none
	At       int         // code point from which a very long text is shown, when nothing is to be marked
	Entities []partial.EntityItem
	Tags     []string
	Trace    *partial.TraceProps // of its latest run; nil when that is gone

	Summaries []SummaryItem // the latest that it is in
}

// AskProps are the page of a conversation, or of a new one.
type AskProps struct {
	App           layout.Props
	Conversations []ConversationItem // newest first
	Conversation  domain.ConversationID
	Turns         []partial.TurnProps
	Trace         *partial.TraceProps // of the last turn; nil for a new conversation
	Source        *partial.SourceProps
	Question      string // in the field already
	Problem       string // why the last question was not taken
	MaxQuestion   int    // code points
	Suggestions   []SampleQuestion
	Now           time.Time
}

// ConversationItem is one line of the list of conversations.
type ConversationItem struct {
	ID        domain.ConversationID
	Title     string
	State     string // "answering", "nothing found", …; "" for none
	UpdatedAt time.Time
}

// RunProps are a run's page.
type RunProps struct {
	App     layout.Props
	Kind    string // its title: "Answer"
	Subject string // the question, or the document's name
	URL     string // of the subject's page; "" when there is none
	Opens   string // labels the link to it
	Began   time.Time
	Ended   time.Time // zero while it works
	Attempt int
	Trace   partial.TraceProps
}

// RunsProps are the list of runs.
type RunsProps struct {
	App   layout.Props
	Kind  string // the chosen one's name; "" for all
	Kinds []RunKind
	Items []RunItem
	Pager Pager
}

// RunKind is one choice of the list of runs.
type RunKind struct{ Title, Name string }

// RunItem is one line of the list of runs.
type RunItem struct {
	ID      domain.RunID
	Kind    string // its title
	Subject string
	Status  string // "waiting", "running", "done", "failed" or "stopped"
	Problem string
	Began   time.Time
	Took    time.Duration
	Asks    bool   // it waits for a person
	URL     string // where that is done
}

// EntitiesProps are the list of entities.
type EntitiesProps struct {
	App    layout.Props
	Query  string
	Label  string       // selected; "" for all
	Labels []LabelCount // all labels of the library
	Items  []EntityRow
	Pager  Pager
}

// LabelCount says how many entities have a label.
type LabelCount struct {
	Label string
	Count int
}

// EntityRow is one line of the list of entities.
type EntityRow struct {
	ID                             domain.EntityID
	Label, Name                    string
	Aliases                        []string
	Mentions, Documents, Relations int
}

// EntityProps are an entity's page.
type EntityProps struct {
	App      layout.Props
	Entity   domain.Entity
	Out, In  []RelationRow // relations from it and to it
	Passages []PassageItem // that name it
	More     int           // passages that are not listed
	Sources  []SourceItem  // documents that name it
	Way      Way
}

// Way is how an entity is connected with another one that was asked for.
type Way struct {
	To    string             // as asked; "" when nothing was
	Other partial.EntityItem // who that is; zero when nobody is called like that
	Also  []partial.EntityItem
	Hops  []Hop
	Cut   bool // there was more to look at than a search may

	Longest, Most int // the hops that a way may have, and the relations that a search looks at
}

// Hop is one relation of a way.
type Hop struct {
	RelationRow
	Back bool // it points from Other to the entity before
}

// RelationRow is one relation to another entity.
type RelationRow struct {
	ID       domain.RelationID
	Entity   domain.EntityID // whose row it is
	Type     string          // as stored, for instance "WORKS_FOR"
	Other    partial.EntityItem
	Evidence int    // sentences that state it
	URL      string // of the first of them
}

// PassageItem is a passage with the characters that matter marked.
type PassageItem struct {
	Chunk    domain.ChunkID
	Document domain.DocumentID
	Name     string // of the file
	Page     int
	Text     string        // what is shown
	Marks    []domain.Span // in code points of Text
	URL      string
}

// SourceItem is a document by name.
type SourceItem struct {
	ID    domain.DocumentID
	Name  string
	Count int // mentions in it
}

// SettingsProps are the page that says what is configured.
type SettingsProps struct {
	App      layout.Props
	Groups   []SettingGroup
	Provider string // "" for the built-in mode
	Tested   bool
	Results  []partial.CheckLine
}

// SettingGroup is a set of settings that belong together.
type SettingGroup struct {
	Name  string
	Items []Setting
}

// Setting is one setting as it is in force.
type Setting struct {
	Key, Value, Help string // Value is masked where it is secret
	Default          bool   // Value is what holds when nothing is set
}

// LoginProps are the page to sign in.
type LoginProps struct {
	App     layout.Props
	Name    string
	Next    string // page to go to afterwards
	Problem string
}

// ErrorProps are the page shown in place of another when that failed.
type ErrorProps struct {
	App     layout.Props
	Status  int
	Message string // a whole sentence
	ID      string // of the request, as the log has it; may be ""

	Conversation domain.ConversationID // where Question was asked; "" begins a new one
	Question     string                // one that could not be taken in, to be asked again; may be ""
}
