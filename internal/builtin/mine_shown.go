package builtin

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// register is the style of a chunk, which decides how significant a capital is in it.
type register struct {
	technical bool // manuals and code: a capital may indicate a command, a type or a heading
	computing bool // it contains code, or discusses programs
	nouns     bool // all nouns are capitalised: German, and old English prints
	german    bool
	foreign   bool // a language other than English, whose common words are unknown
}

func registerOf(text string) register {
	tokens := prose.Tokens(text)
	language, code := prose.Language(text), codeIn(tokens)
	german := language == "de"
	return register{
		technical: code > 2 && code*technicalShare > len(tokens), computing: code > 1 && code*computingShare > len(tokens), foreign: language != "en" && language != "", german: german,
		nouns: german || capitalsNouns(tokens),
	}
}

// capitalsNouns reports whether words inside sentences, away from other names, often have
// a capital though they are common in lower case or follow "a" or "these".
func capitalsNouns(tokens []prose.Token) bool {
	lower := func(t prose.Token) bool { return !prose.IsCapitalised(t.Text) }
	nouns := 0
	for i, t := range tokens {
		if i == 0 || i+1 == len(tokens) || lower(t) || len(t.Text) < 3 || prose.IsAcronym(t.Text) {
			continue
		}
		before := tokens[i-1]
		if before.Word && lower(before) && lower(tokens[i+1]) && (prose.IsCommon(t.Text) || before.Text != "the" && articles[before.Text] && !demonyms[strings.ToLower(t.Text)]) {
			nouns++
		}
	}
	return nouns > 4 && nouns*nounShare > len(tokens)
}

// nounShare is the number of tokens per which one such word shows that nouns are capitalised.
const nounShare = 45

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

// The number of tokens per which one token of code makes a text technical, and shows that it is about programs.
const (
	technicalShare = 34
	computingShare = 60
)

// evidence collects the signs that a name is an entity.
type evidence struct {
	said    int // the highest vote of a context for its kind
	inside  int // mentions inside running text, where only a name has a capital
	opening int // mentions that open a sentence of running text as its subject
	quoted  int // mentions of more than one word in quotation marks in running text
	related bool
	titled  bool // a form of address precedes it: "Dr X"
}

