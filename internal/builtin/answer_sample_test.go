package builtin_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/answertest"
	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/retrieve/nearest"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/testkit/race"
)

// ask answers a question from a shelf without a model.
func ask(t *testing.T, shelf answertest.Shelf, question string, history ...answer.Exchange) answer.Result {
	t.Helper()
	g, err := answer.Graph(answer.Params{
		Library: shelf, Retriever: shelf, Passages: shelf, Roles: builtin.Answering(shelf, nearest.Ranker{}, nil, nil, 0),
		Now: func() time.Time { return time.Unix(0, 0) },
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := g.Run(context.Background(), answer.Start(answer.Begin{Workspace: domain.DefaultWorkspace, Question: question, History: history, MaxLoops: 3}),
		stategraph.RecursionLimit(answer.RecursionLimit(3)))
	if err != nil {
		t.Fatal(err)
	}
	return s.Result()
}

// cites reports whether a result cites a sentence in a file.
func cites(r answer.Result, e sample.Evidence) bool {
	return slices.ContainsFunc(r.Citations, func(c domain.Citation) bool {
		return c.Document == e.File && strings.Contains(domain.OneLine(c.Text), e.Sentence)
	})
}

// TestTheSameQuestionHasTheSameAnswer asks twice, each time of new roles.
func TestTheSameQuestionHasTheSameAnswer(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	shelf := answertest.Sample(t)
	for _, q := range sample.Questions() {
		first, again := ask(t, shelf, q.Question), ask(t, shelf, q.Question)
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("%s (-first +second)\n%s", q.Question, diff)
		}
	}
}

func TestAnswersTheQuestionsOfTheSample(t *testing.T) {
	t.Parallel()
	shelf := answertest.Sample(t)
	for _, q := range sample.Questions() {
		t.Run(q.Question, func(t *testing.T) {
			t.Parallel()
			r := ask(t, shelf, q.Question)
			if q.Unanswerable {
				if r.Answered != (len(r.Citations) > 0) || !r.Answered && (r.LoopCount != 3 || r.Answer != answer.SaysNotOutright) {
					t.Errorf("answered %q with %d citations after %d rewrites", r.Answer, len(r.Citations), r.LoopCount)
				}
				return
			}
			if slices.ContainsFunc(q.Evidence, func(e sample.Evidence) bool { return !cites(r, e) }) {
				t.Errorf("cites not all of %v\nanswer (%d): %s", q.Evidence, r.LoopCount, r.Answer)
			}
			if len(r.Citations) > 4 {
				t.Errorf("quotes more than four sentences: %s", r.Answer)
			}
			for _, s := range r.Sentences {
				if !s.Supported || s.Quote == s.Remark {
					t.Errorf("claims %+v", s)
				}
			}
		})
	}
}

// TestQuotesNothingThatIsGone asks without a source: what is near elsewhere is quoted, and
// nothing of the source.
func TestQuotesNothingThatIsGone(t *testing.T) {
	t.Parallel()
	shelf := answertest.Sample(t)
	for _, q := range sample.Questions() {
		for _, e := range q.Evidence {
			t.Run(e.File+": "+q.Question, func(t *testing.T) {
				t.Parallel()
				if r := ask(t, shelf.Without(e.File), q.Question); cites(r, e) || strings.Contains(r.Answer, e.Sentence) {
					t.Errorf("quoted all the same: %s", r.Answer)
				}
			})
		}
	}
}
