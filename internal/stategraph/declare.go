package stategraph

import (
	"fmt"
	"strings"

	"github.com/clewhq/clew/internal/stategraph/state"
)

// Reads declares the fields of the state that a node reads. Any node may read
// members of the state that are not fields. The declaration is drawn; package
// stategraphtest checks nodes against it in tests.
func Reads(fields ...state.Field) NodeOption {
	return func(p *policy) { p.reads = more(p.reads, fields) }
}

// Writes declares the fields that a node writes. An update of any other field
// fails the node.
func Writes(fields ...state.Field) NodeOption {
	return func(p *policy) { p.writes = more(p.writes, fields) }
}

// Aside declares that few runs visit a node. Drawings of the others leave it out.
func Aside() NodeOption { return func(p *policy) { p.aside = true } }

// more never returns nil: declaring no fields is a declaration too.
func more(before, fields []state.Field) []state.Field {
	all := make([]state.Field, 0, len(before)+len(fields))
	return append(append(all, before...), fields...)
}

// declared resolves declared fields to those of the builder's schema.
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

// checkWrites returns an error if an update writes a field the node does not declare.
func (n *node[S]) checkWrites(u state.Update[S]) error {
	if n.writes == nil {
		return nil
	}
	if name, found := u.Outside(n.writes); found {
		return fmt.Errorf("wrote %q, which is not among its declared fields: %s", name, strings.Join(n.writes.Names(), ", "))
	}
	return nil
}

func (g *Graph[S]) unread(n *node[S]) []state.Field {
	if n.reads == nil {
		return nil
	}
	return g.schema.Without(n.reads)
}
