package trace

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
)

// foldStep folds an event of a step that has started.
func (v *View) foldStep(e Event) []*Step {
	v.foldAnswer(e)
	s := v.find(e)
	if s == nil {
		return nil
	}
	switch e.Kind {
	case string(stategraph.NodeEnd):
		s.ended(e.Task)
		v.nodeEnd(s, e)
	case string(stategraph.NodeFailed):
		s.ended(e.Task)
		s.counted()
		s.State, s.Problem = Failed, e.Problem
		v.lasted(s, e.At)
		v.setNode(s.Name(), Failed)
	case string(stategraph.NodeRetry):
		s.Attempt, s.Problem = e.Attempt, e.Problem
		s.waits(e.Task, domain.Wait{For: domain.WaitRetry, Pause: e.Pause, Why: e.Problem}, e.At)
	case string(stategraph.Custom):
		s.note(e)
	default:
		return nil
	}
	return []*Step{s}
}

func (v *View) nodeEnd(s *Step, e Event) {
	s.TasksDone++
	v.lasted(s, e.At)
	s.wrote(e.Update)
	if s.TasksDone < s.Tasks {
		return
	}
	s.counted()
	s.State, s.Problem = Done, ""
	v.setNode(s.Name(), Done)
}

// wrote adds the fields of an update.
func (s *Step) wrote(update json.RawMessage) {
	var fields map[string]json.RawMessage
	if len(update) == 0 || json.Unmarshal(update, &fields) != nil {
		return
	}
	for name := range fields {
		if i, found := slices.BinarySearch(s.Writes, name); !found {
			s.Writes = slices.Insert(s.Writes, i, name)
		}
	}
	s.cites(fields["citations"])
	s.claims(fields["sentences"])
}

// Cites counts the passages that an answer cites.
type Cites struct {
	Relied int // to support the answer
	Close  int // as merely close
}

// cites counts the passages of the field of citations, if a step wrote it.
func (s *Step) cites(field json.RawMessage) {
	var citations []domain.Citation
	if len(field) == 0 || json.Unmarshal(field, &citations) != nil {
		return
	}
	s.Cites = &Cites{}
	seen := map[domain.ChunkID]bool{}
	for _, c := range citations {
		switch {
		case seen[c.Chunk]:
		case c.Close:
			s.Cites.Close++
		default:
			s.Cites.Relied++
		}
		seen[c.Chunk] = true
	}
}

// Claims counts the sentences of an answer that are from documents.
type Claims struct {
	All    int
	Held   int // supported
	Quoted int // words of a document
}

// claims counts the sentences of the field of sentences, if a step wrote it.
func (s *Step) claims(field json.RawMessage) {
	var sentences []domain.Sentence
	if len(field) == 0 || json.Unmarshal(field, &sentences) != nil {
		return
	}
	s.Claims = &Claims{}
	for _, said := range sentences {
		if said.Remark {
			continue
		}
		s.Claims.All++
		if said.Supported {
			s.Claims.Held++
		}
		if said.Quote {
			s.Claims.Quoted++
		}
	}
}

// note records what a node reported about its work.
func (s *Step) note(e Event) {
	switch e.Custom {
	case domain.EventAsked:
		s.counted()
		collect(e.Payload, &s.Usages)
		if n := len(s.Usages); n > 0 {
			s.Usages[n-1].Estimated = true
		}
	case domain.EventUsage:
		s.counted()
		collect(e.Payload, &s.Usages)
	case domain.EventGrade:
		collect(e.Payload, &s.Grades)
	case domain.EventRewrite:
		collect(e.Payload, &s.Rewrites)
	case domain.EventMethod:
		collect(e.Payload, &s.Methods)
	case domain.EventFound:
		var f domain.Found
		if json.Unmarshal(e.Payload, &f) == nil {
			s.Found = f.Passages
		}
	case domain.EventWords:
		var w domain.Words
		if json.Unmarshal(e.Payload, &w) == nil {
			s.Words = &w
		}
	case domain.EventProgress:
		var p domain.Progress
		// Tasks run at the same time, so a count may arrive after a later one.
		if json.Unmarshal(e.Payload, &p) == nil && (s.Progress == nil || p.Done >= s.Progress.Done) {
			s.Progress = &p
		}
	case domain.EventWait:
		var w domain.Wait
		if json.Unmarshal(e.Payload, &w) == nil {
			s.waits(e.Task, w, e.At)
		}
	case domain.EventNote:
		var n domain.Note
		if json.Unmarshal(e.Payload, &n) == nil {
			s.Notes = append(s.Notes, n.Text)
		}
	}
}

// counted drops the estimate of a call that has ended.
func (s *Step) counted() {
	s.Usages = slices.DeleteFunc(s.Usages, func(u domain.Usage) bool { return u.Estimated })
}

// Wrote records how many tokens the current call has written, and returns its step, or nil if there is none.
func (v *View) Wrote(tokens int) *Step {
	for _, s := range slices.Backward(v.Steps) {
		if i := slices.IndexFunc(s.Usages, func(u domain.Usage) bool { return u.Estimated }); i >= 0 {
			s.Usages[i].Output = tokens
			return s
		}
	}
	return nil
}

// collect appends a decoded payload, skipping malformed ones.
func collect[T any](payload json.RawMessage, list *[]T) {
	var item T
	if json.Unmarshal(payload, &item) == nil {
		*list = append(*list, item)
	}
}

