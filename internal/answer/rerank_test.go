package answer

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

// ranker gives fixed orders, one after the other.
type ranker struct {
	ModelOnly

	s      *script
	orders [][]int
	err    error
	calls  int
}

func (r *ranker) Rank(_ context.Context, _ Asked, _ []domain.Passage, emit Emit) ([]int, error) {
	r.s.use(emit)
	r.calls++
	return r.orders[min(r.calls, len(r.orders))-1], r.err
}

// ranked returns a script of five passages, the first four of which a ranker gets, and
// two of which are graded.
func ranked(orders ...[]int) (*script, *ranker) {
	s := &script{texts: []string{"One.", "Two.", "Three.", "Four.", "Five."}, searches: [][]int{{0, 1, 2, 3, 4}}, relevant: always}
	r := &ranker{s: s, orders: orders}
	s.params = Params{Limit: 2, Rerank: 4, Roles: Roles{Model: r}}
	return s, r
}

// TestAModelPutsWhatIsFoundInOrder: the first passages of its order are graded, a place
// keeps its score, and the trace says what moved.
func TestAModelPutsWhatIsFoundInOrder(t *testing.T) {
	t.Parallel()
	s, _ := ranked([]int{2, 2, 0})
	o, err := s.run(t, Begin{})
	if err != nil {
		t.Fatal(err)
	}
	search := o.Retrieval[0]
	if want := []domain.ChunkID{"c2", "c0"}; !slices.Equal(search.Found, want) || len(s.grades) != 2 {
		t.Errorf("found %v and graded %v, want %v", search.Found, s.grades, want)
	}
	last := search.Methods[len(search.Methods)-1]
	if last.Name != domain.MethodRerank || last.Candidates != 4 || last.Reason != "the model moved 3 of 4" || o.events[domain.EventMethod] != 2 {
		t.Errorf("reported %+v", last)
	}
	if scores := o.RetrievalScores[0].Scores; !slices.Equal(scores, []float64{0.3333, 0.25}) {
		t.Errorf("scores %v, want those of the places", scores)
	}
	if s.queries[0].Limit != 4 {
		t.Errorf("searched for %d passages, want those that the model orders", s.queries[0].Limit)
	}
}

// TestTheOrderOfTheSearchStays where there is no other, and the trace says why.
func TestTheOrderOfTheSearchStays(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		begin  Begin
		found  []int
		says   string // "" if no model is to be asked at all
		calls  int
		method domain.MethodName
	}{
		"unreadable":             {found: []int{0, 1, 2, 3, 4}, says: "could not be read", calls: 1},
		"one passage":            {found: []int{0}, says: "nothing to put in order"},
		"nothing":                {says: "nothing to put in order"},
		"a cap that is too near": {begin: Begin{Budget: Budget{Most: 200}}, found: []int{0, 1, 2, 3, 4}, says: "the question's cap"},
		"a method is named":      {begin: Begin{Method: domain.MethodWords}, found: []int{0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := ranked(nil)
			s.searches = [][]int{tt.found}
			o, err := s.run(t, tt.begin)
			if err != nil {
				t.Fatal(err)
			}
			search := o.Retrieval[0]
			last := search.Methods[len(search.Methods)-1]
			if r.calls != tt.calls || !strings.Contains(last.Reason, tt.says) || (last.Name == domain.MethodRerank) != (tt.says != "") {
				t.Errorf("%d calls, reported %+v", r.calls, last)
			}
			for i, id := range search.Found {
				if id != s.chunk(i) {
					t.Errorf("found %v", search.Found)
				}
			}
			if len(search.Found) != min(2, len(tt.found)) {
				t.Errorf("%d passages were graded", len(search.Found))
			}
		})
	}
}

// TestAnOrderIsPaidFromTheBudget: what the call takes is no longer there for grading.
func TestAnOrderIsPaidFromTheBudget(t *testing.T) {
	t.Parallel()
	s, _ := ranked([]int{1, 0})
	s.takes = 100
	o, err := s.run(t, Begin{Budget: Budget{Most: 100_000}})
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(100 * (1 + 2 + 1 + 1)); o.Spent != want { // an order, two grades, an answer, its check
		t.Errorf("spent %d tokens, want %d", o.Spent, want)
	}
}

// TestAModelThatIsAwayIsWaitedFor: an order is no reason to answer worse than asked.
func TestAModelThatIsAwayIsWaitedFor(t *testing.T) {
	t.Parallel()
	s, r := ranked(nil)
	r.err = domain.Errorf(domain.Unavailable, "The model is away.")
	if _, err := s.run(t, Begin{}); !errors.Is(err, r.err) {
		t.Errorf("ended with %v", err)
	}
}

// TestAQuestionSaysWhetherItIsPutInOrder whatever the settings say.
func TestAQuestionSaysWhetherItIsPutInOrder(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for name, tt := range map[string]struct {
		set    int
		wanted *bool
		calls  int
	}{"not wanted": {4, &no, 0}, "wanted": {0, &yes, 1}, "as set": {4, nil, 1}, "as not set": {0, nil, 0}} {
		s, r := ranked([]int{2, 0})
		s.params.Rerank = tt.set
		if _, err := s.run(t, Begin{Rerank: tt.wanted}); err != nil || r.calls != tt.calls {
			t.Errorf("%s: %d calls, %v", name, r.calls, err)
		}
	}
}

// crossEncoder gives a fixed order, or fails.
type crossEncoder struct {
	order []int
	err   error
	texts []string
}

func (*crossEncoder) Model() string { return "cross" }

func (c *crossEncoder) Rerank(_ context.Context, _ string, texts []string) ([]int, int, error) {
	c.texts = texts
	return c.order, 0, c.err
}

// TestACrossEncoderPutsWhatIsFoundInOrder without a model, and its failure leaves the order of the search.
func TestACrossEncoderPutsWhatIsFoundInOrder(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		c     crossEncoder
		found []domain.ChunkID
		says  string
	}{
		"order":   {crossEncoder{order: []int{3, 0, 1, 2}}, []domain.ChunkID{"c3", "c0"}, "cross moved 4 of 4"},
		"failure": {crossEncoder{err: errors.New("refused")}, []domain.ChunkID{"c0", "c1"}, "the order stays, for cross failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := ranked(nil)
			s.params.Roles.Model, s.params.Reranker = nil, &tt.c
			o, err := s.run(t, Begin{})
			if err != nil {
				t.Fatal(err)
			}
			search := o.Retrieval[0]
			last := search.Methods[len(search.Methods)-1]
			if !slices.Equal(search.Found, tt.found) || !strings.HasPrefix(last.Reason, tt.says) || len(tt.c.texts) != 4 || !strings.Contains(tt.c.texts[0], "One.") {
				t.Errorf("found %v, reported %+v, of %q", search.Found, last, tt.c.texts)
			}
		})
	}
}
