package present

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/views/partial"
)

// rows returns the steps that have a row of their own. Those of a subgraph that is not
// open are part of the row of its node.
func rows(v *trace.View, open map[string]bool) []*trace.Step {
	var list []*trace.Step
	at := map[string]int{} // of the last row of each node of the graph itself
	for _, s := range v.Steps {
		if len(s.Path) == 0 {
			at[s.Node] = len(list)
			list = append(list, s)
			continue
		}
		if i, ok := at[s.Path[0]]; ok && !open[s.Path[0]] {
			list[i] = together(list[i], s)
		} else {
			list = append(list, s)
		}
	}
	return list
}

// together returns a step with what a step of its subgraph called, noted and waits for.
func together(s, inner *trace.Step) *trace.Step {
	both := *s
	both.Usages = slices.Concat(s.Usages, inner.Usages)
	both.Notes = slices.Concat(s.Notes, inner.Notes)
	both.Open = slices.Concat(s.Open, inner.Open)
	return &both
}

// Rows returns the rows that a change of a step changes. The step that opens a subgraph
// changes that of its node, and brings those of the steps before it.
func (p *Runs) Rows(ctx context.Context, w domain.WorkspaceID, v *trace.View, kind string, changed *trace.Step) []partial.StepProps {
	open := openNodes(v, p.Kinds.Named(kind).Topology)
	from := changed.N
	if len(changed.Path) > 0 && (!open[changed.Path[0]] || opens(v, changed)) {
		from = owner(v, changed)
	}
	var list []partial.StepProps
	for _, s := range rows(v, open) {
		if s.N == from || s.N > from && s.N <= changed.N && slices.Equal(s.Path, changed.Path) {
			list = append(list, p.row(ctx, w, v, kind, s))
		}
	}
	return list
}

// owner returns the number of the step whose subgraph contains a step, its own number if
// there is none.
func owner(v *trace.View, s *trace.Step) int {
	for _, before := range slices.Backward(v.Steps[:s.N-1]) {
		if len(before.Path) == 0 && before.Node == s.Path[0] {
			return before.N
		}
	}
	return s.N
}

// opens reports whether a step is the one that its subgraph opens with: the first of
// another node.
func opens(v *trace.View, s *trace.Step) bool {
	before := v.Steps[owner(v, s)-1 : s.N-1]
	return len(s.Path) == 1 && !slices.ContainsFunc(before, func(b *trace.Step) bool {
		return slices.Equal(b.Path, s.Path) && (b.Node == s.Node || b.Node != firstOf(before, s.Path))
	})
}

// firstOf returns the node of the first step with a path.
func firstOf(steps []*trace.Step, path []string) string {
	if i := slices.IndexFunc(steps, func(s *trace.Step) bool { return slices.Equal(s.Path, path) }); i >= 0 {
		return steps[i].Node
	}
	return ""
}
