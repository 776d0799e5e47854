package builtin

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/prose"
)

// The thresholds and costs of the weighted search, tuned on the development
// sets; docs/benchmarks.md has the curve.
const (
	leastCover = 0.67 // of the question's weight
	nameCover  = 0.75 // of the words of a name

	coverTold   = 0.9 // of a need's weight, if a heading or an FAQ's question says it
	coverBeside = 0.8 // the same, if the sentence before it or the first of its paragraph does
	coverNear   = 0.5 // the same, if only the passage or its title does

	costMore   = .05  // one more sentence, a link by a name that neither is about, an open kind, a word for a name
	costAway   = .08  // the term asked about is in another sentence than the answer
	costUnsaid = .2   // no sentence says it, the kind is inferred, or the answer is about the thing that describes
	costUnkind = .3   // nothing states that a name is of the kind asked for
	costNoKind = .4   // nothing states the kind
	costRank   = .005 // one rank further down

	mostSentences = 3
)

// weighing is a weighted search for linked sentences that together say what a
// question says.
type weighing struct {
	*search
	needs    []need
	total    float64
	must     uint64
	askedFor uint64          // the need that the question asks about; 0 if it is a name
	topics   uint64          // the needs that titles say: what documents are about
	off      []bool          // the passages that say not all topics
	hops     bool            // the question describes a thing by another
	units    []unit          // per proposition
	near     []uint64        // the needs that each passage says
	about    []string        // key of the subject of each passage, "" for none
	openings []int           // the first proposition of each passage that is not a heading
	told     map[string]bool // cache of isTold
	best     bundle
}

// unit is the set of needs that a proposition meets, as bits.
type unit struct {
	said  uint64 // in its own words
	told  uint64 // in those that it stands under
	close uint64 // in those of its paragraph
	near  uint64 // in its passage
	offer offer
}

// offer is a candidate answer in a proposition.
type offer struct {
	text string
	cost float64
	ok   bool
	from int // the proposition that holds it, if not this one; else -1
}

// bundle is evidence: propositions in the order in which they were linked.
type bundle struct {
	propositions []int
	adds         []string // an explanation per proposition
	score        float64
	answers      int    // the index of the proposition that answers
	says         string // the answer
}

// weigh returns the evidence that covers the question's pieces best, or none if
// it covers too little.
func (s *search) weigh(pieces []piece) bundle {
	w := &weighing{search: s, needs: s.needsOf(pieces), told: map[string]bool{}}
	said := false
	for i, n := range w.needs {
		w.total += n.weight
		if n.must {
			w.must |= 1 << i
		}
		said = said || !n.must
	}
	if !said {
		return bundle{}
	}
	w.readSubjects()
	w.hops = w.describes(pieces)
	if !w.hops && !slices.ContainsFunc(pieces, func(p piece) bool { return p.opens }) {
		w.topics = w.topicsOf()
	}
	w.askedFor = w.askedOf(pieces)
	w.near = make([]uint64, len(s.passages))
	for p := range s.passages {
		for k, n := range w.needs {
			if w.passageHas(p, n) {
				w.near[p] |= 1 << k
			}
		}
	}
	w.off = w.offTopic()
	for i := range s.propositions {
		u := w.unitOf(i)
		u.offer = w.offerOf(i, u)
		w.units = append(w.units, u)
	}
	for i, u := range w.units {
		if p := &s.propositions[i]; !p.asks && !p.orders && !aMark.MatchString(p.text) && (u.said != 0 || u.told != 0 && u.offer.ok) {
			w.extend([]int{i}, nil, u.said|u.told, 0)
		}
	}
	return w.best
}

// extend judges a row of propositions and every longer row that covers more.
func (w *weighing) extend(row []int, names []string, cover uint64, cost float64) {
	w.judge(row, names, cost)
	if len(row) == mostSentences {
		return
	}
	for next := range w.propositions {
		u := w.units[next]
		more := u.said&^cover != 0
		if slices.Contains(row, next) || w.propositions[next].asks || w.propositions[next].bare() || !more && !u.offer.ok {
			continue
		}
		if len(row) == mostSentences-1 && (cover|u.said|u.near)&w.must != w.must {
			continue // the row is full and a name is still missing
		}
		if name, extra, ok := w.linked(row, next); ok {
			w.extend(append(slices.Clip(row), next), append(slices.Clip(names), name), cover|u.said, cost+costMore+extra)
		}
	}
}

// judge keeps a row that has all names, offers an answer and beats the best so
// far.
func (w *weighing) judge(row []int, names []string, cost float64) {
	cover, ok := w.coverOf(row)
	if !ok {
		return
	}
	score := cover/w.total - cost
	for _, i := range row {
		score -= costRank * float64(w.propositions[i].passage)
	}
	least := leastCover - w.lenience
	for k, r := range slices.Backward(row) {
		o := w.units[r].offer
		if !o.ok || len(row) > 1 && w.propositions[r].bare() {
			continue
		}
		cost := o.cost + w.awayFrom(row, r) + w.halfOf(row, r)
		if w.off[w.propositions[r].passage] {
			cost += costUnkind
		}
		if score-cost > max(least, w.best.score) {
			w.best = bundle{slices.Clone(row), w.addsOf(row, names, k), score - cost, k, o.text}
			if o.from >= 0 && !slices.Contains(row, o.from) {
				w.best.propositions = append([]int{o.from}, w.best.propositions...)
				w.best.adds = append([]string{"says " + o.text}, w.best.adds...)
				w.best.answers++
			}
		}
	}
}

