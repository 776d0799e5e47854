package retrieve

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/vectorstore"
)

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
