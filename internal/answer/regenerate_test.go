package answer

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

// checker supports sentences that hold one of its words.
type checker struct{ words []string }

func (c checker) Support(_ context.Context, _ Asked, claims []Claim, _ Emit) ([]Support, error) {
	out := make([]Support, len(claims))
	for i, claim := range claims {
		out[i] = Support{slices.ContainsFunc(c.words, func(w string) bool { return strings.Contains(claim.Text, w) }), "the passage says grey"}
	}
	return out, nil
}

// reviser writes a fixed answer, citing the first passage.
type reviser struct {
	ModelOnly

	says  []string
	asked []ReviseRequest
}

func (r *reviser) Revise(_ context.Context, q ReviseRequest, pen Pen, _ Emit) error {
	r.asked = append(r.asked, q)
	for _, text := range r.says {
		pen.Write(text)
		pen.Cite(q.Passages[0], q.Passages[0].Span)
		pen.Write(" ")
	}
	return nil
}

func TestAnAnswerIsWrittenAgainOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		off    bool
		says   []string
		path   string // after generate
		answer string
		again  int
	}{
		{"better", false, []string{"It is grey."}, "check_support regenerate check_support", "It is grey. [1]", 1},
		{"no better", false, []string{"It is red.", "It is green."}, "check_support regenerate check_support", "It is blue. [1]", 1},
		{"as bad", false, []string{"It is red."}, "check_support regenerate check_support", "It is blue. [1]", 1},
		{"nothing", false, nil, "check_support regenerate check_support", "It is blue. [1]", 1},
		{"off", true, []string{"It is grey."}, "check_support", "It is blue. [1]", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := &reviser{says: tt.says}
			s := &script{texts: []string{"It is grey."}, searches: [][]int{{0}}, relevant: always, says: "It is blue. [1]", params: Params{Regenerate: !tt.off, Roles: Roles{Model: r}}}
			s.supporter = checker{[]string{"grey"}}
			o, err := s.run(t, Begin{})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(o.path[3:], " "); got != tt.path || len(r.asked) != tt.again {
				t.Errorf("went %s, wrote again %d times", got, len(r.asked))
			}
			if o.Generation != tt.answer || o.tokens != "It is blue. [1]" {
				t.Errorf("answered %q after it was shown as %q", o.Generation, o.tokens)
			}
			if len(o.Sentences) == 0 || len(o.Citations) == 0 || o.Sentences[0].Supported != (tt.answer == "It is grey. [1]") {
				t.Errorf("sentences %+v, citations %+v", o.Sentences, o.Citations)
			}
			if !o.Sentences[0].Supported && o.Sentences[0].Reason != "the passage says grey" {
				t.Errorf("the reason is %q", o.Sentences[0].Reason)
			}
			for _, q := range r.asked {
				if diff := cmp.Diff([]Fault{{"It is blue.", "the passage says grey"}}, q.Faults); diff != "" || q.Draft != "It is blue. [1]" {
					t.Errorf("draft %q, faults (-want +got)\n%s", q.Draft, diff)
				}
			}
		})
	}
}

func TestASupportedAnswerStays(t *testing.T) {
	t.Parallel()
	s := &script{texts: []string{"It is grey."}, searches: [][]int{{0}}, relevant: always, says: "It is grey. [1]", params: Params{Regenerate: true, Roles: Roles{Model: &reviser{}}}}
	s.supporter = checker{[]string{"grey"}}
	o, err := s.run(t, Begin{})
	if err != nil || o.path[len(o.path)-1] != NodeSupport || o.Draft != nil {
		t.Errorf("went %v, %v", o.path, err)
	}
}

// TestAnAnswerStopsAtItsBudget lets every role take tokens. The answer quotes what was
// found, whenever the budget ends.
func TestAnAnswerStopsAtItsBudget(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		budget int64
		takes  int // tokens of each call
		want   string
		calls  int
	}{
		{"enough", 100_000, 10, "It is so. [1] It is so. [2]", 4},
		{"used up by grading", 3_000, 2_000, "The mill is old. [1]\n\nThe weir is new. [2]\n\nStopped at the cap of 100 tokens for one question: this is what was found so far.", 2},
		{"too little for a grade", 100, 10, "Stopped at the cap of 100 tokens for one question, before anything relevant was found.", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &script{texts: []string{"The mill is old. It has a wheel.", "The weir is new."}, searches: [][]int{{0, 1}}, relevant: always, takes: tt.takes}
			o, err := s.run(t, Begin{Question: "How old is the mill, and how new the weir?", MaxLoops: 2, Budget: Budget{Most: tt.budget, Says: "100 tokens"}})
			if err != nil {
				t.Fatal(err)
			}
			if o.Generation != tt.want || o.events[domain.EventUsage] != tt.calls {
				t.Errorf("answered %q after %d calls", o.Generation, o.events[domain.EventUsage])
			}
			if unsupported(o.Sentences) > 0 {
				t.Errorf("sentences %+v", o.Sentences)
			}
			if int(o.Spent) != tt.calls*tt.takes {
				t.Errorf("spent %d", o.Spent)
			}
		})
	}
}

func TestABudgetInMoneyIsPriced(t *testing.T) {
	t.Parallel()
	price := func(_ context.Context, u domain.Usage) int64 {
		if u.Recorded {
			return 0
		}
		return int64(2 * u.Tokens())
	}
	s := &script{texts: []string{"The mill is old."}, searches: [][]int{{0}}, relevant: always, takes: 1000, params: Params{Price: price}}
	o, err := s.run(t, Begin{Budget: Budget{Most: 1_900, Money: true, Says: "$0.0019"}})
	if err != nil {
		t.Fatal(err)
	}
	if o.Spent != 2_000 || !strings.Contains(o.Generation, "cap of $0.0019") || s.written > 0 {
		t.Errorf("spent %d, answered %q", o.Spent, o.Generation)
	}
}
