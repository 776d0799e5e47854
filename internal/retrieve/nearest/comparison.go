package nearest

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prose"
)

// The weights of a sentence's score. They were chosen on the tuning halves of the questions about files, where halving or
// doubling one hardly changes what is found.
const (
	ofCosine  = 0.6  // vectors' share of the score, words have the rest: each misses some of what the other finds
	ofPassage = 0.25 // the passage vector's share of the cosine: a short sentence says little on its own

	ofName   = 1.5 // for a name or number of the question: a sentence without it is about something else
	ofUnder  = 0.8 // for a word in the lines that the sentence stands under: they say what it is about
	ofAround = 0.5 // for a word in the document's title or elsewhere in the passage: these do so for all of its sentences
	ofAsked  = 0.9 // share of an FAQ question's words and cosine that its answer gets

	ofHead   = 0.85 // factor for the score of a heading or an announcement: the answer stands under it
	asking   = 0.6  // for an FAQ's question, likewise
	ofLabel  = 0.75 // for one or two words, which answer nothing on their own
	ofNumber = 0.15 // for a number if one is asked for
)

// comparison is a question beside the sentences of passages.
type comparison struct {
	question string
	hash     string // of the question
	passages []domain.Passage
	all      []compared

	ofPassages []string // hashes of the passages' embedded texts
}

// compared is a sentence with its words. The headings above it are given as indexes among all sentences.
type compared struct {
	line
	passage int
	hash    string // of the text embedded for it
	words   []string
	above   []string // words of the lines it stands under, and of those it refers to
}

func newComparison(question string, passages []domain.Passage) *comparison {
	c := &comparison{question: question, hash: domain.Hash([]byte(question)), passages: passages}
	for i, p := range passages {
		c.ofPassages = append(c.ofPassages, domain.Hash([]byte(PassageText(p.Title, p.Text))))
		from := len(c.all)
		headings := terms(strings.Join(p.Headings, "\n"))
		for _, l := range lines(p) {
			s := compared{line: l, passage: i, hash: domain.Hash([]byte(SentenceText(p.Title, l.text))), words: terms(l.text)}
			for _, above := range []*int{&s.under, &s.columns, &s.over} {
				if *above >= 0 {
					*above += from
					s.above = append(s.above, c.all[*above].words...)
				}
			}
			if s.under < 0 {
				s.above = append(s.above, headings...)
			}
			c.all = append(c.all, s)
		}
	}
	return c
}

// asksNumber matches questions for a number or a time, and isNumber possible answers.
var (
	asksNumber = regexp.MustCompile(`(?i)\b(how (many|much|long|often|far|old|big|large|high|deep|fast)|when|(what|which) (year|date|day|version|release|port|number|size)|` +
		`wie ?viele?|wie (lange|oft|weit|alt|hoch|tief)|wann|seit wann|combien|quand|quelle (année|date)|cuánt[oa]s?|cuándo|quant[oaie]s?|quando|hoeveel|wanneer)\b`)
	isNumber = regexp.MustCompile(`(?i)\d|\b(two|three|four|five|six|seven|eight|nine|ten|twelve|once|twice|zwei|drei|vier|fünf|zehn|deux|trois|quatre|cinq|dix|dos|tres|cuatro|cinco|due|tre|quattro|cinque|dois|três|twee|drie|vijf)\b`)
)

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
	hashes := append([]string{c.hash}, c.ofPassages...)
	for _, s := range c.all {
		hashes = append(hashes, s.hash)
	}
	return hashes
}

// sentences returns the scores of the sentences, in their order.
func (c *comparison) sentences(vectors map[string][]float32) []Sentence {
	weights, number := c.weights(), asksNumber.MatchString(c.question)
	around := make([][]string, len(c.passages))
	for i, p := range c.passages {
		around[i] = terms(p.Title + "\n" + p.Text)
	}
	out := make([]Sentence, len(c.all))
	for i, s := range c.all {
		start := c.passages[s.passage].Span.Start
		x := Sentence{Passage: s.passage, Span: s.span.Shift(start), Words: s.share(weights, around[s.passage]), Embedded: vectors[s.hash] != nil}
		if vectors != nil {
			x.Cosine = c.cosine(s, vectors)
		}
		if s.over >= 0 {
			x.Over = out[s.over].Span
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
		if len(s.words) < 3 && s.over < 0 && !(s.under >= 0 && option.MatchString(c.all[s.under].text)) {
			x.Score *= ofLabel
		}
		if number && isNumber.MatchString(s.text) {
			x.Score += ofNumber * x.Score
		}
		x.Score = min(1, x.Score)
		out[i] = x
	}
	return out
}

// share returns how much of the question a sentence and the headings above it cover.
func (s compared) share(question []weighted, around []string) float64 {
	sum := 0.0
	for _, w := range question {
		switch {
		case holds(s.words, w.term):
			sum += w.weight
		case slices.Contains(s.above, w.term):
			sum += ofUnder * w.weight
		case holds(around, w.term):
			sum += ofAround * w.weight
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

// weights returns the weight of each word of the question: words that fewer sentences contain weigh more, as do names.
// The weights sum to one.
func (c *comparison) weights() []weighted {
	var out []weighted
	names := nameTerms(c.question)
	sum := 0.0
	for _, t := range terms(c.question) {
		said := lists.CountFunc(c.all, func(s compared) bool { return holds(s.words, t) })
		if said == 0 && slices.Contains(orders, t) {
			continue
		}
		w := weighted{t, math.Log(1 + float64(len(c.all))/float64(1+said))}
		if slices.Contains(names, t) {
			w.weight *= ofName
		}
		out, sum = append(out, w), sum+w.weight
	}
	for i := range out {
		out[i].weight /= sum
	}
	return out
}

// orders lists words about what to do with the result, not about what to find.
var orders = prose.Terms("draw plot chart diagram zeichne diagramm dessine graphique dibuja gráfico disegna grafico")

// nameTerms returns the words of a question that are names, numbers or program identifiers: those capitalised after the
// first word, or containing a digit or sign.
func nameTerms(question string) []string {
	var names []string
	for i, w := range prose.Words(question) {
		if i > 0 && prose.IsCapitalised(w.Text) || strings.ContainsAny(w.Text, "0123456789._-/") {
			names = append(names, prose.Terms(w.Text)...)
		}
	}
	return names
}

// cosine returns the cosine of the question with a sentence and its passage. Either stands for both if the other has no
// vector.
func (c *comparison) cosine(s compared, vectors map[string][]float32) float64 {
	asked, own, whole := vectors[c.hash], vectors[s.hash], vectors[c.ofPassages[s.passage]]
	if own == nil {
		own = whole
	}
	if whole == nil {
		whole = own
	}
	return max(0, (1-ofPassage)*llm.Cosine(asked, own)+ofPassage*llm.Cosine(asked, whole))
}
