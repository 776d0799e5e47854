package research_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/research"
	"github.com/clewhq/clew/internal/checkpoint/memory"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// role plans what it is told to.
type role struct {
	plan, gaps []string
	overview   []domain.Sentence
	beside     string       // a sentence that bears on nothing
	more       atomic.Int32 // rounds in which gaps were looked for
}

func questionsOf(texts []string) (all []research.Question) {
	for _, text := range texts {
		all = append(all, research.Question{Text: text})
	}
	return all
}

func (r *role) Plan(_ context.Context, _ research.Task, emit answer.Emit) ([]research.Question, error) {
	emit(domain.EventUsage, domain.Usage{Model: "m", Input: 90, Output: 10})
	return questionsOf(r.plan), nil
}

func (r *role) Gaps(_ context.Context, t research.Task, _ answer.Emit) ([]research.Question, error) {
	if len(r.gaps) == 0 {
		return nil, nil
	}
	return questionsOf([]string{fmt.Sprint(r.gaps[0], " ", r.more.Add(1))}), nil
}

func (r *role) Overview(context.Context, research.Task, research.Report, answer.Emit) ([]domain.Sentence, error) {
	return r.overview, nil
}

func (r *role) Bearing(_ string, sentences []domain.Sentence, _ []domain.Citation) (all []bool) {
	for _, s := range sentences {
		all = append(all, s.Text != r.beside)
	}
	return all
}

type library struct{}

func (library) Retrieve(context.Context, domain.WorkspaceID, retrieve.Query) (retrieve.Result, error) {
	return retrieve.Result{}, nil
}

func (library) Passages(context.Context, domain.WorkspaceID, []domain.ChunkID) ([]domain.Passage, error) {
	return nil, nil
}

// supporter finds support for sentences whose words are quoted.
type supporter struct{}

func (supporter) Support(_ context.Context, _ answer.Asked, claims []answer.Claim, _ answer.Emit) ([]answer.Support, error) {
	all := make([]answer.Support, len(claims))
	for i, c := range claims {
		all[i].OK = slices.Contains(c.Quotes, c.Text)
	}
	return all, nil
}

