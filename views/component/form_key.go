package component

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

type formKey struct{}

// WithFormKey returns a context in which forms have a key.
func WithFormKey(ctx context.Context, key domain.FormKey) context.Context {
	return context.WithValue(ctx, formKey{}, key)
}

// keyOf returns the key of forms, or "" for a part of a page that a stream draws.
func keyOf(ctx context.Context) string {
	key, _ := ctx.Value(formKey{}).(domain.FormKey)
	return string(key)
}
