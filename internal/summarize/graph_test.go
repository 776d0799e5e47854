package summarize_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/checkpoint/memory"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/stategraphtest"
	"github.com/clewhq/clew/internal/summarize"
)

const ws = domain.DefaultWorkspace

// words counts a token a word.
type words struct{}

func (words) Count(text string) int { return len(strings.Fields(text)) }

// documents are texts in memory, by id.
type documents map[domain.DocumentID]string

func (s documents) Text(_ context.Context, _ domain.WorkspaceID, id domain.DocumentID) (domain.Text, error) {
	text, ok := s[id]
	if !ok {
		return domain.Text{}, domain.Errorf(domain.NotFound, "There is no text of document %s here.", id)
	}
	return domain.Text{Content: text}, nil
}

func (s documents) Document(_ context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Document, error) {
	return domain.Document{Workspace: w, ID: id, Name: string(id) + ".txt"}, nil
}

func (s documents) ids() []domain.DocumentID {
	var ids []domain.DocumentID
	for id := range s {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// short returns n documents of one sentence each.
func short(n int) documents {
	s := documents{}
	for i := range n {
		s[domain.DocumentID(fmt.Sprintf("d%04d", i))] = fmt.Sprintf("Item%d stands in the list under its own number.", i)
	}
	return s
}

// scripted is a summariser that writes texts of given lengths.
type scripted struct {
	each   func(part int) int  // words of a part's summary; default 100
	shrink func(words int) int // words of an account; default 500 at most
	wait   func()              // called in each call
	fail   func(part int) error

	mu       sync.Mutex
	mapped   []int
	reduced  [][]string // first words of the sentences of each account
	atOnce   atomic.Int64
	mostOnce atomic.Int64
}

func (s *scripted) enter() func() {
	n := s.atOnce.Add(1)
	for most := s.mostOnce.Load(); n > most && !s.mostOnce.CompareAndSwap(most, n); most = s.mostOnce.Load() {
	}
	if s.wait != nil {
		s.wait()
	}
	return func() { s.atOnce.Add(-1) }
}

func (s *scripted) calls() (maps, reduces int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.mapped), len(s.reduced)
}

// sentence returns a sentence of n words that begins with a name.
func sentence(name string, n int) string {
	return name + strings.Repeat(" word", max(0, n-2)) + " end."
}

func (s *scripted) Map(_ context.Context, r summarize.MapRequest, _ summarize.Emit) ([]summarize.Sentence, error) {
	defer s.enter()()
	s.mu.Lock()
	s.mapped = append(s.mapped, r.Part.N)
	s.mu.Unlock()
	if s.fail != nil {
		if err := s.fail(r.Part.N); err != nil {
			return nil, err
		}
	}
	n := 100
	if s.each != nil {
		n = s.each(r.Part.N)
	}
	return []summarize.Sentence{{Text: sentence(fmt.Sprintf("Part%d", r.Part.N), n), Parts: []int{r.Part.N}}}, nil
}

func (s *scripted) Reduce(_ context.Context, r summarize.ReduceRequest, _ summarize.Emit) ([]summarize.Sentence, error) {
	defer s.enter()()
	total, parts, first := 0, []int{}, []string{}
	for _, x := range r.Summaries {
		total += x.Tokens
		for _, l := range x.Sentences {
			parts = append(parts, l.Parts...)
			first = append(first, strings.Fields(l.Text)[0])
		}
	}
	s.mu.Lock()
	s.reduced = append(s.reduced, first)
	s.mu.Unlock()
	n := min(total, 500)
	if s.shrink != nil {
		n = s.shrink(total)
	}
	if r.Write != nil {
		r.Write("An account.")
	}
	return []summarize.Sentence{{Text: sentence(first[0], n), Parts: parts}}, nil
}

func graph(t *testing.T, s documents, by summarize.Summariser) stategraph.Runnable[summarize.State] {
	t.Helper()
	g, err := summarize.Graph(summarize.Params{Texts: s, Counter: words{}, Summariser: by, AtOnce: 4, Threads: memory.New(time.Now)})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// visited runs the graph and returns the nodes in the order in which they ended.
func visited(t *testing.T, g stategraph.Runnable[summarize.State], b summarize.Begin, opts ...stategraph.RunOption) (summarize.State, []string, error) {
	t.Helper()
	var nodes []string
	opts = append(opts, stategraphtest.CheckMutation(), stategraph.Observe(func(e stategraph.Event) {
		if e.Kind == stategraph.NodeEnd {
			nodes = append(nodes, e.Node)
		}
	}))
	b.Workspace = ws
	s, err := g.Run(t.Context(), summarize.Start(b), opts...)
	return s, nodes, err
}

func TestShortDocumentsTakeOneRound(t *testing.T) {
	t.Parallel()
	docs, by := short(3), &scripted{}
	s, nodes, err := visited(t, graph(t, docs, by), summarize.Begin{Documents: docs.ids()}, stategraph.RecursionLimit(10))
	if err != nil {
		t.Fatal(err)
	}
	if maps, reduces := by.calls(); maps != 3 || reduces != 1 {
		t.Errorf("%d maps and %d accounts, want 3 and 1", maps, reduces)
	}
	want := []string{"pre_process", "generate_summary", "generate_summary", "generate_summary", "collect_summaries", "generate_final_summary"}
	if diff := cmp.Diff(want, nodes); diff != "" {
		t.Errorf("events (-want +got)\n%s", diff)
	}
	if !s.Condensed || len(s.Sentences) != 1 || !slices.Equal(s.Sentences[0].Citations, []int{1, 2, 3}) {
		t.Errorf("condensed %v, sentences %+v", s.Condensed, s.Sentences)
	}
	for i, c := range s.Citations {
		if c.DocumentID != docs.ids()[i] || c.Text != docs[c.DocumentID] {
			t.Errorf("citation %+v", c)
		}
	}
}

func TestLongSummariesAreCollapsedInGroups(t *testing.T) {
	t.Parallel()
	docs := short(14)
	by := &scripted{each: func(part int) int { return 100 + part*40/14 }} // 100 to 140
	s, nodes, err := visited(t, graph(t, docs, by), summarize.Begin{Documents: docs.ids()}, stategraph.RecursionLimit(10))
	if err != nil {
		t.Fatal(err)
	}
	maps, reduces := by.calls()
	if maps+reduces != 17 || maps != 14 {
		t.Errorf("%d maps and %d accounts, want 14 and 3", maps, reduces)
	}
	want := slices.Concat([]string{"pre_process"}, slices.Repeat([]string{"generate_summary"}, 14),
		[]string{"collect_summaries", "collapse_summaries", "generate_final_summary"})
	if diff := cmp.Diff(want, nodes); diff != "" {
		t.Errorf("events (-want +got)\n%s", diff)
	}
	if len(s.Collapsed) != 2 || s.Rounds != 1 || s.Collapsed[0].Tokens > 500 {
		t.Errorf("collapsed in %d rounds to %+v", s.Rounds, s.Collapsed)
	}
	var parts []int
	for _, c := range s.Collapsed {
		parts = append(parts, c.Sentences[0].Parts...)
	}
	if want := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}; !slices.Equal(parts, want) {
		t.Errorf("the groups hold the parts %v, want them in order", parts)
	}
}

// TestARunMayHaveItsOwnLimit: fewer rounds are needed where more tokens may be left, and more where fewer may.
func TestARunMayHaveItsOwnLimit(t *testing.T) {
	t.Parallel()
	docs := short(14)
	for most, rounds := range map[int]int{0: 1, 2000: 0, 400: 2} {
		by := &scripted{each: func(int) int { return 120 }, shrink: func(int) int { return 90 }} // 1680 in all
		s, _, err := visited(t, graph(t, docs, by), summarize.Begin{Documents: docs.ids(), TokenMax: most}, stategraph.RecursionLimit(10))
		if err != nil || s.Rounds != rounds || !s.Condensed {
			t.Errorf("%d tokens: %d rounds, condensed %v, %v; want %d", most, s.Rounds, s.Condensed, err, rounds)
		}
	}
}

// shrinkTo returns a summariser whose two summaries become short enough in the
// given round.
func shrinkTo(round int) *scripted {
	var n atomic.Int64
	return &scripted{
		each: func(int) int { return 900 },
		shrink: func(int) int {
			if n.Add(1) > int64(2*(round-1)) {
				return 400
			}
			return 900
		},
	}
}

func TestRecursionLimitAllowsSixRounds(t *testing.T) {
	t.Parallel()
	docs := short(2)
	s, _, err := visited(t, graph(t, docs, shrinkTo(6)), summarize.Begin{Documents: docs.ids()}, stategraph.RecursionLimit(10))
	if err != nil || s.Rounds != 6 || !s.Condensed {
		t.Errorf("after %d rounds: %v", s.Rounds, err)
	}
	s, _, err = visited(t, graph(t, docs, shrinkTo(7)), summarize.Begin{Documents: docs.ids()}, stategraph.RecursionLimit(10))
	if !errors.Is(err, stategraph.ErrRecursionLimit) {
		t.Errorf("a seventh round: %v", err)
	}
	if s.Rounds != 7 || len(s.Collapsed) != 2 || len(s.Summaries) != 2 {
		t.Errorf("what there was is lost: %d rounds, %d and %d summaries", s.Rounds, len(s.Collapsed), len(s.Summaries))
	}
}

func TestSummariesThatNeverShrink(t *testing.T) {
	t.Parallel()
	docs := short(3)
	never := func() *scripted {
		return &scripted{each: func(int) int { return 900 }, shrink: func(n int) int { return n }}
	}
	s, _, err := visited(t, graph(t, docs, never()), summarize.Begin{Documents: docs.ids()}, stategraph.RecursionLimit(summarize.RecursionLimit(3)))
	if !errors.Is(err, stategraph.ErrRecursionLimit) || len(s.Collapsed) != 3 {
		t.Errorf("%v with %d summaries left", err, len(s.Collapsed))
	}
	by := never()
	s, _, err = visited(t, graph(t, docs, by), summarize.Begin{Documents: docs.ids(), MaxCollapses: 5}, stategraph.RecursionLimit(summarize.RecursionLimit(3)))
	if err != nil || s.Condensed || s.Rounds != 5 {
		t.Fatalf("with a cap of 5: %v, condensed %v after %d rounds", err, s.Condensed, s.Rounds)
	}
	if len(s.Warnings) != 1 || !strings.HasPrefix(s.Warnings[0], "Not fully condensed") || len(s.Sentences) != 3 || s.Sentences[2].Paragraph != 2 {
		t.Errorf("warnings %q, %d sentences", s.Warnings, len(s.Sentences))
	}
	if _, reduces := by.calls(); reduces != 15 {
		t.Errorf("%d accounts, want 5 rounds of 3 and no more", reduces)
	}
}

func TestLongSummaryIsSplit(t *testing.T) {
	t.Parallel()
	docs := documents{"d1": "One.", "d2": "Two."}
	by := &scripted{each: func(part int) int { return map[int]int{1: 2600, 2: 100}[part] }, shrink: func(n int) int { return n / 3 }}
	s, _, err := visited(t, graph(t, docs, by), summarize.Begin{Documents: docs.ids()})
	if err != nil {
		t.Fatal(err)
	}
	by.mu.Lock()
	defer by.mu.Unlock()
	var first int
	for _, r := range by.reduced[:len(by.reduced)-1] {
		first += len(r)
	}
	if first < 3 || s.Rounds == 0 {
		t.Errorf("the long one was put into %d pieces in %d rounds", first, s.Rounds)
	}
	if !slices.Equal(s.Sentences[0].Citations, []int{1, 2}) {
		t.Errorf("sentences %+v", s.Sentences)
	}
}

func TestThousandPartsAreSummarisedOnceEach(t *testing.T) {
	t.Parallel()
	docs := short(1000)
	var calls atomic.Int64
	second := make(chan struct{})
	by := &scripted{wait: func() { // the first call goes on once there is a second
		switch calls.Add(1) {
		case 1:
			<-second
		case 2:
			close(second)
		}
	}}
	g, err := summarize.Graph(summarize.Params{Texts: docs, Counter: words{}, Summariser: by, AtOnce: 7})
	if err != nil {
		t.Fatal(err)
	}
	s, err := g.Run(t.Context(), summarize.Start(summarize.Begin{Workspace: ws, Documents: docs.ids(), MaxCollapses: summarize.DefaultMaxCollapses(1000)}),
		stategraph.MaxConcurrency(7), stategraph.RecursionLimit(summarize.RecursionLimit(1000)))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(by.mapped)
	if len(by.mapped) != 1000 || len(slices.Compact(by.mapped)) != 1000 {
		t.Errorf("%d calls", len(by.mapped))
	}
	if most := by.mostOnce.Load(); most > 7 || most < 2 {
		t.Errorf("%d calls at once, allowed were 7", most)
	}
	for i, x := range s.Summaries {
		if x.Part != i+1 {
			t.Fatalf("summary %d is that of part %d", i, x.Part)
		}
	}
	if !s.Condensed || len(s.Citations) != 1000 {
		t.Errorf("condensed %v with %d citations", s.Condensed, len(s.Citations))
	}
}

func TestFailedPartIsLeftOut(t *testing.T) {
	t.Parallel()
	docs := short(3)
	by := &scripted{fail: func(part int) error {
		if part == 2 {
			return domain.Errorf(domain.Invalid, "The model refused the text.")
		}
		return nil
	}}
	s, _, err := visited(t, graph(t, docs, by), summarize.Begin{Documents: docs.ids()})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Part 2 of 3 was left out: The model refused the text."}, s.Warnings); diff != "" {
		t.Error(diff)
	}
	by = &scripted{fail: func(int) error { return domain.Errorf(domain.Invalid, "The model refused the text.") }}
	if _, _, err = visited(t, graph(t, docs, by), summarize.Begin{Documents: docs.ids()}); domain.KindOf(err) != domain.Invalid {
		t.Errorf("all parts left out: %v", err)
	}
	by = &scripted{fail: func(int) error { return domain.Errorf(domain.Forbidden, "The key is refused.") }}
	if _, _, err = visited(t, graph(t, docs, by), summarize.Begin{Documents: docs.ids()}); domain.KindOf(err) != domain.Forbidden {
		t.Errorf("a refused key: %v", err)
	}
}

