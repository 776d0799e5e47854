package compare_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/questions/compare"
	"github.com/clewhq/clew/internal/run/trace"
)

func steps(nodes string) []*trace.Step {
	var list []*trace.Step
	for name := range strings.FieldsSeq(nodes) {
		path, node := []string(nil), name
		if outer, inner, ok := strings.Cut(name, "/"); ok {
			path, node = []string{outer}, inner
		}
		list = append(list, &trace.Step{N: len(list) + 1, Node: node, Path: path})
	}
	return list
}

func TestStepsAreAlignedByNodeAndLoop(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ left, right, want string }{
		"the same":              {"a b c", "a b c", "a=a b=b c=c"},
		"a loop more":           {"r g w", "r g t r g w", "r=r g=g -t -r -g w=w"},
		"another way":           {"c r g", "r g w", "c- r=r g=g -w"},
		"nothing on the left":   {"", "a", "-a"},
		"nothing in common":     {"a", "b", "a- -b"},
		"a node of a subgraph":  {"g g/m s", "g m s", "g=g g/m- -m s=s"},
		"the second only there": {"r r", "r", "r=r r-"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range compare.Steps(steps(tt.left), steps(tt.right)) {
				switch {
				case p.Right == nil:
					got = append(got, p.Left.Name()+"-")
				case p.Left == nil:
					got = append(got, "-"+p.Right.Name())
				default:
					got = append(got, p.Left.Name()+"="+p.Right.Name())
				}
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("got %s, want %s", s, tt.want)
			}
		})
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ left, right, want string }{
		"same and other":   {`{"a":1,"b":[1,2]}`, `{"a":1,"b":[1]}`, `a same, b [1,2]|[1]`},
		"only on one side": {`{"a":1}`, `{"b":2,"c":null}`, `a 1|, b |2, c |null`},
		"no left state":    {``, `{"b":2}`, `b |2`},
		"cut off":          {`{"a":`, `{}`, "error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fields, err := compare.States(json.RawMessage(tt.left), json.RawMessage(tt.right))
			var got []string
			for _, f := range fields {
				if f.Same() {
					got = append(got, f.Name+" same")
				} else {
					got = append(got, f.Name+" "+string(f.Left)+"|"+string(f.Right))
				}
			}
			if s := strings.Join(got, ", "); err == nil && s != tt.want || (err != nil) != (tt.want == "error") {
				t.Errorf("got %s, error %v, want %s", s, err, tt.want)
			}
		})
	}
}

// search returns the steps of a search that ranks passages by a method and reads
// the first ones.
func search(method domain.MethodName, read int, ids ...domain.ChunkID) []*trace.Step {
	found := []domain.FoundPassage{}
	var grades []domain.Grading
	for _, id := range ids[:min(read, len(ids))] {
		found = append(found, domain.FoundPassage{Chunk: id, Methods: []domain.MethodName{method}})
		grades = append(grades, domain.Grading{Chunk: id, Name: string(id) + ".txt", Grade: domain.Grade{Verdict: domain.Irrelevant}})
	}
	return []*trace.Step{
		{Node: "retrieve", Found: found, Methods: []domain.Method{{Name: method, Ranked: ids}}},
		{Node: "grade_documents", Grades: grades},
	}
}

func view(steps ...[]*trace.Step) *trace.View {
	return &trace.View{Settled: true, Steps: slices.Concat(steps...)}
}

