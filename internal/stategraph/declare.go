package stategraph

import (
	"fmt"
	"slices"
	"strings"
)

// Reads declares the fields of the state that a node reads; members of the
// state that are no fields are everybody's. The declaration is drawn, and tests
// hold nodes to it, see the package stategraphtest.
func Reads(fields ...Field) NodeOption {
	return func(p *policy) { p.reads = more(p.reads, fields) }
}

// Writes declares the fields that a node writes. An update of another fails
// the node.
func Writes(fields ...Field) NodeOption {
	return func(p *policy) { p.writes = more(p.writes, fields) }
}

// more is what is declared with what was before; nothing is a declaration too.
func more(before, fields []Field) []Field {
	all := make([]Field, 0, len(before)+len(fields))
	return append(append(all, before...), fields...)
}

// declared are the schema's own of the fields that a node declares, in the
// order of the schema.
func (b *Builder[S]) declared(n *node[S], fields []Field) []*field[S] {
	if fields == nil || b.schema == nil {
		return nil
	}
	own := make([]*field[S], len(b.schema.fields))
	for _, d := range fields {
		f, _ := d.of().(*field[S])
		if f == nil || f.index >= len(own) || b.schema.fields[f.index] != f {
			b.problems.add("%s %q declares a field of another schema", n.kind, n.name)
			continue
		}
		own[f.index] = f
	}
	return slices.DeleteFunc(own, func(f *field[S]) bool { return f == nil })
}

// permits is an error when an update writes what the node does not declare.
func (n *node[S]) permits(u Update[S]) error {
	if n.writes == nil {
		return nil
	}
	for _, w := range u.writes {
		if !slices.Contains(n.writes, w.field) {
			return fmt.Errorf("wrote %q, which is not among the fields that it declares: %s", w.field.name, strings.Join(fieldNames(n.writes), ", "))
		}
	}
	return nil
}

// unread are the fields that the node does not declare to read.
func (n *node[S]) unread(fields []*field[S]) (out []Field) {
	if n.reads == nil {
		return nil
	}
	for _, f := range fields {
		if !slices.Contains(n.reads, f) {
			out = append(out, handle[S]{f})
		}
	}
	return out
}

func fieldNames[S any](fields []*field[S]) []string {
	if fields == nil {
		return nil
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}
