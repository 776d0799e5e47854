package builtin

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/prose"
)

// answerKind is the kind of answer a question asks for.
type answerKind int

const (
	anything answerKind = iota
	aPerson             // who: a name
	aTime               // when: a date or a year
	aPlace              // where
	aNumber             // how many
	aNamed              // which X: a name of that kind
	aReason             // why
	aWay                // how
	aVerdict            // is X …: yes or no
)

// question is a parsed question.
type question struct {
	text     string
	kind     answerKind
	wanted   []string // forms of the noun after which or what
	wantedAs string   // that noun as written
	pieces   []piece
	asks     stretch  // the question word and that noun
	names    []string // keys of all names in the question
	tokens   []prose.Token
	words    map[string]bool
}

// piece is an element, or the place where a description starts.
type piece struct {
	element
	opens bool // what follows describes the preceding pieces: head, name
	head  int  // how many preceding pieces are the described noun and its adjectives
}

// stretch is a run of tokens.
type stretch struct{ from, to int }

// element is one thing that an answer must mention.
type element struct {
	text  string
	key   string   // of a name or number; "" for a term
	words []string // of the key
	forms []string // of a term
	weak  bool     // supports an answer but is not required
	aside bool     // in a clause that says when or if, which is not what is asked
	from  int      // tokens of the question
	to    int
}

// readQuestion parses a question. known holds the keys of names that may be
// spelt in lower case.
func readQuestion(text string, known map[string]bool) *question {
	text = prose.Question(text)
	q := &question{text: text, tokens: prose.Tokens(text), words: map[string]bool{}}
	r := &questionReader{question: q, known: known}
	r.findNames()
	r.findKind()
	r.read()
	return q
}

type questionReader struct {
	*question
	known  map[string]bool
	nameAt map[int]int // first token of a name → its end
	start  int         // end of the question words
	aside  bool        // in a clause that says when or if
	noun   stretch     // the noun asked for: its tokens are weak
}

// word returns token i in lower case, or "".
func (q *question) word(i int) string {
	if i < 0 || i >= len(q.tokens) {
		return ""
	}
	return strings.ToLower(q.tokens[i].Text)
}

// findNames finds names by their spelling, and lower-case names that the
// passages know.
func (r *questionReader) findNames() {
	r.nameAt = map[int]int{}
	var s proposition
	s.tokens = r.tokens
	for _, n := range prose.Names(r.text) {
		s.addName(n.Text, n.Span)
	}
	taken := map[int]bool{}
	add := func(from, to int) {
		for i := from; i < to; i++ {
			if taken[i] {
				return
			}
		}
		for i := from; i < to; i++ {
			taken[i] = true
		}
		r.nameAt[from] = to
	}
	for _, n := range s.names {
		if n.to > n.from+1 || !isStop(n.text) {
			add(n.from, n.to)
		}
	}
	for length := 5; length > 1; length-- {
		for i := 0; i+length <= len(r.tokens); i++ {
			if key := prose.Key(textOf(r.tokens[i : i+length])); strings.Contains(key, " ") && r.known[key] {
				add(i, i+length)
			}
		}
	}
	for _, t := range r.tokens {
		for key := range strings.FieldsSeq(prose.Key(t.Text)) {
			r.words[key], r.words[prose.Stem(key)] = true, true
		}
	}
}

// lateQuestion is how many tokens may precede the question word: "In the end,
// who …", "Tell me where …".
const lateQuestion = 4

// findKind reads the kind of answer from the question word.
func (r *questionReader) findKind() {
	for i := range min(lateQuestion, len(r.tokens)) {
		next := r.word(i + 1)
		switch r.word(i) {
		case "who", "whom", "whose":
			r.kind, r.start = aPerson, i+1
		case "when":
			r.kind, r.start = aTime, i+1
		case "where":
			r.kind, r.start = aPlace, i+1
		case "how":
			r.kind, r.start = aWay, i+1
			if measures[next] {
				r.kind, r.start = aNumber, i+2
			}
		case "why":
			r.kind, r.start = aReason, i+1
		case "which", "what":
			r.start = i + 1
			r.findNoun()
		default:
			continue
		}
		r.asks = stretch{i, max(r.start, r.noun.to)}
		return
	}
	if beings[r.word(0)] || helping[r.word(0)] {
		r.kind, r.asks, r.start = aVerdict, stretch{0, 1}, 1
	}
}

// findNoun reads the noun after which or what.
func (r *questionReader) findNoun() {
	end := r.start
	if presentVerb(r.word(end)) && (places[r.word(end+1)] || subordinating[r.word(end+1)]) { // what happens to it
		return
	}
	if r.isVerb(end) && !beings[r.word(end+1)] && !transparent[r.word(end+1)] { // what caused the fire
		return
	}
	for end < len(r.tokens) && r.isNoun(end) && (end == r.start || r.isNoun(end+1) || r.isVerb(end+1) || beings[r.word(end+1)] || helping[r.word(end+1)]) {
		end++
	}
	if end == r.start {
		return
	}
	noun := r.word(end - 1)
	switch {
	case timeNouns[noun]:
		r.kind, r.start = aTime, end
	case amountNouns[noun]:
		r.kind, r.start = aNumber, end
	default:
		r.kind, r.noun = aNamed, stretch{r.start, end}
		r.wantedAs, r.wanted = noun, formsOf(noun)
	}
}

// presentVerb reports whether a word may be a verb of the third person.
func presentVerb(word string) bool {
	return strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss")
}

