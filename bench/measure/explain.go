package measure

import (
	"context"
	"slices"
)

// Miss is a needed passage that the best method of a folder did not find among
// the first five.
type Miss struct {
	Question string         `json:"question"`
	Title    string         `json:"title"` // of the passage
	Text     string         `json:"text"`
	Ranks    map[string]int `json:"ranks"`   // by method, from 1; 0 if not among the first 20
	Started  string         `json:"started"` // where the walk started, in words
	Before   []string       `json:"before"`  // titles of the five passages that were found instead
}

// Explain searches like Retrieval and returns the first n misses, in the order
// of the questions.
func Explain(ctx context.Context, p Params, dir string, n int) ([]Miss, error) {
	sets, runs, err := searched(ctx, p, dir)
	if err != nil {
		return nil, err
	}
	passage := make(map[string]Passage, len(sets.corpus.Passages))
	for _, p := range sets.corpus.Passages {
		passage[p.ID] = p
	}
	var misses []Miss
	from := 0
	for _, part := range sets.parts {
		judgements, err := sets.judgements(part)
		if err != nil {
			return nil, err
		}
		for i, j := range judgements {
			for _, miss := range missed(runs, from+i, j, passage) {
				miss.Question = sets.questions[from+i].Text
				misses = append(misses, miss)
			}
		}
		from += len(judgements)
	}
	return misses[:min(n, len(misses))], nil
}

// missed returns what the last run, which is that of the best method, missed of
// one question.
func missed(runs []run, question int, j Judgement, passage map[string]Passage) []Miss {
	best := runs[len(runs)-1]
	first := best.found[question][:min(5, len(best.found[question]))]
	var misses []Miss
	for _, gold := range j.Gold {
		if slices.Contains(first, gold) {
			continue
		}
		miss := Miss{
			Title: passage[gold].Title, Text: passage[gold].Text, Ranks: map[string]int{}, Started: best.walked[question],
		}
		for _, r := range runs {
			miss.Ranks[r.method] = slices.Index(r.found[question], gold) + 1
		}
		for _, id := range first {
			miss.Before = append(miss.Before, passage[id].Title)
		}
		misses = append(misses, miss)
	}
	return misses
}
