// Package intent classifies questions: an answer from a passage, something about the library as a
// whole, a summary, a list, a comparison or a chart, or not a question at all, such as a greeting. It
// uses words and forms of several languages and, if these are inconclusive, the example nearest in
// meaning. Classification is deterministic.
package intent

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prose"
)

// Kind is the kind of answer that a question asks for.
type Kind string

// The kinds.
const (
	Question  Kind = "question" // an ordinary one
	Greeting  Kind = "greeting"
	Thanks    Kind = "thanks"
	Whole     Kind = "whole" // about everything that is searched
	Summarise Kind = "summarise"
	List      Kind = "list"
	Compare   Kind = "compare"
	Count     Kind = "count"
	Chart     Kind = "chart"
)

// What a list is of.
const (
	Person       = "person"
	Place        = "place"
	Organisation = "organisation"
	Any          = "any"
)

// An Ask is the kind of a question and its object.
type Ask struct {
	Kind Kind `json:"kind"`

	// Objects are what to summarise, what to count by or the two sides to compare, in the words of the
	// question. A summary without objects is one of everything that is searched.
	Objects []string `json:"objects,omitempty"`

	Of       string `json:"of,omitempty"`       // what to list: Person, Place, Organisation, Any, or a noun of the question
	Language string `json:"language,omitempty"` // of a greeting or thanks, such as "de"

	Where string `json:"where,omitempty"` // where, in the words of the question; "" for everything that is searched

	Counting *Counting `json:"counting,omitempty"` // for a count; Objects say what to count by, all together if empty
}

// Reader classifies questions. Without an embedder, or if that fails, it uses words and forms only.
type Reader struct {
	Embedder llm.Embedder       // may be nil
	Store    llm.EmbeddingStore // of vectors made earlier; required with Embedder
}

// Read classifies a question.
func (r Reader) Read(ctx context.Context, question string) (Ask, error) {
	if ask := ByForm(question); ask.Kind != Question || r.Embedder == nil || !general(question) {
		return ask, nil
	}
	return r.byMeaning(ctx, question)
}

// Open reports whether a question that no form decides may ask for more than a passage: it names nothing in particular,
// and it contains a word for documents or for things to list, or its nearest example does.
func (r Reader) Open(ctx context.Context, question string) (bool, error) {
	if ByForm(question).Kind != Question || !general(question) {
		return false, nil
	}
	w := vocabulary()
	if slices.ContainsFunc(wordsOf(question), func(word string) bool { return !pronouns[word] && (w[Whole].cues[word] || w[List].of[word] != "") }) {
		return true, nil
	}
	if r.Embedder == nil {
		return false, nil
	}
	ask, err := r.byMeaning(ctx, question)
	return ask.Kind != Question, err
}

// pronouns are list cues that also begin ordinary questions.
var pronouns = prose.KeySet("who wer qui quiénes chi quem wie")

// Passage is the name that models use for ordinary questions.
const Passage = "passage"

// Says lists the kinds that a model can choose from.
func Says() []string {
	return []string{Passage, string(Whole), string(Summarise), string(List), string(Compare), string(Greeting), string(Thanks)}
}

// longestObject is the maximum length of an object named by a model, in code points.
const longestObject = 200

// Said parses a model's classification: about holds what to summarise, the sides to compare or the document to list from,
// and of what to list. It returns false if they make no sense together.
func Said(says string, about []string, of string) (Ask, bool) {
	var objects []string
	for _, o := range about {
		if o = domain.Cut(domain.OneLine(o), longestObject); o != "" && !allWhole(o) {
			objects = append(objects, o)
		}
	}
	switch kind := Kind(says); {
	case says == Passage:
		return Ask{Kind: Question}, true
	case kind == Greeting, kind == Thanks, kind == Whole, kind == Compare && len(objects) == 0:
		if kind == Compare {
			kind = Whole
		}
		return Ask{Kind: kind}, true
	case kind == Summarise:
		return Ask{Kind: kind, Objects: objects}, true
	case kind == Compare:
		return Ask{Kind: kind, Objects: objects}, len(objects) == 2
	case kind == List:
		of = domain.Cut(domain.OneLine(of), longestObject)
		return Ask{Kind: kind, Of: cmp.Or(listed(wordsOf(of)), of, Any), Where: strings.Join(objects, " ")}, true
	}
	return Ask{}, false
}

// String describes the ask, as in "It asks for a list of places".
func (a Ask) String() string {
	switch a.Kind {
	case Whole:
		return "what the documents are about"
	case Summarise:
		return "a summary" + joined(" of ", a.Objects...)
	case List:
		return "a list" + joined(" of: ", a.Of) + joined(" in ", a.Where)
	case Compare:
		return "a comparison" + joined(" of ", a.Objects...)
	case Count:
		return "a count of " + a.Counting.Noun
	case Chart:
		return "a chart"
	case Greeting, Thanks:
		return "no more than an answer to a greeting or thanks"
	case Question:
	}
	return "an answer from a passage"
}

