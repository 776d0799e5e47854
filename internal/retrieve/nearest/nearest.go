// Package nearest measures how near the sentences of passages are to a question, by their vectors and
// by shared words. It does not judge: a near sentence may answer another question.
package nearest

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prose"
)

// Near is the score at which a sentence is near enough to be quoted. It is the lowest value at which six in ten
// unanswerable questions about a newcomer's files have no near sentence (docs/benchmarks.md).
const Near = 0.42

// mostEmbedded is the number of first passages whose sentences are embedded at question time if they have no vectors yet.
// The others are compared by words.
const mostEmbedded = 50

// A Sentence is a sentence of a passage, with its nearness to a question.
type Sentence struct {
	Passage  int         // its place among the passages
	Span     domain.Span // in the text of the document
	Under    domain.Span // the heading, question or announcement above it in the passage; empty if there is none
	Over     domain.Span // the sentence that a pronoun at its beginning refers to; empty if there is none
	Score    float64     // from 0 to 1
	Cosine   float64     // of the vectors; 0 without them
	Words    float64     // share of the question's weight in the sentence and the lines it goes with
	Embedded bool        // it has its own vector
}

// Ranker ranks sentences. Without an embedder, or if the embedder fails, it uses words alone.
type Ranker struct {
	Embedder llm.Embedder       // may be nil
	Store    llm.EmbeddingStore // of vectors made earlier; required with Embedder
	Recent   *Recent            // keeps rankings; may be nil
}

// PassageText returns the text that is embedded for a passage.
func PassageText(title, text string) string { return title + "\n" + text }

// SentenceText returns the text that is embedded for a sentence.
func SentenceText(title, sentence string) string { return title + ": " + sentence }

// Sentences returns all sentences of passages, nearest first.
func (r Ranker) Sentences(ctx context.Context, question string, passages []domain.Passage) ([]Sentence, error) {
	rank := func() ([]Sentence, error) { return r.rank(ctx, question, passages) }
	if r.Recent == nil {
		return rank()
	}
	var key strings.Builder
	key.WriteString(question)
	for _, p := range passages {
		key.WriteString("\x00" + string(p.ID) + "\x00" + p.Title)
	}
	return r.Recent.get(key.String(), rank)
}

func (r Ranker) rank(ctx context.Context, question string, passages []domain.Passage) ([]Sentence, error) {
	c := newComparison(question, passages)
	vectors, err := r.vectors(ctx, c)
	if err != nil {
		return nil, err
	}
	all := c.sentences(vectors)
	slices.SortStableFunc(all, func(a, b Sentence) int { return cmp.Compare(b.Score, a.Score) })
	return all, nil
}

// vectors returns the vectors of the question and of the sentences, by the hash of the embedded text. It returns none if
// the question has none.
func (r Ranker) vectors(ctx context.Context, c *comparison) (map[string][]float32, error) {
	if r.Embedder == nil || len(c.all) == 0 {
		return nil, nil
	}
	vectors, err := llm.Vectors(ctx, r.Store, r.Embedder, c.toEmbed(), c.hashes()...)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case vectors == nil: // the store failed; if only the model did, stored vectors are used
		return nil, err
	case vectors[c.hash] == nil:
		return nil, nil
	}
	return vectors, nil
}

// line is a sentence of a passage with the headings above it.
type line struct {
	span    domain.Span // in the passage's text
	text    string
	heads   bool // a heading, an FAQ's question or the announcement of a list: later lines stand under it
	asks    bool // the heading line is a question
	under   int  // the nearest such line above it; -1 if there is none
	columns int  // the first row of its table; -1 if it is not in a table, or that row is in another passage
	over    int  // the sentence that a pronoun at its beginning refers to; -1 if there is none
}

const (
	longHeading = 14 // tokens
	mostAbove   = 40 // lines above a sentence that are checked for one it stands under
)

var listMark = regexp.MustCompile(`^\s*([-*•+|]|\(?[a-z0-9]{1,3}[.)])\s`)

// lines returns the sentences of a passage.
func lines(p domain.Passage) []line {
	text, runes := p.Text, []rune(p.Text)
	spans := prose.Sentences(text)
	all := make([]line, len(spans))
	for i, s := range spans {
		before, after := 0, len(runes)
		if i > 0 {
			before = spans[i-1].End
		}
		if i+1 < len(spans) {
			after = spans[i+1].Start
		}
		l := line{span: s, text: string(runes[s.Start:s.End]), under: -1, columns: -1, over: -1}
		begins := before == 0 && i == 0 || strings.ContainsRune(string(runes[before:s.Start]), '\n')
		ends := after == len(runes) || strings.ContainsRune(string(runes[s.End:after]), '\n')
		l.heads = begins && ends && isHead(l.text) && !States(text, s, after)
		l.asks = l.heads && strings.HasSuffix(strings.TrimRight(l.text, " \t*_"), "?")
		all[i] = l
		all[i].under, all[i].columns = above(all, i)
		if all[i].columns == 0 && p.TableHead() != "" { // it is among the headings
			all[i].columns = -1
		}
		all[i].over = referred(all, i)
	}
	return all
}

