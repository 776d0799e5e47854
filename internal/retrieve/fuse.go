package retrieve

import (
	"cmp"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// rankConstant dampens the lead of first ranks in reciprocal rank fusion
// (Cormack, Clarke and Büttcher 2009, section 2).
const rankConstant = 60

// list holds the hits of one method, best first.
type list struct {
	method domain.MethodName
	hits   []vectorstore.Hit
}

// fuse ranks passages by the sum of 1/(rankConstant+rank) over the lists that
// contain them. A single list keeps its order and scores.
func fuse(limit int, lists ...list) []domain.FoundPassage {
	at := map[string]int{}
	var all []domain.FoundPassage
	for _, l := range lists {
		for rank, h := range l.hits {
			i, ok := at[h.ID]
			if !ok {
				i = len(all)
				at[h.ID] = i
				all = append(all, domain.FoundPassage{Chunk: domain.ChunkID(h.ID)})
			}
			score := 1 / float64(rankConstant+rank+1)
			if len(lists) == 1 {
				score = h.Score
			}
			all[i].Score += score
			all[i].Methods = append(all[i].Methods, l.method)
		}
	}
	slices.SortStableFunc(all, func(a, b domain.FoundPassage) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Chunk, b.Chunk))
	})
	return all[:min(limit, len(all))]
}
