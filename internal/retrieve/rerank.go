package retrieve

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore/words"
)

// The number of passages to reorder: the best of the walk, and those that answer most of the question by themselves.
const (
	fromWalk, fromEvidence = 40, 15

	anchors = 10 // candidates that may start a chain to another one
	alone   = 3  // nearest candidates that come first if they need no other document: as many as an answer shows
	chosen  = 5  // candidates chosen one after the other, each for what the earlier ones lack
)

// candidate is a passage to be ordered again.
type candidate struct {
	chunk  int32
	mass   float64 // from the walk; at most 1
	own    float64 // share of the question that it answers on its own, see search.evidence
	holds  uint64  // the words of the question in its title and text, as a bit set
	near   float64 // score of its best sentence, see nearest.Sentence
	titled bool    // the question contains its title
	keyed  float64 // share of the question in a row's first cell, if the question has all words of the cell
	score  float64
}

// strength rates how well a chain can start, or continue, at the candidate.
func (c *candidate) strength() float64 { return c.own + c.mass/8 }

// rerank orders the best passages of the walk again. The walk is good at
// finding every passage that a chain needs, and worse at telling them from
// their neighbours. A needed passage often has a name in common with a good
// one and holds the words of the question that the good one lacks: in "When did
// the designer of Copper Bridge die?", a passage about the bridge explains the
// designer, and the other passage must know about a death.
//
// A question that one passage answers is looked up. If no other document can add to
// the nearest passage, the nearest ones come first; of a question with a name that the
// graph has, which may be the beginning of a chain, only if that passage holds nearly all
// of the question. Else the passage with the most evidence of its own comes first if it
// does. The reason why is returned in words.
func (s *search) rerank(p *patch, named []int32, best []scored, own map[domain.ChunkID]float64) (ordered []scored, why string, err error) {
	list := p.candidates(best, own)
	if len(list) == 0 {
		return best, "", nil
	}
	weights, err := s.readTerms(p, list)
	if err != nil {
		return nil, "", err
	}
	near, err := s.addNearness(p, list)
	if err != nil {
		return nil, "", err
	}
	for i := range list {
		list[i].titled = p.isTitled(list[i].chunk, named)
	}
	t := s.tuning
	fixed := 0
	nearest := slices.MaxFunc(list, func(a, b candidate) int { return cmp.Compare(a.near, b.near) })
	switch first := mostEvidence(list); {
	case near && (len(named) == 0 || weigh(nearest.holds, weights) >= t.lookup) && p.standAlone(nearest, list):
		fixed, why = min(alone, len(list)), nothingToAdd
		slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.near, a.near) })
	case weigh(list[first].holds, weights) >= t.lookup:
		fixed, why = 1, lookup
		list[0], list[first] = list[first], list[0]
	}
	for i := range list {
		c := &list[i]
		c.score = math.Log(max(c.mass, leastMass)) + t.own*c.own + t.keyed*c.keyed
		if c.titled {
			c.score += t.titled
		}
	}
	s.addChains(p, list, weights)
	ordered = s.choose(p, list, weights, fixed)
	if len(best) > fromWalk {
		for _, b := range best[fromWalk:] {
			if !slices.ContainsFunc(ordered, func(o scored) bool { return o.chunk == b.chunk }) {
				ordered = append(ordered, scored{b.chunk, min(b.score/best[0].score, ordered[len(ordered)-1].score)})
			}
		}
	}
	return ordered[:min(len(ordered), s.depth())], why, nil
}

// standAlone reports whether the nearest passage needs no other document's passage: no candidate that the question
// names or that shares a name with it contains a word of the question that it lacks. Passages of one document share its
// title, which is no evidence.
func (p *patch) standAlone(nearest candidate, list []candidate) bool {
	return !slices.ContainsFunc(list, func(c candidate) bool {
		return p.chunks[c.chunk].Document != p.chunks[nearest.chunk].Document && c.holds&^nearest.holds != 0 && (c.titled || p.tie(nearest.chunk, c.chunk) > 0)
	})
}

