package measure

import (
	"cmp"
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/retrieve/nearest"
)

// An OrderScore says how well an order of passages shows what answers questions about
// files. A passage answers if it is of the expected file and contains an expected text.
type OrderScore struct {
	Order     string  `json:"order"`
	Questions int     `json:"questions"` // with an expected text
	Three     int     `json:"three"`     // one of the first three passages answers
	Five      int     `json:"five"`
	Marked    int     `json:"marked"` // the nearest sentence of the first passage contains the text
	MRR       float64 `json:"mrr"`    // mean of 1/rank of the first passage that answers

	Lost         int `json:"lost"` // questions of which nothing among the first passages is near
	Unanswerable int `json:"unanswerable"`
	Far          int `json:"far"` // unanswerable ones of which nothing is near
}

// shown is the number of passages that a person is offered.
const shown = 8

// order puts passages in the order of a question, best first.
type order struct {
	name string
	rank func(ctx context.Context, question string) ([]domain.Passage, error)
}

// orders lists the ways of ordering: those of searching, and by the best sentence of
// each passage of the library.
func (l *library) orders(ctx context.Context, p Params, r nearest.Ranker) ([]order, error) {
	var options []retrieve.Option
	methods := []method{{"words", domain.MethodWords, false}}
	if l.Vectors != nil {
		options = append(options, retrieve.WithEmbedder(l.Vectors, l.Ledger))
		methods = append(methods, method{"vectors", domain.MethodVectors, true})
	}
	methods = append(methods, method{"default", domain.MethodDefault, l.Vectors != nil})
	retriever := retrieve.New(retrieve.Params{Graph: l.Graph, Index: l.Index, Texts: l.Ledger, Now: p.Now}, options...)
	var out []order
	for _, m := range methods {
		out = append(out, order{m.name, func(ctx context.Context, question string) ([]domain.Passage, error) {
			found, err := retriever.Retrieve(ctx, workspace, retrieve.Query{Text: question, Method: m.search, Limit: depth})
			if err != nil {
				return nil, err
			}
			ids := make([]domain.ChunkID, len(found.Passages))
			for i, f := range found.Passages {
				ids[i] = f.Chunk
			}
			return l.Ledger.Passages(ctx, workspace, ids)
		}})
	}
	var all []domain.Passage
	err := l.Ledger.EachChunk(ctx, workspace, func(p domain.Passage) error {
		all = append(all, p)
		return nil
	})
	bySentence := func(score func(nearest.Sentence) float64) func(context.Context, string) ([]domain.Passage, error) {
		return func(ctx context.Context, question string) ([]domain.Passage, error) {
			sentences, err := r.Sentences(ctx, question, all)
			if err != nil {
				return nil, err
			}
			slices.SortStableFunc(sentences, func(a, b nearest.Sentence) int { return cmp.Compare(score(b), score(a)) })
			var first []domain.Passage
			seen := map[int]bool{}
			for _, s := range sentences {
				if !seen[s.Passage] && len(first) < depth {
					first, seen[s.Passage] = append(first, all[s.Passage]), true
				}
			}
			return first, nil
		}
	}
	if l.Vectors != nil {
		out = append(out, order{"sentence", bySentence(func(s nearest.Sentence) float64 { return s.Cosine })})
	}
	out = append(out, order{"sentence and words", bySentence(func(s nearest.Sentence) float64 { return s.Score })})
	return out, err
}

// scoreOrders compares the ways of ordering passages.
func (l *library) scoreOrders(ctx context.Context, p Params, questions []FileQuestion) ([]OrderScore, error) {
	r := nearest.Ranker{Embedder: l.Vectors, Store: l.Ledger, Recent: new(nearest.Recent)}
	orders, err := l.orders(ctx, p, r)
	if err != nil {
		return nil, err
	}
	scores := make([]OrderScore, len(orders))
	for _, q := range questions {
		for i, o := range orders {
			passages, err := o.rank(ctx, q.Text)
			if err != nil {
				return nil, err
			}
			sentences, err := r.Sentences(ctx, q.Text, passages[:min(len(passages), shown)])
			if err != nil {
				return nil, err
			}
			scores[i].Order = o.name
			scores[i].add(q, passages, sentences)
		}
	}
	for i := range scores {
		scores[i].MRR /= float64(max(1, scores[i].Questions))
	}
	return scores, nil
}

// add counts a question with the passages that are found and the sentences of the first,
// nearest first.
func (s *OrderScore) add(q FileQuestion, passages []domain.Passage, sentences []nearest.Sentence) {
	far := len(sentences) == 0 || sentences[0].Score < nearest.Near
	switch {
	case q.Kind == unanswerable:
		s.Unanswerable++
		s.Far += count(far)
		return
	case len(q.Expected) == 0:
		return
	}
	s.Questions++
	s.Lost += count(far)
	rank := 1 + slices.IndexFunc(passages, func(p domain.Passage) bool { return p.Name == q.Source && q.expectedIn(p.Text) })
	if rank > 0 {
		s.MRR += 1 / float64(rank)
		s.Three += count(rank <= 3)
		s.Five += count(rank <= 5)
	}
	if best := slices.IndexFunc(sentences, func(s nearest.Sentence) bool { return s.Passage == 0 }); best >= 0 {
		p := passages[0]
		s.Marked += count(p.Name == q.Source && q.expectedIn(sentences[best].Span.Shift(-p.Span.Start).Slice(p.Text)))
	}
}

// count returns 1 for true.
func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
