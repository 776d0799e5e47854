package stategraph

import "slices"

// Case is one place where a branch may go, under the label that chooses it.
// Two cases of a branch may share a target, not a label.
type Case struct{ Label, Target string }

// otherwise is the label of the case that is taken when nothing else is.
const otherwise = "otherwise"

// Otherwise is the case that a branch takes when it returns an empty route.
// Without one, an empty route is an error.
func Otherwise(target string) Case { return Case{otherwise, target} }

// Route is what a branch decides: labels of its cases, and payloads for tasks.
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

// Send is a payload on its way to a task.
type Send[S any] struct {
	to      *node[S]
	payload any
}

// Target is a task that payloads of type P can be sent to.
type Target[S, P any] struct{ node *node[S] }

// Send addresses p to the task.
func (t Target[S, P]) Send(p P) Send[S] { return Send[S]{t.node, p} }

// Name is the task's name, for the branch's case.
func (t Target[S, P]) Name() string { return t.node.name }

// branch is a decision after a node.
type branch[S any] struct {
	name, from string
	decide     func(ctx *Context, s S) (Route[S], error)
	cases      []Case
	targets    []int // of the cases; set when compiled
}

// labelled is the index of the case with a label, -1 when there is none.
func (b *branch[S]) labelled(label string) int {
	return slices.IndexFunc(b.cases, func(c Case) bool { return c.Label == label })
}
