package builtin

import (
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// proposition is one sentence of a passage, prepared for matching against a
// question.
type proposition struct {
	passage int         // index in the findings
	span    domain.Span // in the document's text
	text    string
	tokens  []prose.Token
	forms   [][]string // per token; nil for signs
	parts   []part     // the keys of the tokens in order
	names   []named
	line    bool // it does not end like a sentence
	asks    bool // it is a question
	orders  bool // it tells a reader what to answer, which states nothing
	setting setting
}

// part is one word of a token's key.
type part struct {
	key     string
	token   int
	capital bool
}

type named struct {
	text     string
	key      string
	from, to int // tokens
}

// findings are the passages found by a search, split into propositions.
type findings struct {
	passages     []domain.Passage
	propositions []proposition
	last         []int               // the last proposition of each passage; -1 for none
	context      [][]string          // forms of each passage's words, title and headings
	lower        map[string]bool     // words seen in lower case
	known        map[string][]string // cache of formsOf
}

func readFindings(passages []domain.Passage) *findings {
	f := &findings{passages: passages, lower: map[string]bool{}, known: map[string][]string{}}
	for i, p := range passages {
		first := len(f.propositions)
		f.read(i, p)
		f.last = append(f.last, max(len(f.propositions)-1, -1))
		if first == len(f.propositions) {
			f.last[i] = -1
		}
		f.context = append(f.context, f.contextOf(p))
		for s := first; s < len(f.propositions); s++ {
			for _, t := range f.propositions[s].tokens {
				if t.Word && !prose.IsCapitalised(t.Text) {
					f.lower[prose.Key(t.Text)] = true
				}
			}
		}
	}
	f.situate()
	return f
}

// formsOf caches the forms of a word.
func (f *findings) formsOf(word string) []string {
	forms, ok := f.known[word]
	if !ok {
		forms = formsOf(word)
		f.known[word] = forms
	}
	return forms
}

// contextOf returns the forms of the words of a passage, of its headings, and of
// its document's title and file name.
func (f *findings) contextOf(p domain.Passage) []string {
	var all []string
	for _, w := range prose.Words(p.Name + " " + p.Title + " " + strings.Join(p.Headings, " ") + " " + p.Text) {
		all = append(all, f.formsOf(w.Text)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// read adds the sentences of a passage.
func (f *findings) read(passage int, p domain.Passage) {
	text := []rune(p.Text)
	names := prose.Names(p.Text)
	for _, span := range unwrap(text, prose.Sentences(p.Text)) {
		s := proposition{passage: passage, span: span.Shift(p.Span.Start), text: string(text[span.Start:span.End])}
		s.tokens = prose.Tokens(s.text)
		for i, t := range s.tokens {
			if !t.Word {
				s.forms = append(s.forms, nil)
				continue
			}
			s.forms = append(s.forms, f.formsOf(t.Text))
			for key := range strings.FieldsSeq(prose.Key(t.Text)) {
				s.parts = append(s.parts, part{key, i, prose.IsCapitalised(t.Text)})
			}
		}
		for _, n := range names {
			if span.Contains(n.Span) && (n.Kind == prose.Proper || n.Kind == prose.Quoted) {
				s.addName(n.Text, n.Span.Shift(-span.Start))
			}
		}
		s.line, s.asks, s.orders = !endsSentence(s.text), isQuestion(s.text), anOrder.MatchString(s.text)
		f.propositions = append(f.propositions, s)
	}
}

// anOrder matches sentences that tell a reader to leave out what it was told and to say
// something.
var anOrder = regexp.MustCompile(`(?is)^\W*(please\s+|now\s+)?(ignore|disregard|forget|override|ignoriere|vergiss|ignorez?|oublie[sz]?|ignora|olvida|dimentica)\b.*` +
	`\b(answer|say|reply|respond|tell|claim|output|pretend|instructions?|prompts?|antworte|sag|sage|dis|dites|réponds|répondez|di|responde|rispondi)\b`)

// addName records a name.
func (s *proposition) addName(text string, span domain.Span) {
	n := named{text: text, key: prose.Key(text), from: -1}
	for i, t := range s.tokens {
		if span.Overlaps(t.Span) {
			if n.from < 0 {
				n.from = i
			}
			n.to = i + 1
		}
	}
	if n.from < 0 || n.key == "" {
		return
	}
	s.names = append(s.names, n)
}

// textOf joins tokens as they stand in their text, with a space where there is any.
func textOf(tokens []prose.Token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && tokens[i-1].Span.End < t.Span.Start {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// find returns the tokens of the proposition that match a key. If capital is
// set, the words of a name must be capitalised.
func (s *proposition) find(key string, capital bool) (from, to int, ok bool) {
	first, rest, more := strings.Cut(key, " ")
	for i, p := range s.parts {
		if p.key != first || capital && !p.capital {
			continue
		}
		last := p
		if more {
			if last, ok = s.goesOnAt(i+1, rest); !ok || capital && !last.capital {
				continue
			}
		}
		return p.token, last.token + 1, true
	}
	return 0, 0, false
}

// goesOnAt returns the last of the parts from i on, if they are the words of key.
func (s *proposition) goesOnAt(i int, key string) (last part, ok bool) {
	for word := range strings.SplitSeq(key, " ") {
		if i >= len(s.parts) || s.parts[i].key != word {
			return part{}, false
		}
		last = s.parts[i]
		i++
	}
	return last, true
}

// bare reports whether the proposition is a heading or another line that does
// not end like a sentence.
func (s *proposition) bare() bool { return s.line && len(s.tokens) > 0 }

// endsSentence reports whether a text ends with a sign that ends a sentence, perhaps
// in quotation marks or brackets.
func endsSentence(text string) bool {
	text = strings.TrimRight(text, "\"'”’»)]*_` ")
	return slices.ContainsFunc([]string{".", "!", "?", "…"}, func(end string) bool { return strings.HasSuffix(text, end) })
}

// isQuestion reports whether a text ends with a question mark, perhaps in quotation
// marks or brackets.
func isQuestion(text string) bool {
	return strings.HasSuffix(strings.TrimRight(text, "\"'”’)*_ "), "?")
}

// personal reports whether a name looks like a person's: two or more words, no
// small word, and a last word that the passages do not use as a noun.
func (f *findings) personal(key string) bool {
	words := strings.Fields(key)
	return len(words) > 1 && !f.lower[words[len(words)-1]] && !slices.ContainsFunc(words, prose.IsStopWord)
}
