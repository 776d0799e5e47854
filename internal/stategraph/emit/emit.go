// Package emit lets code that a node calls report events of the node, given only the node's context.
package emit

import "context"

// Key is the key under which the context of a node holds its Emitter.
type Key struct{}

// An Emitter reports events of one node.
type Emitter interface {
	Emit(kind string, payload any)
}

// Emit reports an event of the node whose context ctx derives from. Without one it does nothing.
func Emit(ctx context.Context, kind string, payload any) {
	if e, ok := ctx.Value(Key{}).(Emitter); ok {
		e.Emit(kind, payload)
	}
}
