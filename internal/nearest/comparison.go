package nearest

import (
	"math"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// What counts for a sentence, beside the words it says itself, which count in full.
const (
	ofCosine = 0.5 // share of the score that the vectors decide; the words decide the rest

	ofUnder = 0.5 // of a word in the heading or in the first row of the table above: it says what the sentence is about
	ofTitle = 0.5 // of a word in the title of the document: it does so for all its sentences
	ofName  = 1.5 // of a name: a sentence without it is about something else

	ofHead  = 0.85 // of the score of a heading or an announcement: what answers stands under it
	ofAsked = 0.9  // of what the question of an FAQ has, for its answer: the more they are alike, the surer is that it answers
	asking  = 0.6  // of the score of that question itself
)

// comparison is a question beside the sentences of passages.
type comparison struct {
	question string
	hash     string // of the question
	passages []domain.Passage
	all      []compared
}

// compared is a sentence with its words. The lines that it stands under are places
// among all sentences.
type compared struct {
	line
	passage int
	hash    string // of what is embedded for it
	words   []string
	above   []string // words of what it stands under
}

func newComparison(question string, passages []domain.Passage) *comparison {
	c := &comparison{question: question, hash: domain.Hash([]byte(question)), passages: passages}
	for i, p := range passages {
		from := len(c.all)
		for _, l := range lines(p.Text) {
			s := compared{line: l, passage: i, hash: domain.Hash([]byte(SentenceText(p.Title, l.text))), words: terms(l.text)}
			for _, above := range []*int{&s.under, &s.columns} {
				if *above >= 0 {
					*above += from
					s.above = append(s.above, c.all[*above].words...)
				}
			}
			c.all = append(c.all, s)
		}
	}
	return c
}

// terms returns the words of a text, each once, in order of the alphabet.
func terms(text string) []string {
	words := prose.Terms(text)
	slices.Sort(words)
	return slices.Compact(words)
}

// toEmbed returns the texts that are embedded if they have no vector.
func (c *comparison) toEmbed() []string {
	texts := []string{c.question}
	for _, s := range c.all {
		if s.passage < mostEmbedded {
			texts = append(texts, SentenceText(c.passages[s.passage].Title, s.text))
		}
	}
	return texts
}

func (c *comparison) hashes() []string {
	hashes := []string{c.hash}
	for _, s := range c.all {
		hashes = append(hashes, s.hash)
	}
	return hashes
}

// sentences returns the scores of the sentences, in their order.
func (c *comparison) sentences(vectors map[string][]float32) []Sentence {
	weights := c.weights()
	titles := make([][]string, len(c.passages))
	for i, p := range c.passages {
		titles[i] = terms(p.Title)
	}
	out := make([]Sentence, len(c.all))
	for i, s := range c.all {
		start := c.passages[s.passage].Span.Start
		x := Sentence{Passage: s.passage, Span: s.span.Shift(start), Words: s.share(weights, titles[s.passage])}
		if vectors != nil {
			x.Cosine = max(0, cosine(vectors[c.hash], vectors[s.hash]))
		}
		if q := s.under; q >= 0 {
			x.Under = out[q].Span
			if c.all[q].asks {
				share := math.Pow(ofAsked, float64(i-q))
				x.Words, x.Cosine = max(x.Words, share*out[q].Words), max(x.Cosine, share*out[q].Cosine)
			}
		}
		x.Score = x.Words
		if vectors != nil {
			x.Score = ofCosine*x.Cosine + (1-ofCosine)*x.Words
		}
		switch {
		case s.asks:
			x.Score *= asking
		case s.heads:
			x.Score *= ofHead
		}
		out[i] = x
	}
	return out
}

// share returns how much of the question a sentence says, with what it stands under.
func (s compared) share(question []weighted, title []string) float64 {
	sum := 0.0
	for _, w := range question {
		switch {
		case holds(s.words, w.term):
			sum += w.weight
		case slices.Contains(s.above, w.term):
			sum += ofUnder * w.weight
		case holds(title, w.term):
			sum += ofTitle * w.weight
		}
	}
	return sum
}

func holds(words []string, word string) bool {
	_, ok := slices.BinarySearch(words, word)
	return ok
}

// weighted is a word of the question with its share of it.
type weighted struct {
	term   string
	weight float64
}

// weights returns how much each word of the question weighs: the more, the fewer
// sentences say it, and names more than other words. The weights sum to one.
func (c *comparison) weights() []weighted {
	var out []weighted
	for _, t := range terms(c.question) {
		out = append(out, weighted{term: t})
	}
	names := nameTerms(c.question)
	sum := 0.0
	for i, w := range out {
		said := 0
		for _, s := range c.all {
			if holds(s.words, w.term) {
				said++
			}
		}
		out[i].weight = math.Log(1 + float64(len(c.all))/float64(1+said))
		if slices.Contains(names, w.term) {
			out[i].weight *= ofName
		}
		sum += out[i].weight
	}
	for i := range out {
		out[i].weight /= sum
	}
	return out
}

// nameTerms returns the words of a question that are names, numbers or parts of a
// program: those with a capital behind the first word, a digit or a sign within.
func nameTerms(question string) []string {
	var names []string
	for i, w := range prose.Words(question) {
		if i > 0 && prose.IsCapitalised(w.Text) || strings.ContainsAny(w.Text, "0123456789._-/") {
			names = append(names, prose.Terms(w.Text)...)
		}
	}
	return names
}

// cosine returns the cosine of two vectors, 0 if one is missing.
func cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}
