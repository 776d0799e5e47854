package answer

import (
	"encoding/json"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// Writing is the state of the subgraph that writes the answer with tools.
type Writing struct {
	Asked
	Passages []domain.ChunkID `json:"passages"`           // relevant, in the order in which they were found
	Searched bool             `json:"searched,omitempty"` // the library has been searched
	Missing  []string         `json:"missing,omitempty"`  // sentences on what could not be reached

	Messages []Message `json:"messages"`
	Text     Text      `json:"text"`     // so far
	Before   int       `json:"before"`   // sentences written before it was known that a chart failed
	Sorry    bool      `json:"sorry"`    // the writer has been asked to make up for failed charts
	Answered bool      `json:"answered"` // the text draws on the library
	MS       int64     `json:"ms"`       // of writing
}

// Text is an answer's text as it stands.
type Text struct {
	Plain     string            `json:"plain"` // without marks
	Marks     []Mark            `json:"marks"`
	Citations []domain.Citation `json:"citations"`
	Remarks   []domain.Span     `json:"remarks,omitempty"` // what of Plain is about the library or the search
}

// Mark is a citation's place in a plain text.
type Mark struct {
	At int `json:"at"` // code points before it
	N  int `json:"n"`
}

// writingFields are the handles by which the subgraph's nodes write.
type writingFields struct {
	messages state.UpsertField[Writing, Message]
	text     state.ReplaceField[Writing, Text]
	before   state.ReplaceField[Writing, int]
	sorry    state.ReplaceField[Writing, bool]
	answered state.ReplaceField[Writing, bool]
	ms       state.SumField[Writing, int64]
	schema   *state.Schema[Writing]
}

// writingVersion changes with the meaning of a field.
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
		schema:   sc,
	}
}

// writing is what the subgraph begins with.
func (n *nodes) writing(s State) Writing {
	w := Writing{Asked: s.askedFor(), Searched: len(s.Retrieval) > 0, Missing: s.missing()}
	for _, d := range s.relevant() {
		w.Passages = append(w.Passages, d.Chunk)
	}
	return w
}

// written takes over what the subgraph came to.
func (n *nodes) written(s State, w Writing) state.Update[State] {
	p := openPage(w.Text, func(string, any) {})
	return state.Merge(
		n.generation.Set(p.answer()), n.sentences.Set(p.sentences()), n.citations.Set(p.citations), n.answered.Set(w.Answered),
		n.figures.Set(w.settled()), n.timings.Add(Timing{NodeGenerate, s.LoopCount, w.MS}),
	)
}

// settled are the figures of the answer.
func (w Writing) settled() []domain.Figure {
	figures := append([]domain.Figure{}, messages(w.Messages).figures()...)
	for i := range figures {
		if figures[i].Status == domain.FigureFailed {
			figures[i].Sentences = w.Before
		}
	}
	return figures
}

// TextSoFar is the text, with its marks, as it stands after an update of
// NodeModel: what a reader of a run that is taken up again has seen. It is false
// for an update of another node.
func TextSoFar(update json.RawMessage) (string, bool) {
	var u struct {
		Text *Text `json:"text"`
	}
	if json.Unmarshal(update, &u) != nil || u.Text == nil {
		return "", false
	}
	return openPage(*u.Text, nil).shown.String(), true
}