// coverOf returns the weight of the needs that a row covers, and whether it has
// all names.
func (w *weighing) coverOf(row []int) (float64, bool) {
	sum := 0.0
	for k, n := range w.needs {
		bit, best := uint64(1)<<k, 0.0
		for _, i := range row {
			u := w.units[i]
			switch {
			case u.said&bit != 0:
				best = 1
			case u.told&bit != 0:
				best = max(best, coverTold)
			case u.close&bit != 0:
				best = max(best, coverBeside)
			case u.near&bit != 0 && bit != w.askedFor:
				best = max(best, coverNear)
			}
		}
		if best == 0 && n.must {
			return 0, false
		}
		sum += best * n.weight
	}
	return sum, true
}

// awayFrom returns the cost of an answer in a sentence that does not say what
// the question asks about.
func (w *weighing) awayFrom(row []int, answer int) float64 {
	switch {
	case !w.away(answer):
		return 0
	case w.factual() || !slices.ContainsFunc(row, func(i int) bool { return !w.away(i) }):
		return costUnsaid
	}
	return costAway
}

// factual reports whether a question asks for a person, a time, a place or a
// number, of which other sentences hold many.
func (q *question) factual() bool {
	return q.kind == aPerson || q.kind == aTime || q.kind == aPlace || q.kind == aNumber
}

// away reports whether neither a proposition nor what it stands under says what
// the question asks about.
func (w *weighing) away(i int) bool {
	return w.askedFor != 0 && (w.units[i].said|w.units[i].told)&w.askedFor == 0
}

// halfOf returns the cost of an answer about the thing that a question names,
// where it asks about another that is described by it.
func (w *weighing) halfOf(row []int, answer int) float64 {
	if !w.hops {
		return 0
	}
	if about := w.about[w.propositions[answer].passage]; about != "" && w.isAsked(about) {
		return costUnsaid
	}
	return 0
}

