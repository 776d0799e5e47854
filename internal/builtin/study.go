package builtin

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/prose/dates"
	"github.com/clewhq/clew/internal/questions/suggest"
	"github.com/clewhq/clew/internal/summarize"
	"github.com/clewhq/clew/internal/summarize/study"
)

// Studying returns a maker of study sets that works without a model: it finds sentences that define a term, that answer a question,
// or that date something, by rule, in English and German. Their words stay as they are.
func Studying() study.Maker { return studier{} }

type studier struct{}

// The worth of an item by the rule that found it.
const (
	worthGap = iota + 1
	worthFact
	worthShort // an abbreviation
	worthBeside
	worthDefined
	worthAsked // asked by the document itself
)

// Make implements study.Maker.
func (studier) Make(_ context.Context, r study.Request, _ func(string), _ summarize.Emit) ([]study.Item, error) {
	p := lesson{text: r.Text, start: r.Part.Span.Start, language: prose.Language(r.Text), sentences: prose.Sentences(r.Text)}
	switch r.Kind {
	case domain.Glossary:
		p.findTerms()
	case domain.FAQ:
		p.findQuestions(true)
	default:
		p.findTerms()
		p.findQuestions(false)
		p.findGaps()
	}
	return p.items, nil
}

// A lesson is a part of a text that items are taken from.
type lesson struct {
	text      string
	start     int    // of text in its document
	language  string // "" if unclear: both are tried
	sentences []domain.Span
	items     []study.Item
}

func (p *lesson) add(front, back string, span domain.Span, worth int) {
	if front = domain.OneLine(front); front != "" && back != "" {
		p.items = append(p.items, study.Item{Front: front, Back: domain.OneLine(back), Span: span.Shift(p.start), Worth: worth})
	}
}

func (p *lesson) speaks(language string) bool { return p.language == "" || p.language == language }

// findTerms lists the terms that sentences define.
func (p *lesson) findTerms() {
	for _, s := range p.sentences {
		said := s.Slice(p.text)
		if d, ok := p.defined(said); ok && !p.named(d.term, s) {
			p.add(d.term, d.says, s, d.worth)
		}
		for _, short := range abbreviations(said) {
			p.add(short.term, short.says, s, worthShort)
		}
	}
	for _, l := range listed(p.text) {
		p.add(l.term, l.says, l.span, worthDefined)
	}
}

// findQuestions lists the questions that sentences answer, and those that the text itself asks before it answers them; those about
// terms only if terms is set.
func (p *lesson) findQuestions(terms bool) {
	for i, s := range p.sentences {
		said := s.Slice(p.text)
		if asked := suggest.Asked(p.language, said); asked != "" && i+1 < len(p.sentences) && p.alone(s) {
			back := p.sentences[i+1]
			if len(strings.Fields(back.Slice(p.text))) < fewestAnswering || strings.HasSuffix(back.Slice(p.text), "?") {
				continue
			}
			if i+2 < len(p.sentences) && !strings.Contains(p.between(back, p.sentences[i+2]), "\n") {
				back.End = p.sentences[i+2].End
			}
			p.add(asked, back.Slice(p.text), back, worthAsked)
			continue
		}
		if d, ok := p.defined(said); ok && !p.named(d.term, s) && d.verb != "" {
			if terms {
				p.add(d.question(), said, s, worthFact)
			}
			continue
		}
		if asked := suggest.Questions(p.text, p.language, said); len(asked) > 0 {
			p.add(asked[0], said, s, worthFact)
		}
	}
}

// fewestAnswering is how many words the sentence below a question has, to be its answer.
const fewestAnswering = 4

// alone reports whether a sentence has a line to itself.
func (p *lesson) alone(s domain.Span) bool {
	before, after := domain.Span{End: s.Start}.Slice(p.text), domain.Span{Start: s.End, End: domain.Runes(p.text)}.Slice(p.text)
	before = strings.TrimRight(before, "#*- 0123456789.")
	return (before == "" || strings.HasSuffix(before, "\n")) && strings.HasPrefix(strings.TrimLeft(after, " *"), "\n")
}

