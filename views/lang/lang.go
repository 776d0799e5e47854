// Package lang writes the words of pages in the language of their reader.
//
// The words are in English where they are used, in templates and in Go. A catalogue for each other
// language translates them; missing translations stay English. Literal text in templates needs no
// call: [Write] is put into the generated code. Go code and the expressions of templates call [T], [F]
// and [Count].
package lang

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/clewhq/clew/internal/domain/lists"
	"golang.org/x/text/language"
)

// A Language is one that pages are written in.
type Language struct {
	Code string // as in the attribute lang
	Name string // in the language itself

	words map[string]string // by the English words; nil for English
	marks *strings.Replacer // of the separators in numbers; nil for English

	once    sync.Once
	formats map[string][]pattern // the keys that contain values, see patterns
}

//go:embed de.json
var files embed.FS

// Languages lists the languages, English first.
var Languages = sync.OnceValue(func() []*Language {
	return []*Language{
		{Code: "en", Name: "English"},
		{Code: "de", Name: "Deutsch", words: catalogue("de.json"), marks: strings.NewReplacer(",", ".", ".", ",")},
	}
})

// catalogue reads the words of a language. They are part of the program, so that a fault in them is one of the program.
func catalogue(name string) (words map[string]string) {
	data, err := files.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, &words)
	}
	if err != nil {
		panic(fmt.Sprintf("lang: %s: %v", name, err))
	}
	return words
}

// matcher finds the language that suits what a browser accepts.
var matcher = sync.OnceValue(func() language.Matcher {
	var tags []language.Tag
	for _, l := range Languages() {
		tags = append(tags, language.MustParse(l.Code))
	}
	return language.NewMatcher(tags)
})

// Suits returns the language that a person chose by its code, else the first of an Accept-Language header that there is, else English.
func Suits(chosen, accepted string) *Language {
	for _, l := range Languages() {
		if l.Code == chosen {
			return l
		}
	}
	tags, _, err := language.ParseAcceptLanguage(accepted)
	if err != nil {
		return Languages()[0]
	}
	_, i, _ := matcher().Match(tags...)
	return Languages()[i]
}

// Codes lists the codes of the languages, with commas between them.
func Codes() string {
	codes := lists.Map(Languages(), func(l *Language) string { return l.Code })
	return strings.Join(codes, ", ")
}

type key struct{}

// With returns a context for pages in a language.
func With(ctx context.Context, l *Language) context.Context { return context.WithValue(ctx, key{}, l) }

// Chosen reports whether a context has a language.
func Chosen(ctx context.Context) bool { return ctx.Value(key{}) != nil }

// Of returns the language of a page, English unless another was chosen by [With].
func Of(ctx context.Context) *Language {
	if l, chosen := ctx.Value(key{}).(*Language); chosen {
		return l
	}
	return Languages()[0]
}

// T returns words in the language of the page.
func T(ctx context.Context, words string) string { return Of(ctx).T(words) }

// T returns words in the language.
func (l *Language) T(words string) string {
	if own, ok := l.words[words]; ok {
		return own
	}
	return words
}

// F formats values, as [fmt.Sprintf] does, by a format in the language of the page. A translation may name its values by their places.
func F(ctx context.Context, format string, values ...any) string {
	return decline(fmt.Sprintf(T(ctx, format), values...))
}

// decline puts counted things before a [dative] into it.
func decline(text string) string {
	if !strings.Contains(text, dative) {
		return text
	}
	return counted.ReplaceAllStringFunc(text, func(things string) string {
		many := strings.TrimSuffix(things, dative)
		if many == "" || strings.HasPrefix(many, "1 ") || !strings.ContainsAny(many[len(many)-1:], "elr") {
			return many
		}
		return many + "n"
	})
}

// dative is what a German translation puts after counted things that stand behind a preposition: "von %s⁓" makes "3 Dokumente"
// into "von 3 Dokumenten".
const dative = "⁓"

// counted is a number of things, or another value, before a [dative].
var counted = regexp.MustCompile(`(?:[\d.]+ \p{L}+)?` + dative)

// Write writes parts of a page, in turn markup, which stays as it is, and words.
func Write(ctx context.Context, w io.Writer, parts ...string) error {
	l := Of(ctx)
	for i, part := range parts {
		if i%2 == 1 {
			part = l.T(part)
		}
		if _, err := io.WriteString(w, part); err != nil {
			return err
		}
	}
	return nil
}