// answering returns a graph that answers a question by quoting "Answer to <question>", and counts the questions in asked. A
// question "?" is not answered.
func answering(t *testing.T, asked func(s answer.State) error) *stategraph.Graph[answer.State] {
	t.Helper()
	sc := state.NewSchema[answer.State](1)
	sentences := state.Replace(sc, "sentences", func(s *answer.State) *[]domain.Sentence { return &s.Sentences })
	citations := state.Replace(sc, "citations", func(s *answer.State) *[]domain.Citation { return &s.Citations })
	spent := state.Sum(sc, "spent", func(s *answer.State) *int64 { return &s.Spent })
	b := stategraph.New("answer", sc)
	b.Node("answer", func(_ *stategraph.Context, s answer.State) (state.Update[answer.State], error) {
		if err := asked(s); err != nil {
			return state.Update[answer.State]{}, err
		}
		if s.Question == "?" {
			return sentences.Set([]domain.Sentence{{Text: "The library holds nothing on this question.", Remark: true}}), nil
		}
		said := "Answer to " + s.Question
		return state.Merge(spent.Add(400), sentences.Set([]domain.Sentence{
			{Text: said, Citations: []int{1}, Supported: true}, {Text: "Invented.", Citations: []int{1}},
		}), citations.Set([]domain.Citation{{N: 1, Document: "a.txt", DocumentID: domain.DocumentID("d " + s.Question), Span: domain.Span{End: len(said)}, Text: said}})), nil
	})
	b.Edge(stategraph.Start, "answer")
	b.Edge("answer", stategraph.End)
	g, err := b.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func graph(t *testing.T, r research.Role, asked func(s answer.State) error) *stategraph.Graph[research.State] {
	t.Helper()
	g, err := research.Graph(research.Params{
		Retriever: library{}, Passages: library{}, Answer: answering(t, asked), Role: r, Supporter: supporter{}, Threads: memory.New(time.Now),
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func begin(rounds, most int) research.State {
	return research.State{Begin: answer.Begin{Workspace: "w", Run: "run1"}, Question: "Why?", Rounds: rounds, Most: most}
}

func fine(answer.State) error { return nil }

func texts(plan []research.Question) (all []string) {
	for _, q := range plan {
		all = append(all, q.Text)
	}
	return all
}

// TestWhatDoesNotBearIsLeftOut has a question answered beside the point: its section has nothing, and the report says so.
func TestWhatDoesNotBearIsLeftOut(t *testing.T) {
	t.Parallel()
	s, err := graph(t, &role{plan: []string{"A?", "B?"}, beside: "Answer to B?"}, fine).Run(t.Context(), begin(1, 6), stategraph.Thread("t"), stategraph.RecursionLimit(research.RecursionLimit(1)))
	if err != nil {
		t.Fatal(err)
	}
	r := s.Report()
	if len(r.Sentences) != 1 || r.Sentences[0].Text != "Answer to A?" || r.Came[1] != domain.CameAnswered || r.Came[2] != domain.CameNothing {
		t.Errorf("the report has %+v, and %v came of the questions", r.Sentences, r.Came)
	}
	if !slices.Contains(s.Notes, "1 sentence of the answers was left out: it does not bear on its question.") {
		t.Errorf("the notes %q don't say what was left out", s.Notes)
	}
}

// TestRoundsEnd lets a role think of gaps without end: rounds and questions bound it, and the report has a section for each.
func TestRoundsEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rounds, most int
		want         []string
	}{
		{1, 6, []string{"A?", "B?"}},
		{2, 6, []string{"A?", "B?", "More 1"}},
		{3, 6, []string{"A?", "B?", "More 1", "More 2"}},
		{3, 3, []string{"A?", "B?", "More 1"}},
		{1, 1, []string{"A?"}},
	} {
		s, err := graph(t, &role{plan: []string{"A?", "a", "B?"}, gaps: []string{"More"}}, fine).Run(t.Context(), begin(c.rounds, c.most), stategraph.Thread("t"), stategraph.RecursionLimit(research.RecursionLimit(c.rounds)))
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(s.Planned); !slices.Equal(got, c.want) {
			t.Errorf("%d rounds, %d questions: asked %q, want %q", c.rounds, c.most, got, c.want)
		}
		r := s.Report()
		if len(r.Sentences) != len(c.want) {
			t.Errorf("%d sentences for %d questions", len(r.Sentences), len(c.want))
		}
		for i, sentence := range r.Sentences {
			if want := "Answer to " + c.want[i]; sentence.Text != want || sentence.Paragraph != i+1 || r.Citations[sentence.Citations[0]-1].Text != want {
				t.Errorf("sentence %d is %+v, want %q with its quotation", i, sentence, want)
			}
		}
		if !slices.Contains(s.Notes, fmt.Sprintf("%s left out: nothing that they cite supports them.", domain.Counted(len(c.want), "sentence of the answers was", "sentences of the answers were"))) {
			t.Errorf("the notes %q don't say what was left out", s.Notes)
		}
	}
}

// TestUnansweredIsSaid asks what has no answer.
func TestUnansweredIsSaid(t *testing.T) {
	t.Parallel()
	s, err := graph(t, &role{plan: []string{"A?", "?"}}, fine).Run(t.Context(), begin(2, 6), stategraph.Thread("t"))
	if err != nil {
		t.Fatal(err)
	}
	if came := s.Report().Came; came[1] != domain.CameAnswered || came[2] != domain.CameNothing {
		t.Errorf("came %v", came)
	}
}

// TestBudgetHolds stops before a further round once the budget is used up, and shares it among questions.
func TestBudgetHolds(t *testing.T) {
	t.Parallel()
	start := begin(3, 6)
	start.Tokens = 900
	var shares []int64
	r := &role{plan: []string{"A?", "B?"}, gaps: []string{"More"}}
	s, err := graph(t, r, func(s answer.State) error {
		if s.Question == "A?" {
			shares = append(shares, s.Budget.Most)
		}
		return nil
	}).Run(t.Context(), start, stategraph.Thread("t"), stategraph.MaxConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	if s.Spent != 900 || len(s.Planned) != 2 || r.more.Load() != 0 || !slices.Equal(shares, []int64{400}) {
		t.Errorf("spent %d on %d questions with shares %v", s.Spent, len(s.Planned), shares)
	}
}

// TestOverviewIsJudged keeps what is supported.
func TestOverviewIsJudged(t *testing.T) {
	t.Parallel()
	r := &role{plan: []string{"A?"}, overview: []domain.Sentence{{Text: "Answer to A?", Citations: []int{1}}, {Text: "Dragons.", Citations: []int{1}}, {Text: "Answer to A?", Citations: []int{7}}}}
	s, err := graph(t, r, fine).Run(t.Context(), begin(1, 2), stategraph.Thread("t"))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Overview) != 1 || !s.Overview[0].Supported || !slices.Contains(s.Notes, "2 sentences of the overview were left out: nothing that they cite supports them.") {
		t.Errorf("overview %+v, notes %q", s.Overview, s.Notes)
	}
}

// TestPlanIsEdited interrupts for the plan, and asks what a person makes of it.
func TestPlanIsEdited(t *testing.T) {
	t.Parallel()
	g := graph(t, &role{plan: []string{"A?", "B?"}}, fine)
	start := begin(1, 6)
	start.Review = true
	_, err := g.Run(t.Context(), start, stategraph.Thread("t"))
	asks, ok := errors.AsType[*stategraph.InterruptedError](err)
	if !ok {
		t.Fatalf("got %v, want an interrupt", err)
	}
	s, err := g.Resume(t.Context(), "t", stategraph.Answer(asks.Questions[0].ID, []string{"B?", " ", "C?", "C?"}))
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(s.Planned); !slices.Equal(got, []string{"B?", "C?"}) || s.Planned[0].Round != 1 || s.Planned[1].Round != 0 || len(s.Findings) != 2 {
		t.Errorf("asked %+v, found %d", s.Planned, len(s.Findings))
	}
}

// TestResumeAsksNothingTwice fails in the second round, and goes on without asking the first again.
func TestResumeAsksNothingTwice(t *testing.T) {
	t.Parallel()
	broken := errors.New("killed")
	var fail atomic.Bool
	fail.Store(true)
	times := map[string]int{}
	g := graph(t, &role{plan: []string{"A?"}, gaps: []string{"More"}}, func(s answer.State) error {
		if s.Question != "A?" && fail.Load() {
			return broken
		}
		times[s.Question]++
		return nil
	})
	start := begin(2, 6)
	if _, err := g.Run(t.Context(), start, stategraph.Thread("t")); !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	fail.Store(false)
	s, err := g.Run(t.Context(), start, stategraph.Thread("t"), stategraph.OrResume())
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Findings) != 2 || times["A?"] != 1 || times["More 1"] != 1 {
		t.Errorf("asked %v, found %d", times, len(s.Findings))
	}
}

// TestSameSentenceStandsOnce leaves out what an earlier section quotes.
func TestSameSentenceStandsOnce(t *testing.T) {
	t.Parallel()
	f := func(n int) research.Finding {
		return research.Finding{N: n, Sentences: []domain.Sentence{{Text: "It fell.", Citations: []int{1}}}, Citations: []domain.Citation{{N: 1, DocumentID: "d1", Text: "It fell."}}}
	}
	r := research.State{Findings: []research.Finding{f(2), f(1)}}.Report()
	if len(r.Sentences) != 1 || r.Sentences[0].Paragraph != 1 || r.Came[2] != domain.CameAbove || len(r.Citations) != 1 {
		t.Errorf("report %+v", r)
	}
}
