package retrieve

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/vectorstore"
)

// walk holds the vectors of one personalised PageRank.
type walk struct {
	seed, mass, next []float32
}

// walk returns a walk from the pool with all seeds zero.
func (s *snapshot) walk() *walk {
	w, ok := s.pool.Get().(*walk)
	if !ok {
		n := s.matrix.nodes()
		return &walk{make([]float32, n), make([]float32, n), make([]float32, n)}
	}
	clear(w.seed)
	return w
}

// tolerance is the change of mass below which a walk has converged.
const tolerance = 1e-4

// steps returns the number of steps to convergence: after k of them the change is
// divided by the Chebyshev polynomial of degree k at 1/damping.
func steps(damping float32) int {
	return int(math.Ceil(math.Acosh(2/tolerance) / math.Acosh(1/float64(damping))))
}

// run computes the mass of each node: walkers start by the seeds, follow an edge
// with probability damping and otherwise restart. They do not enter nodes that
// are not allowed; nil allows all.
//
// Each step goes a little further than one step of the walkers, as far as
// Chebyshev's semi-iteration allows for an undirected graph (Golub and Varga 1961):
// that takes half of the steps.
func (w *walk) run(m *matrix, damping float32, allowed []bool) {
	w.normalise()
	copy(w.mass, w.seed)
	clear(w.next)
	only(allowed, w.mass)
	ahead, square := 1.0, float64(damping*damping)
	for k := range steps(damping) {
		switch k {
		case 0:
		case 1:
			ahead = 1 / (1 - square/2)
		default:
			ahead = 1 / (1 - square*ahead/4)
		}
		m.step(w.mass, w.next, w.seed, damping, float32(ahead))
		only(allowed, w.next)
		w.mass, w.next = w.next, w.mass
	}
	for i, x := range w.mass { // what is hardly reached may fall below zero
		w.mass[i] = max(0, x)
	}
}

// only takes the mass from nodes that are not allowed.
func only(allowed []bool, mass []float32) {
	for i, ok := range allowed {
		if !ok {
			mass[i] = 0
		}
	}
}

// normalise scales the seeds to sum to one.
func (w *walk) normalise() {
	var sum float32
	for _, s := range w.seed {
		sum += s
	}
	if sum == 0 {
		return
	}
	for i := range w.seed {
		w.seed[i] /= sum
	}
}

// seedNames seeds the walk at the names in the question, less at names that
// many passages mention.
func (s *search) seedNames(snap *snapshot, w *walk, named []int32) {
	for _, n := range named {
		w.seed[snap.node(n)] += snap.rarity(n)
	}
}

// rarity returns the reciprocal of the number of passages that mention a name.
func (s *snapshot) rarity(n int32) float32 { return 1 / float32(max(1, s.names[n].passages)) }

// seedPassages seeds the walk lightly at the passages of hits: the best gets
// weight, the others less by their scaled scores.
func (s *snapshot) seedPassages(w *walk, hits []vectorstore.Hit, weight float32) {
	for i, share := range scaled(hits, candidates) {
		if c, ok := s.chunk[domain.ChunkID(hits[i].ID)]; ok {
			w.seed[c] += weight * float32(share)
		}
	}
}

// seedSentences seeds the walk at the names in the best of the ranked sentences
// and returns these names.
func (s *search) seedSentences(snap *snapshot, w *walk, ranked []vectorstore.Hit) ([]int32, error) {
	hits := ranked[:min(s.tuning.sentences, len(ranked))]
	if len(hits) == 0 {
		return nil, nil
	}
	texts, err := s.sentences(hits)
	if err != nil {
		return nil, err
	}
	var names []int32
	for _, n := range snap.bestNames(hits, texts, s.tuning.names) {
		w.seed[snap.node(n.name)] += n.weight
		names = append(names, n.name)
	}
	return names, nil
}

// seed is a name with the weight at which the walk starts there.
type seed struct {
	name      int32
	weight    float32
	sentences int // sentences that mention it
}

// bestNames returns the best names in the sentences of hits. A name weighs the
// mean score of the sentences that mention it, divided by the number of
// passages that do.
func (s *snapshot) bestNames(hits []vectorstore.Hit, texts []sentence, limit int) []seed {
	var all []seed
	for i, h := range hits {
		for _, n := range s.namesOf(texts[i]) {
			at := slices.IndexFunc(all, func(v seed) bool { return v.name == n })
			if at < 0 {
				at = len(all)
				all = append(all, seed{name: n})
			}
			all[at].weight += float32(h.Score / hits[0].Score)
			all[at].sentences++
		}
	}
	for i, v := range all {
		all[i].weight = v.weight / float32(v.sentences) * s.rarity(v.name)
	}
	slices.SortFunc(all, func(a, b seed) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.name, b.name)) })
	return all[:min(limit, len(all))]
}