func joined(before string, words ...string) string {
	if all := strings.Join(words, " and "); all != "" {
		return before + all
	}
	return ""
}

// ByForm classifies a question by its words and form.
func ByForm(question string) Ask {
	words := wordsOf(question)
	w := vocabulary()
	for _, kind := range []Kind{Greeting, Thanks} {
		if len(words) <= longestRemark && w[kind].covers(words) {
			return Ask{Kind: kind, Language: w[kind].language(words)}
		}
	}
	if ask := ordered(question); ask.Kind != "" {
		return ask
	}
	switch of := listed(words); {
	case w[Whole].covers(words):
		return Ask{Kind: Whole}
	case of != "" && slices.ContainsFunc(words, func(word string) bool { return w[List].must[word] }):
		return Ask{Kind: List, Of: of}
	case chart.Requested(question):
		return Ask{Kind: Chart}
	}
	return Ask{Kind: Question}
}

const (
	longestRemark = 8  // words in a greeting
	longestWhole  = 16 // words in a question that is classified by its meaning
)

// listed returns the kind of thing that a question asks to list, or "" if it has words other than those of lists.
func listed(words []string) string {
	l := vocabulary()[List]
	of := ""
	for _, word := range words {
		switch kind := l.of[word]; {
		case kind != "":
			of = cmp.Or(of, kind)
		case !l.words[word]:
			return ""
		}
	}
	return of
}

// ordered reads an order: to summarise, to compare, to list or to count.
func ordered(question string) Ask {
	f := formed(question)
	if object, ok := f.match(Compare); ok {
		if sides := sidesOf(object); sides != nil && !allWhole(object) {
			return Ask{Kind: Compare, Objects: sides}
		}
		if allWhole(object) {
			return Ask{Kind: Whole}
		}
		return Ask{Kind: Question}
	}
	if object, ok := f.match(Summarise); ok {
		if allWhole(object) {
			return Ask{Kind: Summarise}
		}
		return Ask{Kind: Summarise, Objects: []string{unshaped(object)}}
	}
	if object, ok := f.match(List); ok {
		return listOf(object)
	}
	ask, _ := counted(f)
	return ask
}

// listOf parses what to list. It returns an Ask without a kind if the graph has no such thing.
func listOf(object string) Ask {
	words := wordsOf(object)
	if of := listed(words); of != "" {
		return Ask{Kind: List, Of: of}
	}
	if len(words) == 1 && !vocabulary()[Whole].cues[words[0]] {
		return Ask{Kind: List, Of: object}
	}
	if at := inside.FindStringIndex(object); at != nil {
		if of := listed(wordsOf(object[:at[0]])); of != "" {
			return Ask{Kind: List, Of: of, Where: object[at[1]:]}
		}
	}
	return Ask{}
}

// allWhole reports whether words stand for all that is searched: "these documents".
func allWhole(object string) bool {
	w := vocabulary()[Whole]
	return !slices.ContainsFunc(wordsOf(object), func(word string) bool { return !w.words[word] && !w.cues[word] })
}

// general reports whether a question may be about the whole: it is short, and names
// nothing in particular.
func general(question string) bool {
	words := prose.Words(question)
	if len(words) == 0 || len(words) > longestWhole || strings.ContainsAny(question, "0123456789\"“„«`/_") {
		return false
	}
	return !slices.ContainsFunc(prose.Names(question), func(n prose.Name) bool {
		return n.Kind == prose.Proper && n.Span.Start > words[0].Span.Start && !german(question)
	})
}

// german reports whether a question is in German, whose nouns look like names.
func german(question string) bool {
	return slices.ContainsFunc(wordsOf(question), func(w string) bool { return germanWords[w] })
}

var germanWords = prose.KeySet("der die das den dem ist sind wer was wie worum welche welches welcher und")

// The nearest example must be about as near as a paraphrase is, and nearer than any
// ordinary question.
const (
	nearEnough = 0.58
	nearer     = 0.17
)

// byMeaning returns the kind of the nearest example.
func (r Reader) byMeaning(ctx context.Context, question string) (Ask, error) {
	examples := examples()
	texts := []string{question}
	for _, e := range examples {
		texts = append(texts, e.text)
	}
	plain := Ask{Kind: Question}
	vectors, err := llm.Vectors(ctx, r.Store, r.Embedder, texts)
	switch {
	case ctx.Err() != nil:
		return plain, ctx.Err()
	case vectors == nil: // the store failed; if only the model did, stored vectors are used
		return plain, err
	}
	of := func(text string) []float32 { return vectors[domain.Hash([]byte(text))] }
	asked := of(question)
	best, score, ordinary := plain, 0.0, 0.0
	for _, e := range examples {
		v := of(e.text)
		if len(v) != len(asked) || len(v) == 0 {
			return plain, nil
		}
		switch c := llm.Cosine(asked, v); {
		case e.ask.Kind == Question:
			ordinary = max(ordinary, c)
		case c > score:
			best, score = e.ask, c
		}
	}
	if score < nearEnough || score < ordinary+nearer {
		return plain, nil
	}
	return best, nil
}
