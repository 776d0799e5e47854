package answer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/stategraphtest"
	"github.com/clewhq/clew/internal/summarize"
)

// script plays all roles of a run as its fields say, and records the calls.
type script struct {
	texts        []string // passages, named c0, c1 …
	searches     [][]int  // what each search finds; the last again and again
	relevant     func(loop, passage int) domain.Verdict
	path         []domain.Hop
	failing      error  // of the writer
	away         error  // of the graph
	missing      string // what searches say of a store
	digits       int    // of the ids; 1 when 0
	takes        int    // tokens of each call
	says         string // the answer with its marks; "" is a sentence for each passage
	surveyor     Surveyor
	understander ModelOnly
	params       Params // besides the parts that the script plays

	supporter Supporter // the script when nil

	mu      sync.Mutex
	queries []retrieve.Query
	grades  []string // "question|chunk"
	written int
}

func (s *script) passage(i int) domain.Passage {
	return domain.Passage{Name: fmt.Sprintf("file %d.txt", i), Title: fmt.Sprintf("Title %d", i), Chunk: domain.Chunk{
		ID: s.chunk(i), Document: s.document(i),
		Text: s.texts[i], Span: domain.Span{Start: 100, End: 100 + domain.Runes(s.texts[i])},
	}}
}

func (s *script) chunk(i int) domain.ChunkID {
	return domain.ChunkID(fmt.Sprintf("c%0*d", s.digits, i))
}

// document returns the document of a passage: of one, or of two where ids are as long
// as real ones.
func (s *script) document(i int) domain.DocumentID {
	if s.digits > 0 {
		i /= 2
	}
	return domain.DocumentID(fmt.Sprintf("d%0*d", s.digits, i))
}

func (s *script) Stats(context.Context, domain.WorkspaceID) (graphstore.Stats, error) {
	return graphstore.Stats{Chunks: len(s.texts)}, s.away
}

func (s *script) Retrieve(_ context.Context, _ domain.WorkspaceID, q retrieve.Query) (retrieve.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := retrieve.Result{Methods: []domain.Method{{Name: domain.MethodWords, Candidates: 9, Took: time.Millisecond}}}
	if s.missing != "" {
		found.Methods = append(found.Methods, domain.Method{Name: domain.MethodWalk, Missing: s.missing})
	}
	if len(s.searches) > 0 {
		for _, i := range s.searches[min(len(s.queries), len(s.searches)-1)] {
			found.Passages = append(found.Passages, domain.FoundPassage{Chunk: s.chunk(i), Score: 1 / float64(i+3), Methods: []domain.MethodName{domain.MethodWords}, Path: s.path})
		}
	}
	s.queries = append(s.queries, q)
	for _, m := range found.Methods {
		if q.Report != nil {
			q.Report(m)
		}
	}
	return found, nil
}

func (s *script) Passages(_ context.Context, _ domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error) {
	var out []domain.Passage
	for _, id := range ids {
		for i := range s.texts {
			if p := s.passage(i); p.ID == id {
				out = append(out, p)
			}
		}
	}
	return out, nil
}

func (s *script) Condense(_ context.Context, a Asked, h []Exchange, _ Emit) (string, error) {
	return a.Question + " about " + h[len(h)-1].Question, nil
}

func (s *script) Grade(_ context.Context, r GradeRequest, emit Emit) (domain.Grade, error) {
	s.use(emit)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grades = append(s.grades, r.Question+"|"+string(r.Passage.ID))
	var i int
	fmt.Sscanf(string(r.Passage.ID), "c%d", &i)
	return domain.Grade{Verdict: s.relevant(len(s.queries)-1, i), Reason: strings.Repeat("says nothing of what was asked ", 5)}, nil
}

func (s *script) Rewrite(_ context.Context, r RewriteRequest, emit Emit) (Rewrite, error) {
	s.use(emit)
	return Rewrite{Text: fmt.Sprint("wording", len(r.Before)), How: "scripted"}, nil
}

func (s *script) Write(_ context.Context, r WriteRequest, pen Pen, emit Emit) (Turn, error) {
	s.use(emit)
	s.written++
	if s.says != "" {
		p := newMarkParser(pen, r.Passages)
		p.add(s.says)
		p.marks.Close()
		return Turn{}, s.failing
	}
	for _, p := range r.Passages {
		pen.Write("It is so. ")
		pen.Cite(p, p.Span)
	}
	return Turn{}, s.failing
}

func (s *script) Support(_ context.Context, _ Asked, claims []Claim, emit Emit) ([]Support, error) {
	s.use(emit)
	out := make([]Support, len(claims))
	for i := range out {
		out[i].OK = true
	}
	return out, nil
}

// use tells what a call takes.
func (s *script) use(emit Emit) {
	if s.takes > 0 {
		emit(domain.EventUsage, domain.Usage{Model: "scripted", Input: s.takes})
	}
}

// never and always are grades for every passage.
func never(int, int) domain.Verdict  { return domain.Irrelevant }
func always(int, int) domain.Verdict { return domain.Relevant }

// outcome is the result of a run and its events.
type outcome struct {
	State
	path   []string // nodes in order, a fan-out once
	tokens string
	events map[string]int
}

func (s *script) run(t *testing.T, b Begin) (outcome, error) {
	t.Helper()
	p := s.params
	p.Library, p.Retriever, p.Passages, p.Surveyor, p.Now = s, s, s, s.surveyor, func() time.Time { return time.Unix(0, 0) }
	p.Roles.Condenser, p.Roles.Grader, p.Roles.Rewriter, p.Roles.Writer, p.Roles.Supporter = s, s, s, s, s
	if s.understander != nil {
		p.Roles.Model = s.understander
	}
	if s.supporter != nil {
		p.Roles.Supporter = s.supporter
	}
	sums, err := summarize.Shape()
	if err != nil {
		t.Fatal(err)
	}
	p.Summaries = sums
	g, err := Graph(p)
	if err != nil {
		t.Fatal(err)
	}
	o := outcome{events: map[string]int{}}
	if b.Question == "" {
		b.Question = "What is it?"
	}
	b.Workspace = domain.DefaultWorkspace
	o.State, err = g.Run(context.Background(), Start(b), stategraph.RecursionLimit(RecursionLimit(b.MaxLoops)), stategraphtest.CheckMutation(),
		stategraph.Observe(func(e stategraph.Event) {
			switch e.Kind {
			case stategraph.StepStart:
				if len(e.Path) > 1 {
					return
				}
				o.path = append(o.path, slices.Compact(e.Targets)...)
			case stategraph.Custom:
				o.events[e.Custom]++
				if token, ok := e.Payload.(domain.Token); ok {
					o.tokens += token.Text
				}
			}
		}))
	return o, err
}
