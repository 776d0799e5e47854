// Package evaluation asks a person's own questions of their library and reports how well each setting
// answers them. It keeps the questions, orders runs that ask them one after another, and compares the
// results. The questions it asks don't become conversations.
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
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/stategraph"
)

// A Question has expectations of its answer. Without sources and answers, it should be refused.
type Question struct {
	Text    string   `json:"question"`
	Sources []string `json:"sources"` // names of documents that are needed
	Answers []string `json:"answers"` // words, any of which make the answer right
}

// ToRefuse reports whether the question is to be refused.
func (q Question) ToRefuse() bool { return len(q.Sources)+len(q.Answers) == 0 }

// MaxQuestions is the maximum number of questions of a set.
const MaxQuestions = 2000

// Read reads questions from a CSV file whose first line names its columns: question,
// and any of sources and answers, with semicolons between several. The error is of
// kind Invalid and names the line.
func Read(r io.Reader) ([]Question, error) {
	rows := csv.NewReader(&bounded{r: r})
	rows.TrimLeadingSpace = true
	head, err := rows.Read()
	if domain.KindOf(err) == domain.TooLarge {
		return nil, err
	}
	if errors.Is(err, io.EOF) {
		return nil, domain.Errorf(domain.Invalid, "The file is empty. Its first line should be: question,sources,answers.")
	}
	columns := map[string]int{}
	for i, name := range head {
		columns[strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))] = i
	}
	if _, ok := columns["question"]; err != nil || !ok {
		return nil, domain.Errorf(domain.Invalid, "The file has no column named question. Its first line should be: question,sources,answers.")
	}
	var all []Question
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		switch {
		case domain.KindOf(err) == domain.TooLarge:
			return nil, err
		case err != nil:
			return nil, domain.Because(domain.Invalid, err, "The file could not be read: %v.", err)
		}
		cell := func(name string) string {
			if i, ok := columns[name]; ok {
				return plain(strings.TrimSpace(row[i]))
			}
			return ""
		}
		line, _ := rows.FieldPos(0)
		q, err := Question{Text: cell("question"), Sources: Several(cell("sources"), ";"), Answers: Several(cell("answers"), ";")}.checked()
		switch {
		case err != nil:
			return nil, domain.Because(domain.KindOf(err), err, "Line %d: %s", line, domain.InWords(err))
		case len(all) == MaxQuestions:
			return nil, domain.Errorf(domain.TooLarge, "The file has more than %d questions.", MaxQuestions)
		}
		all = append(all, q)
	}
}

// The largest file of questions, and the most of a line.
const (
	MaxFile  = 8 << 20 // bytes
	maxCells = 1000
	maxLine  = 256 << 10 // bytes
)

// bounded is a file of questions that fails with a TooLarge error beyond the size that questions can have: a line of
// commas takes a multiple of its size in memory.
type bounded struct {
	r                  io.Reader
	bytes, line, cells int // line and cells are for the current line
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	for _, c := range p[:n] {
		b.line++
		switch c {
		case ',':
			b.cells++
		case '\n':
			b.line, b.cells = 0, 0
		}
		if b.cells > maxCells || b.line > maxLine {
			return 0, domain.Errorf(domain.TooLarge, "A line of the file has more than %d cells or %d KB, so this is not a file of questions.", maxCells, maxLine>>10)
		}
	}
	if b.bytes += n; b.bytes > MaxFile {
		return 0, domain.Errorf(domain.TooLarge, "The file is larger than %d MB, so this is not a file of questions.", MaxFile>>20)
	}
	return n, err
}

// Several returns the parts of a text without the empty ones, up to one more than may be
// expected of an answer.
func Several(text, between string) []string {
	parts := []string{}
	for part := range strings.SplitSeq(text, between) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
		if len(parts) > MaxExpected { // too many are refused
			break
		}
	}
	return parts
}

// Limits on the expected answers and documents of a question.
const (
	MaxExpected = 20  // sources, and answers
	maxWords    = 400 // code points of each
)

