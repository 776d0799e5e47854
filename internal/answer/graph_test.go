package answer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

func TestGraphNeedsItsParts(t *testing.T) {
	t.Parallel()
	if _, err := Graph(Params{}); err == nil {
		t.Error("a graph without parts compiled")
	}
}

func TestLoopsEndAtTheCap(t *testing.T) {
	t.Parallel()
	for _, maxLoops := range []int{0, 1, 3, 20} {
		t.Run(fmt.Sprint(maxLoops), func(t *testing.T) {
			t.Parallel()
			s := &script{texts: []string{"a", "b"}, searches: [][]int{{0, 1}}, relevant: never}
			o, err := s.run(t, Begin{MaxLoops: maxLoops})
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"retrieve", "grade_documents"}
			for range maxLoops {
				want = append(want, "transform_query", "retrieve", "grade_documents")
			}
			want = append(want, "generate", "check_support")
			if diff := cmp.Diff(want, o.path); diff != "" {
				t.Errorf("path (-want +got):\n%s", diff)
			}
			if len(s.queries) != maxLoops+1 || o.LoopCount != maxLoops || len(o.QueryRewrites) != maxLoops {
				t.Errorf("%d searches, loop count %d, %d rewrites", len(s.queries), o.LoopCount, len(o.QueryRewrites))
			}
			if r := o.Result(); r.Answer != SaysNotOutright || r.Answered || len(r.Citations) != 0 || s.written != 0 {
				t.Errorf("answered %q from %d citations, writer asked %d times", r.Answer, len(r.Citations), s.written)
			}
			if o.tokens != SaysNotOutright {
				t.Errorf("showed %q", o.tokens)
			}
		})
	}
}

func TestNegativeLoopsAreRefused(t *testing.T) {
	t.Parallel()
	_, err := (&script{texts: []string{"a"}, relevant: never}).run(t, Begin{MaxLoops: -1})
	if domain.KindOf(err) != domain.Invalid {
		t.Errorf("got %v", err)
	}
}

func TestRelevantPassagesAreAnsweredFromAtOnce(t *testing.T) {
	t.Parallel()
	s := &script{texts: []string{"One.", "Two.", "Three."}, searches: [][]int{{2, 0, 1}}, relevant: func(_, p int) domain.Verdict {
		if p == 1 {
			return domain.Irrelevant
		}
		return domain.Relevant
	}}
	o, err := s.run(t, Begin{MaxLoops: 3})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"retrieve", "grade_documents", "generate", "check_support"}; !slices.Equal(o.path, want) {
		t.Errorf("went %v", o.path)
	}
	r := o.Result()
	if r.Answer != "It is so. [1] It is so. [2]" {
		t.Errorf("answer %q", r.Answer)
	}
	wantCited := []domain.Citation{
		{N: 1, Document: "file 2.txt", DocumentID: "d2", Chunk: "c2", Span: domain.Span{Start: 100, End: 106}, Text: "Three."},
		{N: 2, Document: "file 0.txt", DocumentID: "d0", Chunk: "c0", Span: domain.Span{Start: 100, End: 104}, Text: "One."},
	}
	if diff := cmp.Diff(wantCited, r.Citations); diff != "" {
		t.Errorf("citations (-want +got):\n%s", diff)
	}
	wantSaid := []domain.Sentence{{Text: "It is so.", Citations: []int{1}, Supported: true}, {Text: "It is so.", Citations: []int{2}, Supported: true}}
	if diff := cmp.Diff(wantSaid, r.Sentences); diff != "" {
		t.Errorf("sentences (-want +got):\n%s", diff)
	}
	if len(r.Documents) != 3 || r.Documents[2].Verdict != domain.Irrelevant || r.Documents[2].Name != "file 1.txt" {
		t.Errorf("documents %+v", r.Documents)
	}
	if o.events[domain.EventGrade] != 3 || o.events[domain.EventMethod] != 1 {
		t.Errorf("events %v", o.events)
	}
}

