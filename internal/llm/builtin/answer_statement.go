package builtin

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// proposition is one sentence of a passage, made ready to be held against a
// question.
type proposition struct {
	passage int         // in the findings
	span    domain.Span // in the document's text
	text    string
	tokens  []prose.Token
	forms   [][]string // of each token; nil for signs
	parts   []part     // the keys of the tokens in order
	names   []named
	leans   *leaning // nil when it can be read alone
}

// part is one word of the key of a token.
type part struct {
	key     string
	token   int
	capital bool
}

// named is a name in a proposition.
type named struct {
	text     string
	key      string
	full     string // key of the longer name that it is short for; else key
	from, to int    // tokens
}

// leaning says that a proposition speaks of something without naming it.
type leaning struct {
	names []named // what it may speak of, the likeliest first
	where int     // the proposition that names it; -1 when a title or heading does
}

// findings are the passages that a search found, sentence by sentence.
type findings struct {
	passages     []domain.Passage
	propositions []proposition
	context      [][]string      // forms of all words of each passage with its title and headings
	lower        map[string]bool // words that occur in lower case
}

func readFindings(passages []domain.Passage) *findings {
	f := &findings{passages: passages, lower: map[string]bool{}}
	for i, p := range passages {
		first := len(f.propositions)
		f.read(i, p)
		f.context = append(f.context, contextOf(p))
		for s := first; s < len(f.propositions); s++ {
			for _, t := range f.propositions[s].tokens {
				if t.Word && !prose.IsCapitalised(t.Text) {
					f.lower[prose.Key(t.Text)] = true
				}
			}
		}
	}
	f.expand()
	for i := range f.propositions {
		f.propositions[i].leans = f.leaning(i)
	}
	return f
}

