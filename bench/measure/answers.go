package measure

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

// AnswerParams configure an evaluation of answers. All are required.
type AnswerParams struct {
	Params
	Library  answer.Library // of the stores
	Roles    answer.Roles
	MaxLoops int // rewrites of a question at most
}

// Reply is the result of one question.
type Reply struct {
	Question string        `json:"question"`
	Answer   string        `json:"answer"`
	Answered bool          `json:"answered"`         // it cites a passage
	Cited    []string      `json:"cited"`            // ids of the folder's passages
	Quotes   []Quote       `json:"quotes,omitempty"` // that no model has judged, the most likely one first
	Loops    int           `json:"loops"`
	Took     time.Duration `json:"-"`
}

// Quote is a quotation of a passage.
type Quote struct {
	Text  string `json:"text"`
	Cited string `json:"cited"` // id of the folder's passage
}

// Answers ingests the passages of a folder and asks every question that has a
// known answer, and again with its needed passages hidden from the search.
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
	questions, judgements = withAnswer(questions, judgements)
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

// withAnswer returns the questions that have a known answer, with their
// judgements.
func withAnswer(questions []Question, judgements []Judgement) ([]Question, []Judgement) {
	var q []Question
	var js []Judgement
	for i, j := range judgements {
		if j.Answer != "" {
			q, js = append(q, questions[i]), append(js, j)
		}
	}
	return q, js
}

// answer answers each question by the answer graph, with hidden[i] left out of
// the i-th question's searches.
func (l *library) answer(ctx context.Context, p AnswerParams, questions []Question, hidden [][]string) ([]Reply, error) {
	var options []retrieve.Option
	if l.Vectors != nil {
		options = append(options, retrieve.WithEmbedder(l.Vectors, l.Ledger))
	}
	retriever := retrieve.New(retrieve.Params{Graph: l.Graph, Index: l.Index, Texts: l.Ledger, Now: p.Now}, options...)
	out := make([]Reply, len(questions))
	for i, q := range questions {
		graph, err := answer.Graph(answer.Params{
			Library: p.Library, Passages: l.Ledger, Roles: p.Roles, Now: p.Now,
			Retriever: filtered{retriever, l.passage, hidden[i]},
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
	out := Reply{Question: q.Text, Answer: r.Answer, Answered: r.Answered && len(r.Citations) > 0, Cited: []string{}, Loops: r.LoopCount}
	for _, s := range r.Sentences {
		if s.Quote && len(s.Citations) > 0 {
			out.Quotes = append(out.Quotes, Quote{s.Text, l.passage[r.Citations[s.Citations[0]-1].Chunk]})
		}
	}
	for _, c := range r.Citations {
		if id := l.passage[c.Chunk]; !slices.Contains(out.Cited, id) {
			out.Cited = append(out.Cited, id)
		}
	}
	return out
}

// filtered is a retriever without some of the passages.
type filtered struct {
	*retrieve.Retriever
	passage map[domain.ChunkID]string
	hidden  []string // ids of the folder's passages
}

var _ answer.Retriever = filtered{}

// Retrieve implements answer.Retriever. Other passages replace the hidden ones.
func (h filtered) Retrieve(ctx context.Context, w domain.WorkspaceID, q retrieve.Query) (retrieve.Result, error) {
	if q.Limit > 0 {
		q.Limit += len(h.hidden)
	}
	found, err := h.Retriever.Retrieve(ctx, w, q)
	if err != nil {
		return retrieve.Result{}, err
	}
	wanted := len(found.Passages) - len(h.hidden)
	found.Passages = slices.DeleteFunc(found.Passages, func(p domain.FoundPassage) bool { return slices.Contains(h.hidden, h.passage[p.Chunk]) })
	found.Passages = found.Passages[:max(0, min(len(found.Passages), wanted))]
	return found, nil
}
