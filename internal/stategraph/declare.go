package stategraph

import (
	"fmt"
	"strings"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// Reads declares the fields of the state that a node reads; members of the
// state that are no fields are everybody's. The declaration is drawn, and tests
// hold nodes to it, see the package stategraphtest.
func Reads(fields ...state.Field) NodeOption {
	return func(p *policy) { p.reads = more(p.reads, fields) }
}

// Writes declares the fields that a node writes. An update of another fails
// the node.
func Writes(fields ...state.Field) NodeOption {
	return func(p *policy) { p.writes = more(p.writes, fields) }
}

// more is what is declared with what was before; nothing is a declaration too.
func more(before, fields []state.Field) []state.Field {
	all := make([]state.Field, 0, len(before)+len(fields))
	return append(append(all, before...), fields...)
}

// declared are the schema's own of the fields that a node declares.
func (b *Builder[S]) declared(n *node[S], fields []state.Field) state.Fields[S] {
	if fields == nil || b.schema == nil {
		return nil
	}
	own, ok := b.schema.Pick(fields)
	if !ok {
		b.problems.add("%s %q declares a field of another schema", n.kind, n.name)
	}
	return own
}

// permits is an error when an update writes what the node does not declare.
func (n *node[S]) permits(u state.Update[S]) error {
	if n.writes == nil {
		return nil
	}
	if name, found := u.Outside(n.writes); found {
		return fmt.Errorf("wrote %q, which is not among the fields that it declares: %s", name, strings.Join(n.writes.Names(), ", "))
	}
	return nil
}

// unread are the fields that the node does not declare to read.
func (g *Graph[S]) unread(n *node[S]) []state.Field {
	if n.reads == nil {
		return nil
	}
	return g.schema.Without(n.reads)
}
