package builtin

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/prose"
)

// The thresholds and costs of the weighted search, tuned on the development
// sets; docs/benchmarks.md has the curve.
const (
	leastCover = 0.72 // of the question's weight
	leastLoose = 0.82 // the same, if no passage is about what is asked
	nameCover  = 0.75 // of the words of a name

	weightName = 1.5
	weightTerm = 1.0
	weightWeak = 0.3

	costSentence = .04
	costShared   = .05 // two sentences linked by a name that is the subject of neither
	costAway     = .08 // the term asked about is in another sentence than the answer
	costUntyped  = .25 // nothing states that the name is of the kind asked for

	mostSentences = 3
)

// weighing is a weighted search for linked sentences that together say what a
// question says.
type weighing struct {
	*search
	needs    []need
	whole    clause // all pieces as one clause
	total    float64
	must     uint64
	askedFor uint64   // the need that the question asks about; 0 if it is a name
	covers   []uint64 // the needs each proposition covers, as bits
	about    []string // key of the subject of each passage, "" for none
	openings []int    // the first proposition of each passage that is not a heading
	offers   []offer
	best     bundle
}

// offer is a candidate answer in a proposition.
type offer struct {
	text string
	cost float64
	ok   bool
}

// bundle is evidence: propositions in the order in which they were linked.
type bundle struct {
	propositions []int
	adds         []string // an explanation per proposition
	score        float64
}

// weigh returns the evidence that covers the question's pieces best, or none if
// it covers too little.
func (s *search) weigh(pieces []piece) bundle {
	w := &weighing{search: s, needs: needsOf(s.question, pieces), whole: clause{elements: elementsOf(pieces)}, best: bundle{score: leastCover}}
	for i, n := range w.needs {
		w.total += n.weight
		if n.must {
			w.must |= 1 << i
		}
	}
	if w.must == 0 || bits.OnesCount64(w.must) == len(w.needs) {
		return bundle{}
	}
	w.askedFor = w.askedOf(pieces)
	w.readSubjects()
	for i := range s.propositions {
		c, cov := w.coverOf(i)
		w.covers = append(w.covers, c)
		w.offers = append(w.offers, w.offerOf(i, cov))
	}
	for i, c := range w.covers {
		if c&w.must != 0 && !s.propositions[i].bare() {
			w.extend([]int{i}, nil, c, 0)
		}
	}
	return w.best
}

// extend judges a row of propositions and every longer row that covers more.
func (w *weighing) extend(row []int, names []string, cover uint64, cost float64) {
	w.judge(row, names, cover, cost)
	if len(row) == mostSentences {
		return
	}
	for next := range w.propositions {
		more := w.covers[next]&^cover != 0
		if slices.Contains(row, next) || w.propositions[next].bare() || !more && !w.offers[next].ok {
			continue
		}
		if len(row) == mostSentences-1 && (cover|w.covers[next])&w.must != w.must {
			continue // the row is full and a name is still missing
		}
		if name, extra, ok := w.linked(row, next); ok {
			w.extend(append(slices.Clip(row), next), append(slices.Clip(names), name), cover|w.covers[next], cost+costSentence+extra)
		}
	}
}

// judge keeps a row that covers all names, offers an answer and beats the best
// so far.
func (w *weighing) judge(row []int, names []string, cover uint64, cost float64) {
	if cover&w.must != w.must {
		return
	}
	score := w.weightOf(cover)/w.total - cost
	for _, i := range row {
		score -= costRank / 2 * float64(w.propositions[i].passage)
	}
	for k, r := range slices.Backward(row) {
		o := w.offers[r]
		if !o.ok {
			continue
		}
		cost := o.cost
		if !w.saysAsked(r) {
			if w.loose(row) {
				continue
			}
			cost += costAway
			if !slices.ContainsFunc(row, w.saysAsked) {
				cost += costAway
			}
		}
		if w.loose(row) && score-cost < leastLoose {
			continue
		}
		if score-cost > w.best.score {
			w.best = bundle{slices.Clone(row), w.addsOf(row, names, k), score - cost}
		}
	}
}

