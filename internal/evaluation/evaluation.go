// Package evaluation asks a person's own questions of their library, and says how
// well each way of searching answers them. Nothing that it asks becomes a
// conversation.
package evaluation

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/stategraph"
)

// A Question is asked with what is expected of its answer. Without sources and
// answers it is to be refused.
type Question struct {
	Text    string   `json:"question"`
	Sources []string `json:"sources"` // names of documents that are needed
	Answers []string `json:"answers"` // words, any of which make the answer right
}

// refused reports whether the question is to be refused.
func (q Question) refused() bool { return len(q.Sources)+len(q.Answers) == 0 }

// MaxQuestions is the most questions of a set.
const MaxQuestions = 2000

// Read reads questions from a CSV file whose first line names its columns: question,
// and any of sources and answers, with semicolons between several. The error is of
// kind Invalid and names the line.
func Read(r io.Reader) ([]Question, error) {
	rows := csv.NewReader(r)
	rows.TrimLeadingSpace = true
	head, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return nil, domain.Errorf(domain.Invalid, "The file is empty. Its first line is to be: question,sources,answers.")
	}
	columns := map[string]int{}
	for i, name := range head {
		columns[strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))] = i
	}
	if _, ok := columns["question"]; err != nil || !ok {
		return nil, domain.Errorf(domain.Invalid, "The file names no column question. Its first line is to be: question,sources,answers.")
	}
	var all []Question
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, domain.Because(domain.Invalid, err, "The file could not be read: %v.", err)
		}
		cell := func(name string) string {
			if i, ok := columns[name]; ok {
				return strings.TrimSpace(row[i])
			}
			return ""
		}
		q := Question{Text: cell("question"), Sources: several(cell("sources")), Answers: several(cell("answers"))}
		line, _ := rows.FieldPos(0)
		switch {
		case q.Text == "":
			return nil, domain.Errorf(domain.Invalid, "Line %d has no question.", line)
		case domain.Runes(q.Text) > answer.MaxQuestion:
			return nil, domain.Errorf(domain.TooLarge, "The question in line %d has %d characters, the most is %d.", line, domain.Runes(q.Text), answer.MaxQuestion)
		case len(all) == MaxQuestions:
			return nil, domain.Errorf(domain.TooLarge, "The file has more than %d questions.", MaxQuestions)
		}
		all = append(all, q)
	}
}

func several(cell string) []string {
	parts := []string{}
	for part := range strings.SplitSeq(cell, ";") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// A Verdict says how a question was answered.
type Verdict string

// The verdicts.
const (
	Right          Verdict = "right"
	Wrong          Verdict = "wrong"
	Refused        Verdict = "refused" // though the library is expected to know
	RefusedRightly Verdict = "refused rightly"
)

// A Reply is the answer to one question.
type Reply struct {
	Question
	Verdict Verdict `json:"verdict"`
	Answer  string  `json:"answer"`
	Ranks   []int   `json:"ranks"` // of the sources among the passages of the first search; 0 for one that is missing
	Millis  int64   `json:"ms"`
	Tokens  int     `json:"tokens"`
}

// Params say how to ask.
type Params struct {
	Graph    *stategraph.Graph[answer.State]
	Passages answer.Passages
	Begin    answer.Begin // of every question; its text is left out
	Asked    func(n int)  // is told how many have been asked; may be nil
}

// Ask asks questions one after another.
func Ask(ctx context.Context, p Params, questions []Question) ([]Reply, error) {
	replies := make([]Reply, 0, len(questions))
	for i, q := range questions {
		r, err := ask(ctx, p, q)
		if err != nil {
			return nil, err
		}
		replies = append(replies, r)
		if p.Asked != nil {
			p.Asked(i + 1)
		}
	}
	return replies, nil
}

func ask(ctx context.Context, p Params, q Question) (Reply, error) {
	p.Begin.Question = q.Text
	var tokens atomic.Int64
	start := time.Now()
	end, err := p.Graph.Run(ctx, answer.Start(p.Begin), stategraph.RecursionLimit(answer.RecursionLimit(p.Begin.MaxLoops)), stategraph.Observe(func(e stategraph.Event) {
		if u, ok := e.Payload.(domain.Usage); ok && e.Kind == stategraph.Custom {
			tokens.Add(int64(u.Tokens()))
		}
	}))
	if err != nil {
		return Reply{}, err
	}
	r := Reply{Question: q, Answer: end.Generation, Millis: time.Since(start).Milliseconds(), Tokens: int(tokens.Load())}
	r.Verdict = verdict(q, end.Result())
	r.Ranks, err = ranks(ctx, p, q, end)
	return r, err
}

// verdict judges an answer: by its words where some are expected, else by whether it
// cites an expected source.
func verdict(q Question, r answer.Result) Verdict {
	cites := slices.ContainsFunc(r.Citations, func(c domain.Citation) bool { return slices.Contains(q.Sources, c.Document) })
	switch {
	case !r.Answered && q.refused():
		return RefusedRightly
	case !r.Answered:
		return Refused
	case len(q.Answers) > 0 && holds(r.Answer, q.Answers), len(q.Answers) == 0 && cites:
		return Right
	}
	return Wrong
}

// holds reports whether a text contains the words of one of the answers.
func holds(text string, answers []string) bool {
	words := " " + prose.Key(text) + " "
	return slices.ContainsFunc(answers, func(a string) bool { return strings.Contains(words, " "+prose.Key(a)+" ") })
}

// ranks returns the rank of the first passage of each source.
func ranks(ctx context.Context, p Params, q Question, s answer.State) ([]int, error) {
	out := make([]int, len(q.Sources))
	if len(s.Retrieval) == 0 || len(out) == 0 {
		return out, nil
	}
	found, err := p.Passages.Passages(ctx, s.Workspace, s.Retrieval[0].Found)
	for i, source := range q.Sources {
		out[i] = 1 + slices.IndexFunc(found, func(f domain.Passage) bool { return f.Name == source })
	}
	return out, err
}

// A Score sums up replies.
type Score struct {
	Method         domain.MethodName `json:"method"`
	Questions      int               `json:"questions"`
	Recall         float64           `json:"recall"` // share of the sources with a passage among the first five
	Right          int               `json:"right"`
	Wrong          int               `json:"wrong"`
	Refused        int               `json:"refused"` // though the library is expected to know
	RefusedRightly int               `json:"refused_rightly"`
	ToRefuse       int               `json:"to_refuse"`
	P50            int64             `json:"p50_ms"`
	P95            int64             `json:"p95_ms"`
	Tokens         int               `json:"tokens"`
	Replies        []Reply           `json:"replies"`
}

// firstFive is how many passages count for recall.
const firstFive = 5

// Sum sums up the replies of one way of searching.
func Sum(method domain.MethodName, replies []Reply) Score {
	s := Score{Method: method, Questions: len(replies), Replies: replies}
	var times []int64
	var sources, found int
	for _, r := range replies {
		times = append(times, r.Millis)
		s.Tokens += r.Tokens
		if r.refused() {
			s.ToRefuse++
		}
		for _, rank := range r.Ranks {
			sources++
			if rank > 0 && rank <= firstFive {
				found++
			}
		}
		switch r.Verdict {
		case Right:
			s.Right++
		case Wrong:
			s.Wrong++
		case Refused:
			s.Refused++
		case RefusedRightly:
			s.RefusedRightly++
		}
	}
	if sources > 0 {
		s.Recall = float64(found) / float64(sources)
	}
	slices.Sort(times)
	if n := len(times); n > 0 {
		s.P50, s.P95 = times[n/2], times[min(n-1, n*95/100)]
	}
	return s
}
