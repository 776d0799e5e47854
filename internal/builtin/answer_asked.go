package builtin

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// want is the kind of words that a question asks for.
type want int

const (
	anything want = iota
	aName
	aPlace
	aDate
	aNumber
)

// asked is a question with what it asks for.
type asked struct {
	text   string
	tokens []prose.Token
	asks   domain.Span // tokens: the question word with the noun behind it
	wants  want
	pieces []piece // its names and content words, without those of asks
	words  map[string]bool
}

// piece is a name, a number or a content word of a question.
type piece struct {
	text     string
	named    bool
	from, to int // tokens
}

// The words that ask for each kind, in English, German, French, Spanish, Italian, Dutch
// and Portuguese. Of several words, all must follow each other.
var askFor = map[want][]string{
	aName:  {"who", "whom", "whose", "wer", "wen", "wem", "wessen", "qui", "quién", "quiénes", "chi", "quem"},
	aPlace: {"where", "wo", "wohin", "woher", "où", "dónde", "dove", "waar", "onde"},
	aDate:  {"when", "wann", "quand", "cuándo", "quando", "wanneer"},
	aNumber: {"how many", "how much", "how long", "how far", "how tall", "how old", "how big", "how high", "how deep", "how often", "how large", "how wide", "how heavy", "how fast", "how expensive",
		"wieviel", "wieviele", "wie viel", "wie viele", "wie lange", "wie lang", "wie weit", "wie hoch", "wie alt", "wie groß", "wie tief", "wie oft", "wie breit", "wie schwer", "wie schnell", "wie teuer",
		"combien", "cuánto", "cuánta", "cuántos", "cuántas", "quanto", "quanta", "quanti", "quante", "hoeveel", "hoe lang", "hoe hoog", "hoe oud", "hoe ver", "hoe vaak", "hoe groot", "hoe duur", //nolint:misspell // Spanish
		"quantos", "quantas"},
}

// The words that ask for the kind that a noun names: "which bridge", "in welchem Jahr".
var (
	whichOf = set(`which what welche welcher welches welchem welchen quel quelle quels quelles qué cuál cuáles quale quali che welk welke qual quais que
		wie how warum wieso weshalb why pourquoi comment cómo come perché hoe waarom como was wat quoi cosa`)
	dateNouns = set(`year date month day century decade jahr datum monat tag jahrhundert année date mois jour siècle año fecha mes día siglo
		anno data mese giorno secolo jaar maand dag eeuw ano mês dia século`)
	numberNouns = set(`number amount price sum cost costs fee height length depth age weight width distance size percentage population share rate temperature speed
		zahl anzahl preis summe betrag höhe länge tiefe alter gewicht breite entfernung größe anteil kosten nombre prix montant somme coût hauteur longueur âge poids
		número precio suma coste altura longitud edad peso numero prezzo somma costo altezza lunghezza età getal aantal prijs bedrag som hoogte lengte leeftijd gewicht
		preço soma custo comprimento idade`)
)

// lateQuestion is how many words may precede the question word: "In the end, who …".
const lateQuestion = 4

// readAsked reads a question.
func readAsked(text string) *asked {
	text = prose.Question(text)
	q := &asked{text: text, tokens: prose.Tokens(text), words: map[string]bool{}}
	for _, t := range q.tokens {
		for key := range strings.FieldsSeq(prose.Key(t.Text)) {
			q.words[key], q.words[stemOf(key)] = true, true
		}
	}
	q.findKind()
	names := prose.Names(text)
	for i := q.asks.End; i < len(q.tokens); i++ {
		t := q.tokens[i]
		end := i + 1
		at := slices.IndexFunc(names, func(n prose.Name) bool { return n.Span.Contains(t.Span) && n.Kind != prose.Date })
		if at >= 0 {
			for end < len(q.tokens) && names[at].Span.Overlaps(q.tokens[end].Span) {
				end++
			}
		}
		p := piece{text: textOf(q.tokens[i:end]), named: at >= 0 || strings.ContainsAny(t.Text, "0123456789"), from: i, to: end}
		if t.Word && prose.Key(p.text) != "" && (p.named || !isStop(t.Text)) && len(q.pieces) < mostPiece {
			q.pieces = append(q.pieces, p)
		}
		i = end - 1
	}
	return q
}