// mostEvidence returns the candidate with the most direct evidence.
func mostEvidence(list []candidate) int {
	most := 0
	for i := range list {
		if list[i].own > list[most].own {
			most = i
		}
	}
	return most
}

// leastMass is the mass of a passage that the walk did not reach.
const leastMass = 1e-6

// candidates returns the first passages of the walk, and those with the most direct evidence.
func (p *patch) candidates(best []scored, own map[domain.ChunkID]float64) []candidate {
	if len(best) == 0 || best[0].score <= 0 {
		return nil
	}
	list := make([]candidate, 0, fromWalk+fromEvidence)
	add := func(chunk int32, mass float64) {
		list = append(list, candidate{chunk: chunk, mass: mass / best[0].score, own: own[p.chunks[chunk].ID]})
	}
	for _, b := range best[:min(len(best), fromWalk)] {
		add(b.chunk, b.score)
	}
	for _, id := range mostOf(own) {
		chunk := p.chunkOf(id)
		if !p.chunks[chunk].held || slices.ContainsFunc(list, func(c candidate) bool { return c.chunk == chunk }) {
			continue
		}
		var mass float64
		if at := slices.IndexFunc(best, func(b scored) bool { return b.chunk == chunk }); at >= 0 {
			mass = best[at].score
		}
		add(chunk, mass)
	}
	return list
}

// isTitled reports whether the title of a chunk's document is one of names.
func (p *patch) isTitled(chunk int32, names []int32) bool {
	return slices.ContainsFunc(p.chunks[chunk].links, func(l link) bool { return l.isTitle() && slices.Contains(names, l.name) })
}

// readTerms finds the words of the question in each candidate, and returns the weight of each word: words that fewer
// candidates contain weigh more. The weights sum to one.
func (s *search) readTerms(p *patch, list []candidate) ([]float64, error) {
	h := s.heldWords()
	if err := s.readHeld(p, h, list); err != nil {
		return nil, err
	}
	terms := h.terms(s.Text)
	held := make([]int, len(terms))
	for i := range list {
		c := &list[i]
		c.holds = h.among(p.chunks[c.chunk].ID, terms)
		for b := range held {
			held[b] += int(c.holds >> b & 1)
		}
	}
	weights, sum := make([]float64, len(terms)), 0.0
	for b, n := range held {
		if n > 0 {
			weights[b] = math.Log(1 + float64(len(list))/float64(n))
			sum += weights[b]
		}
	}
	for b := range weights {
		weights[b] /= max(sum, 1)
	}
	for i := range list {
		c := &list[i]
		for _, key := range h.keys(p.chunks[c.chunk].ID, terms) {
			c.keyed = max(c.keyed, weigh(key, weights))
		}
	}
	return weights, nil
}

// readHeld reads the candidates whose words are not cached, skipping missing passages.
func (s *search) readHeld(p *patch, h *holdings, list []candidate) error {
	unread := h.missing(p.ids(list))
	if len(unread) == 0 {
		return nil
	}
	passages, err := s.Texts.Passages(s.ctx, s.workspace, unread)
	for _, passage := range passages {
		h.add(passage)
	}
	return err
}

// ids returns the chunks of candidates.
func (p *patch) ids(list []candidate) []domain.ChunkID {
	ids := make([]domain.ChunkID, len(list))
	for i, c := range list {
		ids[i] = p.chunks[c.chunk].ID
	}
	return ids
}

// weigh returns the weight of a set of words.
func weigh(set uint64, weights []float64) float64 {
	sum := 0.0
	for ; set != 0; set &= set - 1 {
		sum += weights[bits.TrailingZeros64(set)]
	}
	return sum
}