func (p *lesson) between(a, b domain.Span) string {
	return domain.Span{Start: a.End, End: b.Start}.Slice(p.text)
}

// named reports whether a term is short for a longer name that occurs before a sentence and ends with it.
func (p *lesson) named(term string, s domain.Span) bool {
	if strings.Contains(term, " ") {
		return false
	}
	words := strings.Fields(domain.Span{End: s.Start}.Slice(p.text))
	for i := 1; i < len(words); i++ {
		if strings.Trim(words[i], `,.;:'"“”()`) == term && capital(words[i-1]) && !prose.IsFunctionWord(words[i-1]) && !strings.HasSuffix(words[i-1], ".") {
			return true
		}
	}
	return false
}

// question returns the question that the definition answers.
func (d definition) question() string {
	asks := "What"
	switch {
	case d.german && d.person:
		asks = "Wer"
	case d.german:
		asks = "Was"
	case d.person:
		asks = "Who"
	}
	return asks + " " + d.verb + " " + d.subject + "?"
}

// Limits of a sentence with a gap, in words.
const (
	fewestAround = 6
	mostAround   = 30
)

// findGaps lists sentences about a name with a gap where they have their only date.
func (p *lesson) findGaps() {
	for _, s := range p.sentences {
		said := domain.OneLine(s.Slice(p.text))
		words := strings.Fields(said)
		found := dates.Read(said)
		if len(found) != 1 || len(words) < fewestAround || len(words) > mostAround || !strings.HasSuffix(said, ".") || refers(words[:1]) {
			continue
		}
		if slices.ContainsFunc(p.items, func(i study.Item) bool { return i.Span == s.Shift(p.start) && asksWhen(i.Front) }) {
			continue
		}
		if names := prose.Names(said); len(names) == 0 || names[0].Span.Start > 4 { // after an article
			continue
		}
		at := found[0].Span
		p.add(domain.Span{End: at.Start}.Slice(said)+"[…]"+domain.Span{Start: at.End, End: domain.Runes(said)}.Slice(said), at.Slice(said), s, worthGap)
	}
}

// asksWhen reports whether a question asks for a date already.
func asksWhen(question string) bool {
	return strings.HasPrefix(question, "When ") || strings.HasPrefix(question, "Wann ")
}

// A definition is a term and its meaning according to a sentence.
type definition struct {
	term, says string
	subject    string // the term with its article, as inside a sentence
	verb       string // between the two; may be ""
	person     bool
	german     bool
	worth      int
}

// defined returns the definition that a sentence is.
func (p *lesson) defined(said string) (definition, bool) {
	said = strings.Trim(domain.OneLine(strings.NewReplacer("`", "", "**", "").Replace(said)), "-*•# ")
	first := []rune(said + " ")[0]
	if !strings.HasSuffix(strings.TrimRight(said, `"”»)`), ".") || strings.Count(said, "(") != strings.Count(said, ")") || strings.ContainsAny(said, "|{}<>=?!\\") || !unicode.IsUpper(first) && !unicode.IsDigit(first) && !strings.ContainsRune(`"“„«`, first) {
		return definition{}, false
	}
	said = strings.TrimSuffix(said, ".")
	if p.speaks("en") {
		if d, ok := definedIn(said, english); ok {
			return d, true
		}
	}
	if p.speaks("de") {
		if d, ok := definedIn(said, german); ok {
			d.german = true
			return d, true
		}
	}
	return definition{}, false
}

// A grammar describes how a language defines terms.
type grammar struct {
	is       map[string]bool     // verbs that join a term and its definition
	past     map[string]bool     // those that only define names
	plural   map[string]bool     // those for several things
	means    map[string][]string // first words of other such verbs, with the words that follow
	articles map[string]bool     // articles that begin definitions
	any      map[string]bool     // those that fit any thing
	relative map[string]bool     // words that introduce a distinguishing clause
	vague    map[string]bool     // first words that define nothing
	nouns    bool                // all are capitalised, not only names
}

