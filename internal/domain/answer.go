package domain

// Verdict is what a grader says of a passage.
type Verdict string

// The verdicts. Ungraded means that no verdict could be had, and counts as
// not relevant.
const (
	Relevant   Verdict = "yes"
	Irrelevant Verdict = "no"
	Ungraded   Verdict = "ungraded"
)

// Grade is a verdict with its reason in one line.
type Grade struct {
	Verdict Verdict `json:"grade"`
	Reason  string  `json:"reason"`
}

// Hop is one link of the path that brought a passage to a question: from the
// question, or from the passage before, over a name.
type Hop struct {
	Entity EntityID `json:"entity,omitempty"`
	Name   string   `json:"name"`             // the entity's name as shown
	From   ChunkID  `json:"from,omitempty"`   // the passage the hop left; "" when it left the question
	Method string   `json:"method,omitempty"` // how the hop was made: "name", "mention", "title", "relation"
}

// Citation ties a place in an answer to the characters of a source that it
// relies on. Text is exactly the stored characters of Span.
type Citation struct {
	N          int        `json:"n"` // as printed, from 1
	Document   string     `json:"document"`
	DocumentID DocumentID `json:"document_id"`
	Chunk      ChunkID    `json:"chunk"`
	Page       int        `json:"page"`
	Span       Span       `json:"span"`
	Text       string     `json:"text"`
}

// Sentence is one sentence of an answer with what supports it.
type Sentence struct {
	Text      string `json:"text"`      // without citation marks
	Citations []int  `json:"citations"` // numbers of the citations that support it
	Supported bool   `json:"supported"`
	Paragraph int    `json:"paragraph"`        // from 0
	Remark    bool   `json:"remark,omitempty"` // about the library or the search, not from a source
}
