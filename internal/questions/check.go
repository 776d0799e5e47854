package questions

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
)

// MaxDraft is the longest draft of a prompt in code points.
const MaxDraft = 20_000

// Ahead lists the nodes that may run after the point, in the order of the graph.
// None is ahead of the end.
func (s *Service) Ahead(p Point) []string {
	t := s.Graph.Topology()
	reached := map[string]bool{}
	next := slices.Clone(p.Nodes)
	for len(next) > 0 {
		from := next[0]
		next = next[1:]
		for _, e := range t.Edges {
			if e.From == from && !reached[e.To] && !p.closed(e.To, reached) {
				reached[e.To] = true
				next = append(next, e.To)
			}
		}
	}
	var ahead []string
	for _, n := range t.Nodes {
		if reached[n.Name] && n.Name != stategraph.End && n.Kind != stategraph.KindBranch {
			ahead = append(ahead, n.Name)
		}
	}
	return ahead
}

// closed reports whether a node does not run after the point, though an edge leads to it. Branches never ask a person;
// see begin.
func (p Point) closed(node string, reached map[string]bool) bool {
	switch node {
	case answer.NodeAsk:
		return true
	case answer.NodeStep:
		return len(p.State.Steps) == 0 && !reached[answer.NodeDecompose]
	case answer.NodeRegenerate:
		return slices.Contains(p.Nodes, answer.NodeSupport) && !p.State.WantsRevision()
	}
	return false
}

// promptNodes maps roles to the nodes that use their prompts.
var promptNodes = map[string]string{
	answer.RoleCondense: answer.NodeCondense, answer.RoleGrade: answer.NodeGrade, answer.RoleRewrite: answer.NodeTransform,
	answer.RoleWrite: answer.NodeGenerate, answer.RoleSupport: answer.NodeSupport, answer.RoleGradeMany: answer.NodeGrade, answer.RoleRerank: answer.NodeRetrieve, answer.RoleDecompose: answer.NodeDecompose,
	answer.RoleStep: answer.NodeStep, answer.RoleRevise: answer.NodeRegenerate, chart.Prompt().Role: answer.NodeGenerate,
}

// Closed returns why a field can't be changed at a point, in a sentence, or "" if it can.
func (s *Service) Closed(p Point, field string) string {
	ahead := s.Ahead(p)
	runs := func(node string) bool { return slices.Contains(ahead, node) }
	if len(ahead) == 0 {
		return "Nothing runs after this step."
	}
	prefix, role, _ := strings.Cut(field, ".")
	switch {
	case (field == FieldRewrite || field == FieldMethod) && !runs(answer.NodeRetrieve):
		return "No search follows this step."
	case field == FieldRewrite && !runs(answer.NodeTransform), field == FieldLoops && !runs(answer.NodeTransform):
		return "The question is not rewritten after this step."
	case prefix+"." == FieldGrade && !runs(answer.NodeGenerate):
		return "The answer has already been written."
	case prefix+"." == FieldGrade && len(p.State.Current().Grades) == 0:
		return "No passage has been graded at this step."
	case field == FieldModel && len(s.Models) == 0:
		return "No model is configured, so the built-in rules answer. Name one in the settings LLM_…."
	case (prefix+"." == FieldPrompt || prefix+"." == FieldDraft) && len(s.Models) == 0:
		return "No model is configured, so no prompt is sent."
	case (prefix+"." == FieldPrompt || prefix+"." == FieldDraft) && promptNodes[role] == "":
		return "There is no role of this name in an answer."
	case (prefix+"." == FieldPrompt || prefix+"." == FieldDraft) && !runs(promptNodes[role]):
		return "This prompt is not used after this step."
	}
	return ""
}

// check returns the changes that differ from the state at a point. The error is
// Invalid and holds [Problems].
func (s *Service) check(ctx context.Context, w domain.WorkspaceID, p Point, c Changes) (Changes, error) {
	c = c.beside(p.State)
	var all Problems
	for _, field := range c.fields() {
		if why := s.Closed(p, field); why != "" {
			all.add(field, "%s", why)
		}
	}
	if n := domain.Runes(c.Question); n > answer.MaxQuestion {
		all.add(FieldQuestion, "It has %d characters; the limit is %d.", n, answer.MaxQuestion)
	}
	if n := domain.Runes(c.Rewrite); n > answer.MaxHint {
		all.add(FieldRewrite, "It has %d characters; the limit is %d.", n, answer.MaxHint)
	}
	if least := p.State.LoopCount; c.MaxLoops != nil && (*c.MaxLoops < least || *c.MaxLoops > answer.MostLoops) {
		all.add(FieldLoops, "It must be between %d, as many as were used, and %d.", least, answer.MostLoops)
	}
	for id := range c.Grades {
		if p.State.Current().Grades[id] == "" {
			all.add(FieldGrade+string(id), "No passage with this id has been graded at this step.")
		}
	}
	s.checkPrompts(ctx, w, c, &all)
	if len(all) == 0 && c.none() {
		all.add("", "Nothing has been changed. Change a field, or replay the run to see whether it answers the same.")
	}
	slices.SortFunc(all, func(a, b Problem) int { return cmp.Compare(a.Field, b.Field) })
	return c, all.err()
}

// checkPrompts records prompts that are unknown or unusable.
func (s *Service) checkPrompts(ctx context.Context, w domain.WorkspaceID, c Changes, all *Problems) {
	for role, n := range c.Prompts {
		if _, err := s.Prompts.Version(ctx, w, role, n); err != nil {
			all.add(FieldPrompt+role, "%s", domain.InWords(err))
		}
	}
	for role, text := range c.Drafts {
		if n := domain.Runes(text); n > MaxDraft {
			all.add(FieldDraft+role, "It has %d characters; the limit is %d.", n, MaxDraft)
			continue
		}
		if _, err := s.Prompts.Parse(role, text); err != nil {
			all.add(FieldDraft+role, "%s", domain.InWords(err))
		}
	}
}

// beside returns c without changes that the state already has.
func (c Changes) beside(s answer.State) Changes {
	now := s.Current()
	if c.Question == now.Question {
		c.Question = ""
	}
	if c.Rewrite == now.Rewrite {
		c.Rewrite = ""
	}
	if c.MaxLoops != nil && *c.MaxLoops == s.MaxLoops {
		c.MaxLoops = nil
	}
	if c.Method != nil && *c.Method == s.Method {
		c.Method = nil
	}
	c.Grades = maps.Clone(c.Grades)
	maps.DeleteFunc(c.Grades, func(id domain.ChunkID, v domain.Verdict) bool {
		return now.Grades[id] != "" && (now.Grades[id] == domain.Relevant) == (v == domain.Relevant)
	})
	return c
}

// fields names the fields that are changed.
func (c Changes) fields() (names []string) {
	for _, f := range []struct {
		name string
		set  bool
	}{
		{FieldQuestion, c.Question != ""}, {FieldRewrite, c.Rewrite != ""}, {FieldLoops, c.MaxLoops != nil},
		{FieldMethod, c.Method != nil}, {FieldModel, c.Model != ""},
	} {
		if f.set {
			names = append(names, f.name)
		}
	}
	for id := range c.Grades {
		names = append(names, FieldGrade+string(id))
	}
	for role := range c.Prompts {
		names = append(names, FieldPrompt+role)
	}
	for role := range c.Drafts {
		names = append(names, FieldDraft+role)
	}
	return names
}