func TestPassages(t *testing.T) {
	t.Parallel()
	left := view(search("words", 3, "a", "b", "c"))
	right := view(search("walk", 2, "c", "d"), search("walk", 3, "e", "c", "a"))
	right.Steps[3].Grades[2].Verdict = domain.Relevant
	type row struct {
		Chunk       domain.ChunkID
		Left, Right int
		Loop        int
	}
	var got []row
	for _, p := range compare.Passages(left, right) {
		r := row{Chunk: p.Chunk}
		if p.Left != nil {
			r.Left = p.Left.Rank
		}
		if p.Right != nil {
			r.Right, r.Loop = p.Right.Rank, p.Right.Loop
			if want := p.Chunk == "a"; want != (p.Right.Grade.Verdict == domain.Relevant) {
				t.Errorf("%s is graded %s", p.Chunk, p.Right.Grade.Verdict)
			}
		}
		if p.Name != string(p.Chunk)+".txt" {
			t.Errorf("%s is of %q", p.Chunk, p.Name)
		}
		got = append(got, r)
	}
	want := []row{{"a", 1, 3, 1}, {"c", 3, 1, 0}, {"b", 2, 0, 0}, {"e", 0, 1, 1}, {"d", 0, 2, 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func column(method domain.MethodName, v *trace.View, cited ...domain.ChunkID) compare.Column {
	return compare.Column{Method: method, View: v, Cited: cited, Ended: true}
}

func TestDidTheGraphHelp(t *testing.T) {
	t.Parallel()
	words := column(domain.MethodWords, view(search(domain.MethodWords, 2, "a", "b", "x", "z")), "a")
	hybrid := column(domain.MethodHybrid, view(search(domain.MethodHybrid, 2, "b", "a")), "a")
	walk := column(domain.MethodWalk, view(search(domain.MethodWalk, 2, "a", "z", "b")), "a", "z")
	nothing := column(domain.MethodWords, view(search(domain.MethodWords, 2, "a")))
	working := compare.Column{Method: domain.MethodWalk, View: &trace.View{}}
	failed := compare.Column{Method: domain.MethodVectors, View: &trace.View{Settled: true}}
	for name, tt := range map[string]struct {
		columns        []compare.Column
		word, sentence string
		only           []domain.ChunkID
	}{
		"yes": {
			[]compare.Column{words, hybrid, walk}, "Yes.",
			"Of the 2 passages that the answers rest on, one was in reach of every method. One was found by the graph alone: words ranked it 4th and did not read that far, hybrid did not rank it among the first 30.",
			[]domain.ChunkID{"z"},
		},
		"one that failed does not count": {
			[]compare.Column{words, failed, walk}, "Yes.",
			"Of the 2 passages that the answers rest on, one was in reach of every method. One was found by the graph alone: words ranked it 4th and did not read that far.",
			[]domain.ChunkID{"z"},
		},
		"no":                             {[]compare.Column{words, hybrid}, "No.", "The passage that the answers rest on was in reach of every method. None was found by the graph alone.", nil},
		"nothing is cited":               {[]compare.Column{nothing, nothing}, "This can’t be determined.", "No answer rests on a passage.", nil},
		"not all have ended":             {[]compare.Column{words, working}, "Not known yet.", "1 of 2 are still running.", nil},
		"nothing but the graph is there": {[]compare.Column{walk}, "No.", "Each of the 2 passages that the answers rest on was in reach of every method. None was found by the graph alone.", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := compare.Methods(tt.columns)
			if word, sentence := r.Helped(); word != tt.word || sentence != tt.sentence {
				t.Errorf("got %s %s", word, sentence)
			}
			var only []domain.ChunkID
			for _, x := range r.Only() {
				only = append(only, x.Chunk)
			}
			if diff := cmp.Diff(tt.only, only); diff != "" {
				t.Errorf("by the graph alone (-want +got)\n%s", diff)
			}
		})
	}
}

func TestRanks(t *testing.T) {
	t.Parallel()
	loop := column(domain.MethodDefault, view(search(domain.MethodWalk, 1, "a", "b"), search(domain.MethodWalk, 2, "c", "b")), "b")
	loop.View.Steps[2].Found[1].Path = []domain.Hop{{Name: "Carrow"}}
	r := compare.Methods([]compare.Column{column(domain.MethodWords, view(search(domain.MethodWords, 1, "a", "b")), "a"), loop})
	want := []compare.Row{
		{Chunk: "a", Needed: true, Ranks: []compare.Rank{{1, true}, {1, true}}},
		{Chunk: "b", Needed: true, Only: true, Ranks: []compare.Rank{{2, false}, {2, true}}, Path: []domain.Hop{{Name: "Carrow"}}},
		{Chunk: "c", Ranks: []compare.Rank{{}, {1, true}}},
	}
	if diff := cmp.Diff(want, r.Rows); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := []int{r.Read(0), r.Read(1)}; !slices.Equal(got, []int{1, 2}) {
		t.Errorf("needed ones read by each column: %v", got)
	}
}
