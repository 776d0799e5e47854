// Package builtin implements every role without a model: it reads text by rules of language. It is
// deterministic and local.
package builtin

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/prose/dates"
	"github.com/clewhq/clew/internal/retrieve/nearest"
)

// Graph looks up entities by key. See graphstore.Reader.
type Graph interface {
	ByKey(ctx context.Context, w domain.WorkspaceID, keys []string) ([]domain.Entity, error)
}

// known returns the entities with the given keys, or none if the graph can't be
// reached; the search reports that.
func known(ctx context.Context, g Graph, w domain.WorkspaceID, keys []string) ([]domain.Entity, error) {
	entities, err := g.ByKey(ctx, w, keys)
	if domain.KindOf(err) == domain.Unavailable {
		return nil, ctx.Err()
	}
	return entities, err
}

// Answering returns the roles for answering without a model: grading by the nearest
// sentence, rewriting with fewer words and names from the graph, and answers that
// quote, also of tables. They are deterministic. Without texts, a table is known by the passages that were found. The
// writer pauses for pace between words; 0 means no pause.
func Answering(g Graph, ranker nearest.Ranker, words answer.Words, texts Texts, pace time.Duration) answer.Roles {
	readings := &answerReader{ranker: ranker, words: words, texts: texts}
	return answer.Roles{
		Condenser: condenser{g}, Grader: grader{readings}, Rewriter: rewriter{g, readings}, Writer: writer{readings, pace}, Supporter: supporter{},
		Specifier: charter{}, Counts: true, Words: words,
	}
}

// want is the kind of words that a question asks for.
type want string

const (
	aName   want = "name"
	aPlace  want = "place"
	aDate   want = "date"
	aNumber want = "number"
)

// asked is an analysed question.
type asked struct {
	text   string
	tokens []prose.Token
	asks   domain.Span // tokens: the question word with the noun after it
	wants  want
	pieces []piece // its names and content words, except those in asks
	words  map[string]bool
}

// piece is a name, a number or a content word of a question.
type piece struct {
	text     string
	named    bool
	from, to int // tokens
}

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

// findKind finds the question word, and the kind of answer it asks for.
func (q *asked) findKind() {
	for i := range min(lateQuestion, len(q.tokens)) {
		for n := min(2, len(q.tokens)-i); n > 0; n-- {
			if kind := askWords[strings.ToLower(textOf(q.tokens[i:i+n]))]; kind != "" {
				q.wants, q.asks = want(kind), domain.Span{Start: i, End: i + n}
				return
			}
		}
		if whichOf[q.word(i)] {
			q.asks = domain.Span{Start: i, End: i + 1}
			q.findNoun()
			return
		}
	}
}

// findNoun reads the noun after which or what.
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

// isAsked reports whether the question contains all words of a text, allowing one misspelt letter.
func (q *asked) isAsked(text string) bool {
	return !slices.ContainsFunc(strings.Fields(prose.Key(text)), func(w string) bool {
		return !q.words[w] && !q.words[stemOf(w)] && !isStop(w)
	})
}

// opensWithVerb reports whether a question asks whether something is so.
func (q *asked) opensWithVerb() bool { return beings[q.word(0)] || helping[q.word(0)] }

// textOf joins tokens as in their text, with a space where there is any.
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

// stemOf returns the stem of a word. For an irregular verb it is the stem of the past tense.
func stemOf(word string) string {
	word = strings.ToLower(word)
	if past, ok := irregularBase[word]; ok {
		return prose.Stem(past)
	}
	return prose.Stem(simplePast(word))
}

// isStop reports whether a word has no meaning of its own, plain or contracted: "doesn't", "I'm".
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

// reading is a question with the sentences of passages, nearest first.
type reading struct {
	*asked
	asOf      domain.Day // the time asked about, if known
	speaks    string     // a text in the language of the answer
	passages  []domain.Passage
	sentences [][]candidate // of each passage, in order
	ranked    []*candidate
	chain     chain
	bar       float64  // score from which a sentence is near
	table     *finding // nil unless a table answers
	drawn     int      // passage whose table is to be drawn; -1 if none
}

// candidate is an analysed sentence of a passage.
type candidate struct {
	nearest.Sentence
	at     int // index among the sentences of its passage
	text   string
	names  []prose.Name // in text
	alone  uint64       // pieces of the question in it
	says   uint64       // in it or its title
	score  float64      // how near it is, together with its context
	lift   float64      // for ordering equally near ones
	head   *candidate   // the heading, question or announcement above it; nil if there is none
	heads  bool         // it is one, or a question or a line that continues below
	row    bool
	item   bool
	option bool // it is about an option of a command
	bare   bool // and only names it
	orders bool
}

