package builtin

import (
	"cmp"
	"context"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/nearest"
	"github.com/clewhq/clew/internal/prose"
)

// reading is a question with the sentences of passages, nearest first.
type reading struct {
	*asked
	passages  []domain.Passage
	sentences [][]candidate // of each passage, in order
	ranked    []*candidate
	chain     chain
}

// candidate is a sentence of a passage, with what it is made of.
type candidate struct {
	passage, at int         // its places
	span        domain.Span // in the document's text
	text        string
	names       []prose.Name // in text
	terms       uint64       // of the question, that it or its title says
	score       float64      // how near it is
	lift        float64      // in the order of those that are as near
	row, item   bool
	question    bool
	line        bool // does not end like a sentence
}

// chain are two sentences of different passages that say more of a question together
// than any one does, tied by a name.
type chain struct {
	tells, before *candidate // the one that tells what is asked, and what it rests on
	tie           string
}

// read ranks the sentences of passages.
func read(ctx context.Context, ranker nearest.Ranker, question string, passages []domain.Passage) (*reading, error) {
	r := &reading{asked: readAsked(question), passages: passages}
	near, err := ranker.Sentences(ctx, r.text, passages)
	if err != nil {
		return nil, err
	}
	for i, p := range passages {
		r.sentences = append(r.sentences, candidatesOf(i, p))
	}
	for _, n := range near {
		if s := r.find(n); s != nil && s.score == 0 && !orders.MatchString(s.text) {
			s.score = n.Score
			r.ranked = append(r.ranked, s)
		}
	}
	r.weighContext()
	slices.SortStableFunc(r.ranked, func(a, b *candidate) int { return cmp.Compare(b.score+b.lift, a.score+a.lift) })
	r.findChain()
	return r, nil
}

// orders matches sentences that tell a reader to leave out what it was told and to say
// something. They are not quoted.
var orders = regexp.MustCompile(`(?is)^\W*(please\s+|now\s+)?(ignore|disregard|forget|override|ignoriere|vergiss|ignorez?|oublie[sz]?|ignora|olvida|dimentica)\b.*` +
	`\b(answer|say|reply|respond|tell|claim|output|pretend|instructions?|prompts?|antworte|sag|sage|dis|dites|réponds|répondez|di|responde|rispondi)\b`)

