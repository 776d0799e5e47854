// Package present turns stored data into what several pages draw: runs,
// documents, entities and sample questions.
package present

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/partial"
)

// drawn returns the drawing of a run as of now, and the steps of its rows. The topology
// holds no more than is to be drawn.
func drawn(v *trace.View, topology stategraph.Topology, loop Loop, now time.Time) (partial.TraceProps, []*trace.Step) {
	past := bypasses(topology)
	topology = around(topology, past)
	open := openNodes(v, topology)
	flat := unfold(topology, open)
	taken := takenEdges(v, topology, open)
	goAround(taken, v, past)
	p := partial.TraceProps{
		Run: v.Run, Topology: Topology(flat), State: state(v.State), Problem: v.Problem, Resumed: v.Resumed, Asks: v.Asks,
		Took: v.Took(now), Tokens: v.Tokens(), Loop: loop.Rounds(v), MaxLoops: loop.Max, After: v.Last,
		Visits: visits(v), Walked: walked(taken, folded(flat)), Gist: Gist(v),
	}
	if unwritten(v) {
		p.Undone = needsModel
	}
	nameless(&p)
	steps := rows(v, open)
	for _, s := range steps {
		p.Steps = append(p.Steps, Step(v, s, loop))
	}
	return p, steps
}

// nameless takes the names from the ways out of the start: one sees which was taken.
func nameless(p *partial.TraceProps) {
	for i, e := range p.Topology.Edges {
		if e.From == stategraph.Start {
			p.Topology.Edges[i].Label = ""
		}
	}
	for i, w := range p.Walked {
		if w.From == stategraph.Start {
			p.Walked[i].Label = ""
		}
	}
}

// Rounds returns how often a run has reworded its question.
func (l Loop) Rounds(v *trace.View) int { return l.roundsTo(v, math.MaxInt) }

// roundsTo returns how often a run reworded its question up to its nth step.
func (l Loop) roundsTo(v *trace.View, n int) int {
	rounds := 0
	for _, s := range v.Steps {
		if s.Node == l.Node && s.N <= n {
			rounds += len(s.Rewrites)
		}
	}
	return rounds
}

// round says which round a step began by rewording the question, "" for another step.
func (l Loop) round(v *trace.View, s *trace.Step) string {
	if s.Node != l.Node || len(s.Rewrites) == 0 || l.Max == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", l.roundsTo(v, s.N), l.Max)
}

func state(s trace.State) diagram.State {
	switch s {
	case trace.Working:
		return diagram.Now
	case trace.Done:
		return diagram.Seen
	case trace.Failed:
		return diagram.Failed
	case trace.Stopped:
		return diagram.Stopped
	}
	return diagram.Waiting
}

// visits returns the visited nodes, sorted by name so that a run is always
// drawn alike.
func visits(v *trace.View) []diagram.Visit {
	notes, said := map[string]string{}, map[string]string{}
	for _, s := range v.Steps {
		said[s.Name()] = called(v, s)
		if note := nodeNote(s); note != "" {
			notes[s.Name()] = note
		}
		for _, b := range s.Branches {
			notes[trace.Name(s.Path, b.Name)] = branchNote(s)
		}
	}
	var list []diagram.Visit
	for name, n := range v.Nodes {
		list = append(list, diagram.Visit{Node: name, State: state(n.State), Times: n.Visits, Took: n.Took, Note: notes[name], Said: said[name]})
	}
	slices.SortFunc(list, func(a, b diagram.Visit) int { return cmp.Compare(a.Node, b.Node) })
	return list
}

// walked returns the edges taken. An edge over a branch that is not drawn
// starts at the node before the branch.
func walked(taken map[trace.Edge]int, folded map[string]string) []diagram.Walk {
	var list []diagram.Walk
	for e, times := range taken {
		if _, ok := folded[e.To]; ok {
			continue
		}
		if before, ok := folded[e.From]; ok {
			e.From = before
		}
		list = append(list, diagram.Walk{From: e.From, To: e.To, Label: e.Label, Times: times})
	}
	slices.SortFunc(list, func(a, b diagram.Walk) int {
		return cmp.Compare(a.From+"\x00"+a.To+"\x00"+a.Label, b.From+"\x00"+b.To+"\x00"+b.Label)
	})
	return list
}