func TestNothingToSummarise(t *testing.T) {
	t.Parallel()
	docs, by := documents{"d1": " \n "}, &scripted{}
	s, nodes, err := visited(t, graph(t, docs, by), summarize.Begin{Documents: docs.ids()})
	if err != nil || !slices.Equal(nodes, []string{"pre_process"}) {
		t.Fatalf("%v: %v", nodes, err)
	}
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "d1.txt has no text") {
		t.Errorf("warnings %q", s.Warnings)
	}
	if _, _, err := visited(t, graph(t, docs, by), summarize.Begin{Documents: []domain.DocumentID{"gone"}}); domain.KindOf(err) != domain.NotFound {
		t.Errorf("a document that is gone: %v", err)
	}
}

func TestReviewBeforeTheLastStep(t *testing.T) {
	t.Parallel()
	docs, by := short(14), &scripted{}
	store := memory.New(time.Now)
	build := func() stategraph.Runnable[summarize.State] { // another process
		g, err := summarize.Graph(summarize.Params{Texts: docs, Counter: words{}, Summariser: by, Threads: store})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	_, _, err := visited(t, build(), summarize.Begin{Documents: docs.ids(), Review: true}, stategraph.Thread("t"))
	asked, ok := errors.AsType[*stategraph.InterruptedError](err)
	if !ok || len(asked.Questions) != 1 || asked.Questions[0].Node != summarize.NodeFinal {
		t.Fatalf("the run ended with %v", err)
	}
	maps, reduces := by.calls()
	edited := []string{"Part1 was put right by hand. [1][99]", "", "An own sentence about Part8."}
	s, err := build().Resume(t.Context(), "t", stategraph.Answer(asked.Questions[0].ID, edited))
	if err != nil {
		t.Fatal(err)
	}
	if m, r := by.calls(); m != maps || r != reduces+1 {
		t.Errorf("%d maps and %d accounts after the answer, want only one account more", m-maps, r-reduces)
	}
	if last := by.reduced[len(by.reduced)-1]; !slices.Equal(last, []string{"Part1", "An"}) {
		t.Errorf("the last account was made of %v", last)
	}
	if len(s.Citations) == 0 || s.Citations[0].DocumentID != "d0000" {
		t.Errorf("citations %+v", s.Citations)
	}
}

func TestRecursionLimit(t *testing.T) {
	t.Parallel()
	for parts, want := range map[int]int{0: 10, 1: 10, 50: 10, 64: 10, 65: 11, 128: 11, 129: 12, 1000: 14} {
		if got := summarize.RecursionLimit(parts); got != want {
			t.Errorf("%d parts may take %d super-steps, want %d", parts, got, want)
		}
		if got := summarize.DefaultMaxCollapses(parts); got != want-5 {
			t.Errorf("%d parts are collapsed %d times, want %d", parts, got, want-5)
		}
	}
}

func TestGraphRequiresParams(t *testing.T) {
	t.Parallel()
	for _, p := range []summarize.Params{{}, {Texts: documents{}}, {Texts: documents{}, Counter: words{}}} {
		if _, err := summarize.Graph(p); err == nil {
			t.Errorf("a graph of %+v", p)
		}
	}
}
