package partial

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/views/doctext"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/worddiff"
)

// cutInPlace returns the text around a quotation.
func cutInPlace(p outline.InPlace) doctext.Cut {
	here := onceEach(p.Mentions, p.Window.Shift(p.At))
	for i := range here {
		here[i].Span = here[i].Span.Shift(-p.At)
	}
	return doctext.New(p.Text, here, p.Span, p.Window)
}

// InPlaceID is the id of the part that shows the most likely quotation of a run in its place.
func InPlaceID(run domain.RunID) string { return "inplace-" + string(run) }

// under describes what a passage stands under.
func under(p outline.Near) string {
	switch {
	case p.Table == nil:
		return p.Heading
	case p.Heading == "":
		return "A table"
	}
	return p.Heading + ", a table"
}

// letter marks the nth of the closest passages.
func letter(n int) string { return string(rune('a' + n)) }

func restOf(p outline.Found) string {
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

func wordingGrade(w outline.Wording) string { return fmt.Sprintf("%d of %d", w.Relevant, w.Graded) }

// meant returns the words of the library that a question seems to mean.
func meant(p outline.Found) (words []string) {
	for _, w := range p.Words {
		if w.Documents == 0 && w.Meant != "" {
			words = append(words, "“"+w.Meant+"”")
		}
	}
	return words
}

// asksWith is what the button says that asks with these words.
func asksWith(p outline.Found) string { return "Ask with " + strings.Join(meant(p), " and ") }

// offers reports whether the nth word is the first of those.
func offers(p outline.Found, n int) bool {
	return n == slices.IndexFunc(p.Words, func(w domain.AskedWord) bool { return w.Documents == 0 && w.Meant != "" })
}

// mended returns the question with the words that it seems to mean.
func mended(p outline.Found, question string) string {
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
