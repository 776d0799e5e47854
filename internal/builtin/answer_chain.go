package builtin

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// chain are two sentences of different passages that say more of a question together
// than any one does, tied by a name.
type chain struct {
	tells, before *candidate // the sentence with the answer, and the one it rests on
	tie           string
}

const (
	moreSaid  = 0.08 // additional share of a question for a chain over its best sentence, and for each sentence over the other
	mostTied  = 3    // passages that share a tying name, or half of them
	shortTie  = 4    // minimum of code points in such a name
	unsaid    = 0.25 // share of a question that a sentence must lack to cover only part of it
	mostPiece = 64
)

// tieOf returns the name that ties a sentence to the chain, or "" if none does.
func (r *reading) tieOf(s *candidate) string {
	if s == r.chain.tells || s == r.chain.before {
		return r.chain.tie
	}
	return ""
}

// weigher returns a function that rates a set of pieces by their share of the question; pieces in fewer sentences weigh
// more.
func (r *reading) weigher() func(set uint64) float64 {
	weights, sum := make([]float64, len(r.pieces)), 0.0
	for i := range weights {
		said := 1
		for _, s := range r.ranked {
			said += int(s.says >> i & 1)
		}
		weights[i] = math.Log(1 + float64(len(r.ranked))/float64(said))
		sum += weights[i]
	}
	return func(set uint64) (share float64) {
		for ; set != 0; set &= set - 1 {
			share += weights[bits.TrailingZeros64(set)] / sum
		}
		return share
	}
}

// mailHead matches a header line of a mail. Its names tie it to most of the sender's sentences, but it says nothing about
// them.
var mailHead = regexp.MustCompile(`^(From|To|Cc|Bcc|Reply-To|Subject|Date): `)

// findChain looks for two sentences that belong together.
func (r *reading) findChain() {
	if len(r.pieces) < 3 {
		return
	}
	weight, shared, most := r.weigher(), r.sharedNames(), 0.0
	for _, s := range r.ranked {
		most = max(most, weight(s.says)+moreSaid)
	}
	for _, a := range r.ranked {
		for _, b := range r.ranked {
			both := weight(a.says | b.says)
			if a.Passage == b.Passage || mailHead.MatchString(a.text) || mailHead.MatchString(b.text) || both <= most || both-max(weight(a.says), weight(b.says)) < moreSaid {
				continue
			}
			if tie := r.tie(a, b, shared); tie != "" {
				most, r.chain = both, chain{a, b, tie}
			}
		}
	}
	if c := &r.chain; c.tells != nil && r.tells(c.before, c.tie) > r.tells(c.tells, c.tie) {
		c.tells, c.before = c.before, c.tells
	}
}

// tells rates a sentence of a chain as the one that tells what is asked: it has words of
// that kind, and not the names by which the question describes another thing.
func (r *reading) tells(s *candidate, tie string) float64 {
	rate := s.score/2 - float64(bits.OnesCount64(s.says&r.named()))
	if r.offers(s, tie) {
		rate += 2
	}
	return rate
}

// sharedNames counts the passages that have each name, by its key.
func (r *reading) sharedNames() map[string]int {
	in := map[string]int{}
	for i, all := range r.sentences {
		here := map[string]bool{prose.Key(r.title(i)): true}
		for _, s := range all {
			for _, n := range s.names {
				here[prose.Key(n.Text)] = true
			}
		}
		for key := range here {
			in[key]++
		}
	}
	return in
}

// title returns the name in a passage's title, without brackets, or "" if the title is a file name.
func (r *reading) title(passage int) string {
	p := r.passages[passage]
	title, _, _ := strings.Cut(p.Title, " (")
	if title == p.Name && path.Ext(title) != "" {
		return ""
	}
	return title
}

// tie returns a name that both sentences have, or that one has and the title of the other's document is, or "" if there
// is none. Few passages may have it, unless the question describes what it names.
func (r *reading) tie(a, b *candidate, shared map[string]int) string {
	few := max(mostTied, len(r.passages)/2)
	if r.describes() {
		few = len(r.passages)
	}
	for _, pair := range [][2]*candidate{{a, b}, {b, a}} {
		title := prose.Key(r.title(pair[1].Passage))
		for _, n := range pair[0].names {
			key := prose.Key(n.Text)
			both := key == title || slices.ContainsFunc(pair[1].names, func(o prose.Name) bool { return prose.Key(o.Text) == key })
			short := prose.IsAcronym(n.Text) && strings.Contains(a.text+b.text, "("+n.Text+")") // one of them spells the name out
			if both && (short || r.leadsOn(n)) && shared[key] <= few {
				return n.Text
			}
		}
	}
	return ""
}