// Step returns the row of a step in the list of a run with the given loop.
func Step(v *trace.View, s *trace.Step, loop Loop) partial.StepProps {
	p := partial.StepProps{
		Run: v.Run, N: s.N, Node: s.Node, Said: Said(v, s, loop), Within: s.Path, State: state(s.State), Note: cmp.Or(note(s), loop.round(v, s)), Took: s.Took, Tokens: s.Tokens(),
		Attempt: max(1, s.Attempt), Grades: s.Grades, Methods: s.Methods, Writes: s.Writes, Problem: s.Problem,
		Open: s.Node == loop.Node && len(s.Rewrites) > 0 || wrote(s),
	}
	for _, r := range s.Rewrites {
		if r.SameWords() {
			p.Notes = append(p.Notes, r.How)
		} else {
			p.Rewrites = append(p.Rewrites, r)
		}
	}
	for i, r := range p.Rewrites {
		if r.How == answer.ByModel { // its tokens say so
			p.Rewrites[i].How = ""
		}
	}
	for _, n := range s.Notes {
		if n != p.Note {
			p.Notes = append(p.Notes, n)
		}
	}
	p.Working = AtWork(s)
	recorded := 0
	for _, u := range s.Usages {
		if u.Recorded {
			recorded++
		}
		if u.Model != "" && !slices.Contains(p.Models, u.Model) {
			p.Models = append(p.Models, u.Model)
		}
	}
	p.Recorded = recorded > 0 && recorded == len(s.Usages)
	if s.Total() > 1 {
		p.Done, p.Total = s.TasksDone, s.Total()
	}
	return p
}

// wrote reports whether the grades of a step were the last before the answer.
func wrote(s *trace.Step) bool {
	return len(s.Grades) > 0 && slices.ContainsFunc(s.Branches, func(b trace.Branch) bool { return slices.Contains(b.Targets, answer.NodeGenerate) })
}

// capped reports whether the searches ended after a step because no more were allowed.
func capped(s *trace.Step) bool {
	return slices.ContainsFunc(s.Branches, func(b trace.Branch) bool { return b.Label == answer.CaseCap })
}

// note returns the remark beside a step's name.
func note(s *trace.Step) string {
	switch {
	case len(s.Grades) > 0 && capped(s):
		return relevant(s) + ", cap"
	case len(s.Grades) > 0:
		return relevant(s)
	case slices.Contains(s.Notes, answer.SaysClosest):
		return answer.SaysClosest
	case slices.Contains(s.Notes, answer.SaysNoneNear):
		return answer.SaysNoneNear
	case slices.Contains(s.Notes, answer.SaysNoClaims):
		return answer.SaysNoClaims
	case slices.Contains(s.Notes, answer.SaysVerbatim):
		return answer.SaysVerbatim
	case len(s.Methods) > 0 && len(s.Notes) > 0:
		return s.Notes[len(s.Notes)-1]
	case len(s.Methods) > 0:
		return soFar(s.Methods)
	case s.Progress != nil:
		return progress(s)
	case s.TasksDone < s.Total() && s.Total() > 1:
		return fmt.Sprintf("%d of %d", s.TasksDone, s.Total())
	case s.State == trace.Stopped:
		return stopped
	case s.State == trace.Working && s.Node == answer.NodeGenerate:
		return "writing"
	}
	return ""
}

// stopped is the remark on a step that a person stopped.
const stopped = "stopped"

// soFar says what the methods of a search have found that goes on.
func soFar(methods []domain.Method) string {
	parts := make([]string, len(methods))
	for i, m := range methods {
		parts[i] = fmt.Sprintf("%s %d", m.Name, m.Candidates)
	}
	return strings.Join(parts, ", ")
}

// nodeNote returns the text a node shows in place of its duration.
func nodeNote(s *trace.Step) string {
	switch {
	case s.Progress != nil:
		return progress(s)
	case s.State == trace.Stopped:
		return stopped
	case slices.Contains(s.Notes, answer.SaysNoClaims):
		return partial.SaysNoClaims
	case s.Node == answer.NodeSupport && s.Claims != nil && s.Claims.All > 0:
		return fmt.Sprintf("%d of %d", s.Claims.Held, s.Claims.All)
	}
	return ""
}

// progress returns how far a step has come, by its own count or by the finished
// tasks of its fan-out.
func progress(s *trace.Step) string {
	return fmt.Sprintf("%d of %d", max(s.Progress.Done, s.TasksDone), s.Progress.Total)
}

// branchNote returns the text that a decision about grades shows: how many of the last
// search are relevant, or near.
func branchNote(s *trace.Step) string {
	if len(s.Grades) == 0 {
		return ""
	}
	return verdicts(s)
}

func relevant(s *trace.Step) string {
	yes, all := graded(s)
	return fmt.Sprintf("%d of %d", yes, all)
}

// graded counts the passages that a step graded relevant, and all.
func graded(s *trace.Step) (yes, all int) {
	for _, g := range s.Grades {
		if g.Verdict == domain.Relevant {
			yes++
		}
	}
	return yes, len(s.Grades)
}