// addsOf explains what each proposition of a row adds. The k-th one answers.
func (w *weighing) addsOf(row []int, names []string, k int) []string {
	out := make([]string, len(row))
	for i, p := range row {
		var words []string
		for n, need := range w.needs {
			if (w.units[p].said|w.units[p].told)&(1<<n) != 0 && need.weight > weightWeak {
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
		if text := w.units[p].offer.text; i == k && text != "" {
			out[i] += ", and names " + text
		}
	}
	return out
}

// topicsOf returns the needs for what the title of a document that was found says.
func (w *weighing) topicsOf() uint64 {
	var titles []string
	for i, p := range w.passages {
		if w.about[i] != "" {
			continue // an article about one thing, which has a name
		}
		for _, t := range prose.Words(p.Name + " " + p.Title) {
			titles = append(titles, w.formsOf(t.Text)...)
		}
	}
	slices.Sort(titles)
	set := uint64(0)
	for k, n := range w.needs {
		if n.key == "" && !n.weak && !n.aside && shareForm(titles, n.forms) {
			set |= 1 << k
		}
	}
	return set
}

// offTopic returns which passages say nothing of what a document that was found is
// about, and the question as well.
func (w *weighing) offTopic() []bool {
	off := make([]bool, len(w.passages))
	for k, n := range w.needs {
		for p := range off {
			off[p] = off[p] || w.topics&(1<<k) != 0 && !shareForm(w.context[p], n.forms)
		}
	}
	return off
}

// askedOf returns the need for the verb, or else the first term, of the
// question's own clause, descriptions aside.
func (w *weighing) askedOf(pieces []piece) uint64 {
	own, most, heaviest := ownClause(pieces), uint64(0), weightWeak
	for k, n := range w.needs {
		said := slices.ContainsFunc(own, func(e element) bool { return e.from == n.from })
		switch {
		case !said || n.key != "" || n.aside || w.topics&(1<<k) != 0:
		case n.weight > weightWeak && isPastVerb(n.text):
			return 1 << k
		case n.weight > heaviest:
			most, heaviest = 1<<k, n.weight
		}
	}
	return most
}

// ownClause returns the elements of the question's own clause: what stands before
// the first thing that is described, or else the words at the end.
func ownClause(pieces []piece) []element {
	m := slices.IndexFunc(pieces, func(p piece) bool { return p.opens })
	if m < 0 {
		return elementsOf(pieces)
	}
	own := elementsOf(pieces[:m-pieces[m].head])
	for end := len(pieces) - 1; end > m && !slices.ContainsFunc(own, func(e element) bool { return !e.weak }); end-- {
		own = append(own, elementsOf(pieces[end:end+1])...)
	}
	return own
}

func elementsOf(pieces []piece) []element {
	var out []element
	for _, it := range pieces {
		if !it.opens {
			out = append(out, it.element)
		}
	}
	return out
}

// describes reports whether a question describes a thing by its relation to
// another: "the director of X", "X's husband".
func (w *weighing) describes(pieces []piece) bool {
	for i, it := range pieces {
		if it.opens || it.key != "" || !isOffice(strings.ToLower(it.text)) {
			continue
		}
		named := i > 0 && pieces[i-1].key != "" && pieces[i-1].to == it.from || it.to < len(w.tokens) && w.tokens[it.to].Text == "of"
		if named && it.from >= w.asks.to {
			return true
		}
	}
	return false
}

// unitOf returns the needs that a proposition and its context cover.
func (w *weighing) unitOf(i int) unit {
	st := &w.propositions[i]
	about := strings.Fields(w.about[st.passage])
	over, beside := w.over(i), w.paragraph(i)
	entry := st.isEntry() || slices.ContainsFunc(over, func(j int) bool { return w.propositions[j].isEntry() })
	says := func(n need, list []int) bool {
		return slices.ContainsFunc(list, func(j int) bool { return w.propositions[j].has(n.element, nil) })
	}
	var u unit
	for k, n := range w.needs {
		if st.has(n.element, about) || w.implies(i, n) {
			u.said |= 1 << k
		}
		switch {
		case says(n, over), entry && shareForm(n.forms, versions):
			u.told |= 1 << k
		case says(n, beside):
			u.close |= 1 << k
		}
	}
	u.near = w.near[st.passage] &^ (u.told | u.close)
	return u
}

// isEntry reports whether a proposition heads an entry in a list of changes: it
// has the number of a version and a day.
func (s *proposition) isEntry() bool {
	version, day := false, false
	for _, t := range s.tokens {
		v := strings.TrimLeft(t.Text, "v")
		version = version || isNumber(v) && strings.Contains(v, ".")
		day = day || isoDate.MatchString(t.Text) || isYear(t.Text)
	}
	return version && day && s.bare()
}

// passageHas reports whether a passage says a term, or its document's title, its
// file name or its headings say a name, perhaps written out. Where a fact is
// asked for, they must say a term as well.
func (w *weighing) passageHas(passage int, n need) bool {
	p := w.passages[passage]
	title := prose.Words(p.Name + " " + p.Title + " " + strings.Join(p.Headings, " "))
	switch {
	case n.key == "" && w.factual():
		return slices.ContainsFunc(title, func(t prose.Token) bool { return shareForm(w.formsOf(t.Text), n.forms) })
	case n.key == "":
		return shareForm(w.context[passage], n.forms)
	case isNumber(n.text):
		return false
	}
	words := map[string]bool{}
	var initials strings.Builder
	for _, t := range title {
		for key := range strings.FieldsSeq(prose.Key(t.Text)) {
			words[key] = true
		}
		initials.WriteString(strings.ToLower(t.Text[:1]))
	}
	if len(n.key) > 2 && n.text == strings.ToUpper(n.text) && strings.Contains(initials.String(), n.key) {
		return true
	}
	return share(n.words, words) >= nameCover
}

// untyped returns the cost of an answer of unknown kind.
func (w *weighing) untyped(i int) float64 {
	if w.kind != aNamed || placeNouns[w.wantedAs] {
		return 0
	}
	for _, j := range append(w.over(i), i) {
		if len(w.propositions[j].having(w.wanted)) > 0 {
			return 0
		}
	}
	if shareForm(w.context[w.propositions[i].passage], w.wanted) {
		return costMore
	}
	return costUnkind
}

// versionIn returns the number of a version in a proposition.
func (w *weighing) versionIn(st *proposition) (string, bool) {
	for _, t := range st.tokens {
		if v := strings.TrimLeft(t.Text, "v"); isNumber(v) && strings.Contains(v, ".") && !w.words[prose.Key(t.Text)] {
			return t.Text, true
		}
	}
	return "", false
}

// valueAbove returns the headings that may hold the value that a proposition
// lacks: the day or the version of an entry in a list of changes.
func (w *weighing) valueAbove(i int) []int {
	if w.kind != aTime && w.kind != aNamed && w.kind != aNumber {
		return nil
	}
	var out []int
	for _, j := range w.propositions[i].setting.headings {
		if w.kind == aTime && w.propositions[j].isEntry() && !slices.ContainsFunc(w.needs, func(n need) bool { return isNumber(n.text) }) {
			continue // the day of a version that nobody asks about
		}
		if w.kind != aNamed || shareForm(w.wanted, versions) && strings.ContainsAny(w.propositions[j].text, "0123456789") {
			out = append(out, j)
		}
	}
	return out
}

// versions are the forms of nouns that lists of changes are headed by.
var versions = slices.Sorted(slices.Values(slices.Concat(formsOf("version"), formsOf("release"))))