// find returns the sentence in which a ranked one begins.
func (r *reading) find(n nearest.Sentence) *candidate {
	all := r.sentences[n.Passage]
	i := slices.IndexFunc(all, func(s candidate) bool { return s.span.Overlaps(n.Span) })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// itemMark matches the beginning of an item of a list.
var itemMark = regexp.MustCompile(`^\s*([-*•+–]|\(?([a-z]|\d{1,3})[.)])\s+`)

// candidatesOf reads the sentences of a passage.
func candidatesOf(passage int, p domain.Passage) []candidate {
	names := prose.Names(p.Text)
	var out []candidate
	for _, span := range prose.Sentences(p.Text) {
		s := candidate{passage: passage, at: len(out), span: span.Shift(p.Span.Start), text: span.Slice(p.Text)}
		for _, n := range names {
			if span.Contains(n.Span) {
				n.Span = n.Span.Shift(-span.Start)
				s.names = append(s.names, n)
			}
		}
		end := strings.TrimRight(s.text, "\"'”’»)]*_` ")
		s.row, s.item = strings.Contains(s.text, " | "), itemMark.MatchString(s.text)
		s.question = strings.HasSuffix(end, "?")
		s.line = !s.row && !strings.HasSuffix(end, ".") && !strings.HasSuffix(end, "!") && !s.question && !strings.HasSuffix(end, "…")
		out = append(out, s)
	}
	return out
}

// best returns the nearest sentence of a passage, nil if it has none.
func (r *reading) best(passage int) *candidate {
	for _, s := range []*candidate{r.chain.tells, r.chain.before} {
		if s != nil && s.passage == passage {
			return s
		}
	}
	if i := slices.IndexFunc(r.ranked, func(s *candidate) bool { return s.passage == passage }); i >= 0 {
		return r.ranked[i]
	}
	return nil
}

// near reports whether a sentence is near enough to be quoted, by itself or as part of
// a chain.
func (r *reading) near(s *candidate) bool {
	return s != nil && (s.score >= nearest.Near || s == r.chain.tells || s == r.chain.before)
}

// What a sentence gains from what stands around it.
const (
	gainInterval = 0.5  // it holds an interval with the year of the question
	gainHead     = 0.3  // the heads of its columns say a word of the question
	lossHead     = 0.3  // what is left of the score of the heads themselves
	gainReferred = 0.5  // share of the score of the sentence that its pronoun refers to
	gainOffer    = 0.08 // in order, not in nearness: it has words of the kind that is asked for
)

// weighContext raises sentences by what they are read with.
func (r *reading) weighContext() {
	own := make([]float64, len(r.ranked))
	for i, s := range r.ranked {
		own[i] = s.score
	}
	for i, s := range r.ranked {
		if s.row {
			s.score = r.scoreRow(s)
		} else if over := r.referred(s); over != nil && s.score > 0 {
			s.score += gainReferred * own[slices.Index(r.ranked, over)]
		}
		if r.interval(s) != (domain.Span{}) {
			s.score += gainInterval
		}
		if own[i] > 0 && r.offers(s, "") {
			s.lift = gainOffer
		}
		s.score = min(s.score, 1)
	}
}

// scoreRow returns the score of a row with the heads of its columns.
func (r *reading) scoreRow(s *candidate) float64 {
	heads := r.heads(s)
	if heads == nil {
		if r.headsTable(s) {
			return s.score * lossHead
		}
		return s.score
	}
	if (s.score > 0 || r.interval(s) != (domain.Span{})) && slices.ContainsFunc(termsOf(heads.text), func(t string) bool { return r.words[t] }) {
		return s.score + gainHead
	}
	return s.score
}

// heads returns the first row of a row's table, nil if it is that row.
func (r *reading) heads(s *candidate) *candidate {
	all := r.sentences[s.passage]
	i := s.at
	for i > 0 && all[i-1].row {
		i--
	}
	if i == s.at {
		return nil
	}
	return &all[i]
}

// headsTable reports whether a row is the first of several.
func (r *reading) headsTable(s *candidate) bool {
	all := r.sentences[s.passage]
	return s.at+1 < len(all) && all[s.at+1].row
}

// intervals matches an interval of years.
var intervals = regexp.MustCompile(`\b(\d{3,4})\s*(?:[–—-]|to|until|bis|à|hasta|al?|tot|até)\s*(\d{2,4})\b`)

// interval returns the interval of a sentence that holds a year which the question names
// and the sentence does not; empty if there is none.
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

// How much more of a question a chain must say than its best sentence, and each of its
// sentences than the other.
const (
	moreThanOne   = 0.08
	moreThanOther = 0.08
	mostTied      = 3 // passages that share a name which ties
	maxTerms      = 64
)

// mailHead matches a line of the head of a mail. Its names tie it to most of what somebody
// wrote, and it tells nothing about them.
var mailHead = regexp.MustCompile(`^(From|To|Cc|Bcc|Reply-To|Subject|Date): `)

// findChain looks for two sentences that belong together.
func (r *reading) findChain() {
	terms := termsOf(r.text)
	slices.Sort(terms)
	terms = slices.Compact(terms)
	if len(terms) < 3 || len(terms) > maxTerms || len(r.ranked) == 0 {
		return
	}
	weights := r.weigh(terms)
	weight := func(set uint64) (sum float64) {
		for i, w := range weights {
			if set&(1<<i) != 0 {
				sum += w
			}
		}
		return sum
	}
	ties := r.ties()
	single := 0.0
	for _, s := range r.ranked {
		single = max(single, weight(s.terms))
	}
	most := single + moreThanOne
	for _, a := range r.ranked {
		for _, b := range r.ranked {
			both := weight(a.terms | b.terms)
			if a.passage == b.passage || mailHead.MatchString(a.text) || mailHead.MatchString(b.text) || both <= most || both-weight(a.terms) < moreThanOther || both-weight(b.terms) < moreThanOther {
				continue
			}
			if tie := r.tie(a, b, ties); tie != "" {
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
	rate := s.score / 2
	if r.offers(s, tie) {
		rate += 2
	}
	says := r.says(s)
	for _, p := range r.pieces {
		if p.named && slices.Contains(says, p.text) {
			rate--
		}
	}
	return rate
}

// weigh notes which terms each sentence says, and returns the share of each.
func (r *reading) weigh(terms []string) []float64 {
	in := make([]int, len(terms))
	for _, s := range r.ranked {
		for _, t := range termsOf(r.passages[s.passage].Title + " " + s.text) {
			if i, ok := slices.BinarySearch(terms, t); ok && s.terms&(1<<i) == 0 {
				s.terms |= 1 << i
				in[i]++
			}
		}
	}
	weights := make([]float64, len(terms))
	sum := 0.0
	for i, n := range in {
		weights[i] = math.Log(1 + float64(len(r.ranked))/float64(1+n))
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}

// ties returns the keys of names that few passages share, as they are written.
func (r *reading) ties() map[string]string {
	in, last, written := map[string]int{}, map[string]int{}, map[string]string{}
	add := func(passage int, text string) {
		key := prose.Key(text)
		if at, seen := last[key]; seen && at == passage {
			return
		}
		last[key], written[key] = passage, cmp.Or(written[key], text)
		in[key]++
	}
	for i, all := range r.sentences {
		if title := r.title(i); title != "" {
			add(i, title)
		}
		for _, s := range all {
			for _, n := range s.names {
				if n.Kind == prose.Proper || n.Kind == prose.Quoted {
					add(i, n.Text)
				}
			}
		}
	}
	for key, n := range in {
		if n < 2 || n > max(mostTied, len(r.passages)/2) || domain.Runes(key) < 4 || r.isAsked(key) || demonyms[key] {
			delete(written, key)
		}
	}
	return written
}

// title returns what the title of a passage names, without brackets; "" for the name of
// its file.
func (r *reading) title(passage int) string {
	p := r.passages[passage]
	title, _, _ := strings.Cut(p.Title, " (")
	if title == p.Name && path.Ext(title) != "" {
		return ""
	}
	return title
}

// tie returns a name that both sentences have, or that one has and the title of the
// other's document is; "" if there is none.
func (r *reading) tie(a, b *candidate, ties map[string]string) string {
	for _, pair := range [][2]*candidate{{a, b}, {b, a}} {
		title := prose.Key(r.title(pair[1].passage))
		for _, n := range pair[0].names {
			key := prose.Key(n.Text)
			shared := key == title || slices.ContainsFunc(pair[1].names, func(o prose.Name) bool { return prose.Key(o.Text) == key })
			if shared && ties[key] != "" {
				return ties[key]
			}
		}
	}
	return ""
}

// answerReader caches recent readings, because one reading grades every passage
// of a search.
type answerReader struct {
	ranker nearest.Ranker
	mu     sync.Mutex
	latest []*cached
}

// cached is a reading that is computed once.
type cached struct {
	key     string
	mu      sync.Mutex
	reading *reading
}

// maxCached bounds the cache to the questions likely to be answered at the same
// time.
const maxCached = 8

func (a *answerReader) read(ctx context.Context, question string, passages []domain.Passage) (*reading, error) {
	k := a.keep(keyOf(question, passages))
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.reading == nil {
		var err error
		if k.reading, err = read(ctx, a.ranker, question, passages); err != nil {
			return nil, err
		}
	}
	return k.reading, nil
}

func (a *answerReader) keep(key string) *cached {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, k := range a.latest {
		if k.key == key {
			return k
		}
	}
	k := &cached{key: key}
	a.latest = append(a.latest, k)
	if len(a.latest) > maxCached {
		a.latest = slices.Delete(a.latest, 0, 1)
	}
	return k
}

func keyOf(question string, passages []domain.Passage) string {
	var b strings.Builder
	b.WriteString(question)
	for _, p := range passages {
		b.WriteByte(0)
		b.WriteString(string(p.ID))
	}
	return b.String()
}
