package retrieve

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/vectorstore"
)

// walk walks from the names in the question, the names in the best sentences
// and the best passages, and ranks passages by the mass they end up with.
func (s *search) walk(m *domain.Method, words, vectors []vectorstore.Hit) ([]domain.FoundPassage, error) {
	p := newPatch(s.tuning, s.Documents)
	named, err := s.named(p)
	if err != nil {
		return nil, err
	}
	sentences, err := s.rankSentences()
	if err != nil {
		return nil, err
	}
	started, err := s.seed(p, named, sentences, words, vectors)
	if err != nil {
		return nil, err
	}
	if err := s.push(p); err != nil {
		return nil, err
	}
	own := s.evidence(words, vectors, sentences)
	best, reached, err := s.rank(p, started, own)
	if err != nil {
		return nil, err
	}
	best, why, err := s.rerank(p, named, best, own)
	if err != nil {
		return nil, err
	}
	for _, b := range best[:min(len(best), domain.MaxRanked)] {
		m.Ranked = append(m.Ranked, p.chunks[b.chunk].ID)
	}
	t := tracer{patch: p, named: named}
	var found []domain.FoundPassage
	for _, b := range best[:min(len(best), s.limit())] {
		id := p.chunks[b.chunk].ID
		found = append(found, domain.FoundPassage{Chunk: id, Score: b.score, Methods: foundBy(id, words, vectors), Path: t.path(b.chunk)})
	}
	m.Candidates, m.Reason = reached, p.reason(named, started)+why
	return found, nil
}

// foundBy returns the methods that have the passage among their candidates.
func foundBy(id domain.ChunkID, words, vectors []vectorstore.Hit) []domain.MethodName {
	methods := make([]domain.MethodName, 0, 3)
	is := func(h vectorstore.Hit) bool { return h.ID == string(id) }
	if slices.ContainsFunc(words, is) {
		methods = append(methods, domain.MethodWords)
	}
	if slices.ContainsFunc(vectors, is) {
		methods = append(methods, domain.MethodVectors)
	}
	return append(methods, domain.MethodWalk)
}

// What is added to the reason when the question is looked up.
const (
	lookup       = "; one passage holds nearly all that is found of the question, so it comes first"
	nothingToAdd = "; no other document adds to the nearest passage, so the nearest come first"
)

// reason explains to a person where the walk started.
func (p *patch) reason(named, started []int32) string {
	switch {
	case len(named) > 0:
		return "names in the question: " + p.list(named)
	case len(started) > 0:
		return "no known name in the question; names in the best sentences: " + p.list(started)
	}
	return "no known name in the question; started at the best passages"
}

// maxNamed bounds the names listed in a reason.
const maxNamed = 6

func (p *patch) list(names []int32) string {
	var b strings.Builder
	for i, n := range names {
		if i == maxNamed {
			fmt.Fprintf(&b, " and %d more", len(names)-maxNamed)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.names[n].name)
	}
	return b.String()
}

// scored is a passage with its score.
type scored struct {
	chunk int32
	score float64
}

// rank returns the passages with the most mass, and how many have any. It reads the names
// in these and in the passages with the most evidence of their own, and what the names are
// called from which the walk started.
func (s *search) rank(p *patch, started []int32, own map[domain.ChunkID]float64) (best []scored, reached int, err error) {
	for i, x := range s.stepTitles(p) {
		if x > 0 && p.chunks[i].held {
			best = append(best, scored{int32(i), x})
		}
	}
	slices.SortFunc(best, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(p.chunks[a.chunk].ID, p.chunks[b.chunk].ID))
	})
	reached = len(best)
	best = best[:min(len(best), max(s.limit(), fromWalk))]
	chunks := lists.Map(best, func(b scored) int32 { return b.chunk })
	for _, id := range mostOf(own) {
		chunks = append(chunks, p.chunkOf(id))
	}
	err = s.read(p, started, chunks)
	best = slices.DeleteFunc(best, func(b scored) bool { return !p.chunks[b.chunk].held })
	return best, reached, err
}

// mostOf returns the passages with the most evidence of their own.
func mostOf(own map[domain.ChunkID]float64) []domain.ChunkID {
	most := make([]domain.ChunkID, 0, len(own))
	for id := range own {
		most = append(most, id)
	}
	slices.SortFunc(most, func(a, b domain.ChunkID) int { return cmp.Or(cmp.Compare(own[b], own[a]), cmp.Compare(a, b)) })
	return most[:min(len(most), fromEvidence)]
}

