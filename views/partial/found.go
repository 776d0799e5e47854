package partial

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/views/doctext"
	"github.com/clewhq/clew/views/lang"
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

// under returns the headings above a passage.
func under(ctx context.Context, p outline.Near) string {
	switch {
	case p.Table == nil:
		return p.Heading
	case p.Heading == "":
		return lang.T(ctx, "A table")
	}
	return lang.F(ctx, "%s, a table", p.Heading)
}

// letter labels the nth of the closest passages.
func letter(n int) string { return string(rune('a' + n)) }

func restOf(ctx context.Context, p outline.Found) string {
	said := lang.Count(ctx, p.Rest, "more passage", "more passages")
	switch {
	case p.Unread:
		return lang.F(ctx, "%s, none of them relevant", said)
	case p.Rest == 1:
		return lang.F(ctx, "%s, not relevant", said)
	}
	return lang.F(ctx, "%s, none relevant", said)
}

// came drops deleted words, so that the next part follows a kept word.
func came(parts []worddiff.Part) []worddiff.Part {
	return slices.DeleteFunc(parts, func(p worddiff.Part) bool { return p.Kind == worddiff.Gone })
}

func wordingGrade(ctx context.Context, w outline.Wording) string {
	return lang.F(ctx, "%d of %d", w.Relevant, w.Graded)
}

// meant returns the words of the library that a question seems to mean.
func meant(p outline.Found) (words []string) {
	for _, w := range p.Words {
		if w.Documents == 0 && w.Meant != "" {
			words = append(words, "“"+w.Meant+"”")
		}
	}
	return words
}

// asksWith labels the button that asks with these words.
func asksWith(ctx context.Context, p outline.Found) string {
	return lang.F(ctx, "Ask with %s", strings.Join(meant(p), " and "))
}

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

// replaced replaces each whole-word occurrence of word.
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

// common explains why a word that the library has did not help.
func common(ctx context.Context, w domain.AskedWord) string {
	said := lang.F(ctx, "in %s", lang.Count(ctx, w.Documents, "document", "documents"))
	if w.Documents > 2 {
		return lang.F(ctx, "%s, too common to go by alone", said)
	}
	return lang.F(ctx, "%s, not enough to go by alone", said)
}

// meantIn says how many documents contain the word that was probably meant.
func meantIn(ctx context.Context, w domain.AskedWord) string {
	if w.MeantIn == 0 {
		return ""
	}
	return lang.F(ctx, "In %s", lang.Count(ctx, w.MeantIn, "document", "documents"))
}

// asking holds the options of a question.
type asking struct {
	within []ScopeItem
	method domain.MethodName
	hint   bool
}

// nothing reports whether nothing near was found for a question.
func (p TurnProps) nothing() bool { return p.Found != nil && len(p.Found.Words) > 0 }

// groupID identifies the heading of a group of quotations.
func (p TurnProps) groupID(i int) string { return "group-" + string(p.Run) + "-" + number(i+1) }

// Next returns the placeholder of the field for the next question.
func (p TurnProps) Next(ctx context.Context) string {
	if p.nothing() {
		return lang.T(ctx, "Ask in other words")
	}
	return lang.T(ctx, "Ask a follow-up")
}