func (v *evidence) add(o evidence) {
	v.said = max(v.said, o.said)
	v.titled = v.titled || o.titled
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

// witness records the evidence in the position of the mention at i.
func (s *sentence) witness(c *cast, i int) {
	m := &c.mentions[s.items[i].mention]
	e := &c.list[m.entity]
	if m.Title != "" {
		e.proof.said, e.proof.titled = max(e.proof.said, 5), true
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

// shows reports whether an entity is listed: the text describes it, or its name or its place in running text is
// evidence enough. Identifiers, acronyms and common words need more evidence, and so does every name in a language
// whose nouns have capitals.
func (c *cast) shows(e *character) bool {
	p, placed := e.proof, e.proof.inside+e.proof.opening > 0
	known := knownPlaces[e.key] || givenNames[e.words[0]] && e.label == person
	switch {
	case c.nouns && !c.german:
		return known || p.titled
	case e.isIdentifier(), e.isHeadline() && p.quoted == 0 && !e.main:
		return false
	case p.related, p.said > 4, knownPlaces[e.key]:
		return true
	case c.computing && e.label == domain.UnknownLabel && len(e.words) > 1 && slices.ContainsFunc(e.words, prose.IsCommon):
		return p.said > 2
	case e.isLoud() || e.isCode():
		return c.showsCode(e, placed)
	case e.isCommon():
		return c.showsCommon(e)
	case known, e.main && !c.technical && !prose.IsFunctionWord(e.words[0]):
		return true
	case c.lower[e.key] && p.said < 3:
		return false
	case placed, p.quoted > 0 && !c.technical:
		return true
	}
	return c.showsUnplaced(e)
}

// showsCode reports whether to list an entity whose name is spelled as code or in capitals.
func (c *cast) showsCode(e *character, placed bool) bool {
	p := e.proof
	if e.isLoud() || e.acronym && c.computing {
		return p.said > 2 || e.acronym && e.articled && placed && !c.technical && !jargon[e.key]
	}
	return (placed || p.quoted > 0) && (!c.technical || p.said > 2)
}

// showsCommon reports whether to list an entity whose name consists of common words.
func (c *cast) showsCommon(e *character) bool {
	p, labelled := e.proof, e.label != domain.UnknownLabel
	switch several := strings.Contains(e.name, " "); {
	case c.technical || c.nouns:
		return p.inside+p.opening > 0 && p.said > 2 || several && labelled && p.inside > 0
	default:
		return p.inside+p.opening > 0 && p.said > 1 || several && (p.inside+p.quoted > 0 || p.opening > 0 && labelled)
	}
}

// showsUnplaced reports whether to list an entity that does not occur in running text.
func (c *cast) showsUnplaced(e *character) bool {
	if c.technical || !strings.Contains(e.name, " ") {
		return e.label != domain.UnknownLabel && e.proof.said > 2
	}
	return e.label != domain.UnknownLabel || e.personal && !c.nouns && !c.foreign && !slices.ContainsFunc(e.words, prose.IsCommon)
}

// isIdentifier reports whether the name is spelled as parts of programs are: "4KB",
// "PRs", "US/Pacific", or common words without spaces between them, as in "ParseIn".
func (e *character) isIdentifier() bool {
	if slashed.MatchString(e.name) || strings.IndexFunc(e.name, unicode.IsDigit) == 0 && len(e.words) == 1 || prose.IsAcronym(strings.TrimSuffix(e.name, "s")) && !e.acronym {
		return true
	}
	humps := strings.Fields(humped.ReplaceAllString(e.name, "$1 $2"))
	return len(e.words) == 1 && len(humps) > 1 && !slices.ContainsFunc(humps, func(w string) bool { return !prose.IsCommon(w) })
}

// isHeadline reports whether the name is a statement, as headlines are: "Neon Is".
func (e *character) isHeadline() bool {
	return slices.ContainsFunc(e.words[1:], func(w string) bool { return copulas[w] })
}

// humped matches the boundary between words within one written word, and slashed joined words.
var (
	slashed = regexp.MustCompile(`\pL/\pL`)
	humped  = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)
)

// isCode reports whether a word of the name is spelled as code.
func (e *character) isCode() bool {
	return slices.ContainsFunc(prose.Tokens(e.name), func(t prose.Token) bool {
		return prose.IsCode(t) || len(t.Text) > 3 && t.Text == strings.ToUpper(t.Text) && strings.ContainsFunc(t.Text, unicode.IsLetter)
	})
}

// isLoud reports whether the name is of several words in capitals, or of one that is
// common in lower case.
func (e *character) isLoud() bool {
	return e.name == strings.ToUpper(e.name) && strings.ContainsFunc(e.name, unicode.IsLetter) && (len(e.words) > 2 || len(e.name) > 7 || e.isCommon())
}

// isCommon reports whether no word of the name is rarer than the words of a sentence.
func (e *character) isCommon() bool {
	return !slices.ContainsFunc(e.words, func(w string) bool {
		return !prose.IsCommon(w) && !jargon[w] && !bareWords[w] && !demonyms[w] && !prose.IsFunctionWord(w) && strings.Trim(w, "0123456789") != ""
	})
}

// split moves unlisted nodes to the names of the graph document, and drops their relations.
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
	g.Relationships = slices.DeleteFunc(g.Relationships, func(r domain.GraphRelationship) bool { return !shown[r.Source] || !shown[r.Target] })
	for i := range g.Relationships {
		r := &g.Relationships[i]
		r.Source, r.Target = at[r.Source], at[r.Target]
	}
	return g
}