var (
	english = grammar{
		is: prose.Set("is are was were"), past: prose.Set("was were"), plural: prose.Set("are were"),
		means:    map[string][]string{"means": nil, "denotes": nil, "refers": {"to"}, "stands": {"for"}, "describes": nil},
		articles: prose.Set("a an the one any"), any: prose.Set("a an one any"), relative: prose.Set("that which who where used made"),
		vague: prose.Set("lot bit result must matter good great bad shame pity reason same only most best worst problem case time few little long short new old first last next key main real true big small part consequence question difference example sign way cause better worse more less fact proof success failure disaster challenge mistake idea thing day year"),
	}
	german = grammar{
		is: prose.Set("ist sind war waren"), past: prose.Set("war waren"), plural: prose.Set("sind waren"),
		means:    map[string][]string{"bezeichnet": nil, "bedeutet": nil, "steht": {"für"}, "heißt": nil},
		articles: prose.Set("ein eine einer eines der die das"), any: prose.Set("ein eine einer eines"), relative: prose.Set("die welche mit"),
		vague: prose.Set("grund folge problem fall gute guter gutes große großer großes wichtige wichtiger wichtiges gleiche selbe beste einzige erste letzte nächste teil ergebnis frage beispiel tag jahr zeit sache hauptgrund ziel"), nouns: true,
	}
)

// quoteMarks enclose titles.
const quoteMarks = `"“”„«» *_`

// mostTerm is the most words of a term.
const mostTerm = 7

// definedIn returns the definition that a sentence is in a language.
func definedIn(said string, g grammar) (definition, bool) {
	plain := aside(said)
	words := strings.Fields(plain)
	for i := 1; i < min(len(words)-3, mostTerm+2); i++ {
		low := strings.ToLower(words[i])
		after, means := g.means[low]
		switch {
		case g.is[low]:
			if d, ok := g.copula(words, i); ok {
				d.says, d.person = rest(said, d.says), d.person || born(said)
				return d, true
			}
			return g.beside(words)
		case means && slices.Equal(words[i+1:i+1+len(after)], after):
			term, _, ok := g.term(words[:i], false)
			says := words[i+1+len(after):]
			if !ok || len(says) < 3 || refers(says[:1]) {
				return definition{}, false
			}
			return definition{term: term, says: strings.Join(says, " "), worth: worthDefined}, true
		}
	}
	return g.beside(words)
}

// copula returns the definition of "term is a …", whose verb is at i.
func (g grammar) copula(words []string, i int) (d definition, ok bool) {
	verb, says := strings.ToLower(words[i]), words[i+1:]
	if d.term, d.subject, ok = g.term(words[:i], true); !ok {
		return d, false
	}
	isNamed := g.named(words[:i])
	article, begins := strings.ToLower(says[0]), 3
	switch {
	case g.plural[verb] && !g.articles[article]:
		if begins = 1; g.past[verb] || slices.Contains(words[:i], "and") || slices.Contains(words[:i], "und") || !slices.ContainsFunc(says[1:min(len(says), 8)], func(w string) bool { return g.relative[w] }) || refers(says[:1]) {
			return d, false
		}
	case !g.articles[article] || len(says) < 4:
		return d, false
	case !g.any[article] && strings.HasSuffix(says[1], ",") || follows[says[2]]: // "the largest and the oldest", "the first to"
		return d, false
	case !isNamed && (g.past[verb] || !g.any[article] && !g.alone(words[:i])):
		return d, false
	}
	head := strings.ToLower(strings.Trim(says[1], ",;"))
	if g.vague[head] && (!isNamed || i == 1) || refers(says[:begins]) {
		return d, false
	}
	d.says, d.verb, d.worth, d.person = strings.Join(says, " "), verb, worthDefined, isNamed && isPerson(says)
	return d, true
}

// alone reports whether a term has no article, as in a statement about all of its kind.
func (g grammar) alone(w []string) bool { return len(w) <= 3 && !g.articles[strings.ToLower(w[0])] }