// foldAnswer folds the events of the answer itself: its charts, each reported when requested and when settled, and the end of
// its text.
func (v *View) foldAnswer(e Event) {
	if e.Kind != string(stategraph.Custom) {
		return
	}
	switch e.Custom {
	case domain.EventWritten:
		v.Written = true
	case domain.EventFigure:
		var f domain.Figure
		if json.Unmarshal(e.Payload, &f) != nil {
			return
		}
		if i := slices.IndexFunc(v.Figures, func(o domain.Figure) bool { return o.ID == f.ID }); i >= 0 {
			v.Figures[i] = f
		} else {
			v.Figures = append(v.Figures, f)
		}
	}
}

// scope is one graph of a run: its own, or a subgraph.
type scope struct {
	path     []string // nodes leading to it; empty for the run's own graph
	topology stategraph.Topology
	super    int                // current super-step
	reached  []string           // nodes that ran in the super-step before the current one
	current  []string           // nodes that ran in the current super-step
	round    int                // number of starts
	working  int                // runs at work: a node may have several at a time
	within   []stategraph.Visit // of the nodes around it, outermost first
	sends    map[string]int     // that a decision planned, by node
	shared   bool               // several runs of it, or of a graph around it, were at work at the same time
}

// Name returns a node's name with the path of its subgraphs: "generate/model".
func Name(path []string, node string) string {
	return strings.Join(append(slices.Clip(path), node), "/")
}

func (s *scope) name(node string) string { return Name(s.path, node) }

func (s *scope) begin() {
	s.super, s.reached, s.current = 0, []string{stategraph.Start}, nil
	s.round++
	clear(s.sends)
}

// in returns the graph of an event, creating it at its first event.
func (v *View) in(e Event) *scope {
	var path []string
	if len(e.Path) > 1 {
		path = e.Path[1:]
	}
	key := strings.Join(path, "/")
	if s, ok := v.scopes[key]; ok {
		return s
	}
	s := &scope{path: path, topology: subgraph(v.topology, path), reached: []string{stategraph.Start}, sends: map[string]int{}}
	v.scopes[key] = s
	return s
}

// subgraph returns the graph at a path of nodes, or an empty one if there is none.
func subgraph(t stategraph.Topology, path []string) stategraph.Topology {
	for _, name := range path {
		i := slices.IndexFunc(t.Nodes, func(n stategraph.TopologyNode) bool { return n.Name == name })
		if i < 0 || t.Nodes[i].Graph == nil {
			return stategraph.Topology{}
		}
		t = *t.Nodes[i].Graph
	}
	return t
}

// startInner starts or resumes the graph of a node, unless another run of it is in progress. It stops the steps that an
// earlier attempt left unfinished.
func (v *View) startInner(s *scope, e Event) {
	s.working++
	if s.working > 1 {
		s.shared = true
		return
	}
	v.placed(s)
	if e.Resumed {
		v.keep(s, e.Step)
		return
	}
	for _, step := range v.Steps {
		if step.State == Working && slices.Equal(step.Path, s.path) {
			step.State, step.Open = Stopped, nil
			step.counted()
		}
	}
	s.begin()
	n := v.Nodes[s.name(stategraph.Start)]
	v.Nodes[s.name(stategraph.Start)] = Node{State: Done, Visits: n.Visits + 1}
}

// placed records the visits of the outer nodes that a graph runs in.
func (v *View) placed(s *scope) {
	outer := v.scopes[strings.Join(s.path[:len(s.path)-1], "/")]
	if outer == nil { // its events were deleted
		s.within, s.shared = nil, true
		return
	}
	s.within = append(slices.Clip(outer.within), stategraph.Visit{Node: s.path[len(s.path)-1], Step: outer.super})
	s.shared = outer.shared
}

func (v *View) endInner(s *scope, e Event) {
	s.working = max(0, s.working-1)
	if e.Problem == "" && s.working == 0 && !v.Asks {
		v.finish(s)
	}
}

// keep keeps the work up to a super-step. Only the unfinished part of an interrupted fan-out starts again.
func (v *View) keep(s *scope, done int) {
	for _, step := range v.Steps {
		switch {
		case step.State == Done || step.Round != s.round || !slices.Equal(step.Path, s.path):
		case step.Super <= done:
			step.State, step.Open = Done, nil
			v.setNode(step.Name(), Done)
		default:
			step.Tasks, step.Attempt, step.Problem, step.Open = step.TasksDone, 0, "", nil
		}
	}
}

// finish walks a graph to its end.
func (v *View) finish(s *scope) {
	s.advance(s.super + 1)
	v.walkTo(s, stategraph.End)
	n := v.Nodes[s.name(stategraph.End)]
	v.Nodes[s.name(stategraph.End)] = Node{State: Done, Visits: n.Visits + 1}
}

// advance moves to a later super-step.
func (s *scope) advance(super int) {
	if super > s.super {
		s.super = super
		if len(s.current) > 0 {
			s.reached, s.current = s.current, nil
		}
	}
}

// walkTo marks the plain edges from the previous nodes to a node. Branches mark their own conditional edges.
func (v *View) walkTo(s *scope, node string) {
	for _, edge := range s.topology.Edges {
		if edge.To != node || edge.Conditional || edge.Send {
			continue
		}
		for _, from := range s.reached {
			if from == edge.From {
				v.Walked[Edge{s.name(edge.From), s.name(edge.To), edge.Label}]++
			}
		}
	}
}
