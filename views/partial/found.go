package partial

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/doctext"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/worddiff"
)

// FoundProps hold what a search found for a question: quotations that no model has read, or, where a model found no
// answer, the passages that came closest.
type FoundProps struct {
	Quoted  bool               // no model has read them
	Greets  bool               // nothing was searched: Says and Try return a greeting
	Best    []NearProps        // the most likely quotation, and those that are tied to it by a name
	Closest []NearProps        // what is close besides
	Groups  []GroupProps       // in place of both, of a list or a comparison
	Says    []string           // what else the answer says
	Words   []domain.AskedWord // of a question that nothing comes near
	Try     []TryProps         // questions that the library answers
	Asked   []WordingProps     // in order, of a question that a model did not answer
	Nearby  []string           // questions about the same that the library answers
	Rest    int                // passages graded besides
	Unread  bool               // not all of these are graded
	InPlace *InPlaceProps      // the most likely quotation; nil if its passage is gone
}

// GroupProps are quotations for one of several.
type GroupProps struct {
	Name string // of the entity or the side
	Near []NearProps
}

// NearProps are a passage that comes close to a question.
type NearProps struct {
	N        int // number of its citation, 0 for none
	Chunk    domain.ChunkID
	Document domain.DocumentID
	Span     domain.Span  // of the sentence, in the document's text
	Where    string       // the name of the document's file, with the place
	Name     string       // of the document's file
	Heading  string       // above the sentence, "" for none
	Tie      string       // the name that ties it to the most likely quotation, "" for none
	Text     []PieceProps // of a quotation, its decisive words marked
	Deleted  bool
	URL      string       // of the passage in its document, where it is not cited
	Said     string       // its grade in words; "" for a quotation
	Reason   string       // why it does not answer; "" if unknown
	Excerpt  []PieceProps // the sentence, marked, with its neighbours
	Table    *TableProps  // in place of the excerpt
}

// TableProps are some rows of a table.
type TableProps struct {
	Head []CellProps // empty if the table has none
	Rows []RowProps
}

// RowProps are a row of a table.
type RowProps struct {
	On    bool // it is the one that was found
	Cells []CellProps
}

// CellProps are a cell of a table, marked if it was found.
type CellProps struct {
	Text string
	On   bool
}

// PieceProps is a piece of a text.
type PieceProps struct {
	Text   string
	Marked bool
}

// TryProps are a question to try, with what it is about.
type TryProps struct{ Text, Note string }

// WordingProps is a wording that was searched for.
type WordingProps struct {
	Text             string
	Graded, Relevant int // passages
}

// InPlaceProps show a quotation in its place, beside the answer.
type InPlaceProps struct {
	Run      domain.RunID
	N        int
	Name     string // of the document's file
	Heading  string // above the quotation, "" for none
	Document domain.DocumentID
	URL      string            // of the whole source
	Text     domain.Text       // of the passage
	At       int               // where the passage begins in the document's text
	Window   domain.Span       // of Text
	Span     domain.Span       // of the quotation in Text
	Table    *TableProps       // in place of the text
	Mentions []doctext.Mention // in the document's text
}

// Cut returns the text around the quotation.
func (p InPlaceProps) Cut() doctext.Cut {
	here := onceEach(p.Mentions, p.Window.Shift(p.At))
	for i := range here {
		here[i].Span = here[i].Span.Shift(-p.At)
	}
	return doctext.New(p.Text, here, p.Span, p.Window)
}

// InPlaceID is the id of the part that shows the most likely quotation of a run in its place.
func InPlaceID(run domain.RunID) string { return "inplace-" + string(run) }

// under says what the passage stands under.
func (p NearProps) under() string {
	switch {
	case p.Table == nil:
		return p.Heading
	case p.Heading == "":
		return "A table"
	}
	return p.Heading + ", a table"
}

// Sentence returns the words that were found, in one line.
func (p NearProps) Sentence() string {
	var words []string
	for _, piece := range p.Excerpt {
		if piece.Marked {
			words = append(words, piece.Text)
		}
	}
	if p.Table != nil {
		for _, r := range p.Table.Rows {
			for _, c := range r.Cells {
				if r.On {
					words = append(words, c.Text)
				}
			}
		}
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// letter marks the nth of the closest passages.
func letter(n int) string { return string(rune('a' + n)) }

func (p FoundProps) rest() string {
	said := format.Count(p.Rest, "more passage", "more passages")
	switch {
	case p.Unread:
		return said + ", none of them relevant"
	case p.Rest == 1:
		return said + ", not relevant"
	}
	return said + ", none relevant"
}

// came leaves out what went. What follows it then stands behind a word that stayed.
func came(parts []worddiff.Part) []worddiff.Part {
	return slices.DeleteFunc(parts, func(p worddiff.Part) bool { return p.Kind == worddiff.Gone })
}

func (w WordingProps) graded() string { return fmt.Sprintf("%d of %d", w.Relevant, w.Graded) }

// meant returns the words of the library that a question seems to mean.
func (p FoundProps) meant() (words []string) {
	for _, w := range p.Words {
		if w.Documents == 0 && w.Meant != "" {
			words = append(words, "“"+w.Meant+"”")
		}
	}
	return words
}

// asksWith is what the button says that asks with these words.
func (p FoundProps) asksWith() string { return "Ask with " + strings.Join(p.meant(), " and ") }

// offers reports whether the nth word is the first of those.
func (p FoundProps) offers(n int) bool {
	return n == slices.IndexFunc(p.Words, func(w domain.AskedWord) bool { return w.Documents == 0 && w.Meant != "" })
}

// mended returns the question with the words that it seems to mean.
func (p FoundProps) mended(question string) string {
	for _, w := range p.Words {
		if w.Documents == 0 && w.Meant != "" {
			question = replaced(question, w.Text, w.Meant)
		}
	}
	return question
}

// replaced puts a word in the place of another, wherever that stands as a whole word.
func replaced(text, word, by string) string {
	var out strings.Builder
	for {
		at := strings.Index(text, word)
		if at < 0 || word == "" {
			return out.String() + text
		}
		end := at + len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if unicode.IsLetter(before) || unicode.IsLetter(after) {
			out.WriteString(text[:end])
		} else {
			out.WriteString(text[:at] + by)
		}
		text = text[end:]
	}
}

// common says of a word that the library has why it did not do.
func common(w domain.AskedWord) string {
	said := "in " + format.Count(w.Documents, "document", "documents")
	if w.Documents > 2 {
		return said + ", too common to go by alone"
	}
	return said + ", not enough to go by alone"
}

// meantIn says in how many documents the word is that seems to be meant.
func meantIn(w domain.AskedWord) string {
	if w.MeantIn == 0 {
		return ""
	}
	return "In " + format.Count(w.MeantIn, "document", "documents")
}

// asking is how a question is asked.
type asking struct {
	within []ScopeItem
	method domain.MethodName
	hint   bool
}

// nothing reports whether a question was asked that nothing comes near.
// nothing reports whether a question was asked that nothing comes near.
func (p TurnProps) nothing() bool { return p.Found != nil && len(p.Found.Words) > 0 }

// groupID identifies the heading of a group of quotations.
func (p TurnProps) groupID(i int) string { return "group-" + string(p.Run) + "-" + number(i+1) }

// Next is what the field for the next question says.
func (p TurnProps) Next() string {
	if p.nothing() {
		return "Ask in other words"
	}
	return "Ask a follow-up"
}