// word returns token i in lower case, or "".
func (q *asked) word(i int) string {
	if i < 0 || i >= len(q.tokens) {
		return ""
	}
	return strings.ToLower(q.tokens[i].Text)
}

// findKind finds the question word, and what it asks for.
func (q *asked) findKind() {
	for i := range min(lateQuestion, len(q.tokens)) {
		for _, kind := range []want{aNumber, aDate, aPlace, aName} {
			for _, words := range askFor[kind] {
				if n := len(strings.Fields(words)); i+n <= len(q.tokens) && strings.EqualFold(textOf(q.tokens[i:i+n]), words) {
					q.wants, q.asks = kind, domain.Span{Start: i, End: i + n}
					return
				}
			}
		}
		if whichOf[q.word(i)] {
			q.asks = domain.Span{Start: i, End: i + 1}
			q.findNoun()
			return
		}
	}
}

// findNoun reads the noun behind which or what.
func (q *asked) findNoun() {
	i := q.asks.End
	for i < len(q.tokens) && isStop(q.tokens[i].Text) && i < q.asks.End+3 {
		i++
	}
	switch noun := q.word(i); {
	case dateNouns[noun]:
		q.wants, q.asks.End = aDate, i+1
	case numberNouns[noun]:
		q.wants = aNumber
	case i == q.asks.End && i+1 < len(q.tokens) && (q.word(q.asks.Start) == "which" || strings.HasPrefix(q.word(q.asks.Start), "welch")) && q.tokens[i].Word:
		q.wants = aName
		if !isPastVerb(noun) {
			q.asks.End = i + 1
		}
	}
}

// isAsked reports whether the question has all words of a text, perhaps spelt with one
// letter wrong.
func (q *asked) isAsked(text string) bool {
	return !slices.ContainsFunc(strings.Fields(prose.Key(text)), func(w string) bool {
		return !q.words[w] && !q.words[stemOf(w)] && !isStop(w)
	})
}

// opensWithVerb reports whether a question asks whether something is so.
func (q *asked) opensWithVerb() bool { return beings[q.word(0)] || helping[q.word(0)] }

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

// stemOf returns the stem of a word, of an irregular verb that of its past.
func stemOf(word string) string {
	word = strings.ToLower(word)
	if past, ok := irregularBase[word]; ok {
		return prose.Stem(past)
	}
	return prose.Stem(simplePast(word))
}

// isStop reports whether a word says nothing by itself, alone or contracted:
// "doesn't", "I'm".
func isStop(word string) bool {
	begins, _, _ := strings.Cut(strings.ReplaceAll(word, "’", "'"), "'")
	return prose.IsSmallWord(begins) || prose.IsStopWord(strings.TrimSuffix(begins, "n"))
}

// isPastVerb reports whether a word looks like a past-tense verb.
func isPastVerb(word string) bool {
	w := strings.ToLower(word)
	_, past := irregularPast[w]
	_, participle := irregularParticiple[w]
	return strings.HasSuffix(w, "ed") && len(w) > 4 || past || participle
}

var (
	beings           = set("is are was were be been being")
	helping          = set("do does did can could may might will would should must has have had")
	determiners      = set("the a an his her its their this that these those")
	places           = set("in at on to into near from off under beside above below within outside inside across towards toward behind by onto zu bei aus nach à dans sur en da nel op te em")
	agents           = set("by von par por da door")
	pronounsOfPeople = set("he she him her his hers")
	pronounsOfThings = set("it its they them their")
)
