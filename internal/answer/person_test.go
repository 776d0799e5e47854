package answer

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/checkpoint/memory"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/stategraphtest"
)

// talk is a run that asks a person.
type talk struct {
	t     *testing.T
	graph stategraph.Runnable[State]
	begin State
	path  []string // nodes in order, a fan-out once
}

func (s *script) talk(t *testing.T, b Begin) *talk {
	t.Helper()
	now := func() time.Time { return time.Unix(0, 0) }
	g, err := Graph(Params{
		Library: s, Retriever: s, Passages: s, Roles: Roles{Condenser: s, Grader: s, Rewriter: s, Writer: s, Supporter: s}, Now: now, Threads: memory.New(now),
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Workspace, b.Question = domain.DefaultWorkspace, "What is it?"
	return &talk{t: t, graph: g, begin: Start(b)}
}

// run carries the run on until it asks or ends.
func (k *talk) run(opts ...stategraph.RunOption) (*Asking, State) {
	k.t.Helper()
	last, err := k.graph.Run(k.t.Context(), k.begin, append(opts, stategraph.Thread("r"), stategraph.OrResume(),
		stategraph.RecursionLimit(RecursionLimit(k.begin.MaxLoops)), stategraphtest.CheckMutation(),
		stategraph.Observe(func(e stategraph.Event) {
			if e.Kind == stategraph.StepStart && len(e.Path) == 1 {
				k.path = append(k.path, slices.Compact(e.Targets)...)
			}
		}))...)
	asked, asks := errors.AsType[*stategraph.InterruptedError](err)
	if !asks {
		if err != nil {
			k.t.Fatal(err)
		}
		return nil, last
	}
	var a Asking
	if err := json.Unmarshal(asked.Questions[0].Payload, &a); err != nil {
		k.t.Fatal(err)
	}
	return &a, last
}

// reply answers what the run asks and carries it on.
func (k *talk) reply(r Reply) (*Asking, State) {
	k.t.Helper()
	open, err := k.graph.Questions(k.t.Context(), "r")
	if err != nil || len(open) != 1 {
		k.t.Fatalf("%d questions, error %v", len(open), err)
	}
	return k.run(stategraph.Answer(open[0].ID, r))
}

func chunksOf(list []domain.Grading) (chunks []domain.ChunkID) {
	for _, g := range list {
		chunks = append(chunks, g.Chunk)
	}
	return chunks
}

func TestAPersonDropsAndAddsPassagesBeforeTheAnswerIsWritten(t *testing.T) {
	t.Parallel()
	s := &script{texts: []string{"One.", "Two.", "Three.", "Four."}, searches: [][]int{{0, 1, 2}}, relevant: func(_, p int) domain.Verdict {
		return map[bool]domain.Verdict{true: domain.Relevant, false: domain.Irrelevant}[p > 0]
	}}
	k := s.talk(t, Begin{MaxLoops: 3, Review: true})
	asked, _ := k.run()
	if asked == nil || asked.Nothing || !asked.Hints {
		t.Fatalf("asks %+v", asked)
	}
	if diff := cmp.Diff([]domain.ChunkID{"c1", "c2", "c0"}, chunksOf(asked.Passages)); diff != "" {
		t.Errorf("passages (-want +got):\n%s", diff)
	}
	if s.written != 0 {
		t.Error("it wrote before the person replied")
	}
	asked, last := k.reply(Reply{Drop: []domain.ChunkID{"c1", "gone"}, Add: []domain.ChunkID{"c3"}})
	if asked != nil {
		t.Fatalf("asks again: %+v", asked)
	}
	var cited []domain.ChunkID
	for _, c := range last.Citations {
		cited = append(cited, c.Chunk)
	}
	if want := []domain.ChunkID{"c2", "c3"}; !slices.Equal(cited, want) {
		t.Errorf("cites %v, want %v", cited, want)
	}
	for _, g := range last.Result().Documents {
		by := strings.Contains(g.Reason, "a person")
		switch {
		case g.Chunk == "c1" && (g.Verdict != domain.Irrelevant || !by), g.Chunk == "c3" && (g.Verdict != domain.Relevant || !by || g.Name != "file 3.txt"):
			t.Errorf("%+v", g)
		}
	}
	if a := last.document("c1").Appearances; len(a) != 1 || a[0].Verdict != domain.Relevant {
		t.Errorf("the grade that the person overruled is gone: %+v", a)
	}
	want := []string{"retrieve", "grade_documents", "ask_person", "ask_person", "generate", "check_support"}
	if diff := cmp.Diff(want, k.path); diff != "" {
		t.Errorf("path (-want +got):\n%s", diff)
	}
}

func TestAHintIsSearchedForOnceMore(t *testing.T) {
	t.Parallel()
	s := &script{texts: []string{"One.", "Two."}, searches: [][]int{{0}, {0}, {1}}, relevant: func(_, p int) domain.Verdict {
		return map[bool]domain.Verdict{true: domain.Relevant, false: domain.Irrelevant}[p == 1]
	}}
	k := s.talk(t, Begin{MaxLoops: 1, Hint: true})
	asked, _ := k.run()
	if asked == nil || !asked.Nothing || !asked.Hints {
		t.Fatalf("asks %+v", asked)
	}
	asked, last := k.reply(Reply{Hint: "Carrow"})
	if asked != nil || s.queries[len(s.queries)-1].Text != "Carrow" || last.LoopCount != 2 || !last.Answered {
		t.Errorf("asks %+v, searched %+v, loop %d, answered %t", asked, s.queries, last.LoopCount, last.Answered)
	}
}

// TestHintsEnd lets hints find nothing until no more are asked for.
func TestHintsEnd(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]Begin{"hint": {Hint: true}, "hint and review": {Hint: true, Review: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &script{texts: []string{"One."}, searches: [][]int{{0}}, relevant: never}
			k := s.talk(t, b)
			asked, last := k.run()
			for range MaxHints {
				if asked == nil || !asked.Hints {
					t.Fatalf("asks %+v", asked)
				}
				asked, last = k.reply(Reply{Hint: "more"})
			}
			if b.Review {
				if asked == nil || asked.Hints {
					t.Fatalf("asks %+v", asked)
				}
				asked, last = k.reply(Reply{Hint: "one too many"})
			}
			if asked != nil || len(s.queries) != MaxHints+1 || last.Generation != SaysNotOutright {
				t.Errorf("asks %+v after %d searches, says %q", asked, len(s.queries), last.Generation)
			}
		})
	}
}

func TestNobodyIsAskedWithoutBeingToldTo(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		begin    Begin
		relevant func(int, int) domain.Verdict
	}{
		"neither":                  {Begin{MaxLoops: 1}, never},
		"a hint that isn't needed": {Begin{Hint: true}, always},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &script{texts: []string{"One."}, searches: [][]int{{0}}, relevant: tt.relevant}
			k := s.talk(t, tt.begin)
			if asked, _ := k.run(); asked != nil || slices.Contains(k.path, NodeAsk) {
				t.Errorf("asks %+v on the path %v", asked, k.path)
			}
		})
	}
}