// checked returns the question with single spaces. The error is Invalid without a question, and TooLarge if it or its
// expectations are too long.
func (q Question) checked() (Question, error) {
	q.Text = domain.OneLine(strings.ToValidUTF8(q.Text, ""))
	switch n := domain.Runes(q.Text); {
	case n == 0:
		return q, domain.Errorf(domain.Invalid, "The question is empty. Write what to ask.")
	case n > answer.MaxQuestion:
		return q, domain.Errorf(domain.TooLarge, "The question has %d characters; the limit is %d.", n, answer.MaxQuestion)
	case len(q.Sources) > MaxExpected || len(q.Answers) > MaxExpected:
		return q, domain.Errorf(domain.TooLarge, "A question can have at most %d expected documents and %d expected answers.", MaxExpected, MaxExpected)
	}
	for _, words := range slices.Concat(q.Sources, q.Answers) {
		if n := domain.Runes(words); n > maxWords {
			return q, domain.Errorf(domain.TooLarge, "An expected answer, or the name of a document, has %d characters; the limit is %d.", n, maxWords)
		}
	}
	return q, nil
}

// Write writes questions as a CSV file that Read reads.
func Write(w io.Writer, questions []Kept) error {
	rows := csv.NewWriter(w)
	rows.UseCRLF = true
	all := [][]string{{"question", "sources", "answers"}}
	for _, q := range questions {
		all = append(all, []string{safe(q.Text), safe(strings.Join(q.Sources, "; ")), safe(strings.Join(q.Answers, "; "))})
	}
	return rows.WriteAll(all)
}

// formula holds the characters that make a spreadsheet treat a cell as a formula.
const formula = "=+-@"

// safe escapes a cell that a spreadsheet would treat as a formula; plain undoes that.
func safe(cell string) string {
	if cell != "" && strings.ContainsRune(formula, rune(cell[0])) {
		return "'" + cell
	}
	return cell
}

func plain(cell string) string {
	if len(cell) > 1 && cell[0] == '\'' && strings.ContainsRune(formula, rune(cell[1])) {
		return cell[1:]
	}
	return cell
}

// A Verdict rates the answer to a question.
type Verdict string

// The verdicts.
const (
	Right          Verdict = "right"
	Half           Verdict = "half" // it cites some of the several needed documents
	Wrong          Verdict = "wrong"
	Refused        Verdict = "refused" // although the library should know
	RefusedRightly Verdict = "refused rightly"
	Failed         Verdict = "failed" // there is no answer because of an error

	// For answers that quote and claim nothing.
	Found    Verdict = "found"     // an expected text is quoted
	NotFound Verdict = "not found" // other sentences are quoted
)

// A Reply is the answer to one question.
type Reply struct {
	Question
	ID      domain.QuestionID `json:"id,omitempty"`      // of a stored question
	N       int               `json:"n,omitempty"`       // from 1, in the order of asking
	ByRule  Verdict           `json:"by_rule,omitempty"` // the verdict of the rules, if a person's overrides it
	Run     domain.RunID      `json:"run,omitempty"`     // that answered it
	Problem string            `json:"problem,omitempty"`
	Answer  string            `json:"answer"`
	Figures
}

// Figures say how a question was answered, without words of documents.
type Figures struct {
	Verdict Verdict `json:"verdict"` // "" before there is an answer
	Ranks   []int   `json:"ranks"`   // of the sources in the passages as found; 0 for a missing one
	Millis  int64   `json:"ms"`
	Resumed bool    `json:"resumed,omitempty"` // the time is unknown, because the run was interrupted
	Tokens  int     `json:"tokens"`
	Spent
}

// Spent is the cost of something.
type Spent struct {
	Cost     costs.Money `json:"cost"`
	Unpriced bool        `json:"unpriced,omitempty"` // a model has no price
}

// Params say how to ask.
type Params struct {
	Graph stategraph.Runnable[answer.State]
	Begin answer.Begin // of every question, without its text
	Asked func(n int)  // receives how many have been asked; may be nil
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
	return Reply{Question: q, Answer: end.Generation, Figures: Figures{
		Verdict: verdict(q, end.Result()), Ranks: ranks(q, end.Result()), Millis: time.Since(start).Milliseconds(), Tokens: int(tokens.Load()),
	}}, nil
}