// isNoun reports whether token i may be part of the noun after which.
func (r *questionReader) isNoun(i int) bool {
	to, name := r.nameAt[i]
	name = name && (i != r.start || to != i+1) // "which Python version"
	return i < len(r.tokens) && r.tokens[i].Word && !name && !prose.IsStopWord(r.tokens[i].Text) && (i == r.start || !r.isVerb(i))
}

// isVerb reports whether token i looks like a past-tense verb.
func (r *questionReader) isVerb(i int) bool {
	return isPastVerb(r.word(i))
}

// read lists the elements and the places where descriptions start.
func (r *questionReader) read() {
	for i := r.start; i < len(r.tokens); i++ {
		switch word := r.word(i); {
		case subordinating[word], word == "that" && r.word(i-1) == "so":
			r.aside = slices.ContainsFunc(r.pieces, func(p piece) bool { return !p.weak })
		case word == ",":
			r.aside = false
		}
		if to, ok := r.nameAt[i]; ok {
			key := prose.Key(textOf(r.tokens[i:to]))
			r.names = append(r.names, key)
			r.pieces = append(r.pieces, piece{element: element{text: textOf(r.tokens[i:to]), key: key, words: strings.Fields(key), from: i, to: to, aside: r.aside}})
			i = to - 1
			continue
		}
		r.token(i)
	}
}

// token reads a token that is not a name.
func (r *questionReader) token(i int) {
	t, word := r.tokens[i], r.word(i)
	switch {
	case !t.Word:
	case relatives[word] && r.afterNoun(i):
		r.open(i + 1)
	case isNumber(t.Text) || len(t.Text) > 1 && strings.ContainsAny(t.Text, "0123456789-_"):
		key := prose.Key(t.Text)
		r.pieces = append(r.pieces, piece{element: element{text: t.Text, key: key, words: strings.Fields(key), from: i, to: i + 1}})
	case isStop(t.Text):
	default:
		if participlesBefore[r.word(i+1)] && r.isVerb(i) && r.nounBefore(i) {
			r.open(i)
		}
		e := element{text: t.Text, forms: formsOf(t.Text), from: i, to: i + 1, aside: r.aside}
		e.weak = i < r.noun.to && i >= r.noun.from || soft[word] || anybody[word] || strings.HasSuffix(word, "ly") && len(word) > 4 || r.inPath(i)
		if r.word(i+1) == "of" && isOffice(word) && !(r.noun.from <= i && i < r.noun.to) {
			r.openOffice(i)
		}
		r.pieces = append(r.pieces, piece{element: e})
	}
}

// inPath reports whether token i belongs to a path or an address without being the
// word by which it is called: the last part of "modernc.org/sqlite", the first of
// "Node.js".
func (r *questionReader) inPath(i int) bool {
	joined := func(i int) bool {
		return i > 0 && i < len(r.tokens) && r.tokens[i-1].Span.End == r.tokens[i].Span.Start
	}
	from, to := i, i+1
	for joined(from) {
		from--
	}
	for joined(to) {
		to++
	}
	for k := from; k < to; k++ {
		if r.tokens[k].Text == "/" && k > i && k+1 < to {
			return true
		}
	}
	return i > from+1 && r.tokens[i-1].Text == "." && r.tokens[i-2].Word
}

func isNumber(s string) bool {
	return s != "" && s[0] >= '0' && s[0] <= '9'
}

// isOffice reports whether a noun belongs to what it is "of": the editor of a
// paper.
func isOffice(word string) bool {
	if offices[word] {
		return true
	}
	return len(word) > 4 && slices.ContainsFunc(officeEndings, func(e string) bool { return strings.HasSuffix(word, e) })
}

// afterNoun reports whether the relative pronoun at i follows a noun, perhaps
// with a preposition between them.
func (r *questionReader) afterNoun(i int) bool {
	if w := r.word(i - 1); places[w] || w == "for" || w == "of" || w == "with" {
		i--
	}
	return r.nounBefore(i)
}

// nounBefore reports whether the last piece is a term that ends at token i and
// follows a determiner.
func (r *questionReader) nounBefore(i int) bool {
	n := len(r.pieces)
	if n == 0 || r.pieces[n-1].opens || r.pieces[n-1].key != "" || r.pieces[n-1].from != i-1 {
		return false
	}
	for back := i - 1; back >= 0 && back >= i-4; back-- {
		if determiners[r.word(back)] {
			return true
		}
	}
	return false
}

// open starts the description of the last noun and its adjectives.
func (r *questionReader) open(from int) {
	head := 1
	n := len(r.pieces)
	for head < 3 && head < n && !r.pieces[n-head-1].opens && r.pieces[n-head-1].key == "" && r.pieces[n-head-1].from == r.pieces[n-head].from-1 {
		head++
	}
	r.pieces = append(r.pieces, piece{opens: true, head: head, element: element{from: from}})
}

// openOffice starts a description with an office at token i and its adjectives.
func (r *questionReader) openOffice(i int) {
	at := len(r.pieces)
	for at > 0 && !r.pieces[at-1].opens && r.pieces[at-1].key == "" && r.pieces[at-1].from == i-1 && !r.pieces[at-1].weak {
		at, i = at-1, i-1
	}
	if !determiners[r.word(i-1)] {
		return
	}
	r.pieces = slices.Insert(r.pieces, at, piece{opens: true, element: element{from: i}})
}
