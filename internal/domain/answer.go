package domain

import "time"

// A Verdict is a grader's judgement of a passage.
type Verdict string

// The verdicts. Ungraded stands for a failed attempt and counts as not relevant.
const (
	Relevant   Verdict = "yes"
	Irrelevant Verdict = "no"
	Ungraded   Verdict = "ungraded"
)

// A Grade is a verdict with its reason in one line.
type Grade struct {
	Verdict Verdict  `json:"grade"`
	Reason  string   `json:"reason"`
	Nearest *Nearest `json:"nearest,omitempty"` // on which the grade rests if no model gave it
}

// Said returns the verdict in plain words; a passage that no model judged is near or far. It returns "" for no verdict.
func (g Grade) Said() string {
	switch {
	case g.Verdict == "":
		return ""
	case g.Verdict == Ungraded:
		return "not judged"
	case g.Nearest != nil && g.Verdict == Relevant:
		return "near"
	case g.Nearest != nil:
		return "far"
	case g.Verdict == Relevant:
		return "relevant"
	}
	return "not relevant"
}

// Nearest is the sentence of a passage that comes nearest to a question. A passage
// whose nearest sentence is near enough counts as relevant.
type Nearest struct {
	Span  Span    `json:"span"`  // in the document's text
	Score float64 `json:"score"` // from 0 to 1
}

// A Hop is one link of the path from a question to a passage: from the question,
// or from the passage before, over a name.
type Hop struct {
	Entity EntityID `json:"entity,omitempty"`
	Name   string   `json:"name"`             // the entity's name as shown
	From   ChunkID  `json:"from,omitempty"`   // the passage that the hop starts from; "" for the question
	Method string   `json:"method,omitempty"` // how the hop was made: "name", "mention", "title", "relation"
}

// A Citation ties a sentence of an answer to the characters of a document that
// support it. Text is exactly the stored characters of Span.
type Citation struct {
	N          int        `json:"n"` // as printed, from 1
	Document   string     `json:"document"`
	DocumentID DocumentID `json:"document_id"`
	Version    int        `json:"version,omitempty"` // of the document, from 0
	Chunk      ChunkID    `json:"chunk"`
	Page       int        `json:"page"`
	Place      string     `json:"place,omitempty"` // set if the page number does not say it, for instance "Slide 3" or "Pages 3–4"
	Span       Span       `json:"span"`
	Text       string     `json:"text"`

	// For a quotation that no model has read, see Sentence.Quote.
	Marks []Span `json:"marks,omitempty"` // its decisive words, in the document's text
	Close bool   `json:"close,omitempty"` // near the question, but not the nearest
	Tie   string `json:"tie,omitempty"`   // the name that ties it to the nearest, if both belong to a chain

	Web WebPage `json:"web,omitzero"` // that it quotes; zero for a document in the library
}

// OfWeb reports whether the citation quotes a web page instead of a document of the library.
func (c Citation) OfWeb() bool { return c.Web.Address != "" }

// A WebPage is the source of something read outside of the library. The zero WebPage stands for the library.
type WebPage struct {
	Address string    `json:"address"`
	Fetched time.Time `json:"fetched"`
}

// Where names the document with the page or the place of the citation.
func (c Citation) Where() string { return Where(c.Document, c.Page, c.Place) }

// A Sentence is one sentence of an answer with its citations.
type Sentence struct {
	Text      string `json:"text"`      // without citation marks
	Citations []int  `json:"citations"` // numbers of the citations that support it
	Supported bool   `json:"supported"`
	Reason    string `json:"reason,omitempty"` // why it is not supported, if known
	Paragraph int    `json:"paragraph"`        // from 0
	Remark    bool   `json:"remark,omitempty"` // about the library or the search, not from a document
	Quote     bool   `json:"quote,omitempty"`  // the words of its source, found but not judged
}