// addChains adds to each candidate's score the evidence for it as the second of two: the rarest name it shares with a
// strong candidate, and how much of the question it contains that the other lacks.
func (s *search) addChains(p *patch, list []candidate, weights []float64) {
	strong := make([]int, len(list))
	for i := range strong {
		strong[i] = i
	}
	slices.SortStableFunc(strong, func(a, b int) int { return cmp.Compare(list[b].strength(), list[a].strength()) })
	strong = strong[:min(anchors, len(strong))]
	for i := range list {
		c, most := &list[i], 0.0
		for _, k := range strong {
			if a := &list[k]; k != i {
				tie := p.tie(a.chunk, c.chunk)
				fresh := weigh(c.holds&^a.holds, weights)
				most = max(most, a.strength()*(s.tuning.tie*tie+s.tuning.rest*fresh*min(1, tie)))
			}
		}
		c.score += most
	}
}

// tie rates how closely a name connects two passages: the rarer the shared name, the closer, and twice as close if it is
// the title of the second alone.
func (p *patch) tie(from, to int32) float64 {
	a, b, most := p.chunks[from].links, p.chunks[to].links, 0.0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].name < b[0].name:
			a = a[1:]
		case a[0].name > b[0].name:
			b = b[1:]
		default:
			tie := 1 / math.Sqrt(float64(max(1, p.names[b[0].name].passages)))
			if b[0].isTitle() && !a[0].isTitle() {
				tie *= 2
			}
			most = max(most, tie)
			a, b = a[1:], b[1:]
		}
	}
	return most
}

