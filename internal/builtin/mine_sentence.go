package builtin

import (
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// sentence is a sentence as the rules read it: each name is one item, and
// quotation marks are dropped.
type sentence struct {
	span    domain.Span // in the chunk
	items   []sentenceItem
	running bool // it is running text, see isRunning
}

// sentenceItem is a word, a sign or a name.
type sentenceItem struct {
	text       string
	lower      string // of a word outside names, else ""
	mention    int    // index of the mention, or -1
	possessive bool   // a mention followed by 's
	date       string // the date it is, else ""
}

// readSentences splits a text into sentences and items.
func readSentences(text string, mentions []mention, names []prose.Name) []*sentence {
	b := builder{tokens: prose.Tokens(text), mentions: mentions, names: names}
	var list []*sentence
	for _, span := range prose.Sentences(text) {
		s := &sentence{span: span}
		for b.at < len(b.tokens) && b.tokens[b.at].Span.Start < span.End {
			if it, ok := b.next(); ok {
				s.items = append(s.items, it)
			}
		}
		s.running = isRunning(s.items)
		list = append(list, s)
	}
	return list
}

// builder turns tokens into items.
type builder struct {
	tokens   []prose.Token
	mentions []mention
	names    []prose.Name
	at, m, n int // the current token, mention and name
}

func (b *builder) next() (sentenceItem, bool) {
	t := b.tokens[b.at]
	b.skipPast(t.Span.Start)
	if b.m < len(b.mentions) && b.mentions[b.m].Span.Start == t.Span.Start {
		return b.mention(), true
	}
	if b.n < len(b.names) && b.names[b.n].Kind == prose.Date && b.names[b.n].Span.Start == t.Span.Start {
		name := b.names[b.n]
		b.skipTokens(name.Span.End)
		return sentenceItem{text: name.Text, mention: -1, date: name.Text}, true
	}
	b.at++
	if strings.ContainsAny(t.Text, "\"“”«»„`‘") {
		return sentenceItem{}, false
	}
	it := sentenceItem{text: t.Text, mention: -1}
	if t.Word {
		it.lower = strings.ToLower(t.Text)
	}
	return it, true
}

// skipPast advances past mentions and names that end before at.
func (b *builder) skipPast(at int) {
	for b.m < len(b.mentions) && b.mentions[b.m].Span.Start < at {
		b.m++
	}
	for b.n < len(b.names) && b.names[b.n].Span.Start < at {
		b.n++
	}
}

func (b *builder) skipTokens(end int) {
	for b.at < len(b.tokens) && b.tokens[b.at].Span.Start < end {
		b.at++
	}
}

// mention combines the tokens of a mention into one item.
func (b *builder) mention() sentenceItem {
	m := b.mentions[b.m]
	it := sentenceItem{text: m.Text, mention: b.m}
	b.skipTokens(m.Span.End)
	last := b.tokens[b.at-1]
	it.possessive = last.Span.End > m.Span.End
	if b.at < len(b.tokens) && strings.HasSuffix(m.Text, "s") {
		next := b.tokens[b.at]
		if (next.Text == "'" || next.Text == "’") && next.Span.Start == m.Span.End {
			it.possessive = true
			b.at++
		}
	}
	return it
}

// word returns the word at i in lower case, or "" for anything else.
func (s *sentence) word(i int) string {
	if i < 0 || i >= len(s.items) {
		return ""
	}
	return s.items[i].lower
}

// is reports whether the item at i is the given word or sign.
func (s *sentence) is(i int, text string) bool {
	if i < 0 || i >= len(s.items) || s.items[i].mention >= 0 {
		return false
	}
	return s.items[i].text == text || s.items[i].lower == text
}

// named reports whether the item at i is a mention.
func (s *sentence) named(i int) bool {
	return i >= 0 && i < len(s.items) && s.items[i].mention >= 0
}

// afterBrackets returns the position after the brackets that open at i, or i.
func (s *sentence) afterBrackets(i int) int {
	if !s.is(i, "(") {
		return i
	}
	depth := 0
	for j := i; j < len(s.items); j++ {
		switch {
		case s.is(j, "("):
			depth++
		case s.is(j, ")"):
			depth--
		}
		if depth == 0 {
			return j + 1
		}
	}
	return i
}

// afterAdverbs returns the position after any adverbs from i on.
func (s *sentence) afterAdverbs(i int) int {
	for isAdverb(s.word(i)) || s.is(i, ",") && isAdverb(s.word(i+1)) && s.is(i+2, ",") {
		if s.is(i, ",") {
			i += 2
		}
		i++
	}
	return i
}

func isAdverb(word string) bool {
	return adverbs[word] || strings.HasSuffix(word, "ly") && len(word) > 4 && !notAdverbs[word]
}

// nounPhrase reads the common words of a noun phrase from i on. It returns the
// last one and the position after it.
func (s *sentence) nounPhrase(i int) (head string, next int) {
	for i < len(s.items) {
		w := s.word(i)
		switch {
		case s.items[i].date != "" && head == "", s.items[i].mention >= 0 && s.word(i+1) != "" && (head == "" || s.modifies(i)):
			i++ // "a 1925 film", "a Yoruba actress"
			continue
		case w == "":
			return head, i
		case articles[w] || possessives[w] || isAdverb(w):
			if head != "" {
				return head, i
			}
		case prepositions[w] || clauseWords[w] || copulas[w] || auxiliaries[w]:
			return head, i
		case head != "" && (s.word(i+1) == "by" || isParticiple(w)) && isParticiple(w):
			return head, i
		case head != "" && strings.HasSuffix(w, "ing") && (s.named(i+1) || plainArticles[s.word(i+1)]):
			return head, i
		default:
			head = w
		}
		i++
	}
	return head, i
}