// addsOf explains what each proposition of a row adds. The k-th one answers.
func (w *weighing) addsOf(row []int, names []string, k int) []string {
	out := make([]string, len(row))
	for i, p := range row {
		var words []string
		for n, need := range w.needs {
			if w.covers[p]&(1<<n) != 0 && need.weight > weightWeak {
				words = append(words, need.text)
			}
		}
		out[i] = "speaks of " + strings.Join(words, ", ")
		if len(words) == 0 {
			out[i] = "carries on"
		}
		if i > 0 {
			out[i] += ", linked by " + names[i-1]
		}
		if i == k {
			out[i] += ", and names " + w.offers[p].text
		}
	}
	return out
}

// loose reports whether no passage of a row is about a single thing.
func (w *weighing) loose(row []int) bool {
	return !slices.ContainsFunc(row, func(i int) bool { return w.about[w.propositions[i].passage] != "" })
}

func (w *weighing) weightOf(cover uint64) float64 {
	sum := 0.0
	for i, n := range w.needs {
		if cover&(1<<i) != 0 {
			sum += n.weight
		}
	}
	return sum
}

// saysAsked reports whether a proposition contains the term the question asks
// about.
func (w *weighing) saysAsked(i int) bool { return w.askedFor == 0 || w.covers[i]&w.askedFor != 0 }

// askedOf returns the need for the first term of the question's own clause,
// descriptions aside.
func (w *weighing) askedOf(pieces []piece) uint64 {
	var own []clause
	for _, plan := range (&planner{left: mostPlans, single: len(pieces) > mostPieces}).plans(pieces, -1) {
		if len(plan) > len(own) {
			own = plan
		}
	}
	for k, n := range w.needs {
		said := len(own) == 0 || slices.ContainsFunc(own[0].elements, func(e element) bool { return e.from == n.from })
		if said && n.key == "" && n.weight > weightWeak {
			return 1 << k
		}
	}
	return 0
}

// coverOf returns the needs that a proposition covers. A name does not count if
// it plays another role than in the question.
func (w *weighing) coverOf(i int) (uint64, coverage) {
	st := &w.propositions[i]
	cov := coverage{used: map[int]bool{}, at: map[int][]int{}}
	words := wordSet(w.about[st.passage])
	for _, p := range st.parts {
		words[p.key] = true
	}
	var set uint64
	for k, n := range w.needs {
		if n.key == "" {
			var said bool
			if cov.at[n.from], said = w.says(i, n); said {
				set |= 1 << k
			}
		}
	}
	for k, n := range w.needs {
		if n.key == "" || !cov.name(w.findings, st, n.key, false) && share(n.words, words) < nameCover {
			continue
		}
		if at := cov.latest; len(at) < 2 || w.agrees(st, cov, w.whole, stretch{n.from, n.to}, stretch{at[0], at[1]}) {
			set |= 1 << k
		}
	}
	return set, cov
}

// having returns the tokens that match one of forms.
func (s *proposition) having(forms []string) []int {
	var at []int
	for i, f := range s.forms {
		if f != nil && shareForm(f, forms) {
			at = append(at, i)
		}
	}
	return at
}

// share returns the share of list that is in set.
func share(list []string, set map[string]bool) float64 {
	n := 0
	for _, x := range list {
		if set[x] {
			n++
		}
	}
	return float64(n) / float64(max(1, len(list)))
}

// offerOf returns the candidate answer of a proposition. Where nothing states
// the kind asked for, any name that is not in the question may be one.
func (w *weighing) offerOf(i int, cov coverage) offer {
	st := &w.propositions[i]
	if text, cost, ok := w.answers(st, cov, w.whole); ok && (w.kind != aPerson || w.personal(prose.Key(text))) {
		return offer{text, cost, true}
	}
	if w.kind == aTime || w.kind == aNumber {
		return offer{}
	}
	if about := w.about[st.passage]; about != "" && w.kind == aPerson && w.personal(about) && !w.isAsked(about) {
		return offer{w.passages[st.passage].Title, 0, true}
	}
	if w.kind == aPerson {
		return offer{}
	}
	for _, n := range w.bridges(st, cov) {
		if !w.isAsked(n.full) {
			return offer{n.text, w.untyped(), true}
		}
	}
	return offer{}
}

// untyped returns the cost of accepting a name of unknown kind.
func (w *weighing) untyped() float64 {
	if w.kind == aNamed && !placeNouns[w.wantedAs] {
		return costUntyped
	}
	return 0
}

// isAsked reports whether all words of a name are in the question.
func (w *weighing) isAsked(key string) bool { return share(strings.Fields(key), w.words) == 1 }