// leadsOn reports whether a name may be the thing that the question describes.
func (r *reading) leadsOn(n prose.Name) bool {
	key := prose.Key(n.Text)
	return (n.Kind == prose.Proper || n.Kind == prose.Quoted) && domain.Runes(key) >= shortTie && !r.isAsked(key) && !demonyms[key]
}

var _ answer.Tying = rewriter{}

// Tie looks for a near sentence that names what the question describes by another thing,
// and says nothing of what is asked about it.
func (w rewriter) Tie(ctx context.Context, asked answer.Asked, found []domain.Passage) (answer.Rewrite, bool, error) {
	r, err := w.read(ctx, asked, found)
	if err != nil || r.chain.tells != nil {
		return answer.Rewrite{}, false, err
	}
	next := r.beyond()
	return next, next.Text != "", nil
}

// beyond returns a search for the name that the first such sentence leads to, with the words of the question that it
// lacks.
func (r *reading) beyond() answer.Rewrite {
	weight, all := r.weigher(), uint64(1)<<len(r.pieces)-1
	for _, s := range r.ranked {
		at := slices.IndexFunc(s.names, r.leadsOn)
		if missing := all &^ s.says; r.describes() && at >= 0 && r.near(s) && s.says&r.named() != 0 && weight(missing) >= unsaid {
			words := append([]string{s.names[at].Text}, r.texts(missing)...)
			return answer.Rewrite{Text: strings.Join(words, " "), How: "the name that the nearest sentence leads to"}
		}
	}
	return answer.Rewrite{}
}

// describes reports whether a question describes a thing by another: "the bridge that
// Henrike Aldous designed", "the wife of the builder of Copper Bridge".
func (r *reading) describes() bool {
	links := 0
	if len(r.pieces) == 0 {
		return false
	}
	for i := r.pieces[0].to; i < len(r.tokens); i++ {
		if relatives[r.word(i)] || agents[r.word(i)] {
			return true
		}
		if linking[r.word(i)] {
			links++
		}
	}
	return links > 1
}

// named returns the pieces of the question that are names.
func (q *asked) named() (set uint64) {
	for i, p := range q.pieces {
		if p.named {
			set |= 1 << i
		}
	}
	return set
}

// texts returns the texts of pieces of the question, each once.
func (q *asked) texts(set uint64) []string {
	var out []string
	for i, p := range q.pieces {
		if set>>i&1 == 1 && !slices.Contains(out, p.text) {
			out = append(out, p.text)
		}
	}
	return out
}

// grader grades by nearness: a passage is relevant if one of its sentences is near the
// question, or belongs with a sentence of another one.
type grader struct{ *answerReader }

var _ answer.Grader = grader{}

// Grade looks for the nearest sentence among all candidates.
func (g grader) Grade(ctx context.Context, r answer.GradeRequest, _ answer.Emit) (domain.Grade, error) {
	reading, err := g.read(ctx, r.Asked, r.Candidates)
	if err != nil {
		return domain.Grade{}, err
	}
	i := slices.IndexFunc(reading.passages, func(p domain.Passage) bool { return p.ID == r.Passage.ID })
	if reading.table.has(r.Passage.ID) {
		return domain.Grade{Verdict: domain.Relevant, Reason: "its table answers"}, nil
	}
	if i >= 0 && reading.drawn == i {
		return domain.Grade{Verdict: domain.Relevant, Reason: "its table can be drawn"}, nil
	}
	s := reading.best(i)
	if s == nil {
		return domain.Grade{Verdict: domain.Irrelevant, Reason: "has no words"}, nil
	}
	grade := domain.Grade{Verdict: domain.Irrelevant, Reason: reading.why(s), Nearest: &domain.Nearest{Span: s.Span, Score: s.score}}
	if reading.near(s) {
		grade.Verdict = domain.Relevant
	}
	return grade, nil
}

// Limits of a reason.
const (
	mostNamed  = 4  // words
	longReason = 90 // code points of a sentence
)

// offersIn names the kinds of words that answer a question.
var offersIn = map[want]string{aName: "a name", aPlace: "a name", aDate: "a date", aNumber: "a number"}

// why names what a sentence has of the question.
func (r *reading) why(s *candidate) string {
	says, tie := r.texts(s.says), r.tieOf(s)
	says = says[:min(len(says), mostNamed)]
	for i := range says {
		says[i] = "“" + says[i] + "”"
	}
	if r.offers(s, tie) && len(says) > 0 {
		says = append(says, offersIn[r.wants])
	}
	reason := ""
	switch {
	case len(says) > 0:
		reason = "has " + list(says)
	case r.near(s):
		reason = "close in meaning: " + domain.Cut(domain.OneLine(s.text), longReason)
	}
	if tie != "" {
		reason += ", tied by " + tie
	}
	return cmp.Or(reason, "has no word of the question")
}