var (
	option   = regexp.MustCompile(`^[-−]{1,2}[\pL\d?]`)
	argument = regexp.MustCompile(`^([-−\[<{(].*|[\p{Lu}\d_.,|=\]>}]+)$`)
)

// maxNamed is the maximum number of words of a line that may be words of a sentence and still only name an option.
const maxNamed = 3

// Option reports whether a line is about an option of a command, as those of manuals are, and whether it only names it.
func Option(text string) (is, named bool) {
	words := strings.Fields(text)
	is = option.MatchString(text)
	return is, is && (len(words) <= maxNamed || !slices.ContainsFunc(words, func(w string) bool { return !argument.MatchString(w) }))
}

// isHead reports whether a line of its own is a heading for what follows.
func isHead(text string) bool {
	text = strings.TrimRight(text, " \t*_")
	if text == "" {
		return false
	}
	if is, named := Option(text); is {
		return named
	}
	switch text[len(text)-1] {
	case ':', '?':
		return true
	case '.', '!', ';', ',':
		return false
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " \t*_"))
	return !unicode.IsLower(first) && !domain.IsRow(text) && !listMark.MatchString(text) && len(prose.Tokens(text)) <= longHeading
}

// States reports whether a sentence of a text states something, as "Status: final" does, and so is no heading: it states several
// things, or the next sentence, which starts at a code point, stands directly below it.
func States(text string, s domain.Span, next int) bool {
	said := strings.TrimRight(s.Slice(text), " \t*_")
	n := len(domain.ReadLines(said))
	return n > 1 || n == 1 && !strings.HasSuffix(said, "?") && strings.Count(domain.Span{Start: s.End, End: next}.Slice(text), "\n") == 1
}

// above returns the heading of the last line, and the first row of its table.
func above(all []line, i int) (under, columns int) {
	columns = -1
	row := all[i].isRow()
	for j := i - 1; j >= max(0, i-mostAbove); j-- {
		switch {
		case row && all[j].isRow():
			columns = j
		case all[j].heads:
			return j, columns
		case option.MatchString(all[j].text):
			return -1, columns
		default:
			row = false
		}
	}
	return -1, columns
}

// refersBack matches sentences that continue with a subject mentioned before.
var refersBack = regexp.MustCompile(`(?i)^[^\pL\pN]*(he|she|his|hers?|it|its|they|their|this|these|er|sie|ihr|sein|es|dieser?|dieses|elle|lui|ce|cette|ces|él|ella|esto|quest[oa]|hij|zij|deze|dit)([^\pL]|$)`)

func (l line) isRow() bool { return domain.IsRow(l.text) }

// referred returns the sentence that a pronoun at the beginning of sentence i refers to, or -1 if there is none.
func referred(all []line, i int) int {
	if l := all[i]; l.heads || l.isRow() || listMark.MatchString(l.text) || !refersBack.MatchString(l.text) {
		return -1
	}
	for j := i - 1; j >= 0 && !all[j].heads && !all[j].isRow(); j-- {
		if !refersBack.MatchString(all[j].text) {
			return j
		}
	}
	return -1
}

// recents is how many rankings are kept: about as many as questions are answered at
// the same time.
const recents = 8

// Recent keeps the latest rankings, because the passages of a question are graded one by one among the same others. It is
// safe for concurrent use.
type Recent struct {
	mu     sync.Mutex
	latest []*ranking
}

// ranking is made once.
type ranking struct {
	key       string
	mu        sync.Mutex
	made      bool
	sentences []Sentence
}

// get returns the ranking of a key, made by rank unless it is kept. A failure is not kept.
func (r *Recent) get(key string, rank func() ([]Sentence, error)) ([]Sentence, error) {
	one := r.find(key)
	one.mu.Lock()
	defer one.mu.Unlock()
	if !one.made {
		sentences, err := rank()
		if err != nil {
			return nil, err
		}
		one.sentences, one.made = sentences, true
	}
	return slices.Clone(one.sentences), nil
}

func (r *Recent) find(key string) *ranking {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.latest, func(k *ranking) bool { return k.key == key })
	if i < 0 {
		i = len(r.latest)
		r.latest = append(r.latest, &ranking{key: key})
	}
	one := r.latest[i]
	r.latest = append(slices.Delete(r.latest, i, i+1), one)
	r.latest = r.latest[max(0, len(r.latest)-recents):]
	return one
}
