package eval

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/retrieve"
)

// depth is how many passages are asked for.
const depth = 20

// Score is how well one method found the passages that the questions need.
type Score struct {
	Method    string  `json:"method"`
	Questions int     `json:"questions"`
	Recall2   float64 `json:"recall_2"` // share of the needed passages among the first two, averaged over questions
	Recall5   float64 `json:"recall_5"`
	MRR       float64 `json:"mrr"` // mean of 1/rank of the first needed passage
	P50       float64 `json:"ms_p50"`
}

// Params are what an evaluation works with. All are required.
type Params struct {
	Stores Stores // fresh and empty
	Miner  Miner
	Now    func() time.Time
}

// method is a way of searching under the name that is printed.
type method struct {
	name    string
	search  retrieve.Method
	vectors bool // gives questions their vectors
}

// methods are all that are compared. What needs vectors is left out where a
// folder has none.
var methods = []method{
	{"bm25", retrieve.Lexical, false},
	{"dense", retrieve.Dense, true},
	{"hybrid", retrieve.Hybrid, true},
	{"builtin", retrieve.Default, false},
	{"default", retrieve.Default, true},
}

// Retrieval ingests the passages of a folder and asks all its questions by
// every method.
func Retrieval(ctx context.Context, p Params, dir string) ([]Score, error) {
	corpus, err := LoadCorpus(dir)
	if err != nil {
		return nil, err
	}
	questions, err := LoadQuestions(dir)
	if err != nil {
		return nil, err
	}
	l, err := ingest(ctx, p, corpus)
	if err != nil {
		return nil, err
	}
	var runs []run
	for _, m := range methods {
		if m.vectors && !corpus.Embedded {
			continue
		}
		r, err := l.ask(ctx, p.Now, m, questions)
		if err != nil {
			return nil, fmt.Errorf("method %s: %w", m.name, err)
		}
		runs = append(runs, r)
	}
	return scoreAll(dir, runs)
}

// scoreAll compares what was found with what the folder says is needed.
func scoreAll(dir string, runs []run) ([]Score, error) {
	judgements, err := LoadJudgements(dir)
	if err != nil {
		return nil, err
	}
	scores := make([]Score, len(runs))
	for i, r := range runs {
		scores[i] = score(r, judgements)
	}
	return scores, nil
}

// run is what one method found.
type run struct {
	method string
	found  [][]string // passage ids, best first, one list a question
	took   []time.Duration
}

// ask asks all questions by one method.
func (l *library) ask(ctx context.Context, now func() time.Time, m method, questions []Question) (run, error) {
	r := retrieve.New(retrieve.Params{Graph: l.Graph, Index: l.Index, Texts: l.Ledger, Now: now})
	if _, err := r.Retrieve(ctx, workspace, retrieve.Query{Text: "reads the graph", Method: m.search}); err != nil {
		return run{}, err
	}
	out := run{method: m.name, found: make([][]string, len(questions)), took: make([]time.Duration, len(questions))}
	for i, q := range questions {
		query := retrieve.Query{Text: q.Text, Method: m.search, Limit: depth}
		if m.vectors {
			query.Vector = q.Vector
		}
		start := now()
		result, err := r.Retrieve(ctx, workspace, query)
		if err != nil {
			return run{}, err
		}
		out.took[i] = now().Sub(start)
		for _, f := range result.Passages {
			out.found[i] = append(out.found[i], l.passage[f.Chunk])
		}
	}
	return out, nil
}

// score compares what was found with what was needed.
func score(r run, judgements []Judgement) Score {
	s := Score{Method: r.method, Questions: len(judgements)}
	for i, j := range judgements {
		s.Recall2 += recall(r.found[i], j.Gold, 2)
		s.Recall5 += recall(r.found[i], j.Gold, 5)
		s.MRR += reciprocalRank(r.found[i], j.Gold)
	}
	if n := float64(len(judgements)); n > 0 {
		s.Recall2, s.Recall5, s.MRR = s.Recall2/n, s.Recall5/n, s.MRR/n
		took := slices.Sorted(slices.Values(r.took))
		s.P50 = float64(took[len(took)/2].Microseconds()) / 1000
	}
	return s
}

// recall is the share of gold among the first k found.
func recall(found, gold []string, k int) float64 {
	if len(gold) == 0 {
		return 0
	}
	hit := 0
	for _, g := range gold {
		if slices.Contains(found[:min(k, len(found))], g) {
			hit++
		}
	}
	return float64(hit) / float64(len(gold))
}

// reciprocalRank is 1/rank of the first of gold, 0 when none was found.
func reciprocalRank(found, gold []string) float64 {
	for i, f := range found {
		if slices.Contains(gold, f) {
			return 1 / float64(i+1)
		}
	}
	return 0
}
