// Package builtin fills every role without a model: it reads text by rules of
// language. It is deterministic and local.
package builtin
