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

// seedNames starts walkers at the names of the question, fewer at names that
// many passages hold.
func (s *search) seedNames(snap *snapshot, w *walk, named []int32) {
	for _, n := range named {
		w.seed[snap.node(n)] += snap.rarity(n)
	}
}

// rarity is 1 by the number of passages that hold a name.
func (s *snapshot) rarity(n int32) float32 { return 1 / float32(max(1, s.names[n].held)) }

// seedPassages starts a few walkers at the passages of hits, by their scores
// brought to the range from 0 to 1.
func (s *search) seedPassages(snap *snapshot, w *walk, hits []vectorstore.Hit) {
	if len(hits) == 0 {
		return
	}
	best, worst := hits[0].Score, hits[len(hits)-1].Score
	if len(hits) < candidates || best == worst {
		worst = 0 // all that fit are here
	}
	for _, h := range hits {
		if c, ok := snap.chunk[domain.ChunkID(h.ID)]; ok && best > worst {
			w.seed[c] += s.tuning.passages * float32((h.Score-worst)/(best-worst))
		}
	}
}

// seedSentences starts walkers at the names of the sentences that fit best,
// and lists these names.
func (s *search) seedSentences(snap *snapshot, w *walk) ([]int32, error) {
	hits, err := s.Index.Lexical(s.ctx, s.workspace, vectorstore.LexicalQuery{
		Collection: vectorstore.Sentences, Text: s.Text, Limit: s.tuning.sentences, Documents: s.Documents,
	})
	if s.spare(err) != nil { // noted when passages were searched for
		hits, err = nil, nil
	}
	if err != nil || len(hits) == 0 {
		return nil, err
	}
	texts, err := s.sentences(hits)
	if err != nil {
		return nil, err
	}
	var names []int32
	for _, v := range snap.valued(hits, texts, s.tuning.names) {
		w.seed[snap.node(v.name)] += v.seed
		names = append(names, v.name)
	}
	return names, nil
}

// valued is a name with the seed that sentences give it.
type valued struct {
	name  int32
	seed  float32
	times int
}

// valued are the names of sentences that are worth most: the mean score of the
// sentences that hold a name, by the number of passages that hold it.
func (s *snapshot) valued(hits []vectorstore.Hit, texts []sentence, limit int) []valued {
	var all []valued
	for i, h := range hits {
		for _, n := range s.namesOf(texts[i]) {
			at := slices.IndexFunc(all, func(v valued) bool { return v.name == n })
			if at < 0 {
				at = len(all)
				all = append(all, valued{name: n})
			}
			all[at].seed += float32(h.Score / hits[0].Score)
			all[at].times++
		}
	}
	for i, v := range all {
		all[i].seed = v.seed / float32(v.times) * s.rarity(v.name)
	}
	slices.SortFunc(all, func(a, b valued) int { return cmp.Or(cmp.Compare(b.seed, a.seed), cmp.Compare(a.name, b.name)) })
	return all[:min(limit, len(all))]
}

// sentence is a sentence of a chunk.
type sentence struct {
	chunk domain.ChunkID
	text  string
}

// sentences reads the texts of sentences by the ids of their points.
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
			continue // deleted in between
		}
		if spans := prose.Sentences(passages[at].Text); numbers[i] < len(spans) {
			list[i].text = spans[numbers[i]].Slice(passages[at].Text)
		}
	}
	return list, nil
}

// namesOf are the names that a sentence mentions, with its document's title.
func (s *snapshot) namesOf(of sentence) []int32 {
	chunk, ok := s.chunk[of.chunk]
	if !ok {
		return nil
	}
	mentioned := s.linked(of.text)
	var names []int32
	for _, l := range s.of(chunk) {
		if l.isTitle() || slices.Contains(mentioned, l.name) {
			names = append(names, l.name)
		}
	}
	return names
}
