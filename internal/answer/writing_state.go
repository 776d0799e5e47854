package answer

import (
	"encoding/json"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// Writing is the state of the subgraph that writes the answer.
type Writing struct {
	Asked
	Passages []domain.ChunkID    `json:"passages"`           // relevant, in the order found
	Survey   *Survey             `json:"survey,omitempty"`   // of a question about the whole
	Searched bool                `json:"searched,omitempty"` // the library has been searched
	Found    int                 `json:"found,omitempty"`    // passages, relevant or not
	Within   []domain.DocumentID `json:"within,omitempty"`   // the only documents searched
	Scoped   bool                `json:"scoped,omitempty"`   // only a part of the library was asked
	Nowhere  bool                `json:"nowhere,omitempty"`  // that part has no document
	Missing  []string            `json:"missing,omitempty"`  // sentences about unavailable stores
	Steps    []Step              `json:"steps,omitempty"`    // settled ones
	Budget   Budget              `json:"budget,omitzero"`
	Spent    int64               `json:"spent,omitempty"`   // of the budget
	Stopped  bool                `json:"stopped,omitempty"` // the budget was used up before

	Messages []Message `json:"messages"`
	Text     Text      `json:"text"`               // so far
	Before   int       `json:"before"`             // sentences written before the apology
	Sorry    bool      `json:"sorry"`              // the writer was asked to make up for failed charts
	Answered bool      `json:"answered"`           // from the library
	MS       int64     `json:"ms" volatile:"true"` // of writing
}

// Text is the text of an answer so far.
type Text struct {
	Plain     string            `json:"plain"` // without marks
	Marks     []Mark            `json:"marks"`
	Citations []domain.Citation `json:"citations"`
	Remarks   []domain.Span     `json:"remarks,omitempty"` // spans of Plain about the library or the search
	Quotes    []domain.Span     `json:"quotes,omitempty"`  // spans of Plain that are quotations
}

// Mark is a citation in a plain text.
type Mark struct {
	At int `json:"at"` // code points before it
	N  int `json:"n"`
}

// writingFields holds the handles for writing the state.
type writingFields struct {
	messages state.UpsertField[Writing, Message]
	text     state.ReplaceField[Writing, Text]
	before   state.ReplaceField[Writing, int]
	sorry    state.ReplaceField[Writing, bool]
	answered state.ReplaceField[Writing, bool]
	ms       state.SumField[Writing, int64]
	spent    state.SumField[Writing, int64]
	schema   *state.Schema[Writing]
}

// writingVersion must change when a field changes its name or meaning.
const writingVersion = 1

func newWritingFields() writingFields {
	sc := state.NewSchema[Writing](writingVersion)
	return writingFields{
		messages: state.Upsert(sc, "messages", func(w *Writing) *[]Message { return &w.Messages }, Message.key),
		text:     state.Replace(sc, "text", func(w *Writing) *Text { return &w.Text }),
		before:   state.Replace(sc, "before", func(w *Writing) *int { return &w.Before }),
		sorry:    state.Replace(sc, "sorry", func(w *Writing) *bool { return &w.Sorry }),
		answered: state.Replace(sc, "answered", func(w *Writing) *bool { return &w.Answered }),
		ms:       state.Sum(sc, "ms", func(w *Writing) *int64 { return &w.MS }),
		spent:    state.Sum(sc, "spent", func(w *Writing) *int64 { return &w.Spent }),
		schema:   sc,
	}
}

// startWriting returns the first state of the subgraph.
func (n *nodes) startWriting(s State) Writing {
	w := Writing{Asked: s.asked(), Survey: s.Survey, Searched: len(s.Retrieval) > 0 || s.Survey != nil, Found: len(s.Documents), Missing: s.missing(), Passages: chunks(s.relevant()), Steps: s.settled(), Budget: s.Budget, Spent: s.Spent, Stopped: s.overBudget()}
	w.Scoped, w.Nowhere, w.Within = s.UserContext.Scope != nil, s.UserContext.nowhere(), s.UserContext.Within
	return w
}

// written returns the update with the subgraph's answer.
func (n *nodes) written(s State, w Writing) state.Update[State] {
	c := resumeComposer(w.Text, nil)
	return state.Merge(
		n.generation.Set(c.answer()), n.sentences.Set(c.sentences()), n.citations.Set(c.citations), n.answered.Set(w.Answered),
		n.figures.Set(w.figures()), n.timings.Add(Timing{NodeGenerate, s.LoopCount, w.MS}),
		n.spent.Add(w.Spent-s.Spent),
	)
}

// figures returns the figures of the answer.
func (w Writing) figures() []domain.Figure {
	figures := append([]domain.Figure{}, messages(w.Messages).figures()...)
	for i := range figures {
		if figures[i].Status == domain.FigureFailed {
			figures[i].Sentences = w.Before
		}
	}
	return figures
}

// TextSoFar returns the text, with marks, after an update of NodeModel: what the
// reader of a resumed run has seen. It returns false for updates of other nodes.
func TextSoFar(update json.RawMessage) (string, bool) {
	var u struct {
		Text *Text `json:"text"`
	}
	if json.Unmarshal(update, &u) != nil || u.Text == nil {
		return "", false
	}
	return resumeComposer(*u.Text, nil).marked.String(), true
}
