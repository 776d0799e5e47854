package stategraph

import "slices"

// Case is a target of a branch and the label that chooses it. Two cases of a
// branch may share a target but not a label.
type Case struct{ Label, Target string }

const otherwise = "otherwise"

// Otherwise is the case a branch takes when it returns an empty route. Without
// one, an empty route is an error.
func Otherwise(target string) Case { return Case{otherwise, target} }

// Route is the decision of a branch: labels of its cases and payloads for tasks.
type Route[S any] struct {
	labels []string
	sends  []Send[S]
}

// Choose takes the cases with these labels.
func Choose[S any](labels ...string) Route[S] { return Route[S]{labels: labels} }

// Fan takes the cases of the tasks that are sent to.
func Fan[S any](sends ...Send[S]) Route[S] { return Route[S]{sends: sends} }

// And takes the cases of both routes; other's sends come after r's.
func (r Route[S]) And(other Route[S]) Route[S] {
	return Route[S]{
		labels: append(slices.Clip(r.labels), other.labels...),
		sends:  append(slices.Clip(r.sends), other.sends...),
	}
}

// Send is a payload addressed to a task.
type Send[S any] struct {
	to      *node[S]
	payload any
}

// Target is a task that takes payloads of type P.
type Target[S, P any] struct{ node *node[S] }

// Send addresses p to the task.
func (t Target[S, P]) Send(p P) Send[S] { return Send[S]{t.node, p} }

// Name returns the task's name, for the branch's case.
func (t Target[S, P]) Name() string { return t.node.name }

type branch[S any] struct {
	name, from string
	decide     func(ctx *Context, s S) (Route[S], error)
	cases      []Case
	targets    []int // node indexes of the cases; set by Compile
}

// labelled returns the index of the case with a label, or -1.
func (b *branch[S]) labelled(label string) int {
	return slices.IndexFunc(b.cases, func(c Case) bool { return c.Label == label })
}
