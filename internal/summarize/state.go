package summarize

import (
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// State is what the graph knows of a summary.
type State struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Run       domain.RunID       `json:"run,omitempty"`
	Salt      string             `json:"salt,omitempty"`

	Documents    []domain.DocumentID `json:"documents"` // in the order in which they are told
	Focus        string              `json:"focus"`
	Length       Length              `json:"length"`
	MaxCollapses int                 `json:"max_collapses"` // rounds at most; 0 lets the recursion limit say
	Review       bool                `json:"review"`        // a person looks at the collapsed summaries

	Read      []Read            `json:"read"`
	Contents  []Part            `json:"contents"`
	Summaries []Summary         `json:"summaries"` // one a part, in their order
	Collapsed []Summary         `json:"collapsed_summaries"`
	Rounds    int               `json:"rounds"` // of collapsing so far
	Final     string            `json:"final_summary"`
	Condensed bool              `json:"condensed"` // what the final summary was made of was short enough
	Sentences []domain.Sentence `json:"sentences"`
	Citations []domain.Citation `json:"citations"`
	Warnings  []string          `json:"warnings"`
}

// Length is how long a summary is to be.
type Length string

// The lengths.
const (
	Short  Length = "short"
	Medium Length = "medium"
	Long   Length = "long"
)

// Known reports whether l is one of the lengths.
func (l Length) Known() bool { return l == Short || l == Medium || l == Long }

// Part is a stretch of a document that is summarised by itself.
type Part struct {
	N        int               `json:"n"` // from 1, over all documents
	Document domain.DocumentID `json:"document_id"`
	Span     domain.Span       `json:"span"`
	Page     int               `json:"page,omitempty"`
}

// Read says which text of a document was cut into parts.
type Read struct {
	Document domain.DocumentID `json:"document_id"`
	Hash     string            `json:"hash"` // of the text
}

// Summary is the account of one or more parts.
type Summary struct {
	Lines   []Line `json:"lines"`
	Tokens  int    `json:"tokens"`
	Part    int    `json:"part,omitempty"`    // of a first summary: the part's number
	Problem string `json:"problem,omitempty"` // why the part could not be summarised
}

// Line is one sentence of a summary.
type Line struct {
	Text      string       `json:"text"`
	Parts     []int        `json:"parts"`               // that it was drawn from, by number
	Paragraph int          `json:"paragraph,omitempty"` // from 0
	Span      *domain.Span `json:"span,omitempty"`      // in the document of its one part, when it stands there word for word
}

// fields are the handles by which nodes write the state.
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

// asked is what whoever summarises is told.
func (s State) asked() Asked {
	return Asked{Workspace: s.Workspace, Run: s.Run, Salt: s.Salt, Focus: s.Focus, Length: s.Length}
}

// tokens is the length of several summaries together.
func tokens(list []Summary) int {
	sum := 0
	for _, s := range list {
		sum += s.Tokens
	}
	return sum
}