// verdict rates an answer: by its words if some are expected, or else by whether it cites the needed documents. One that
// has found some of several is half right.
func verdict(q Question, r answer.Result) Verdict {
	cited := lists.CountFunc(q.Sources, func(source string) bool {
		return slices.ContainsFunc(r.Citations, func(c domain.Citation) bool { return c.Document == source })
	})
	all := cited > 0 && cited == len(q.Sources)
	as, otherwise := Right, Wrong
	if slices.ContainsFunc(r.Sentences, func(s domain.Sentence) bool { return s.Quote }) {
		as, otherwise = Found, NotFound
	}
	switch {
	case !r.Answered && q.ToRefuse():
		return RefusedRightly
	case !r.Answered:
		return Refused
	case len(q.Answers) > 0 && holds(r.Answer, q.Answers), len(q.Answers) == 0 && all:
		return as
	case cited > 0 && !all:
		return Half
	}
	return otherwise
}

// holds reports whether a text contains the words of one of the answers.
func holds(text string, answers []string) bool {
	words := " " + prose.Key(text) + " "
	return slices.ContainsFunc(answers, func(a string) bool { return strings.Contains(words, " "+prose.Key(a)+" ") })
}

// ranks returns the rank of the first passage of each source.
func ranks(q Question, r answer.Result) []int {
	out := make([]int, len(q.Sources))
	for i, source := range q.Sources {
		out[i] = 1 + slices.IndexFunc(r.Documents, func(g domain.Grading) bool { return g.Name == source })
	}
	return out
}

// A Score summarises replies.
type Score struct {
	Method         domain.MethodName `json:"method"`
	Questions      int               `json:"questions"`
	Recall         float64           `json:"recall"`  // share of the sources with a passage among the first five
	Sources        int               `json:"sources"` // that are needed, for all questions
	Right          int               `json:"right"`
	Half           int               `json:"half"` // some of the several needed documents are cited
	Wrong          int               `json:"wrong"`
	Refused        int               `json:"refused"` // although the library should know
	RefusedRightly int               `json:"refused_rightly"`
	ToRefuse       int               `json:"to_refuse"`
	Failed         int               `json:"failed"`
	Found          int               `json:"found,omitempty"`     // for answers that quote: an expected text is quoted
	NotFound       int               `json:"not_found,omitempty"` // other sentences are quoted
	ByHand         int               `json:"by_hand"`             // verdicts by a person
	P50            int64             `json:"p50_ms"`
	P95            int64             `json:"p95_ms"`
	Tokens         int               `json:"tokens"`
	Spent
	Replies []Reply `json:"replies,omitempty"`
}

// Known returns how many of the questions the library is expected to answer.
func (s Score) Known() int { return s.Questions - s.ToRefuse }

// firstFive is how many passages count for recall.
const firstFive = 5

// Sum summarises the replies under one setting, leaving out those without a verdict.
func Sum(replies []Reply) Score {
	var s Score
	var times []int64
	found := 0
	for _, r := range replies {
		if r.Verdict == "" {
			continue
		}
		s.count(r)
		if r.Verdict != Failed && !r.Resumed {
			times = append(times, r.Millis)
		}
		for _, rank := range r.Ranks {
			s.Sources++
			if rank > 0 && rank <= firstFive {
				found++
			}
		}
	}
	if s.Sources > 0 {
		s.Recall = float64(found) / float64(s.Sources)
	}
	slices.Sort(times)
	s.P50, s.P95 = domain.Percentile(times, 50), domain.Percentile(times, 95)
	return s
}

func (s *Score) count(r Reply) {
	s.Questions++
	s.Tokens += r.Tokens
	s.Cost += r.Cost
	s.Unpriced = s.Unpriced || r.Unpriced
	if r.ByRule != "" {
		s.ByHand++
	}
	if r.ToRefuse() && r.Verdict != Right && r.Verdict != Half { // or a person says that the library knows
		s.ToRefuse++
	}
	switch r.Verdict {
	case Right:
		s.Right++
	case Half:
		s.Half++
	case Wrong:
		s.Wrong++
	case Refused:
		s.Refused++
	case RefusedRightly:
		s.RefusedRightly++
	case Failed:
		s.Failed++
	case Found:
		s.Found++
	case NotFound:
		s.NotFound++
	}
}