// stepTitles takes one more step, from passages to the passages whose titles
// they mention, and returns the scores. A passage passes on a share of its mass,
// less to a title that many mention.
func (s *search) stepTitles(p *patch) []float64 {
	score := make([]float64, len(p.chunks))
	for i, c := range p.chunks {
		score[i] = c.mass
	}
	for _, n := range p.names {
		passed := 0.0
		for _, l := range n.from {
			if !l.isTitle() {
				passed += p.chunks[l.chunk].mass / float64(n.passages)
			}
		}
		for _, l := range n.links {
			if l.isTitle() {
				score[l.chunk] += s.tuning.step * passed
			}
		}
	}
	return score
}

// seed puts walkers at the names in the question, less at names that many passages
// mention, at the names in the best sentences, and lightly at the best passages. It
// returns the names in the sentences.
func (s *search) seed(p *patch, named []int32, sentences, words, vectors []vectorstore.Hit) ([]int32, error) {
	for _, n := range named {
		p.names[n].seed += p.names[n].rarity()
	}
	started, err := s.seedSentences(p, sentences)
	if err != nil {
		return nil, err
	}
	hits, weight := vectors, s.tuning.passages
	if len(vectors) == 0 {
		hits, weight = words, s.tuning.byWords
	}
	for i, share := range scaled(hits, candidates) {
		if share > 0 {
			p.chunks[p.chunkOf(domain.ChunkID(hits[i].ID))].seed += weight * share
		}
	}
	return started, nil
}

// rarity returns the reciprocal of the number of passages that mention a name.
func (n *name) rarity() float64 { return 1 / float64(max(1, n.passages)) }

// seedSentences seeds the walk at the names in the best of the ranked sentences
// and returns these names.
func (s *search) seedSentences(p *patch, ranked []vectorstore.Hit) ([]int32, error) {
	hits := ranked[:min(s.tuning.sentences, len(ranked))]
	if len(hits) == 0 {
		return nil, nil
	}
	texts, err := s.sentences(hits)
	if err != nil {
		return nil, err
	}
	chunks := lists.Map(texts, func(t sentence) int32 { return p.chunkOf(t.chunk) })
	if err := s.read(p, nil, chunks); err != nil {
		return nil, err
	}
	best := p.bestNames(hits, texts, s.tuning.names)
	names := make([]int32, len(best))
	for i, n := range best {
		names[i] = n.name
		p.names[n.name].seed += n.weight
	}
	return names, nil
}

// seed is a name with the weight at which the walk starts there.
type seed struct {
	name      int32
	weight    float64
	sentences int // sentences that mention it
}

// bestNames returns the best names in the sentences of hits. A name weighs the
// mean score of the sentences that mention it, divided by the number of
// passages that do.
func (p *patch) bestNames(hits []vectorstore.Hit, texts []sentence, limit int) []seed {
	var all []seed
	for i, h := range hits {
		for _, n := range p.namesOf(texts[i]) {
			at := slices.IndexFunc(all, func(v seed) bool { return v.name == n })
			if at < 0 {
				at = len(all)
				all = append(all, seed{name: n})
			}
			all[at].weight += h.Score / hits[0].Score
			all[at].sentences++
		}
	}
	for i, v := range all {
		all[i].weight = v.weight / float64(v.sentences) * p.names[v.name].rarity()
	}
	slices.SortFunc(all, func(a, b seed) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(p.names[a.name].key, p.names[b.name].key))
	})
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

// namesOf returns the names of a sentence's passage that the sentence mentions, or that
// are its document's title.
func (p *patch) namesOf(of sentence) []int32 {
	links := p.chunks[p.chunkOf(of.chunk)].links
	byKey := lists.Pairs(links, func(l link) (string, []int32) { return p.names[l.name].key, []int32{l.name} })
	for _, l := range links {
		for _, key := range p.names[l.name].aliases {
			if at := byKey[key]; len(at) == 0 || p.names[at[0]].key != key {
				byKey[key] = append(at, l.name)
			}
		}
	}
	mentioned := linked(prose.Words(of.text), func(key string) []int32 { return byKey[key] })
	var names []int32
	for _, l := range links {
		if l.isTitle() || slices.Contains(mentioned, l.name) {
			names = append(names, l.name)
		}
	}
	return names
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
		worst = 0 // hits has every match
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

// evidence returns the share of the question that each passage answers by itself, without the graph: the weighted mean
// of its scaled scores by words, by vectors and by its best sentence. Without vectors, words get their weight too.
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