// TestAnAnswerSaysWhatCouldNotBeReached searches without a store that is away.
func TestAnAnswerSaysWhatCouldNotBeReached(t *testing.T) {
	t.Parallel()
	away := domain.Errorf(domain.Unavailable, "The graph is away.")
	remark := domain.Sentence{Text: away.Message, Citations: []int{}, Supported: true, Remark: true}
	for name, tt := range map[string]struct {
		verdict domain.Verdict
		answer  string
		want    []domain.Sentence
	}{
		"answered": {domain.Relevant, "It is so. [1]\n\n" + away.Message, []domain.Sentence{
			{Text: "It is so.", Citations: []int{1}, Supported: true}, {Text: remark.Text, Citations: []int{}, Supported: true, Remark: true, Paragraph: 1},
		}},
		"declined": {domain.Irrelevant, SaysNotOutright + " " + away.Message, []domain.Sentence{
			{Text: SaysNotOutright, Citations: []int{}, Supported: true, Remark: true}, remark,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &script{texts: []string{"One."}, searches: [][]int{{0}}, away: away, missing: away.Message, relevant: func(int, int) domain.Verdict { return tt.verdict }}
			o, err := s.run(t, Begin{MaxLoops: 1})
			if err != nil {
				t.Fatal(err)
			}
			if r := o.Result(); r.Answer != tt.answer {
				t.Errorf("answer %q, want %q", r.Answer, tt.answer)
			} else if diff := cmp.Diff(tt.want, r.Sentences); diff != "" {
				t.Errorf("sentences (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPassagesOfEveryLoopReachTheAnswer(t *testing.T) {
	t.Parallel()
	s := &script{texts: []string{"a", "b", "c"}, searches: [][]int{{0, 1}, {1, 2}}, relevant: func(loop, p int) domain.Verdict {
		if loop == 0 && p == 0 || loop == 1 && p == 2 {
			return domain.Relevant
		}
		return domain.Irrelevant
	}}
	o, err := s.run(t, Begin{MaxLoops: 3, MinRelevant: 2})
	if err != nil {
		t.Fatal(err)
	}
	var cited []domain.ChunkID
	for _, c := range o.Citations {
		cited = append(cited, c.Chunk)
	}
	if want := []domain.ChunkID{"c0", "c2"}; !slices.Equal(cited, want) || o.LoopCount != 1 {
		t.Errorf("cited %v after %d rewrites", cited, o.LoopCount)
	}
	want := []string{"What is it?|c0", "What is it?|c1", "What is it?|c1", "What is it?|c2"}
	if slices.Sort(s.grades); !slices.Equal(s.grades, want) {
		t.Errorf("graded %v", s.grades)
	}
}

func TestTooFewRelevantPassagesAreUsedAtTheCap(t *testing.T) {
	t.Parallel()
	s := &script{texts: []string{"a", "b"}, searches: [][]int{{0, 1}}, relevant: func(_, p int) domain.Verdict {
		if p == 0 {
			return domain.Relevant
		}
		return domain.Ungraded
	}}
	o, err := s.run(t, Begin{MaxLoops: 1, MinRelevant: 2})
	if err != nil {
		t.Fatal(err)
	}
	if r := o.Result(); !r.Answered || len(r.Citations) != 1 || o.LoopCount != 1 {
		t.Errorf("answered %v with %d citations after %d rewrites", r.Answered, len(r.Citations), o.LoopCount)
	}
}

func TestASearchThatFindsNothingIsGradedAllTheSame(t *testing.T) {
	t.Parallel()
	o, err := (&script{texts: []string{"a"}, relevant: never}).run(t, Begin{MaxLoops: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"retrieve", "grade_documents", "transform_query", "retrieve", "grade_documents", "generate", "check_support"}
	if diff := cmp.Diff(want, o.path); diff != "" {
		t.Errorf("path (-want +got):\n%s", diff)
	}
}

func TestAnEmptyLibraryIsNotSearched(t *testing.T) {
	t.Parallel()
	s := &script{relevant: never}
	o, err := s.run(t, Begin{MaxLoops: 3, History: []Exchange{{Question: "Before?"}}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"generate", "check_support"}; !slices.Equal(o.path, want) || len(s.queries) != 0 || o.Generation != SaysEmpty {
		t.Errorf("went %v, searched %d times, said %q", o.path, len(s.queries), o.Generation)
	}
}

func TestHistoryIsCondensedIntoTheSearch(t *testing.T) {
	t.Parallel()
	s := &script{texts: []string{"a"}, searches: [][]int{{0}}, relevant: always}
	o, err := s.run(t, Begin{Question: "And when?", History: []Exchange{{Question: "the bridge", Answer: "Yes."}}, Scope: domain.Scope{Tags: []string{"minutes"}}, Within: []domain.DocumentID{"d0"}})
	if err != nil {
		t.Fatal(err)
	}
	if o.Question != "And when?" || o.UserContext.Standalone != "And when? about the bridge" {
		t.Errorf("question %q, standalone %q", o.Question, o.UserContext.Standalone)
	}
	if q := s.queries[0]; q.Text != "And when? about the bridge" || q.Limit != DefaultLimit || !slices.Equal(q.Documents, []domain.DocumentID{"d0"}) {
		t.Errorf("searched for %+v", q)
	}
	if o.path[0] != "condense" || s.grades[0] != "And when? about the bridge|c0" {
		t.Errorf("went %v, graded %v", o.path, s.grades)
	}
}

func TestGradesThatNobodyCanReadAreAnError(t *testing.T) {
	t.Parallel()
	s := &script{texts: []string{"a", "b"}, searches: [][]int{{0, 1}}, relevant: func(int, int) domain.Verdict { return domain.Ungraded }}
	_, err := s.run(t, Begin{MaxLoops: 3})
	message, ok := domain.MessageOf(err)
	if !ok || domain.KindOf(err) != domain.Unavailable || !strings.Contains(message, "2 passages") {
		t.Errorf("got %v", err)
	}
}

func TestTheQuestionStaysAndRewritesDiffer(t *testing.T) {
	t.Parallel()
	s := &script{texts: []string{"a"}, searches: [][]int{{0}}, relevant: never}
	o, err := s.run(t, Begin{Question: "Who built it?", MaxLoops: 3})
	if err != nil {
		t.Fatal(err)
	}
	if o.Question != "Who built it?" || !strings.HasPrefix(s.grades[3], "Who built it?|") {
		t.Errorf("question %q, graded by %q", o.Question, s.grades[3])
	}
	var seen []string
	for _, q := range append(o.QueryRewrites, Rewrite{Text: o.Question}) {
		seen = append(seen, fmt.Sprint(q.Text, q.Wide))
	}
	if slices.Sort(seen); len(slices.Compact(seen)) != 4 {
		t.Errorf("searched for %q", seen)
	}
}

func TestRewritesThatRepeatBecomeWider(t *testing.T) {
	t.Parallel()
	before := []Rewrite{{Text: "Who built the bridge?"}, {Text: "bridge builder", Wide: 1}}
	for _, tt := range []struct {
		next Rewrite
		want Rewrite
	}{
		{Rewrite{Text: "mason of the bridge", How: "x"}, Rewrite{Text: "mason of the bridge", How: "x"}},
		{Rewrite{Text: "The bridge: who built (it)?!", How: "x"}, Rewrite{Text: "The bridge: who built (it)?!", How: "the same words, wider", Wide: 1}},
		{Rewrite{Text: "builder bridge", How: "x", Wide: 1}, Rewrite{Text: "builder bridge", How: "the same words, wider", Wide: 2}},
		{Rewrite{Text: " \n ", How: "x"}, Rewrite{Text: "Who built the bridge?", How: "the same words, wider", Wide: 1}},
	} {
		if got := distinct(tt.next, before); got != tt.want {
			t.Errorf("distinct(%+v) = %+v, want %+v", tt.next, got, tt.want)
		}
	}
}

func TestAFailingWriterFailsTheRun(t *testing.T) {
	t.Parallel()
	cause := errors.New("no more ink")
	_, err := (&script{texts: []string{"a"}, searches: [][]int{{0}}, relevant: always, failing: cause}).run(t, Begin{})
	if !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

// TestTheStateStaysSmall runs four searches that each find other passages, long and of
// many documents, with paths and long reasons.
func TestTheStateStaysSmall(t *testing.T) {
	t.Parallel()
	const secret = "No word of a passage belongs into the state. "
	s := &script{relevant: never, digits: 20, path: []domain.Hop{
		{Name: "Withen Chain Bridge", Entity: domain.NewEntityID("w", "Place", "x"), Method: "name"},
		{Name: "Drapers' Benefit Society", From: domain.NewChunkID("d", "h", 1), Method: "mention"},
	}}
	for _, n := range []int{DefaultLimit, DefaultLimit, DefaultLimit, 2 * DefaultLimit} { // the last one is wider
		var found []int
		for range n {
			found = append(found, len(s.texts))
			s.texts = append(s.texts, strings.Repeat(secret, 40))
		}
		s.searches = append(s.searches, found)
	}
	o, err := s.run(t, Begin{MaxLoops: 3})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(o.State)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Documents) != 40 || len(b) > 16<<10 {
		t.Errorf("%d bytes for %d passages", len(b), len(o.Documents))
	}
	if strings.Contains(string(b), secret[:12]) {
		t.Error("the state holds words of a passage")
	}
	for _, field := range []string{"question", "documents", "generation", "loop_count", "max_loops", "query_rewrites", "retrieval", "retrieval_scores", "timing_metrics", "user_context", "citations", "sentences"} {
		if !strings.Contains(string(b), `"`+field+`":`) {
			t.Errorf("the state has no %s", field)
		}
	}
}

// TestPassagesAreGradedTogether grades three in one call, one that could not be read
// by itself, and the last one, which scores too low, not at all.
func TestPassagesAreGradedTogether(t *testing.T) {
	t.Parallel()
	s := &script{texts: []string{"a", "b", "c", "d"}, searches: [][]int{{0, 1, 2, 3}}, relevant: always}
	m := &together{}
	s.params = Params{GradeMany: 3, GradeAbove: 0.6, Roles: Roles{Model: m}}
	o, err := s.run(t, Begin{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"c0 c1 c2"}; !slices.Equal(m.asked, want) || !slices.Equal(s.grades, []string{"What is it?|c1"}) {
		t.Errorf("asked for %q and then for %q", m.asked, s.grades)
	}
	var got []string
	for _, d := range o.Result().Documents {
		got = append(got, string(d.Chunk)+" "+string(d.Verdict)+" "+d.Reason)
	}
	want := []string{"c0 yes all", "c1 yes " + strings.TrimSpace(strings.Repeat("says nothing of what was asked ", 5)), "c2 no all", "c3 no " + reasonLow}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("grades (-want +got)\n%s", diff)
	}
	if o.events[domain.EventGrade] != 4 {
		t.Errorf("%d grades are told", o.events[domain.EventGrade])
	}
}

// together grades three passages, and can't tell what it thinks of the second passage.
type together struct {
	ModelOnly

	asked []string
}

func (m *together) GradeMany(_ context.Context, _ Asked, all []GradeRequest, _ Emit) ([]domain.Grade, error) {
	var ids []string
	for _, r := range all {
		ids = append(ids, string(r.Passage.ID))
	}
	m.asked = append(m.asked, strings.Join(ids, " "))
	return []domain.Grade{{Verdict: domain.Relevant, Reason: "all"}, {Verdict: domain.Ungraded}, {Verdict: domain.Irrelevant, Reason: "all"}}, nil
}