// marks returns the spans of a sentence's decisive words: those of the kind that the question asks for, or else the words
// that are not in the question. It skips tie, the name that connects the sentence to the chain, as it is not the answer.
func (r *reading) marks(s *candidate, tie string) domain.Span {
	at, ok := r.offered(s, tie)
	if !ok {
		at = r.news(s)
	}
	for at.Start > 0 && strings.HasPrefix(domain.Span{Start: at.Start - 1, End: at.End}.Slice(s.text), "-") { // of an option
		at.Start--
	}
	return at
}

// offers reports whether a sentence has words of the kind that the question asks for.
func (r *reading) offers(s *candidate, tie string) bool {
	_, ok := r.offered(s, tie)
	return ok
}

func (r *reading) offered(s *candidate, tie string) (domain.Span, bool) {
	switch r.wants {
	case aDate:
		return r.date(s)
	case aNumber:
		return r.number(s)
	case aName, aPlace:
		return r.name(s, tie)
	}
	return domain.Span{}, false
}

// date returns the first date that the question does not name.
func (r *reading) date(s *candidate) (domain.Span, bool) {
	for _, n := range s.names {
		if n.Kind == prose.Date && !r.isAsked(n.Text) {
			return n.Span, true
		}
	}
	return domain.Span{}, false
}

// number returns the first number that is not a year, or else the first, with its currency sign and unit.
func (r *reading) number(s *candidate) (domain.Span, bool) {
	tokens, first := prose.Tokens(s.text), -1
	for i, t := range tokens {
		digits := unicode.IsDigit([]rune(t.Text)[0])
		if !digits && !isNumberWord(strings.Split(t.Text, "-")[0]) || r.words[prose.Key(t.Text)] || s.item && i <= 1 {
			continue
		}
		year := digits && len(t.Text) == 4 && (t.Text[0] == '1' || t.Text[0] == '2')
		if first < 0 || !year {
			first = i
		}
		if !year {
			break
		}
	}
	if first < 0 {
		return domain.Span{}, false
	}
	from, to := first, first
	for from > 0 && strings.ContainsAny(tokens[from-1].Text, "£$€¥") {
		from--
	}
	for to+1 < len(tokens) && isNumberWord(tokens[to+1].Text) {
		to++
	}
	if to+1 < len(tokens) && isUnit(tokens[to+1].Text) {
		to++
	}
	return domain.Span{Start: tokens[from].Span.Start, End: tokens[to].Span.End}, true
}

func isNumberWord(text string) bool { return numberWords[strings.ToLower(text)] }

// isUnit reports whether the text after a number is its unit.
func isUnit(text string) bool {
	return strings.ContainsAny(text, "%°€£$") || !isStop(text) && unicode.IsLetter([]rune(text)[0])
}

// name returns the first name that is not in the question, after "by" or, for a question about a place, after a
// preposition of place if there is one.
func (r *reading) name(s *candidate, tie string) (domain.Span, bool) {
	leading := agents
	if r.wants == aPlace {
		leading = places
	}
	var first domain.Span
	for _, n := range s.names {
		if n.Kind != prose.Proper && n.Kind != prose.Quoted || r.isAsked(n.Text) || tie != "" && prose.Key(n.Text) == prose.Key(tie) {
			continue
		}
		before := strings.Fields(domain.Span{End: n.Span.Start}.Slice(s.text))
		if len(before) > 0 && leading[strings.ToLower(before[len(before)-1])] {
			return n.Span, true
		}
		if first.Empty() {
			first = n.Span
		}
	}
	return first, !first.Empty()
}

// mostNews bounds the words of a phrase that is marked.
const mostNews = 8

// news returns the longest run of words that are not in the question, or an empty span.
func (r *reading) news(s *candidate) domain.Span {
	tokens := prose.Tokens(s.text)
	var best domain.Span
	most := 0
	for i := 0; i < len(tokens); i++ {
		if isStop(tokens[i].Text) {
			continue
		}
		said, end := 0, i
		for j := i; j < len(tokens) && j < i+mostNews && tokens[j].Word; j++ {
			if stop := isStop(tokens[j].Text); !stop && r.isAsked(tokens[j].Text) {
				break
			} else if !stop {
				said, end = said+1, j+1
			}
		}
		if said > most {
			most, best = said, domain.Span{Start: tokens[i].Span.Start, End: tokens[end-1].Span.End}
		}
		if said > 0 {
			i = max(i, end-1)
		}
	}
	return best
}