// choose orders candidates by score. Each of the first also gains for covering parts of the question that those before
// it lack, and more if a name ties it to one of them. The first fixed of list stay first. Returned scores are relative
// to the first, which has 1.
func (s *search) choose(p *patch, list []candidate, weights []float64, fixed int) []scored {
	ordered := make([]scored, 0, len(list))
	var first float64
	last := 1.0
	add := func(chunk int32, score float64) { // a tie may raise it
		if len(ordered) == 0 {
			first = score
		}
		last = min(last, math.Exp(score-first))
		ordered = append(ordered, scored{chunk, last})
	}
	var held uint64
	tied := make([]float64, len(list))
	for len(ordered) < chosen && len(list) > 0 {
		at, most := 0, math.Inf(-1)
		for i := range list {
			if len(ordered) < fixed && i > 0 {
				break
			}
			gain := weigh(list[i].holds&^held, weights) * (s.tuning.fresh + s.tuning.rest*tied[i])
			if sum := list[i].score + gain; sum > most {
				at, most = i, sum
			}
		}
		c := list[at]
		held |= c.holds
		add(c.chunk, most)
		list, tied = slices.Delete(list, at, at+1), slices.Delete(tied, at, at+1)
		for i := range list {
			tied[i] = max(tied[i], min(1, p.tie(c.chunk, list[i].chunk)))
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	for _, c := range list {
		add(c.chunk, c.score)
	}
	return ordered
}

// addNearness records how near the best sentence of each candidate comes to the question, and adds it to the candidate's
// direct evidence. Unless most sentences have vectors it changes nothing and returns false, because words and vectors of
// whole passages are already in the evidence.
func (s *search) addNearness(p *patch, list []candidate) (bool, error) {
	if s.nearest.Embedder == nil {
		return false, nil
	}
	ids := p.ids(list)
	at := make(map[domain.ChunkID]*candidate, len(list))
	for i := range list {
		at[ids[i]] = &list[i]
	}
	passages, err := s.Texts.Passages(s.ctx, s.workspace, ids)
	if err != nil {
		return false, err
	}
	sentences, err := s.nearest.Sentences(s.ctx, cmp.Or(s.Asked, s.Text), passages)
	if err != nil || len(sentences) == 0 || sentences[0].Score <= 0 {
		return false, err
	}
	embedded := 0
	for _, x := range slices.Backward(sentences) {
		at[passages[x.Passage].ID].near = x.Score
		if x.Embedded {
			embedded++
		}
	}
	if 2*embedded < len(sentences) {
		return false, nil
	}
	for i := range list {
		c := &list[i]
		c.own += s.tuning.ownNearness * (c.near/sentences[0].Score - c.own)
	}
	return true, nil
}

// holdings caches the words of passages: questions find the same ones again and again, and reading their texts costs more
// than the rest of ordering them.
type holdings struct {
	mu    sync.Mutex
	words *words.Vocabulary
	of    map[domain.ChunkID]held
	kept  int
}

// held are the words of a passage by their numbers.
type held struct {
	words []int32   // in ascending order
	keys  [][]int32 // words of the first cell of each row
}

// The most that holdings keep: numbers of four bytes, and words of about a hundred.
const (
	maxHeld       = 2 << 20
	maxVocabulary = 1 << 17
)

// full reports whether there is no more room.
func (h *holdings) full() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.kept > maxHeld || h.words.Len() > maxVocabulary
}

// heldWords returns the holdings of the retriever, or new ones if those are full. A search
// uses the same to its end.
func (r *Retriever) heldWords() *holdings {
	h := r.held.Load()
	if h == nil || h.full() {
		fresh := &holdings{words: words.NewVocabulary(), of: map[domain.ChunkID]held{}}
		if !r.held.CompareAndSwap(h, fresh) {
			return r.held.Load()
		}
		return fresh
	}
	return h
}

// missing returns the chunks whose words are not cached.
func (h *holdings) missing(chunks []domain.ChunkID) []domain.ChunkID {
	h.mu.Lock()
	defer h.mu.Unlock()
	var unread []domain.ChunkID
	for _, c := range chunks {
		if _, ok := h.of[c]; !ok {
			unread = append(unread, c)
		}
	}
	return unread
}

// add keeps the words of a passage.
func (h *holdings) add(p domain.Passage) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var x held
	x.words = append(h.words.Numbers(p.Title), h.words.Numbers(p.Text)...)
	slices.Sort(x.words)
	x.words = slices.Clip(slices.Compact(x.words))
	kept := len(x.words)
	for line := range strings.Lines(p.Text) {
		if cell, _, ok := strings.Cut(line, domain.CellBar); ok {
			x.keys = append(x.keys, h.words.Numbers(cell))
			kept += len(x.keys[len(x.keys)-1]) + 6 // plus the slice
		}
	}
	if _, ok := h.of[p.ID]; !ok {
		h.kept += kept
	}
	h.of[p.ID] = x
}

// maxTerms is the number of words of a question that are distinguished, starting with the first.
const maxTerms = 64

// terms returns the numbers of the words of a question.
func (h *holdings) terms(text string) []int32 {
	h.mu.Lock()
	defer h.mu.Unlock()
	terms := h.words.Numbers(text)
	return terms[:min(len(terms), maxTerms)]
}

// among returns which of the terms a chunk holds: a bit for each, in their order. It
// holds none if its words are not kept.
func (h *holdings) among(chunk domain.ChunkID, terms []int32) (set uint64) {
	h.mu.Lock()
	words := h.of[chunk].words
	h.mu.Unlock()
	for b, term := range terms {
		if _, ok := slices.BinarySearch(words, term); ok {
			set |= 1 << b
		}
	}
	return set
}

// keys returns the terms in the first cells of a chunk's rows, a set of bits for each cell that has no other word.
func (h *holdings) keys(chunk domain.ChunkID, terms []int32) (sets []uint64) {
	h.mu.Lock()
	keys := h.of[chunk].keys
	h.mu.Unlock()
	for _, key := range keys {
		var set uint64
		for _, n := range key {
			at := slices.Index(terms, n)
			if at < 0 {
				set = 0
				break
			}
			set |= 1 << at
		}
		if set != 0 {
			sets = append(sets, set)
		}
	}
	return sets
}