type sentence struct {
	chunk domain.ChunkID
	text  string
}

// sentences looks up the texts of sentence hits, whose ids are chunk#number.
func (s *search) sentences(hits []vectorstore.Hit) ([]sentence, error) {
	list, numbers := make([]sentence, len(hits)), make([]int, len(hits))
	var ids []domain.ChunkID
	for i, h := range hits {
		id, number, _ := strings.Cut(h.ID, "#")
		n, err := strconv.Atoi(number)
		if err != nil {
			n = -1
		}
		list[i].chunk, numbers[i] = domain.ChunkID(id), n
		if !slices.Contains(ids, list[i].chunk) {
			ids = append(ids, list[i].chunk)
		}
	}
	passages, err := s.Texts.Passages(s.ctx, s.workspace, ids)
	if err != nil {
		return nil, err
	}
	for i := range list {
		at := slices.IndexFunc(passages, func(p domain.Passage) bool { return p.ID == list[i].chunk })
		if at < 0 || numbers[i] < 0 {
			continue // deleted since the search
		}
		if spans := prose.Sentences(passages[at].Text); numbers[i] < len(spans) {
			list[i].text = spans[numbers[i]].Slice(passages[at].Text)
		}
	}
	return list, nil
}

// namesOf returns the names mentioned in a sentence and its document's title.
func (s *snapshot) namesOf(of sentence) []int32 {
	chunk, ok := s.chunk[of.chunk]
	if !ok {
		return nil
	}
	mentioned := s.linked(of.text)
	var names []int32
	for _, l := range s.linksOf(chunk) {
		if l.isTitle() || slices.Contains(mentioned, l.name) {
			names = append(names, l.name)
		}
	}
	return names
}

// The methods of a hop.
const (
	byName     = "name"     // the question contains the name
	byMention  = "mention"  // both passages mention the name
	byTitle    = "title"    // the name is the title of the next passage
	byRelation = "relation" // a relation connects the name to the one before
)

// maxHops bounds the length of a path.
const maxHops = 4

// tracer follows a walk backwards along the edges that brought the most mass.
type tracer struct {
	*snapshot
	walk    *walk
	named   []int32 // names of the question
	damping float32
}

// path returns the walk's route to a chunk. A route from a name in the question
// is always returned; a route from another passage only if the chunk's own words
// contributed less.
func (t *tracer) path(chunk int32) []domain.Hop {
	var hops []domain.Hop
	seen := []int32{chunk}
	alone := false
	for len(hops) < maxHops {
		e, ok := t.entrance(chunk, seen)
		if !ok {
			break
		}
		if !t.isNamed(e.name) && t.broughtByWords(chunk, e) {
			if len(hops) > 0 {
				break
			}
			alone = true
		}
		hop := domain.Hop{Entity: t.names[e.name].entity, Name: t.names[e.name].name, Method: methodOf(e.link)}
		switch {
		case t.isNamed(e.name):
			hop.Method = byName
			hops = append(hops, hop)
			slices.Reverse(hops)
			return hops
		case int(e.from) < len(t.chunks):
			hop.From = t.chunks[e.from].ID
			hops = append(hops, hop)
		default:
			hop.Method = byRelation
			n := t.names[int(e.from)-len(t.chunks)]
			hops = append(hops, hop, domain.Hop{Entity: n.entity, Name: n.name, Method: byName})
			slices.Reverse(hops)
			return hops
		}
		chunk = e.from
		seen = append(seen, chunk)
	}
	if alone {
		return nil
	}
	slices.Reverse(hops)
	return hops
}

func methodOf(l link) string {
	if l.isTitle() {
		return byTitle
	}
	return byMention
}

func (t *tracer) isNamed(name int32) bool { return slices.Contains(t.named, name) }

// broughtByWords reports whether more mass started at a chunk than came through
// its entrance.
func (t *tracer) broughtByWords(chunk int32, e entrance) bool {
	return t.damping*t.damping*e.flow < (1-t.damping)*t.walk.seed[chunk]
}

// entrance is a route into a chunk: over one of its names, from another chunk or
// another name.
type entrance struct {
	link
	from int32   // node before the name; unused for a name in the question
	flow float32 // mass arriving over this route in two steps
}

// entrance returns the route that brought a chunk the most mass, preferring
// routes over a name in the question.
func (t *tracer) entrance(chunk int32, seen []int32) (best entrance, ok bool) {
	named := false
	for _, l := range t.linksOf(chunk) {
		is := t.isNamed(l.name)
		if named && !is {
			continue
		}
		e := entrance{link: l, from: -1}
		if is {
			e.flow = t.chance(t.node(l.name), chunk) * t.walk.mass[t.node(l.name)]
		} else if from, mass := t.origin(l.name, seen); from >= 0 {
			e.from, e.flow = from, t.chance(t.node(l.name), chunk)*mass
		}
		if e.flow > 0 && (e.flow > best.flow || is && !named) {
			best, ok, named = e, true, is
		}
	}
	return best, ok
}

