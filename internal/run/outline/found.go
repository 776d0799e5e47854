package outline

import (
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/views/doctext"
)

// Found is what a search found for a question: quotations that no model has read, or, where a model found no
// answer, the passages that came closest.
type Found struct {
	Quoted  bool               // no model has read them
	Greets  bool               // nothing was searched: Says and Try return a greeting, or ask which document is meant
	Best    []Near             // the most likely quotation, and those tied to it by a name
	Closest []Near             // other close sentences
	Groups  []Group            // for a list or a comparison, in place of both
	Says    []string           // further sentences of the answer
	Words   []domain.AskedWord // of a question to which nothing comes close
	Try     []Try              // questions that the library can answer
	Asked   []Wording          // in order, of a question that a model did not answer
	Nearby  []string           // similar questions that the library can answer
	Rest    int                // other graded passages
	Unread  bool               // not all of these have been graded
	InPlace *InPlace           // the most likely quotation; nil if its passage is gone
}

// Passages returns how many passages are shown.
func (f *Found) Passages() int {
	return len(f.Best) + len(f.Closest) + lists.Sum(f.Groups, func(g Group) int { return len(g.Near) })
}

// A Group holds the quotations for one of several.
type Group struct {
	Name string // of the entity or the side
	Near []Near
}

// Near is a passage close to a question.
type Near struct {
	N        int // number of its citation; 0 if there is none
	Chunk    domain.ChunkID
	Document domain.DocumentID
	Span     domain.Span // of the sentence, in the document's text
	Where    string      // the name of the document's file, with the place
	Name     string      // of the document's file
	Heading  string      // above the sentence; "" if there is none
	Tie      string      // the name that ties it to the most likely quotation; "" if there is none
	Text     []Piece     // of a quotation, its decisive words marked
	Deleted  bool
	Said     string  // its grade in words; "" for a quotation
	Reason   string  // why it does not answer the question; "" if unknown
	Excerpt  []Piece // the sentence, marked, with its neighbours
	Table    *Table  // in place of the excerpt
	Web      string  // address of its web page; "" for a document
}

// Sentence returns the words that were found, in one line.
func (n Near) Sentence() string {
	var words []string
	for _, piece := range n.Excerpt {
		if piece.Marked {
			words = append(words, piece.Text)
		}
	}
	if n.Table != nil {
		for _, r := range n.Table.Rows {
			for _, c := range r.Cells {
				if r.On {
					words = append(words, c.Text)
				}
			}
		}
	}
	return domain.OneLine(strings.Join(words, " "))
}

// A Table is some rows of a table.
type Table struct {
	Head []Cell // empty if the table has none
	Rows []Row
}

// A Row is a row of a table.
type Row struct {
	On    bool // it is the one that was found
	Cells []Cell
}

// A Cell is a cell of a table, marked if it was found.
type Cell struct {
	Text string
	On   bool
}

// A Piece is a piece of a text.
type Piece struct {
	Text   string
	Marked bool
}

// Try is a suggested question and its topic.
type Try struct{ Text, Note string }

// A Wording is one that was searched for.
type Wording struct {
	Text             string
	Graded, Relevant int // passages
}

// InPlace is a quotation in its place, beside the answer.
type InPlace struct {
	N        int
	Name     string // of the document's file
	Heading  string // above the quotation; "" if there is none
	Document domain.DocumentID
	Text     domain.Text       // of the passage
	At       int               // where the passage begins in the document's text
	Window   domain.Span       // of Text
	Span     domain.Span       // of the quotation in Text
	Table    *Table            // in place of the text
	Mentions []doctext.Mention // in the document's text
}