// named reports whether words are a name.
func (g grammar) named(w []string) bool {
	if strings.ContainsAny(w[0][:1], `"“„«`) || strings.HasPrefix(w[0], "“") || strings.HasPrefix(w[0], "„") {
		return true
	}
	if g.articles[strings.ToLower(w[0])] {
		if w = w[1:]; g.nouns {
			return len(w) > 1 && slices.ContainsFunc(w[1:], capital)
		}
		return slices.ContainsFunc(w, capital)
	}
	if g.nouns {
		return len(w) > 1 && capital(w[0]) && capital(w[1])
	}
	return len(w) > 1 && slices.ContainsFunc(w[1:], capital) || len(w) == 1 && !prose.IsCommon(w[0]) && capital(w[0])
}

// term returns a noun phrase as a term, and as the subject of a sentence. It must be understood without the sentences before it.
func (g grammar) term(w []string, strict bool) (term, subject string, ok bool) {
	if len(w) > mostTerm || refers(w) || leads[strings.ToLower(w[0])] || slices.ContainsFunc(w, func(s string) bool { return strings.HasSuffix(s, ",") || strings.HasSuffix(s, ":") }) {
		return "", "", false
	}
	low := strings.ToLower(w[0])
	bareTerm := w
	switch {
	case g.any[low] && len(w) > 1:
		bareTerm, subject = w[1:], low+" "+strings.Join(w[1:], " ")
	case g.articles[low] && len(w) > 1:
		if strict && !g.named(w) && !g.nouns || !g.named(w) && len(w) > 3 {
			return "", "", false
		}
		subject = low + " " + strings.Join(w[1:], " ")
		if g.nouns || !capital(w[1]) {
			bareTerm = w[1:]
		}
		if len(bareTerm) > 1 && named[strings.ToLower(bareTerm[0])] {
			bareTerm = bareTerm[1:]
		}
	default:
		subject = strings.Join(w, " ")
	}
	subject = strings.Trim(subject, quoteMarks)
	if term = strings.Trim(strings.Join(bareTerm, " "), quoteMarks); domain.Runes(term) < 2 || len(strings.Fields(term)) == 1 && (leads[strings.ToLower(term)] || vagueTerm[strings.ToLower(term)]) {
		return "", "", false
	}
	return term, subject, true
}

// beside returns the definition of "Name, a …, does …".
func (g grammar) beside(w []string) (definition, bool) {
	i := slices.IndexFunc(w, func(s string) bool { return strings.HasSuffix(s, ",") })
	if i < 0 || i+4 > len(w) || i > 4 || !g.articles[strings.ToLower(w[i+1])] {
		return definition{}, false
	}
	name := slices.Clone(w[:i+1])
	name[i] = strings.TrimSuffix(name[i], ",")
	end := slices.IndexFunc(w[i+1:], func(s string) bool { return strings.HasSuffix(s, ",") })
	if end < 2 || end > 14 || len(name) < 2 || !capitals(name) || refers(w[i+1:i+3]) || leads[strings.ToLower(w[0])] {
		return definition{}, false
	}
	says := slices.Clone(w[i+1 : i+2+end])
	says[end] = strings.TrimSuffix(says[end], ",")
	if next := w[i+2+end:]; len(next) == 0 || capital(next[0]) || next[0] == "and" || next[0] == "und" || slices.Contains(says, "and") && !g.any[strings.ToLower(says[0])] || g.vague[strings.ToLower(says[1])] {
		return definition{}, false // a list
	}
	return definition{term: strings.Join(name, " "), says: strings.Join(says, " "), worth: worthBeside}, true
}

// capitals reports whether each word but small ones within begins with a capital.
func capitals(w []string) bool {
	return capital(w[0]) && capital(w[len(w)-1]) && !slices.ContainsFunc(w, func(s string) bool { return !capital(s) && !prose.IsSmallWord(s) })
}

func capital(word string) bool { return prose.IsCapitalised(strings.TrimLeft(word, `"“„«(`)) }