// contextOf are the forms of every word that surrounds a passage's sentences.
func contextOf(p domain.Passage) []string {
	var all []string
	for _, w := range prose.Words(p.Title + " " + strings.Join(p.Headings, " ") + " " + p.Text) {
		all = append(all, formsOf(w.Text)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// read adds the sentences of a passage.
func (f *findings) read(passage int, p domain.Passage) {
	text := []rune(p.Text)
	names := prose.Names(p.Text)
	for _, span := range prose.Sentences(p.Text) {
		s := proposition{passage: passage, span: span.Shift(p.Span.Start), text: string(text[span.Start:span.End])}
		s.tokens = prose.Tokens(s.text)
		for i, t := range s.tokens {
			if !t.Word {
				s.forms = append(s.forms, nil)
				continue
			}
			s.forms = append(s.forms, formsOf(t.Text))
			for key := range strings.FieldsSeq(prose.Key(t.Text)) {
				s.parts = append(s.parts, part{key, i, prose.IsCapitalised(t.Text)})
			}
		}
		for _, n := range names {
			if span.Contains(n.Span) && (n.Kind == prose.Proper || n.Kind == prose.Quoted) {
				s.addName(n.Text, n.Span.Shift(-span.Start))
			}
		}
		f.propositions = append(f.propositions, s)
	}
}

// addName notes a name, and in its place both names where one binds two.
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
	for i := n.from + 1; i+2 < n.to; i++ {
		if prose.IsStopWord(s.tokens[i].Text) && strings.EqualFold(s.tokens[i+1].Text, "the") {
			s.addName(textOf(s.tokens[n.from:i]), domain.Span{Start: s.tokens[n.from].Span.Start, End: s.tokens[i-1].Span.End})
			s.addName(textOf(s.tokens[i+2:n.to]), domain.Span{Start: s.tokens[i+2].Span.Start, End: s.tokens[n.to-1].Span.End})
			return
		}
	}
	n.full = n.key
	s.names = append(s.names, n)
}

// textOf are tokens with spaces between.
func textOf(tokens []prose.Token) string {
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = t.Text
	}
	return strings.Join(words, " ")
}

// expand finds, for each name of one word, the one longer name of its document
// that ends or begins with it.
func (f *findings) expand() {
	for i := range f.propositions {
		s := &f.propositions[i]
		for n := range s.names {
			if !strings.Contains(s.names[n].key, " ") {
				s.names[n].full = f.longForm(f.passages[s.passage].Document, s.names[n].key)
			}
		}
	}
}

func (f *findings) longForm(document domain.DocumentID, short string) string {
	full := ""
	for i := range f.propositions {
		s := &f.propositions[i]
		if f.passages[s.passage].Document != document {
			continue
		}
		for _, n := range s.names {
			if n.key == full || !(strings.HasSuffix(n.key, " "+short) || strings.HasPrefix(n.key, short+" ")) {
				continue
			}
			if full != "" {
				return short // of two
			}
			full = n.key
		}
	}
	if full == "" {
		return short
	}
	return full
}

// leaning finds what a proposition speaks of that begins with a pronoun, or
// that stands under a heading and has no name of its own.
func (f *findings) leaning(i int) *leaning {
	s := &f.propositions[i]
	kind := s.pronoun()
	if kind == noPronoun {
		return f.headed(i)
	}
	for j := i - 1; j >= 0 && j >= i-3 && f.propositions[j].passage == s.passage; j-- {
		before := &f.propositions[j]
		if names := f.pick(before.subjects(kind), kind); len(names) > 0 {
			return &leaning{names, j}
		}
		if l := before.leans; l != nil && l.where >= 0 && len(f.pick(l.names, kind)) > 0 {
			return l
		}
	}
	return f.titled(s.passage)
}

// headed takes the names of the heading that a proposition without a name
// stands under.
func (f *findings) headed(i int) *leaning {
	s := &f.propositions[i]
	if len(s.names) > 0 || s.bare() {
		return nil
	}
	for j := i - 1; j >= 0 && f.propositions[j].passage == s.passage; j-- {
		if above := &f.propositions[j]; above.bare() {
			if len(above.names) == 0 {
				return nil
			}
			return &leaning{above.names[:1], -1}
		}
	}
	return nil
}

// bare reports whether the proposition is a heading or another line that does
// not end like a sentence.
func (s *proposition) bare() bool {
	return len(s.tokens) > 0 && !strings.ContainsAny(s.text[max(0, len(s.text)-6):], ".!?…")
}

// pronounKind says for what a pronoun can stand.
type pronounKind int

const (
	noPronoun pronounKind = iota
	ofPerson
	ofPeople // one of each sex
	ofThing
)

// pronoun is the kind of pronoun that stands before the first name.
func (s *proposition) pronoun() pronounKind {
	end := len(s.tokens)
	if len(s.names) > 0 {
		end = s.names[0].from
	}
	kind, first := noPronoun, ""
	for _, t := range s.tokens[:end] {
		word := strings.ToLower(t.Text)
		switch {
		case pronounsOfPeople[word] && kind == noPronoun:
			kind, first = ofPerson, word
		case pronounsOfPeople[word] && kind == ofPerson && sex[word] != sex[first]:
			return ofPeople
		case pronounsOfThings[word] && kind == noPronoun:
			kind = ofThing
		}
	}
	return kind
}

// subjects are the names that a later pronoun of a kind may speak of: a place
// in which something happens is seldom one.
func (s *proposition) subjects(kind pronounKind) []named {
	if kind != ofThing {
		return s.names
	}
	return slices.DeleteFunc(slices.Clone(s.names), func(n named) bool { return s.follows(n.from, locatives) })
}

// pick are the names that a pronoun of a kind can stand for. Where all read
// like people, a thing is the last of several: whom somebody did it to.
func (f *findings) pick(names []named, kind pronounKind) []named {
	var out []named
	for _, n := range names {
		if f.personal(n.key) != (kind == ofThing) {
			out = append(out, n)
		}
	}
	switch {
	case kind == ofThing && len(out) == 0 && len(names) > 1:
		return names[len(names)-1:]
	case kind != ofPeople && len(out) > 1:
		return out[:1]
	}
	return out
}

// personal reports whether a name reads like that of a person: two words or
// more without a small one among them, the last of which is no noun that the
// passages use.
func (f *findings) personal(key string) bool {
	words := strings.Fields(key)
	return len(words) > 1 && !f.lower[words[len(words)-1]] && !slices.ContainsFunc(words, prose.IsStopWord)
}

// titled takes the name in a document's title for what its pronouns stand for:
// the title is a name, or has that of a person the document speaks of.
func (f *findings) titled(passage int) *leaning {
	p := f.passages[passage]
	title, _, _ := strings.Cut(p.Title, ",")
	best := named{from: -1, to: -1}
	for _, n := range prose.Names(title) {
		if prose.Key(n.Text) == prose.Key(title) {
			best.text, best.key = n.Text, prose.Key(n.Text)
		}
	}
	whole := " " + prose.Key(p.Title) + " "
	for i := range f.propositions {
		if s := &f.propositions[i]; best.key == "" && f.passages[s.passage].Document == p.Document {
			for _, n := range s.names {
				if f.personal(n.key) && strings.Contains(whole, " "+n.key+" ") {
					best.text, best.key = n.text, n.key
				}
			}
		}
	}
	if best.key == "" {
		return nil
	}
	best.full = best.key
	return &leaning{[]named{best}, -1}
}

// find looks for a key among the words of the proposition and gives the tokens
// that hold it. Capital asks for capital letters where a name has them.
func (s *proposition) find(key string, capital bool) (from, to int, ok bool) {
	words := strings.Fields(key)
	if len(words) == 0 {
		return 0, 0, false
	}
	for i := 0; i+len(words) <= len(s.parts); i++ {
		match := true
		for k, w := range words {
			p := s.parts[i+k]
			if p.key != w || capital && !p.capital && (k == 0 || k == len(words)-1) {
				match = false
				break
			}
		}
		if match {
			return s.parts[i].token, s.parts[i+len(words)-1].token + 1, true
		}
	}
	return 0, 0, false
}