// origin returns the node that brought a name the most mass, among unseen chunks
// and names in the question, or -1 if there is none.
func (t *tracer) origin(name int32, seen []int32) (from int32, mass float32) {
	from = -1
	node := t.node(name)
	for _, e := range t.matrix.neighbours(node) {
		n := e.node
		if m := e.chance * t.walk.mass[n]; m > mass && !slices.Contains(seen, n) && (int(n) < len(t.chunks) || t.isNamed(n-int32(len(t.chunks)))) {
			from, mass = n, m
		}
	}
	return from, mass
}

// chance returns the probability of stepping from one node to another.
func (t *tracer) chance(from, to int32) float32 {
	for _, e := range t.matrix.neighbours(to) {
		if e.node == from {
			return e.chance
		}
	}
	return 0
}

// sentenceCandidates is the number of sentences that words and vectors rank.
const sentenceCandidates = 50

// scaled returns the scores of hits on a scale from 0, the worst of limit hits
// or no hit at all, to 1, the best.
func scaled(hits []vectorstore.Hit, limit int) []float64 {
	if len(hits) == 0 {
		return nil
	}
	best, worst := hits[0].Score, hits[len(hits)-1].Score
	if len(hits) < limit || best == worst {
		worst = 0 // hits holds every match
	}
	shares := make([]float64, len(hits))
	if best <= worst {
		return shares
	}
	for i, h := range hits {
		shares[i] = (h.Score - worst) / (best - worst)
	}
	return shares
}

// rankSentences ranks sentences by the sum of their scaled scores by words and by
// the question's vector. A store that can't be
// reached or does not fit was already reported by the search for passages.
func (s *search) rankSentences() ([]vectorstore.Hit, error) {
	words, err := s.Index.Lexical(s.ctx, s.workspace, vectorstore.LexicalQuery{
		Collection: vectorstore.Sentences, Text: s.Text, Limit: sentenceCandidates, Documents: s.Documents,
	})
	if err != nil && s.skippable(err) == nil {
		return nil, err
	}
	vectors, err := s.sentencesByVector()
	if err != nil && s.ctx.Err() != nil {
		return nil, err
	}
	sum := map[string]float64{}
	for _, hits := range [][]vectorstore.Hit{words, vectors} {
		for i, share := range scaled(hits, sentenceCandidates) {
			if share > 0 {
				sum[hits[i].ID] += share
			}
		}
	}
	ranked := make([]vectorstore.Hit, 0, len(sum))
	for id, score := range sum {
		ranked = append(ranked, vectorstore.Hit{ID: id, Score: score})
	}
	slices.SortFunc(ranked, func(a, b vectorstore.Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return ranked, nil
}

// enoughEmbedded is the share of the sentences that must have vectors before
// they are compared by them: a few would beat better ones that have none.
const enoughEmbedded = 0.9

// sentencesByVector ranks sentences by the question's vector, if nearly all of
// them can be compared with it.
func (s *search) sentencesByVector() ([]vectorstore.Hit, error) {
	if s.vector == nil {
		return nil, nil
	}
	embedded, all, err := s.Index.Embedded(s.ctx, s.workspace, vectorstore.Sentences)
	if err != nil || float64(embedded) < enoughEmbedded*float64(all) {
		return nil, err
	}
	return s.Index.Dense(s.ctx, s.workspace, vectorstore.DenseQuery{
		Collection: vectorstore.Sentences, Vector: s.vector, Limit: sentenceCandidates, Documents: s.Documents,
	})
}

// evidence returns which share of the question each passage answers by itself,
// without the graph: the weighed mean of its scaled scores by words, by vectors
// and by its best sentence. Without vectors, words weigh their share too.
func (s *search) evidence(words, vectors, sentences []vectorstore.Hit) map[domain.ChunkID]float64 {
	own := make(map[domain.ChunkID]float64, len(words)+len(vectors))
	t := s.tuning
	all := t.ownWords + t.ownVectors + t.ownSentence
	weigh := func(hits []vectorstore.Hit, weight float64) {
		for i, share := range scaled(hits, candidates) {
			own[domain.ChunkID(hits[i].ID)] += weight / all * share
		}
	}
	if len(vectors) == 0 {
		weigh(words, t.ownWords+t.ownVectors)
	} else {
		weigh(words, t.ownWords)
		weigh(vectors, t.ownVectors)
	}
	seen := make(map[domain.ChunkID]bool, len(sentences))
	for _, h := range sentences {
		id, _, _ := strings.Cut(h.ID, "#")
		if chunk := domain.ChunkID(id); !seen[chunk] {
			seen[chunk] = true
			own[chunk] += t.ownSentence / all * h.Score / sentences[0].Score
		}
	}
	return own
}