// aside returns a sentence without its parts in brackets.
func aside(s string) string {
	var b strings.Builder
	depth := 0
	for _, r := range s {
		switch r {
		case '(', '[':
			depth++
		case ')', ']':
			depth = max(0, depth-1)
		default:
			if depth == 0 {
				b.WriteRune(r)
			}
		}
	}
	return strings.ReplaceAll(domain.OneLine(b.String()), " ,", ",")
}

// rest returns the rest of a sentence that begins with the words, including any parts in brackets.
func rest(said, words string) string {
	begin := strings.Join(strings.Fields(words)[:2], " ")
	if i := strings.Index(said, " "+begin); i >= 0 {
		return said[i+1:]
	}
	return words
}

// refers reports whether one of the words depends on what was said before.
func refers(w []string) bool {
	return slices.ContainsFunc(w, func(s string) bool { return referring[strings.ToLower(strings.Trim(s, `,;:"“”`))] })
}

// born reports whether a sentence gives somebody's birth in brackets.
func born(said string) bool {
	_, within, _ := strings.Cut(said, "(")
	within, _, _ = strings.Cut(within, ")")
	return strings.Contains(within, "born ") || strings.Contains(within, "geboren ") || strings.Contains(within, "* ")
}

// isPerson reports whether a definition begins with a noun for a person.
func isPerson(says []string) bool {
	for i, w := range says[:min(len(says), 10)] {
		low := strings.ToLower(strings.Trim(w, ",;.()"))
		if occupations[low] {
			return true
		}
		if i > 0 && prose.IsFunctionWord(low) && low != "and" && low != "und" {
			return false
		}
	}
	return false
}

var (
	referring = prose.Set(`this that these those it he she they we i you his her its their our my your him them us such same other another there here what which who whose
		dies diese dieser dieses diesem diesen es er sie wir ich ihr ihre ihrer ihren sein seine seiner seinem uns unser unsere man jene jener dort hier solche solcher andere anderer`)
	named   = prose.Set("term word name begriff wort") // before a term
	follows = prose.Set("and or to und oder")
	leads   = prose.Set(`in on at by for from with to of as if when while because since after before although though once unless whether and but or so then not no nothing none please how why where during under over until without despite instead however therefore thus yes both perhaps maybe today one each every some many most all also only even
		im am an auf aus bei mit nach seit von vor zu zum zur über unter neben zwischen durch ohne gegen um bis ab wegen trotz während als wenn weil da obwohl nachdem bevor dann danach deshalb daher auch noch nur wer was wo wie alle viele einige jeder jede jedes`)
	vagueTerm = prose.Set(`goal aim purpose result reason problem question answer idea point thing example difference advantage disadvantage note home work love life everything something anything
		ziel zweck grund ergebnis problem frage antwort idee vorteil nachteil beispiel hinweis`)
	occupations = prose.Set(`representative senator governor mistress character actor actress architect artist astronomer athlete author baker banker bishop botanist boxer builder businessman businesswoman captain chemist clergyman coach comedian commander composer conductor cricketer critic cyclist dancer designer diplomat director economist editor engineer entrepreneur explorer farmer filmmaker footballer founder general geologist golfer guitarist historian inventor journalist judge king lawyer linguist manager mathematician mayor merchant minister missionary model musician naturalist novelist officer painter philosopher photographer physician physicist pianist player playwright poet politician president priest prince princess producer professor psychologist queen rapper sailor scholar scientist screenwriter sculptor singer skater soldier songwriter sportsman surgeon surveyor swimmer teacher theologian trader translator wrestler writer executive officer daughter son wife husband brother sister chairman chairwoman keeper ferryman foreman
		schauspieler schauspielerin architekt architektin künstler künstlerin autorin komponist komponistin dichter dichterin ingenieur ingenieurin erfinder journalist journalistin jurist kaufmann könig königin lehrer lehrerin maler malerin mathematiker mathematikerin musiker musikerin offizier philosoph philosophin physiker physikerin politiker politikerin regisseur regisseurin sänger sängerin schriftsteller schriftstellerin bildhauer bildhauerin unternehmer unternehmerin arzt ärztin chemiker chemikerin fotograf fotografin historiker historikerin gründer baumeister`)
)
