package measure

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/retrieve"
)

// depth is the number of passages retrieved for each question.
const depth = 20

// Score measures how well a method found the needed passages.
type Score struct {
	Folder    string  `json:"folder"` // "all" for the questions of all folders
	Method    string  `json:"method"`
	Questions int     `json:"questions"`
	Recall2   float64 `json:"recall_2"` // share of the needed passages among the first two, averaged over questions
	Recall5   float64 `json:"recall_5"`
	MRR       float64 `json:"mrr"` // mean of 1/rank of the first needed passage
	P50       float64 `json:"ms_p50"`
	P95       float64 `json:"ms_p95"`
}

// Params configure an evaluation. All are required except Embedder.
type Params struct {
	Stores   Stores
	Mine     func(title string, c domain.Chunk) domain.GraphDocument // extracts the graph of a chunk
	Now      func() time.Time
	Embedder llm.Embedder // makes the vectors that a search is measured with; nil: a folder has them
}

// method is a way of searching under its printed name.
type method struct {
	name    string
	search  domain.MethodName
	vectors bool // questions have their vectors
}

// methods are compared with each other, without those that need vectors where a
// folder has none.
var methods = []method{
	{"bm25", domain.MethodWords, false},
	{"dense", domain.MethodVectors, true},
	{"hybrid", domain.MethodHybrid, true},
	{"builtin", domain.MethodDefault, false},
	{"default", domain.MethodDefault, true},
}

// Retrieval ingests the passages of a folder and searches for every question by
// every method. If the folder holds folders instead, their passages become one
// library, and the scores of each are followed by those of all.
func Retrieval(ctx context.Context, p Params, dir string) ([]Score, error) {
	sets, runs, err := searched(ctx, p, dir)
	if err != nil {
		return nil, err
	}
	return sets.score(runs)
}

// searched ingests the passages of a folder and searches by every method.
func searched(ctx context.Context, p Params, dir string) (mixed, []run, error) {
	sets, err := load(dir)
	if err != nil {
		return sets, nil, err
	}
	if p.Embedder != nil {
		if err := sets.embed(ctx, p.Embedder); err != nil {
			return sets, nil, fmt.Errorf("embed: %w", err)
		}
	}
	l, err := ingest(ctx, p, sets.corpus)
	if err != nil {
		return sets, nil, err
	}
	if err := l.embedAsked(ctx, sets.questions); err != nil {
		return sets, nil, err
	}
	runs, err := l.searchAll(ctx, p.Now, sets)
	return sets, runs, err
}

// searchAll searches by every method that the vectors allow.
func (l *library) searchAll(ctx context.Context, now func() time.Time, sets mixed) ([]run, error) {
	var runs []run
	for _, m := range methods {
		if m.vectors && !sets.corpus.Embedded {
			continue
		}
		r, err := l.search(ctx, now, m, sets.questions)
		if err != nil {
			return nil, fmt.Errorf("method %s: %w", m.name, err)
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// score compares the runs with the judgements of each folder and of all.
func (m mixed) score(runs []run) ([]Score, error) {
	var scores []Score
	var all []Judgement
	for _, p := range m.parts {
		judgements, err := m.judgements(p)
		if err != nil {
			return nil, err
		}
		from := len(all)
		all = append(all, judgements...)
		for _, r := range runs {
			s := score(run{r.method, r.found[from:len(all)], r.took[from:len(all)], nil}, judgements)
			s.Folder = filepath.Base(p.dir)
			scores = append(scores, s)
		}
	}
	if len(m.parts) > 1 {
		for _, r := range runs {
			s := score(r, all)
			s.Folder = "all"
			scores = append(scores, s)
		}
	}
	return scores, nil
}

// run is the result of one method.
type run struct {
	method string
	found  [][]string // passage ids, best first, for each question
	took   []time.Duration
	walked []string // where the walk of each question started, in words
}

// search searches for all questions by one method.
func (l *library) search(ctx context.Context, now func() time.Time, m method, questions []Question) (run, error) {
	var options []retrieve.Option
	if m.vectors {
		options = append(options, retrieve.WithEmbedder(llm.RecordEmbedder(replayed{}, l.Ledger), l.Ledger))
	}
	r := retrieve.New(retrieve.Params{Graph: l.Graph, Index: l.Index, Texts: l.Ledger, Now: now}, options...)
	warm := retrieve.Query{Text: "load the graph", Method: m.search} // which must not count
	if len(questions) > 0 {
		warm.Text = questions[0].Text
	}
	if _, err := r.Retrieve(ctx, workspace, warm); err != nil {
		return run{}, err
	}
	out := run{method: m.name, found: make([][]string, len(questions)), took: make([]time.Duration, len(questions)), walked: make([]string, len(questions))}
	for i, q := range questions {
		query := retrieve.Query{Text: q.Text, Method: m.search, Limit: depth}
		start := now()
		result, err := r.Retrieve(ctx, workspace, query)
		if err != nil {
			return run{}, err
		}
		out.took[i] = now().Sub(start)
		out.walked[i] = result.Methods[len(result.Methods)-1].Reason
		for _, f := range result.Passages {
			out.found[i] = append(out.found[i], l.passage[f.Chunk])
		}
	}
	return out, nil
}

// score compares a run with the judgements.
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
		ms := func(percent int) float64 { return float64(domain.Percentile(took, percent).Microseconds()) / 1000 }
		s.P50, s.P95 = ms(50), ms(95)
	}
	return s
}

// recall returns the share of gold among the first k found.
func recall(found, gold []string, k int) float64 {
	if len(gold) == 0 {
		return 0
	}
	hits := 0
	for _, g := range gold {
		if slices.Contains(found[:min(k, len(found))], g) {
			hits++
		}
	}
	return float64(hits) / float64(len(gold))
}

// reciprocalRank returns 1/rank of the first gold passage, 0 when none was found.
func reciprocalRank(found, gold []string) float64 {
	for i, f := range found {
		if slices.Contains(gold, f) {
			return 1 / float64(i+1)
		}
	}
	return 0
}
