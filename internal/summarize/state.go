package summarize

import (
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// State is the state of a summary run.
type State struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Run       domain.RunID       `json:"run,omitempty"`
	Salt      string             `json:"salt,omitempty"`
	Prompts   int                `json:"prompts,omitempty"` // pin of the prompt's text, see prompts.Book

	Documents    []domain.DocumentID `json:"documents"` // in the order of the summary
	Focus        string              `json:"focus"`
	Length       Length              `json:"length"`
	MaxCollapses int                 `json:"max_collapses"` // 0 for no limit but the recursion limit
	Review       bool                `json:"review"`        // a person edits the collapsed summaries

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
	N        int               `json:"n"` // from 1, over all documents
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
	Cut       string     `json:"cut,omitempty"`     // why it is not whole
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
	sum := 0
	for _, s := range list {
		sum += s.Tokens
	}
	return sum
}
