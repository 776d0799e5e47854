package builtin

import (
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// register is how a chunk is written, which decides how much a capital says in it.
type register struct {
	technical bool // manuals and code: a capital may mark a command, a type or a heading
	nouns     bool // every noun has a capital: German, and old English prints
	german    bool
	foreign   bool // another language than English, whose common words are not known
}

func registerOf(text string) register {
	tokens := prose.Tokens(text)
	language, code := prose.Language(text), codeIn(tokens)
	german := language == "de"
	return register{
		technical: code > 2 && code*technicalShare > len(tokens), foreign: language != "en" && language != "", german: german,
		nouns: german || capitalsNouns(tokens),
	}
}

// capitalsNouns reports whether words that are common in lower case often have a capital
// after one that has none.
func capitalsNouns(tokens []prose.Token) bool {
	common, all := 0, 0
	for i, t := range tokens {
		if i == 0 || !t.Word || !tokens[i-1].Word || !prose.IsCapitalised(t.Text) || prose.IsCapitalised(tokens[i-1].Text) || prose.IsAcronym(t.Text) || len(t.Text) < 3 ||
			i+1 < len(tokens) && prose.IsCapitalised(tokens[i+1].Text) {
			continue
		}
		all++
		if prose.IsCommon(t.Text) {
			common++
		}
	}
	return common > 5 && common*4 > all
}

func codeIn(tokens []prose.Token) int {
	code := 0
	for _, t := range tokens {
		switch {
		case prose.IsAcronym(t.Text):
		case prose.IsCode(t), computing[prose.Stem(t.Text)]:
			code++
		}
	}
	return code
}

// technicalShare is the number of tokens among which one of code makes a text
// technical.
const technicalShare = 27

// evidence is what the mentions of a name say for its being one.
type evidence struct {
	said    int // the highest vote of a context for what it is
	inside  int // mentions inside running text, where only a name has a capital
	opening int // mentions that open a sentence of running text as its subject
	quoted  int // mentions of more than one word in quotation marks in running text
	related bool
}

func (v *evidence) add(o evidence) {
	v.said = max(v.said, o.said)
	v.inside, v.opening, v.quoted = v.inside+o.inside, v.opening+o.opening, v.quoted+o.quoted
}

// isRunning reports whether items are a sentence rather than a heading, a row of a
// table or a line of code: most of its words are in lower case.
func isRunning(items []sentenceItem) bool {
	lower, words := 0, 0
	for _, it := range items {
		switch {
		case it.mention >= 0 || it.date != "":
			words++
		case it.lower == "":
			if strings.ContainsAny(it.text, "{}<>=|\\`#$@~^*_+") {
				words += 2
			}
		default:
			words++
			if isLower(it) {
				lower++
			}
		}
	}
	return lower > 1 && lower*5 > words
}

// witness notes what the place of the mention at i says.
func (s *sentence) witness(c *cast, i int) {
	m := &c.mentions[s.items[i].mention]
	e := &c.list[m.entity]
	if m.Title != "" {
		e.proof.said = max(e.proof.said, 5)
	}
	switch {
	case !s.running:
	case m.Kind == prose.Quoted:
		if !c.technical {
			e.votes.add(work, 3)
		}
		if strings.Contains(m.Text, " ") {
			e.proof.quoted++
		} else if !c.technical {
			e.proof.inside++
		}
	case s.isInside(c, i):
		e.proof.inside++
	case s.opensClause(i) || !c.technical && !c.nouns && !c.foreign && !s.is(i-1, ":") && !s.is(i-1, "|"):
		e.proof.opening++
	}
}

// isInside reports whether only a name would have a capital at i.
func (s *sentence) isInside(c *cast, i int) bool {
	if i == 0 || s.is(i-1, ":") || s.is(i-1, "|") || s.is(i-1, "•") || c.technical && s.word(i-1) == "" && !s.named(i-1) && !s.is(i-1, ",") && !s.is(i-1, "(") {
		return false
	}
	if c.nouns && !c.german {
		return false
	}
	if c.german && (!properly[s.word(i-1)] || isGermanNoun(s.items[i].text)) {
		return false
	}
	return i == 1 && prose.IsFunctionWord(s.word(0)) || slices.ContainsFunc(s.items[:i], isLower)
}

func isLower(it sentenceItem) bool { return it.lower != "" && it.lower == it.text }

// opensClause reports whether a verb or a comma follows the mention that opens the
// sentence.
func (s *sentence) opensClause(i int) bool {
	w := s.word(i + 1)
	return i == 0 && (s.is(1, ",") && strings.Contains(s.items[0].text, " ") || s.is(1, "(") || s.is(1, "and") || s.items[0].possessive || copulas[w] || auxiliaries[w] || modals[w] || presents[w] || isPast(w) || w == "who")
}

// isGermanNoun reports whether a single word is built like a noun.
func isGermanNoun(word string) bool {
	return hasEnding(word, germanNouns) && !strings.Contains(word, " ") && !knownPlaces[strings.ToLower(word)]
}

// shows reports whether an entity is listed: the text says what it is or something of
// it, its name tells, or its place in running text. What is spelled as identifiers,
// acronyms and common words are needs more.
func (c *cast) shows(e *character) bool {
	p := e.proof
	if p.related || p.said > 4 || knownPlaces[e.key] {
		return true
	}
	placed := p.inside > 0 || p.opening > 0
	switch {
	case e.isLoud():
		return p.said > 2 || e.acronym && e.articled && placed && !c.technical && !jargon[e.key]
	case e.isCode():
		return (placed || p.quoted > 0) && (!c.technical || p.said > 2)
	case e.isCommon():
		return c.showsCommon(e)
	case givenNames[e.words[0]] && e.label == person, e.main && !c.technical:
		return true
	case c.lower[e.key] && p.said < 3:
		return false
	case placed, p.quoted > 0 && !c.technical:
		return true
	}
	return c.showsUnplaced(e)
}

// showsCommon reports whether an entity is listed whose name is of common words.
func (c *cast) showsCommon(e *character) bool {
	p, several, labelled := e.proof, strings.Contains(e.name, " "), e.label != domain.UnknownLabel
	if c.technical || c.nouns {
		return p.inside+p.opening > 0 && p.said > 2 || several && labelled && p.inside > 0
	}
	return p.inside+p.opening > 0 && p.said > 1 || several && (p.inside+p.quoted > 0 || p.opening > 0 && labelled)
}

// showsUnplaced reports whether an entity is listed that stands in no running text.
func (c *cast) showsUnplaced(e *character) bool {
	if c.technical || !strings.Contains(e.name, " ") {
		return e.label != domain.UnknownLabel && e.proof.said > 2
	}
	return e.label != domain.UnknownLabel || e.personal && !c.nouns && !c.foreign && !slices.ContainsFunc(e.words, prose.IsCommon)
}

// isCode reports whether a word of the name is spelled as code.
func (e *character) isCode() bool {
	for _, t := range prose.Tokens(e.name) {
		if prose.IsCode(t) || len(t.Text) > 3 && t.Text == strings.ToUpper(t.Text) && strings.ContainsFunc(t.Text, unicode.IsLetter) {
			return true
		}
	}
	return false
}

// isLoud reports whether the name is of several words in capitals, or of one that is
// common in lower case.
func (e *character) isLoud() bool {
	return e.name == strings.ToUpper(e.name) && strings.ContainsFunc(e.name, unicode.IsLetter) && (len(e.words) > 2 || len(e.name) > 7 || e.isCommon())
}

// isCommon reports whether no word of the name is rarer than the words of a sentence.
func (e *character) isCommon() bool {
	for _, w := range e.words {
		if !prose.IsCommon(w) && !jargon[w] && !bareWords[w] && !demonyms[w] && !prose.IsFunctionWord(w) && strings.Trim(w, "0123456789") != "" {
			return false
		}
	}
	return true
}

// split moves the nodes that are not listed to the names of the graph document.
func (c *cast) split(g domain.GraphDocument, place []int) domain.GraphDocument {
	for _, r := range g.Relationships {
		for who, at := range place {
			if at == r.Source || at == r.Target {
				c.list[who].proof.related = true
			}
		}
	}
	shown := make([]bool, len(g.Nodes))
	for who, at := range place {
		if at >= 0 {
			shown[at] = shown[at] || c.shows(&c.list[who])
		}
	}
	at := make([]int, len(g.Nodes))
	nodes := g.Nodes
	g.Nodes = nil
	for i, n := range nodes {
		if at[i] = len(g.Nodes); shown[i] {
			g.Nodes = append(g.Nodes, n)
		} else {
			n.Label = domain.UnknownLabel
			g.Names = append(g.Names, n)
		}
	}
	for i := range g.Relationships {
		r := &g.Relationships[i]
		r.Source, r.Target = at[r.Source], at[r.Target]
	}
	return g
}
