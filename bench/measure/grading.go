package measure

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/retrieve"
)

// GradingParams configure an evaluation of grading. All are required but Most.
type GradingParams struct {
	Params
	Roles    answer.Roles
	Together []int // passages graded in one call; 1 grades each by itself
	Passages int   // of each search
	Most     int   // questions; 0 means all
}

// GradingScore compares grades with the passages that a question needs.
type GradingScore struct {
	Together  int     `json:"together"` // passages in one call
	Questions int     `json:"questions"`
	Passages  int     `json:"passages"` // graded
	Needed    int     `json:"needed"`   // of them
	Right     int     `json:"right"`    // needed and relevant, or neither
	Kept      int     `json:"kept"`     // needed and relevant
	Relevant  int     `json:"relevant"`
	Ungraded  int     `json:"ungraded"`
	Calls     int     `json:"calls"`
	Input     int     `json:"input"`  // tokens
	Output    int     `json:"output"` // tokens
	Seconds   float64 `json:"seconds"`
}

// A Cutoff tells what a minimum score saves before grading, and what it loses.
type Cutoff struct {
	Above    float64 `json:"above"` // share of the best score
	Passages int     `json:"passages"`
	Graded   int     `json:"graded"` // of them
	Needed   int     `json:"needed"`
	Kept     int     `json:"kept"` // of the needed
}

// cutoffs are the bars that are tried.
var cutoffs = []float64{0, 0.1, 0.2, 0.3, 0.5, 0.7}

// candidates holds the passages found for a question.
type candidates struct {
	asked  answer.Asked
	found  []domain.FoundPassage
	read   []domain.Passage // in the order found
	needed []bool
}

// Grading ingests the passages of a folder, searches for its questions and grades
// what is found, with so many passages in one call as Together says.
func Grading(ctx context.Context, p GradingParams, dir string) ([]GradingScore, []Cutoff, error) {
	corpus, err := LoadCorpus(dir)
	if err != nil {
		return nil, nil, err
	}
	questions, err := LoadQuestions(dir)
	if err != nil {
		return nil, nil, err
	}
	judgements, err := LoadJudgements(dir)
	if err != nil {
		return nil, nil, err
	}
	if p.Most > 0 {
		questions = questions[:min(p.Most, len(questions))]
	}
	l, err := ingest(ctx, p.Params, corpus)
	if err != nil {
		return nil, nil, err
	}
	all := make([]candidates, len(questions))
	for i, q := range questions {
		if all[i], err = l.candidates(ctx, p, q, judgements[i].Gold); err != nil {
			return nil, nil, err
		}
	}
	var scores []GradingScore
	for _, together := range p.Together {
		s := GradingScore{Together: together, Questions: len(all)}
		began := p.Now()
		for _, c := range all {
			if err := s.grade(ctx, p.Roles, c); err != nil {
				return nil, nil, err
			}
		}
		s.Seconds = p.Now().Sub(began).Round(time.Millisecond).Seconds()
		scores = append(scores, s)
	}
	return scores, cut(all), nil
}

// candidates searches for a question.
func (l *library) candidates(ctx context.Context, p GradingParams, q Question, gold []string) (candidates, error) {
	c := candidates{asked: answer.Asked{Workspace: workspace, Question: q.Text}}
	search := retrieve.New(retrieve.Params{Graph: l.Graph, Index: l.Index, Texts: l.Ledger, Now: p.Now})
	found, err := search.Retrieve(ctx, workspace, retrieve.Query{Text: q.Text, Limit: p.Passages})
	if err != nil {
		return c, fmt.Errorf("search for %q: %w", q.Text, err)
	}
	var ids []domain.ChunkID
	for _, f := range found.Passages {
		ids = append(ids, f.Chunk)
		c.needed = append(c.needed, slices.Contains(gold, l.passage[f.Chunk]))
	}
	c.found = found.Passages
	c.read, err = l.Ledger.Passages(ctx, workspace, ids)
	return c, err
}

// grade grades the candidates of one question.
func (s *GradingScore) grade(ctx context.Context, roles answer.Roles, c candidates) error {
	requests := make([]answer.GradeRequest, len(c.read))
	for i, passage := range c.read {
		requests[i] = answer.GradeRequest{Asked: c.asked, Passage: passage, Path: c.found[i].Path, Candidates: c.read}
	}
	at := 0
	for some := range slices.Chunk(requests, max(1, s.Together)) {
		grades, err := s.ask(ctx, roles, c.asked, some)
		if err != nil {
			return err
		}
		for _, g := range grades {
			s.count(g.Verdict, c.needed[at])
			at++
		}
	}
	return nil
}

func (s *GradingScore) ask(ctx context.Context, roles answer.Roles, asked answer.Asked, some []answer.GradeRequest) ([]domain.Grade, error) {
	emit := func(_ string, payload any) {
		if u, ok := payload.(domain.Usage); ok {
			s.Calls++
			s.Input += u.Input
			s.Output += u.Output
		}
	}
	if s.Together > 1 && roles.Model != nil {
		return roles.Model.GradeMany(ctx, asked, some, emit)
	}
	grades := make([]domain.Grade, len(some))
	for i, r := range some {
		var err error
		if grades[i], err = roles.Grader.Grade(ctx, r, emit); err != nil {
			return nil, err
		}
	}
	return grades, nil
}

func (s *GradingScore) count(v domain.Verdict, needed bool) {
	s.Passages++
	relevant := v == domain.Relevant
	tally(&s.Needed, needed)
	tally(&s.Relevant, relevant)
	tally(&s.Kept, needed && relevant)
	tally(&s.Right, needed == relevant)
	tally(&s.Ungraded, v == domain.Ungraded)
}

// tally adds one to n if something is so.
func tally(n *int, is bool) {
	if is {
		*n++
	}
}

// cut tries bars on the scores, which need no model.
func cut(all []candidates) []Cutoff {
	out := make([]Cutoff, len(cutoffs))
	for i, above := range cutoffs {
		out[i].Above = above
		for _, c := range all {
			for j, f := range c.found {
				graded := f.Score >= above*c.found[0].Score
				out[i].Passages++
				tally(&out[i].Graded, graded)
				tally(&out[i].Needed, c.needed[j])
				tally(&out[i].Kept, graded && c.needed[j])
			}
		}
	}
	return out
}