// read ranks the sentences of passages. Those that say for when they hold are ranked by the time that is asked about, if it is
// known.
func read(ctx context.Context, ranker nearest.Ranker, question string, asOf domain.Day, passages []domain.Passage) (*reading, error) {
	r := &reading{asked: readAsked(question), asOf: asOf, passages: passages, sentences: make([][]candidate, len(passages)), bar: nearest.Near}
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = p.Text
	}
	r.speaks = answer.Speaks(r.text, texts...)
	near, err := ranker.Sentences(ctx, r.text, passages)
	if err != nil {
		return nil, err
	}
	for _, n := range near {
		p := passages[n.Passage]
		s := candidate{Sentence: n, text: n.Span.Shift(-p.Span.Start).Slice(p.Text), score: n.Score}
		s.row, s.item, s.orders = domain.IsRow(s.text), itemMark.MatchString(s.text), orders.MatchString(s.text)
		s.option, s.bare = nearest.Option(s.text)
		r.sentences[n.Passage] = append(r.sentences[n.Passage], s)
	}
	for i := range r.sentences {
		r.place(i)
	}
	r.weighContext()
	slices.SortStableFunc(r.ranked, func(a, b *candidate) int { return cmp.Compare(b.score+b.lift, a.score+a.lift) })
	r.findChain()
	return r, nil
}

// itemMark matches the beginning of a list item, and orders sentences that tell the reader to ignore instructions and say
// something. Those are not quoted.
var (
	itemMark = regexp.MustCompile(`^\s*([-*•+–]|\(?([a-z]|\d{1,3})[.)])\s+`)
	orders   = regexp.MustCompile(`(?is)^\W*(please\s+|now\s+)?(ignore|disregard|forget|override|ignoriere|vergiss|ignorez?|oublie[sz]?|ignora|olvida|dimentica)\b.*` +
		`\b(answer|say|reply|respond|tell|claim|output|pretend|instructions?|prompts?|antworte|sag|sage|dis|dites|réponds|répondez|di|responde|rispondi)\b`)
)

// place orders the sentences of a passage, with the headings above each. Isolated marks, such as "1." or a line under a
// heading, belong to the next sentence.
func (r *reading) place(passage int) {
	all, p := r.sentences[passage], r.passages[passage]
	slices.SortFunc(all, func(a, b candidate) int { return a.Span.Start - b.Span.Start })
	names, title, mark := prose.Names(p.Text), r.saidBy(p.Title), false
	kept := all[:0]
	for _, s := range all {
		if numbered := itemMark.MatchString(s.text + " "); numbered && len(s.text) < 5 || !strings.ContainsFunc(s.text, isSaid) {
			mark = numbered
			continue
		}
		s.at, s.item, mark = len(kept), s.item || mark, false
		for _, n := range names {
			if at := n.Span.Shift(p.Span.Start); s.Span.Contains(at) {
				n.Span = at.Shift(-s.Span.Start)
				s.names = append(s.names, n)
			}
		}
		s.alone = r.saidBy(s.text)
		s.says = s.alone | title
		kept = append(kept, s)
	}
	for i := range kept {
		s := &kept[i]
		s.heads = i+1 < len(kept) && !s.row && !kept[i+1].row && s.goesOn() && !nearest.States(p.Text, s.Span.Shift(-p.Span.Start), kept[i+1].Span.Start-p.Span.Start)
		if at := slices.IndexFunc(kept[:i], func(o candidate) bool { return !s.Under.Empty() && o.Span == s.Under }); at >= 0 {
			s.head, kept[at].heads = &kept[at], true
		}
		if !s.orders {
			r.ranked = append(r.ranked, s)
		}
	}
	r.sentences[passage] = kept
}

// longHeading is the maximum number of words in a line of its own that counts as a heading.
const longHeading = 14

// goesOn reports whether a sentence is a question, or a short line that neither begins nor ends like a sentence of a text or
// a note.
func (s *candidate) goesOn() bool {
	end := strings.TrimRight(s.text, "\"'”’»)]*_` ")
	ends := slices.ContainsFunc([]string{".", "!", "…", ";"}, func(sign string) bool { return strings.HasSuffix(end, sign) })
	first, _ := utf8.DecodeRuneInString(s.text)
	if s.option {
		return s.bare
	}
	return strings.HasSuffix(end, "?") || !s.item && !ends && len(prose.Words(s.text)) <= longHeading && (strings.HasSuffix(end, ":") || !unicode.IsLower(first))
}

