package eval

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/stategraph"
)

// AnswerParams are what an evaluation of answers works with. All are required.
type AnswerParams struct {
	Params
	Library  answer.Library // of the stores
	Roles    answer.Roles
	MaxLoops int // rewordings of a question at most
}

// Reply is what came of one question.
type Reply struct {
	Question string        `json:"question"`
	Answer   string        `json:"answer"`
	Answered bool          `json:"answered"` // something is cited
	Cited    []string      `json:"cited"`    // passage ids of the folder
	Loops    int           `json:"loops"`
	Took     time.Duration `json:"-"`
}

// Answers ingests the passages of a folder, asks every question whose answer
// the folder knows, and asks it again with the passages that it needs hidden
// from the search. What is needed and what is right is read apart: the roles
// see the question and what the search finds, nothing else.
func Answers(ctx context.Context, p AnswerParams, dir string) (AnswerScore, error) {
	corpus, err := LoadCorpus(dir)
	if err != nil {
		return AnswerScore{}, err
	}
	questions, err := LoadQuestions(dir)
	if err != nil {
		return AnswerScore{}, err
	}
	judgements, err := LoadJudgements(dir)
	if err != nil {
		return AnswerScore{}, err
	}
	questions, judgements = known(questions, judgements)
	l, err := ingest(ctx, p.Params, corpus)
	if err != nil {
		return AnswerScore{}, err
	}
	open, err := l.answer(ctx, p, questions, make([][]string, len(questions)))
	if err != nil {
		return AnswerScore{}, err
	}
	hidden := make([][]string, len(judgements))
	for i, j := range judgements {
		hidden[i] = j.Gold
	}
	blind, err := l.answer(ctx, p, questions, hidden)
	if err != nil {
		return AnswerScore{}, err
	}
	s := scoreAnswers(open, blind, judgements)
	s.Folder = filepath.Base(dir)
	return s, nil
}

// known are the questions whose answer is known, with their judgements.
func known(questions []Question, judgements []Judgement) ([]Question, []Judgement) {
	var asked []Question
	var known []Judgement
	for i, j := range judgements {
		if j.Answer != "" {
			asked, known = append(asked, questions[i]), append(known, j)
		}
	}
	return asked, known
}

// answer asks each question through the answer graph, with the passages of
// that place hidden from its searches.
func (l *library) answer(ctx context.Context, p AnswerParams, questions []Question, hidden [][]string) ([]Reply, error) {
	retriever := retrieve.New(retrieve.Params{Graph: l.Graph, Index: l.Index, Texts: l.Ledger, Now: p.Now})
	out := make([]Reply, len(questions))
	for i, q := range questions {
		graph, err := answer.Graph(answer.Params{
			Library: p.Library, Passages: l.Ledger, Roles: p.Roles, Now: p.Now,
			Retriever: hiding{retriever, l.passage, hidden[i]},
		})
		if err != nil {
			return nil, err
		}
		start := p.Now()
		state, err := graph.Run(ctx, answer.Start(answer.Begin{Workspace: workspace, Question: q.Text, MaxLoops: p.MaxLoops}),
			stategraph.RecursionLimit(answer.RecursionLimit(p.MaxLoops)))
		if err != nil {
			return nil, fmt.Errorf("ask %q: %w", q.Text, err)
		}
		out[i] = l.reply(q, state.Result())
		out[i].Took = p.Now().Sub(start)
	}
	return out, nil
}

func (l *library) reply(q Question, r answer.Result) Reply {
	out := Reply{Question: q.Text, Answer: r.Answer, Answered: len(r.Citations) > 0, Cited: []string{}, Loops: r.LoopCount}
	for _, c := range r.Citations {
		if id := l.passage[c.Chunk]; !slices.Contains(out.Cited, id) {
			out.Cited = append(out.Cited, id)
		}
	}
	return out
}

// hiding is the product's search without some of the passages.
type hiding struct {
	*retrieve.Retriever
	passage map[domain.ChunkID]string
	hidden  []string // passage ids of the folder
}

var _ answer.Retriever = hiding{}

// Retrieve implements answer.Retriever. Others take the places of those hidden.
func (h hiding) Retrieve(ctx context.Context, q answer.Query) (answer.Found, error) {
	limit := q.Limit
	if limit > 0 {
		limit += len(h.hidden)
	}
	result, err := h.Retriever.Retrieve(ctx, q.Workspace, retrieve.Query{Text: q.Text, Limit: limit, Wider: q.Wide > 0, Documents: q.Documents})
	if err != nil {
		return answer.Found{}, err
	}
	found := answer.Found{Methods: result.Methods}
	most := len(result.Passages) - len(h.hidden)
	for _, p := range result.Passages {
		if len(found.Passages) < most && !slices.Contains(h.hidden, h.passage[p.Chunk]) {
			found.Passages = append(found.Passages, answer.Scored{Chunk: p.Chunk, Score: p.Score, Path: p.Path})
		}
	}
	return found, nil
}
