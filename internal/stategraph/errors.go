package stategraph

import (
	"errors"
	"fmt"
	"strings"
)

// ErrRecursionLimit fails a run that has work left after as many super-steps as
// [RecursionLimit] allows.
var ErrRecursionLimit = errors.New("recursion limit reached")

// NodeError says which node of which graph failed, and why. A failed branch is
// reported the same way, under the branch's name.
type NodeError struct {
	Path    []string // the graph's name, then the subgraph nodes leading to the node
	Node    string
	Step    int // super-step, from 1; 0 for a branch out of the start
	Attempt int // from 1
	Err     error
}

// Error names the node by its whole path.
func (e *NodeError) Error() string {
	where := fmt.Sprintf("%s/%s (step %d", strings.Join(e.Path, "/"), e.Node, e.Step)
	if e.Attempt > 1 {
		where += fmt.Sprintf(", attempt %d", e.Attempt)
	}
	return where + "): " + e.Err.Error()
}

// Unwrap returns the node's own error.
func (e *NodeError) Unwrap() error { return e.Err }

// PanicError is a panic in a node.
type PanicError struct {
	Value any    // passed to panic
	Stack []byte // of the goroutine, as runtime/debug prints it
}

// Error returns the panic's value; the stack is for the log.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic's value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// ConflictError reports that two nodes wrote, in one super-step, a field that
// takes one write. Either the field needs another reducer or the nodes must not
// run side by side.
type ConflictError struct {
	Field         string
	Step          int
	First, Second string // nodes; the same name when two sends of one task collide
}

// Error names the field and both nodes.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("nodes %q and %q both write field %q in step %d, and a replace field takes one write a step",
		e.First, e.Second, e.Field, e.Step)
}

// errExited fails a node that called runtime.Goexit.
var errExited = errors.New("ended its goroutine instead of returning")