func isSaid(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

// saidBy returns the pieces of the question that a text contains.
func (q *asked) saidBy(text string) (set uint64) {
	words := map[string]bool{}
	for _, t := range prose.Words(text) {
		words[stemOf(t.Text)] = true
	}
	for i, p := range q.pieces {
		if !slices.ContainsFunc(prose.Words(p.text), func(t prose.Token) bool { return !words[stemOf(t.Text)] && !isStop(t.Text) }) {
			set |= 1 << i
		}
	}
	return set
}

// best returns the nearest sentence of a passage, or nil if it has none.
func (r *reading) best(passage int) *candidate {
	for _, s := range append([]*candidate{r.chain.tells, r.chain.before}, r.ranked...) {
		if s != nil && s.Passage == passage {
			return s
		}
	}
	return nil
}

// beside is the share of the bar that a sentence of the nearest passages needs to be
// quoted beside one that is near.
const beside = 0.6

// near reports whether a sentence is near enough to be quoted: by itself, as part of a
// chain, or as one of the nearest passages beside one that is near.
func (r *reading) near(s *candidate) bool {
	switch {
	case s == nil:
		return false
	case s.score >= r.bar || r.tieOf(s) != "":
		return true
	case s.score < beside*r.bar || r.ranked[0].score < r.bar:
		return false
	}
	before := map[int]bool{} // passages with a nearer sentence
	for _, o := range r.ranked {
		if o.Passage == s.Passage {
			break
		}
		before[o.Passage] = true
	}
	return len(before) < mostClose
}

// Bonuses of a sentence for its features.
const (
	gainInterval = 0.5  // for an interval with the year of the question
	gainOffer    = 0.08 // for ordering only: words of the kind asked for
	gainKey      = 0.1  // for ordering only: the question names the whole first cell of a row, or what a line defines
	gainTime     = 0.2  // for ordering only: it holds at the time asked about; subtracted if it does not
)

// kinds are words for what a manual defines.
var kinds = prose.Set("command function library module package program tool utility")

// defined matches a line that says what a thing is, as in a manual: "ls - list directory contents".
var defined = regexp.MustCompile(`^(\S+(?: \S+){0,3}) [-–—−] \pL`)

// asksHow matches questions for a way to do something.
var asksHow = regexp.MustCompile(`(?i)^(how (do|can|could|to|would|should)|(which|what) (options?|flags?|switch)|wie (kann|lässt|lasse)|welche[rn]? (option|schalter))\b`)

// weighContext adds bonuses to sentences.
func (r *reading) weighContext() {
	how := asksHow.MatchString(r.text)
	for _, s := range r.ranked {
		if r.interval(s) != (domain.Span{}) {
			s.score += gainInterval
		}
		if s.Score > 0 && r.offers(s, "") {
			s.lift = gainOffer
		}
		if s.row && r.isKey(chart.Cells(s.text)[0].Text) {
			s.lift += gainKey
		}
		s.lift += gainKey * r.manual(s, how)
		if r.asOf.Known() {
			s.lift += gainTime * r.held(s)
		}
		s.score = min(s.score, 1)
	}
}

// manual returns 1 for a line of a manual that defines what the question asks for, and 0 for any other. If the question asks
// how to do something, it returns 1 for the description of an option, and -1 for a line that defines something.
func (r *reading) manual(s *candidate, how bool) float64 {
	m := defined.FindStringSubmatch(s.text)
	switch {
	case how && (s.option || s.head != nil && s.head.bare):
		return 1
	case m == nil:
		return 0
	case how:
		return -1
	case r.isKey(m[1]) && !slices.ContainsFunc(r.pieces, func(p piece) bool {
		return !kinds[strings.ToLower(p.text)] && !strings.Contains(" "+prose.Key(m[1])+" ", " "+prose.Key(p.text)+" ")
	}):
		return 1
	}
	return 0
}

// isKey reports whether the question names all of a cell.
func (r *reading) isKey(cell string) bool { return r.askedIn(cell) > 0 && r.isAsked(cell) }

// held returns 1 for a sentence that holds at the time that is asked about, -1 for one that does not, and 0 for one that does not
// say for when it holds.
func (r *reading) held(s *candidate) float64 {
	periods := dates.Periods(s.text)
	switch {
	case len(periods) == 0:
		return 0
	case domain.Holds("", periods, r.asOf):
		return 1
	}
	return -1
}

// heads returns the cells of the first row of a row's table, or none if it is that row.
func (r *reading) heads(s *candidate) []chart.Cell {
	all := r.sentences[s.Passage]
	i := s.at
	for i > 0 && all[i-1].row {
		i--
	}
	switch above := r.passages[s.Passage].TableHead(); {
	case i == 0 && above != "":
		return chart.Cells(above)
	case i == s.at:
		return nil
	}
	return chart.Cells(all[i].text)
}

// referred returns the sentence that a pronoun at the beginning of a sentence refers to, or nil if there is none.
func (r *reading) referred(s *candidate) *candidate {
	all := r.sentences[s.Passage]
	if i := slices.IndexFunc(all[:s.at], func(o candidate) bool { return o.Span == s.Over }); i >= 0 {
		return &all[i]
	}
	return nil
}

// intervals matches an interval of years.
var intervals = regexp.MustCompile(`\b(\d{3,4})\s*(?:[–—-]|to|until|bis|à|hasta|al?|tot|até)\s*(\d{2,4})\b`)

// interval returns the span of a sentence's interval that contains a year of the question which the sentence does not
// name, or an empty one.
func (r *reading) interval(s *candidate) domain.Span {
	for _, t := range r.tokens {
		year, err := strconv.Atoi(t.Text)
		if err != nil || len(t.Text) < 3 || len(t.Text) > 4 {
			continue
		}
		for _, at := range intervals.FindAllStringSubmatchIndex(s.text, -1) {
			from, to := s.text[at[2]:at[3]], s.text[at[4]:at[5]]
			if len(to) < len(from) { // 1941–60
				to = from[:len(from)-len(to)] + to
			}
			a, _ := strconv.Atoi(from)
			b, _ := strconv.Atoi(to)
			if a <= year && year <= b {
				return domain.Span{Start: domain.Runes(s.text[:at[0]]), End: domain.Runes(s.text[:at[1]])}
			}
		}
	}
	return domain.Span{}
}

// answerReader caches recent readings, because one reading grades every passage of a
// search.
type answerReader struct {
	ranker nearest.Ranker
	words  answer.Words // may be nil
	texts  Texts        // may be nil
	mu     sync.Mutex
	latest []*cached
}

// cached is a reading that is computed once.
type cached struct {
	key     string
	mu      sync.Mutex
	reading *reading
}

// maxCached bounds the cache to the questions likely to be answered at the same time.
const maxCached = 8

func (a *answerReader) read(ctx context.Context, asked answer.Asked, passages []domain.Passage) (*reading, error) {
	k := a.keep(asked.Question+"\x00"+asked.AsOf.String(), passages)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.reading != nil {
		return k.reading, nil
	}
	r, err := read(ctx, a.ranker, asked.Question, asked.AsOf, passages)
	if err != nil {
		return nil, err
	}
	unknown := false
	if !asked.Web { // the library need not have their names
		if unknown, err = a.hasUnknownName(ctx, asked.Workspace, r.asked); err != nil {
			return nil, err
		}
	}
	if unknown {
		r.bar += ofUnknownName
	}
	if r.table, err = askTables(ctx, a.texts, asked.Workspace, r.asked, passages); err != nil {
		return nil, err
	}
	r.drawn = drawnFrom(asked.Question, passages)
	k.reading = r
	return r, nil
}

// ofUnknownName raises the bar of a question with a name that no document has: it is about
// something else. Other words that no document has say less, a document may put it otherwise.
const ofUnknownName = 0.2

// hasUnknownName reports whether a question has a name or a number that no document has,
// nor anything spelt like it.
func (a *answerReader) hasUnknownName(ctx context.Context, room domain.WorkspaceID, q *asked) (bool, error) {
	names := strings.Fields(strings.Join(q.texts(q.named()), " "))
	if a.words == nil || len(names) == 0 {
		return false, nil
	}
	found, err := a.words.Words(ctx, room, q.text, nil)
	if domain.KindOf(err) == domain.Unavailable {
		return false, ctx.Err()
	}
	return slices.ContainsFunc(found.Words, func(w domain.AskedWord) bool {
		return w.Documents == 0 && w.Meant == "" && slices.Contains(names, w.Text)
	}), err
}

func (a *answerReader) keep(key string, passages []domain.Passage) *cached {
	for _, p := range passages {
		key += "\x00" + string(p.ID)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.IndexFunc(a.latest, func(k *cached) bool { return k.key == key }); i >= 0 {
		return a.latest[i]
	}
	k := &cached{key: key}
	a.latest = append(a.latest[max(0, len(a.latest)+1-maxCached):], k)
	return k
}
