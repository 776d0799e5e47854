// Package extract finds the entities that a chunk of text names and the
// relations between them, each tied to the characters that support it.
//
// A language model answers in one of three modes: by calling a tool, in JSON of
// a given schema, or in plain text. Its answer is parsed leniently. An answer
// that can't be parsed is asked for once more, a truncated one keeps its whole
// items, and what the text does not name is dropped with a warning.
package extract
