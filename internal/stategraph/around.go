package stategraph

import "github.com/clewhq/clew/internal/stategraph/state"

// Call is one call of a node or a branch, for [Around].
type Call struct {
	Input  any           // a pointer to the state, or the payload of a task
	Unread []state.Field // fields outside the node's declared [Reads]; none if it declares none
	// Do makes the call with an input like Input. Its result is the node's update or
	// the branch's route.
	Do func(input any) (result any, err error)
}

// Around wraps every call of a node or branch in f, whose result replaces the
// call's. Given several times, the first is the outermost.
func Around(f func(ctx *Context, c Call) (result any, err error)) RunOption {
	return func(s *settings) {
		outer := s.around
		if outer == nil {
			s.around = f
			return
		}
		s.around = func(ctx *Context, c Call) (any, error) {
			return outer(ctx, Call{c.Input, c.Unread, func(input any) (any, error) { return f(ctx, Call{input, c.Unread, c.Do}) }})
		}
	}
}

func around[R any](h *host, ctx *Context, c Call, do func(*Context, any) (R, error)) (R, error) {
	c.Do = func(input any) (any, error) { return do(ctx, input) }
	result, err := h.around(ctx, c)
	typed, _ := result.(R)
	return typed, err
}
