// Package builtin is what the program does without any model: it reads texts
// by rules of language. Everything in it is deterministic and local.
package builtin
